import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { VERSION } from '../../engine/home/program.ts';
import { loadJudgeBundle } from '../../engine/hook/wiring/load-bundles.ts';
import { openProjectWith } from '../../engine/hook/wiring/project-ports.ts';
import { Mirror } from '../../fleet/mirror/mirror.ts';
import type { Fleet } from '../../fleet/operate/fleet.ts';
import { fleetOver, openFleet, QUEUE_VARIABLE } from '../../fleet/operate/open.ts';
import { PASSWORD_VARIABLE } from '../../fleet/queue/address.ts';
import { SECRET_VARIABLE, secretFile } from '../../fleet/secret.ts';
import { FleetDesk } from './server/fleet/desk.ts';
import type { DashboardPorts } from './server/world.ts';

const ANSWERS_WITHIN_MS = 3_000;

/** What the dashboard needs where it shows a fleet. `queue`: undefined for that of the environment. */
export async function fleetWorld(env: NodeJS.ProcessEnv, queue: string | undefined): Promise<DashboardPorts> {
  const fleet = await openFleet({ queue, env, makesSecret: false });
  if (fleet.secret === '') {
    await fleet.engine.close();
    throw new UsageError(
      `this machine does not have the secret of the fleet, so it can read none of its runs: give it the variable ${SECRET_VARIABLE}, or the file ${secretFile(homeFrom(env))} of a machine that has it`,
    );
  }
  await refusedByStore(fleet);
  return worldOf(fleet, env);
}

/** A mistake in the address is said at once; a store that is away may come back while the page is open. */
async function refusedByStore({ engine }: Fleet): Promise<void> {
  const ready = engine.ready().catch(async (error) => {
    if (error instanceof EngineAway) return;
    await engine.close().catch(() => {});
    throw error;
  });
  await Promise.race([ready, pause(ANSWERS_WITHIN_MS, undefined, { ref: false })]);
  ready.catch(() => {});
}

/** Everything lies in a folder of its own, which goes when the dashboard ends. */
function worldOf(opened: Fleet, env: NodeJS.ProcessEnv): DashboardPorts {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-dashboard-'));
  const fleet = fleetOver({ ...opened, caches: join(folder, 'caches') });
  const mirror = new Mirror({ fleet, folder: join(folder, 'home') });
  const { [QUEUE_VARIABLE]: _queue, [SECRET_VARIABLE]: _secret, [PASSWORD_VARIABLE]: _word, ...rest } = env;
  const own = { ...rest, UNTILDONE_HOME: mirror.home.root };
  const desk = new FleetDesk({
    fleet,
    mirror,
    closed: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  });
  return {
    home: mirror.home,
    env: own,
    clock: { now: fleet.now },
    only: [],
    version: VERSION,
    fleet: desk,
    hooksAt: () => ({ held: true }),
    turnEndOf: () => undefined,
    open: () => openProjectWith(own, loadJudgeBundle, () => folder),
    sessions: async () => undefined,
  };
}
