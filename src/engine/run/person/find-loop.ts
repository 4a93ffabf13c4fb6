import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import type { FileStore } from '../../home/store.ts';
import type { LoopRef } from '../../ports/ports.ts';

export type Found = { ref: LoopRef; state: LoopState } | { ref: LoopRef; problem: string };

/** Loops with their states, newest first. A loop that cannot be read is listed with its problem. */
export function readLoops(store: FileStore, refs: readonly LoopRef[]): Found[] {
  return refs
    .map((ref): Found => {
      try {
        return { ref, state: store.read(ref) };
      } catch (error) {
        return { ref, problem: (error as Error).message };
      }
    })
    .sort((a, b) => startOf(b) - startOf(a) || (a.ref.loop < b.ref.loop ? 1 : -1));
}

function startOf(found: Found): number {
  return 'state' in found ? found.state.startedAt : 0;
}

/** The loops of a project. If it has none, those of folders above and below, where a session may have begun. */
export function loopsAround(store: FileStore, project: string): LoopRef[] {
  const own = store.loops(project);
  if (own.length > 0) return own;
  const related = (other: string) => other.startsWith(`${project}/`) || project.startsWith(`${other}/`);
  return store.loops().filter((ref) => {
    try {
      return related(store.contract(ref).frozen.project);
    } catch {
      return false;
    }
  });
}

/** The loop that a command means: by its id or the beginning of it, else the only unfinished one of the project. */
export function meantLoop(store: FileStore, project: string, id: string | undefined): LoopRef {
  if (id !== undefined) return byId(store, id);
  const unfinished = withoutChildren(
    readLoops(store, loopsAround(store, project)).filter((f) => 'state' in f && !hasEnded(f.state)),
  );
  const [only, second] = unfinished;
  if (!only) throw new UsageError('no unfinished loop in this project; see: untildone status --all');
  if (second)
    throw new UsageError(`${unfinished.length} unfinished loops are here; name one of: ${names(unfinished)}`);
  return only.ref;
}

/** The loop to look at: by id, else the newest of the project. */
export function newestLoop(store: FileStore, project: string, id: string | undefined): LoopRef {
  if (id !== undefined) return byId(store, id);
  const [newest] = withoutChildren(readLoops(store, loopsAround(store, project)));
  if (!newest) throw new UsageError('no loop in this project yet; see: untildone status --all');
  return newest.ref;
}

/** Leaves out children whose run is in the list: without an id, the run is meant. */
export function withoutChildren(found: readonly Found[]): Found[] {
  const ids = new Set(found.map(({ ref }) => ref.loop));
  return found.filter((f) => !ids.has(parentOf(f) ?? ''));
}

export function parentOf(found: Found): string | undefined {
  return 'state' in found ? found.state.run?.parent : undefined;
}

/** The unfinished children of a run. */
export function childrenOf(store: FileStore, { run }: LoopState): LoopRef[] {
  const open = (run?.children?.list ?? []).filter(({ status }) => status === 'open').map(({ loop }) => loop);
  if (open.length === 0) return [];
  return readLoops(
    store,
    store.loops().filter(({ loop }) => open.includes(loop)),
  ).flatMap((f) => ('state' in f && !hasEnded(f.state) ? [f.ref] : []));
}

function byId(store: FileStore, id: string): LoopRef {
  if (id === '') throw new UsageError('the loop id is empty; see: untildone status --all');
  const all = store.loops();
  const exact = all.find((ref) => ref.loop === id);
  if (exact) return exact;
  const matches = all.filter((ref) => ref.loop.startsWith(id));
  const [only, second] = matches;
  if (!only) throw new UsageError(`there is no loop "${id}"; see: untildone status --all`);
  if (second) throw new UsageError(`"${id}" could be any of: ${matches.map((r) => r.loop).join(', ')}`);
  return only;
}

function names(found: readonly Found[]): string {
  return found.map((f) => f.ref.loop).join(', ');
}
