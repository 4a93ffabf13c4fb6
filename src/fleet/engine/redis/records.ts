import type { Redis } from 'ioredis';
import type { Slot } from '../../../core/fleet/limits.ts';
import type { RunCommand, RunNews, Spent, WorkerView } from '../../../ports/fleet.ts';
import { labelsIn, limitsIn, newsIn, parsed, workerIn } from '../readable.ts';
import {
  DAY_MS,
  DEAD_LINES_DAYS,
  ENDED_DAYS,
  ENDED_LINES_DAYS,
  LINES_KEPT,
  PRESENCE_MS,
  type PutBack,
  type Records,
  type RunRecord,
  SLOT_MS,
  SPENT_DAYS,
} from '../records.ts';
import * as lua from './scripts.ts';

/** Lua has a limit of arguments that is far above this. */
const LINES_AT_ONCE = 1_000;

export function redisRecords(client: Redis, prefix: string): Records {
  const p = `${prefix}:fleet:`;
  const run = async (script: string, ...args: (string | number)[]): Promise<unknown> =>
    client.eval(script, 0, p, ...args);

  return {
    async lanes() {
      const [lanes, paused] = await Promise.all([client.hgetall(`${p}lanes`), client.exists(`${p}paused`)]);
      const entries = Object.entries(lanes).flatMap(([lane, text]) => {
        const labels = labelsIn(parsed(text));
        return labels === undefined ? [] : [[lane, labels] as const];
      });
      return { lanes: Object.fromEntries(entries), paused: paused === 1 };
    },
    async claimRun(id, lane, labels, notBefore) {
      const [known, fresh] = (await run(lua.CLAIM_RUN, id, lane, JSON.stringify(labels), notBefore)) as [
        string,
        number,
      ];
      return { lane: known, fresh: fresh === 1 };
    },
    async setLane(id, lane) {
      await client.hset(`${p}run:${id}`, 'lane', lane);
    },
    async runs(ids) {
      if (ids.length === 0) return [];
      const pipeline = client.pipeline();
      for (const id of ids) pipeline.hgetall(`${p}run:${id}`);
      const replies = (await pipeline.exec()) ?? [];
      return replies.map(([error, fields]) => {
        if (error) throw error;
        return recordOf(fields as Record<string, string>);
      });
    },
    async taken(id, lane, token) {
      return Number(await run(lua.TAKEN, id, lane, token));
    },
    async putBack(id, { token, why, failures, waitsFor, notBefore }: PutBack) {
      await run(lua.PUT_BACK, id, token, why ?? '', failures, waitsFor ?? '', notBefore);
    },
    async settle(id, token, why) {
      await run(lua.SETTLE, id, token, why ?? '');
    },
    async ended(id, dead) {
      const record = dead ? '' : (ENDED_DAYS + 1) * DAY_MS;
      await run(lua.ENDED, id, record, (dead ? DEAD_LINES_DAYS : ENDED_LINES_DAYS) * DAY_MS);
    },
    async revive(id) {
      await run(lua.REVIVE, id);
    },
    async forget(id) {
      await run(lua.FORGET, id);
    },
    async claimSlots(id, by, slots: readonly Slot[]) {
      const full = await run(
        lua.CLAIM_SLOTS,
        id,
        by,
        SLOT_MS,
        ...slots.flatMap(({ name, most }) => [name, most]),
      );
      return typeof full === 'string' ? full : undefined;
    },
    async releaseSlots(id, by) {
      return (await run(lua.RELEASE_SLOTS, id, by)) as string[];
    },
    async wakeable(of) {
      return (await run(lua.WAKEABLE, of ?? '')) as string[];
    },
    async wakeAll() {
      return (await run(lua.WAKE_ALL)) as string[];
    },
    async command(id, command: RunCommand) {
      await run(lua.COMMAND, id, command.id, JSON.stringify(command));
    },
    async acknowledge(id, commands) {
      if (commands.length > 0) await client.hdel(`${p}commands:${id}`, ...commands);
    },
    async pending(id) {
      return client.hkeys(`${p}commands:${id}`);
    },
    async beat(worker: WorkerView, by, runs) {
      const told = [worker.name, JSON.stringify(worker), worker.startedAt, by, PRESENCE_MS, SLOT_MS];
      const [drain, paused, asked, kept] = (await run(lua.BEAT, ...told, ...runs)) as [
        number,
        number,
        string[][],
        string[],
      ];
      const commands = runs.flatMap((id, place) => {
        const rows = pairs(asked[place] ?? []).sort(([, one], [, other]) => (one < other ? -1 : 1));
        const of = rows.map(([name, text]) => ({ id: name, command: parsed(text.slice(20)) }));
        return of.length === 0 ? [] : [[id, of] as const];
      });
      const orders = Object.fromEntries(pairs(kept));
      return { commands: Object.fromEntries(commands), drain: drain === 1, paused: paused === 1, orders };
    },
    async tell(id, news: RunNews, lines, from) {
      const text = JSON.stringify(news);
      for (let done = 0; done === 0 || done < lines.length; done += LINES_AT_ONCE) {
        const some = lines.slice(done, done + LINES_AT_ONCE);
        await run(lua.TELL, id, text, from === undefined ? -1 : from + done, LINES_KEPT, ...some);
      }
    },
    async lines(id, from, most) {
      const [gone, lines] = (await run(lua.LINES, id, from, most)) as [number, string[]];
      return [...new Array<string>(gone).fill(''), ...lines];
    },
    async workers() {
      const names = await client.zrange(`${p}workers`, '0', '-1');
      if (names.length === 0) return [];
      const views = await client.mget(names.map((name) => `${p}worker:${name}`));
      return views.flatMap((view) => workerIn(parsed(view)) ?? []);
    },
    async drain(worker, on) {
      const [seconds] = await client.time();
      if (on) await client.hset(`${p}drains`, worker, String((Number(seconds) + 1) * 1000));
      else await client.hdel(`${p}drains`, worker);
    },
    async pause(on) {
      if (on) await client.set(`${p}paused`, 1);
      else await client.del(`${p}paused`);
    },
    async limits() {
      return limitsIn(parsed(await client.get(`${p}limits`)));
    },
    async setLimits(limits) {
      await client.set(`${p}limits`, JSON.stringify(limits));
    },
    async spend(day, repo, usd, of) {
      await run(lua.SPEND, day, repo, usd, of);
    },
    async spent(day): Promise<Spent> {
      const fields = await client.hgetall(`${p}spent:${day}`);
      const byRepo = Object.fromEntries(
        Object.entries(fields).map(([repo, usd]) => [repo, Number(usd) || 0]),
      );
      return { day, usd: Object.values(byRepo).reduce((sum, usd) => sum + usd, 0), byRepo };
    },
    async countIteration(model, mostPerMinute) {
      return Number(await run(lua.COUNT_ITERATION, model, mostPerMinute));
    },
    async keep(shelf, name, text) {
      const key = `${p}kept:${shelf}`;
      await client.hset(key, name, text);
      if (shelf.startsWith('spent:')) await client.pexpire(key, SPENT_DAYS * DAY_MS);
    },
    async kept(shelf) {
      return client.hgetall(`${p}kept:${shelf}`);
    },
    async prune() {
      const [seconds] = await client.time();
      await client.zremrangebyscore(`${p}workers`, '-inf', Number(seconds) * 1000 - DAY_MS);
      const drains = await client.hgetall(`${p}drains`);
      const old = Object.keys(drains).filter(
        (name) => Number(drains[name]) < Number(seconds) * 1000 - DAY_MS,
      );
      if (old.length > 0) await client.hdel(`${p}drains`, ...old);
    },
  };
}

/** Names and texts of a hash, as scripts return it. */
function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, place) => (place % 2 === 0 ? [[name, flat[place + 1] ?? '']] : []));
}

function recordOf(fields: Record<string, string>): RunRecord | undefined {
  if (fields.lane === undefined) return undefined;
  const news = newsIn(parsed(fields.news));
  return {
    lane: fields.lane,
    failures: Number(fields.failures ?? 0) || 0,
    ...(fields.why === undefined ? {} : { why: fields.why }),
    ...(news === undefined ? {} : { news }),
    ...(fields.notBefore === undefined ? {} : { notBefore: Number(fields.notBefore) || 0 }),
    ...(fields.settled === undefined ? {} : { settled: fields.settled }),
  };
}
