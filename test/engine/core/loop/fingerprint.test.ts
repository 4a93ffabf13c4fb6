import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageFingerprint } from '../../../../src/engine/core/loop/count-stop.ts';
import { fingerprint, withoutVolatileParts } from '../../../../src/engine/core/loop/verdict.ts';
import { workMs } from '../../../support/work-time.ts';

describe('a fingerprint', () => {
  test('is the same for the same text, today and tomorrow', () => {
    expect(fingerprint('')).toBe('wvjl67o803');
    expect(fingerprint('the tests fail')).toBe(fingerprint(['the', 'tests', 'fail'].join(' ')));
  });
  test('differs for different texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(fingerprint(a) === fingerprint(b)).toBe(a === b);
      }),
    );
  });
  test('differs where only the order differs', () => {
    const texts = ['ab', 'ba', 'a b', 'b a', ' ab', 'ab '];
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });
  test('of twenty thousand similar messages are all different', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => fingerprint(`message ${i}`));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the final message', () => {
  test('has no fingerprint when it could not be had, and a name of its own when it is empty', () => {
    expect(messageFingerprint(undefined)).toBeUndefined();
    expect(messageFingerprint(' \n\t')).toBe('empty');
  });
  test('is the same with other white space around it', () => {
    expect(messageFingerprint('\n done ')).toBe(messageFingerprint('done'));
  });
});

describe('what changes from run to run', () => {
  test.each([
    ['at 2026-01-02T03:04:05.678Z it failed', 'at 2025-12-31T23:59:59+01:00 it failed'],
    ['[12:34:56] FAIL', '[01:02:03.456] FAIL'],
    ['Object at 0x7ffee3a1', 'Object at 0xDEADBEEF'],
    ['request 123e4567-e89b-12d3-a456-426614174000', 'request 00000000-0000-4000-8000-000000000000'],
    ['Tests: 3 failed (1.52 s)', 'Tests: 3 failed (12 s)'],
    ['connect ECONNREFUSED 127.0.0.1:49152', 'connect ECONNREFUSED 127.0.0.1:50001'],
    ['open /tmp/test-a1b2/file', 'open /tmp/test-zz99/file'],
    ['worker pid=42 died', 'worker pid=4711 died'],
  ])('is taken out of %j', (one, other) => {
    expect(withoutVolatileParts(one)).toBe(withoutVolatileParts(other));
    expect(withoutVolatileParts(one)).not.toBe(one);
  });
  test.each([
    ['3 tests failed', '4 tests failed'],
    ['src/a.ts:12:5', 'src/a.ts:13:5'],
    ['expected 5 to be 6', 'expected 5 to be 7'],
    ['/home/me/a.ts', '/home/me/b.ts'],
  ])('is not what %j and %j differ in', (one, other) => {
    expect(withoutVolatileParts(one)).not.toBe(withoutVolatileParts(other));
  });
  test('is taken out in a time that grows with the text, no faster', () => {
    for (const piece of ['1', '1.', '0x', 'a-', '12:', '/tmp/', '2026-', 'pid ', '1 ']) {
      const started = workMs();
      withoutVolatileParts(piece.repeat(200_000));
      expect(workMs() - started).toBeLessThan(2000);
    }
  });
});
