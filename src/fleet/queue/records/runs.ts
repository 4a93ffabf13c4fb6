/** Where runs are: their lanes, and a record of each. */
import type { ProgressReport } from '../../../engine/ports/fleet.ts';
import { labelsIn, newsIn, parsed } from '../readable.ts';
import { DAY_MS, HEAD, KEEP, type Shelf } from './lua.ts';

/** Ended runs are kept for so long; their told lines, which git has, too, for less. */
export const ENDED_DAYS = 14;
const ENDED_LINES_DAYS = 2;
const DEAD_LINES_DAYS = 14;

export interface RunRecord {
  lane: string;
  failures: number;
  why?: string;
  news?: ProgressReport;
  /** Of a run that was delayed. */
  notBefore?: number;
  /** The token of the holder that is about to end the run or to put it back. */
  settled?: string;
}

interface PutBack {
  token: string;
  why: string | undefined;
  /** More failures in a row; none any more; or as many as before. */
  failures: 'more' | 'none' | 'same';
  notBefore: number;
  waitsFor: string | undefined;
}

/** ARGV: run, lane, labels, not before. */
const CLAIM_RUN = `${HEAD}${KEEP}
redis.call('HSETNX', P .. 'lanes', ARGV[3], ARGV[4])
local key = P .. 'run:' .. ARGV[2]
local fresh = redis.call('HSETNX', key, 'lane', ARGV[3])
if fresh == 1 then redis.call('HSET', key, 'notBefore', ARGV[5]) end
keep(ARGV[2])
return { redis.call('HGET', key, 'lane'), fresh }
`;

/** ARGV: run, lane, token. */
const TAKEN = `${HEAD}${KEEP}
local key = P .. 'run:' .. ARGV[2]
stopWaiting(ARGV[2])
redis.call('HSET', key, 'lane', ARGV[3], 'holder', ARGV[4])
redis.call('HDEL', key, 'settled')
redis.call('PERSIST', P .. 'lines:' .. ARGV[2])
keep(ARGV[2])
return redis.call('HGET', key, 'failures') or '0'
`;

/** ARGV: run, token, why or '', failures, waitsFor or '', not before. */
const PUT_BACK = `${HEAD}${KEEP}
local key = P .. 'run:' .. ARGV[2]
if redis.call('HGET', key, 'settled') == ARGV[3] then return 0 end
redis.call('HSET', key, 'settled', ARGV[3], 'notBefore', ARGV[7])
if ARGV[4] == '' then redis.call('HDEL', key, 'why') else redis.call('HSET', key, 'why', ARGV[4]) end
if ARGV[5] == 'more' then redis.call('HINCRBY', key, 'failures', 1) end
if ARGV[5] == 'none' then redis.call('HDEL', key, 'failures') end
if ARGV[6] ~= '' then
  redis.call('HSET', key, 'waitsFor', ARGV[6])
  redis.call('ZADD', P .. 'waits:' .. ARGV[6], now, ARGV[2])
  redis.call('SADD', P .. 'waits', ARGV[6])
end
keep(ARGV[2])
return 1
`;

/** ARGV: run, token, why or ''. */
const SETTLE = `${HEAD}${KEEP}
local key = P .. 'run:' .. ARGV[2]
redis.call('HSET', key, 'settled', ARGV[3])
if ARGV[4] == '' then redis.call('HDEL', key, 'why') else redis.call('HSET', key, 'why', ARGV[4]) end
keep(ARGV[2])
return 1
`;

/** ARGV: run, ms to keep its record ('' for as long as it is dead), ms to keep its lines. */
const ENDED = `${HEAD}${KEEP}
stopWaiting(ARGV[2])
redis.call('HDEL', P .. 'run:' .. ARGV[2], 'failures')
redis.call('DEL', P .. 'commands:' .. ARGV[2])
if ARGV[3] == '' then redis.call('PERSIST', P .. 'run:' .. ARGV[2]) else redis.call('PEXPIRE', P .. 'run:' .. ARGV[2], ARGV[3]) end
redis.call('PEXPIRE', P .. 'lines:' .. ARGV[2], ARGV[4])
return 1
`;

/** ARGV: run. */
const REVIVE = `${HEAD}${KEEP}
stopWaiting(ARGV[2])
redis.call('HDEL', P .. 'run:' .. ARGV[2], 'failures', 'why', 'settled')
redis.call('PERSIST', P .. 'lines:' .. ARGV[2])
keep(ARGV[2])
return 1
`;

/** ARGV: run. */
const FORGET = `${HEAD}${KEEP}
stopWaiting(ARGV[2])
for _, key in ipairs({ 'run:', 'lines:', 'commands:' }) do redis.call('DEL', P .. key .. ARGV[2]) end
return 1
`;

export function runRecords({ client, p, run }: Shelf) {
  return {
    async lanes() {
      const [lanes, paused] = await Promise.all([client.hgetall(`${p}lanes`), client.exists(`${p}paused`)]);
      const entries = Object.entries(lanes).flatMap(([lane, text]) => {
        const labels = labelsIn(parsed(text));
        return labels === undefined ? [] : [[lane, labels] as const];
      });
      return { lanes: Object.fromEntries(entries), paused: paused === 1 };
    },
    /** Notes where a run is, unless that is known. `fresh`: it was not. */
    async claimRun(id: string, lane: string, labels: readonly string[], notBefore: number) {
      const [known, fresh] = (await run(CLAIM_RUN, id, lane, JSON.stringify(labels), notBefore)) as [
        string,
        number,
      ];
      return { lane: known, fresh: fresh === 1 };
    },
    async setLane(id: string, lane: string) {
      await client.hset(`${p}run:${id}`, 'lane', lane);
    },
    async runs(ids: readonly string[]): Promise<(RunRecord | undefined)[]> {
      if (ids.length === 0) return [];
      const pipeline = client.pipeline();
      for (const id of ids) pipeline.hgetall(`${p}run:${id}`);
      const replies = (await pipeline.exec()) ?? [];
      return replies.map(([error, fields]) => {
        if (error) throw error;
        return recordOf(fields as Record<string, string>);
      });
    },
    /** A worker holds the run now. Returns how often it failed in a row. */
    async taken(id: string, lane: string, token: string) {
      return Number(await run(TAKEN, id, lane, token));
    },
    async putBack(id: string, { token, why, failures, waitsFor, notBefore }: PutBack) {
      await run(PUT_BACK, id, token, why ?? '', failures, waitsFor ?? '', notBefore);
    },
    /** Notes that the holder is about to end the run. */
    async settle(id: string, token: string, why: string | undefined) {
      await run(SETTLE, id, token, why ?? '');
    },
    /** The run has ended, or is dead: what is kept of it goes after a while, and nothing is asked of it. */
    async ended(id: string, dead: boolean) {
      const record = dead ? '' : (ENDED_DAYS + 1) * DAY_MS;
      await run(ENDED, id, record, (dead ? DEAD_LINES_DAYS : ENDED_LINES_DAYS) * DAY_MS);
    },
    /** The run begins anew. */
    async revive(id: string) {
      await run(REVIVE, id);
    },
    async forget(id: string) {
      await run(FORGET, id);
    },
  };
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
