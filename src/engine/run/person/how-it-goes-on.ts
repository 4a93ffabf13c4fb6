import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { canReopen } from '../../core/run/reopen.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { isLocked } from '../../files/lock.ts';
import { driverLock } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Tells you how a loop goes on that you have just answered. */
export function howItGoesOn(ref: LoopRef, state: LoopState, store: FileStore): string {
  if (canReopen(state)) return `Its run has ended; go on with: untildone run --resume ${ref.loop}`;
  if (hasEnded(state)) return `It has ended meanwhile: ${describeEnding(state)}.`;
  if (state.status === 'paused')
    return `It is paused; go on with: untildone ${state.run ? 'run --resume' : 'resume'} ${ref.loop}`;
  if (state.waiting?.why === 'approval') return 'It waits for your other answers, too: untildone status';
  if (state.run) {
    return isLocked(driverLock(ref))
      ? 'Its run goes on by itself.'
      : `Go on with: untildone run --resume ${ref.loop}`;
  }
  const gone = store.clientOf(state.session) === 'gone';
  return gone
    ? `Its session goes on with: claude --resume ${state.session}`
    : 'Its session goes on with your next prompt there.';
}
