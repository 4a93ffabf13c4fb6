/** What is said of the children of a run: in its journal, and to the session that goes on where they left off. */

import type { Children, ChildState } from '../loop/state.ts';
import type { ChildEntry } from '../run/children.ts';
import { oneLine } from '../text/clip.ts';

export function describeChildEntry(entry: ChildEntry): string {
  switch (entry.kind) {
    case 'split':
      return `the work was divided into ${entry.pieces} pieces, ${entry.atOnce} at a time`;
    case 'child_begun':
      return `child ${entry.child} begins ${entry.piece}`;
    case 'child_spent':
      return `child ${entry.child} has spent ${entry.costUsd.toFixed(2)} USD, ${entry.tokens} tokens, ${entry.iterations} iterations in all`;
    case 'child_ended':
      return `child ${entry.child} ended as ${entry.status}${entry.detail ? ` (${entry.detail})` : ''}`;
    case 'merge_begun':
      return `merging ${entry.commit.slice(0, 10)} of child ${entry.child}`;
    case 'merge_ended':
      return `child ${entry.child}: ${mergeWords(entry.outcome, entry)}`;
    case 'children_waiting':
      return `all children wait: ${entry.why}`;
    case 'children_resumed':
      return 'the children go on';
    case 'children_over':
      return 'the children are over: the run goes on by itself';
  }
}

export function mergeWords(
  outcome: NonNullable<ChildState['merge']>,
  { files, detail }: { files?: readonly string[] | undefined; detail?: string | undefined },
): string {
  switch (outcome) {
    case 'begun':
      return 'its merge was cut off';
    case 'merged':
      return 'merged';
    case 'conflict':
      return `not merged, it conflicts in ${namesOf(files ?? [])}`;
    case 'regressed':
      return `not merged, with it this stops passing: ${detail ?? ''}`;
    case 'refused':
      return `not merged: ${detail ?? ''}`;
    case 'nothing':
      return 'there is no commit to merge';
  }
}

const NAMED = 8;

function namesOf(files: readonly string[]): string {
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return oneLine(files.slice(0, NAMED).join(', '), 400) + more;
}

const TOLD = 12;

/** What the session that goes on has to know of work that lies beside it; empty when there is none. */
export function followUpWords(children: Children | undefined): string {
  const left = (children?.list ?? []).filter(isLeftBehind);
  if (!children?.over || left.length === 0) return '';
  const lines = left.slice(0, TOLD).map((child) => `- ${lineFor(child)}`);
  return [
    `Others worked on parts of this task at the same time, each on a branch of its own. What of theirs was merged (${children.merged} of ${children.pieces} parts) is in your files. This is not:`,
    ...lines,
    ...(left.length > TOLD ? [`- and ${left.length - TOLD} more`] : []),
    'Look at what such a branch did with: git diff HEAD...BRANCH (or git show BRANCH:FILE). Bring what is good of it into the files here, so that it goes together with what is there, and do what is missing. Do not run git merge.',
  ].join('\n');
}

function isLeftBehind({ status, merge }: ChildState): boolean {
  return merge !== 'merged' && status !== 'nothing_to_do';
}

function lineFor({ piece, status, branch, merge, files, detail }: ChildState): string {
  const where = branch === undefined ? '' : ` (branch ${branch})`;
  const how =
    merge === undefined
      ? `not done: ${status}${detail ? `, ${detail}` : ''}`
      : mergeWords(merge, { files, detail });
  return oneLine(`${piece}${where}: ${how}`, 600);
}
