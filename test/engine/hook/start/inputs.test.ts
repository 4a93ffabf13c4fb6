import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepsPromise, renderPromise } from '../../../../src/engine/core/loop/promise.ts';
import { UsageError } from '../../../../src/engine/core/text/errors.ts';
import { checkedPromise, flagsFirst, ownerFrom } from '../../../../src/engine/hook/start/inputs.ts';
import { anyCharacter } from '../../../support/any-character.ts';

test('a flag that may have a value takes what follows, unless that is a flag', () => {
  const sorted = (...args: string[]) => flagsFirst(args, ['--model'], ['--resume']);
  expect(sorted('--resume', 'r1', '--model', 'm')).toEqual(['--resume', 'r1', '--model', 'm', '--']);
  expect(sorted('--resume', '--model', 'm')).toEqual(['--resume', '--model', 'm', '--']);
  expect(sorted('--resume')).toEqual(['--resume', '--']);
});

describe('flags before the words of a task', () => {
  const sorted = (...args: string[]) => flagsFirst(args, ['--promise', '--session']);
  test.each([
    [['do it'], ['--', 'do it']],
    [
      ['do', '--promise', 'X', 'it'],
      ['--promise', 'X', '--', 'do', 'it'],
    ],
    [['---\nyaml\n---'], ['--', '---\nyaml\n---']],
    [
      ['- [ ] item', '--session=s'],
      ['--session=s', '--', '- [ ] item'],
    ],
    [['--dry run'], ['--', '--dry run']],
    [['-'], ['--', '-']],
    [['-5'], ['--', '-5']],
    [
      ['--promise', '---'],
      ['--promise', '---', '--'],
    ],
    [
      ['--promise', '--session', 's'],
      ['--promise', '--session', '--', 's'],
    ],
    [
      ['a', '--', '--promise', 'b'],
      ['--', 'a', '--promise', 'b'],
    ],
    [
      ['--unknown', 'a'],
      ['--unknown', '--', 'a'],
    ],
    [['-h'], ['-h', '--']],
    [[], ['--']],
  ])('%j', (args, expected) => {
    expect(sorted(...args)).toEqual(expected);
  });
  test('a flag whose value is missing stays the last, so that it is missed', () => {
    expect(sorted('a', '--promise')).toEqual(['--promise']);
    expect(sorted('a', '--promise', '--', 'b')).toEqual(['--promise']);
  });
  test('words without dashes keep their order', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^-].{0,5}$/)), (words) => {
        expect(sorted(...words)).toEqual(['--', ...words]);
      }),
    );
  });
});

describe('a promise', () => {
  test('that is accepted can be kept', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter })), (text) => {
        let promise: string;
        try {
          promise = checkedPromise(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        expect(keepsPromise(renderPromise(promise), promise)).toBe(true);
      }),
    );
  });
  test('has its white space normalised', () => {
    expect(checkedPromise(' ALL\n tests  PASS ')).toBe('ALL tests PASS');
  });
});

describe('the owner', () => {
  test('is the named session, else the one around, never nobody', () => {
    expect(ownerFrom('s1', { CLAUDE_CODE_SESSION_ID: 's2' })).toBe('s1');
    expect(ownerFrom(undefined, { CLAUDE_CODE_SESSION_ID: 's2' })).toBe('s2');
    expect(() => ownerFrom(undefined, {})).toThrow(UsageError);
    expect(() => ownerFrom('', {})).toThrow(UsageError);
    expect(() => ownerFrom('a/b', {})).toThrow('not a session id');
  });
});
