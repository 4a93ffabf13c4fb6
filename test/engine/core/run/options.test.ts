import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../../src/engine/core/run/option-values.ts';
import {
  choicesOf,
  defaultWords,
  onlyIn,
  paceFor,
  RUN_OPTIONS,
  type RunOption,
  runOptions,
  sessionDefaults,
} from '../../../../src/engine/core/run/options.ts';

const twice = (values: (string | undefined)[]) => {
  const all = values.filter((value) => value !== undefined);
  return all.filter((value, at) => all.indexOf(value) !== at);
};

describe('the declarations', () => {
  test('no flag and no key of the contract stands for two options', () => {
    expect(twice(runOptions.map(([, { flag }]) => flag?.name.split(' ')[0]))).toEqual([]);
    expect(twice(runOptions.map(([, { contract }]) => contract && `${contract.at}.${contract.key}`))).toEqual(
      [],
    );
  });

  test('every option is said somewhere', () => {
    expect(runOptions.filter(([, { flag, contract }]) => !flag && !contract)).toEqual([]);
  });

  test.each([
    [RUN_OPTIONS.durationMs, '8h'],
    [RUN_OPTIONS.idleMs, '15m'],
    [RUN_OPTIONS.tokens, '20000000'],
    [RUN_OPTIONS.permissionMode, 'acceptEdits'],
    [RUN_OPTIONS.maxTurns, undefined],
    [{ value: { is: 'time' }, default: 1500 }, '1500ms'],
  ] as [RunOption, string | undefined][])('a default is said as one would type it', (option, words) => {
    expect(defaultWords(option)).toBe(words);
  });
});

describe('what is derived', () => {
  test('every default of the values is said by an option of its part', () => {
    const said = (part: string) =>
      Object.fromEntries(
        runOptions
          .filter(([, option]) => option.in === part && option.default !== undefined)
          .map(([name, option]) => [name, option.default]),
      );
    expect(said('limits')).toEqual(DEFAULTS.limits);
    expect(said('ask')).toEqual(DEFAULTS.ask);
    expect(said('client')).toEqual(sessionDefaults());
  });

  test('what is no option of the part is left out', () => {
    const rules = { model: 'x', mode: 'fresh', freshEvery: 2, maxTurns: undefined };
    expect(onlyIn('client', rules)).toEqual({ model: 'x' });
  });

  test('the choices of a job are found among its other fields', () => {
    const choices = { promise: 'DONE', freshEvery: 2, limits: { iterations: 3 }, client: { model: 'x' } };
    expect(choicesOf({ ...choices, run: 'r1', labels: [] } as typeof choices)).toEqual(choices);
  });

  test('you win over the contract, and the contract over the default', () => {
    expect(paceFor({})).toEqual({ mode: 'hybrid' });
    expect(paceFor({ freshEvery: 3 }, { mode: 'fresh', freshEvery: 2 })).toEqual({
      mode: 'fresh',
      freshEvery: 3,
    });
  });
});
