/** Places in the limits of the fleet. A run that holds one renews it with every beat, so those of a dead worker free themselves. */
import type { Slot } from '../../../engine/core/fleet/limits.ts';
import { HEAD, type Shelf } from './lua.ts';

/** A slot of a worker that has not been heard of for so long is free. Longer than a short outage of the store. */
export const SLOT_MS = 20_000;

const WAKE = `
local function wakeOne(name)
  local first = redis.call('ZPOPMIN', P .. 'waits:' .. name)
  if #first == 0 then
    redis.call('SREM', P .. 'waits', name)
    return nil
  end
  redis.call('HDEL', P .. 'run:' .. first[1], 'waitsFor')
  return first[1]
end
local function places(name)
  local key = P .. 'slot:' .. name
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local most = tonumber(redis.call('HGET', P .. 'most', name) or '0')
  return most - redis.call('ZCARD', key)
end
`;

/** ARGV: run, engine, ms, then name and places of each slot. */
const CLAIM_SLOTS = `${HEAD}
local run, by = ARGV[2], ARGV[3]
local wanted = {}
for i = 5, #ARGV, 2 do
  local key = P .. 'slot:' .. ARGV[i]
  wanted[ARGV[i]] = true
  redis.call('HSET', P .. 'most', ARGV[i], ARGV[i + 1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if not redis.call('ZSCORE', key, run) and redis.call('ZCARD', key) >= tonumber(ARGV[i + 1]) then return ARGV[i] end
end
local mine = P .. 'slots:' .. run
for _, name in ipairs(redis.call('HKEYS', mine)) do
  if not wanted[name] then
    redis.call('ZREM', P .. 'slot:' .. name, run)
    redis.call('HDEL', mine, name)
  end
end
for name in pairs(wanted) do
  redis.call('ZADD', P .. 'slot:' .. name, now + tonumber(ARGV[4]), run)
  redis.call('HSET', mine, name, by)
end
redis.call('PEXPIRE', mine, 86400000)
return false
`;

/** ARGV: run, engine. Returns the runs to wake. */
const RELEASE_SLOTS = `${HEAD}${WAKE}
local mine = P .. 'slots:' .. ARGV[2]
local held = redis.call('HGETALL', mine)
local woken = {}
for i = 1, #held, 2 do
  if held[i + 1] == ARGV[3] then
    redis.call('ZREM', P .. 'slot:' .. held[i], ARGV[2])
    redis.call('HDEL', mine, held[i])
    local run = places(held[i]) > 0 and wakeOne(held[i])
    if run then table.insert(woken, run) end
  end
end
return woken
`;

/** ARGV: slot or '' for all. */
const WAKEABLE = `${HEAD}${WAKE}
local woken = {}
local names = ARGV[2] == '' and redis.call('SMEMBERS', P .. 'waits') or { ARGV[2] }
for _, name in ipairs(names) do
  for _ = 1, math.min(places(name), 100) do
    local run = wakeOne(name)
    if not run then break end
    table.insert(woken, run)
  end
end
return woken
`;

const WAKE_ALL = `${HEAD}${WAKE}
local woken = {}
for _, name in ipairs(redis.call('SMEMBERS', P .. 'waits')) do
  local run = wakeOne(name)
  while run do
    table.insert(woken, run)
    run = wakeOne(name)
  end
end
return woken
`;

export function slotRecords({ run }: Shelf) {
  return {
    /** `by`: the engine that claims. Returns the name of the slot that is full; undefined when all are taken. */
    async claimSlots(id: string, by: string, slots: readonly Slot[]) {
      const full = await run(
        CLAIM_SLOTS,
        id,
        by,
        SLOT_MS,
        ...slots.flatMap(({ name, most }) => [name, most]),
      );
      return typeof full === 'string' ? full : undefined;
    },
    /** Returns runs that waited, one for each slot. They wait no longer. */
    async releaseSlots(id: string, by: string) {
      return (await run(RELEASE_SLOTS, id, by)) as string[];
    },
    /** Runs that wait for a slot which has a place, as many as there are places. They wait no longer. `of`: only this slot. */
    async wakeable(of?: string) {
      return (await run(WAKEABLE, of ?? '')) as string[];
    },
    /** All runs that wait for any slot. They wait no longer. */
    async wakeAll() {
      return (await run(WAKE_ALL)) as string[];
    },
  };
}
