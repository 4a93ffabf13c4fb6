/** What holds for the whole fleet: limits, the pause, draining, money, iterations of a minute. */
import type { FleetLimits } from '../../../engine/core/fleet/limits.ts';
import type { Spent } from '../../../engine/ports/fleet.ts';
import { limitsIn, parsed } from '../readable.ts';
import { DAY_MS, HEAD, type Shelf } from './lua.ts';

/** Shelves of a day go after so many days. */
const SPENT_DAYS = 62;

/** ARGV: day, repository, USD, of. */
const SPEND = `${HEAD}
if redis.call('SADD', P .. 'spent-of:' .. ARGV[2], ARGV[5]) == 0 then return 0 end
redis.call('HINCRBYFLOAT', P .. 'spent:' .. ARGV[2], ARGV[3], ARGV[4])
redis.call('PEXPIRE', P .. 'spent-of:' .. ARGV[2], 3 * 86400000)
redis.call('PEXPIRE', P .. 'spent:' .. ARGV[2], 62 * 86400000)
return 1
`;

/** ARGV: model, most. Returns how long to wait. */
const COUNT_ITERATION = `${HEAD}
local minute = math.floor(now / 60000)
local key = P .. 'minute:' .. minute .. ':' .. ARGV[2]
if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[3]) then return math.max((minute + 1) * 60000 - now, 1) end
redis.call('INCR', key)
redis.call('PEXPIRE', key, 120000)
return 0
`;

export function orderRecords({ client, p, run }: Shelf) {
  return {
    async drain(worker: string, on: boolean) {
      const [seconds] = await client.time();
      if (on) await client.hset(`${p}drains`, worker, String((Number(seconds) + 1) * 1000));
      else await client.hdel(`${p}drains`, worker);
    },
    async pause(on: boolean) {
      if (on) await client.set(`${p}paused`, 1);
      else await client.del(`${p}paused`);
    },
    async limits() {
      return limitsIn(parsed(await client.get(`${p}limits`)));
    },
    async setLimits(limits: FleetLimits) {
      await client.set(`${p}limits`, JSON.stringify(limits));
    },
    async spend(day: string, repo: string, usd: number, of: string) {
      await run(SPEND, day, repo, usd, of);
    },
    async spent(day: string): Promise<Spent> {
      const fields = await client.hgetall(`${p}spent:${day}`);
      const byRepo = Object.fromEntries(
        Object.entries(fields).map(([repo, usd]) => [repo, Number(usd) || 0]),
      );
      return { day, usd: Object.values(byRepo).reduce((sum, usd) => sum + usd, 0), byRepo };
    },
    async countIteration(model: string, mostPerMinute: number) {
      return Number(await run(COUNT_ITERATION, model, mostPerMinute));
    },
    async keep(shelf: string, name: string, text: string) {
      const key = `${p}kept:${shelf}`;
      await client.hset(key, name, text);
      if (shelf.startsWith('spent:')) await client.pexpire(key, SPENT_DAYS * DAY_MS);
    },
    async kept(shelf: string) {
      return client.hgetall(`${p}kept:${shelf}`);
    },
  };
}
