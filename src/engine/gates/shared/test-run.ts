/** What a run of the tests on a tree showed. Gates of one command share it, so that no tree is measured twice. */
import type { KnownFailure } from '../../core/contract/contract.ts';
import { failsAsKnown } from '../../core/contract/known-failures.ts';
import { type Measured, measured } from '../../core/proof/differential.ts';
import { type PrintedSummary, summaryIn } from '../../core/proof/printed-summary.ts';
import type { Tally } from '../../core/proof/test-results.ts';
import { insideProject } from '../../core/text/paths.ts';
import type { Kept } from '../../ports/ports.ts';
import type { LaidCanary, TestRun } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { usefulLines } from '../run/outcome.ts';
import { keptBy, measuredIn } from './asks.ts';
import type { TestsToRun } from './compared.ts';

export interface Run extends Measured {
  /** The most useful lines of the output. */
  lines: string[];
  exitCode?: number;
  outputSha256?: string;
  durationMs: number;
  walls?: string;
  /** Whether its runner was asked for a report. */
  asked?: boolean;
  /** What its last lines count. */
  printed?: PrintedSummary;
  /** What became of our test among its tests; absent: none was laid in. */
  canary?: LaidCanary;
}

export const NOTHING_RUN: Run = { tests: new Map(), green: false, whole: true, lines: [], durationMs: 0 };

/** What a finished command says, or why it says nothing. One that fails only in tests that are known to fail is green. */
export function runFrom(
  { result, tests, asked, canary }: TestRun,
  walls: string | undefined,
  known: readonly KnownFailure[],
): Run | { problem: string } {
  const seen = measured(result, tests);
  if ('problem' in seen) return seen;
  const { exitCode, outputSha256, durationMs } = result;
  const isKnown = !seen.green && failsAsKnown(tests, known);
  return {
    ...seen,
    green: seen.green || isKnown,
    lines: usefulLines(result.output),
    exitCode,
    outputSha256,
    durationMs,
    walls,
    asked,
    // It counts failures that are known.
    printed: isKnown ? undefined : summaryIn(result.output),
    canary,
  };
}

/** The name of a run: everything that it depends on. */
export function runName(
  tree: string,
  { command, cwd, env }: TestsToRun,
  { request, judges }: Pick<GateContext, 'request' | 'judges'>,
): string {
  const folder = insideProject(cwd ?? '.') ?? cwd;
  // The start names the environment and the programs of clean rooms.
  const start = request.frozen.start ?? null;
  return `run ${judges.digest(JSON.stringify([tree, command, folder, env ?? null, start]))}`;
}

/** Where runs are kept: for all loops of the project whose start is the same. Without a start, for this judging. */
export function runsKept(context: Pick<GateContext, 'request' | 'judges'>): Kept | undefined {
  return context.request.frozen.start === undefined ? keptBy(context) : measuredIn(context);
}

export function keepRun(name: string, run: Run, kept: Kept | undefined): void {
  kept?.write(name, { ...run, tests: [...run.tests] });
}

/** What was kept of a run. It is sealed, so its shape is ours. */
export function keptRun(name: string, kept: Kept | undefined): Run | undefined {
  const value = kept?.read(name);
  if (typeof value !== 'object' || value === null) return undefined;
  const run = value as Omit<Run, 'tests'> & { tests: [string, Tally][] };
  return Array.isArray(run.tests) ? { ...run, tests: new Map(run.tests) } : undefined;
}
