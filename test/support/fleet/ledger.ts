/** What the played sessions of a fleet have noted of themselves, independent of what any worker tells. */
import { existsSync, readFileSync } from 'node:fs';
import type { Deed } from './score.ts';

export function deedsIn(ledger: string): Deed[] {
  if (!existsSync(ledger)) return [];
  const rows = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  return rows.map((row) => JSON.parse(row) as Deed);
}

export interface Span {
  run: string;
  from: number;
  to: number;
}

/** The most spans that hold one and the same moment. */
export function mostAtOnce(spans: readonly Span[]): number {
  const steps = spans.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  // At one and the same moment, what ends comes first.
  steps.sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  return steps.reduce((most, { by }) => {
    now += by;
    return Math.max(most, now);
  }, 0);
}

/** From the first to the last deed of each process that drove a run: at least as long as its sessions were at work. */
export function spansOf(deeds: readonly Deed[], runOf: (deed: Deed) => string): Span[] {
  const byDriver = new Map<string, Span>();
  for (const deed of deeds) {
    const run = runOf(deed);
    const key = `${run} ${deed.driver}`;
    const span = byDriver.get(key) ?? { run, from: deed.at, to: deed.at };
    byDriver.set(key, { run, from: Math.min(span.from, deed.at), to: Math.max(span.to, deed.at) });
  }
  return [...byDriver.values()];
}
