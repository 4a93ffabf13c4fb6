/** What is asked of runs, and what workers tell of them and of themselves. */
import type { ProgressReport, RunCommand, WorkerView } from '../../../engine/ports/fleet.ts';
import { parsed, workerIn } from '../readable.ts';
import { DAY_MS, HEAD, KEEP, pairs, type Shelf } from './lua.ts';
import { SLOT_MS } from './slots.ts';

/** A worker that has not been heard of for so long is gone. */
const PRESENCE_MS = 15_000;
/** Told journal lines that are kept of a run. */
const LINES_KEPT = 5_000;
/** Lua has a limit of arguments that is far above this. */
const LINES_AT_ONCE = 1_000;

/** ARGV: run, id, command. */
const COMMAND = `${HEAD}
local key = P .. 'commands:' .. ARGV[2]
if redis.call('HEXISTS', key, ARGV[3]) == 0 then
  redis.call('HSET', key, ARGV[3], string.format('%020d', redis.call('INCR', P .. 'asked')) .. ARGV[4])
end
redis.call('PEXPIRE', key, 60 * 86400000)
return 1
`;

/** ARGV: worker, its view, its start, engine, ms of presence, ms of slots, then runs. */
const BEAT = `${HEAD}
local name = ARGV[2]
redis.call('SET', P .. 'worker:' .. name, ARGV[3], 'PX', ARGV[6])
redis.call('ZADD', P .. 'workers', now, name)
local since = redis.call('HGET', P .. 'drains', name)
local drain = (since and tonumber(since) >= tonumber(ARGV[4])) and 1 or 0
local asked = {}
for i = 8, #ARGV do
  local run = ARGV[i]
  local held = redis.call('HGETALL', P .. 'slots:' .. run)
  for j = 1, #held, 2 do
    if held[j + 1] == ARGV[5] then redis.call('ZADD', P .. 'slot:' .. held[j], now + tonumber(ARGV[7]), run) end
  end
  if #held > 0 then redis.call('PEXPIRE', P .. 'slots:' .. run, 86400000) end
  asked[i - 7] = redis.call('HGETALL', P .. 'commands:' .. run)
end
return { drain, redis.call('EXISTS', P .. 'paused'), asked, redis.call('HGETALL', P .. 'kept:orders') }
`;

/** ARGV: run, news, place of the first line or -1, lines that are kept, then lines. */
const TELL = `${HEAD}${KEEP}
local record, key = P .. 'run:' .. ARGV[2], P .. 'lines:' .. ARGV[2]
if redis.call('EXISTS', record) == 0 then return 0 end
local from, most = tonumber(ARGV[4]), tonumber(ARGV[5])
local base = tonumber(redis.call('HGET', record, 'base') or '0')
local count = redis.call('LLEN', key)
if from >= 0 then
  if from < base or from > base + count or from == base then
    redis.call('DEL', key)
    base = from
  elseif from < base + count then
    redis.call('LTRIM', key, 0, from - base - 1)
  end
end
for i = 6, #ARGV do redis.call('RPUSH', key, ARGV[i]) end
local excess = redis.call('LLEN', key) - most
if excess > 0 then
  redis.call('LTRIM', key, excess, -1)
  base = base + excess
end
redis.call('HSET', record, 'news', ARGV[3], 'base', base)
return 1
`;

/** ARGV: run, from, most. Returns how many at the front are no longer kept, and the lines. */
const LINES = `${HEAD}
local base = tonumber(redis.call('HGET', P .. 'run:' .. ARGV[2], 'base') or '0')
local from, most = tonumber(ARGV[3]), tonumber(ARGV[4])
local count = redis.call('LLEN', P .. 'lines:' .. ARGV[2])
local gone = math.min(math.max(math.min(base, base + count) - from, 0), most)
if most <= gone then return { gone, {} } end
local first = math.max(from - base, 0)
return { gone, redis.call('LRANGE', P .. 'lines:' .. ARGV[2], first, first + most - gone - 1) }
`;

export function toldRecords({ client, p, run }: Shelf) {
  return {
    async command(id: string, command: RunCommand) {
      await run(COMMAND, id, command.id, JSON.stringify(command));
    },
    async acknowledge(id: string, commands: readonly string[]) {
      if (commands.length > 0) await client.hdel(`${p}commands:${id}`, ...commands);
    },
    /** Commands that nobody has acknowledged. */
    async pending(id: string) {
      return client.hkeys(`${p}commands:${id}`);
    },
    /** Renews slots of these runs. Their commands come in the order of asking, whatever lies there. */
    async beat(worker: WorkerView, by: string, runs: readonly string[]) {
      const told = [worker.name, JSON.stringify(worker), worker.startedAt, by, PRESENCE_MS, SLOT_MS];
      const [drain, paused, asked, kept] = (await run(BEAT, ...told, ...runs)) as [
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
    async tell(id: string, news: ProgressReport, lines: readonly string[], from: number | undefined) {
      const text = JSON.stringify(news);
      for (let done = 0; done === 0 || done < lines.length; done += LINES_AT_ONCE) {
        const some = lines.slice(done, done + LINES_AT_ONCE);
        await run(TELL, id, text, from === undefined ? -1 : from + done, LINES_KEPT, ...some);
      }
    },
    async lines(id: string, from: number, most: number) {
      const [gone, lines] = (await run(LINES, id, from, most)) as [number, string[]];
      return [...new Array<string>(gone).fill(''), ...lines];
    },
    async workers() {
      const names = await client.zrange(`${p}workers`, '0', '-1');
      if (names.length === 0) return [];
      const views = await client.mget(names.map((name) => `${p}worker:${name}`));
      return views.flatMap((view) => workerIn(parsed(view)) ?? []);
    },
    /** Removes what is no longer needed. Called now and then by workers. */
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
