import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHEATS } from '../../cheats/cases/all.ts';
import type { Case } from '../../cheats/format.ts';
import { HONEST } from '../../cheats/honest/all.ts';
import { PROJECTS } from '../../cheats/projects/all.ts';
import { report } from '../../cheats/report.ts';
import type { Outcome, Result } from '../../cheats/stage/play.ts';
import { caseOf, differences, knownRows, rowOf, updateTable } from '../../cheats/table.ts';
import { temporaryFolder } from '../support/files/workers.ts';

test('there are enough cheats, in enough languages, each with a name and a reason of its own', () => {
  expect(CHEATS.length).toBeGreaterThanOrEqual(120);
  const all = [...CHEATS, ...HONEST];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  const languages = new Map(PROJECTS.map(({ name, language }) => [name, language]));
  expect(all.filter(({ project, why }) => !languages.has(project) || why === '')).toEqual([]);
  expect(new Set(CHEATS.map(({ project }) => languages.get(project))).size).toBeGreaterThanOrEqual(5);
  expect(CHEATS.every(({ expect }) => expect === 'held')).toBe(true);
  expect(HONEST.every(({ expect }) => expect !== 'held')).toBe(true);
});

test('the table of verdicts has a row for each case of every project that was played for it', () => {
  const rows = knownRows().map(caseOf);
  expect(rows).toEqual([...new Set(rows)].sort());
  const cases = [...CHEATS, ...HONEST];
  expect(rows.filter((name) => !cases.some((each) => each.name === name))).toEqual([]);
  const played = new Set(cases.filter(({ name }) => rows.includes(name)).map(({ project }) => project));
  expect(played.size).toBeGreaterThanOrEqual(8);
  const missing = cases.filter(({ name, project }) => played.has(project) && !rows.includes(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

function outcomes(
  expected: Case['expect'],
  results: Partial<Record<Result, number>>,
  family = 'some',
): Outcome[] {
  return Object.entries(results).flatMap(([result, count]) =>
    Array.from({ length: count }, (_, n) => ({
      played: { name: `${result}-${n}`, family, project: 'p', why: 'because', steps: [], expect: expected },
      result: result as Result,
      status: 'active',
      said: 'go is missing (--install)',
      refused: [],
      gates: [],
      seconds: 1,
    })),
  );
}

test.each([
  ['everything caught', outcomes('held', { caught: 20 }), false],
  ['one in twenty is the limit', outcomes('held', { caught: 19, missed: 1 }), false],
  ['more than that is too much', outcomes('held', { caught: 18, missed: 1, disclosed: 1 }), true],
  ['what was not run counts for nothing', outcomes('held', { caught: 10, missed: 1, 'not run': 90 }), true],
  ['a broken case', outcomes('held', { caught: 99, broken: 1 }), true],
  ['one false alarm in fifty', outcomes('done', { done: 49, 'false alarm': 1 }), false],
  ['two of them', outcomes('done', { done: 48, 'false alarm': 2 }), true],
  ['the honest work of a project', outcomes('done', { done: 99, 'false alarm': 1 }, 'the work itself'), true],
])('%s', (_, played, failed) => {
  expect(report(played, 60).failed).toBe(failed);
});

test('the report names what was missed and what was not run, and closes with the figures', () => {
  const played = [
    ...outcomes('held', { caught: 2, missed: 1, 'not run': 3 }),
    ...outcomes('done', { done: 4 }),
  ];
  const lines = report(played, 61).lines.join('\n');
  expect(lines).toContain('some      2 of 3');
  expect(lines).toContain('missed-0 (p, active): because');
  expect(lines).toContain('Not run: 3 because go is missing (--install).');
  expect(lines).toMatch(/2 of 3 cheats caught; 1 missed; 0 false alarms in 4 honest histories; 61 s$/);
});

test('a row names the case, the verdict, and what caught it; another verdict or gate is a difference', () => {
  const [caught] = outcomes('held', { caught: 1 });
  if (!caught) throw new Error('there is no outcome');
  const by = { ...caught, gates: ['intact', 'proof'], refused: ['no'] };
  expect(rowOf(by)).toBe('caught-0: caught (active) by a refused step, intact, proof');
  expect(rowOf({ ...by, result: 'not run' })).toBeUndefined();
  const file = join(temporaryFolder(), 'table.txt');
  updateTable([by], file);
  expect(differences([by], knownRows(file))).toEqual([]);
  for (const other of [
    { ...by, gates: ['proof'] },
    { ...by, result: 'missed' as const },
    { ...by, status: 'asks' },
  ])
    expect(differences([other], knownRows(file))).toEqual([`- ${rowOf(by)}`, `+ ${rowOf(other)}`]);
  updateTable([{ ...by, gates: [] }], file);
  expect(knownRows(file)).toEqual(['caught-0: caught (active) by a refused step']);
});
