import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { verdictCache } from '../../../src/engine/home/verdicts.ts';
import { verdict } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

const KEY = 'the key of this home';
let file: string;
beforeEach(() => {
  file = join(temporaryFolder(), 'loop', 'verdicts');
});

const kept = (gate: string, inputs: string, outcome: 'pass' | 'fail' = 'pass') => ({
  inputs,
  verdict: verdict(outcome, { gate }),
});
const found = (gate: string, inputs: string, key = KEY) => verdictCache(file, key).find(gate, inputs);

describe('a kept verdict', () => {
  test('is found by the next process, for exactly what it depended on', () => {
    verdictCache(file, KEY).keep([kept('tests', 'tree 1')]);
    expect(found('tests', 'tree 1')).toEqual(verdict('pass', { gate: 'tests' }));
    expect(found('tests', 'tree 2')).toBeUndefined();
    expect(found('lint', 'tree 1')).toBeUndefined();
    expect(found('constructor', 'tree 1')).toBeUndefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
  test('takes the place of the one before, and leaves those of other gates', () => {
    const cache = verdictCache(file, KEY);
    cache.keep([kept('tests', 'tree 1'), kept('lint', 'tree 1')]);
    cache.keep([kept('tests', 'tree 2', 'fail')]);
    expect(cache.find('tests', 'tree 1')).toBeUndefined();
    expect(found('tests', 'tree 1')).toBeUndefined();
    expect(found('tests', 'tree 2')?.outcome).toBe('fail');
    expect(found('lint', 'tree 1')?.outcome).toBe('pass');
  });
  test('that was only used again is not written again', () => {
    const cache = verdictCache(file, KEY);
    cache.keep([]);
    cache.keep([{ inputs: 'tree 1', verdict: verdict('pass', { reused: true }) }]);
    expect(existsSync(file)).toBe(false);
  });
});

describe('what somebody else wrote is not found', () => {
  const forged = JSON.stringify({ tests: kept('tests', 'tree 1') });
  test.each([
    ['plain JSON', () => forged],
    ['a made-up seal', () => `${'0'.repeat(64)}\n${forged}\n`],
    ['an empty seal', () => `\n${forged}\n`],
    ['a changed verdict under our seal', () => readFileSync(file, 'utf8').replace('"fail"', '"pass"')],
    ['half of it', () => readFileSync(file, 'utf8').slice(0, 100)],
    ['nothing', () => ''],
    ['noise', () => '\u0000\uffff\n\n'],
  ])('%s', (_, text) => {
    verdictCache(file, KEY).keep([kept('tests', 'tree 1', 'fail')]);
    writeFileSync(file, text());
    expect(found('tests', 'tree 1')).toBeUndefined();
    const cache = verdictCache(file, KEY);
    cache.keep([kept('tests', 'tree 1')]);
    expect(found('tests', 'tree 1')?.outcome).toBe('pass');
  });
  test('a file of another home', () => {
    verdictCache(file, 'another key').keep([kept('tests', 'tree 1')]);
    expect(found('tests', 'tree 1')).toBeUndefined();
  });
  test('a folder in its place costs a judging, not an error', () => {
    mkdirSync(file, { recursive: true });
    expect(found('tests', 'tree 1')).toBeUndefined();
  });
});
