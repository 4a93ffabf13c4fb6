import { callsFor } from '../../core/loop/plan-gates.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { inBaseline } from '../../hook/start/start-loop.ts';
import { judge } from '../../judging/judge.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** How the work of a run stands, between its sessions: only what a baseline asks, so that no model is paid for it. */
export async function judgeMerge(ref: LoopRef, ports: JudgingPorts): Promise<Verdict[]> {
  const { store } = ports;
  const frozen = store.contract(ref);
  const { session, base, allowed } = store.read(ref);
  const { verdicts } = await judge(
    {
      calls: inBaseline(callsFor(frozen.contract.done, frozen.contract)),
      frozen,
      session,
      task: store.task(ref),
      outputDir: store.outputDir(ref),
      base,
      allowed,
      toolRan: true,
    },
    await ports.judges(frozen.contract),
  );
  return verdicts;
}
