import { type Contract, DEFAULT_JUDGE_MS, type FrozenContract } from '../core/contract/contract.ts';
import { callsFor } from '../core/loop/plan-gates.ts';
import type { Receipt, ReceiptVerdict } from '../core/loop/receipt.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import { traitsOf } from '../gates/traits.ts';
import type { VerdictCache } from '../ports/ports.ts';
import { freeze } from './freeze-contract.ts';
import { judge } from './judge.ts';
import type { Judges } from './ports.ts';

interface VerifyPlan {
  contract: Contract;
  project: string;
  task: string;
  /** Gates to judge; those of `done` when absent. */
  gates?: readonly string[];
  /** The start for gates that look at changes: a tree, and its commit. */
  base: { tree?: string; commit?: string };
  outputDir: string;
  cache?: VerdictCache;
}

/** Judges a contract without a loop: for CI, for a pre-push hook, and for `untildone verify`. */
export async function verify(plan: VerifyPlan, judges: Judges): Promise<Verdict[]> {
  const { frozen } = await freeze(plan.contract, plan.project, judges);
  const contract: FrozenContract = {
    contract: plan.contract,
    frozen: { ...frozen, judgeMs: DEFAULT_JUDGE_MS },
  };
  // A promise is left out: only a session can state it.
  const names = (plan.gates ?? plan.contract.done).filter(
    (name) => !traitsOf(plan.contract.gates[name]?.kind ?? '').isWord,
  );
  const { verdicts, tree } = await judge(
    {
      calls: callsFor(names, plan.contract),
      frozen: contract,
      session: '',
      task: plan.task,
      outputDir: plan.outputDir,
      base: plan.base,
      allowed: [],
      toolRan: true,
      cache: plan.cache,
    },
    judges,
  );
  return tree !== undefined && tree === plan.base.tree ? verdicts.map(withoutChanges) : verdicts;
}

/** Makes the verdicts of gates that look at changes a skip where there are no changes. */
function withoutChanges(verdict: Verdict): Verdict {
  if (verdict.outcome !== traitsOf(verdict.kind).emptyOutcome) return verdict;
  const summary = 'nothing changed since the commit that the work is compared with; name another with --base';
  return { ...verdict, outcome: 'skip', summary };
}

interface Rerun {
  gate: string;
  command: string;
  before: number | null;
  /** Absent when the command ended without an exit code. */
  now?: number;
  output: string;
}

const LIMIT_MS = 3_600_000;

/** Runs every command of a receipt again, in a fresh copy of the tree that it names. */
export async function rerun(
  receipt: Receipt,
  project: string,
  prepare: string | undefined,
  judges: Judges,
): Promise<Rerun[] | { problem: string }> {
  const { tree, commit } = receipt.work;
  if (tree === null) return { problem: 'this receipt names no tree' };
  const copy = await judges
    .scratch(project)
    .checkout(tree)
    .catch((error: Error) => error);
  if (copy instanceof Error) {
    const way = commit === null ? '' : `; check out commit ${commit} and run: untildone verify --fresh`;
    return { problem: `the tree ${tree} cannot be found here (${copy.message})${way}` };
  }
  try {
    if (prepare !== undefined) {
      const ready = await judges.shell.run({ command: prepare, cwd: copy.dir, timeoutMs: LIMIT_MS });
      if (ready.exitCode !== 0) return { problem: `the preparation "${prepare}" failed:\n${ready.output}` };
    }
    const results: Rerun[] = [];
    for (const { gate, command, exitCode } of commandsIn(receipt.verdicts)) {
      const result = await judges.shell.run({ command, cwd: copy.dir, timeoutMs: LIMIT_MS });
      const now = result.exitCode === undefined ? {} : { now: result.exitCode };
      results.push({ gate, command, before: exitCode, output: result.output, ...now });
    }
    return results;
  } finally {
    await copy.dispose();
  }
}

/** The commands that can be run again. Other gates need a question on stdin, or something outside the tree. */
export function commandsIn(
  verdicts: readonly ReceiptVerdict[],
): { gate: string; command: string; exitCode: number | null }[] {
  return verdicts.flatMap(({ gate, kind, command, exitCode, children }) => [
    ...(command === null || !traitsOf(kind).commandAnywhere ? [] : [{ gate, command, exitCode }]),
    ...commandsIn(children),
  ]);
}
