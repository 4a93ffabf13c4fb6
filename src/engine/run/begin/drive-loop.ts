import type { LoopState } from '../../core/loop/state.ts';
import { loadFormatsBundle } from '../../hook/wiring/load-bundles.ts';
import { queueRun } from '../../hook/wiring/reflection.ts';
import { runLoop } from '../driver/run-loop.ts';
import type { Driving } from './client-options.ts';
import { planOf, portsOf } from './driver-ports.ts';

/** Drives a loop in this folder until it ends or pauses, with its telemetry. Then its sessions are over. */
export async function driveLoop(driving: Driving, folder: string): Promise<LoopState> {
  const { ref, world, client, reporter } = driving;
  const after = await driving.withTelemetry(
    ref,
    { world, note: reporter.note },
    await portsOf(driving),
    (own) => runLoop(planOf(ref, client, folder, world), own),
  );
  if (after.run?.sessions) {
    const { home, store, env, clock } = world;
    const ending = { home, store, env, now: clock.now(), load: loadFormatsBundle };
    await queueRun(ref, { session: after.session, cwd: folder }, ending);
  }
  return after;
}
