import type { Figures } from './figures.ts';
import type { Gathered } from './gather.ts';

export interface StatsPeriod {
  since: number;
  until: number;
  /** Absent: all projects. */
  project?: string;
}

/** The object that `untildone stats --json` prints. docs/reference/json-output.md names its fields. */
export function statsJson({ figures, read }: Gathered, { since, until, project }: StatsPeriod): object {
  const { loops, stops, guards, spent } = figures;
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    project: project ?? null,
    loops: { ...loops, iterations_until_done: figures.iterations },
    stops,
    guards,
    gates: gatesByHolds(figures).map(({ name, kind, judged, outcomes, held, reused, flaky, ms }) => ({
      name,
      kind,
      judged,
      outcomes,
      held,
      reused,
      flaky,
      ms,
    })),
    hooks: [...figures.hooks.values()].sort((a, b) => b.calls - a.calls),
    prompts: { count: figures.prompts.count, chars: figures.prompts },
    sessions: figures.sessions.size,
    compactions: figures.compactions,
    errors: figures.errors,
    tools: {
      calls: figures.tools.calls.total,
      by_kind: figures.tools.kinds,
      by_name: figures.tools.calls,
      errors: figures.tools.errors,
      outcomes: figures.tools.outcomes,
    },
    api_errors: figures.apiErrors,
    tokens: {
      loops: spent.tokens,
      subagents: spent.subagentTokens,
      by_model: [...figures.models].map(([model, { answers, input, output, cacheRead, cacheCreation }]) => ({
        model,
        answers,
        input,
        output,
        cache_read: cacheRead,
        cache_creation: cacheCreation,
      })),
    },
    cost_usd: rounded(spent.costUsd),
    estimated_usd: rounded(spent.estimatedUsd),
    days: daysOf(figures).map(({ at, ...counts }) => ({
      day: new Date(at).toISOString().slice(0, 10),
      ...counts,
    })),
    read: {
      journals: read.journals,
      transcripts: read.transcripts,
      hook_lines: read.hookLines,
      bytes: read.bytes,
      unreadable: read.unreadable,
      bad_lines: read.badLines,
    },
  };
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 3660;

/** Every day from the first with a Stop to the last, days without one included. */
export function daysOf({ days }: Figures): { at: number; stops: number; holds: number; done: number }[] {
  const there = [...days.keys()];
  if (there.length === 0) return [];
  const first = there.reduce((a, b) => Math.min(a, b));
  const last = there.reduce((a, b) => Math.max(a, b));
  const from = Math.max(first, last - MOST_DAYS);
  return Array.from({ length: last - from + 1 }, (_, index) => ({
    at: (from + index) * DAY_MS,
    ...(days.get(from + index) ?? { stops: 0, holds: 0, done: 0 }),
  }));
}

/** The gates, those that held most often first. */
export function gatesByHolds({ gates }: Figures) {
  return [...gates.values()].sort(
    (a, b) => b.held - a.held || b.judged - a.judged || (a.name < b.name ? -1 : 1),
  );
}

function rounded(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}
