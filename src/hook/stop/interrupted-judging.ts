import type { Contract } from '../../core/contract/contract.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { measures } from '../../gates/traits.ts';
import type { LoopRef, Ports } from '../../ports/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';

const GATES_LIMIT = 200;

/**
 * The state of a loop after what is left of a judging that was cut off, if there is any, was put on record. Never throws:
 * that record is no condition for answering what happens now.
 */
export function noteCutOff(
  ref: LoopRef,
  state: LoopState,
  ports: Pick<Ports, 'judging' | 'store'>,
): LoopState {
  const cut = state.run ? undefined : ports.judging?.takeInterrupted(state.session, ref.loop);
  if (!cut) return state;
  const gates = oneLine(cut.gates.join(', '), GATES_LIMIT);
  const detail = {
    cutOff: `cut off: something ended the hook while it judged ${gates}`,
    ...(cut.held ? { held: `${cut.inARow} in a row` } : {}),
    ...(cut.inARow > 0 && !cut.held ? { letGo: `${cut.inARow} in a row` } : {}),
  };
  try {
    return ports.store.append(ref, () => ({ kind: 'event', event: 'Stop', detail }));
  } catch {
    return state;
  }
}

/** A foreign state is taken up wherever it appears, and its session held from then on. */
export function watchForeign(
  { ref, state, format }: SessionLoop,
  { judging, store }: Pick<Ports, 'judging' | 'store'>,
): void {
  if (judging && format && measures(store.contract(ref).contract)) judging.watch(state.session);
}

export interface Watch {
  /** From here on the session is held should this process end before its answer. */
  begin(): void;
  /** May come without a beginning, and twice. */
  end(): void;
}

/** A promise is judged in no time, and a run is watched by its driver. */
export function watchOver(
  ref: LoopRef,
  state: LoopState,
  contract: Contract,
  { judging }: Pick<Ports, 'judging'>,
): Watch {
  let end = () => {};
  return {
    begin() {
      if (state.run || !judging || !measures(contract)) return;
      judging.watch(state.session);
      end = judging.begin(state.session, { loop: ref.loop, gates: Object.keys(contract.gates) });
    },
    end: () => end(),
  };
}
