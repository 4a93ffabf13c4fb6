/** Money and rates over the whole fleet, which count before an iteration begins. */
import { sayUsed } from '../text/figures.ts';
import type { FleetLimits } from './limits.ts';

/** The day of a moment, in UTC: `2026-01-31`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
/** Limits may be raised meanwhile. */
const LOOK_AGAIN_MS = 60_000;

/** When to look again at a budget that is used up: at midnight UTC, and every minute before. */
export function lookAgainAt(now: number): number {
  return Math.min(now + LOOK_AGAIN_MS, (Math.floor(now / DAY_MS) + 1) * DAY_MS);
}

export function limitsMoney(limits: FleetLimits): boolean {
  const { usdPerDay, usdPerRepoPerDay, usdOfRepoPerDay = {} } = limits;
  return usdPerDay !== undefined || usdPerRepoPerDay !== undefined || Object.keys(usdOfRepoPerDay).length > 0;
}

/** What the fleet has spent in a day. */
interface Spent {
  usd: number;
  byRepo: Readonly<Record<string, number>>;
}

/** Why no iteration of this repository may begin today; undefined when one may. */
export function overBudget(repo: string, limits: FleetLimits, spent: Spent): string | undefined {
  const { usdPerDay } = limits;
  if (usdPerDay !== undefined && spent.usd >= usdPerDay)
    return `the fleet has spent ${sayUsed(spent.usd, usdPerDay, 'usd')} today; it goes on at 00:00 UTC, or when the limit is raised`;
  const ofRepo = limitOfRepo(repo, limits);
  const spentOfRepo = own(spent.byRepo, repo) ?? 0;
  if (ofRepo !== undefined && spentOfRepo >= ofRepo)
    return `the runs of ${repo} have spent ${sayUsed(spentOfRepo, ofRepo, 'usd')} today; it goes on at 00:00 UTC, or when the limit is raised`;
  return undefined;
}

/** With less than this the money counts as spent. */
const LEAST_USD = 0.0001;

/** What a session of this repository may spend that begins now; undefined without a budget. */
export function leftOfBudget(repo: string, limits: FleetLimits, spent: Spent): number | undefined {
  const ofRepo = limitOfRepo(repo, limits);
  const left = [
    ...(limits.usdPerDay === undefined ? [] : [limits.usdPerDay - spent.usd]),
    ...(ofRepo === undefined ? [] : [ofRepo - (own(spent.byRepo, repo) ?? 0)]),
  ];
  return left.length === 0 ? undefined : Math.max(LEAST_USD, Math.min(...left));
}

/** What was spent today, with one more sum. */
export function withMore(spent: Spent, repo: string, usd: number): Spent {
  const byRepo = { ...spent.byRepo, [repo]: (own(spent.byRepo, repo) ?? 0) + usd };
  return { usd: spent.usd + usd, byRepo };
}

function limitOfRepo(repo: string, limits: FleetLimits): number | undefined {
  return own(limits.usdOfRepoPerDay, repo) ?? limits.usdPerRepoPerDay;
}

/** How many iterations of a model may begin in a minute; undefined without a limit. */
export function iterationsAMinute(model: string, { iterationsPerMinute }: FleetLimits): number | undefined {
  return own(iterationsPerMinute, model) ?? own(iterationsPerMinute, '*');
}

/** Names from outside may be those of what every object has. */
function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
