import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, SRC } from './files.ts';

/** Where an exit code is a number although it is none of ours. */
const OTHERS = /^engine\/hook\/answer-event\.ts$/;

test('commands name their exit codes by src/engine/core/words/exit-codes.ts', () => {
  const rooms = ['cli', 'engine/hook', 'dev', 'engine/terminal', 'main'].map((room) => join(SRC, room));
  const found = rooms
    .flatMap(filesIn)
    .map((path) => [relative(SRC, path), readFileSync(path, 'utf8')] as const)
    .filter(([path]) => !OTHERS.test(path))
    .flatMap(([path, text]) =>
      (text.match(/process\.exitCode = \d+|process\.exit\(\d+\)|^\s*return \{ exitCode: \d+.*$/gm) ?? []).map(
        (line) => `${path}: ${line.trim()}`,
      ),
    );
  expect(found).toEqual([]);
});
