/**
 * What the engine keeps beside BullMQ's queues. Each change is one Lua script, so that it is one step; ARGV[1] is the prefix of our
 * keys, and times are Redis's own.
 *
 *   lanes             hash   lane -> labels as JSON
 *   run:<run>         hash   lane, failures, why, news, settled, holder, base (how many told lines are no longer kept)
 *   lines:<run>       list   told journal lines
 *   commands:<run>    hash   id -> command as JSON with its number `n`
 *   slot:<name>       zset   run -> until when it holds a place
 *   most              hash   slot -> places
 *   slots:<run>       hash   slot -> the engine that claimed it
 *   waits:<name>      zset   run -> since when it waits for the slot
 *   waits             set    slots that runs wait for
 *   worker:<name>     string the worker's view; workers: zset name -> last beat; drains: hash name -> since when
 *   spent:<day>       hash   money by repository; spent-of:<day>: set of what was counted
 *   minute:<m>:<model> string iterations in a minute
 *   kept:<shelf>      hash   name -> text: `orders`, `spent:<day>`
 */
import type { Redis } from 'ioredis';

export const DAY_MS = 86_400_000;

/** Our part of a Redis. */
export interface Shelf {
  client: Redis;
  /** The prefix of our keys. */
  p: string;
  run(script: string, ...args: (string | number)[]): Promise<unknown>;
}

/** What every script begins with. */
export const HEAD = `
local P = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** How long the record of a run outlives its last change. */
export const KEEP = `
local function keep(run) redis.call('PEXPIRE', P .. 'run:' .. run, 60 * 86400000) end
local function stopWaiting(run)
  local name = redis.call('HGET', P .. 'run:' .. run, 'waitsFor')
  if name then
    redis.call('HDEL', P .. 'run:' .. run, 'waitsFor')
    redis.call('ZREM', P .. 'waits:' .. name, run)
  end
end
`;

/** Names and texts of a hash, as scripts return it. */
export function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, place) => (place % 2 === 0 ? [[name, flat[place + 1] ?? '']] : []));
}
