import type { GateOptions, ImplicitChange } from '../../core/contract/gate-options.ts';
import { withoutLoopSection } from '../../core/loop/notes.ts';
import { unchangedYet } from '../../core/loop/verdict.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import type { FileChange } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { contentsAt, NOTHING_TO_COMPARE, type Span, workSinceStart } from '../shared/contents.ts';
import { changedTraits } from './traits.ts';

const MOST_NAMED = 10;

/** At least one file was added, changed or removed since the start. */
export const changedGate: Gate<'changed'> = {
  ...changedTraits,
  async judge(options, context, signal) {
    const span = await workSinceStart(context);
    if (!span) return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    const wanted = wantedBy(options, context);
    const fitting = (await context.workspace.changes(span.from, span.to)).filter(
      (change) => wanted(change.path) || (change.from !== undefined && wanted(change.from)),
    );
    const changes = await withoutOwnNotes(fitting, span, context, signal);
    if (changes.length > 0 || !options.implicit) return judgement(changes, options, span);
    return (await committedInstead(options.implicit, context)) ?? unchanged(options.implicit);
  },
};

function wantedBy({ paths, except }: GateOptions['changed'], { request }: GateContext) {
  const fits = paths ? pathMatcher(paths) : () => true;
  const excepted = except ? pathMatcher(except) : () => false;
  const own = request.onlyPaths && new Set(request.onlyPaths);
  return (path: string) => fits(path) && !excepted(path) && (own?.has(path) ?? true);
}

/** Files that may hold the notes of a loop. At most `MOST_READ` are read; every other counts as a change. */
const MAY_HOLD_NOTES = /\.(?:md|mdx|markdown|txt)$/i;
const MOST_READ = 100;

/** Leaves out the files in which nothing changed but the notes of the loop. */
async function withoutOwnNotes(
  changes: readonly FileChange[],
  span: Span,
  { workspace }: GateContext,
  signal: AbortSignal,
): Promise<FileChange[]> {
  const read = changes
    .filter(({ change, path }) => change === 'modified' && MAY_HOLD_NOTES.test(path))
    .map(({ path }) => path)
    .slice(0, MOST_READ);
  const [before, after] = await Promise.all([
    contentsAt(workspace, span.from, read, signal),
    contentsAt(workspace, span.to, read, signal),
  ]);
  const isOurs = (path: string) => {
    const [then, now] = [before.get(path), after.get(path)];
    if (then === undefined || now === undefined || then === now) return false;
    return withoutLoopSection(then).trim() === withoutLoopSection(now).trim();
  };
  return changes.filter(({ path }) => !isOurs(path));
}

/** Where nobody knows what passed at the start, a commit may be all the work that there was to do. */
async function committedInstead(
  { start }: ImplicitChange,
  { workspace, request }: GateContext,
): Promise<Judgement | undefined> {
  const { commit: before } = request.base;
  if (start === 'green' || before === undefined) return undefined;
  const commit = (await workspace.head())?.commit;
  return commit === undefined || commit === before
    ? undefined
    : { outcome: 'pass', summary: 'a commit was made since the start' };
}

/** Says why a change is asked for, and what to do where the task needs none. */
function unchanged({ start, promise }: ImplicitChange): Judgement {
  const { outcome, summary } = unchangedYet('');
  const why =
    start === 'green'
      ? 'Every other gate passed before you began, so only a change can show that you did the task.'
      : 'What passes now may have passed before you began, so only a change can show that you did the task.';
  const none = promise
    ? 'say why, and state the promise again: the loop then ends as a claim, without proof.'
    : 'say so, and why, in your final message.';
  return {
    outcome,
    summary,
    evidence: [why],
    next: `Next: do the task: change the files of the project that it is about. If it needs no change, ${none}`,
  };
}

function judgement(changes: readonly FileChange[], options: GateOptions['changed'], span: Span): Judgement {
  const when = span.since === 'start' ? 'since the start' : 'since the last commit';
  const where = options.paths ? ` in ${options.paths.join(', ')}` : '';
  if (changes.length === 0) {
    return {
      outcome: 'fail',
      summary: `nothing was changed${where} ${when}`,
      next: `Next: do the work itself: no file${where} was changed so far.`,
    };
  }
  const rest = changes.length - MOST_NAMED;
  const files = changes.length === 1 ? 'file was' : 'files were';
  return {
    outcome: 'pass',
    summary: `${changes.length} ${files} changed${where} ${when}`,
    evidence: [
      ...changes.slice(0, MOST_NAMED).map(({ change, path }) => `${change}: ${path}`),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
  };
}
