/** What a contract would have said to the loops of the past: judges it on their kept trees, in copies of them. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract, GateSpec } from '../../core/contract/contract.ts';
import { blocks, type EvidenceClass, type Outcome, type Verdict } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import { createHome, type Home, homeAt } from '../../home/layout.ts';
import type { Judges } from '../../judging/ports.ts';
import { type Verification, verify } from '../../judging/verify.ts';
import type { ScratchFolder, Workspace } from '../../ports/ports.ts';
import { answersByTree, type Unjudged } from './judgeable.ts';
import type { PastLoop, PastStop } from './past.ts';

export interface ReplayPlan {
  contract: Contract;
  /** The gates to judge. */
  gates: readonly string[];
  unjudged: readonly Unjudged[];
  /** Run in every copy first. */
  prepare: readonly string[];
  /** At most so many trees are judged. */
  most: number;
  signal: AbortSignal;
  /** Before each tree that is judged. */
  progress(loop: string, iteration: number, count: number): void;
}

export interface ReplayWorld {
  /** Of the real home: it has the trees. */
  judges: Judges;
  /** Judges whose traces go into another home. */
  judgesIn(home: Home): Promise<Judges>;
}

export interface ReplayedLoop {
  loop: string;
  started_at: string;
  status: string;
  task: string;
  stops: ReplayedStop[];
}

export interface ReplayedStop {
  iteration: number;
  at: string;
  tree: string | null;
  said: { done: boolean; decision: string; gates: GateSaid[] };
  /** Null where the tree could not be judged; `problem` says why. */
  says: { done: boolean; gates: GateSaid[]; skipped: string[] } | null;
  problem?: string;
  /** Whether the new contract comes to another conclusion about this tree. */
  differs: boolean;
  differences: Difference[];
}

export interface GateSaid {
  name: string;
  class: EvidenceClass;
  verdict: Outcome;
  summary: string;
}

export interface Difference {
  name: string;
  said: Outcome | 'absent';
  says: Outcome | 'absent';
  summary: string;
  /** The gate is the same in both contracts, so the difference is in its surroundings: dependencies, time, flakiness. */
  same_gate?: true;
}

const INTERRUPTED = 'interrupted';
const PREPARE_MS = 30 * 60_000;
const SUMMARY = 200;

/** Judges each tree once. An abort ends it with what there is. */
export async function replayLoops(
  loops: readonly PastLoop[],
  plan: ReplayPlan,
  world: ReplayWorld,
): Promise<{ loops: ReplayedLoop[]; judged: number; left: number }> {
  const root = await mkdtemp(join(tmpdir(), 'untildone-replay-'));
  const home = homeAt(join(root, 'home'));
  createHome(home);
  const trees = new JudgedTrees(plan, world, home, join(root, 'output'));
  try {
    const replayed: ReplayedLoop[] = [];
    for (const past of loops) {
      if (plan.signal.aborted) break;
      replayed.push(await replayLoop(past, plan, trees));
    }
    return { loops: replayed, judged: trees.judged, left: trees.left };
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

async function replayLoop(past: PastLoop, plan: ReplayPlan, trees: JudgedTrees): Promise<ReplayedLoop> {
  const stops: ReplayedStop[] = [];
  for (const stop of past.stops) {
    const found = plan.signal.aborted ? { problem: INTERRUPTED } : await trees.judge(past, stop);
    stops.push(replayedStop(past, stop, plan, found));
  }
  const { loop, startedAt, status, task } = past;
  return { loop, started_at: new Date(startedAt).toISOString(), status, task, stops };
}

type Found = Verification | { problem: string };

/** Judges trees in copies; the same tree of the same start only once. */
class JudgedTrees {
  judged = 0;
  left = 0;
  readonly #known = new Map<string, Found>();

  readonly #plan: ReplayPlan;
  readonly #world: ReplayWorld;
  readonly #home: Home;
  readonly #outputDir: string;

  constructor(plan: ReplayPlan, world: ReplayWorld, home: Home, outputDir: string) {
    this.#plan = plan;
    this.#world = world;
    this.#home = home;
    this.#outputDir = outputDir;
  }

  async judge(past: PastLoop, { tree, iteration }: PastStop): Promise<Found> {
    if (tree === undefined) return { problem: 'no tree was recorded' };
    const key = `${past.baseTree} ${tree}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.judged >= this.#plan.most) {
      this.left++;
      return { problem: `left out: ${this.#plan.most} trees were judged (--most)` };
    }
    this.judged++;
    this.#plan.progress(past.loop, iteration, this.judged);
    const found = await this.#inCopy(past, tree);
    this.#known.set(key, found);
    return found;
  }

  async #inCopy(past: PastLoop, tree: string): Promise<Found> {
    const copy = await this.#copyOf(past, tree);
    if (copy instanceof Error)
      return { problem: `its tree is not kept any more (${oneLine(copy.message, SUMMARY)})` };
    try {
      const found = (await this.#prepare(copy)) ?? (await this.#verify(copy, past));
      // What was ended says nothing about the tree.
      return this.#plan.signal.aborted ? { problem: INTERRUPTED } : (unprovenIn(found) ?? found);
    } catch (error) {
      return { problem: oneLine((error as Error).message, SUMMARY) };
    } finally {
      await copy.dispose();
    }
  }

  async #copyOf({ projects, baseTree }: PastLoop, tree: string): Promise<ScratchFolder | Error> {
    let problem = new Error('no project');
    for (const project of projects) {
      const options = { base: baseTree, signal: this.#plan.signal };
      const copy = await this.#world.judges
        .scratch(project)
        .checkout(tree, options)
        .catch((error: Error) => error);
      if (!(copy instanceof Error)) return copy;
      problem = copy;
    }
    return problem;
  }

  async #prepare({ dir }: ScratchFolder): Promise<{ problem: string } | undefined> {
    for (const command of this.#plan.prepare) {
      const { exitCode, output } = await this.#world.judges.shell.run({
        command,
        cwd: dir,
        timeoutMs: PREPARE_MS,
        signal: this.#plan.signal,
      });
      if (exitCode !== 0)
        return { problem: `the preparation "${oneLine(redact(command), 80)}" failed: ${lastLine(output)}` };
    }
    return undefined;
  }

  async #verify({ dir }: ScratchFolder, { projects }: PastLoop): Promise<Found> {
    const { contract, gates, signal } = this.#plan;
    const own = await this.#world.judgesIn(this.#home);
    const [project = dir] = projects.slice(-1);
    // Held-out tests lie in the real home, with the project.
    const judges: Judges = { ...own, holdout: () => heldOut(this.#world.judges, project) };
    return verify(
      {
        contract,
        gates,
        signal,
        project: dir,
        task: contract.task ?? '',
        outputDir: this.#outputDir,
        base: await startOf(judges.workspace(dir)),
      },
      judges,
    );
  }
}

/** Nothing fails, but a gate could not be measured on the copy: that is neither done nor not done. */
function unprovenIn(found: Found): { problem: string } | undefined {
  if ('problem' in found || found.verdicts.some(({ outcome }) => outcome === 'fail')) return undefined;
  const open = found.verdicts.find(blocks);
  return open && { problem: `unproven on a copy: ${open.gate}: ${oneLine(redact(open.summary), SUMMARY)}` };
}

function heldOut(judges: Judges, project: string) {
  const holdout = judges.holdout?.(project);
  if (!holdout) throw new Error('no held-out tests can be kept here');
  return holdout;
}

/** The last commit of a copy is the start of the work. */
async function startOf(workspace: Workspace): Promise<{ commit?: string; tree?: string }> {
  const named = async (what: string) => {
    const { exitCode, stdout } = await workspace.git(['rev-parse', '--verify', '--quiet', what]);
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  return { commit: await named('HEAD'), tree: await named('HEAD^{tree}') };
}

function lastLine(output: string): string {
  const lines = redact(output).trimEnd().split('\n');
  return oneLine(lines.at(-1) ?? '', SUMMARY);
}

function replayedStop(past: PastLoop, stop: PastStop, plan: ReplayPlan, found: Found): ReplayedStop {
  // Words of the agent and answers of yours were said then, and cannot be compared.
  const then = stop.verdicts.filter(({ kind }) => answersByTree(kind));
  const base = {
    iteration: stop.iteration,
    at: new Date(stop.at).toISOString(),
    tree: stop.tree ?? null,
    said: { done: !then.some(blocks), decision: decisionWords(stop.decision), gates: then.map(inShort) },
  };
  if ('problem' in found)
    return { ...base, says: null, problem: found.problem, differs: false, differences: [] };
  const now = found.verdicts.filter(({ outcome }) => outcome !== 'skip');
  const done = !now.some(blocks);
  const skipped = found.notJudged.map(({ gate }) => gate);
  return {
    ...base,
    says: { done, gates: now.map(inShort), skipped },
    differs: done !== base.said.done,
    differences: differencesOf(then, now, past.contract, plan.contract),
  };
}

function inShort({ gate, class: evidence, outcome, summary }: Verdict): GateSaid {
  return { name: gate, class: evidence, verdict: outcome, summary: oneLine(redact(summary), SUMMARY) };
}

function differencesOf(
  then: readonly Verdict[],
  now: readonly Verdict[],
  before: Contract,
  after: Contract,
): Difference[] {
  const names = [...new Set([...now, ...then].map(({ gate }) => gate))];
  return names.flatMap((gate) => {
    const old = then.find((verdict) => verdict.gate === gate);
    const fresh = now.find((verdict) => verdict.gate === gate);
    if (old?.outcome === fresh?.outcome) return [];
    const same = isSame(before.gates[gate], after.gates[gate]);
    const { summary } = inShort((fresh ?? old) as Verdict);
    const pair = { said: old?.outcome ?? ('absent' as const), says: fresh?.outcome ?? ('absent' as const) };
    return [{ name: gate, ...pair, summary, ...(same && old && fresh ? { same_gate: true as const } : {}) }];
  });
}

function isSame(before: GateSpec | undefined, after: GateSpec | undefined): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after);
}

function decisionWords(decision: PastStop['decision']): string {
  switch (decision.kind) {
    case 'block':
      return 'held';
    case 'end':
      return decision.status;
    case 'allow':
      return `let go (${decision.cause})`;
  }
}
