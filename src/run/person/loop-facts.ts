import type { HooksState } from '../../client/settings/would-run.ts';
import { isTrustedContract, type SandboxRule } from '../../core/contract/contract.ts';
import { elapsedMs } from '../../core/loop/limits.ts';
import { missedStop } from '../../core/loop/missed-stop.ts';
import { type PhaseSituation, phaseOf, phaseSituation } from '../../core/loop/phases.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { wallsWords } from '../../core/words/walls.ts';
import { isLocked } from '../../files/lock.ts';
import type { FileStore } from '../../home/store.ts';
import type { WallsHere } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { driverLock } from '../begin/client-options.ts';

/** What `status` shows of a loop besides its state, as text and as JSON. */
export interface LoopFacts {
  task: string;
  /** The folder that it works in; undefined when its contract is damaged. */
  folder: string | undefined;
  phase: PhaseSituation | undefined;
  elapsedMs: number;
  /** Why its session is not being held although the loop is active. */
  unheld: string | undefined;
  /** When a turn of its session ended without a Stop that reached us. */
  missed: number | undefined;
  /** Why nothing will be judged before you trust its contract. */
  untrusted: string | undefined;
  /** The walls that its commands run in; undefined when its contract asks for none. */
  walls: string | undefined;
}

export const UNTRUSTED_WORDS =
  'nobody trusts its contract on this machine yet: its gates run nothing, and at the next Stop it waits for you. Look at what ' +
  'it runs, and trust it: untildone trust';

export interface FactsWorld {
  store: FileStore;
  now: number;
  hooksAt(project: string): HooksState;
  /** When the last turn of a session ended. */
  turnEndOf?(session: string): number | undefined;
  /** The walls that a contract gets on this machine. */
  wallsHere?(sandbox: SandboxRule): WallsHere;
}

export function factsOf(ref: LoopRef, state: LoopState, world: FactsWorld): LoopFacts {
  const { store, now } = world;
  const { folder, phase, sandbox, trusted = true } = fromContract(ref, state, store);
  const asks = sandbox && sandbox.choice !== 'off' && !hasEnded(state);
  return {
    task: oneLine(store.task(ref).slice(0, 1000), 200),
    folder,
    phase,
    elapsedMs: elapsedMs(state, state.ending?.at ?? now),
    unheld: whyUnheld(ref, state, folder, world),
    missed: missedStop(state, state.status === 'active' ? world.turnEndOf?.(state.session) : undefined),
    // Once a Stop has come, what the loop waits for says it.
    untrusted: trusted || hasEnded(state) || state.waiting ? undefined : UNTRUSTED_WORDS,
    walls: asks ? wallsWords(sandbox, world.wallsHere?.(sandbox) ?? {}) : undefined,
  };
}

/** The rest of the status is shown without a contract that is damaged. */
function fromContract(
  ref: LoopRef,
  state: LoopState,
  store: FileStore,
): Pick<LoopFacts, 'folder' | 'phase'> & { sandbox?: SandboxRule; trusted?: boolean } {
  try {
    const { contract, frozen } = store.contract(ref);
    const phase = phaseOf(contract, state);
    const { sandbox } = contract;
    const trusted = isTrustedContract(frozen, (project, print) => store.isTrusted(project, print));
    return { folder: frozen.project, phase: phase && phaseSituation(contract, phase), sandbox, trusted };
  } catch {
    return { folder: undefined, phase: undefined };
  }
}

/** Tells why an active loop cannot hold its session. */
export function whyUnheld(
  ref: LoopRef,
  state: LoopState,
  folder: string | undefined,
  { store, hooksAt }: Pick<FactsWorld, 'store' | 'hooksAt'>,
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
  hooksAt: FactsWorld['hooksAt'],
): string | undefined {
  const known = folders.filter((folder) => folder !== undefined);
  const states = [...new Set(known)].map(hooksAt);
  const [first] = states;
  return first?.held === false && states.every(({ held }) => !held) ? first.why : undefined;
}
