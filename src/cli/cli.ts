import { Command, CommanderError } from 'commander';
import { EXIT } from '../engine/core/words/exit-codes.ts';
import { editedScriptsWords } from '../engine/core/words/hook-program.ts';
import { homeFrom, homeRoot } from '../engine/home/layout.ts';
import { thisProgram, VERSION } from '../engine/home/program.ts';
import { lostProgram } from '../engine/home/program-words.ts';
import { hasDue } from '../engine/home/reflections.ts';
import { refreshScripts } from '../engine/home/scripts.ts';
import { flagsFirst } from '../engine/hook/start/inputs.ts';
import { REFLECTION_MODE, startReflection } from '../engine/hook/wiring/reflection.ts';
import { out, warn } from '../engine/terminal/print.ts';
import { colourWanted, useColour } from '../engine/terminal/style.ts';
import { addCompletionCommand } from './completion/command.ts';
import { addContractCommands } from './contract/commands.ts';
import { addDashboardCommand } from './dashboard.ts';
import { addDevCommands } from './dev.ts';
import { addDoctorCommand } from './doctor/commands.ts';
import { addFleetCommands } from './fleet/commands.ts';
import { addWorkerCommand } from './fleet/worker.ts';
import { addClaimCommand, addRalphCommands } from './formats/commands.ts';
import { addFeaturesCommands } from './formats/features-commands.ts';
import { addLockCommands } from './formats/lock-commands.ts';
import { addStateCommands } from './formats/state-commands.ts';
import { allCommands, arrangeHelp, HELP_STYLE, nameOf } from './help/help.ts';
import {
  calledCommand,
  isWrongUse,
  misspelledSubcommand,
  problemJson,
  problemLine,
  problemOf,
  wantsJson,
} from './help/problems.ts';
import { addImportCommands } from './import/commands.ts';
import { addInstallCommands, addPluginHooksCommand } from './install/add-commands.ts';
import { loaded } from './later.ts';
import { addLessonsCommand } from './lessons/commands.ts';
import { addLoopCommands } from './loop/commands.ts';
import { addMcpCommand } from './mcp/command.ts';
import { addAuditCommand } from './reflect/audit-command.ts';
import { addReflectCommand, addReflectQueuedCommand } from './reflect/commands.ts';

import { addRunCommand } from './run-command.ts';
import { addSetupCommand } from './setup/commands.ts';
import { addStatsCommand } from './stats-command.ts';

/** Which function adds which commands. */
const ADDED: readonly (readonly [add: (cli: Command) => void, ...names: string[]])[] = [
  [
    addLoopCommands,
    ...['start', 'status', 'pause', 'resume', 'cancel', 'release', 'approve', 'reject'],
    ...['answer', 'ask', 'log', 'prune'],
  ],
  [addDashboardCommand, 'dashboard'],
  [addRunCommand, 'run'],
  [addFleetCommands, 'submit', 'fleet'],
  [addWorkerCommand, 'worker'],
  [addStatsCommand, 'stats'],
  [addContractCommands, 'init', 'trust', 'verify', 'contract', 'allow', 'receipt', 'holdout'],
  [addLessonsCommand, 'lessons'],
  [addMcpCommand, 'mcp'],
  [addReflectCommand, 'reflect'],
  [addReflectQueuedCommand, 'reflect-queued'],
  [addSetupCommand, 'setup'],
  [addInstallCommands, 'install', 'uninstall'],
  [addDoctorCommand, 'doctor'],
  [addPluginHooksCommand, 'plugin-hooks'],
  [addImportCommands, 'import'],
  [addRalphCommands, 'ralph-loop', 'cancel-ralph'],
  [addClaimCommand, 'claim'],
  [addFeaturesCommands, 'features'],
  [addLockCommands, 'lock'],
  [addStateCommands, 'state'],
  [addAuditCommand, 'audit'],
  [addDevCommands, 'demo', 'simulate', 'conformance'],
  [addEventCommands, 'hook', 'statusline'],
  [addCompletionCommand],
];

/**
 * All commands, arranged for `--help`; with the name of a command only those that are added together with it.
 * `sayProblem` gets what is wrong with a call, and where.
 */
export function buildCli(
  sayProblem: (problem: string, command: Command) => void = () => {},
  called?: string,
): Command {
  const cli = new Command('untildone')
    .description('Keeps Claude Code working until the work is provably done.')
    .version(VERSION)
    .configureHelp(HELP_STYLE)
    .configureOutput({
      writeOut: (text) => linesOf(text).forEach(out),
      writeErr: (text) => linesOf(text).forEach(warn),
    })
    .exitOverride();
  const wanted = ADDED.filter(([, ...names]) => called !== undefined && names.includes(called));
  for (const [add] of wanted.length > 0 ? wanted : ADDED) add(cli);
  arrangeHelp(cli);
  for (const command of [cli, ...allCommands(cli)])
    command.configureOutput({ outputError: (problem) => sayProblem(problem, command) });
  return cli;
}

/** What Claude Code calls where it does not go through the entry. */
function addEventCommands(cli: Command): void {
  cli
    .command('hook')
    .description('answer one hook event on stdin (Claude Code calls this)')
    .action(async () => (await loaded(() => import('../engine/hook/answer-event.ts'))).answerEvent());
  cli
    .command('statusline')
    .description("print one line about a session for Claude Code's status line (Claude Code calls this)")
    .action(async () => (await loaded(() => import('./statusline.ts'))).printStatusline());
}

/** The command as it stands in the whole program, where every command is registered. */
function amongAll(command: Command): Command {
  const all = buildCli();
  return calledCommand(all, nameOf(command).split(' ')) ?? all;
}

const TAKE_TASKS = ['start', 'run', 'submit', 'ask', 'answer'];
/** Commands whose words may belong to a text or to another command: a `--debug` among them is not for us. */
const FREE_WORDS = [...TAKE_TASKS, 'ralph-loop', 'features', 'state', 'conformance'];

/** Takes a switch out that every command knows: in front of the command, and anywhere where its words are not free. */
function takeSwitch(name: string, argv: readonly string[], free: readonly string[]) {
  const command = argv.findIndex((word, index) => index >= 2 && !word.startsWith('--'));
  const isFree = command >= 0 && free.includes(argv[command] ?? '');
  const last = isFree ? command : argv.indexOf('--');
  const end = last < 0 ? argv.length : last;
  const isIt = (word: string, index: number) => index >= 2 && index < end && word === name;
  return { given: argv.some(isIt), words: argv.filter((word, index) => !isIt(word, index)) };
}

/** A task may begin with dashes (`--- yaml ---`, `- [ ] item`), which commander would take for a flag. */
export function taskLast(argv: string[], cli: Command): string[] {
  const start = cli.commands.find((command) => command.name() === argv[2]);
  if (!start || !TAKE_TASKS.includes(start.name())) return argv;
  const names = (wanted: 'required' | 'optional') =>
    start.options.filter((option) => option[wanted]).map((option) => option.long ?? '');
  return [...argv.slice(0, 3), ...flagsFirst(argv.slice(3), names('required'), names('optional'))];
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** An error in one line, or with its further lines further in: none of them can pose as a line of its own. */
function errorLines(said: string): string[] {
  return linesOf(`untildone: ${said}`).map((line, index) =>
    index === 0 || /^\s/.test(line) ? line : `  ${line}`,
  );
}

/**
 * Runs one command line. An error is printed as one line, with exit code 2: as JSON when JSON was asked for. `--debug` prints
 * the stack trace of an unexpected one.
 */
export async function main(argv: string[]): Promise<void> {
  const { given: debug, words: undebugged } = takeSwitch('--debug', argv, FREE_WORDS);
  // The words of a task that begin with dashes are flags, if they do not come after `--`.
  const freeOfFlags = FREE_WORDS.filter((command) => !TAKE_TASKS.includes(command));
  const { given: colourless, words } = takeSwitch('--no-color', undebugged, freeOfFlags);
  if (colourless) process.env.NO_COLOR = '1';
  useColour(colourWanted(process.stdout, process.env));
  endWithReader();
  const json = wantsJson(words.slice(2));
  const cli = buildCli((problem, command) => {
    const message = problemLine(problem, amongAll(command));
    warn(json ? problemJson({ code: 'usage', message, exit_code: EXIT.refused }) : `untildone: ${message}`);
  }, words[2]);
  try {
    followUpgrade(words);
    reflectOnQueued(words);
    await cli.parseAsync(taskLast(words, cli));
  } catch (error) {
    process.exitCode = EXIT.refused;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) process.exitCode = EXIT.ok;
      return;
    }
    const problem = problemOf(error as Error);
    const meant = isWrongUse(error) ? misspelledSubcommand(cli, words.slice(2)) : undefined;
    const message = meant === undefined ? problem.message : `${problem.message}; ${meant}`;
    if (json) warn(problemJson({ ...problem, message }));
    const said = debug && !isWrongUse(error) ? ((error as Error).stack ?? '') : message;
    if (!json || said !== message) errorLines(said).forEach(warn);
  }
}

/** The reader of our output may go away early (`untildone log | head`). That is no error, and nobody is told. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? process.exitCode : EXIT.refused),
  );
  // Nothing can be said any more where errors are told; the exit code still says it.
  process.stderr.on('error', () => {});
}

/** Sessions that ended while nobody could look back on them: another process does so, beside this command. */
function reflectOnQueued(words: readonly string[]): void {
  if (words[2] === 'reflect-queued' || process.env[REFLECTION_MODE] === '1') return;
  try {
    const home = homeFrom(process.env);
    if (hasDue(home, Date.now())) startReflection(home, process.env);
  } catch {
    // The next command tries again.
  }
}

/**
 * Brings the scripts of installed hooks up to date, if they run this program. A dry run, and asking for help, change nothing. Says
 * when the hooks can run nothing; when they only run another program, `status` and the doctor say so.
 */
function followUpgrade(words: readonly string[]): void {
  const [command = '-'] = words.slice(2);
  // The doctor says first what is wrong.
  const isLooking = ['help', 'doctor'].includes(command) || words.includes('--dry-run');
  if (command.startsWith('-') || isLooking) return;
  const [home, program] = [homeRoot(process.env), thisProgram()];
  const refreshed = refreshScripts(home, program);
  if (refreshed.kind === 'written' && refreshed.edited.length > 0)
    warn(`untildone: ${editedScriptsWords(refreshed.edited)}`);
  const isSaid = ['status', 'install', 'setup'].includes(command) || process.env.CLAUDECODE;
  const lost = isSaid || refreshed.kind !== 'untouched' ? undefined : lostProgram(home, program, process.env);
  if (lost !== undefined) warn(`untildone: ${lost}`);
  if (refreshed.kind === 'unwritable')
    warn(
      `untildone: the scripts of the hooks are not those of version ${VERSION}, and they cannot be written (${refreshed.problem}): make ${home} writable, or see: untildone doctor`,
    );
}
