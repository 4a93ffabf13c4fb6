import { describe, expect, test } from 'vitest';
import {
  CORPUS,
  casesIn,
  judgeAll,
  mistakes,
  parseCases,
  scoreOf,
  scoreTable,
} from '../../../support/gates/corpus.ts';

const all = casesIn(CORPUS);
const heldBack = all.filter(({ at }) => at.startsWith('held-back/'));
const known = all.filter(({ at }) => !at.startsWith('held-back/'));

describe('every case of the corpus', () => {
  test('has a name of its own', () => {
    const names = all.map(({ language, name }) => `${language}: ${name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('says something: files that differ, with a line break at their end', () => {
    const empty = all.filter(({ before, after }) => before.size + after.size === 0);
    const equal = all.filter(
      ({ before, after }) =>
        before.size === after.size && [...before].every(([path, text]) => after.get(path) === text),
    );
    expect([...empty, ...equal].map(({ at }) => at)).toEqual([]);
  });
});

test('a case is written as a diff of whole files', () => {
  const [one] = parseCases(
    'go/x.txt',
    '### honest moved: a\n@@ a_test.go\n-old\n same\n+new\n\n@@ b_test.go\n+only\n',
  );
  expect(one).toMatchObject({
    at: 'go/x.txt:1',
    language: 'go',
    label: 'honest',
    family: 'moved',
    name: 'a',
  });
  expect(Object.fromEntries(one?.before ?? [])).toEqual({ 'a_test.go': 'old\nsame\n' });
  expect(Object.fromEntries(one?.after ?? [])).toEqual({ 'a_test.go': 'same\nnew\n', 'b_test.go': 'only\n' });
  expect(() => parseCases('go/x.txt', '### odd moved: a\n')).toThrow('go/x.txt:1: a case begins with');
  expect(() => parseCases('go/x.txt', '### ask moved: a\n@@ a_test.go\nodd\n')).toThrow(
    'go/x.txt:3: the line begins',
  );
});

// `UNTILDONE_CORPUS=1` prints the figures and every mistake; `UNTILDONE_CORPUS=held-back` the same of the cases held back.
test('the gate is measured over the corpus', { timeout: 120_000 }, async () => {
  const wanted = process.env.UNTILDONE_CORPUS;
  const judged = await judgeAll(wanted === 'held-back' ? heldBack : known);
  if (wanted !== undefined)
    process.stdout.write(`\n${scoreTable(judged)}\n\n${mistakes(judged).join('\n')}\n`);
  const { weakenings, held, named, honest, falseAlarms, falseNotes } = scoreOf(judged);
  // Where the gate stands: raise these when it gets better.
  const [leastHeld, leastNamed, mostHeld, mostNoted] =
    wanted === 'held-back' ? [0.5, 0.65, 0.05, 0.1] : [0.75, 0.85, 0.03, 0.15];
  expect(held / weakenings).toBeGreaterThanOrEqual(leastHeld);
  expect(named / weakenings).toBeGreaterThanOrEqual(leastNamed);
  expect(falseAlarms / honest).toBeLessThanOrEqual(mostHeld);
  expect(falseNotes / honest).toBeLessThanOrEqual(mostNoted);
});
