// Checks what npm would get, with publint and attw: npm run check:package, or with a tarball that is there already.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const folder = mkdtempSync(join(tmpdir(), 'untildone-package-'));
try {
  process.exitCode = await check(process.argv[2] ?? packed());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function packed() {
  const { stdout, status } = npm(
    ['pack', '--json', '--pack-destination', folder],
    ['ignore', 'pipe', 'inherit'],
  );
  if (status !== 0) throw new Error('npm pack failed; its own words stand above');
  return join(folder, JSON.parse(stdout)[0].filename);
}

function npm(args, stdio) {
  // Windows starts npm through a script, which only a shell can run. The words are ours.
  return spawnSync('npm', args, { encoding: 'utf8', stdio, shell: process.platform === 'win32' });
}

async function check(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  for (const message of messages) console.error(`publint: ${formatMessage(message, pkg, { color: false })}`);
  // The library is an ES module only; the file of the schema is no module.
  const args = [
    tarball,
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    './schema/*',
    '--no-emoji',
    '--no-color',
  ];
  const attw = spawnSync(
    process.execPath,
    [join('node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js'), ...args],
    {
      encoding: 'utf8',
    },
  );
  const clean = attw.status === 0 && messages.length === 0;
  console.log(clean ? 'publint and attw find nothing.' : `${attw.stdout}${attw.stderr}`);
  return clean ? 0 : 1;
}
