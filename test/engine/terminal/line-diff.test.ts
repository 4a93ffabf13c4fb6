import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderDiff } from '../../../src/engine/terminal/line-diff.ts';
import { workMs } from '../../support/work-time.ts';

test('equal texts have no diff', () => {
  expect(renderDiff('a\nb\n', 'a\nb\n')).toEqual([]);
  expect(renderDiff(undefined, undefined)).toEqual([]);
});

test('a change is shown with three lines around it', () => {
  const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
  expect(renderDiff(before, before.replace('5', 'five\nfive and a half'))).toEqual([
    '@@ -2,7 +2,8 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+five',
    '+five and a half',
    ' 6',
    ' 7',
    ' 8',
  ]);
});

test('changes that are far apart are shown apart', () => {
  const before = Array.from({ length: 20 }, (_each, at) => `${at + 1}\n`).join('');
  const heads = renderDiff(before, before.replace('1\n', 'one\n').replace('20\n', '')).filter((line) =>
    line.startsWith('@@'),
  );
  expect(heads).toEqual(['@@ -1,4 +1,4 @@', '@@ -17,4 +17,3 @@']);
});

test('a new file and a removed one', () => {
  expect(renderDiff(undefined, 'a\n')).toEqual(['@@ -0,0 +1,1 @@', '+a']);
  expect(renderDiff('a\n', undefined)).toEqual(['@@ -1,1 +0,0 @@', '-a']);
});

test('a missing final newline is named', () => {
  expect(renderDiff('a\n', 'a')).toEqual(['@@ -1,1 +1,1 @@', '-a', '+a', '\\ No newline at end of file']);
});

test('what is too large to compare is shown as replaced', () => {
  const numbered = (sign: string) => Array.from({ length: 2100 }, (_each, at) => `${sign}${at}\n`).join('');
  const diff = renderDiff(numbered('a'), numbered('b'));
  expect(diff.length).toBe(4201);
  expect(diff.slice(0, 2)).toEqual(['@@ -1,2100 +1,2100 @@', '-a0']);
});

test('a file of many lines that is new is shown at once', () => {
  const began = workMs();
  const diff = renderDiff(undefined, 'x\n'.repeat(50_000));
  expect(diff[0]).toBe('@@ -0,0 +1,50000 @@');
  expect(diff.length).toBe(50_001);
  expect(workMs() - began).toBeLessThan(2_000);
});

test('for any two texts, the diff turns one into the other', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    .map((all) => all.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, renderDiff(before, after))).toBe(after);
    }),
  );
});

/** Applies a diff strictly: every line that it shows of the old text must stand where it says. */
function patched(before: string, diff: string[]): string {
  const old = before.split('\n').slice(0, -1);
  const fresh: string[] = [];
  let at = 0;
  for (const line of diff) {
    const head = /^@@ -(\d+),(\d+) \+(\d+),\d+ @@$/.exec(line);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      while (at < start) fresh.push(old[at++] ?? '');
      continue;
    }
    if (!line.startsWith('+')) expect(old[at++]).toBe(line.slice(1));
    if (!line.startsWith('-')) fresh.push(line.slice(1));
  }
  return [...fresh, ...old.slice(at)].map((line) => `${line}\n`).join('');
}
