/** What many loops show together. Pure. */
import { isDone } from '../../../engine/core/loop/state.ts';
import type { Insights } from './insight-types.ts';
import type { LoopSummary } from './loop-summary.ts';
import { hasRowEnded } from './overview.ts';
import type { LoopRow } from './overview-types.ts';

const MOST = 20;
const BINS: readonly [number, number][] = [
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 5],
  [6, 8],
  [9, 13],
  [14, 20],
  [21, 50],
  [51, Number.MAX_SAFE_INTEGER],
];

export interface Summed {
  row: LoopRow;
  /** Absent when its journal could not be read. */
  summary?: LoopSummary;
}

export function insightsOf(loops: readonly Summed[], since: number, now: number): Insights {
  return {
    now,
    since,
    loops: loops.length,
    endings: endingsOf(loops),
    gates: gatesOf(loops),
    reasons: reasonsOf(loops),
    untilDone: untilDoneOf(loops),
    cheats: cheatsOf(loops),
    cost: costOf(loops, since),
  };
}

const ENDING_WORDS: Readonly<Record<string, string>> = {
  verified_done: 'done, and verified',
  claimed_done: 'said to be done, without proof',
  reached_limit: 'NOT done: a limit was reached',
  stalled: 'NOT done: no progress',
  idle: 'NOT done: nothing more was said',
  capped: "NOT done: let go at Claude Code's own limit",
  cancelled: 'cancelled',
  released: 'NOT done: released',
  failed: 'NOT done: failed',
};

function endingsOf(loops: readonly Summed[]): Insights['endings'] {
  const found = new Map<string, Insights['endings'][number]>();
  for (const { row } of loops) {
    if (!hasRowEnded(row)) continue;
    const { status, tone } = row;
    const known = found.get(status) ?? { status, tone, words: ENDING_WORDS[status] ?? status, count: 0 };
    found.set(status, { ...known, count: known.count + 1 });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

function gatesOf(loops: readonly Summed[]): Insights['gates'] {
  const found = new Map<string, Insights['gates'][number]>();
  for (const { row, summary } of loops) {
    for (const [name, { held, judged }] of summary?.gates ?? []) {
      const key = `${row.project}\n${name}`;
      const known = found.get(key) ?? { name, project: row.project, held: 0, judged: 0, loops: 0 };
      found.set(key, {
        ...known,
        held: known.held + held,
        judged: known.judged + judged,
        loops: known.loops + 1,
      });
    }
  }
  return [...found.values()]
    .filter(({ held }) => held > 0)
    .sort((a, b) => b.held - a.held)
    .slice(0, MOST);
}

/** Failures that differ only in their evidence are said in the same words: they are one row. */
function reasonsOf(loops: readonly Summed[]): Insights['reasons'] {
  const found = new Map<string, Insights['reasons'][number]>();
  for (const { row, summary } of loops) {
    for (const { gate, words, place, times } of summary?.reasons.values() ?? []) {
      const key = `${gate}\n${words}`;
      const known = found.get(key);
      const isNewLoop = known?.example.loop !== row.id;
      found.set(key, {
        gate,
        summary: words,
        times: (known?.times ?? 0) + times,
        loops: (known?.loops ?? 0) + (isNewLoop ? 1 : 0),
        example: { loop: row.id, place },
      });
    }
  }
  return [...found.values()]
    .filter(({ times }) => times > 1)
    .sort((a, b) => b.times - a.times)
    .slice(0, MOST);
}

function untilDoneOf(loops: readonly Summed[]): Insights['untilDone'] {
  const counts = loops
    .flatMap(({ row }) => (isDone(row.status) && row.iteration !== undefined ? [row.iteration] : []))
    .sort((a, b) => a - b);
  const bins = BINS.map(([from, to]) => ({
    from,
    to,
    loops: counts.filter((n) => n >= from && n <= to).length,
  }));
  if (counts.length === 0) return { bins };
  return { median: share(counts, 0.5), p90: share(counts, 0.9), bins };
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function cheatsOf(loops: readonly Summed[]): Insights['cheats'] {
  const found = new Map<string, Insights['cheats'][number]>();
  for (const { row, summary } of loops) {
    for (const [what, { words, place, times }] of summary?.cheats ?? []) {
      const known = found.get(what);
      found.set(what, {
        what,
        words,
        times: (known?.times ?? 0) + times,
        loops: (known?.loops ?? 0) + 1,
        example: { loop: row.id, place },
      });
    }
  }
  return [...found.values()].sort((a, b) => b.times - a.times);
}

function costOf(loops: readonly Summed[], since: number): Insights['cost'] {
  const found = new Map<string, Insights['cost'][number]>();
  const first = new Date(since).toISOString().slice(0, 10);
  for (const { row, summary } of loops) {
    for (const [day, { usd, tokens }] of summary?.spent ?? []) {
      if (day < first) continue;
      const key = `${day}\n${row.project}`;
      const known = found.get(key) ?? { day, project: row.project, usd: 0, tokens: 0, loops: 0 };
      found.set(key, {
        ...known,
        usd: known.usd + usd,
        tokens: known.tokens + tokens,
        loops: known.loops + 1,
      });
    }
  }
  return [...found.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}
