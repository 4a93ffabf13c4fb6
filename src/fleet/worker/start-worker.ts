/** Puts the worker together with the engine, the runs on git remotes, and the processes of runs. */
import { dirname, join } from 'node:path';
import type { Standing } from '../../engine/core/fleet/intake.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { createHome, type Home, homeFrom } from '../../engine/home/layout.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { wallsOfMachine } from '../../engine/project/walls/walls-for.ts';
import { missingVariables, processEnvironment } from '../drive/environment.ts';
import { headIn } from '../drive/record.ts';
import type { Fleet } from '../operate/fleet.ts';
import { fleetOver, isOnThisMachine, QUEUE_VARIABLE } from '../operate/open.ts';
import { publishedOf } from '../operate/published.ts';
import { submitFromTemplate } from '../operate/schedules.ts';
import { openEngine } from '../queue/engine.ts';
import { sweepCaches } from '../remote/sweep.ts';
import { orderMemory } from '../seals/memory.ts';
import { Refusals } from '../seals/refusals.ts';
import { sealedEngine } from '../seals/sealed-engine.ts';
import { keyOfRun, ownSecret, readSecret, SECRET_VARIABLE, secretFile } from '../secret.ts';
import { runWorker, type WorkerFlags } from './command.ts';
import { driverStarter } from './driver-process.ts';

/** `untildone worker`. Returns the exit code. */
export async function worker(flags: WorkerFlags): Promise<number> {
  const { env } = process;
  const home = homeFrom(env);
  refuseInsideClient('worker', home, env);
  const queue = flags.queue ?? env[QUEUE_VARIABLE] ?? '';
  const raw = await openEngine(queue, env);
  const secret = secretFor(queue, env, home);
  const refusals = new Refusals();
  const engine = sealedEngine(raw, { secret, refusals, memory: orderMemory(home, secret, raw.place) });
  const fleetIn = (caches: string): Fleet => fleetOver({ engine, home, env, secret, caches });
  return runWorker(flags, {
    engine,
    secret,
    refusals,
    env,
    start: driverStarter(join(dirname(thisProgram().hookEntry), 'fleet-run.cjs')),
    envFor: (spec) => processEnvironment(env, [...spec.env, ...(flags.env ?? [])]),
    missing: (spec) => missingVariables(env, spec.env),
    noWalls: noWallsHere(env),
    askRemote: (caches) => {
      const fleet = fleetIn(caches);
      return (repo, run) => standingOn(fleet, repo, run);
    },
    sweepCaches: async (caches, mostBytes, inUse) => {
      await sweepCaches(caches, mostBytes, inUse);
    },
    submitDue: async (due, caches) => {
      await submitFromTemplate(due, fleetIn(caches));
    },
  });
}

/** A worker on another machine than the queue must not make a secret of its own: no run would fit it. */
function secretFor(queue: string, env: NodeJS.ProcessEnv, home: Home): string {
  const there = readSecret(env, home);
  if (there !== undefined) return there;
  if (!isOnThisMachine(queue)) {
    throw new UsageError(
      `this machine does not have the secret of the fleet, without which no run can be read: put what "untildone fleet secret --show" prints on the machine that submits into ${SECRET_VARIABLE} or ${secretFile(home)}`,
    );
  }
  createHome(home);
  return ownSecret(env, home);
}

/** Why this machine can confine neither sessions nor gates; undefined where it can. */
function noWallsHere(env: NodeJS.ProcessEnv): string | undefined {
  const walls = wallsOfMachine(env.PATH ?? '');
  return 'problem' in walls ? walls.problem : undefined;
}

/** How a run stands by what was published of it. */
async function standingOn(fleet: Fleet, repo: string, run: string): Promise<Standing | undefined> {
  const read = await fleet.remoteRunsOf(repo).read(run);
  if (!read) return undefined;
  const { spec, result } = publishedOf(run, read.files, fleet.secret);
  const work = headIn(read.files, run, keyOfRun(run, fleet.secret));
  if (!spec) return { run, is: 'dead', cause: 'its seal does not fit the secret of this fleet' };
  const is = result
    ? { is: 'ended' as const, status: result.status, cause: result.cause }
    : { is: 'going' as const };
  return { run, ...is, ...(work === undefined ? {} : { work }) };
}
