import type { Contract } from '../../core/contract/contract.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { measures } from '../../gates/traits.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';

const GATES_LIMIT = 200;

/**
 * Records that an earlier judging was cut off, if one was. Returns the state of the loop after that. Never throws, because
 * the event can be answered without the record.
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

/** Lets the installed hook line hold the session of a foreign loop, should a judging be cut off. */
export function watchForeign(
  { ref, state, format }: SessionLoop,
  { judging, store }: Pick<Ports, 'judging' | 'store'>,
): void {
  if (judging && format && measures(store.contract(ref).contract)) judging.watch(state.session);
}

export interface Watch {
  /** From here on the session is held if this process ends before it answers. */
  begin(): void;
  /** May be called without `begin`, and twice. */
  end(): void;
}

/** Watches over the judging of gates that take time. A run needs no watch: its driver notices. */
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
