import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';

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

test('a package that is made in a fresh clone has the program in it', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--offline'], {
    cwd: freshClone(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['untildone.cjs', 'hook.cjs', 'cli.cjs', 'judge.cjs', 'dev.cjs', 'index.mjs'].map(
        (f) => `dist/${f}`,
      ),
      ...['dist/THIRD-PARTY.txt', 'dist/types/library/index.d.ts', 'README.md', 'LICENSE'],
    ]),
  );
  expect(paths.filter((path) => /^(?:src|test)\//.test(path))).toEqual([]);
});
