import { Command, CommanderError, Help, type Option } from 'commander';
import { UsageError } from '../core/text/errors.ts';
import { isDiskFull } from '../files/unwritable.ts';
import { flagsFirst } from '../hook/start/inputs.ts';
import { out, warn } from '../terminal/print.ts';
import { colourWanted, useColour } from '../terminal/style.ts';
import { addContractCommands } from './contract/commands.ts';
import { addDevCommands } from './dev.ts';
import { addClaimCommand } from './formats/claim.ts';
import { addFeaturesCommands } from './formats/features-commands.ts';
import { addLockCommands } from './formats/lock-commands.ts';
import { addRalphCommands } from './formats/ralph-loop.ts';
import { addStateCommands } from './formats/state-commands.ts';
import { addImportCommands } from './import/commands.ts';
import { addInstallCommands } from './install/commands.ts';
import { addLoopCommands } from './loop/commands.ts';
import { addRunCommand } from './run.ts';

const EVERYWHERE = `With every command:
  --no-color                        print without colours, as with NO_COLOR=1; FORCE_COLOR=1 asks for them
  --debug                           show the stack trace of an unexpected error`;

/** Every command with its options, as the program, its help and its reference page know them. */
export function buildCli(): Command {
  const cli = new Command('untildone')
    .description('Keeps Claude Code working until the work is provably done.')
    .version(VERSION)
    .configureHelp({ optionDescription: withoutFalse })
    .addHelpText('after', `\n${EVERYWHERE}`)
    .configureOutput({
      writeOut: (text) => linesOf(text).forEach(out),
      writeErr: (text) => linesOf(text).forEach(warn),
      outputError: (problem) => warn(inOneLine(problem)),
    })
    .exitOverride();
  cli.commandsGroup('Loops:');
  addLoopCommands(cli);
  addRunCommand(cli);
  cli.commandsGroup('Contracts and receipts:');
  addContractCommands(cli);
  cli.commandsGroup('Setup:');
  addInstallCommands(cli);
  addImportCommands(cli);
  cli.commandsGroup('State files of other systems:');
  addRalphCommands(cli);
  addClaimCommand(cli);
  addFeaturesCommands(cli);
  addLockCommands(cli);
  addStateCommands(cli);
  cli.commandsGroup('Demos, and tools for authors of hooks:');
  addDevCommands(cli);
  cli
    .command('hook')
    .description('answer one hook event on stdin (Claude Code calls this)')
    .action(async () => (await import('../hook/answer-event.ts')).answerEvent());
  return cli;
}

/** Leaves "(default: false)" out of the help: a switch that is not given is off. */
function withoutFalse(option: Option): string {
  return option.defaultValue === false ? option.description : new Help().optionDescription(option);
}

const TAKE_TASKS = ['start', 'run'];
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

/** `error: unknown option '--promis'\n(Did you mean --promise?)`, as one line with the way out. */
function inOneLine(problem: string): string {
  const said = problem
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
  return `untildone: ${said}; untildone --help shows what there is`;
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

/** Runs one command line. An error is printed as one line, with exit code 2; `--debug` prints its stack trace. */
export async function main(argv: string[]): Promise<void> {
  const { given: debug, words: undebugged } = takeSwitch('--debug', argv, FREE_WORDS);
  // The words of a task that begin with dashes are flags, if they do not come after `--`.
  const freeOfFlags = FREE_WORDS.filter((command) => !TAKE_TASKS.includes(command));
  const { given: colourless, words } = takeSwitch('--no-color', undebugged, freeOfFlags);
  if (colourless) process.env.NO_COLOR = '1';
  useColour(colourWanted(process.stdout, process.env));
  // The reader of our output may go away early (`untildone log | head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? process.exitCode : 2),
  );
  try {
    const cli = buildCli();
    await cli.parseAsync(taskLast(words, cli));
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const { stack } = error as Error;
    const said = debug && !isWrongUse(error) ? stack : inWords(error as Error);
    errorLines(said ?? '').forEach(warn);
    process.exitCode = 2;
  }
}

/** Compares the name, too: an error that another bundle throws is of a class of its own. */
function isWrongUse(error: unknown): boolean {
  return error instanceof UsageError || (error as Error).name === 'UsageError';
}

/** Tells you what to do about a full disk, which the words of the system do not. */
export function inWords(error: NodeJS.ErrnoException): string {
  if (!isDiskFull(error)) return error.message;
  return `the disk is full (${error.message}): make room, then type the command again. A run that was cut off goes on with: untildone run --resume`;
}

/** Set from package.json when the bundles are built. */
declare const UNTILDONE_VERSION: string | undefined;

export const VERSION: string = typeof UNTILDONE_VERSION === 'string' ? UNTILDONE_VERSION : '0.0.0-source';
