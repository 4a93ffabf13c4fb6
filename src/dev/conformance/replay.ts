import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../../engine/core/text/clip.ts';
import { type Asked, countsFor, isAsked } from './compare.ts';
import { layOutSandbox, layoutFor, layoutNames, UntildoneCommands } from './layouts.ts';
import { ORDINARY } from './parse-steps.ts';
import { Player } from './player.ts';
import { answerOf, type Ran, type RunCommand, runCommand } from './run-command.ts';
import { FORMATS, type Format, type Scenario, type Step } from './scenario.ts';

/** Replays one scenario in one format against one hook. */

export interface HookUnderTest {
  /** As it would stand in the settings: run by `/bin/sh -c`. */
  line: string;
  isUntildone: boolean;
  /** The files that it takes for a loop, by format; a format that it does not read has none. */
  reads: Record<Format, string[]>;
}

interface Bench {
  /** How untildone itself is called, for scenarios about its commands. */
  untildone: readonly string[];
  permissionsCount: boolean;
  /** Runs a command line; in a process of its own unless given. */
  run?: RunCommand | undefined;
  /** Aborting ends what runs and cleans up. The outcome is worth nothing then. */
  signal?: AbortSignal | undefined;
  /** Multiplies every time limit: for a machine that may stall. */
  patience?: number;
}

export type Outcome =
  | { kind: 'passed' }
  /** The first difference, in one line, and where the scenario asks for it. */
  | { kind: 'failed'; line: number; step: string; difference: string }
  | { kind: 'not_applicable'; why: string };

export async function replay(
  scenario: Scenario,
  format: Format,
  hook: HookUnderTest,
  bench: Bench,
): Promise<Outcome> {
  const asked = { format, isUntildone: hook.isUntildone };
  const steps = scenario.steps.filter((step) => countsFor(step.only, asked));
  const why = whyUnread(scenario, asked, hook) ?? whyUnasked(steps, asked, bench);
  if (why) return { kind: 'not_applicable', why };
  const playing = { ...asked, layout: layoutFor(format, hook.reads[format]) };
  const sandbox = layOutSandbox(scenario, playing);
  try {
    const player = new Player(scenario, playing, sandbox, {
      line: hook.line,
      untildone: bench.untildone,
      run: bench.run,
      unprivileged: needsPermissions(steps),
      signal: bench.signal,
      patience: bench.patience ?? 1,
    });
    for (const step of steps) {
      const found = await player.play(step).catch((error: Error) => ({
        line: step.line,
        difference: `it could not be replayed: ${error.message}`,
      }));
      if (found) return { kind: 'failed', step: step.text, ...found };
    }
    return { kind: 'passed' };
  } finally {
    await sandbox.dispose();
  }
}

/** Tells why a scenario does not apply: the hook does not read what the scenario is about. */
function whyUnread({ formats, files }: Scenario, asked: Asked, { reads }: HookUnderTest): string | undefined {
  const { format } = asked;
  if (!formats.includes(format)) return 'the scenario is about other formats';
  if (reads[format].length === 0) return 'the hook does not read this format';
  const unread = layoutNames(format).filter((name) => !reads[format].includes(name));
  const about = files.find(
    ({ path, only }) => countsFor(only, asked) && unread.some((n) => path.endsWith(`/${n}`)),
  );
  return about ? `the hook does not read ${about.path.split('/').at(-1)}` : undefined;
}

/** Tells why a scenario does not apply: nothing in it can be asked of this hook, or on this machine. */
function whyUnasked(steps: readonly Step[], asked: Asked, bench: Bench): string | undefined {
  if (steps.some(needsUntildone) && !asked.isUntildone) return "it is about untildone's own commands";
  if (needsPermissions(steps) && !bench.permissionsCount) return 'permissions do not count for this user';
  const asks = steps.some(({ expected }) => expected.some((e) => isAsked(e, asked)));
  return asks ? undefined : 'it asks nothing of other hooks';
}

function needsUntildone({ action }: Step): boolean {
  return action.kind === 'run' || (action.kind === 'stop' && action.given.installed);
}

function needsPermissions(steps: readonly Step[]): boolean {
  return steps.some(
    ({ action }) => action.kind === 'make' && ['unreadable', 'read-only'].includes(action.what.kind),
  );
}

/** The command cannot be judged: nothing was replayed. */
export class UnusableHook extends Error {}

const ANSWER_MS = 30_000;

/** Finds out what a hook reads: shows it a plain loop in every layout of these formats. Throws `UnusableHook` when it holds none. */
export async function probe(
  line: string,
  formats: readonly Format[],
  how: Pick<Bench, 'signal' | 'patience'> = {},
): Promise<HookUnderTest> {
  const hook: HookUnderTest = {
    line,
    isUntildone: false,
    reads: { 'ralph-loop': [], 'feature-list': [], 'verified-done': [], lock: [] },
  };
  let said = '';
  for (const format of FORMATS.filter((name) => formats.includes(name))) {
    for (const name of layoutNames(format)) {
      const { ran, isUntildone } = await showPlainLoop(line, format, name, how);
      refuseUnusable(line, ran);
      if (answerOf(ran).held) hook.reads[format].push(name);
      if (isUntildone) hook.isUntildone = true;
      said ||= oneLine(ran.stderr, 200);
    }
  }
  if (Object.values(hook.reads).some((names) => names.length > 0)) return hook;
  throw new UnusableHook(
    `the command was shown an open loop and held none, in ${formats.join(', ')} (${line}${said && `: ${said}`})`,
  );
}

/** Sends one plain Stop of a session with a plain loop. Only untildone makes a home, which tells it apart. */
async function showPlainLoop(
  line: string,
  format: Format,
  name: string,
  { signal, patience = 1 }: Pick<Bench, 'signal' | 'patience'>,
): Promise<{ ran: Ran; isUntildone: boolean }> {
  const sandbox = layOutSandbox(PLAIN, { format, layout: layoutFor(format, [name]), isUntildone: false });
  try {
    const session = sandbox.session('S1');
    const ran = await runCommand({
      line,
      cwd: sandbox.project,
      env: { ...new UntildoneCommands(sandbox, []).environment(), ...session.environment(sandbox.project) },
      input: JSON.stringify(session.stop('Not done yet.', ORDINARY, sandbox.project)),
      limitMs: ANSWER_MS * patience,
      signal,
    });
    return { ran, isUntildone: existsSync(join(sandbox.untildoneHome, 'projects')) };
  } finally {
    await sandbox.dispose();
  }
}

const PLAIN: Scenario = {
  name: 'probe',
  title: 'A plain loop',
  formats: [...FORMATS],
  folder: 'project',
  gitRepository: false,
  loop: { session: 'S1', iteration: 1, maxIterations: 5, promise: 'DONE', task: 'Build the thing.' },
  files: [],
  steps: [],
};

function refuseUnusable(line: string, ran: Ran): void {
  const said = oneLine(ran.stderr, 200);
  if (ran.timedOut) throw new UnusableHook(`it did not answer within ${ANSWER_MS / 1000} s: ${line}`);
  if (ran.exitCode === 127)
    throw new UnusableHook(
      `the command was not found: ${said} (it runs in a scratch project with a scratch HOME: give absolute paths)`,
    );
  if (ran.exitCode === 126)
    throw new UnusableHook(`the command cannot be run: ${said} (is it executable? chmod +x)`);
}
