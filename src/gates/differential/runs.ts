/** Runs the tests on trees, each in a clean room. What a run of a tree showed is kept, so that no tree is measured twice. */
import type { DifferentialOptions } from '../../core/contract/gate-options.ts';
import { type Measured, measured } from '../../core/proof/differential.ts';
import type { Tally } from '../../core/proof/test-results.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { Rooms } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { UNTIL_ABORTED, usefulLines } from '../run/outcome.ts';

export interface Run extends Measured {
  /** The most useful lines of the output. */
  lines: string[];
  exitCode?: number;
  outputSha256?: string;
  durationMs: number;
  walls?: string;
}

/** A run that says nothing; its message says why, and what to do. */
export class Unmeasured extends Error {}

export interface Runs {
  /** Throws `Unmeasured`. `nth`: the first run of this tree, or the second. */
  of(tree: string, what: string, nth?: 1 | 2): Promise<Run>;
}

export const NOTHING_RUN: Run = { tests: new Map(), green: false, whole: true, lines: [], durationMs: 0 };

export function runsOf(
  { command, cwd, env }: Pick<DifferentialOptions, 'command' | 'cwd' | 'env'>,
  context: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Runs {
  const folder = insideProject(cwd ?? '.');
  if (folder === undefined) throw new Unmeasured(`the folder "${cwd}" is not inside the project`);
  const known = new Map<string, Run>();
  return {
    async of(tree, what, nth = 1) {
      const key = `run ${context.digest(JSON.stringify([tree, command, folder, env ?? null, nth]))}`;
      const before = known.get(key) ?? parsedRun(context.kept?.read(key));
      const run = before ?? (await runOnce(tree, what));
      if (!before) context.kept?.write(key, { ...run, tests: [...run.tests] });
      known.set(key, run);
      return run;
    },
  };

  async function runOnce(tree: string, what: string): Promise<Run> {
    const room = await context.rooms
      .open({ tree, signal })
      .catch((error: Error) =>
        Promise.reject(new Unmeasured(`${what} could not be measured: ${error.message}`)),
      );
    try {
      const { result, tests } = await room.runTests({
        command,
        cwd: folder === '.' ? room.dir : `${room.dir}/${folder}`,
        env,
        outputFile: `${context.outputDir}/${fileNameFor(context.name)}-${fileNameFor(what)}.txt`,
        oneStream: true,
        timeoutMs: UNTIL_ABORTED,
        signal,
      });
      const seen = measured(result, tests);
      if ('problem' in seen)
        throw new Unmeasured(`${what} could not be measured: \`${command}\` ${seen.problem}`);
      const { exitCode, outputSha256, durationMs } = result;
      return {
        ...seen,
        lines: usefulLines(result.output),
        exitCode,
        outputSha256,
        durationMs,
        walls: room.walls,
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
