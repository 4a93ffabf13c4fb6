import { existsSync } from 'node:fs';
import type { ChildState, LoopState } from '../../core/loop/state.ts';
import type { Piece } from '../../core/run/children.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { redact } from '../../core/text/redact.ts';
import { parseFeatureList } from '../../gates/features/feature-list.ts';
import { newLoopId } from '../../hook/start/inputs.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import { withFeaturePassing } from '../../schema/feature-list-text.ts';
import type { Driving } from '../begin/client-options.ts';
import type { RunGit } from '../git/commit-progress.ts';
import { readRunGitRecord } from '../git/record.ts';
import { childGit, driveChild, type Parent } from './child.ts';
import { judgeMerge, type Merged } from './merge.ts';
import { keptDivision, type Work } from './pieces.ts';
import { type ChildRest, type MergeEnd, runChildren } from './run-children.ts';

/** `run --parallel`: the part of a run in which its children work, before it goes on by itself. */

export async function workInParallel(driving: Driving): Promise<LoopState> {
  const { ref, world, git, reporter, interrupts } = driving;
  const state = world.store.read(ref);
  if (!state.run?.children || state.run.children.over) return state;
  if (!git)
    throw new UsageError(
      `the git record of run ${ref.loop} is gone: its children have no branch to work for`,
    );
  const division = keptDivision(ref, world.home);
  const parent: Parent = { ...driving, git, division };
  const runGits = new Map<string, RunGit>();
  const workOf = (piece: Piece): Work => {
    const work = division.pieces.find(({ name }) => name === piece.name);
    if (!work) throw new Error(`there is no piece ${piece.name} any more`);
    return work;
  };
  return runChildren(ref, {
    ports: world,
    pieces: division.pieces,
    newLoop: () => newLoopId(new Date(world.clock.now())),
    drive: async (child, piece, limits, heard): Promise<ChildRest> => {
      const driven = await driveChild({ child, work: workOf(piece), limits, heard }, parent);
      runGits.set(child.loop, driven.git);
      return driven.rest;
    },
    merge: async (child, piece, begins) => {
      const work = workOf(piece);
      // An earlier try was killed after its commit, and its worktree may be gone.
      if (child.merge === 'begun' && child.commit && (await git.has(child.commit))) {
        await git.clearAwayOf(child.loop, division.pullRequests);
        return { outcome: 'merged' };
      }
      const runGit =
        runGits.get(child.loop) ?? (await childGit({ child, work }, { loop: child.loop, dir: '' }, parent));
      return mergeChild({ child, work, runGit, begins }, parent);
    },
    report: reporter.event,
    interrupted: () => interrupts.asked(),
  });
}

/** Lines about the branches of children that were not merged. They stay. */
export function leftBeside({ run }: LoopState, { home }: ProjectPorts): string[] {
  return (run?.children?.list ?? []).flatMap(({ piece, loop, branch, merge }) => {
    const worktree = readRunGitRecord(home, loop)?.worktree;
    if (branch === undefined || merge === 'merged' || !worktree || !existsSync(worktree)) return [];
    return [
      `[${piece}] stays on ${branch}. When you have what you want of it: git worktree remove ${quoteForShell(worktree)}`,
    ];
  });
}

interface Merging {
  child: ChildState;
  work: Work;
  runGit: RunGit;
  begins(commit: string): void;
}

async function mergeChild({ child, work, runGit, begins }: Merging, parent: Parent): Promise<MergeEnd> {
  const { git, ref, world, division } = parent;
  const { commit, commits, left } = await runGit.standing();
  if (left > 0)
    return {
      outcome: 'refused',
      detail: `${left} of its files could not be committed; they are in ${runGit.folder}`,
    };
  if (commits === 0) {
    await runGit.clearAway(false);
    return { outcome: 'nothing' };
  }
  begins(commit);
  const merged = await git.merge({
    commit,
    message: mergeMessage(child, work, ref.loop),
    resolveConflict: (path, { ours, theirs }) => mergedList(path, ours, theirs, work),
    judge: () => judgeMerge(ref, world),
  });
  const end = endOf(merged);
  if (end.outcome === 'merged') await runGit.clearAway(division.pullRequests);
  return end;
}

function endOf(merged: Merged): MergeEnd {
  switch (merged.kind) {
    case 'merged':
    case 'in_already':
      return { outcome: 'merged' };
    case 'conflict':
      return { outcome: 'conflict', files: merged.files };
    case 'regressed':
      return { outcome: 'regressed', detail: merged.lost.join(', ') };
    case 'refused':
      return { outcome: 'refused', detail: merged.why };
  }
}

function mergeMessage({ loop, piece }: ChildState, { title }: Work, run: string): string {
  const subject = oneLine(redact(`Merge ${piece}: ${title}`), 72);
  return `${subject}\n\nUntildone-Run: ${run}\nUntildone-Child: ${loop}\n`;
}

/** Resolves a conflict in the feature list: every child marks its own feature as passing in the same file. */
function mergedList(path: string, ours: string, theirs: string, { features }: Work): string | undefined {
  if (!features || !(path === features.file || path.endsWith(`/${features.file}`))) return undefined;
  const list = parseFeatureList(theirs);
  const isSaid = 'features' in list && list.features.some(({ id, passes }) => id === features.id && passes);
  return isSaid ? withFeaturePassing(ours, features.id) : undefined;
}
