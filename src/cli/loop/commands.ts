import { type Command, InvalidArgumentError } from 'commander';
import { prepareHome } from '../../client/settings/files.ts';
import { readContract } from '../../contract/read.ts';
import type { Limit } from '../../core/contract/contract.ts';
import type { PersonCommand } from '../../core/loop/entry.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { isLocked } from '../../files/lock.ts';
import { endMarked } from '../../files/process-tree.ts';
import { hookScript } from '../../home/hook-line.ts';
import { childrenOf, meantLoop, newestLoop } from '../../hook/start/find-loop.ts';
import { ownerFrom, taskFrom } from '../../hook/start/inputs.ts';
import { warnOldHooks } from '../../hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { start } from '../../hook/start/start.ts';
import { notifyEnding } from '../../hook/stop/endings.ts';
import { closeForeign, openForeign } from '../../hook/wiring/foreign.ts';
import { loadJudgeBundle } from '../../hook/wiring/load-bundles.ts';
import { openWorld, placeHere, type World } from '../../hook/wiring/world.ts';
import { driverLock } from '../../run/begin/client-options.ts';
import { RUN_MARK } from '../../run/begin/run-world.ts';
import { out } from '../../terminal/print.ts';
import { duration, value, wholeNumber } from '../flags.ts';
import { thisInstallation } from '../install/commands.ts';
import { type Answer, answerQuestion, askingLoop } from './answer-question.ts';
import { foreignStatus } from './foreign-status.ts';
import { log } from './log.ts';
import { control } from './pause-resume-cancel.ts';
import { prune } from './prune.ts';
import { forgetOldSessions, packManyLoose } from './remove-loops.ts';
import { status } from './status.ts';

export function addLoopCommands(cli: Command): void {
  addStart(cli);
  cli
    .command('status')
    .description('loops of this project, newest first, and how they ended')
    .option('--json', 'as JSON', false)
    .option('--all', 'of all projects', false)
    .option('--ended', 'every loop that has ended, not only the newest ones', false)
    .action(async (options: { json: boolean; all: boolean; ended: boolean }) => {
      const world = openWorld();
      const { store, project, clock } = world;
      forgetOldSessions(world.home, clock.now());
      const session = process.env.CLAUDE_CODE_SESSION_ID;
      const place = placeHere(world, session);
      const { needsApproval } = openForeign({ ...foreignWorld(world), place });
      const foreign = await foreignStatus(place, { home: world.home, store, needsApproval });
      if (!options.json && hasToolRules(project)) warnOldHooks(project, world.env, out);
      status({ ...options, project, foreign }, store, clock.now(), out);
    });
  addControl(cli, 'pause', 'let the session stop for now; the loop keeps its place');
  addControl(cli, 'resume', 'hold the session again');
  addControl(cli, 'cancel', 'end the loop for good');
  addControl(cli, 'release', 'let the session go although the work is not done');
  addAnswer(cli, 'approve', 'approved', 'say yes to what a loop asks a person');
  addAnswer(cli, 'reject', 'rejected', 'say no to what a loop asks a person, and what has to change');
  cli
    .command('log')
    .description('the journal of a loop (the newest of this project unless named)')
    .argument('[loop]', 'a loop id, or the beginning of one')
    .option('--json', 'the lines as they are', false)
    .option('--follow', 'go on until the loop has ended', false)
    .action(async (id: string | undefined, options: { json: boolean; follow: boolean }) => {
      const { home, store, project } = openWorld();
      await log(options, newestLoop(store, project, id), store, home, out);
    });
  addPrune(cli);
}

function addPrune(cli: Command): void {
  cli
    .command('prune')
    .description('remove loops of all projects that ended long ago, and the trees that only they name')
    .option('--older-than <time>', 'how long ago they ended, like 90d or 12h (default 30d)', age)
    .option('--dry-run', 'only say what would go', false)
    .option('--receipts', 'their receipts go as well', false)
    .action(async (options: { olderThan?: number; dryRun: boolean; receipts: boolean }) => {
      const { home, store, clock } = openWorld();
      if (!options.dryRun) refuseInsideClient('prune', home, process.env);
      const { olderThan: olderThanMs = 30 * DAY_MS, dryRun, receipts } = options;
      await prune({ olderThanMs, dryRun, receipts }, { store, home, now: clock.now() }, out);
    });
}

const DAY_MS = 86_400_000;

function age(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError('Type a time like 30d, 12h or 90m.');
}

interface StartFlags {
  promise?: string;
  maxIterations?: Limit;
  maxDuration?: Limit;
  session?: string;
  promptFile?: string;
}

function addStart(cli: Command): void {
  cli
    .command('start')
    .description('start a loop in this Claude Code session')
    .argument('[task...]', 'what is to be done (default: the task of untildone.yaml)')
    .option('--promise <text>', 'the statement that ends the loop, beside the gates of untildone.yaml', value)
    .option('--max-iterations <n>', 'a whole number from 1, or "unlimited" (default 50)', wholeNumber)
    .option('--max-duration <time>', 'like 8h, 90m, 1h30m, or "unlimited" (default 8h)', duration)
    .option('--session <id>', 'the session that owns the loop (default: the one this runs in)', value)
    .option('--prompt-file <file>', 'read the task from a file, - for stdin', value)
    .action(async (words: string[], flags: StartFlags) => {
      const session = ownerFrom(flags.session, process.env);
      const world = openWorld(session);
      if (flags.session !== undefined && flags.session !== process.env.CLAUDE_CODE_SESSION_ID) {
        refuseInsideClient('start --session', world.home, process.env);
      }
      const { promptFile, session: _, ...limits } = flags;
      prepareHome(world.home.root, hookScript(thisInstallation()));
      forgetOldSessions(world.home, world.clock.now());
      const task = taskFrom(words, promptFile);
      process.exitCode = await start({ task, ...limits, session, project: world.project }, world, out);
      await packManyLoose(world.home, world.project);
    });
}

function addAnswer(cli: Command, command: string, said: Answer['said'], description: string): void {
  cli
    .command(command)
    .description(description)
    .argument('[name]', 'the gate that asks, or the phase that it ends (default: the one that is waited for)')
    .option('--loop <id>', 'a loop id, or the beginning of one', value)
    .option('--note <text>', 'for the journal, and for the agent', value)
    .action(async (name: string | undefined, options: { loop?: string; note?: string }) => {
      const world = openWorld();
      refuseInsideClient(command, world.home, process.env);
      const ref = askingLoop(world.store, world.project, options.loop);
      await answerQuestion({ said, name, note: options.note }, ref, world, out);
    });
}

function hasToolRules(project: string): boolean {
  try {
    return readContract(project)?.contract.tools !== undefined;
  } catch {
    // What is wrong with the file is said where it is used.
    return false;
  }
}

/** Resuming holds the agent again, so the agent may do it; everything that lets go is for people. */
function addControl(cli: Command, command: PersonCommand, description: string): void {
  cli
    .command(command)
    .description(description)
    .argument('[loop]', 'a loop id, or the beginning of one')
    .option('--note <text>', 'why, for the journal', value)
    .action(async (id: string | undefined, options: { note?: string }) => {
      const world = openWorld();
      const { home, store, project } = world;
      if (command !== 'resume') refuseInsideClient(command, home, process.env);
      const ref = meantLoop(store, project, id);
      const children = childrenOf(store, store.read(ref));
      control(command, ref, options.note, store, out);
      const after = store.read(ref);
      // A client whose runner was killed works on alone: nobody else would end it.
      if (after.run && after.status !== 'active' && !isLocked(driverLock(ref)))
        for (const { loop } of [ref, ...children]) await endMarked(`${RUN_MARK}=${loop}`);
      if (after.dialect !== 'native' && hasEnded(after)) {
        const place = placeHere(world, after.session);
        for (const line of closeForeign(ref, { ...foreignWorld(world), place })) out(line);
      }
      await notifyEnding(ref, after, world);
    });
}

function foreignWorld(world: World) {
  const { home, store, env } = world;
  return { home, store, ports: world, judges: async () => (await loadJudgeBundle()).openJudges(home, env) };
}
