/** Whether an iteration of a run is worth a commit, and the texts of commits and pull requests. */

import type { GateSubject, TraitsOf } from '../contract/gate-traits.ts';
import { hasEnded, isDone, type LoopState } from '../loop/state.ts';
import { blocks, type Verdict } from '../loop/verdict.ts';
import { oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';
import { describeEnding } from '../words/endings.ts';

/** What passed at the last commit. */
export interface Passing {
  gates: string[];
  /** Of gates that count features or items: how many pass. */
  counts: { gate: string; passing: number; all: number }[];
}

export const NOTHING_PASSES: Passing = { gates: [], counts: [] };

export interface Progress {
  /** What passes now and did not at the last commit, in words. */
  gained: string[];
  /** What passed at the last commit and does not now, in words. */
  lost: string[];
}

/** Whether a gate of this kind can pass only once the work is committed. */
export function waitsForCommit(about: GateSubject | undefined): boolean {
  return about === 'commits' || about === 'service';
}

/** The summary of a list. That of a list that was tampered with begins with other words, and so does not count. */
const COUNT = /^(\d+) of (\d+) (?:features pass|items are ticked)/;

export function passingOf(verdicts: readonly Verdict[], traitsOf: TraitsOf): Passing {
  const work = workIn(verdicts, traitsOf);
  return {
    gates: work.filter((v) => v.outcome === 'pass').map((v) => v.gate),
    counts: work.flatMap((v) => {
      const count = countOf(v);
      return count ? [{ gate: v.gate, ...count }] : [];
    }),
  };
}

export function progressSince(kept: Passing, verdicts: readonly Verdict[], traitsOf: TraitsOf): Progress {
  const work = workIn(verdicts, traitsOf);
  return {
    gained: work.flatMap((v) => gainOf(v, kept)),
    lost: work.flatMap((v) => lossOf(v, kept)),
  };
}

/**
 * Commits what lost nothing and gained something, is done, or lacks only gates that look at commits: those can pass only
 * after the commit.
 */
export function isWorthKeeping(
  { gained, lost }: Progress,
  state: LoopState,
  verdicts: readonly Verdict[],
  traitsOf: TraitsOf,
): boolean {
  if (verdicts.length === 0 || lost.length > 0) return false;
  return gained.length > 0 || isDone(state.status) || lacksOnlyCommit(verdicts, traitsOf);
}

/** Whether only gates fail that can pass after a commit. */
export function lacksOnlyCommit(verdicts: readonly Verdict[], traitsOf: TraitsOf): boolean {
  const open = leaves(verdicts).filter(blocks);
  const isForCommit = (kind: string) => waitsForCommit(traitsOf(kind).about);
  return (
    open.length > 0 && open.every((v) => restsOn(v, isForCommit)) && workIn(verdicts, traitsOf).length > 0
  );
}

/** Whether a gate asks for checks of a service, which run only on what was pushed. */
export function asksForChecks(verdicts: readonly Verdict[], traitsOf: TraitsOf): boolean {
  return verdicts.some(
    (v) => traitsOf(v.kind).about === 'service' || asksForChecks(v.children ?? [], traitsOf),
  );
}

function gainOf(verdict: Verdict, kept: Passing): string[] {
  const count = countOf(verdict);
  if (count) {
    const before = kept.counts.find(({ gate }) => gate === verdict.gate)?.passing ?? 0;
    if (count.passing > before) return [`${verdict.gate}: ${count.passing} of ${count.all}`];
  }
  return verdict.outcome === 'pass' && !kept.gates.includes(verdict.gate) ? [verdict.gate] : [];
}

function lossOf(verdict: Verdict, kept: Passing): string[] {
  const before = kept.counts.find(({ gate }) => gate === verdict.gate);
  const count = countOf(verdict);
  if (before && (count?.passing ?? 0) < before.passing)
    return [
      `${verdict.gate}: ${count ? `${count.passing} of ${count.all}` : verdict.outcome}, was ${before.passing}`,
    ];
  return blocks(verdict) && kept.gates.includes(verdict.gate) ? [verdict.gate] : [];
}

function countOf({ summary }: Verdict): { passing: number; all: number } | undefined {
  const [, passing, all] = COUNT.exec(summary) ?? [];
  return passing === undefined ? undefined : { passing: Number(passing), all: Number(all) };
}

/** The verdicts, with those inside `all` in its place. `any` counts as a whole, because which child passes may change. */
function leaves(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((v) => (v.kind === 'all' && v.children ? leaves(v.children) : [v]));
}

/**
 * The verdicts about the work itself. Gates about commits change with the commit, and gates about a session (promise,
 * tasks) begin anew with every session: neither is progress.
 */
function workIn(verdicts: readonly Verdict[], traitsOf: TraitsOf): Verdict[] {
  const isNoWork = (kind: string) => traitsOf(kind).about !== undefined;
  return leaves(verdicts).filter((v) => !restsOn(v, isNoWork));
}

function restsOn(verdict: Verdict, isOfKind: (kind: string) => boolean): boolean {
  const parts = verdict.children ?? [];
  return parts.length > 0 ? parts.every((part) => restsOn(part, isOfKind)) : isOfKind(verdict.kind);
}

const SUBJECT = 72;
const BODY_LINE = 160;

export interface Commit {
  task: string;
  state: LoopState;
  verdicts: readonly Verdict[];
  progress: Progress;
}

/** The message of a commit. Its trailers let git list the commits of a run. */
export function commitMessage({ task, state, verdicts, progress }: Commit): string {
  return [
    oneLine(redact(subjectOf(state, progress)), SUBJECT),
    '',
    line(`Task: ${task}`),
    '',
    ...verdicts.map((v) => line(`- ${v.gate}: ${v.outcome}, ${v.class}: ${v.summary}`)),
    '',
    `Untildone-Run: ${state.loop}`,
    `Untildone-Iteration: ${judgedIteration(state)}`,
    '',
  ].join('\n');
}

function subjectOf(state: LoopState, { gained }: Progress): string {
  const now = gained.length > 0 ? ` (now: ${gained.join(', ')})` : '';
  if (state.status === 'verified_done') return `All gates pass${now}`;
  if (state.status === 'claimed_done') return `All gates pass, nothing was measured${now}`;
  return gained.length > 0
    ? `Passes now: ${gained.join(', ')}`
    : 'Complete but for gates that look at commits';
}

function line(text: string): string {
  return oneLine(redact(text), BODY_LINE);
}

/** The iteration that was judged. A hold has already counted the next one; asking for a hand-over note has not. */
export function judgedIteration(state: LoopState): number {
  const wasHeld = !hasEnded(state) && !state.waiting && state.run?.handOver === undefined;
  return Math.max(1, state.iteration - (wasHeld ? 1 : 0));
}

const SLUG = 40;

/** The branch of a run: words of the task in plain letters, digits and dashes, and the id of the run. */
export function branchName(task: string, loop: string): string {
  const words = task
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  const slug = (words.length > SLUG ? words.slice(0, SLUG + 1).replace(/-[^-]*$/, '') : words)
    .slice(0, SLUG)
    .replace(/-$/, '');
  return slug === '' ? `untildone/${loop}` : `untildone/${slug}-${loop}`;
}

const TITLE = 100;

export function pullRequestTitle(task: string, state: LoopState, whole: boolean): string {
  const title = oneLine(redact(task), TITLE) || `Run ${state.loop}`;
  return whole ? title : `[not done] ${title}`;
}

/** The receipt when there is one, otherwise how far the run came. */
export function pullRequestText(state: LoopState, receipt: string | undefined): string {
  if (receipt !== undefined) return receipt;
  const ending = describeEnding(state) || 'The run goes on.';
  const gates = state.gates.map((g) => line(`- ${g.name}: ${g.verdict}, ${g.class}: ${g.summary}`));
  return [`Run ${state.loop}, iteration ${judgedIteration(state)}: ${ending}`, '', ...gates].join('\n');
}
