/** What every session port does: the real one, and the one that is played in unit tests. */
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/core/answer.ts';
import type { HookEvent } from '../../../src/core/event.ts';
import { nameEnd, type SessionEnd, type SessionFacts } from '../../../src/core/session-end.ts';
import type {
  SessionHappening,
  SessionLimits,
  SessionListener,
  SessionPlan,
  SessionPort,
} from '../../../src/ports.ts';
import type { Script, Turn } from '../../../src/simulator/script.ts';

export interface OpenedSessions {
  port: SessionPort;
  /** A new session in a project of its own, in which Bash may be used. */
  plan(more?: Partial<SessionPlan>): SessionPlan;
  /** What the model was asked, one JSON text a request, summaries included. */
  asked(): string[];
  /** Resolves when the model has been asked so often. */
  untilAsked(times: number): Promise<unknown>;
  /** As `kill -9` of the client. */
  killClient(): Promise<void>;
}

export type OpenSessions = (script: Script) => Promise<OpenedSessions>;

/** Far beyond what any of these sessions takes. */
const IDLE_MS = 30_000;

export function limits(more: Partial<SessionLimits> = {}): SessionLimits {
  return { idleMs: IDLE_MS, signal: new AbortController().signal, ...more };
}

export interface Heard extends SessionListener {
  events: HookEvent[];
  happenings: SessionHappening[];
}

/** Remembers everything; answers what `answer` says, and nothing otherwise. */
export function listener(answer: (event: HookEvent) => Answer | undefined = () => undefined): Heard {
  const events: HookEvent[] = [];
  const happenings: SessionHappening[] = [];
  return {
    events,
    happenings,
    async event(event) {
      events.push(event);
      return answer(event) ?? { kind: 'silence' };
    },
    happened: (happening) => void happenings.push(happening),
  };
}

export function named(heard: Heard, name: HookEvent['name']): HookEvent[] {
  return heard.events.filter((event) => event.name === name);
}

export function calling(command: string, more: Partial<Turn> = {}): Turn {
  return { tools: [{ name: 'Bash', input: { command } }], ...more };
}

const NO_RETRIES = { CLAUDE_CODE_MAX_RETRIES: '0' };

export function keepsSessionPortContract(open: OpenSessions): void {
  const run = async (script: Script, heard = listener(), more: Partial<SessionPlan> = {}) => {
    const opened = await open(script);
    const facts = await opened.port.run(opened.plan(more), 'Build a cuckoo clock', heard, limits());
    return { ...opened, facts, end: nameEnd(facts) };
  };

  describe('a session', () => {
    test('works, is held at its Stop, and is let go', async () => {
      const heard = listener((event) =>
        event.name === 'Stop' && !event.stopHookActive
          ? { kind: 'refuse', reason: 'The tests fail.' }
          : undefined,
      );
      const script = { turns: [calling('true', { text: 'I look.' }), { text: 'Done?' }, { text: 'Done!' }] };
      const { facts, end, asked } = await run(script, heard);
      expect(end).toEqual({ kind: 'completed', detail: expect.any(String) });
      expect(facts.result).toMatchObject({ isError: false, text: 'Done!', turns: 3 });
      expect(facts.result?.costTotalUsd).toBeGreaterThan(0);
      expect(facts.result?.tokensTotal).toBe(3 * 1_005);
      expect(named(heard, 'Stop')).toMatchObject([
        { stopHookActive: false, lastMessage: 'Done?' },
        { stopHookActive: true, lastMessage: 'Done!' },
      ]);
      expect(asked()).toHaveLength(3);
      expect(asked()[0]).toContain('Build a cuckoo clock');
      expect(asked()[2]).toContain('The tests fail.');
      expect(heard.happenings).toEqual(
        expect.arrayContaining([
          { kind: 'began', session: expect.any(String), model: 'claude-opus-5-5' },
          { kind: 'said', text: 'I look.' },
          { kind: 'called', tool: 'Bash', input: { command: 'true' } },
          { kind: 'returned', tool: 'Bash', failed: false },
          { kind: 'said', text: 'Done!' },
        ]),
      );
      expect(heard.happenings.filter(({ kind }) => kind === 'began')).toHaveLength(1);
    });

    test('every event names the session and where it is', async () => {
      const heard = listener();
      const opened = await open({ turns: [calling('true')] });
      const plan = opened.plan();
      await opened.port.run(plan, 'Build a cuckoo clock', heard, limits());
      expect(heard.events.map(({ name }) => name)).toEqual(['UserPromptSubmit', 'PreToolUse', 'Stop']);
      for (const event of heard.events) expect(event).toMatchObject({ session: plan.session, cwd: plan.cwd });
    });

    test('a tool that is refused does not run, and the model reads why', async () => {
      const heard = listener((event) =>
        event.name === 'PreToolUse' ? { kind: 'refuse', reason: 'Not this file.' } : undefined,
      );
      const { end, asked } = await run({ turns: [calling('touch made'), { text: 'Pity.' }] }, heard);
      expect(end.kind).toBe('completed');
      expect(asked()[1]).toContain('Not this file.');
      expect(heard.happenings).toContainEqual({ kind: 'returned', tool: 'Bash', failed: true });
    });

    test('what is put in beside the prompt reaches the model', async () => {
      const heard = listener((event) =>
        event.name === 'UserPromptSubmit' ? { kind: 'inject', context: 'Iteration 4 of 50.' } : undefined,
      );
      const { asked } = await run({}, heard);
      expect(asked()[0]).toContain('Iteration 4 of 50.');
    });

    test('an answer that fails lets the client go on, and is told', async () => {
      const heard = listener((event) => {
        if (event.name === 'Stop') throw new Error('the disk is full');
        return undefined;
      });
      const { end } = await run({}, heard);
      expect(end.kind).toBe('completed');
      expect(heard.happenings).toContainEqual({
        kind: 'told',
        text: expect.stringContaining('the disk is full'),
      });
    });

    test('says how full its context is', async () => {
      const heard = listener();
      const usage = { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3_000 };
      const { facts } = await run({ turns: [{ text: 'Done.', usage }] }, heard);
      expect(heard.happenings.filter(({ kind }) => kind === 'usage')).toEqual([
        { kind: 'usage', contextTokens: 3_210, model: 'claude-opus-5-5' },
      ]);
      expect(facts.result?.tokensTotal).toBe(10 + 200 + 5);
    });

    test('is compacted when it is full, and goes on with what it is reminded of', async () => {
      const heard = listener((event) =>
        event.name === 'SessionStart' ? { kind: 'inject', context: 'You are in a loop.' } : undefined,
      );
      const full = { input_tokens: 980_000 };
      const { facts, end, asked } = await run(
        {
          rules: [{ when: { last: 'detailed summary' }, turns: [{ text: 'A summary.' }] }],
          turns: [calling('true', { usage: full }), { text: 'Going on.' }],
        },
        heard,
      );
      expect(end.kind).toBe('completed');
      expect(facts.compacted).toBe(true);
      expect(named(heard, 'SessionStart')).toMatchObject([{ source: 'compact' }]);
      expect(heard.happenings).toContainEqual({ kind: 'compacted' });
      expect(asked().at(-1)).toContain('You are in a loop.');
      expect(asked().at(-1)).not.toContain('Build a cuckoo clock');
    });

    test('that goes on keeps its conversation, and its totals', async () => {
      const opened = await open({});
      const plan = opened.plan();
      const first = await opened.port.run(plan, 'Do the first', listener(), limits());
      const heard = listener();
      const second = await opened.port.run({ ...plan, resume: true }, 'Do the second', heard, limits());
      expect(nameEnd(second).kind).toBe('completed');
      expect(heard.happenings[0]).toMatchObject({ kind: 'began', session: plan.session });
      expect(opened.asked()[1]).toMatch(/Do the first.*Do the second/s);
      expect(second.result?.costTotalUsd).toBeCloseTo(2 * (first.result?.costTotalUsd ?? 0));
      expect(second.result?.tokensTotal).toBe(2 * (first.result?.tokensTotal ?? 0));
    });
  });

  describe('a prepared client', () => {
    test('is used for the session that it was prepared for', async () => {
      const opened = await open({});
      const plan = opened.plan();
      const ready = await opened.port.prepare(plan);
      expect(ready.plan).toEqual(plan);
      expect(opened.asked()).toEqual([]);
      const heard = listener();
      const facts = await opened.port.run(ready, 'Build a cuckoo clock', heard, limits());
      expect(nameEnd(facts).kind).toBe('completed');
      expect(heard.happenings[0]).toMatchObject({ kind: 'began', session: plan.session });
      expect(named(heard, 'Stop')).toHaveLength(1);
      await ready.discard();
    });

    test('that was discarded, twice, has asked nothing; its plan can still be run', async () => {
      const opened = await open({});
      const ready = await opened.port.prepare(opened.plan());
      await ready.discard();
      await ready.discard();
      expect(opened.asked()).toEqual([]);
      expect(nameEnd(await opened.port.run(ready, 'Build a cuckoo clock', listener(), limits())).kind).toBe(
        'completed',
      );
    });

    test('goes on with an old session', async () => {
      const opened = await open({});
      const plan = opened.plan();
      await opened.port.run(plan, 'Do the first', listener(), limits());
      const ready = await opened.port.prepare({ ...plan, resume: true });
      await opened.port.run(ready, 'Do the second', listener(), limits());
      expect(opened.asked()[1]).toMatch(/Do the first.*Do the second/s);
    });
  });

  describe('an ending of the client', () => {
    const kindOf = async (script: Script, more: Partial<SessionPlan> = {}, heard = listener()) => {
      const { end, asked, facts } = await run(script, heard, more);
      return { end, asked, facts, heard };
    };

    test.each<[string, Script, Partial<SessionPlan>, Partial<SessionEnd>]>([
      ['500', { after: { error: { status: 500 } } }, {}, { kind: 'api_error', status: 500 }],
      ['529', { after: { error: { status: 529 } } }, {}, { kind: 'api_error', status: 529 }],
      ['a lost connection', { after: { drop: true } }, {}, { kind: 'api_error' }],
      ['429', { after: { error: { status: 429 } } }, {}, { kind: 'rate_limited' }],
      ['401', { after: { error: { status: 401 } } }, {}, { kind: 'auth' }],
      ['403', { after: { error: { status: 403 } } }, {}, { kind: 'auth' }],
      ['404', { after: { error: { status: 404 } } }, {}, { kind: 'model_not_found' }],
      ['413', { after: { error: { status: 413 } } }, {}, { kind: 'prompt_too_long' }],
      [
        'an empty purse',
        { after: { error: { status: 400, message: 'Your credit balance is too low to access the API.' } } },
        {},
        { kind: 'billing' },
      ],
      [
        'a prompt that the API does not take',
        {
          after: { error: { status: 400, message: 'prompt is too long: 1200000 tokens > 1000000 maximum' } },
        },
        { env: { ...NO_RETRIES, DISABLE_AUTO_COMPACT: '1' } },
        { kind: 'prompt_too_long' },
      ],
      ['a refusal', { after: { text: 'No.', stop_reason: 'refusal' } }, {}, { kind: 'refused' }],
      ['no turn left', { after: calling('true') }, { maxTurns: 2 }, { kind: 'max_turns' }],
      [
        'no money left',
        { after: calling('true', { usage: { input_tokens: 100_000 } }) },
        { maxCostUsd: 0.1 },
        { kind: 'budget' },
      ],
      [
        'a full context that may not be compacted',
        { turns: [calling('true', { usage: { input_tokens: 990_000 } })] },
        { env: { DISABLE_AUTO_COMPACT: '1' } },
        { kind: 'context_full' },
      ],
    ])('%s has its name', async (_what, script, more, expected) => {
      const { end } = await kindOf(script, { env: NO_RETRIES, ...more });
      expect(end).toMatchObject(expected);
      expect(end.detail).toMatch(/\w{3}/);
    });

    test('by a Stop that is answered with halt has its name', async () => {
      const heard = listener((event) =>
        event.name === 'Stop' ? { kind: 'halt', message: 'Enough for today.' } : undefined,
      );
      expect((await kindOf({}, {}, heard)).end.kind).toBe('stopped_by_hook');
    });

    test('by a prompt that is refused has its name, and nobody was asked', async () => {
      const heard = listener((event) =>
        event.name === 'UserPromptSubmit' ? { kind: 'refuse', reason: 'Not now.' } : undefined,
      );
      const { end, asked } = await kindOf({}, {}, heard);
      expect(end).toMatchObject({ kind: 'stopped_by_hook', detail: expect.stringContaining('Not now.') });
      expect(asked()).toEqual([]);
    });

    test('by compaction that is refused has its name', async () => {
      const heard = listener((event) =>
        event.name === 'other' && event.eventName === 'PreCompact'
          ? { kind: 'refuse', reason: 'Not this conversation.' }
          : undefined,
      );
      const script = { turns: [calling('true', { usage: { input_tokens: 990_000 } })] };
      expect((await kindOf(script, {}, heard)).end.kind).toBe('context_full');
    });

    test('at its cap of blocks in a row looks like no success', async () => {
      const always: Answer = { kind: 'refuse', reason: 'More.' };
      const heard = listener((event) => (event.name === 'Stop' ? always : undefined));
      const { end, asked } = await kindOf({}, {}, heard);
      expect(end.kind).toBe('capped');
      expect(named(heard, 'Stop')).toHaveLength(9);
      expect(asked()).toHaveLength(9);
    });

    test('does not come from a cap that was taken away', async () => {
      let stops = 0;
      const heard = listener((event) => {
        if (event.name !== 'Stop') return undefined;
        stops += 1;
        return stops < 12 ? { kind: 'refuse', reason: 'More.' } : undefined;
      });
      const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' };
      const { end, facts } = await kindOf({}, { env }, heard);
      expect(end.kind).toBe('completed');
      expect(facts.capped).toBeUndefined();
      expect(stops).toBe(12);
    });

    test('an error tells the hooks so, and what it was is shown', async () => {
      const { heard, end } = await kindOf({ after: { error: { status: 401 } } }, { env: NO_RETRIES });
      expect(named(heard, 'StopFailure')).toMatchObject([{ error: 'authentication_failed' }]);
      expect(named(heard, 'Stop')).toEqual([]);
      expect(heard.happenings).toContainEqual({ kind: 'told', text: expect.stringContaining('401') });
      expect(end.detail).toContain('log in');
    });

    test('a limit that passes is waited for', async () => {
      const limited: Turn = { error: { status: 429, headers: { 'retry-after': 1 } } };
      const { end, heard, facts } = await kindOf({ turns: [limited, { text: 'Here I am.' }] });
      expect(end.kind).toBe('completed');
      expect(heard.happenings).toContainEqual({
        kind: 'retry',
        attempt: 1,
        delayMs: 1_000,
        why: expect.stringContaining('429'),
      });
      expect(facts.rateLimit).toEqual({ text: expect.any(String) });
    });

    test('a session that is not there cannot be gone on with', async () => {
      const opened = await open({});
      const facts = await opened.port.run({ ...opened.plan(), resume: true }, 'Go on', listener(), limits());
      expect(nameEnd(facts).kind).toBe('no_session');
      expect(opened.asked()).toEqual([]);
    });

    test('a session that is there cannot be begun', async () => {
      const opened = await open({});
      const plan = opened.plan();
      await opened.port.run(plan, 'Build a cuckoo clock', listener(), limits());
      const facts = await opened.port.run(plan, 'Do it again', listener(), limits());
      expect(nameEnd(facts)).toMatchObject({
        kind: 'crashed',
        detail: expect.stringContaining('already in use'),
      });
    });
  });

  describe('an ending from outside', () => {
    const begun = async (more: Partial<SessionLimits>) => {
      const opened = await open({ turns: [calling('true')], after: { hang: true } });
      const facts = opened.port.run(opened.plan(), 'Build a cuckoo clock', listener(), limits(more));
      await opened.untilAsked(2);
      return { ...opened, facts };
    };
    const spent = (facts: SessionFacts) => expect(facts.result?.costTotalUsd).toBeGreaterThan(0);

    test('a client that says nothing any more is ended, and what it spent is known', async () => {
      const { facts } = await begun({ idleMs: 2_500 });
      expect(nameEnd(await facts).kind).toBe('hung');
      spent(await facts);
    });

    test('a session can be called off, and what it spent is known', async () => {
      const abort = new AbortController();
      const { facts } = await begun({ signal: abort.signal });
      abort.abort();
      expect(nameEnd(await facts).kind).toBe('aborted');
      spent(await facts);
    });

    test('a session ends at its deadline', async () => {
      const opened = await open({ after: { hang: true } });
      const facts = await opened.port.run(
        opened.plan(),
        'Build a cuckoo clock',
        listener(),
        limits({ deadlineMs: 1_000 }),
      );
      expect(nameEnd(facts).kind).toBe('deadline');
    });

    test('a client that is killed has crashed', async () => {
      const { facts, killClient } = await begun({});
      await killClient();
      expect(nameEnd(await facts)).toMatchObject({
        kind: 'crashed',
        detail: expect.stringContaining('SIGKILL'),
      });
    });

    test('a session that was called off before asks nobody', async () => {
      const opened = await open({});
      const signal = AbortSignal.abort();
      const facts = await opened.port.run(
        opened.plan(),
        'Build a cuckoo clock',
        listener(),
        limits({ signal }),
      );
      expect(nameEnd(facts).kind).toBe('aborted');
      expect(opened.asked()).toEqual([]);
    });

    test('an event that is being answered is told that the answer is no longer wanted', async () => {
      const opened = await open({});
      const abort = new AbortController();
      const heard = listener();
      let unwanted = false;
      heard.event = (event, signal) =>
        new Promise((resolve) => {
          if (event.name !== 'Stop') return resolve({ kind: 'silence' });
          signal.addEventListener('abort', () => {
            unwanted = true;
            resolve({ kind: 'silence' });
          });
          abort.abort();
        });
      const facts = await opened.port.run(
        opened.plan(),
        'Build a cuckoo clock',
        heard,
        limits({ signal: abort.signal }),
      );
      expect(nameEnd(facts).kind).toBe('aborted');
      expect(unwanted).toBe(true);
    });
  });
}
