import type { Contract, FrozenContract } from '../core/contract/contract.ts';
import { DEFAULT_JUDGE_MS } from '../core/contract/contract.ts';
import { callsFor } from '../core/loop/plan-gates.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import { traitsOf } from '../gates/traits.ts';
import type { VerdictCache } from '../ports/ports.ts';
import { freeze } from './freeze-contract.ts';
import { judge } from './judge.ts';
import type { Judges } from './ports.ts';

export interface VerifyPlan {
  contract: Contract;
  project: string;
  task: string;
  /** Gates to judge; those of `done` when absent. */
  gates?: readonly string[];
  /** What "since" means for gates that look at changes: a tree, and the commit it belongs to. */
  base: { tree?: string; commit?: string };
  outputDir: string;
  cache?: VerdictCache;
}

/** Judges a contract as it stands, without a loop: for CI, for a pre-push hook, and for people who want to know. */
export async function verify(plan: VerifyPlan, judges: Judges): Promise<Verdict[]> {
  const { frozen } = await freeze(plan.contract, plan.project, judges);
  const contract: FrozenContract = {
    contract: plan.contract,
    frozen: { ...frozen, judgeMs: DEFAULT_JUDGE_MS },
  };
  // A promise is made by a session; where there is none, nothing can be said about it.
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
      ...(plan.cache ? { cache: plan.cache } : {}),
    },
    judges,
  );
  return tree !== undefined && tree === plan.base.tree ? verdicts.map(withoutChanges) : verdicts;
}

/** Gates that look at changes have nothing to say where there are none: that is neither a pass nor a failure. */
function withoutChanges(verdict: Verdict): Verdict {
  if (verdict.outcome !== traitsOf(verdict.kind).emptyOutcome) return verdict;
  const summary = 'nothing was changed since the commit it is compared with; name another with --base';
  return { ...verdict, outcome: 'skip', summary };
}
