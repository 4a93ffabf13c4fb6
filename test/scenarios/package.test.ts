import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';
import { CLAUDE } from '../support/live/demo.ts';
import { longTest } from '../support/long.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What git has, as in a clone that nobody built anything in. */
function freshClone(): string {
  const folder = join(temporaryFolder(), 'clone');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((name) => name !== '' && !name.startsWith('test/live/'))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** All that the package may hold, and why. `plugin` and its marketplace are there when they are in the clone. */
const NEEDED = [
  /^(?:package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
  /^dist\/(?:untildone|hook(?:-rest)?|events|tool(?:-rules|-rest)?|format-[a-z-]+|formats(?:-rest)?|statusline|judge(?:-[a-z-]+)?|telemetry|fleet-run)\.cjs$/,
  /^dist\/dashboard\/(?:index\.html|app\.js|app\.css|icon\.svg)$/,
  /^dist\/(?:index|program\/[\w-]+)\.mjs$/,
  /^dist\/THIRD-PARTY\.txt$/,
  /^dist\/grammars\/[\w-]+\.wasm$/,
  /^dist\/types\/.*\.d\.ts$/,
  // Played by `untildone conformance` and `untildone demo`.
  /^dist\/scenarios\/[\w-]+\.txt$/,
  /^dist\/examples\//,
  // Messages and `--help` name pages.
  /^docs\/(?!adr\/).*\.md$/,
  /^docs\/images\/[\w-]+\.png$/,
  // Workers of a fleet as services.
  /^deploy\//,
  /^schema\/(?:untildone\.schema|catalog-entry)\.json$/,
  /^(?:plugin|plugin-ralph|\.claude-plugin)\//,
];

/** A machine with Node and nothing else: no clone, no packages of ours, no network. */
function emptyMachine() {
  const home = temporaryFolder();
  const env = { PATH: process.env.PATH, HOME: home, npm_config_offline: 'true', npm_config_audit: 'false' };
  const run = (program: string, args: string[]) =>
    spawnSync(program, args, { cwd: home, env, encoding: 'utf8' });
  return { home, run };
}

/** Packs a folder and looks at what is in the package. Returns the file that npm made. */
function packed(folder: string, ...flags: string[]): string {
  const said = execFileSync('npm', ['pack', '--json', '--offline', ...flags], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files, filename }] = JSON.parse(said) as [{ files: { path: string }[]; filename: string }];
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !NEEDED.some((needed) => needed.test(path)))).toEqual([]);
  expect(NEEDED.slice(0, -1).filter((needed) => !paths.some((path) => needed.test(path)))).toEqual([]);
  for (const folder of ['plugin', 'plugin-ralph', '.claude-plugin'])
    expect(paths.some((path) => path.startsWith(`${folder}/`))).toBe(existsSync(join(ROOT, folder)));
  return join(folder, filename);
}

test('the package has only what is needed', () => {
  // What the tests were built from: nothing is built again.
  packed(ROOT, '--dry-run', '--ignore-scripts');
});

longTest('a package that is made in a fresh clone works alone', () => {
  const tarball = packed(freshClone());
  const checked = spawnSync(process.execPath, ['scripts/check-package.mjs', tarball], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(checked.stdout + checked.stderr).toBe('publint and attw find nothing.\n');

  const { home, run } = emptyMachine();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const shown = run('npx', ['--yes', '--package', tarball, '--', 'untildone', '--version']);
  expect(shown.stdout, shown.stderr).toBe(`${version}\n`);
  // Where npx put it, with nothing beside it.
  const [place = ''] = readdirSync(join(home, '.npm/_npx'));
  const modules = join(home, '.npm/_npx', place, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['untildone']);
  const demo = run(join(modules, '.bin/untildone'), ['demo', '--claude', CLAUDE]);
  expect(demo.status, demo.stdout + demo.stderr).toBe(0);
  expect(demo.stdout).toContain('verified_done');
  const library = join(modules, 'untildone/dist/index.mjs');
  const print = 'import(process.argv[1]).then((all) => console.log(typeof all.run))';
  const imported = run(process.execPath, ['-e', print, library]);
  expect(imported.stdout).toBe('function\n');
});
