/** The engine on BullMQ. */
import { UsageError } from '../../engine/core/text/errors.ts';
import type { FleetJob } from '../../engine/ports/fleet.ts';
import { readAddress } from './address.ts';
import { Calls } from './calls.ts';
import { Endings } from './endings.ts';
import { Held } from './held.ts';
import { ENDED_LANE, jobOptions, type Lane, Lanes, laneOf } from './lanes.ts';
import { requirePackages } from './load.ts';
import { fleetJob } from './readable.ts';
import { Schedules } from './schedules.ts';
import { storableText } from './storable.ts';
import { openStore, type Store } from './store.ts';
import type { StoredEngine } from './stored.ts';
import { Sweeper } from './sweeper.ts';
import { Taker } from './taker.ts';
import { Views } from './views.ts';

/** A heartbeat that comes later than that is too late. */
const BEAT_MS = 3_500;
/** BullMQ counts by itself where an id is a number. */
const RUN_ID = /^(?!\d+$)[\w.-]{1,200}$/;

/** Reads the URL and loads the packages; connects with the first call. Throws UsageError for what waiting does not mend. */
export async function openEngine(url: string, env: NodeJS.ProcessEnv): Promise<StoredEngine> {
  const address = readAddress(url, env);
  requirePackages();
  return engineAt(address, () => openStore(address));
}

export function engineAt(at: { place: string; password?: string }, open: () => Promise<Store>): StoredEngine {
  const calls = new Calls(at, async () => partsOf(await open()));
  const call = calls.call.bind(calls);
  return {
    place: at.place,
    ready: () =>
      call(
        async ({ records }) => {
          await records.lanes();
          // May this user write, too?
          await records.wakeable('nothing');
        },
        { isFirst: true },
      ),
    close: () =>
      calls.close(async ({ sweeper, store }) => {
        sweeper.stop();
        await store.close();
      }),

    add: (job, options) => call((parts) => add(job, options?.notBefore ?? 0, parts)),
    again: (run, spec) => call((parts) => again(run, spec, parts)),
    endUnheld: (run, result) =>
      call(async ({ views, endings }) => {
        const found = await views.find(run);
        if (found === undefined || found.state === 'active') return false;
        return found.state === 'ended' || endings.end(run, found.lane, found.job.data, result);
      }),
    remove: (run) =>
      call(async ({ views, records }) => {
        const found = await views.find(run);
        if (found === undefined || found.state === 'active') return false;
        if ((await found.lane.backend.remove(run, true)) === 0) return false;
        await records.forget(run);
        return true;
      }),
    job: (run) => call(({ views }) => views.job(run)),
    jobs: (states, from, most) => call(({ views }) => views.jobs(states, from, most)),
    counts: () => call(({ views }) => views.counts()),

    take: (labels, worker, waitMs, signal) =>
      call(
        async ({ taker, sweeper }) => {
          sweeper.start();
          return taker.take(labels, worker, waitMs, signal);
        },
        { waits: true },
      ),
    beat: (worker, runs) => {
      const deadline = Date.now() + BEAT_MS;
      return call(async ({ held, schedules, sweeper }) => {
        sweeper.start();
        await schedules.renew();
        return held.beat(worker, runs, deadline);
      });
    },
    giveBack: (taken, options) => call(({ held }) => held.giveBack(taken, options)),
    complete: (taken, result) => call(({ held }) => held.complete(taken, result)),
    bury: (taken, why) => call(({ held }) => held.bury(taken, why)),
    claimSlots: (run, slots) => call(({ held, records }) => records.claimSlots(run, held.self, slots)),
    releaseSlots: (run) =>
      call(async ({ held, records, lanes }) => lanes.wake(await records.releaseSlots(run, held.self))),

    command: (run, command) =>
      call(async ({ views, records, lanes }) => {
        const found = await views.find(run);
        if (found === undefined || found.state === 'ended' || found.state === 'dead') return;
        await records.command(run, command);
        await lanes.wake([run]);
      }),
    acknowledge: (run, commands) => call(({ records }) => records.acknowledge(run, commands)),
    tell: (run, news, lines, from) => call(({ records }) => records.tell(run, news, lines, from)),
    lines: (run, from, most) =>
      call(({ records }) => records.lines(run, Math.max(from, 0), Math.max(most, 0))),

    workers: () => call(({ records }) => records.workers()),
    drain: (worker, on) => call(({ records }) => records.drain(worker, on)),
    pause: (on) => call(({ records }) => records.pause(on)),
    isPaused: () => call(async ({ records }) => (await records.lanes()).paused),
    limits: () => call(({ records }) => records.limits()),
    /** Runs that wait for a place look anew whether they have one. */
    setLimits: (limits) =>
      call(async ({ records, lanes }) => {
        await records.setLimits(limits);
        await lanes.wake(await records.wakeAll());
      }),
    spend: (day, repo, usd, of) => call(({ records }) => records.spend(day, repo, usd, of)),
    spent: (day) => call(({ records }) => records.spent(day)),
    countIteration: (model, most) => call(({ records }) => records.countIteration(model, most)),
    keep: (shelf, name, text) => call(({ records }) => records.keep(shelf, name, text)),
    kept: (shelf) => call(({ records }) => records.kept(shelf)),

    schedule: (schedule) => call(({ schedules }) => schedules.schedule(schedule)),
    unschedule: (id) => call(({ schedules }) => schedules.unschedule(id)),
    schedules: () => call(({ schedules }) => schedules.schedules()),
    due: () =>
      call(async ({ schedules, sweeper }) => {
        sweeper.start();
        return schedules.due();
      }),
    handled: (id, at) => call(({ schedules }) => schedules.handled(id, at)),
  };
}

function partsOf(store: Store) {
  const { records } = store;
  const lanes = new Lanes(store);
  const views = new Views(store, lanes);
  const endings = new Endings(store, lanes);
  return {
    store,
    records,
    lanes,
    views,
    endings,
    held: new Held(store, lanes, views),
    schedules: new Schedules(store, lanes),
    taker: new Taker(store, lanes),
    sweeper: new Sweeper(store, lanes, endings),
  };
}

type Parts = ReturnType<typeof partsOf>;

async function add(job: FleetJob, notBefore: number, { lanes, records }: Parts): Promise<'added' | 'known'> {
  const wanted = laneOf(job.labels);
  // A run lies beside the lists of its lane.
  if (!RUN_ID.test(job.run) || Object.hasOwn(lanes.get(wanted).backend.keys, job.run)) {
    throw new UsageError(
      `${JSON.stringify(job.run)} cannot be the id of a run: use letters, digits, dots, _ and -, and not a single common word`,
    );
  }
  const delay = Math.max(notBefore - Date.now(), 0);
  const labels = [...new Set(job.labels)].sort();
  const claimed = await records.claimRun(job.run, wanted, labels, notBefore);
  const there = await lanes.get(claimed.lane).backend.getState(job.run);
  if (there !== 'unknown') return 'known';
  if (claimed.lane === ENDED_LANE) await records.setLane(job.run, wanted);
  const data = { ...fleetJob(job, job.run), title: storableText(job.title) };
  await lanes.get(wanted).queue.add('run', data, jobOptions(job.run, job.priority, delay));
  return claimed.fresh ? 'added' : 'known';
}

async function again(run: string, spec: string | undefined, parts: Parts): Promise<boolean> {
  const found = await parts.views.find(run);
  if (found === undefined || found.state === 'waiting' || found.state === 'active') return false;
  const { lane, job, state } = found;
  const { result: _, from: __, ...before } = job.data;
  const stallsBefore = job.stalledCounter ?? 0;
  const data = { ...before, stallsBefore, spec: spec ?? before.spec };
  await parts.records.revive(run);
  if (lane.name === ENDED_LANE) return moveBack(run, lane, data, parts);
  if (spec !== undefined || stallsBefore > 0) await job.updateData(data);
  if (state === 'delayed') await job.promote();
  else await job.retry(state === 'ended' ? 'completed' : 'failed');
  return true;
}

/** Out of the lane of the runs that ended without a worker. */
async function moveBack(
  run: string,
  from: Lane,
  data: FleetJob,
  { lanes, records }: Parts,
): Promise<boolean> {
  const lane = lanes.get(laneOf(data.labels));
  await lane.queue.add('run', fleetJob(data, run), jobOptions(run, data.priority));
  await records.setLane(run, lane.name);
  await from.backend.remove(run, true);
  return true;
}
