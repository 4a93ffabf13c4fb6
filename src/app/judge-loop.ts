import type { HookEvent } from '../core/event.ts';
import type { LoopState } from '../core/loop.ts';
import { planGates } from '../core/plan-gates.ts';
import type { LoopRef } from '../ports.ts';
import { type Judged, type JudgingPorts, judge } from './judge.ts';

/** Judges the gates with which a loop's contract guards this event. */
export async function judgeLoop(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  seen: { lastMessage?: string | undefined; toolRan: boolean },
  ports: JudgingPorts,
): Promise<Judged> {
  const frozen = ports.store.contract(ref);
  const calls = planGates(event, frozen.contract);
  if (calls.length === 0) return { verdicts: [] };
  return judge(
    {
      calls,
      frozen,
      session: state.session,
      task: ports.store.task(ref),
      outputDir: ports.store.outputDir(ref),
      base: state.base,
      allowed: state.allowed,
      cache: ports.store.cache(ref),
      toolRan: seen.toolRan || state.toolSeen,
      event,
      ...(seen.lastMessage === undefined ? {} : { lastMessage: seen.lastMessage }),
      ...(event.transcript === undefined ? {} : { transcript: event.transcript }),
    },
    await ports.judges(frozen.contract),
  );
}
