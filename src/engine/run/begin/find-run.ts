import { hasEnded } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import type { FileStore } from '../../home/store.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { type Found, loopsAround, meantLoop, readLoops, withoutChildren } from '../person/find-loop.ts';

const NAMED = 5;

/** The run to go on with: by its id or the beginning of it, else the latest of the project that can go on. */
export function meantRun(store: FileStore, project: string, id: string | undefined): LoopRef {
  const runs = withoutChildren(readLoops(store, loopsAround(store, project))).filter(
    (found) => 'state' in found && found.state.run,
  );
  if (id !== undefined) return named(store, project, id, runs);
  const [latest] = [...runs.filter((found) => 'state' in found && !hasEnded(found.state)), ...runs];
  if (latest) return latest.ref;
  throw new UsageError(
    'no run in this project yet, so there is none to go on with; begin one: untildone run "..."; runs of other projects: untildone status --all',
  );
}

function named(store: FileStore, project: string, id: string, runs: readonly Found[]): LoopRef {
  try {
    return meantLoop(store, project, id);
  } catch (error) {
    if (!(error instanceof UsageError) || runs.length === 0) throw error;
    const names = runs
      .slice(0, NAMED)
      .map((f) => `${f.ref.loop}${'state' in f ? ` (${f.state.status})` : ''}`);
    const more = runs.length > NAMED ? ` and ${runs.length - NAMED} more` : '';
    throw new UsageError(`${error.message}; runs of this project: ${names.join(', ')}${more}`);
  }
}
