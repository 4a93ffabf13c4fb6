/** How sessions end, whatever ends them: a part of what every session port does. */
import { describe, expect, test } from 'vitest';
import type { Script, Turn } from '../../../src/dev/simulator/script.ts';
import type { Answer } from '../../../src/engine/core/loop/event.ts';
import { nameEnd, type SessionEnd, type SessionFacts } from '../../../src/engine/core/run/session-end.ts';
import type { SessionLimits, SessionPlan } from '../../../src/engine/ports/ports.ts';
import { cutOff } from '../patience.ts';
import { calling, limits, listener, named, type OpenSessions, runIn } from './session-port.ts';

const NO_RETRIES = { CLAUDE_CODE_MAX_RETRIES: '0' };

type Ending = [what: string, script: Script, more: Partial<SessionPlan>, expected: Partial<SessionEnd>];

const OFTEN: Ending[] = [
  ['529', { after: { error: { status: 529 } } }, {}, { kind: 'api_error', status: 529 }],
];

const RARE: Ending[] = [
  ['429', { after: { error: { status: 429 } } }, {}, { kind: 'rate_limited' }],
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
  ['500', { after: { error: { status: 500 } } }, {}, { kind: 'api_error', status: 500 }],
  ['a lost connection', { after: { drop: true } }, {}, { kind: 'api_error' }],
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
];

export function endsOfTheClientHaveNames(open: OpenSessions, rarely: typeof test): void {
  describe('an ending of the client', () => {
    const kindOf = async (script: Script, more: Partial<SessionPlan> = {}, heard = listener()) => {
      const { end, asked, facts } = await runIn(open, script, heard, more);
      return { end, asked, facts, heard };
    };

    const has = async (...[, script, more, expected]: Ending) => {
      const { end } = await kindOf(script, { env: NO_RETRIES, ...more });
      expect(end).toMatchObject(expected);
      expect(end.detail).toMatch(/\w{3}/);
    };
    test.each(OFTEN)('%s has its name', has);
    rarely.each(RARE)('%s has its name', has);

    rarely('by a Stop that is answered with halt has its name', async () => {
      const heard = listener((event) =>
        event.name === 'Stop' ? { kind: 'halt', message: 'Enough for today.' } : undefined,
      );
      expect((await kindOf({}, {}, heard)).end.kind).toBe('stopped_by_hook');
    });

    rarely('by a prompt that is refused has its name, and nobody was asked', async () => {
      const heard = listener((event) =>
        event.name === 'UserPromptSubmit' ? { kind: 'refuse', reason: 'Not now.' } : undefined,
      );
      const { end, asked } = await kindOf({}, {}, heard);
      expect(end).toMatchObject({ kind: 'stopped_by_hook', detail: expect.stringContaining('Not now.') });
      expect(asked()).toEqual([]);
    });

    rarely('by compaction that is refused has its name', async () => {
      const heard = listener((event) =>
        event.name === 'other' && event.eventName === 'PreCompact'
          ? { kind: 'refuse', reason: 'Not this conversation.' }
          : undefined,
      );
      const script = { turns: [calling('true', { usage: { input_tokens: 990_000 } })] };
      expect((await kindOf(script, {}, heard)).end.kind).toBe('context_full');
    });

    rarely('at its cap of blocks in a row looks like no success', async () => {
      const always: Answer = { kind: 'refuse', reason: 'More.' };
      const heard = listener((event) => (event.name === 'Stop' ? always : undefined));
      const { end, asked } = await kindOf({}, {}, heard);
      expect(end.kind).toBe('capped');
      expect(named(heard, 'Stop')).toHaveLength(9);
      expect(asked()).toHaveLength(9);
    });

    rarely('does not come from a cap that was taken away', async () => {
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

    rarely('an error tells the hooks so, and what it was is shown', async () => {
      const { heard, end } = await kindOf({ after: { error: { status: 401 } } }, { env: NO_RETRIES });
      expect(named(heard, 'StopFailure')).toMatchObject([{ error: 'authentication_failed' }]);
      expect(named(heard, 'Stop')).toEqual([]);
      expect(heard.happenings).toContainEqual({ kind: 'told', text: expect.stringContaining('401') });
      expect(end.detail).toContain('log in');
    });

    rarely('a limit that passes is waited for', async () => {
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

    rarely('a session that is not there cannot be gone on with', async () => {
      const opened = await open({});
      const facts = await opened.port.run({ ...opened.plan(), resume: true }, 'Go on', listener(), limits());
      expect(nameEnd(facts).kind).toBe('no_session');
      expect(opened.asked()).toEqual([]);
    });

    rarely('a session that is there cannot be begun', async () => {
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
}

export function endsFromOutsideHaveNames(open: OpenSessions, rarely: typeof test): void {
  describe('an ending from outside', () => {
    const begun = async (more: Partial<SessionLimits>) => {
      const opened = await open({ turns: [calling('true')], after: { hang: true } });
      const facts = opened.port.run(opened.plan(), 'Build a cuckoo clock', listener(), limits(more));
      await opened.untilAsked(2);
      return { ...opened, facts };
    };
    const spent = (facts: SessionFacts) => expect(facts.result?.costTotalUsd).toBeGreaterThan(0);

    test('a client that says nothing any more is ended, and what it spent is known', async () => {
      const hangs = async (idleMs: number) => {
        const opened = await open({ turns: [calling('true')], after: { hang: true } });
        const run = opened.port.run(opened.plan(), 'Build a cuckoo clock', listener(), limits({ idleMs }));
        return { facts: await run, asked: opened.asked().length };
      };
      const { facts } = await cutOff(2_500, hangs, ({ asked }) => asked === 2);
      expect(nameEnd(facts).kind).toBe('hung');
      spent(facts);
    });

    rarely('a session can be called off, and what it spent is known', async () => {
      const abort = new AbortController();
      const { facts } = await begun({ signal: abort.signal });
      abort.abort();
      expect(nameEnd(await facts).kind).toBe('aborted');
      spent(await facts);
    });

    rarely('a session ends at its deadline', async () => {
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

    rarely('a session that was called off before asks nobody', async () => {
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

    rarely('an event that is being answered is told that the answer is no longer wanted', async () => {
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
