/** Finds out what a command is: whether it can be run at all, what it reads, whether it is untildone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../../core/text/clip.ts';
import { answerOf, type Ran } from './answer.ts';
import { layOutWorld, UntildoneCommands } from './lay-out.ts';
import { layoutFor, layoutNames } from './layouts.ts';
import { ORDINARY } from './parse-steps.ts';
import type { HookUnderTest } from './replay.ts';
import { runCommand } from './run-command.ts';
import { FORMATS, type Format, type Scenario } from './scenario.ts';

/** The command cannot be judged: nothing was replayed. */
export class UnusableHook extends Error {}

const ANSWER_MS = 30_000;

/** Shows the command a plain open loop in every layout of these formats. Throws `UnusableHook` when it holds none. */
export async function probe(
  line: string,
  formats: readonly Format[],
  signal?: AbortSignal,
): Promise<HookUnderTest> {
  const hook: HookUnderTest = {
    line,
    isUntildone: false,
    reads: { 'ralph-loop': [], 'feature-list': [], 'verified-done': [], lock: [] },
  };
  let said = '';
  for (const format of FORMATS.filter((name) => formats.includes(name))) {
    for (const name of layoutNames(format)) {
      const { ran, isUntildone } = await showPlainLoop(line, format, name, signal);
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

/** One plain Stop of a session that owns a plain loop. Only untildone keeps a record of its own in its home. */
async function showPlainLoop(
  line: string,
  format: Format,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ ran: Ran; isUntildone: boolean }> {
  const world = layOutWorld(PLAIN, { format, layout: layoutFor(format, [name]), isUntildone: false });
  try {
    const session = world.session('S1');
    const ran = await runCommand({
      line,
      cwd: world.project,
      env: { ...new UntildoneCommands(world, []).environment(), ...session.environment(world.project) },
      input: JSON.stringify(session.stop('Not done yet.', ORDINARY, world.project)),
      limitMs: ANSWER_MS,
      signal,
    });
    return { ran, isUntildone: existsSync(join(world.untildoneHome, 'projects')) };
  } finally {
    await world.dispose();
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
    throw new UnusableHook(`the command cannot be run: ${said} (has it a run bit? chmod +x)`);
}
