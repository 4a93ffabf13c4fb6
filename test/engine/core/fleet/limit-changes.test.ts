import { expect, test } from 'vitest';
import {
  changedFleetLimits,
  limitsFromJson,
  limitsJson,
} from '../../../../src/engine/core/fleet/limit-changes.ts';
import type { FleetLimits } from '../../../../src/engine/core/fleet/limits.ts';

const repoOf = (text: string) => `repo:${text}`;
const change = (before: FleetLimits, set: [string, string][], unset: string[] = []) =>
  changedFleetLimits(before, { set: set.map(([flag, value]) => ({ flag, value })), unset }, repoOf);

const ALL: FleetLimits = {
  runs: 40,
  runsPerRepo: 4,
  runsOfRepo: { 'repo:https://h/a=b': 2 },
  runsOfLabel: { gpu: 1, linux: 0 },
  iterationsPerMinute: { '*': 60, opus: 10 },
  usdPerDay: 12.5,
  usdPerRepoPerDay: 5,
  usdOfRepoPerDay: { 'repo:x': 1 },
};

test('limits are set one by one, and others stay', () => {
  const set: [string, string][] = [
    ['runs', '40'],
    ['per-repo', '4'],
    ['repo', 'https://h/a=b=2'],
    ['label', 'gpu=1'],
    ['label', 'linux=0'],
    ['rate', '*=60'],
    ['rate', 'opus=10'],
    ['usd-per-day', '12.5'],
    ['usd-per-repo', '5'],
    ['usd-of-repo', 'x=1'],
  ];
  expect(change({}, set)).toEqual(ALL);
  expect(change(ALL, [['label', 'gpu=3']])).toEqual({ ...ALL, runsOfLabel: { gpu: 3, linux: 0 } });
});

test('limits are taken away one by one, by kind, or all', () => {
  expect(change(ALL, [], ['label=gpu']).runsOfLabel).toEqual({ linux: 0 });
  expect(change(ALL, [], ['label=gpu', 'label=linux'])).not.toHaveProperty('runsOfLabel');
  expect(change(ALL, [], ['rate', '--runs'])).toEqual(
    (({ iterationsPerMinute: _, runs: __, ...rest }) => rest)(ALL),
  );
  expect(change(ALL, [], ['all'])).toEqual({});
});

test.each([
  [[['runs', '-1']], 'expected a whole number'],
  [[['runs', '1.5']], 'expected a whole number'],
  [[['runs', 'many']], '--unset runs takes the limit away'],
  [[['usd-per-day', '1e3']], 'expected an amount'],
  [[['label', 'gpu']], 'NAME=NUMBER'],
  [[['label', '=3']], 'NAME=NUMBER'],
  [[['label', 'a b=3']], 'is no label'],
  [[['repo', 'x=']], 'expected a whole number'],
] as [[string, string][], string][])('%j is refused', (set, problem) =>
  expect(() => change({}, set)).toThrow(problem),
);

test('an unknown limit names those that there are', () => {
  expect(() => change({}, [], ['speed'])).toThrow('there are: runs, per-repo, repo, label, rate');
});

test('what is printed can be read again', () => {
  expect(limitsFromJson(JSON.stringify(limitsJson(ALL)), 'limits.json', (text) => text)).toEqual(ALL);
  expect(limitsFromJson('{}', 'limits.json', repoOf)).toEqual({});
});

test.each([
  ['{', 'is no JSON'],
  ['[]', 'expected an object'],
  ['{"speed": 1}', 'there is no limit called "speed"'],
  ['{"runs": "x"}', 'expected a whole number'],
  ['{"runs_of_label": 3}', 'expected an object with a number for each name'],
])('a file with %s is refused', (text, problem) =>
  expect(() => limitsFromJson(text, 'limits.json', repoOf)).toThrow(problem),
);
