import type { HookEvent } from '../core/loop/event.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import type { JudgingFacts } from '../ports/guarded-session.ts';
import type { Judged, OwnWork } from '../ports/judging.ts';
import { judge } from './judge.ts';
import type { JudgingPorts } from './ports.ts';

/** What is known of the turn that ends. */
export interface SeenTurn {
  lastMessage?: string | undefined;
  /** Whether a tool ran since the last judging. */
  toolRan: boolean;
  /** No model is asked: the agent waits for you anyway. */
  unpaid?: true;
  /** The part of the work that is a subagent's own; absent for the session itself. */
  own?: OwnWork | undefined;
}

/** Judges the planned gates for an event. */
export async function judgeEvent(
  event: HookEvent,
  planned: readonly GateCall[],
  facts: JudgingFacts,
  { lastMessage, toolRan, unpaid, own }: SeenTurn,
  ports: Pick<JudgingPorts, 'judges'>,
): Promise<Judged> {
  const calls = own?.calls(planned) ?? planned;
  if (calls.length === 0) return { verdicts: [] };
  return judge(
    {
      ...facts,
      calls,
      event,
      toolRan,
      unpaid: unpaid || undefined,
      lastMessage,
      transcript: event.transcript,
      ...own?.work,
    },
    await ports.judges(facts.frozen.contract),
  );
}
