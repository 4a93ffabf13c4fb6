import { hasEnded, type LoopState } from '../engine/core/loop/state.ts';
import { NothingToDo, UsageError } from '../engine/core/text/errors.ts';
import { EXIT } from '../engine/core/words/exit-codes.ts';
import { taskFrom } from '../engine/hook/start/inputs.ts';
import { refuseInsideClient } from '../engine/hook/start/person.ts';
import { openProject, type ProjectPorts } from '../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../engine/ports/ports.ts';
import { type RunObservers, refuseRoot } from '../engine/run/begin/client-options.ts';
import { beginRun, goOnWithRun, type RunOptions } from '../engine/run/begin/drive-run.ts';
import { meantRun } from '../engine/run/begin/find-run.ts';
import { watchInterrupts } from '../engine/run/begin/interrupts.ts';
import { reopens } from '../engine/run/begin/reopen-run.ts';
import { type GitFlags, gitOptions } from '../engine/run/git/options.ts';
import { type Parallel, readPrompts, taskOfPrompts } from '../engine/run/parallel/pieces.ts';
import type { RunReporter } from '../engine/run/reporter.ts';
import { openRunReporter } from '../engine/run/view/report.ts';
import { out } from '../engine/terminal/print.ts';
import { withTelemetry } from '../read/reflect/telemetry/follow-run.ts';
import { packManyLoose } from './loop/remove-loops.ts';
import { choicesFrom, exitCodeOf, type FlagChoices, firstLimits, flagsOfBeginning } from './run-options.ts';

/** Beside the flags of options: src/engine/core/run/options.ts. */
interface RunFlags extends GitFlags {
  contract?: string;
  features?: string;
  trust?: string;
  promptFile?: string[];
  parallel?: number;
  resume?: string | true;
  json: boolean;
  quiet: boolean;
}

/** `untildone run`. */
export async function run(words: string[], flags: RunFlags): Promise<void> {
  const world = openProject();
  const choices = choicesFrom(flags);
  const { client, limits } = choices;
  if (flags.resume !== undefined) refuseNewTerms(words, flags);
  const goesOn =
    flags.resume === undefined
      ? undefined
      : meantRun(world.store, world.project, flags.resume === true ? undefined : flags.resume);
  if (!(goesOn && mayAgentGoOn(goesOn, choices, world))) refuseInsideClient('run', world.home, process.env);
  refuseRoot(client.permissionMode);
  const reporter = openRunReporter(flags, {
    out,
    now: Date.now,
    stdout: process.stdout,
    env: process.env,
    project: world.project,
  });
  try {
    process.exitCode =
      goesOn === undefined
        ? await startRun(runOptions(words, flags, choices), world, reporter)
        : await inTerminal(world, reporter, (observers) => goOnWithRun(goesOn, client, observers, limits));
  } finally {
    reporter.close();
  }
  await packManyLoose(world.home, world.project);
}

/** The agent may go on with a run as before, for that holds it again. Only you may change its options, or end a pause. */
function mayAgentGoOn(ref: LoopRef, { client, limits }: FlagChoices, { store }: ProjectPorts): boolean {
  const state = store.read(ref);
  return Object.keys(client).length === 0 && state.status !== 'paused' && !reopens(state, limits);
}

/** Refuses options that a run which goes on does not take: you would believe that they hold. */
function refuseNewTerms(words: readonly string[], flags: RunFlags): void {
  const terms = ['contract', 'features', 'trust', 'promptFile', 'parallel'] as const;
  const isSet = (name: keyof RunFlags) => flags[name] !== undefined;
  const what = [
    ...(words.length > 0 ? ['a task'] : []),
    ...terms.filter(isSet).map((name) => (name === 'promptFile' ? '--prompt-file' : `--${name}`)),
    ...flagsOfBeginning(flags),
    ...(['branch', 'worktree', 'pr', 'merge'] as const).filter(isSet).map((name) => `--${name}`),
  ];
  if (what.length === 0) return;
  throw new UsageError(
    `a run goes on as it was begun: ${what.join(', ')} cannot be given with --resume; to change that, begin a new run`,
  );
}

function runOptions(words: string[], flags: RunFlags, choices: FlagChoices): RunOptions {
  const limits = firstLimits(choices.limits);
  const { parallel, task } = parallelOptions(words, flags, choices);
  const git = gitOptions(parallel && !flags.pr ? { ...flags, worktree: true } : flags);
  return {
    ...choices,
    limits,
    task,
    git: git ? (parallel ? { ...git, beside: true } : git) : undefined,
    parallel,
    contractFile: flags.contract,
    features: flags.features,
    trust: flags.trust,
  };
}

/** One prompt file is the task. Several, with `--parallel`, are its pieces. */
function parallelOptions(
  words: string[],
  flags: RunFlags,
  { mode }: FlagChoices,
): { task: string; parallel?: Parallel } {
  const files = flags.promptFile ?? [];
  if (flags.parallel === undefined) {
    if (files.length > 1)
      throw new UsageError('--prompt-file names one task; several of them are for --parallel');
    return { task: taskFrom(words, files[0]) };
  }
  if (flags.branch)
    throw new UsageError(
      '--branch works in your tree, --parallel in worktrees beside it: leave --branch out',
    );
  if (mode === 'session')
    throw new UsageError('--mode session keeps one session, --parallel needs several: name another mode');
  if (files.length < 2) return { task: taskFrom(words, files[0]), parallel: { atOnce: flags.parallel } };
  const prompts = readPrompts(files);
  return {
    task: taskOfPrompts(words.join(' '), prompts),
    parallel: { atOnce: flags.parallel, prompts },
  };
}

export async function startRun(
  options: RunOptions,
  world: ProjectPorts,
  reporter: RunReporter,
): Promise<number> {
  try {
    return await inTerminal(world, reporter, (observers) => beginRun(options, observers));
  } catch (error) {
    if (!(error instanceof NothingToDo)) throw error;
    for (const line of error.lines) reporter.note(line);
    return EXIT.refused;
  }
}

/** Drives a run and returns the exit code. Ctrl-C pauses the run as long as it lasts. */
async function inTerminal(
  world: ProjectPorts,
  reporter: RunReporter,
  drive: (observers: RunObservers) => Promise<LoopState>,
): Promise<number> {
  const interrupts = watchInterrupts(() =>
    reporter.note('Finishing this step, then pausing. Press Ctrl-C once more to stop at once.'),
  );
  try {
    const after = await drive({ world, reporter, interrupts, withTelemetry });
    return interrupts.asked() && !hasEnded(after) ? EXIT.interrupted : exitCodeOf(after.status);
  } finally {
    interrupts.stop();
  }
}
