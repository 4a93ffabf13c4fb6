import { type Contract, DEFAULT_JUDGE_MS } from '../core/contract/contract.ts';
import { COMBINATIONS } from '../core/contract/gate-options.ts';
import { callsFor } from '../core/loop/plan-gates.ts';
import type { Receipt, ReceiptVerdict } from '../core/loop/receipt.ts';
import { combine, type Verdict } from '../core/loop/verdict.ts';
import type { Judges } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';
import type { JudgingProgress } from '../ports/judging.ts';
import type { VerdictCache } from '../ports/ports.ts';
import { freeze } from './freeze-contract.ts';
import { judge } from './judge.ts';

/** A tree, and its commit. */
export interface VerifyBase {
  tree?: string;
  commit?: string;
  /** Why the commit that the work began with is not known: then only what is not committed can be compared. */
  unknown?: string;
}

interface VerifyPlan {
  contract: Contract;
  project: string;
  task: string;
  /** Gates to judge; those of `done` when absent. */
  gates?: readonly string[];
  /** The start for gates that look at changes. */
  base: VerifyBase;
  /** Exceptions that you allow by name. */
  allowed?: readonly string[];
  outputDir: string;
  cache?: VerdictCache;
  /** How long all gates may take together; an hour when absent. */
  judgeMs?: number;
  signal?: AbortSignal;
  progress?: JudgingProgress;
}

/** What was not judged, and why. */
export interface NotJudged {
  gate: string;
  /**
   * `session`: only a session can say it. `nothing_to_compare`: there is no earlier state of the work here.
   * `not_concerned`: the gate itself says that it does not concern this work.
   */
  why: 'session' | 'nothing_to_compare' | 'not_concerned';
  reason: string;
}

export interface Verification {
  verdicts: Verdict[];
  notJudged: NotJudged[];
  /** The tree that was judged; undefined without git. */
  tree: string | undefined;
}

/** Judges a contract without a loop: for CI, for a pre-push hook, and for `untildone verify`. */
export async function verify(plan: VerifyPlan, judges: Judges): Promise<Verification> {
  const { frozen } = await freeze(plan.contract, plan.project, judges);
  // A promise is left out: only a session can state it.
  const isWord = (name: string) => traitsOf(plan.contract.gates[name]?.kind ?? '').isWord === true;
  const names = plan.gates ?? plan.contract.done;
  const { verdicts, tree } = await judge(
    {
      calls: callsFor(
        names.filter((name) => !isWord(name)),
        plan.contract,
      ),
      contract: plan.contract,
      frozen: { ...frozen, judgeMs: plan.judgeMs ?? DEFAULT_JUDGE_MS },
      session: '',
      task: plan.task,
      outputDir: plan.outputDir,
      base: plan.base,
      allowed: [...(plan.allowed ?? [])],
      toolRan: true,
      cache: plan.cache,
      signal: plan.signal,
      progress: plan.progress,
    },
    judges,
  );
  const changedNothing = tree !== undefined && tree === plan.base.tree;
  const reason = plan.base.unknown ?? (changedNothing ? NOTHING_CHANGED : undefined);
  const judged = reason === undefined ? verdicts : verdicts.map((verdict) => withoutChanges(verdict, reason));
  const words = names
    .filter(isWord)
    .map((gate): NotJudged => ({ gate, why: 'session', reason: 'only a session can state it' }));
  return {
    verdicts: judged,
    notJudged: [...words, ...judged.flatMap((verdict) => skippedIn(verdict, reason))],
    tree,
  };
}

const NOTHING_CHANGED =
  'nothing changed since the commit that the work is compared with; name another with --base';

/**
 * Makes the verdicts of gates that look at changes a skip where there are no changes to look at. What they object to stays:
 * it was found in what is not committed.
 */
function withoutChanges(verdict: Verdict, reason: string): Verdict {
  const { kind, outcome, children } = verdict;
  if (children) {
    const inside = children.map((child) => withoutChanges(child, reason));
    const how = COMBINATIONS.find((combination) => combination === kind);
    const { onUnproven } = verdict;
    return how ? { ...combine(how, verdict.gate, inside), onUnproven } : { ...verdict, children: inside };
  }
  const { emptyOutcome } = traitsOf(kind);
  const saysNothing = emptyOutcome !== undefined && (outcome === 'pass' || outcome === emptyOutcome);
  return saysNothing ? { ...verdict, outcome: 'skip', summary: reason } : verdict;
}

/** The gates that were skipped, inside others, too. Where any one is enough, the others are not missed. */
function skippedIn(verdict: Verdict, reason: string | undefined): NotJudged[] {
  const { gate, kind, outcome, summary, children = [] } = verdict;
  if (kind === 'any' && outcome === 'pass') return [];
  if (children.length > 0) return children.flatMap((child) => skippedIn(child, reason));
  if (outcome !== 'skip') return [];
  const { needsSession, emptyOutcome } = traitsOf(kind);
  const why = needsSession
    ? 'session'
    : emptyOutcome !== undefined && reason !== undefined
      ? 'nothing_to_compare'
      : 'not_concerned';
  return [{ gate, why, reason: summary }];
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

/**
 * Runs every command of a receipt again, in a fresh copy of the tree that it names. `whole` gives the command that runs for
 * one that the receipt shows.
 */
export async function rerun(
  receipt: Receipt,
  project: string,
  prepare: string | undefined,
  judges: Judges,
  whole: (command: string) => string = (command) => command,
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
      const result = await judges.shell.run({ command: whole(command), cwd: copy.dir, timeoutMs: LIMIT_MS });
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
