/** Runs the tests on trees, each in a clean room. What a run of a tree showed is kept, so that no tree is measured twice. */
import type { DifferentialOptions } from '../../core/contract/gate-options.ts';
import { knownFailuresOf } from '../../core/contract/known-failures.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { Rooms } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { usefulLines } from '../run/outcome.ts';
import { runInRoom } from '../shared/room-run.ts';
import { keepRun, keptRun, type Run, runFrom, runName, runsKept } from '../shared/test-run.ts';

export interface Runs {
  /** Throws `Unmeasurable`. `nth`: the first run of this tree, or the second. */
  of(tree: string, what: string, nth?: 1 | 2): Promise<Run>;
}

const NOT_INSTALLED =
  'A clean room has no dependencies of its own: `setup: npm ci` or the like in the contract says how they are installed.';

export function runsOf(
  tests: Pick<DifferentialOptions, 'command' | 'cwd' | 'env'>,
  context: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Runs {
  if (insideProject(tests.cwd ?? '.') === undefined)
    throw new Unmeasurable(`the folder "${tests.cwd}" is not inside the project`);
  const kept = runsKept(context);
  // A run that failed to say anything is not tried again in one judging.
  const known = new Map<string, Promise<Run>>();
  return {
    of(tree, what, nth = 1) {
      const first = runName(tree, tests, context);
      const name = nth === 1 ? first : `${first} again`;
      const run = known.get(name) ?? keptOrNew(name, tree, what);
      known.set(name, run);
      return run;
    },
  };

  async function keptOrNew(name: string, tree: string, what: string): Promise<Run> {
    const before = keptRun(name, kept);
    if (before) return before;
    const run = await runOnce(tree, what);
    keepRun(name, run, kept);
    return run;
  }

  async function runOnce(tree: string, what: string): Promise<Run> {
    const outputFile = `${context.request.outputDir}/${fileNameFor(context.name)}-${fileNameFor(what)}.txt`;
    const { ended, walls } = await runInRoom(tree, tests, outputFile, context, signal).catch(
      (error: Error) => {
        const evidence = error instanceof Unmeasurable ? error.evidence : [];
        throw new Unmeasurable(`${what} could not be measured: ${error.message}`, evidence);
      },
    );
    const run = runFrom(ended, walls, knownFailuresOf(context.request.contract, context.name));
    if (!('problem' in run)) return run;
    throw new Unmeasurable(`${what} could not be measured: \`${tests.command}\` ${run.problem}`, [
      ...(ended.result.exitCode === 127 ? [NOT_INSTALLED] : []),
      ...usefulLines(ended.result.output),
    ]);
  }
}
