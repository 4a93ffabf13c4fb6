/** What a shell can complete, as the definitions of the commands say it. */
import type { Argument, Command, Option } from 'commander';
import { ACTIVE_LOOP } from '../flags.ts';
import { nameOf } from '../help/help.ts';

export type Values =
  | { kind: 'none' }
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'loops'; which: WhichLoops }
  | { kind: 'files' };

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof SHELLS)[number];

export type WhichLoops = 'unfinished' | 'all';

export interface CompletedOption {
  /** `--json`, `-h`. */
  spellings: readonly string[];
  description: string;
  takes: 'nothing' | 'a value' | 'maybe a value';
  values: Values;
}

export interface CompletedCommand {
  /** Without the program: `receipt verify`; empty for the program itself. */
  name: string;
  commands: readonly { name: string; description: string }[];
  options: readonly CompletedOption[];
  /** By position; the last one again and again when `more`. */
  arguments: readonly Values[];
  more: boolean;
}

const NONE: Values = { kind: 'none' };
/** What a shell takes for one word as it is. */
const PLAIN = /^[\w.:@/+-]+$/;
/** Placeholders of options and arguments that stand for a file or a folder. */
const FILES = /^(?:file|files|path|paths|script)$/;

/** Every command, the program itself first. */
export function completedCommands(cli: Command): CompletedCommand[] {
  return [cli, ...below(cli)].map(completed).flatMap((command) => [command, ...helpOf(command)]);
}

/** `untildone help` and `untildone lock help` are followed by the commands beside them. */
function helpOf({ name, commands }: CompletedCommand): CompletedCommand[] {
  const names = commands.map((one) => one.name).filter((one) => one !== HELP);
  if (names.length === commands.length) return [];
  const path = `${name} ${HELP}`.trim();
  return [{ name: path, commands: [], options: [], arguments: [words(names)], more: false }];
}

const HELP = 'help';

function below(command: Command): Command[] {
  return shownCommands(command).flatMap((one) => [one, ...below(one)]);
}

function shownCommands(command: Command): Command[] {
  const shown = command.createHelp().visibleCommands(command);
  return command.commands.filter((one) => shown.includes(one));
}

function completed(command: Command): CompletedCommand {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).map((one) => ({
    name: one.name(),
    description: one.description(),
  }));
  return {
    name: nameOf(command),
    commands,
    options: [...help.visibleOptions(command).map(completedOption), ...(command.parent ? [] : EVERYWHERE)],
    arguments: command.registeredArguments.map(valuesOfArgument),
    more: command.registeredArguments.at(-1)?.variadic ?? false,
  };
}

const EVERYWHERE: CompletedOption[] = [
  ['--no-color', 'print without colours'],
  ['--debug', 'show the stack trace of an unexpected error'],
].map(([spelling = '', description = '']) => ({
  spellings: [spelling],
  description,
  takes: 'nothing',
  values: NONE,
}));

function completedOption(option: Option): CompletedOption {
  return {
    spellings: [option.long, option.short].filter((spelling) => spelling !== undefined),
    description: option.description,
    takes: option.required ? 'a value' : option.optional ? 'maybe a value' : 'nothing',
    values: valuesOfOption(option),
  };
}

function valuesOfOption(option: Option): Values {
  if (option.argChoices) return words(option.argChoices);
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
  if (option.long === '--loop' || placeholder === 'loop') return { kind: 'loops', which: 'unfinished' };
  if (placeholder === 'run') return { kind: 'loops', which: 'all' };
  return FILES.test(placeholder) ? { kind: 'files' } : NONE;
}

function valuesOfArgument(argument: Argument): Values {
  if (argument.argChoices) return words(argument.argChoices);
  if (argument.name() === 'loop')
    return { kind: 'loops', which: argument.description === ACTIVE_LOOP ? 'unfinished' : 'all' };
  return FILES.test(argument.name()) ? { kind: 'files' } : NONE;
}

function words(choices: readonly string[]): Values {
  return { kind: 'words', words: choices.filter((choice) => PLAIN.test(choice)) };
}
