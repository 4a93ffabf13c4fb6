import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fairShare, unifiedDiff } from '../../../../src/engine/gates/judge/changes.ts';

test('a changed line stands with three lines around it and their numbers', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\n';
  const after = 'a\nb\nc\nd\nE\nf\ng\nh\ni\n';
  expect(unifiedDiff(before, after, new Set([5]))).toBe('@@ -2 +2 @@\n b\n c\n d\n-e\n+E\n f\n g\n h');
});

test('changes far from each other are hunks of their own', () => {
  const before = Array.from({ length: 20 }, (_, i) => `${i + 1}`).join('\n');
  const after = `new\n${before}\nlast`;
  expect(unifiedDiff(before, after, new Set([1, 22]))).toBe(
    '@@ -1 +1 @@\n+new\n 1\n 2\n 3\n@@ -18 +19 @@\n 18\n 19\n 20\n+last',
  );
});

test('a new file is all plus, a deleted one all minus, an unchanged one nothing', () => {
  expect(unifiedDiff('', 'a\nb\n', new Set([1, 2]))).toBe('@@ -1 +1 @@\n+a\n+b');
  expect(unifiedDiff('a\nb\n', '', new Set())).toBe('@@ -1 +1 @@\n-a\n-b');
  expect(unifiedDiff('a\nb\n', 'a\nb\n', new Set())).toBe('');
});

const someLines = fc.array(fc.constantFrom('', 'a', 'b', 'c', '}'), { maxLength: 30 });

/** Lines of `after` that a longest common subsequence does not need. */
function addedIn(before: string[], after: string[]): Set<number> {
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const added = new Set<number>();
  for (let [i, j] = [0, 0]; j < after.length; ) {
    if (i < before.length && before[i] === after[j]) [i, j] = [i + 1, j + 1];
    else if (i < before.length && at(i + 1, j) >= at(i, j + 1)) i += 1;
    else added.add(++j);
  }
  return added;
}

/** What `patch` does with such a diff; fails when a line that it takes away or keeps is not there. */
function patched(before: string[], diff: string): string[] {
  const after: string[] = [];
  let at = 0;
  for (const line of diff === '' ? [] : diff.split('\n')) {
    const start = /^@@ -(\d+) \+\d+ @@$/.exec(line)?.[1];
    if (start !== undefined) {
      while (at < Number(start) - 1) after.push(before[at++] ?? '');
    } else if (line.startsWith('+')) {
      after.push(line.slice(1));
    } else {
      expect(line.slice(1)).toBe(before[at]);
      at += 1;
      if (line.startsWith(' ')) after.push(line.slice(1));
    }
  }
  return [...after, ...before.slice(at)];
}

const textOf = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

test('patching the old text with the diff gives the new one', () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const diff = unifiedDiff(textOf(before), textOf(after), addedIn(before, after));
      expect(patched(before, diff)).toEqual(after);
    }),
  );
});

test('numbers of added lines that do not fit the texts still give a diff between them', () => {
  fc.assert(
    fc.property(someLines, someLines, fc.uniqueArray(fc.nat(40)), (before, after, numbers) => {
      expect(patched(before, unifiedDiff(textOf(before), textOf(after), new Set(numbers)))).toEqual(after);
    }),
  );
});

test('a fair share cuts the longest, never makes more than the limit, and leaves no room unused', () => {
  expect(fairShare([10, 20], 100)).toBe(100);
  expect(fairShare([10, 500, 30], 100)).toBe(60);
  expect(fairShare([500, 500], 100)).toBe(50);
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.nat(5000), (lengths, limit) => {
      const share = fairShare(lengths, limit);
      const total = lengths.reduce((sum, length) => sum + Math.min(length, share), 0);
      const whole = lengths.reduce((sum, length) => sum + length, 0);
      expect(total).toBeLessThanOrEqual(limit);
      expect(total).toBeGreaterThanOrEqual(Math.min(whole, limit - lengths.length));
    }),
  );
});
