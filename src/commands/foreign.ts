import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimFiles } from '../adapters/claims.ts';
import { contractFileDigest } from '../adapters/contract-digest.ts';
import type { FileStore } from '../adapters/file-store.ts';
import { applyChanges, foreignFiles } from '../adapters/foreign-files.ts';
import { filesLock, type Home, layOut } from '../adapters/home.ts';
import { sha256 } from '../adapters/journal-file.ts';
import { writeNew } from '../adapters/new-file.ts';
import { approvedContract } from '../adapters/standing.ts';
import { type ForeignPorts, foreignLoops as findLoops } from '../app/foreign-loops.ts';
import type { ForeignLoops, Judges, JudgingPorts } from '../app/judge.ts';
import type { HookEvent } from '../core/event.ts';
import { isSafeId } from '../core/safe-id.ts';
import { ALL_DIALECTS } from '../dialects/all.ts';
import type { Place } from '../dialects/dialect.ts';
import { newLoopId, transcriptUntilNow } from './start-inputs.ts';

/** Everything that foreign state is looked after with; a bundle of its own, loaded where there is such state. */
export interface ForeignWorld {
  home: Home;
  store: FileStore;
  ports: JudgingPorts;
  place: Place;
  /** `CLAUDE_PID`. */
  pid?: string;
  judges(): Promise<Judges>;
}

/** The loops of an event's session that live in foreign state. */
export function foreignLoops(
  event: HookEvent,
  hasNative: boolean,
  world: ForeignWorld,
): Promise<ForeignLoops> {
  // A state file may be there before anything of ours is.
  layOut(world.home);
  recordClient(event.session, world);
  return findLoops(event, hasNative, openForeign(world), world.ports);
}

export function openForeign({ home, store, place, judges, ports }: ForeignWorld): ForeignPorts {
  return {
    dialects: ALL_DIALECTS,
    place,
    files: foreignFiles,
    claims: claimFiles(home),
    change: (changes) => applyChanges(changes, filesLock(home)),
    isGone: (session) => store.clientOf(session) === 'gone',
    refOf: (dir) => ({ loop: basename(dir), dir }),
    approved: (project) => {
      const contract = approvedContract(home, project);
      if (!contract || contractFileDigest(project) === undefined) return undefined;
      return store.isTrusted(project, contract.frozen.fingerprint) ? contract : undefined;
    },
    judges,
    layDown: (loop) => store.layDown(loop),
    newLoopId: () => newLoopId(new Date(ports.clock.now())),
    transcriptSoFar: transcriptUntilNow,
    needsApproval: async (dialect, path) => {
      if (store.isTrusted(place.folder, stateFingerprint(dialect, path))) return false;
      return isTracked(path, place, judges);
    },
  };
}

/** The installed line does this at SessionStart; a hook that was called otherwise still has to know when its client is gone. */
function recordClient(session: string, { home, place, pid }: ForeignWorld): void {
  if (!isSafeId(session) || !/^[1-9]\d*$/.test(pid ?? '')) return;
  const record = join(home.sessions, `${session}.at`);
  if (!existsSync(record)) writeNew(record, `${place.folder}\n${pid}\n`, 0o600);
}

/** What a person approves who lets a state file of the repository hold sessions. */
export function stateFingerprint(dialect: string, path: string): string {
  return sha256(`${dialect} state at ${path}`);
}

/** A hostile repository could bring a state file that holds everybody who visits. */
async function isTracked(path: string, { folder }: Place, judges: () => Promise<Judges>): Promise<boolean> {
  const real = foreignFiles.realPath(path);
  if (!real.startsWith(`${folder}/`)) return false;
  try {
    const { exitCode, stdout } = await (await judges()).workspace(folder).git(['ls-files', '-z', '--', real]);
    return exitCode === 0 && stdout !== '';
  } catch {
    // No git here: then nothing came with a repository.
    return false;
  }
}
