import { expect, test } from 'vitest';
import type { GateTraits } from '../../../src/engine/core/contract/gate-traits.ts';
import { kindsWith, measures, TRAITS, traitsOf } from '../../../src/engine/gates/traits.ts';

const kindsWhere = (holds: (traits: GateTraits) => boolean) =>
  Object.keys(TRAITS).filter((kind) => holds(traitsOf(kind)));

test.each<[keyof GateTraits, string[]]>([
  ['instant', ['promise', 'text']],
  ['isWord', ['promise']],
  ['modelQuestion', ['agent', 'differential', 'judge']],
  ['late', ['differential', 'holdout']],
  ['asksPerson', ['approve']],
  ['mayAsk', ['differential', 'suppressions']],
  ['readsText', ['text']],
  [
    'notInBaseline',
    ['agent', 'approve', 'ci', 'differential', 'hook', 'judge', 'metrics', 'promise', 'subagents', 'text'],
  ],
  ['isReusable', ['agent', 'custom', 'features', 'forbid', 'holdout', 'judge', 'run', 'tests_intact']],
  ['looksByFile', ['changed', 'forbid', 'judge', 'suppressions']],
  ['keepsFrozen', ['artefact']],
  ['commandAnywhere', ['features', 'run']],
  ['waitMs', ['ci', 'differential', 'holdout']],
])('%s holds for %j', (trait, kinds) => {
  expect(kindsWith(trait).sort()).toEqual(kinds);
});

test('what a gate is about decides whether a run counts it as work', () => {
  expect(kindsWhere(({ about }) => about === 'commits')).toEqual(['git']);
  expect(kindsWhere(({ about }) => about === 'service')).toEqual(['ci']);
  expect(kindsWhere(({ about }) => about === 'session')).toEqual(['metrics', 'promise', 'tasks']);
});

test('a piece of a divided run is always asked for what its own session says, and never for what is about the whole', () => {
  const always = ['agent', 'differential', 'hook', 'judge', 'metrics', 'promise', 'tasks'];
  expect(kindsWhere(({ ofPiece }) => ofPiece === 'always')).toEqual(always);
  expect(kindsWhere(({ ofPiece }) => ofPiece === 'never')).toEqual(['approve', 'git']);
  expect(kindsWhere(({ ofPiece }) => ofPiece === 'when_pushed')).toEqual(['ci']);
});

test('where no file was changed, a pass or a failure says nothing', () => {
  expect(kindsWhere(({ emptyOutcome }) => emptyOutcome === 'pass')).toEqual([
    'differential',
    'forbid',
    'suppressions',
    'tests_intact',
  ]);
  expect(kindsWhere(({ emptyOutcome }) => emptyOutcome === 'fail')).toEqual(['artefact', 'changed']);
});

test('a verdict that also rests on what was said is not used again', () => {
  const { judge, custom, run } = TRAITS;
  expect(judge.isReusable?.({ question: 'q' }, 'Stop')).toBe(true);
  expect(judge.isReusable?.({ question: 'q', transcript: true }, 'Stop')).toBe(false);
  expect(custom.isReusable?.({ file: 'f' }, 'Stop')).toBe(true);
  expect(custom.isReusable?.({ file: 'f' }, 'TaskCompleted')).toBe(false);
  expect(run.isReusable?.({ command: 'true' }, 'TaskCompleted')).toBe(true);
});

test('a contract measures when it asks for more than the word of the agent', () => {
  const word = { kind: 'promise', options: { text: 'DONE' } } as const;
  expect(measures({ gates: { word } })).toBe(false);
  expect(measures({ gates: { word, tests: { kind: 'run', options: { command: 'true' } } } })).toBe(true);
  expect(measures({ gates: JSON.parse('{"later":{"kind":"of_a_later_version","options":{}}}') })).toBe(true);
});
