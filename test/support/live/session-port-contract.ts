/** What every session port does: the real one, and the one that is played in unit tests. */
import { describe, expect, test } from 'vitest';
import { nameEnd } from '../../../src/engine/core/run/session-end.ts';
import { calling, limits, listener, named, type OpenSessions, runIn } from './session-port.ts';
import { endsFromOutsideHaveNames, endsOfTheClientHaveNames } from './session-port-endings.ts';

/** `rarely` tests what is a form of something that another test shows. */
export function keepsSessionPortContract(open: OpenSessions, rarely = test): void {
  sessionsWork(open, rarely);
  preparedClientsWork(open, rarely);
  endsOfTheClientHaveNames(open, rarely);
  endsFromOutsideHaveNames(open, rarely);
}

function sessionsWork(open: OpenSessions, rarely: typeof test): void {
  describe('a session', () => {
    test('works, is held at its Stop, and is let go', async () => {
      const heard = listener((event) =>
        event.name === 'Stop' && !event.stopHookActive
          ? { kind: 'refuse', reason: 'The tests fail.' }
          : undefined,
      );
      const script = { turns: [calling('true', { text: 'I look.' }), { text: 'Done?' }, { text: 'Done!' }] };
      const { facts, end, asked } = await runIn(open, script, heard);
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

    rarely('every event names the session and where it is', async () => {
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
      const { end, asked } = await runIn(open, { turns: [calling('touch made'), { text: 'Pity.' }] }, heard);
      expect(end.kind).toBe('completed');
      expect(asked()[1]).toContain('Not this file.');
      expect(heard.happenings).toContainEqual({ kind: 'returned', tool: 'Bash', failed: true });
    });

    rarely('what is put in beside the prompt reaches the model', async () => {
      const heard = listener((event) =>
        event.name === 'UserPromptSubmit' ? { kind: 'inject', context: 'Iteration 4 of 50.' } : undefined,
      );
      const { asked } = await runIn(open, {}, heard);
      expect(asked()[0]).toContain('Iteration 4 of 50.');
    });

    rarely('an answer that fails lets the client go on, and is told', async () => {
      const heard = listener((event) => {
        if (event.name === 'Stop') throw new Error('the disk is full');
        return undefined;
      });
      const { end } = await runIn(open, {}, heard);
      expect(end.kind).toBe('completed');
      expect(heard.happenings).toContainEqual({
        kind: 'told',
        text: expect.stringContaining('the disk is full'),
      });
    });

    rarely('says how full its context is', async () => {
      const heard = listener();
      const usage = { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3_000 };
      const { facts } = await runIn(open, { turns: [{ text: 'Done.', usage }] }, heard);
      expect(heard.happenings.filter(({ kind }) => kind === 'usage')).toEqual([
        { kind: 'usage', contextTokens: 3_210, model: 'claude-opus-5-5' },
      ]);
      expect(facts.result?.tokensTotal).toBe(10 + 200 + 5);
    });

    rarely('is compacted when it is full, and goes on with what it is reminded of', async () => {
      const heard = listener((event) =>
        event.name === 'SessionStart' ? { kind: 'inject', context: 'You are in a loop.' } : undefined,
      );
      const full = { input_tokens: 980_000 };
      const { facts, end, asked } = await runIn(
        open,
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
}

function preparedClientsWork(open: OpenSessions, rarely: typeof test): void {
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

    rarely('that was discarded, twice, has asked nothing; its plan can still be run', async () => {
      const opened = await open({});
      const ready = await opened.port.prepare(opened.plan());
      await ready.discard();
      await ready.discard();
      expect(opened.asked()).toEqual([]);
      expect(nameEnd(await opened.port.run(ready, 'Build a cuckoo clock', listener(), limits())).kind).toBe(
        'completed',
      );
    });

    rarely('goes on with an old session', async () => {
      const opened = await open({});
      const plan = opened.plan();
      await opened.port.run(plan, 'Do the first', listener(), limits());
      const ready = await opened.port.prepare({ ...plan, resume: true });
      await opened.port.run(ready, 'Do the second', listener(), limits());
      expect(opened.asked()[1]).toMatch(/Do the first.*Do the second/s);
    });
  });
}
