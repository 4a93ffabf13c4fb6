/** Whether an iteration of a run is worth a commit, and the words that go with it. */

import type { GateSubject, TraitsOf } from '../contract/gate-traits.ts';
import { hasEnded, type LoopState } from '../loop/state.ts';
import { blocks, type Verdict } from '../loop/verdict.ts';
import { oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';
import { describeEnding } from '../words/endings.ts';

/** What passed at a point of the work that was kept. */
export interface Passing {
  gates: string[];
  /** Of gates that count: how many features pass, how many items are ticked. */
  counts: { gate: string; passing: number; all: number }[];
}

export const NOTHING_PASSES: Passing = { gates: [], counts: [] };

export interface Progress {
  /** What passes now and did not at the last kept point, in words. */
  gained: string[];
  /** What passed there and does not now, in words. */
  lost: string[];
}

/** Whether a gate of this kind can pass only once the work is committed. */
export function waitsForCommit(about: GateSubject | undefined): boolean {
  return about === 'commits' || about === 'service';
}

/** Words that only an untouched list has at its front: one that was tampered with says that first, and counts nothing. */
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
 * Kept is what gained something and lost nothing, what was found done, and what is complete but for gates that look at
 * commits: those can only pass after it was kept.
 */
export function isWorthKeeping(
  { gained, lost }: Progress,
  state: LoopState,
  verdicts: readonly Verdict[],
  traitsOf: TraitsOf,
): boolean {
  if (verdicts.length === 0 || lost.length > 0) return false;
  return gained.length > 0 || isDone(state) || lacksOnlyCommit(verdicts, traitsOf);
}

export function isDone({ status }: LoopState): boolean {
  return status === 'verified_done' || status === 'claimed_done';
}

/** Everything that can pass before a commit does; at least one gate waits for it. */
export function lacksOnlyCommit(verdicts: readonly Verdict[], traitsOf: TraitsOf): boolean {
  const open = leaves(verdicts).filter(blocks);
  const isForCommit = (kind: string) => waitsForCommit(traitsOf(kind).about);
  return (
    open.length > 0 && open.every((v) => restsOn(v, isForCommit)) && workIn(verdicts, traitsOf).length > 0
  );
}

/** Whether checks of a service are asked for: they run only on what was pushed. */
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

/** Parts of `all` count one by one; `any` counts as a whole: which of its ways passes may change. */
function leaves(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((v) => (v.kind === 'all' && v.children ? leaves(v.children) : [v]));
}

/**
 * The verdicts about the work itself. The others neither make progress nor undo it: a commit changes what those about
 * commits find, and a fresh session has stated no promise and has no tasks.
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

/** What passes now, and which run found it: trailers, so that git itself can list the commits of a run. */
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

/** A held Stop has moved the count on already; one that asked for a hand-over note, or let go, has not. */
export function judgedIteration(state: LoopState): number {
  const wasHeld = !hasEnded(state) && !state.waiting && state.run?.handOver === undefined;
  return Math.max(1, state.iteration - (wasHeld ? 1 : 0));
}

const SLUG = 40;

/** Plain letters, digits and dashes, whatever the task holds; the run's id makes it the only one of its name. */
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

/** The receipt when there is one; else how far the run came, in plain words. */
export function pullRequestText(state: LoopState, receipt: string | undefined): string {
  if (receipt !== undefined) return receipt;
  const ending = describeEnding(state) || 'The run goes on.';
  const gates = state.gates.map((g) => line(`- ${g.name}: ${g.verdict}, ${g.class}: ${g.summary}`));
  return [`Run ${state.loop}, iteration ${judgedIteration(state)}: ${ending}`, '', ...gates].join('\n');
}
