import { blocks, type Verdict } from '../../../engine/core/loop/verdict.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import type { VerdictView } from './loop-types.ts';

/** A verdict with everything that it rests on. */
export function verdictView(verdict: Verdict): VerdictView {
  const { gate, kind, outcome, summary, evidence = [], proof, children = [] } = verdict;
  return {
    gate,
    kind,
    class: verdict.class,
    outcome,
    summary,
    evidence,
    blocks: blocks(verdict),
    ...defined({ next: verdict.next, asks: verdict.asks }),
    ...defined({ command: proof?.command, exitCode: proof?.exitCode, durationMs: proof?.durationMs }),
    ...defined({ costUsd: proof?.costUsd, room: proof?.room, walls: proof?.walls, tests: proof?.tests }),
    ...defined({ reused: verdict.reused, flaky: verdict.flaky, waits: verdict.waits }),
    notes: verdict.notes ?? [],
    exceptions: verdict.exceptions ?? [],
    children: children.map(verdictView),
  };
}

/** How long gates ran for these verdicts. Verdicts that were used again took no time. */
export function judgedMs(verdicts: readonly Verdict[]): number | undefined {
  const ran = verdicts.flatMap(runs);
  return ran.length === 0 ? undefined : ran.reduce((sum, ms) => sum + ms, 0);
}

function runs({ proof, reused, children = [] }: Verdict): number[] {
  if (reused) return [];
  return proof?.durationMs === undefined ? children.flatMap(runs) : [proof.durationMs];
}
