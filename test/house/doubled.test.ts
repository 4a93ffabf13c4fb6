import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, SRC } from './files.ts';

const ROOT = dirname(SRC);

/** An object that is spread where it is written: its keys share one line, and a file looks shorter than it is. */
const SPREAD_LITERAL = /\.\.\.\s*\{/;

test('no object literal is spread into another: every key has a line of its own', () => {
  const files = ['src', 'test', 'bench', 'cheats', 'scripts'].flatMap((folder) =>
    filesIn(join(ROOT, folder)),
  );
  const wrong = files.filter((file) => SPREAD_LITERAL.test(readFileSync(file, 'utf8')));
  expect(wrong.map((file) => relative(ROOT, file))).toEqual([]);
});
