/** Looks at one loop: its journal, its contract, and what neither tells. */
import type { HooksState } from '../../engine/client/settings/would-run.ts';
import { isTrustedContract, type SandboxRule } from '../../engine/core/contract/contract.ts';
import { missedStop } from '../../engine/core/loop/missed-stop.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { wallsWords } from '../../engine/core/words/walls.ts';
import { isLocked } from '../../engine/files/lock.ts';
import type { WallsHere } from '../../engine/gates/gate.ts';
import { judgingNow } from '../../engine/home/interrupted-judging.ts';
import { driverLock } from '../../engine/home/layout.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { LoadedContract, LoopRef } from '../../engine/ports/ports.ts';
import { type LoopView, loopView } from './loop-view.ts';
import type { SeenOfLoop } from './situation.ts';

const UNTRUSTED_WORDS =
  'nobody trusts its contract on this machine yet: its gates run nothing, and at the next Stop it waits for you. Look at what ' +
  'it runs, and trust it: untildone trust';

/** What is asked besides the files of a loop. */
export interface SeeingPorts {
  store: FileStore;
  hooksAt(project: string): HooksState;
  /** Absent: as the store says. */
  isTrusted?(project: string, fingerprint: string): boolean;
}

export interface ViewingPorts extends SeeingPorts {
  now: number;
  /** When the last turn of a session ended. */
  turnEndOf?(session: string): number | undefined;
  /** The walls that a contract gets on this machine. */
  wallsHere?(sandbox: SandboxRule): WallsHere;
}

export function lookAtLoop(ref: LoopRef, state: LoopState, world: ViewingPorts): LoopView {
  const { store, now } = world;
  const loaded = contractOf(ref, store);
  const turnEndedAt = state.status === 'active' ? world.turnEndOf?.(state.session) : undefined;
  const facts = {
    id: ref.loop,
    task: taskLine(ref, store),
    state,
    contract: loaded?.contract,
    folder: loaded?.frozen.project,
    turnEndedAt,
    missedAt: missedStop(state, turnEndedAt),
    walls: hasEnded(state) ? undefined : wallsOf(loaded?.contract.sandbox, world.wallsHere),
  };
  return loopView({ ...facts, ...seenOf(ref, state, loaded, world) }, now);
}

const TASK = 200;

export function taskLine(ref: LoopRef, store: Pick<FileStore, 'task'>): string {
  return oneLine(store.task(ref).slice(0, 1000), TASK);
}

/** The rest of a loop is shown without a contract that is damaged. */
function contractOf(ref: LoopRef, store: FileStore): LoadedContract | undefined {
  try {
    return store.contract(ref);
  } catch {
    return undefined;
  }
}

function wallsOf(sandbox: SandboxRule | undefined, wallsHere: ViewingPorts['wallsHere']): string | undefined {
  return sandbox && sandbox.choice !== 'off' ? wallsWords(sandbox, wallsHere?.(sandbox) ?? {}) : undefined;
}

/** Looks at what costs little: markers, locks, processes, trust. */
export function seenOf(
  ref: LoopRef,
  state: LoopState,
  loaded: LoadedContract | undefined,
  { store, hooksAt, isTrusted = (project, print) => store.isTrusted(project, print) }: SeeingPorts,
): SeenOfLoop {
  if (hasEnded(state)) return {};
  const judging = judgingNow(store.home, state.session);
  // Once a Stop has come, what the loop waits for says it.
  const isOpen = loaded && !state.waiting && !isTrustedContract(loaded.frozen, isTrusted);
  return defined({
    untrusted: isOpen ? UNTRUSTED_WORDS : undefined,
    judging: judging?.loop === ref.loop ? { since: judging.since, gates: judging.gates } : undefined,
    unheld: whyUnheld(ref, state, loaded?.frozen.project, { store, hooksAt }),
    alive: isAlive(ref, state, store),
  });
}

function isAlive(ref: LoopRef, state: LoopState, store: FileStore): boolean | undefined {
  if (state.run) return isLocked(driverLock(ref));
  const client = store.clientOf(state.session);
  return client === 'unknown' ? undefined : client === 'there';
}

/** Tells why an active loop cannot hold its session. */
function whyUnheld(
  ref: LoopRef,
  state: LoopState,
  folder: string | undefined,
  { store, hooksAt }: SeeingPorts,
): string | undefined {
  if (state.status !== 'active') return undefined;
  if (state.dialect !== 'native' && !store.claimedLoopsOf(state.session).some((own) => own.dir === ref.dir)) {
    return 'its start was cut off, and another loop stands for its state file; this one counts for nothing';
  }
  if (state.run) {
    return isLocked(driverLock(ref))
      ? undefined
      : `no process drives it; go on with: untildone run --resume ${ref.loop}`;
  }
  if (!store.isMarked(state.session)) return 'its marker in the untildone home was removed';
  if (!state.waiting && store.clientOf(state.session) === 'gone') {
    return `Claude Code has ended; resume its session with: claude --resume ${state.session}`;
  }
  return withoutHooks([store.projectOfSession(state.session), folder], hooksAt);
}

/** Claude Code reads the settings of the folder that it was started in, which may be another than the loop's. */
function withoutHooks(
  folders: readonly (string | undefined)[],
  hooksAt: SeeingPorts['hooksAt'],
): string | undefined {
  const known = folders.filter((folder) => folder !== undefined);
  const states = [...new Set(known)].map(hooksAt);
  const [first] = states;
  return first?.held === false && states.every(({ held }) => !held) ? first.why : undefined;
}
