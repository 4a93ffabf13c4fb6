import { describe, expect, test } from 'vitest';
import type { Chunk } from '../../../../src/engine/core/contract/gate-options.ts';
import {
  asChunk,
  chunksNamedIn,
  combineChunks,
  isDue,
  notDueYet,
} from '../../../../src/engine/core/loop/phases.ts';
import { blocks, combine, sumUp, type Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { verdict } from '../../../support/core/samples.ts';

const chunk = (name: string, after: string[] = []): Chunk => ({
  name,
  instruction: `Do ${name}.`,
  gates: [`${name}-tests`],
  after,
});
const CHUNKS = [chunk('model'), chunk('store', ['model']), chunk('page', ['store'])];
const part = (gate: string, outcome: Verdict['outcome'], more: Partial<Verdict> = {}) =>
  verdict(outcome, { gate, kind: 'all', ...more });
const skipped = (name: string, ...after: string[]) => notDueYet(chunk(name, after), () => false);

describe('when a chunk is due', () => {
  test('as soon as everything before it passes', () => {
    const both = chunk('page', ['a', 'b']);
    expect(isDue(both, (name) => name === 'a')).toBe(false);
    expect(isDue(both, () => true)).toBe(true);
    expect(isDue(chunk('free'), () => false)).toBe(true);
  });
  test('until then it says what it waits for', () => {
    expect(notDueYet(chunk('page', ['a', 'b']), (name) => name === 'a')).toMatchObject({
      gate: 'page',
      outcome: 'skip',
      summary: 'comes after b',
    });
  });
});

describe('what the chunks say together', () => {
  test('which one is next, what is to be done in it, and what comes after', () => {
    const now = part('store', 'fail', {
      summary: 'open: store-tests',
      evidence: ['store.ts:3'],
      next: 'Fix 3.',
    });
    const together = combineChunks('chunks', CHUNKS, [part('model', 'pass'), now, skipped('page', 'store')]);
    expect(together).toMatchObject({
      gate: 'chunks',
      kind: 'chunks',
      class: 'measured',
      outcome: 'fail',
      summary: '1 of 3 chunks pass; now: store',
      evidence: ['store.ts:3'],
      next: 'Next: chunk 2 of 3, "store": Do store.\nFix 3.\nAfter it: page.',
    });
  });
  test('several that are due at once: the first is done first, the others are named', () => {
    const free = [chunk('a'), chunk('b'), chunk('c')];
    const together = combineChunks('chunks', free, [
      part('a', 'pass'),
      part('b', 'fail'),
      part('c', 'unproven'),
    ]);
    expect(together.summary).toBe('1 of 3 chunks pass; now: b (also open: c)');
    expect(together.next).toContain('chunk 2 of 3, "b"');
  });
  test('all of them pass', () => {
    const together = combineChunks(
      'chunks',
      CHUNKS,
      CHUNKS.map(({ name }) => part(name, 'pass')),
    );
    expect(together).toMatchObject({ outcome: 'pass', summary: '3 of 3 chunks pass' });
    expect(together.next).toBeUndefined();
    expect(sumUp([together]).result).toBe('verified');
  });
  test('as strong as the strongest that passed', () => {
    const claimed = part('model', 'pass', { class: 'claimed' });
    const together = combineChunks('chunks', CHUNKS, [claimed, part('store', 'fail')]);
    expect(together.class).toBe('claimed');
  });
  test('a person is asked only when nothing else is open in any of them', () => {
    const asks = part('model', 'fail', { asks: 'Is it good?' });
    expect(combineChunks('chunks', CHUNKS, [asks, skipped('store', 'model')]).asks).toBe('Is it good?');
    expect(combineChunks('chunks', CHUNKS, [asks, part('store', 'fail')]).asks).toBeUndefined();
    expect(combineChunks('chunks', CHUNKS, [part('model', 'pass')]).asks).toBeUndefined();
  });
  test('the same failure has the same fingerprint, another has another', () => {
    const of = (summary: string) =>
      combineChunks('chunks', CHUNKS, [part('model', 'fail', { summary })]).fingerprint;
    expect(of('a')).toBe(of('a'));
    expect(of('a')).not.toBe(of('b'));
  });
  test('what asks to be let go is let go', () => {
    expect(combineChunks('chunks', CHUNKS, [part('model', 'fail', { letGo: 'stop' })]).letGo).toBe('stop');
  });
});

describe('what could not be judged', () => {
  const unproven = (onUnproven?: 'allow') =>
    asChunk(
      combine('all', 'model', [
        verdict('unproven', { gate: 'lint', ...(onUnproven ? { onUnproven } : {}) }),
        verdict('pass'),
      ]),
    );
  test('blocks its chunk, unless the contract lets it stay open', () => {
    expect(blocks(unproven())).toBe(true);
    expect(blocks(unproven('allow'))).toBe(false);
  });
  test('what may stay open is no pass: the loop is released, not done', () => {
    const together = combineChunks('chunks', CHUNKS.slice(0, 2), [unproven('allow'), part('store', 'pass')]);
    expect(together.outcome).toBe('unproven');
    expect(sumUp([together]).result).toBe('unproven');
  });
  test('a failure beside it is what counts', () => {
    const together = combineChunks('chunks', CHUNKS.slice(0, 2), [unproven('allow'), part('store', 'fail')]);
    expect(together.outcome).toBe('fail');
    expect(together.summary).toContain('now: store');
  });
  test('nothing applied: nothing was judged', () => {
    expect(
      combineChunks(
        'chunks',
        CHUNKS,
        CHUNKS.map(({ name }) => part(name, 'skip')),
      ).outcome,
    ).toBe('skip');
  });
});

describe('the chunks that a text names', () => {
  const some = [chunk('a'), chunk('a-b'), chunk('c.d')];
  test.each([
    ['do a-b now', ['a-b']],
    ['do A, then c.d.', ['a', 'c.d']],
    ['cxd and ab', ['a', 'a-b', 'c.d']],
    ['', ['a', 'a-b', 'c.d']],
  ])('"%s"', (text, names) => {
    expect(chunksNamedIn(text, some).map(({ name }) => name)).toEqual(names);
  });
});
