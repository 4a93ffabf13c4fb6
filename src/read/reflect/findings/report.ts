import { type Activity, type ModelFigures, NO_TOOL, type ToolFigures } from './activity.ts';
import { type Finding, type FindingType, merged, ranked, type SEVERITIES } from './finding.ts';
import { noTrace, type TraceFigures } from './trace.ts';

/** The figures of one session, or of several together. */
export interface Metrics {
  userMessages: number;
  assistantMessages: number;
  toolUses: number;
  prompts: number;
  startedAt?: number;
  endedAt?: number;
  /** The cost that Claude Code wrote down; absent while a session runs. */
  costUsd?: number;
  models: Record<string, ModelFigures>;
  tools: Record<string, ToolFigures>;
}

/** What was read, and what could not be. */
export interface Reading {
  files: number;
  bytes: number;
  lines: number;
  /** Lines that are no JSON. */
  badLines: number;
  problems: string[];
}

export interface SessionReport {
  session: string;
  file: string;
  /** The folder that the agent began in. */
  cwd?: string;
  metrics: Metrics;
  findings: Finding[];
  reading: Reading;
}

export interface LoopReport {
  loop: string;
  status: string;
  iterations: number;
  stops: number;
  held: number;
  startedAt: number;
  sessions: string[];
  gates: { name: string; kind: string; judged: number; blocked: number; passedAt?: number }[];
  spent: { tokens: number; costUsd: number };
  findings: Finding[];
  problems: string[];
}

/** Whom a report is about. */
export type Scope =
  | { kind: 'session'; id: string }
  | { kind: 'file'; id: string }
  | { kind: 'loop'; id: string }
  | { kind: 'project'; id: string; since: number };

export interface Report {
  scope: Scope;
  /** When it was made. */
  at: number;
  metrics: Metrics;
  trace: TraceFigures;
  /** The worst first. */
  findings: Finding[];
  suggestions: string[];
  /** Those with the most severe findings first. */
  sessions: SessionReport[];
  loops: LoopReport[];
  reading: Reading;
}

export interface ReportParts {
  scope: Scope;
  at: number;
  sessions: readonly SessionReport[];
  loops?: readonly LoopReport[];
  trace?: { figures: TraceFigures; findings: Finding[] };
}

/** Puts reports of sessions and loops together. */
export function reportOf({ scope, at, sessions, loops = [], trace }: ReportParts): Report {
  const findings = merged([
    ...sessions.flatMap((session) => session.findings),
    ...loops.flatMap((loop) => loop.findings),
    ...(trace?.findings ?? []),
  ]);
  return {
    scope,
    at,
    metrics: sessions.map(({ metrics }) => metrics).reduce(addedMetrics, noMetrics()),
    trace: trace?.figures ?? noTrace(),
    findings,
    suggestions: suggestionsFor(findings),
    sessions: [...sessions].sort((a, b) => weightOf(b) - weightOf(a) || (a.session < b.session ? -1 : 1)),
    loops: [...loops].sort((a, b) => b.startedAt - a.startedAt || (a.loop < b.loop ? 1 : -1)),
    reading: readingOf(sessions, loops),
  };
}

const WEIGHTS = { high: 100, medium: 10, low: 1 };

/** How much a session needs to be looked at. */
export function weightOf({ findings }: { findings: readonly Finding[] }): number {
  return findings.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
}

function readingOf(sessions: readonly SessionReport[], loops: readonly LoopReport[]): Reading {
  const all: Reading = { files: 0, bytes: 0, lines: 0, badLines: 0, problems: [] };
  for (const { reading } of sessions) {
    all.files += reading.files;
    all.bytes += reading.bytes;
    all.lines += reading.lines;
    all.badLines += reading.badLines;
    all.problems.push(...reading.problems);
  }
  all.problems.push(...loops.flatMap(({ problems }) => problems));
  return all;
}

export function noMetrics(): Metrics {
  return { userMessages: 0, assistantMessages: 0, toolUses: 0, prompts: 0, models: {}, tools: {} };
}

export function metricsOf(activity: Activity): Metrics {
  const { userMessages, assistantMessages, toolUses, prompts, startedAt, endedAt, costUsd } = activity;
  return {
    userMessages,
    assistantMessages,
    toolUses,
    prompts,
    startedAt,
    endedAt,
    costUsd,
    models: Object.fromEntries(activity.models),
    tools: Object.fromEntries(activity.tools),
  };
}

function addedMetrics(a: Metrics, b: Metrics): Metrics {
  const both = (pick: (x: number, y: number) => number, x?: number, y?: number) =>
    x === undefined ? y : y === undefined ? x : pick(x, y);
  return {
    userMessages: a.userMessages + b.userMessages,
    assistantMessages: a.assistantMessages + b.assistantMessages,
    toolUses: a.toolUses + b.toolUses,
    prompts: a.prompts + b.prompts,
    startedAt: both(Math.min, a.startedAt, b.startedAt),
    endedAt: both(Math.max, a.endedAt, b.endedAt),
    costUsd: both((x, y) => x + y, a.costUsd, b.costUsd),
    models: addedFigures(a.models, b.models),
    tools: addedFigures(a.tools, b.tools),
  };
}

function addedFigures<Figures extends object>(
  a: Record<string, Figures>,
  b: Record<string, Figures>,
): Record<string, Figures> {
  const sum = new Map(Object.entries(a));
  for (const [name, more] of Object.entries(b)) {
    const known = sum.get(name);
    sum.set(name, known ? (added(known, more) as Figures) : more);
  }
  return Object.fromEntries(sum);
}

function added(a: object, b: object): object {
  const more = b as Record<string, number>;
  return Object.fromEntries(Object.entries(a).map(([key, value]) => [key, value + (more[key] ?? 0)]));
}

/** The tokens of a session or of several, cache reads apart. */
export function tokensOf({ models }: Metrics): ModelFigures {
  const none: ModelFigures = { answers: 0, input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };
  return Object.values(models).reduce((sum, figures) => added(sum, figures) as ModelFigures, none);
}

/** Tools by their calls; what answers without a call cost comes last. */
export function toolsByCalls({ tools }: Metrics): [string, ToolFigures][] {
  return Object.entries(tools).sort(
    ([a, x], [b, y]) =>
      y.calls - x.calls || Number(a === NO_TOOL) - Number(b === NO_TOOL) || (a < b ? -1 : 1),
  );
}

/** What to do, one sentence for each type of finding; the worst first. */
function suggestionsFor(findings: readonly Finding[]): string[] {
  const types = [...new Set(ranked(findings).map(({ type }) => type))];
  return types.flatMap((type) => {
    const first = findings.find((found) => found.type === type);
    return first ? [ADVICE[type](first)] : [];
  });
}

const ADVICE: Readonly<Record<FindingType, (worst: Finding) => string>> = {
  repeated_tool_use: ({ fields }) => `Consider creating a script to automate these ${fields.tool} commands.`,
  repeated_command: () => 'Put commands that come again and again into a script, and name it in CLAUDE.md.',
  error_patterns: () => 'The same error comes again: find its cause, and write down what avoids it.',
  long_session: () => 'Long session detected. Future tasks could benefit from better decomposition.',
  user_frustration: () => 'Look at the prompts that show frustration: what did the work before them miss?',
  repeated_reads: () => 'Files that are read again and again deserve a few lines in CLAUDE.md, or a split.',
  reverted_edits: () => 'Edits were taken back: ask for a plan or a failing test first.',
  tests_without_change: () =>
    'Tests ran again without a change: keep their output in a file, and mend tests that pass by chance.',
  tool_denials: () =>
    'Calls were refused: allow what is harmless, and say what to do in the place of the rest.',
  compactions: () => 'The context ran full: give each part of the work a session of its own.',
  slow_turns: () => 'Answers took long: smaller prompts and smaller steps are answered sooner.',
  api_errors: () => 'The API gave errors: look at its status, at the network and at the key.',
  rate_limits: () =>
    'A rate limit was reached: run fewer sessions side by side, or use `untildone run`, which waits.',
  slow_requests: () => 'Requests took long: optimize prompts, or break down complex requests.',
  blocking_gate: ({ fields }) => `Have the agent run what the gate ${fields.gate} runs, before it finishes.`,
  repeated_reason: () =>
    'The same reason held the session again and again: say more in the task, or do this step yourself.',
  many_iterations: () => 'The loop took many iterations: divide the task into phases.',
  stalls: () => 'The work stood still: look at the reason that repeats.',
  cheat_attempts: () => 'Read what looks like a way around the gates before you merge.',
};

/** How many findings there are of each severity. */
export function severityCounts(findings: readonly Finding[]): Record<(typeof SEVERITIES)[number], number> {
  const of = (severity: string) => findings.filter((found) => found.severity === severity).length;
  return { high: of('high'), medium: of('medium'), low: of('low') };
}
