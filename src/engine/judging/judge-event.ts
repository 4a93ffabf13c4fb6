import type { HookEvent } from '../core/loop/event.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import type { Judged, JudgedSession, OwnWork } from '../ports/judging.ts';
import { judge } from './judge.ts';
import type { Ports } from './ports.ts';

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

/** Judges the planned gates for an event. What judges is loaded only when there are any. */
export async function judgeEvent(
  event: HookEvent,
  planned: readonly GateCall[],
  session: JudgedSession,
  { own, ...turn }: SeenTurn,
  ports: Pick<Ports, 'judges'>,
): Promise<Judged> {
  const calls = own?.calls(planned) ?? planned;
  if (calls.length === 0) return { verdicts: [] };
  const { transcript } = event;
  return judge(
    { ...session, ...turn, calls, event, transcript, ...own?.work },
    await ports.judges(session.contract),
  );
}
