import { sayDuration } from '../../../engine/core/text/duration.ts';
import type { AuditSummary } from './summary.ts';

/** How the figures came about. */
export interface AuditScope {
  sinceMs?: number;
  project?: string;
  roots: string[];
  now: number;
  tookMs: number;
}

/** How far an audit looked, in words that name no path. */
export function sayScope(summary: AuditSummary, scope: AuditScope): string {
  const back = scope.sinceMs === undefined ? 'everything' : `the last ${sayDays(scope.sinceMs)}`;
  const sessions = `${summary.sessions} session${summary.sessions === 1 ? '' : 's'}`;
  return `${back} · ${sessions} · ${(scope.tookMs / 1000).toFixed(1)} s`;
}

/** `30 days`, or as exact as it was asked for. */
export function sayDays(ms: number): string {
  const days = ms / 86_400_000;
  return Number.isInteger(days) ? (days === 1 ? 'day' : `${days} days`) : sayDuration(ms);
}
