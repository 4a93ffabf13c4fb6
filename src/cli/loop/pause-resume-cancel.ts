import type { PersonCommand } from '../../core/loop/entry.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { isLocked } from '../../files/lock.ts';
import type { FileStore } from '../../home/store.ts';
import { childrenOf } from '../../hook/start/find-loop.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { driverLock } from '../../run/begin/client-options.ts';

/** pause, resume, cancel, release: written to the journal at once; the next hook finds it there. */
export function control(
  command: PersonCommand,
  ref: LoopRef,
  note: string | undefined,
  store: FileStore,
  out: (line: string) => void,
): void {
  const before = store.read(ref);
  const after = store.append(ref, (state) => {
    refuseNonsense(command, state);
    return { kind: 'command', command, note: note || undefined };
  });
  if (hasEnded(after)) store.mark(after.session, false);
  // Whoever lets go of a run lets go of its children; they are taken up again together with it.
  if (command !== 'resume')
    for (const child of childrenOf(store, before)) quietly(command, child, note, store);
  out(`Loop ${ref.loop}: ${after.run ? saidOfRun(command, ref) : said(command, after)}`);
}

function quietly(command: PersonCommand, ref: LoopRef, note: string | undefined, store: FileStore): void {
  const after = store.append(ref, () => ({ kind: 'command', command, note: note || undefined }));
  if (hasEnded(after)) store.mark(after.session, false);
}

function refuseNonsense(command: PersonCommand, state: LoopState): void {
  if (hasEnded(state)) throw new UsageError(`loop ${state.loop} has ended already: ${describeEnding(state)}`);
  if (command === 'pause' && state.status === 'paused')
    throw new UsageError(`loop ${state.loop} is paused already`);
  if (command === 'resume' && state.status === 'active')
    throw new UsageError(`loop ${state.loop} is not paused`);
}

function said(command: PersonCommand, state: LoopState): string {
  switch (command) {
    case 'pause':
      return `paused. Its session may stop now; go on with: untildone resume ${state.loop}`;
    case 'resume':
      return 'active again. Its session is held from its next stop on.';
    case 'cancel':
      return 'cancelled. Its session may stop; what was done stays as it is.';
    case 'release':
      return 'released without being done. Its session may stop.';
  }
}

/** Nobody works on a run but who drives it, and a pause ends that one. */
function saidOfRun(command: PersonCommand, ref: LoopRef): string {
  const goOn = `untildone run --resume ${ref.loop}`;
  switch (command) {
    case 'pause':
      return `paused. It stops after this step; go on with: ${goOn}`;
    case 'resume':
      return isLocked(driverLock(ref)) ? 'active again.' : `active again; nobody drives it: ${goOn}`;
    case 'cancel':
      return 'cancelled. What was done stays as it is.';
    case 'release':
      return 'released without being done.';
  }
}
