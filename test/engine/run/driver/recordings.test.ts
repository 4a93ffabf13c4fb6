import { expect, test } from 'vitest';
import { parseCallbackInput, renderCallback } from '../../../../src/engine/client/hooks/render.ts';
import { DEFAULT_LIMITS, promiseContract } from '../../../../src/engine/core/contract/contract.ts';
import type { GateContext } from '../../../../src/engine/gates/gate.ts';
import { promiseGate } from '../../../../src/engine/gates/promise/index.ts';
import { done } from '../../../support/hook/session-facts.ts';
import { withoutPlaceholders } from '../../../support/live/placeholders.ts';
import { type EventStep, kindOfAnswer, recordings, renewal } from '../../../support/live/recording.ts';
import { runScene, type Session } from '../../../support/run/run-scene.ts';

/** To a run the client sends SessionStart only after a compaction, and SessionEnd only when it is ended from outside. */
const NOT_SENT = ['SessionStart', 'SessionEnd'];

/** Each SessionStart begins one: a session, or the same one resumed. */
function sessionsOf(steps: readonly EventStep[]): EventStep[][] {
  const sessions: EventStep[][] = [];
  for (const step of steps) {
    if (step.input.hook_event_name === 'SessionStart') sessions.push([]);
    else if (!NOT_SENT.includes(String(step.input.hook_event_name))) sessions.at(-1)?.push(step);
  }
  return sessions;
}

// `npm run test:all` plays the real client again and compares what it sends with these.
test.each([...recordings()].filter(([name]) => name.startsWith('run/')))(
  '%s is answered as the real client was',
  async (name, recording) => {
    const says = { promise: (context: GateContext) => promiseGate.judge({ text: 'DONE' }, context) };
    const run = runScene(says, { mode: 'session', contract: promiseContract('DONE', DEFAULT_LIMITS) });
    const { project } = run.scene;
    const steps = withoutPlaceholders(recording.steps, project, Date.now());
    const answers: string[] = [];
    const play =
      (events: readonly EventStep[]): Session =>
      async ({ plan, send }) => {
        for (const { input, answer } of events) {
          const parsed = parseCallbackInput({ ...input, session_id: plan.session, cwd: project });
          if (!('event' in parsed)) throw new Error(`not understood: ${JSON.stringify(input)}`);
          const event = String(input.hook_event_name);
          const said = renderCallback(event, await send(parsed.event));
          const now = kindOfAnswer(Object.keys(said).length === 0 ? '' : JSON.stringify(said));
          if (answer !== 'unknown') answers.push(`${event}: ${now}`);
        }
        // Held, and no Stop after that.
        const failed = answers.at(-1) === 'Stop: block' && events.at(-1)?.answer === 'block';
        return failed ? done({ isError: true, terminalReason: 'api_error', apiErrorStatus: 500 }) : done();
      };
    const events = steps.filter((step) => step.kind === 'event');
    const status = await run.go(...sessionsOf(events).map(play));
    const why = `other answers than in ${name}. If they are right: ${renewal(recording.test)}`;
    const recorded = events.filter(({ answer }) => answer !== 'unknown');
    expect(answers, why).toEqual(recorded.map(({ input, answer }) => `${input.hook_event_name}: ${answer}`));
    const { iteration } = run.scene.store.read(run.ref);
    expect([`${status} at iteration ${iteration}`], why).toEqual(recording.loops);
    expect(run.began.map(({ resume }) => resume)).toEqual([false, true]);
  },
);
