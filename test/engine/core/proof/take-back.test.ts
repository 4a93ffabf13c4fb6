import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Finding,
  type TakenBack,
  type TestNames,
  type Trial,
  takeBack,
} from '../../../../src/engine/core/proof/take-back.ts';

interface Place {
  name: string;
  lines: number;
  old: readonly string[];
  probe: 'back' | 'spoil';
}

/** What a run of all tests says. */
type Colour = 'red' | 'green' | 'unproven';

const added = (name: string, lines = 1): Place => ({ name, lines, old: [], probe: 'back' });
const replaced = (name: string, lines = 1): Place => ({ name, lines, old: ['before'], probe: 'back' });

/** Plays all trials. `time`: how many runs there is time for. */
function play(
  places: readonly Place[],
  runs: number,
  answer: (trial: Trial<Place>) => Colour,
  time = Number.POSITIVE_INFINITY,
): TakenBack<Place> & { trials: string[] } {
  return playWith(places, { runs, testsOf: () => 'all' }, (trial, n) => {
    if (n >= time) return 'refused';
    const colour = answer(trial);
    return colour === 'unproven' ? colour : { failing: colour === 'red' ? 'all' : new Set() };
  });
}

function playWith(
  places: readonly Place[],
  limits: { runs: number; testsOf(place: Place): TestNames },
  answer: (trial: Trial<Place>, n: number) => { failing: TestNames } | 'unproven' | 'refused',
): TakenBack<Place> & { trials: string[] } {
  const trials: string[] = [];
  const steps = takeBack(places, limits);
  let step = steps.next();
  while (!step.done) {
    const { back, spoil } = step.value;
    const result = answer(step.value, trials.length);
    if (result !== 'refused')
      trials.push([...back.map(({ name }) => name), ...spoil.map(({ name }) => `!${name}`)].join(' '));
    step = steps.next(result);
  }
  return { ...step.value, trials };
}

/** Tests miss some places, and reach others without missing them. */
function testsThat(
  missed: readonly string[],
  reached: readonly string[] = [],
): (trial: Trial<Place>) => Colour {
  return ({ back, spoil }) => {
    const isRed =
      back.some(({ name }) => missed.includes(name)) ||
      spoil.some(({ name }) => missed.includes(name) || reached.includes(name));
    return isRed ? 'red' : 'green';
  };
}

function named({ findings }: TakenBack<Place>): Record<string, Finding> {
  return Object.fromEntries([...findings].map(([{ name }, finding]) => [name, finding]));
}

describe('places that are taken back one by one', () => {
  test('the largest first; what nobody misses is untested', () => {
    const found = play([added('a', 2), added('b', 9), added('c', 5)], 20, testsThat(['b', 'c']));
    expect(found.trials).toEqual(['b', 'c', 'a']);
    expect(named(found)).toEqual({ a: 'untested', b: 'tested', c: 'tested' });
    expect(found.runs).toBe(3);
  });

  test('lines that replace others are untested only when no test reaches them, either', () => {
    const found = play([replaced('refactored'), replaced('dead')], 20, testsThat([], ['refactored']));
    expect(named(found)).toEqual({ refactored: 'same', dead: 'untested' });
    expect(found.trials).toEqual(['refactored', '!refactored', 'dead', '!dead']);
  });

  test('a whole function is spoiled, not taken back', () => {
    const found = play([{ ...added('f'), probe: 'spoil' }], 20, testsThat([], ['f']));
    expect(found.trials).toEqual(['!f']);
    expect(named(found)).toEqual({ f: 'tested' });
  });

  test('a run that shows nothing leaves its place unmeasured', () => {
    expect(named(play([added('a')], 20, () => 'unproven'))).toEqual({ a: 'not_measured' });
  });

  test('without runs nothing is measured', () => {
    expect(named(play([added('a'), added('b')], 0, () => 'red'))).toEqual({
      a: 'not_measured',
      b: 'not_measured',
    });
    expect(play([], 20, () => 'red').runs).toBe(0);
  });

  test('when the time is over, the rest is not measured', () => {
    const found = play([added('a', 3), added('b', 2), added('c', 1)], 20, testsThat(['a']), 2);
    expect(named(found)).toEqual({ a: 'tested', b: 'untested', c: 'not_measured' });
  });

  test('no time to look whether tests reach a place: nothing is said about it', () => {
    expect(named(play([replaced('a')], 1, testsThat([])))).toEqual({ a: 'not_measured' });
  });
});

describe('places that different tests reach', () => {
  const files = ['a', 'b', 'c', 'd', 'e'].map((name) => added(name));
  const ownTest = ({ name }: Place): TestNames => new Set([`${name}.test`]);
  const failingIn = (tested: readonly string[]) => (trial: Trial<Place>) => ({
    failing: new Set(
      [...trial.back, ...trial.spoil]
        .filter(({ name }) => tested.includes(name))
        .map(({ name }) => `${name}.test`),
    ),
  });

  test('go back together, and one run settles them all', () => {
    const found = playWith(files, { runs: 20, testsOf: ownTest }, failingIn(['a', 'b', 'd', 'e']));
    expect(found.trials).toEqual(['a b c d e']);
    expect(named(found)).toEqual({ a: 'tested', b: 'tested', c: 'untested', d: 'tested', e: 'tested' });
  });

  test('whose tests overlap are told apart by the test that is their own', () => {
    const testsOf = ({ name }: Place): TestNames => new Set([`${name}.test`, 'all.test']);
    const all = ({ back }: Trial<Place>) => ({
      failing: new Set(['all.test', ...back.map(({ name }) => `${name}.test`)]),
    });
    expect(new Set(playWith(files, { runs: 20, testsOf }, all).findings.values())).toEqual(
      new Set(['tested']),
    );
  });

  test('a test of several that fails leaves a question, and they are tried apart', () => {
    const testsOf = ({ name }: Place): TestNames => new Set([`${name}.test`, 'all.test']);
    const found = playWith(files.slice(0, 2), { runs: 20, testsOf }, ({ back }) => ({
      failing: new Set(back.some(({ name }) => name === 'a') ? ['all.test'] : []),
    }));
    expect(found.trials).toEqual(['a b', 'a', 'b']);
    expect(named(found)).toEqual({ a: 'tested', b: 'untested' });
  });

  test('a run in which nothing could be loaded names none of several', () => {
    const found = playWith(files.slice(0, 2), { runs: 1, testsOf: ownTest }, () => ({ failing: 'all' }));
    expect(named(found)).toEqual({ a: 'in_group', b: 'in_group' });
  });
});

describe('more places than runs', () => {
  const many = Array.from({ length: 40 }, (_, i) => added(`p${i}`, 40 - i));

  test('groups that nobody misses are untested as a whole', () => {
    const found = play(many, 20, testsThat([]));
    expect(new Set(found.findings.values())).toEqual(new Set(['untested']));
    expect(found.runs).toBeLessThan(20);
  });

  test('a place that is missed is found inside of its group', () => {
    const found = play(many, 20, testsThat(['p37']));
    expect(found.findings.get(many[37] as Place)).toMatch(/tested|in_group/);
    expect(found.findings.get(many[0] as Place)).toBe('untested');
  });

  test('what is only known of a group is said as such', () => {
    const found = play(many, 20, () => 'red');
    expect([...found.findings.values()].filter((finding) => finding === 'tested')).not.toHaveLength(0);
    expect([...found.findings.values()].filter((finding) => finding === 'in_group')).not.toHaveLength(0);
  });

  test('a rename over many places is no untested group: tests reach it', () => {
    const renamed = Array.from({ length: 40 }, (_, i) => replaced(`r${i}`));
    // All of them back: the old names everywhere. Some of them back: names that are not there.
    const answer = ({ back, spoil }: Trial<Place>): Colour =>
      spoil.length > 0 || (back.length > 0 && back.length < 40) ? 'red' : 'green';
    expect([...play(renamed, 20, answer).findings.values()]).not.toContain('untested');
  });
});

const anyPlace = fc.record({
  lines: fc.integer({ min: 1, max: 50 }),
  old: fc.constantFrom([], ['before']),
  probe: fc.constantFrom('back' as const, 'spoil' as const),
  truth: fc.constantFrom('missed', 'reached', 'dead'),
});

test('whatever the change: within the runs, every place gets one finding, and none that tests miss is called untested', () => {
  fc.assert(
    fc.property(
      fc.array(anyPlace, { maxLength: 60 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 30 }),
      (given, runs, time) => {
        const places = given.map((place, i) => ({
          ...place,
          name: `${i}`,
          probe: place.old.length > 0 ? ('back' as const) : place.probe,
        }));
        const those = (truth: string) =>
          places.filter((place) => place.truth === truth).map(({ name }) => name);
        const found = play(places, runs, testsThat(those('missed'), those('reached')), time);
        expect(found.runs).toBeLessThanOrEqual(Math.min(runs, Math.max(time, 1)));
        expect(found.findings.size).toBe(places.length);
        for (const place of places) {
          const finding = found.findings.get(place);
          if (place.truth === 'missed') expect(finding).not.toBe('untested');
          if (place.truth === 'reached' && place.old.length > 0) expect(finding).not.toBe('untested');
          if (place.truth === 'dead') expect(finding).not.toMatch(/^(tested|same)$/);
        }
      },
    ),
  );
});

test('with runs enough, every place is settled', () => {
  fc.assert(
    fc.property(fc.array(anyPlace, { maxLength: 15 }), (given) => {
      const places = given.map((place, i) => ({ ...place, name: `${i}` }));
      const those = (truth: string) =>
        places.filter((place) => place.truth === truth).map(({ name }) => name);
      const found = play(places, 60, testsThat(those('missed'), those('reached')));
      const open = [...found.findings.values()].filter((finding) => /in_group|not_measured/.test(finding));
      expect(open).toEqual([]);
    }),
  );
});
