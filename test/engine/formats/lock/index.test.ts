import {
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIFFERENT_APPROACH, REASON_LIMIT } from '../../../../src/engine/core/words/reason.ts';
import type { Look } from '../../../../src/engine/formats/format.ts';
import { lockFormat } from '../../../../src/engine/formats/lock/index.ts';
import type { ForeignFiles } from '../../../../src/engine/ports/ports.ts';
import type { Held } from '../../../../src/engine/ports/session-loop.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import { freshLoop, T0, verdict } from '../../../support/core/samples.ts';
import { makeFifo } from '../../../support/files/workers.ts';
import {
  folder,
  HOUR,
  lockFile,
  loop,
  makeLock,
  place,
  put,
  read,
  useLockFolder,
} from '../../../support/formats/lock-folder.ts';
import { rounds } from '../../../support/long.ts';

useLockFolder();

const problem = (): string => {
  const reading = read();
  if (reading.kind !== 'unusable') throw new Error(`not unusable but ${reading.kind}`);
  return reading.problem;
};
const look = (hasGates: boolean): Look => ({
  hasGates,
  workspace: () => Promise.reject(new Error('a lock looks at no work')),
});
const held = (changes: Partial<Held> = {}): Held => ({
  iteration: 2,
  maxIterations: 50,
  verdicts: [],
  instruction: 'continue',
  taskFile: '/home/task.md',
  ...changes,
});

const SENTENCE =
  "we must keep pursuing the user's objective and must not stop the turn - look for any additional TODOs, next steps, or unfinished work and pursue it diligently in as many parallel tasks as you can";

describe('a lock', () => {
  test('that is not there asks for nothing, but has its place', () => {
    expect(read()).toEqual({ kind: 'none' });
    expect(lockFormat.path(place())).toBe(lockFile());
  });

  test.each([
    [undefined, 50, false],
    ['7', 7, false],
    [' 120 ', 120, false],
    ['0', 50, true],
    ['-3', 50, true],
    ['many', 50, true],
    ['1e3', 50, true],
  ])('AMPLIHACK_MAX_LOCK_ITERATIONS %j allows %i iterations', (maxLockIterations, most, isTold) => {
    makeLock();
    const { maxIterations, notes } = loop({ maxLockIterations });
    expect(maxIterations).toBe(most);
    expect(notes.some((note) => note.includes('AMPLIHACK_MAX_LOCK_ITERATIONS'))).toBe(isTold);
  });

  test('that is too large to be read holds all the same', () => {
    makeLock();
    truncateSync(lockFile(), 20 * 1024 * 1024);
    expect(loop()).toMatchObject({ claimedBy: 'first', maxIterations: 50 });
  });

  test('of no content at all holds the first session that stops', () => {
    makeLock();
    expect(loop()).toMatchObject({
      claimedBy: 'first',
      task: "Pursue the user's objective until the lock is removed",
      firstIteration: 1,
      maxIterations: 50,
      limits: { durationMs: 24 * HOUR },
      gates: {},
      notes: [],
    });
    expect(loop()?.owner).toBeUndefined();
    expect(loop()?.iteration).toBeUndefined();
    expect(loop()?.rest).toBeUndefined();
  });

  test.each([
    ['session_id: abc-123\n', 'abc-123'],
    ['locked_at: 2026-01-01T00:00:00\nsession_id: abc_1\n', 'abc_1'],
    ['\uFEFFsession_id:abc\r\nmore\r\n', 'abc'],
    ['  session: "abc"\n', 'abc'],
    ['{\n  "session_id": "abc",\n  "pid": 1\n}\n', 'abc'],
  ])('respects the owner that it names: %j', (text, owner) => {
    makeLock(text);
    expect(loop().owner).toBe(owner);
  });

  test.each([
    'session_id:\n',
    'session_id: ""\n',
    'session: fixing the login\n',
    'my session_id: abc',
    'locked_at: now',
  ])('that names nobody belongs to nobody yet: %j', (text) => {
    makeLock(text);
    expect(loop()?.owner).toBeUndefined();
  });

  test('whose owner can be no session holds nobody', () => {
    makeLock('session_id: ../../etc\n');
    expect(problem()).toBe(
      `${lockFile()} names "../../etc" as its session, which is no session id; ` +
        'remove it, and make a lock with: untildone lock on',
    );
  });

  test('takes its task from the goal, else from the message', () => {
    makeLock();
    put(lockFile('.lock_message'), 'Mind the tests\n');
    expect(loop().task).toBe('Mind the tests');
    put(lockFile('.lock_goal'), '\uFEFF  \n');
    expect(loop().task).toBe('Mind the tests');
    put(lockFile('.lock_goal'), 'Ship the login\n');
    expect(loop().task).toBe('Ship the login');
  });

  test('is the same one until it is touched or made again', () => {
    makeLock();
    const { identity, renews } = loop();
    expect(loop().identity).toBe(identity);
    expect(renews(freshLoop({ status: 'cancelled' }), 's2')).toBe(false);
    utimesSync(lockFile(), T0 / 1000 + 1, T0 / 1000 + 1);
    const touched = loop().identity;
    expect(touched).not.toBe(identity);
    put(lockFile('.kept'), 'so that the number of the file is not given out again');
    rmSync(lockFile());
    put(lockFile('.other'));
    makeLock('', T0);
    expect(loop().identity).not.toBe(touched);
  });

  test('lives for 24 hours, and rests after them', () => {
    makeLock();
    expect(loop({ now: T0 + 24 * HOUR })?.rest).toBeUndefined();
    expect(loop({ now: T0 + 24 * HOUR + 1 })).toMatchObject({
      rest: 'expired: the lock is 1 d 0 h old and holds for at most 24 h',
      expired: true,
    });
  });

  test('of the future is a fresh one', () => {
    makeLock('', T0 + 100 * HOUR);
    expect(loop()?.rest).toBeUndefined();
  });

  test('that is a folder holds nobody, and is left alone', () => {
    mkdirSync(lockFile(), { recursive: true });
    expect(problem()).toBe(`${lockFile()} is a folder; remove it, and make a lock with: untildone lock on`);
    expect(statSync(lockFile()).isDirectory()).toBe(true);
  });

  test('that is a pipe holds nobody, and nobody waits for it', () => {
    mkdirSync(dirname(lockFile()), { recursive: true });
    makeFifo(lockFile());
    expect(problem()).toContain('is neither a file nor a folder; remove it');
  });

  test('that cannot be looked at holds nobody', () => {
    mkdirSync(dirname(lockFile()), { recursive: true });
    symlinkSync(lockFile('.b'), lockFile());
    symlinkSync(lockFile(), lockFile('.b'));
    expect(problem()).toMatch(/ELOOP.*; remove it/);
  });

  test('that may not be read holds nobody', () => {
    makeLock();
    const denied: ForeignFiles = {
      ...foreignFiles,
      read: (path) => ({ kind: 'unusable', problem: `${path}: EACCES: permission denied` }),
    };
    expect(read({}, denied)).toMatchObject({ kind: 'unusable' });
  });

  test('behind a link that leads nowhere is no lock', () => {
    mkdirSync(dirname(lockFile()), { recursive: true });
    symlinkSync(join(folder(), 'nothing'), lockFile());
    expect(read()).toEqual({ kind: 'none' });
  });

  test('with a folder beside it in the place of its goal still holds, and the person is told', () => {
    makeLock();
    mkdirSync(lockFile('.lock_goal'));
    expect(loop().task).toBe("Pursue the user's objective until the lock is removed");
    expect(loop().notes).toEqual([`${lockFile('.lock_goal')} is not a regular file: it is left out`]);
  });

  test('is found in a folder with spaces and other letters', () => {
    const other = join(folder(), 'my prüjekt ö');
    put(join(other, '.claude/runtime/locks/.lock_active'));
    expect(lockFormat.read(place({ folder: other, now: Date.now() }), foreignFiles).kind).toBe('loop');
  });

  test('is read without throwing and without a change, whatever it holds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.string(), (bytes, more) => {
        put(lockFile());
        const content = Buffer.concat([bytes, Buffer.from(`\nsession_id:${more}\n`)]);
        writeFileSync(lockFile(), content);
        const reading = read({ now: Date.now() });
        expect(reading.kind).not.toBe('none');
        if (reading.kind === 'loop' && reading.loop.owner !== undefined)
          expect(reading.loop.owner).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
        expect(readFileSync(lockFile()).equals(content)).toBe(true);
      }),
      { numRuns: rounds(200, 30) },
    );
  });
});

describe('judging', () => {
  test('the lock keeps the session, by its mere being there', async () => {
    makeLock();
    put(lockFile('.lock_goal'), 'Ship it');
    expect(await loop().judge(look(false))).toEqual([
      {
        gate: 'lock',
        kind: 'lock',
        class: 'claimed',
        outcome: 'fail',
        fingerprint: 'lock',
        summary: 'the lock is active',
        next: 'go on with what is left of this: Ship it',
      },
    ]);
  });

  test('where gates judge the work, the lock does not', async () => {
    makeLock();
    expect(await loop().judge(look(true))).toMatchObject([{ gate: 'lock', outcome: 'skip' }]);
  });
});

describe('a held session', () => {
  test('reads the sentence of the format', () => {
    makeLock();
    expect(loop().instruct(held())).toEqual({
      reason: SENTENCE,
      message: 'Lock active: iteration 2 of 50. To end it: untildone lock off',
    });
    expect(loop().instruct(held({ maxIterations: 'unlimited' })).message).toMatch(
      /^Lock active: iteration 2\. /,
    );
  });

  test('reads the continuation prompt instead, if it says anything', () => {
    makeLock();
    put(lockFile('.continuation_prompt'), ' \n\t\n');
    expect(loop().instruct(held()).reason).toBe(SENTENCE);
    put(lockFile('.continuation_prompt'), 'Look at PLAN.md and go on.\n');
    expect(loop().instruct(held()).reason).toBe('Look at PLAN.md and go on.');
  });

  test('reads goal, message, what fails, what to do next, and to do it differently', () => {
    makeLock();
    put(lockFile('.lock_goal'), 'Ship the login');
    put(lockFile('.lock_message'), 'Mind the tests');
    const verdicts = [
      verdict('skip', { gate: 'lock', kind: 'lock', class: 'claimed' }),
      verdict('fail', { summary: '2 tests fail', evidence: ['login.test.ts:7'], next: 'fix the login' }),
      verdict('pass', { gate: 'lint' }),
    ];
    const { reason } = loop().instruct(
      held({ verdicts, instruction: 'different_approach', promise: 'IT WORKS', notes: ['Note well.'] }),
    );
    expect(reason.split('\n\n')).toEqual([
      'Note well.',
      SENTENCE,
      'Goal: Ship the login',
      'Mind the tests',
      'Fails: tests - 2 tests fail\nlogin.test.ts:7',
      'Next: fix the login',
      'Once this is completely true, end your final message with this line alone:\n<promise>IT WORKS</promise>',
      DIFFERENT_APPROACH,
    ]);
  });

  test('is not told that the lock itself fails, nor how it is removed', async () => {
    makeLock();
    const { reason } = loop().instruct(held({ verdicts: [...(await loop().judge(look(false)))] }));
    expect(reason).toBe(SENTENCE);
    expect(reason).not.toMatch(/lock|rm /i);
  });

  test('reads the beginning of long texts, and where the rest is, in bounds', () => {
    makeLock();
    for (const name of ['.continuation_prompt', '.lock_goal', '.lock_message'])
      put(lockFile(name), `${name} begins ${'long '.repeat(10_000)}`);
    const verdicts = Array.from({ length: 20 }, (_, i) =>
      verdict('fail', { gate: `g${i}`, evidence: ['x'.repeat(2000)], next: 'y'.repeat(3000) }),
    );
    const { reason } = loop().instruct(held({ verdicts, instruction: 'different_approach' }));
    expect(reason.length).toBeLessThanOrEqual(REASON_LIMIT);
    expect(reason).toMatch(/^\.continuation_prompt begins /);
    expect(reason).toContain(`(The whole text is in ${lockFile('.continuation_prompt')}: read it.)`);
    expect(reason).toContain(`(The whole text is in ${lockFile('.lock_goal')}: read it.)`);
    expect(reason).toContain(DIFFERENT_APPROACH);
    expect(reason.indexOf('Goal: ')).toBeLessThan(2200);
  });
});
