import type { Command } from 'commander';
import { prepareHome } from '../../client/settings/files.ts';
import { readContract } from '../../contract/read.ts';
import type { Limit, SandboxRule } from '../../core/contract/contract.ts';
import type { PersonCommand } from '../../core/loop/entry.ts';
import { watchStatus } from '../../dashboard/watch.ts';
import { dashboardWorld } from '../../dashboard/wiring.ts';
import { thisProgram } from '../../home/program.ts';
import { programNews } from '../../home/program-words.ts';
import { meantLoop, newestLoop } from '../../hook/start/find-loop.ts';
import { ownerFrom, taskFrom } from '../../hook/start/inputs.ts';
import { warnOldHooks } from '../../hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { start } from '../../hook/start/start.ts';
import { openForeign } from '../../hook/wiring/foreign.ts';
import { foreignWorld, openWorld, openWorldToRead, placeHere } from '../../hook/wiring/world.ts';
import { wallsOnMachine } from '../../project/walls/walls-for.ts';
import { type Answer, answerQuestion, askingLoop } from '../../run/person/approve-reject.ts';
import { hooksStateOf } from '../../run/person/hooks-state.ts';
import { commandLoop } from '../../run/person/pause-resume-cancel-release.ts';
import { turnEnds } from '../../run/person/turn-ends.ts';
import { out } from '../../terminal/print.ts';
import { ACTIVE_LOOP, addLoopLimits, age, DAY_MS, NEWEST_LOOP, value } from '../flags.ts';
import { addAnswerCommand, addAskCommand } from './ask-answer.ts';
import { foreignStatus } from './foreign-status.ts';
import { log } from './log.ts';
import { prune } from './prune.ts';
import { forgetOldSessions, packManyLoose } from './remove-loops.ts';
import { status } from './status.ts';

export function addLoopCommands(cli: Command): void {
  addStart(cli);
  addStatus(cli);
  addPauseResumeCancelRelease(
    cli,
    'pause',
    'pause a loop: its session may stop, and the loop keeps its place',
  );
  addPauseResumeCancelRelease(cli, 'resume', 'go on with a paused loop: its session is held again');
  addPauseResumeCancelRelease(cli, 'cancel', 'end a loop for good');
  addPauseResumeCancelRelease(
    cli,
    'release',
    'end a loop although the work is not done: its session is let go',
  );
  addAnswer(cli, 'approve', 'approved', 'say yes to a question that a loop asks you');
  addAnswer(cli, 'reject', 'rejected', 'say no to a question that a loop asks you, and what has to change');
  addAnswerCommand(cli);
  addAskCommand(cli);
  addLog(cli);
  addPrune(cli);
}

function addStatus(cli: Command): void {
  cli
    .command('status')
    .description('show the loops of this project, newest first, and how they ended')
    .option('--json', 'print JSON', false)
    .option('--all', 'show the loops of all projects', false)
    .option('--ended', 'show every loop that has ended, not only the newest ones', false)
    .option('--watch', 'show it again whenever something changes, until Ctrl-C', false)
    .action(async (options: { json: boolean; all: boolean; ended: boolean; watch: boolean }) => {
      const world = openWorldToRead();
      if (options.watch) {
        const own = !options.all && world.store.loops(world.project).length > 0;
        const watched = dashboardWorld(world.env, own ? [world.project] : []);
        process.exitCode = await watchStatus(watched, options);
        return;
      }
      const { store, project, clock, env } = world;
      const session = process.env.CLAUDE_CODE_SESSION_ID;
      const place = placeHere(world, session);
      const { needsApproval } = openForeign({ ...foreignWorld(world), place });
      const foreign = await foreignStatus(place, { home: world.home, store, needsApproval });
      if (!options.json && hasToolRules(project)) warnOldHooks(project, env, out);
      const hooksAt = (folder: string) => hooksStateOf(folder, env);
      const wallsHere = (sandbox: SandboxRule) =>
        wallsOnMachine(sandbox, { env, untildoneHome: world.home.root });
      const turnEndOf = turnEnds(world.home, env, clock.now());
      const program = programNews(world.home.root, thisProgram(), env, clock.now());
      status(
        { ...options, project, foreign, program, hooksAt, wallsHere, turnEndOf },
        store,
        clock.now(),
        out,
      );
    });
}

function addLog(cli: Command): void {
  cli
    .command('log')
    .description('show the journal of a loop')
    .argument('[loop]', NEWEST_LOOP)
    .option('--json', 'print the lines as they are in the file', false)
    .option('--follow', 'print new lines until the loop has ended', false)
    .option('--subagents', 'print only what each subagent said last', false)
    .action(
      async (id: string | undefined, options: { json: boolean; follow: boolean; subagents: boolean }) => {
        const { home, store, project, clock } = openWorldToRead();
        await log(options, newestLoop(store, project, id), { store, home, clock }, out);
      },
    );
}

function addPrune(cli: Command): void {
  cli
    .command('prune')
    .description('remove loops of all projects that ended long ago, and what only they need')
    .option('--older-than <time>', 'how long ago they ended, like 90d or 12h (default 30d)', age)
    .option('--dry-run', 'show what would be removed, remove nothing', false)
    .option('--receipts', 'remove their receipts, too', false)
    .action(async (options: { olderThan?: number; dryRun: boolean; receipts: boolean }) => {
      const { home, store, clock } = options.dryRun ? openWorldToRead() : openWorld();
      if (!options.dryRun) refuseInsideClient('prune', home, process.env);
      const { olderThan: olderThanMs = 30 * DAY_MS, dryRun, receipts } = options;
      await prune({ olderThanMs, dryRun, receipts }, { store, home, now: clock.now() }, out);
    });
}

interface StartFlags {
  promise?: string;
  maxIterations?: Limit;
  maxDuration?: Limit;
  session?: string;
  promptFile?: string;
}

function addStart(cli: Command): void {
  addLoopLimits(
    cli
      .command('start')
      .description('start a loop in this Claude Code session')
      .argument('[task...]', 'what is to be done (default: the task of untildone.yaml)')
      .option(
        '--promise <text>',
        'the statement that ends the loop, besides the gates of untildone.yaml',
        value,
      ),
  )
    .option('--session <id>', 'the session that owns the loop (default: the one this runs in)', value)
    .option('--prompt-file <file>', 'read the task from a file, - for stdin', value)
    .action(async (words: string[], flags: StartFlags) => {
      const session = ownerFrom(flags.session, process.env);
      const world = openWorld(session);
      if (flags.session !== undefined && flags.session !== process.env.CLAUDE_CODE_SESSION_ID) {
        refuseInsideClient('start --session', world.home, process.env);
      }
      const { promptFile, session: _, ...limits } = flags;
      prepareHome(world.home.root, thisProgram());
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
    .argument(
      '[name]',
      'the gate that asks, or the phase that it ends (default: the question that the loop waits for)',
    )
    .option('--loop <id>', 'the loop, by its id or the beginning of it', value)
    .option('--note <text>', 'your words for the journal and the agent', value)
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
    // The commands that use the contract say what is wrong with it.
    return false;
  }
}

/** Lets the agent resume a loop, for that holds it again. Only you may pause, cancel or release one. */
function addPauseResumeCancelRelease(cli: Command, command: PersonCommand, description: string): void {
  cli
    .command(command)
    .description(description)
    .argument('[loop]', ACTIVE_LOOP)
    .option('--note <text>', 'why, for the journal', value)
    .action(async (id: string | undefined, options: { note?: string }) => {
      const world = openWorld();
      const { home, store, project } = world;
      if (command !== 'resume') refuseInsideClient(command, home, process.env);
      const ref = meantLoop(store, project, id);
      await commandLoop(command, ref, options.note, world, out);
    });
}
