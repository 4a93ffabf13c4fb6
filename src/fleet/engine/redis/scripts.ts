/**
 * Lua, so that each change is one step. ARGV[1] is the prefix of our keys, and times are Redis's own.
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
const HEAD = `
local P = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** How long the record of a run outlives its last change. */
const KEEP = `
local function keep(run) redis.call('PEXPIRE', P .. 'run:' .. run, 60 * 86400000) end
local function stopWaiting(run)
  local name = redis.call('HGET', P .. 'run:' .. run, 'waitsFor')
  if name then
    redis.call('HDEL', P .. 'run:' .. run, 'waitsFor')
    redis.call('ZREM', P .. 'waits:' .. name, run)
  end
end
`;

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

/** ARGV: run, lane, labels, not before. */
export const CLAIM_RUN = `${HEAD}${KEEP}
redis.call('HSETNX', P .. 'lanes', ARGV[3], ARGV[4])
local key = P .. 'run:' .. ARGV[2]
local fresh = redis.call('HSETNX', key, 'lane', ARGV[3])
if fresh == 1 then redis.call('HSET', key, 'notBefore', ARGV[5]) end
keep(ARGV[2])
return { redis.call('HGET', key, 'lane'), fresh }
`;

/** ARGV: run, lane, token. */
export const TAKEN = `${HEAD}${KEEP}
local key = P .. 'run:' .. ARGV[2]
stopWaiting(ARGV[2])
redis.call('HSET', key, 'lane', ARGV[3], 'holder', ARGV[4])
redis.call('HDEL', key, 'settled')
redis.call('PERSIST', P .. 'lines:' .. ARGV[2])
keep(ARGV[2])
return redis.call('HGET', key, 'failures') or '0'
`;

/** ARGV: run, token, why or '', failures, waitsFor or '', not before. */
export const PUT_BACK = `${HEAD}${KEEP}
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
export const SETTLE = `${HEAD}${KEEP}
local key = P .. 'run:' .. ARGV[2]
redis.call('HSET', key, 'settled', ARGV[3])
if ARGV[4] == '' then redis.call('HDEL', key, 'why') else redis.call('HSET', key, 'why', ARGV[4]) end
keep(ARGV[2])
return 1
`;

/** ARGV: run, ms to keep its record ('' for as long as it is dead), ms to keep its lines. */
export const ENDED = `${HEAD}${KEEP}
stopWaiting(ARGV[2])
redis.call('HDEL', P .. 'run:' .. ARGV[2], 'failures')
redis.call('DEL', P .. 'commands:' .. ARGV[2])
if ARGV[3] == '' then redis.call('PERSIST', P .. 'run:' .. ARGV[2]) else redis.call('PEXPIRE', P .. 'run:' .. ARGV[2], ARGV[3]) end
redis.call('PEXPIRE', P .. 'lines:' .. ARGV[2], ARGV[4])
return 1
`;

/** ARGV: run. */
export const REVIVE = `${HEAD}${KEEP}
stopWaiting(ARGV[2])
redis.call('HDEL', P .. 'run:' .. ARGV[2], 'failures', 'why', 'settled')
redis.call('PERSIST', P .. 'lines:' .. ARGV[2])
keep(ARGV[2])
return 1
`;

/** ARGV: run. */
export const FORGET = `${HEAD}${KEEP}
stopWaiting(ARGV[2])
for _, key in ipairs({ 'run:', 'lines:', 'commands:' }) do redis.call('DEL', P .. key .. ARGV[2]) end
return 1
`;

/** ARGV: run, engine, ms, then name and places of each slot. */
export const CLAIM_SLOTS = `${HEAD}
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
export const RELEASE_SLOTS = `${HEAD}${WAKE}
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
export const WAKEABLE = `${HEAD}${WAKE}
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

export const WAKE_ALL = `${HEAD}${WAKE}
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

/** ARGV: run, id, command. */
export const COMMAND = `${HEAD}
local key = P .. 'commands:' .. ARGV[2]
if redis.call('HEXISTS', key, ARGV[3]) == 0 then
  redis.call('HSET', key, ARGV[3], string.format('%020d', redis.call('INCR', P .. 'asked')) .. ARGV[4])
end
redis.call('PEXPIRE', key, 60 * 86400000)
return 1
`;

/** ARGV: worker, its view, its start, engine, ms of presence, ms of slots, then runs. */
export const BEAT = `${HEAD}
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
export const TELL = `${HEAD}${KEEP}
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
export const LINES = `${HEAD}
local base = tonumber(redis.call('HGET', P .. 'run:' .. ARGV[2], 'base') or '0')
local from, most = tonumber(ARGV[3]), tonumber(ARGV[4])
local count = redis.call('LLEN', P .. 'lines:' .. ARGV[2])
local gone = math.min(math.max(math.min(base, base + count) - from, 0), most)
if most <= gone then return { gone, {} } end
local first = math.max(from - base, 0)
return { gone, redis.call('LRANGE', P .. 'lines:' .. ARGV[2], first, first + most - gone - 1) }
`;

/** ARGV: day, repository, USD, of. */
export const SPEND = `${HEAD}
if redis.call('SADD', P .. 'spent-of:' .. ARGV[2], ARGV[5]) == 0 then return 0 end
redis.call('HINCRBYFLOAT', P .. 'spent:' .. ARGV[2], ARGV[3], ARGV[4])
redis.call('PEXPIRE', P .. 'spent-of:' .. ARGV[2], 3 * 86400000)
redis.call('PEXPIRE', P .. 'spent:' .. ARGV[2], 62 * 86400000)
return 1
`;

/** ARGV: model, most. Returns how long to wait. */
export const COUNT_ITERATION = `${HEAD}
local minute = math.floor(now / 60000)
local key = P .. 'minute:' .. minute .. ':' .. ARGV[2]
if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[3]) then return math.max((minute + 1) * 60000 - now, 1) end
redis.call('INCR', key)
redis.call('PEXPIRE', key, 120000)
return 0
`;

/**
 * The lock of a run lapsed while the store was away, and nobody has taken the run since: its holder has it again.
 * KEYS: lock, active, stalled. ARGV: run, token, ms.
 */
export const REGAIN = `${HEAD}
if redis.call('HGET', P .. 'run:' .. ARGV[2], 'holder') ~= ARGV[3] then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 or not redis.call('LPOS', KEYS[2], ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
redis.call('SREM', KEYS[3], ARGV[2])
return 1
`;
