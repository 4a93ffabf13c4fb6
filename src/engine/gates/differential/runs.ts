/** Runs the tests on trees, each in a clean room. What a run of a tree showed is kept, so that no tree is measured twice. */
import type { DifferentialOptions } from '../../core/contract/gate-options.ts';
import { type Measured, measured } from '../../core/proof/differential.ts';
import { type PrintedSummary, summaryIn } from '../../core/proof/printed-summary.ts';
import type { Tally } from '../../core/proof/test-results.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { Rooms } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { UNTIL_ABORTED, usefulLines } from '../run/outcome.ts';
import { keptBy } from '../shared/asks.ts';

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
}

export interface Runs {
  /** Throws `Unmeasurable`. `nth`: the first run of this tree, or the second. */
  of(tree: string, what: string, nth?: 1 | 2): Promise<Run>;
}

const NOT_INSTALLED =
  'A clean room has no dependencies of its own: `setup: npm ci` or the like in the contract says how they are installed.';

export const NOTHING_RUN: Run = { tests: new Map(), green: false, whole: true, lines: [], durationMs: 0 };

export function runsOf(
  { command, cwd, env }: Pick<DifferentialOptions, 'command' | 'cwd' | 'env'>,
  context: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Runs {
  const folder = insideProject(cwd ?? '.');
  if (folder === undefined) throw new Unmeasurable(`the folder "${cwd}" is not inside the project`);
  // A run that failed to say anything is not tried again in one judging.
  const known = new Map<string, Promise<Run>>();
  return {
    of(tree, what, nth = 1) {
      const key = `run ${context.judges.digest(JSON.stringify([tree, command, folder, env ?? null, nth]))}`;
      const run = known.get(key) ?? keptOrNew(key, tree, what);
      known.set(key, run);
      return run;
    },
  };

  async function keptOrNew(key: string, tree: string, what: string): Promise<Run> {
    const before = parsedRun(keptBy(context)?.read(key));
    if (before) return before;
    const run = await runOnce(tree, what);
    keptBy(context)?.write(key, { ...run, tests: [...run.tests] });
    return run;
  }

  async function runOnce(tree: string, what: string): Promise<Run> {
    const room = await context.rooms.open({ tree, signal }).catch((error: Error) => {
      const evidence = error instanceof Unmeasurable ? error.evidence : [];
      throw new Unmeasurable(`${what} could not be measured: ${error.message}`, evidence);
    });
    try {
      const { result, tests, asked } = await room.runTests({
        command,
        cwd: folder === '.' ? room.dir : `${room.dir}/${folder}`,
        env,
        outputFile: `${context.request.outputDir}/${fileNameFor(context.name)}-${fileNameFor(what)}.txt`,
        oneStream: true,
        timeoutMs: UNTIL_ABORTED,
        signal,
      });
      const seen = measured(result, tests);
      if ('problem' in seen)
        throw new Unmeasurable(`${what} could not be measured: \`${command}\` ${seen.problem}`, [
          ...(result.exitCode === 127 ? [NOT_INSTALLED] : []),
          ...usefulLines(result.output),
        ]);
      const { exitCode, outputSha256, durationMs } = result;
      return {
        ...seen,
        lines: usefulLines(result.output),
        exitCode,
        outputSha256,
        durationMs,
        walls: room.walls,
        asked,
        printed: summaryIn(result.output),
      };
    } finally {
      await room.dispose();
    }
  }
}

/** What was kept of a run. It is sealed, so its shape is ours. */
function parsedRun(value: unknown): Run | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const run = value as Omit<Run, 'tests'> & { tests: [string, Tally][] };
  return Array.isArray(run.tests) ? { ...run, tests: new Map(run.tests) } : undefined;
}
