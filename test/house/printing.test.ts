import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, SRC } from './files.ts';

/** Where something is written to stdout or stderr, or may look as if: everything else prints with `src/engine/terminal/print.ts`. */
const WRITERS: [RegExp, string][] = [
  [/^engine\/terminal\/print\.ts$/, 'the printer itself'],
  [
    /^engine\/hook\/answer-event\.ts$/,
    'one answer for Claude Code; src/engine/client/hooks/render.ts makes its texts harmless',
  ],
  [
    /^cli\/statusline\.ts$/,
    'one line for Claude Code; src/engine/core/words/statusline.ts makes its texts harmless',
  ],
  [/^main\/untildone\.ts$/, 'where the bundle of an event is missing'],
  [/^main\/load-program\.ts$/, 'where the printer may be the part that is missing'],
  [/^engine\/gates\/custom\/index\.ts$/, 'the program that runs a gate of yours: its stdout is a pipe to us'],
];

const WRITES =
  /\bconsole\.(?:log|error|warn|info|debug|table)\(|process\.std(?:out|err)\.write|writeSync\((?:1|2),|createWriteStream\(['"]\/dev\/(?:stdout|stderr|tty)/;

function linesOf(path: string): string[] {
  // Patterns of the gate that finds debugging in other people's code are quoted.
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line));
}

test('only the printer writes to stdout and stderr', () => {
  const found = filesIn(SRC).filter((path) => linesOf(path).some((line) => WRITES.test(line)));
  const wrong = found
    .map((path) => relative(SRC, path))
    .filter((path) => !WRITERS.some(([allowed]) => allowed.test(path)));
  expect(wrong).toEqual([]);
});

test('what is printed is one line: a line break from outside would be a line of its own', () => {
  const found = filesIn(SRC).flatMap((path) =>
    linesOf(path)
      .filter((line) => /\bout\(.*\\n.*\)/.test(line) && !/\.split\(/.test(line))
      .map((line) => `${relative(SRC, path)}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('JSON is printed with its control characters escaped', () => {
  const found = filesIn(SRC).flatMap((path) =>
    linesOf(path)
      .filter((line) => /\bout\(JSON\.stringify\(/.test(line))
      .map((line) => `${relative(SRC, path)}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
