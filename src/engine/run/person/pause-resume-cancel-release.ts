import type { PersonCommand } from '../../core/loop/entry.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { isLocked } from '../../files/lock.ts';
import { endMarked } from '../../files/process-tree.ts';
import { driverLock } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import { notifyEnding } from '../../hook/stop/endings.ts';
import { closeForeign } from '../../hook/wiring/foreign.ts';
import { type ProjectPorts, placeHere } from '../../hook/wiring/project-ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { RUN_MARK } from '../begin/driver-ports.ts';
import { childrenOf } from './find-loop.ts';

/** Does everything that follows from a command of yours: for the loop, its children, its run and its state files. */
export async function commandLoop(
  command: PersonCommand,
  ref: LoopRef,
  note: string | undefined,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<void> {
  const { store } = world;
  const children = childrenOf(store, store.read(ref));
  pauseResumeCancelRelease(command, ref, note, store, out);
  const after = store.read(ref);
  // A run that was killed leaves its Claude Code at work, which nothing else would end.
  if (after.run && after.status !== 'active' && !isLocked(driverLock(ref)))
    for (const { loop } of [ref, ...children]) await endMarked(`${RUN_MARK}=${loop}`);
  if (after.dialect !== 'native' && hasEnded(after)) {
    const place = placeHere(world, after.session);
    for (const line of closeForeign(ref, { home: world.home, ports: world, place })) out(line);
  }
  await notifyEnding(ref, after, world);
}

/** Writes the command to the journal, where the next hook finds it. */
export function pauseResumeCancelRelease(
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
  // The children of a run are paused, cancelled or released with it. The run itself resumes them.
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

/** A run is driven by a process of its own, which a pause ends. */
function saidOfRun(command: PersonCommand, ref: LoopRef): string {
  const goOn = `untildone run --resume ${ref.loop}`;
  switch (command) {
    case 'pause':
      return `paused. It stops after this step; go on with: ${goOn}`;
    case 'resume':
      return isLocked(driverLock(ref))
        ? 'active again.'
        : `active again, but no process drives it; go on with: ${goOn}`;
    case 'cancel':
      return 'cancelled. What was done stays as it is.';
    case 'release':
      return 'released without being done.';
  }
}
