/** Opens a fleet for the commands: its queue, its secret, and the remotes of its repositories. */
import { join } from 'node:path';
import { UsageError } from '../../engine/core/text/errors.ts';
import { createHome, type Home, homeFrom } from '../../engine/home/layout.ts';
import { EXAMPLE } from '../queue/address.ts';
import { openEngine } from '../queue/engine.ts';
import { openRemoteRuns } from '../remote/open-remote-runs.ts';
import type { RemoteRuns } from '../remote/remote-runs.ts';
import { orderMemory } from '../seals/memory.ts';
import { sealedEngine } from '../seals/sealed-engine.ts';
import { ownSecret, readSecret, SECRET_VARIABLE, secretFile } from '../secret.ts';
import type { Fleet } from './fleet.ts';
import { fleetFolder } from './repos.ts';
import { scheduleRefs } from './schedule-refs.ts';

export const QUEUE_VARIABLE = 'UNTILDONE_QUEUE';

export interface OpenOptions {
  queue?: string;
  env: NodeJS.ProcessEnv;
  /** The secret is made where there is none; `here`: only where the queue is on this machine. */
  makesSecret: boolean | 'here';
}

export async function openFleet({ queue, env, makesSecret }: OpenOptions): Promise<Fleet> {
  const url = queue ?? env[QUEUE_VARIABLE];
  if (!url)
    throw new UsageError(`no queue is named: set ${QUEUE_VARIABLE}, or type --queue, such as ${EXAMPLE}`);
  const home = homeFrom(env);
  const raw = await openEngine(url, env);
  const makes = makesSecret === 'here' ? isOnThisMachine(url) : makesSecret;
  if (makes) createHome(home);
  // Without a secret no seal fits, which the commands say.
  const secret = makes ? ownSecret(env, home) : (readSecret(env, home) ?? '');
  const engine = sealedEngine(raw, { secret, memory: orderMemory(home, secret, raw.place) });
  return fleetOver({ engine, home, env, secret });
}

const THIS_MACHINE = /^(?:localhost|127\.[\d.]+|\[::1\]|)$/;

export function isOnThisMachine(queue: string): boolean {
  return THIS_MACHINE.test(new URL(queue).hostname);
}

/** A fleet over an engine that is open already, and sealed. `caches`: where the caches of repositories lie. */
export function fleetOver({
  caches,
  ...own
}: Pick<Fleet, 'engine' | 'home' | 'env' | 'secret'> & { caches?: string }): Fleet {
  const allRemoteRuns = new Map<string, RemoteRuns>();
  const folder = () => caches ?? join(fleetFolder(own.home), 'caches');
  return {
    ...own,
    now: Date.now,
    remoteRunsOf: (repo) => {
      const remoteRuns = allRemoteRuns.get(repo) ?? openRemoteRuns(repo, { caches: folder(), env: own.env });
      allRemoteRuns.set(repo, remoteRuns);
      return remoteRuns;
    },
    schedulesAt: (repo) => scheduleRefs(repo, folder(), { env: own.env }),
  };
}

/** The secret of this machine, made on first use, and where it is. */
export function secretHere(
  env: NodeJS.ProcessEnv,
  home: Home,
): { text: string; where: string; made: boolean } {
  createHome(home);
  const before = readSecret(env, home);
  const text = before ?? ownSecret(env, home);
  const where = env[SECRET_VARIABLE] ? `the variable ${SECRET_VARIABLE}` : secretFile(home);
  return { text, where, made: before === undefined };
}
