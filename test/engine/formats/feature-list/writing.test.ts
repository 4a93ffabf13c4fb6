import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { ForeignLoop } from '../../../../src/engine/formats/format.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import {
  BLOCK,
  dir,
  ended,
  endOf,
  FEATURES,
  type Files,
  lay,
  loop,
  loopWith,
  PROGRESS,
  progressFile,
  progressNow,
  root,
  useFolder,
  writeBack,
} from '../../../support/formats/feature-folder.ts';
import { rounds } from '../../../support/long.ts';

useFolder();

describe('after a Stop', () => {
  const begun = (iteration: number) => freshLoop({ iteration });

  test.each([
    [PROGRESS, PROGRESS.replace('Iteration: 3', 'Iteration: 4')],
    ['\uFEFF- Iteration: 3\r\n\r\nold\tnotes \r\n', '\uFEFF- Iteration: 4\r\n\r\nold\tnotes \r\n'],
    ['  Iteration:3 of 12\n', '  Iteration:4 of 12\n'],
    ['- Iteration: none yet', '- Iteration: 4'],
    ['- Iteration:\n', '- Iteration: 4\n'],
    ['- Iteration: 1\nlog\n- Iteration: 3\n', '- Iteration: 1\nlog\n- Iteration: 4\n'],
    ['- Iteration: 3\n- Status: REACHED_LIMIT\n', '- Iteration: 4\n- Status: IN_PROGRESS\n'],
    ['Current Iteration: 3\nIterations: 2\n- Max Iterations: 9\n', undefined],
    ['', undefined],
  ])('that was held, only the counter of %j changes', (progress, expected) => {
    const of = loopWith({ progress });
    expect(writeBack(of, BLOCK, begun(4))).toEqual([]);
    expect(progressNow()).toBe(expected ?? progress);
    expect(writeBack(of, BLOCK, begun(4))).toEqual([]);
    expect(progressNow()).toBe(expected ?? progress);
  });

  test('that was held, a progress.txt that is not there is not made', () => {
    lay({ list: { features: FEATURES } });
    expect(writeBack(loop(), BLOCK, begun(1))).toEqual([]);
    expect(readdirSync(dir())).toEqual(['feature_list.json']);
  });

  test('that was let through for now, nothing is written', () => {
    expect(loopWith({}).writeBack({ kind: 'allow', cause: 'background' }, begun(3), [])).toEqual([]);
  });

  test.each([
    ['verified_done', 'gates_passed', 'COMPLETE'],
    ['claimed_done', 'claim_only', 'COMPLETE'],
    ['reached_limit', 'iterations', 'REACHED_LIMIT'],
    ['stalled', 'same_message', 'STALLED'],
    ['idle', 'empty_answers', 'IDLE'],
    ['capped', 'block_cap', 'CAPPED'],
    ['released', 'unproven_allowed', 'RELEASED'],
    ['cancelled', 'person', 'CANCELLED'],
    ['failed', 'contract_replaced', 'FAILED'],
  ] as const)('that ended the loop as %s, the final state is logged once', (status, cause, word) => {
    const of = loopWith({});
    const last = ended(status, cause);
    const line = `- [2026-01-01T00:00:00.000Z] untildone: ${status} (${cause}): ${of.output?.(last, []).message}`;
    const expected = `${PROGRESS.replace('IN_PROGRESS', word)}${line}\n`;
    expect(writeBack(of, endOf(last), last)).toEqual([]);
    expect(progressNow()).toBe(expected);
    writeBack(of, endOf(last), last);
    expect(progressNow()).toBe(expected);
    const again = loop();
    expect([again.iteration, again.maxIterations]).toEqual([3, 12]);
    expect(again.rest !== undefined).toBe(word === 'COMPLETE');
  });

  test('the last line gets a line of its own, with the line breaks of the file', () => {
    const last = ended('idle', 'empty_answers');
    writeBack(loopWith({ progress: '- Status: X\r\nnotes' }), endOf(last), last);
    expect(progressNow()).toMatch(/^- Status: IDLE\r\nnotes\r\n- \[[^\r\n]+\r\n$/);
  });

  test('at an ending progress.txt is made where it is missing, the folder never', () => {
    lay({ list: { features: FEATURES } });
    const of = loop();
    const last = ended('idle', 'empty_answers');
    writeBack(of, endOf(last), last);
    expect(progressNow()).toMatch(/^- \[.*features remaining\.\n$/);
    rmSync(dir(), { recursive: true });
    expect(writeBack(of, endOf(last), last).join()).toContain('progress.txt');
    expect(existsSync(dir())).toBe(false);
  });

  test('a file that is not UTF-8 is read but never written', () => {
    lay({ list: { features: FEATURES } });
    const bytes = Buffer.concat([Buffer.from('- Iteration: 3\n'), Buffer.from([0xe4, 0x0a])]);
    writeFileSync(progressFile(), bytes);
    const of = loop();
    expect(of.iteration).toBe(3);
    expect(of.notes).toEqual([`${dir()}/progress.txt: is not UTF-8, so it is read but not written`]);
    const last = ended('idle', 'empty_answers');
    expect([...writeBack(of, BLOCK, begun(4)), ...writeBack(of, endOf(last), last)]).toEqual([]);
    expect(readFileSync(progressFile())).toEqual(bytes);
  });

  test('a link in the place of progress.txt is not written through, and that is reported', () => {
    lay({ list: { features: FEATURES } });
    writeFileSync(join(root(), 'elsewhere'), PROGRESS);
    symlinkSync(join(root(), 'elsewhere'), progressFile());
    expect(writeBack(loop(), BLOCK, begun(4)).join()).toContain('progress.txt');
    expect(readFileSync(join(root(), 'elsewhere'), 'utf8')).toBe(PROGRESS);
  });
});

describe('the output at an ending', () => {
  const output = (of: ForeignLoop, last: LoopState) => of.output?.(last, []);
  const done = { list: { total_features: 1, features: [FEATURES[0]] } };

  test('at the limit it is the one of the document', () => {
    expect(output(loopWith({}), ended('reached_limit', 'iterations'))).toEqual({
      status: 'REACHED_LIMIT',
      message: 'Max iterations (12) reached. 2 features remaining.',
      remaining_features: ['2', 'pw-3'],
    });
  });

  test('verified: the sentence of the document', () => {
    expect(output(loopWith(done), ended('verified_done', 'gates_passed'))).toEqual({
      status: 'COMPLETE',
      message: 'All 1 features verified. Loop complete.',
    });
  });

  test('claimed: never called verified', () => {
    const message = 'All 1 features claimed, not verified. Loop complete.';
    expect(output(loopWith(done), ended('claimed_done', 'claim_only'))).toEqual({
      status: 'COMPLETE',
      message,
    });
  });

  test('a COMPLETE that the list does not bear out is said to be just that', () => {
    const of = loopWith({ progress: '- Status: COMPLETE' });
    expect(output(of, ended('claimed_done', 'claim_only'))).toEqual({
      status: 'COMPLETE',
      message: 'Claimed complete (not verified), although 2 of 3 features do not pass.',
      remaining_features: ['2', 'pw-3'],
    });
    expect(output(of, ended('verified_done', 'gates_passed'))?.message).toBe(
      'Claimed complete (the checks that were run pass), although 2 of 3 features do not pass.',
    );
  });

  test('a total_features that is not the length of the list is said beside it', () => {
    const of = loopWith({ list: { total_features: 12, features: [FEATURES[0]] } });
    expect(output(of, ended('verified_done', 'gates_passed'))?.message).toBe(
      'All 1 features verified (total_features says 12). Loop complete.',
    );
  });

  test.each([
    ['reached_limit', 'cost', 'The limit of cost was reached. 2 features remaining.'],
    ['stalled', 'same_message', 'No progress. 2 features remaining.'],
    ['released', 'person', 'Released by a person. 2 features remaining.'],
    ['released', 'nothing_judged', 'Let go without proof. 2 features remaining.'],
    ['failed', 'contract_replaced', 'The loop failed. 2 features remaining.'],
  ] as const)('%s by %s', (status, cause, message) => {
    expect(output(loopWith({}), ended(status, cause))).toMatchObject({
      status: status.toUpperCase(),
      message,
    });
  });

  test('a very long list is named in part', () => {
    const features = Array.from({ length: 150 }, (_, id) => ({ id }));
    const remaining = output(
      loopWith({ list: { features } }),
      ended('idle', 'empty_answers'),
    )?.remaining_features;
    expect(remaining).toHaveLength(101);
    expect(remaining?.at(-1)).toBe('and 50 more');
  });
});

describe('a loop that ended begins anew', () => {
  const anew = (files: Files, last: LoopState, session = 's1') => loopWith(files).renews(last, session);
  const atMost = (max: number, iteration = 12) => ({
    progress: `- Max Iterations: ${max}\n- Iteration: ${iteration}\n`,
  });

  test('never against a person or after a failure', () => {
    for (const status of ['cancelled', 'released', 'failed'] as const) {
      expect(anew(atMost(99, 0), ended(status, 'person'), 'other')).toBe(false);
    }
  });

  test('when it was done and features are open again', () => {
    expect(anew({}, ended('claimed_done', 'claim_only'))).toBe(true);
    expect(anew({}, ended('verified_done', 'gates_passed'))).toBe(true);
    expect(anew({ progress: '- Status: COMPLETE' }, ended('claimed_done', 'claim_only'))).toBe(false);
  });

  test('at its limit when that was raised', () => {
    const last = ended('reached_limit', 'iterations');
    expect(anew(atMost(13), last)).toBe(true);
    expect(anew(atMost(12), last, 'other')).toBe(false);
    expect(anew(atMost(13), { ...last, maxIterations: 'unlimited' })).toBe(false);
  });

  test('at its limit with the counter set back, for another session only', () => {
    const last = ended('reached_limit', 'iterations');
    expect(anew(atMost(12, 0), last)).toBe(false);
    expect(anew(atMost(12, 0), last, 'other')).toBe(true);
    expect(anew({ progress: '- Max Iterations: 12' }, last, 'other')).toBe(false);
  });

  test('after a stall, silence or the cap, for another session only', () => {
    for (const status of ['stalled', 'idle', 'capped'] as const) {
      expect(anew({}, ended(status, 'x'))).toBe(false);
      expect(anew({}, ended(status, 'x'), 'other')).toBe(true);
    }
  });
});

describe('whatever the files hold', () => {
  const piece = fc.constantFrom(
    ...['Iteration:', 'Max Iterations:', 'Status:', '- ', ' ', '7', 'COMPLETE', '\n', '\r\n', '\r', '\uFEFF'],
    ...['\u2028', '\t', 'Max', ':', 'x'],
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string(),
  );

  test('only the line that counts is written, and what was written is read back', () => {
    fc.assert(
      fc.property(text, fc.nat(), (progress, iteration) => {
        const before = loopWith({ progress });
        writeBack(before, BLOCK, freshLoop({ iteration }));
        const now = progressNow();
        const lines = (of: string) => of.split(/(\r\n|\n|\r)/);
        const changed = lines(now).filter((line, index) => line !== lines(progress)[index]);
        expect(lines(now)).toHaveLength(lines(progress).length);
        expect(changed.length).toBeLessThanOrEqual(1);
        if (changed.length === 1) expect(loop().iteration).toBe(iteration);
      }),
      { numRuns: rounds(150, 30) },
    );
  });

  test('an ending keeps every line but the status, and keeps the counters', () => {
    fc.assert(
      fc.property(text, (progress) => {
        const before = loopWith({ progress });
        const last = ended('reached_limit', 'iterations');
        writeBack(before, endOf(last), last);
        const after = loop();
        expect([after.iteration, after.maxIterations]).toEqual([before.iteration, before.maxIterations]);
        const kept = progress.split(/\r\n|\n|\r/).filter((line) => !line.includes('Status:'));
        expect(progressNow().split(/\r\n|\n|\r/)).toEqual(expect.arrayContaining(kept));
      }),
      { numRuns: rounds(150, 30) },
    );
  });
});
