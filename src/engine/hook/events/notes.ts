import type { Contract } from '../../core/contract/contract.ts';
import { type LoopNote, type MemoryFile, memoryText, updatedMemory } from '../../core/loop/notes.ts';
import { phaseOf, phaseSituation } from '../../core/loop/phases.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { blocks } from '../../core/loop/verdict.ts';
import { findFiles } from '../../core/text/globs.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { LoopStop } from '../../ports/session-loop.ts';

export interface Told {
  /** For the session that begins. */
  context?: string;
  /** Files that could not be read, in words for the user. */
  problems: string[];
}

/** The notes of earlier sessions for a new one, as the contract asks for them. Only for a trusted contract. */
export function memoryFor(
  project: string,
  contract: Pick<Contract, 'memory'>,
  source: string,
  files: ForeignFiles,
): Told {
  const rule = contract.memory;
  if (!rule?.inject.includes(source)) return { problems: [] };
  const problems: string[] = [];
  const notes: MemoryFile[] = [];
  for (const path of findFiles(project, rule.files, files)) {
    const real = realInside(project, path, files);
    if (real === undefined) {
      problems.push(leadsOut(path));
      continue;
    }
    const read = files.read(real);
    if (read.kind === 'text') notes.push({ path, text: read.text });
    if (read.kind === 'unusable') problems.push(`untildone: memory: ${read.problem}`);
    if (notes.length === MOST_FILES) break;
  }
  const context = memoryText(notes, rule.lines);
  return { context, problems };
}

/** More files would not fit into the message anyway. */
const MOST_FILES = 50;

/**
 * Updates the loop's section in the newest file of notes; never creates a file. Never throws, and returns its problems in
 * words for the user. Call it after judging, because it changes the tree.
 */
export function updateMemory(
  stop: LoopStop,
  files: ForeignFiles,
  change: (changes: readonly StateChange[]) => string[],
): string[] {
  const rule = stop.contract.memory;
  if (!rule?.update) return [];
  try {
    const [newest] = findFiles(stop.project, rule.files, files);
    if (newest === undefined) return [];
    const path = realInside(stop.project, newest, files);
    return path === undefined ? [leadsOut(newest)] : written(newest, path, noteOf(stop), change);
  } catch (error) {
    return [`untildone: memory: ${(error as Error).message}`];
  }
}

function written(
  name: string,
  path: string,
  note: LoopNote,
  change: (changes: readonly StateChange[]) => string[],
): string[] {
  const problems: string[] = [];
  const edit = (text: string | undefined) => {
    if (text === undefined) return undefined;
    const updated = updatedMemory(text, note);
    if (updated.kind === 'damaged') problems.push(`${name} is left as it is: ${updated.problem}`);
    return updated.kind === 'changed' ? updated.text : undefined;
  };
  const failed = change([{ kind: 'edit', path, edit }]);
  return [...problems, ...failed].map((problem) => `untildone: memory: ${problem}`);
}

function noteOf({ contract, state, task, verdicts, now }: LoopStop): LoopNote {
  const failing = verdicts.filter(blocks);
  const next = failing.find((verdict) => verdict.next)?.next;
  const phase = phaseOf(contract, state);
  const chunks = verdicts
    .filter((verdict) => verdict.kind === 'chunks')
    .flatMap((verdict) => verdict.children ?? [])
    .map(({ gate, outcome }) => ({ name: gate, outcome }));
  return {
    loop: state.loop,
    status: hasEnded(state) ? `ended: ${state.status}` : state.status,
    task,
    iteration: state.iteration,
    maxIterations: state.maxIterations,
    passes: verdicts.filter((verdict) => verdict.outcome === 'pass').map((verdict) => verdict.gate),
    fails: failing.map(({ gate, summary }) => ({ name: gate, summary })),
    phase: phase ? phaseSituation(contract, phase) : undefined,
    chunks: chunks.length > 0 ? chunks : undefined,
    next,
    at: now,
  };
}

/** The real path of a file of the project; undefined when a link leads out of the project. */
export function realInside(project: string, path: string, files: ForeignFiles): string | undefined {
  const real = files.realPath(`${project}/${path}`);
  return real.startsWith(`${files.realPath(project)}/`) ? real : undefined;
}

function leadsOut(path: string): string {
  return `untildone: memory: ${path} is a link that leads out of the project, so it is neither read nor written`;
}
