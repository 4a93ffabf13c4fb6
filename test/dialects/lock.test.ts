import {
  existsSync,
  mkdirSync,
  readdirSync,
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
import { beforeEach, describe, expect, test } from 'vitest';
import { applyChanges, foreignFiles } from '../../src/adapters/foreign-files.ts';
import type { Decision } from '../../src/core/decide.ts';
import type { HookEvent } from '../../src/core/event.ts';
import { DIFFERENT_APPROACH, REASON_LIMIT } from '../../src/core/reason.ts';
import type { ForeignLoop, Held, Look, Place, Reading } from '../../src/dialects/dialect.ts';
import { lockDialect } from '../../src/dialects/lock/index.ts';
import type { ForeignFiles, StateChange } from '../../src/ports.ts';
import { makeFifo, temporaryFolder } from '../adapters/workers.ts';
import { freshLoop, T0, verdict } from '../core/samples.ts';

const SENTENCE =
  "we must keep pursuing the user's objective and must not stop the turn - look for any additional TODOs, next steps, or unfinished work and pursue it diligently in as many parallel tasks as you can";
const HOUR = 3_600_000;

let folder: string;
let home: string;
beforeEach(() => {
  folder = temporaryFolder();
  home = temporaryFolder();
});

const runtime = (path = '') => join(folder, '.claude/runtime', path);
const lockFile = (name = '.lock_active') => runtime(`locks/${name}`);
const put = (path: string, text = '') => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const makeLock = (text = '', at = T0) => {
  put(lockFile(), text);
  utimesSync(lockFile(), at / 1000, at / 1000);
};
const place = (changes: Partial<Place> = {}): Place => ({
  session: 's1',
  folder,
  userHome: home,
  now: T0 + 1000,
  ...changes,
});
const read = (changes: Partial<Place> = {}, files: ForeignFiles = foreignFiles): Reading =>
  lockDialect.read(place(changes), files);
const loop = (changes: Partial<Place> = {}): ForeignLoop => {
  const reading = read(changes);
  if (reading.kind !== 'loop') throw new Error(`no loop but ${JSON.stringify(reading)}`);
  return reading.loop;
};
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
const done = (changes: StateChange[]) => applyChanges(changes, join(home, 'files.lock'));
const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const metrics = (name: string) =>
  lines(runtime(`metrics/${name}_hook_metrics.jsonl`)).map((line) => JSON.parse(line) as unknown);

describe('a lock', () => {
  test('that is not there asks for nothing, but has its place', () => {
    expect(read()).toEqual({ kind: 'none' });
    expect(lockDialect.path(place())).toBe(lockFile());
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
    expect(loop()).not.toHaveProperty('owner');
    expect(loop()).not.toHaveProperty('iteration');
    expect(loop()).not.toHaveProperty('rest');
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
    expect(loop()).not.toHaveProperty('owner');
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
    expect(loop({ now: T0 + 24 * HOUR })).not.toHaveProperty('rest');
    expect(loop({ now: T0 + 24 * HOUR + 1 })).toMatchObject({
      rest: 'expired: the lock is 1 d 0 h old and lives for 24 h',
      expired: true,
    });
  });

  test('of the future is a fresh one', () => {
    makeLock('', T0 + 100 * HOUR);
    expect(loop()).not.toHaveProperty('rest');
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
    symlinkSync(join(folder, 'nothing'), lockFile());
    expect(read()).toEqual({ kind: 'none' });
  });

  test('with a folder beside it in the place of its goal still holds, and the person is told', () => {
    makeLock();
    mkdirSync(lockFile('.lock_goal'));
    expect(loop().task).toBe("Pursue the user's objective until the lock is removed");
    expect(loop().notes).toEqual([`${lockFile('.lock_goal')} is not a regular file: it is left out`]);
  });

  test('is found in a folder with spaces and other letters', () => {
    const other = join(folder, 'my prüjekt ö');
    put(join(other, '.claude/runtime/locks/.lock_active'));
    expect(lockDialect.read(place({ folder: other, now: Date.now() }), foreignFiles).kind).toBe('loop');
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
      { numRuns: 200 },
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
      message: 'Lock active: iteration 2 of 50. To let go: untildone lock off',
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

describe('what a Stop leaves behind', () => {
  const BLOCK: Decision = { kind: 'block', instruction: 'continue' };
  const log = (session = 's1') => lines(runtime(`logs/${session}/hook_logs.txt`));

  test('a block is counted and logged, and the lock stays as it is', () => {
    makeLock('any text\n');
    const before = statSync(lockFile());
    expect(done(loop().settle(BLOCK, freshLoop({ iteration: 2 }), []))).toEqual([]);
    expect(done(loop().settle(BLOCK, freshLoop({ iteration: 3, lastAt: T0 + 1000 }), []))).toEqual([]);
    expect(metrics('stop')).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        metric: 'lock_blocks',
        value: 1,
        session_id: 's1',
        hook: 'stop',
      },
      {
        timestamp: '2026-01-01T00:00:01.000Z',
        metric: 'lock_blocks',
        value: 2,
        session_id: 's1',
        hook: 'stop',
      },
    ]);
    expect(log()).toEqual([
      '[2026-01-01T00:00:00.000Z] [INFO] stop: blocked, iteration 2 of 50',
      '[2026-01-01T00:00:01.000Z] [INFO] stop: blocked, iteration 3 of 50',
    ]);
    expect(readFileSync(lockFile(), 'utf8')).toBe('any text\n');
    expect(statSync(lockFile()).mtimeMs).toBe(before.mtimeMs);
  });

  test('what lets go is logged, and is no block', () => {
    makeLock();
    const after = freshLoop();
    const decisions: Decision[] = [
      { kind: 'allow', cause: 'background', wait: 'background', detail: 'shell 1' },
      { kind: 'allow', cause: 'paused' },
      { kind: 'end', status: 'verified_done', cause: 'gates_passed', detail: 'tests' },
      { kind: 'end', status: 'reached_limit', cause: 'iterations', detail: 'iteration 50 of 50' },
    ];
    for (const decision of decisions) expect(done(loop().settle(decision, after, []))).toEqual([]);
    expect(log().map((line) => line.slice(27))).toEqual([
      '[INFO] stop: approved for now: shell 1',
      '[INFO] stop: approved for now: paused',
      '[INFO] stop: approved, verified_done: tests',
      '[WARN] stop: approved although not done, reached_limit: iteration 50 of 50',
    ]);
    expect(existsSync(runtime('metrics'))).toBe(false);
    expect(existsSync(lockFile())).toBe(true);
  });

  test('folders that we make are kept out of git, and others are left as they are', () => {
    makeLock();
    mkdirSync(runtime('logs'));
    done(loop().settle(BLOCK, freshLoop({ iteration: 2 }), []));
    done(loop().settle(BLOCK, freshLoop({ iteration: 3 }), []));
    expect(readFileSync(runtime('metrics/.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(runtime('logs'))).toEqual(['s1']);
  });

  test('a session id that could climb gets no folder', () => {
    makeLock();
    expect(done(loop().settle(BLOCK, freshLoop({ session: '../../../x', iteration: 2 }), []))).toEqual([]);
    expect(existsSync(runtime('logs'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['.claude']);
  });

  test('folders that are links are not written through', () => {
    makeLock();
    const away = join(home, 'away');
    mkdirSync(away);
    symlinkSync(away, runtime('metrics'));
    symlinkSync(away, runtime('logs'));
    expect(done(loop().settle(BLOCK, freshLoop({ iteration: 2 }), []))).toEqual([]);
    expect(readdirSync(away)).toEqual([]);
  });

  test('a project that is reached through a link gets its records', () => {
    makeLock();
    const link = join(home, 'link');
    symlinkSync(folder, link);
    done(loop({ folder: link }).settle(BLOCK, freshLoop({ iteration: 2 }), []));
    expect(metrics('stop')).toHaveLength(1);
  });

  test('records that nobody empties stop growing, and a pipe in their place is left alone', () => {
    makeLock();
    put(runtime('metrics/stop_hook_metrics.jsonl'));
    truncateSync(runtime('metrics/stop_hook_metrics.jsonl'), 16 * 1024 * 1024);
    mkdirSync(runtime('logs/s1'), { recursive: true });
    makeFifo(runtime('logs/s1/hook_logs.txt'));
    expect(loop().settle(BLOCK, freshLoop({ iteration: 2 }), [])).toEqual([]);
  });
});

describe('what is kept of other events', () => {
  const event = (name: string, more: Record<string, unknown> = {}) =>
    ({ session: 's1', name, ...more }) as unknown as HookEvent;
  const observe = (seen: HookEvent, changes: Partial<Place> = {}) =>
    lockDialect.observe?.(seen, place(changes), foreignFiles) ?? [];
  const prompt = (text: string, session = 's1') => event('UserPromptSubmit', { prompt: text, session });
  const request = (session = 's1') => runtime(`logs/${session}/ORIGINAL_REQUEST.md`);

  test('nothing without a lock, with an expired one, or for a session that is not its owner', () => {
    const tool = event('PreToolUse', { tool: 'Bash', input: {} });
    expect(observe(tool)).toEqual([]);
    makeLock('session_id: s2\n');
    expect(observe(tool)).toEqual([]);
    makeLock();
    expect(observe(tool, { now: T0 + 25 * HOUR })).toEqual([]);
    expect(observe(tool)).toHaveLength(3);
    expect(observe(event('Stop'))).toEqual([]);
    expect(observe(event('other', { eventName: 'PostCompact' }))).toEqual([]);
  });

  test('a session start and the length of each prompt', () => {
    makeLock();
    done(observe(event('SessionStart', { source: 'startup' })));
    done(observe(prompt('short')));
    done(observe(prompt('<task-notification>something ended</task-notification>')));
    expect(metrics('session_start')).toMatchObject([
      { metric: 'session_start', value: 'startup', session_id: 's1', hook: 'session_start' },
      { metric: 'prompt_length', value: 5 },
    ]);
    expect(existsSync(request())).toBe(false);
  });

  test('the first substantial request of each session, without its secrets', () => {
    makeLock();
    done(observe(prompt('/amplihack:lock with many words behind it')));
    done(observe(prompt('<task-notification>a shell has ended</task-notification>')));
    expect(existsSync(request())).toBe(false);
    done(observe(prompt('/src/login.ts is broken, fix it. password=hunter2hunter2')));
    done(observe(prompt('And now for something completely different')));
    done(observe(prompt('The request of another session', 's2')));
    expect(readFileSync(request(), 'utf8')).toBe(
      '# Original request\n\nSession: s1\nKept: 2026-01-01T00:00:01.000Z\n\n' +
        '/src/login.ts is broken, fix it. password=[redacted]\n',
    );
    expect(readFileSync(request('s2'), 'utf8')).toContain('The request of another session');
    expect(lines(runtime('logs/s1/hook_logs.txt'))).toHaveLength(1);
  });

  test('a request that came in between is not overwritten', () => {
    makeLock();
    const changes = observe(prompt('Build the whole login page'));
    put(request(), 'the first one\n');
    expect(done(changes)).toEqual([]);
    expect(readFileSync(request(), 'utf8')).toBe('the first one\n');
  });

  test('tools by what they do', () => {
    makeLock();
    for (const tool of ['Bash', 'Edit', 'Grep', 'Task'])
      done(observe(event('PreToolUse', { tool, input: {} })));
    done(observe(event('PostToolUseFailure', { tool: 'Bash', input: {} })));
    expect(metrics('post_tool_use').map((line) => Object.values(line as object).slice(1, 3))).toEqual([
      ['tool_usage', 'Bash'],
      ['bash_commands', 1],
      ['tool_usage', 'Edit'],
      ['file_operations', 1],
      ['tool_usage', 'Grep'],
      ['search_operations', 1],
      ['tool_usage', 'Task'],
      ['tool_errors', 'Bash'],
    ]);
    expect(lines(runtime('logs/s1/hook_logs.txt'))[0]).toMatch(/\[WARN\] post_tool_use: Bash failed$/);
  });

  test('lines stay short and on one line, whatever a tool is called', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000, unit: 'binary' }), (tool) => {
        makeLock();
        for (const change of observe(event('PreToolUse', { tool, input: {} }))) {
          if (change.kind !== 'append') throw new Error(change.kind);
          expect(change.text.length).toBeLessThanOrEqual(500);
          expect(change.text.trimEnd()).not.toContain('\n');
          if (change.path.endsWith('.jsonl'))
            expect(JSON.parse(change.text)).toMatchObject({ session_id: 's1' });
        }
      }),
      { numRuns: 50 },
    );
  });

  describe('before a compaction', () => {
    const compact = (transcript?: string) => event('other', { eventName: 'PreCompact', transcript });
    const copies = () => readdirSync(runtime('logs/s1/transcripts'));

    test('the very first export makes its folder', () => {
      makeLock();
      const transcript = join(home, 't.jsonl');
      writeFileSync(transcript, '{}\n');
      expect(done(observe(compact(transcript)))).toEqual([]);
      expect(copies()).toEqual(['2026-01-01T00-00-01-000Z.jsonl']);
      expect(readdirSync(runtime('logs'))).toEqual(['.gitignore', 's1']);
    });

    test('the transcript is exported, and only the last five exports are kept', () => {
      makeLock();
      const transcript = join(home, 't.jsonl');
      put(runtime('logs/s1/transcripts/CONVERSATION_TRANSCRIPT.md'), 'of somebody else');
      for (let i = 1; i <= 7; i++) {
        writeFileSync(transcript, `{"n":${i}}\n`);
        expect(done(observe(compact(transcript), { now: T0 + i * 1000 }))).toEqual([]);
      }
      expect(copies()).toEqual([
        ...[3, 4, 5, 6, 7].map((i) => `2026-01-01T00-00-0${i}-000Z.jsonl`),
        'CONVERSATION_TRANSCRIPT.md',
      ]);
      expect(readFileSync(runtime('logs/s1/transcripts/2026-01-01T00-00-07-000Z.jsonl'), 'utf8')).toBe(
        '{"n":7}\n',
      );
      expect(metrics('pre_compact')).toHaveLength(7);
      expect(metrics('pre_compact')[0]).toMatchObject({ metric: 'conversation_exports', value: 1 });
    });

    test('a transcript that is missing or too large is said in the log, and is no export', () => {
      makeLock();
      const large = join(home, 'large.jsonl');
      writeFileSync(large, '');
      truncateSync(large, 64 * 1024 * 1024 + 1);
      for (const transcript of [undefined, join(home, 'none.jsonl'), home, large])
        done(observe(compact(transcript)));
      expect(lines(runtime('logs/s1/hook_logs.txt')).map((line) => line.slice(27))).toEqual([
        '[WARN] pre_compact: there is no transcript to export',
        '[WARN] pre_compact: there is no transcript to export',
        '[WARN] pre_compact: there is no transcript to export',
        '[WARN] pre_compact: the transcript is larger than 67108864 bytes: not exported',
      ]);
      expect(existsSync(runtime('metrics'))).toBe(false);
    });

    test('a folder of exports that is a link is not written through', () => {
      makeLock();
      const away = join(home, 'away');
      mkdirSync(away);
      mkdirSync(runtime('logs/s1'), { recursive: true });
      symlinkSync(away, runtime('logs/s1/transcripts'));
      const transcript = join(home, 't.jsonl');
      writeFileSync(transcript, '{}\n');
      expect(observe(compact(transcript))).toEqual([]);
    });
  });
});
