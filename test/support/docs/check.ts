/** Whether a command line that a page shows is one: asked of the program's own definitions, without running anything. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildCli, taskLast } from '../../../src/cli/cli.ts';
import { isUntildone, shellCalls } from '../../../src/engine/core/shell/calls.ts';
import { ROOT } from './blocks.ts';

/** What is wrong with it; empty: every command in it exists, with these options and arguments. */
export async function problemsOf(line: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { program, args } of shellCalls(line)) {
    const problem = isUntildone(program) ? await wrongUse(args) : unknownProgram(program, args);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/** Programs of others, and words of the shell, that pages name. What they do is not ours to check. */
const OTHERS = new Set(
  'git gh cosign claude mkdir mv ln echo cat cd cp rm touch printf export pip python3 sudo bash sh tmux caffeinate systemd-inhibit systemctl docker kubectl useradd install apt-get loginctl ssh jq node true test ls exit read continue set shift [ fi done'.split(
    ' ',
  ),
);

function unknownProgram(program: string, args: readonly string[]): string | undefined {
  if (program === 'npm') return unknownScript(args);
  if (program === 'claude') return mentionIn(args);
  // An assignment calls nothing.
  if (program === '' || OTHERS.has(program) || program.startsWith('.') || /^[$"]/.test(program))
    return undefined;
  return `"${program}" is neither a command of untildone nor a program that pages may name`;
}

/** What Claude Code is told to run. */
function mentionIn(args: readonly string[]): string | undefined {
  const [text] = args.flatMap((word) => word.match(/(?:npx )?untildone [a-z-]+[^,.]*/) ?? []);
  return text === undefined ? undefined : problemOfMention(text);
}

const SCRIPTS = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

function unknownScript([verb = '', ...args]: readonly string[]): string | undefined {
  const name =
    verb === 'run' ? args.find((word) => !word.startsWith('-')) : verb === 'test' ? 'test' : undefined;
  return name === undefined || SCRIPTS.includes(name) ? undefined : `package.json has no script "${name}"`;
}

const EVERYWHERE = new Set(['--no-color', '--debug', '--help', '--version']);

async function wrongUse(args: readonly string[]): Promise<string | undefined> {
  // The page is about completion.
  if (args.at(-1) === 'TAB') return problemOfMention(`untildone ${args.slice(0, -1).join(' ')}`);
  const cli = buildCli();
  let said = '';
  let reached = false;
  silence(cli, (text) => {
    said += text;
  });
  forEachCommand(cli, (command) => {
    // A group such as `untildone holdout` does nothing by itself.
    if (command.commands.length > 0 && !Reflect.get(command, '_actionHandler')) return;
    command.action(() => {
      reached = true;
    });
  });
  if (args.every((word) => EVERYWHERE.has(word)) && args.length > 0) return undefined;
  const words = ['node', 'untildone', ...args.filter((word) => !EVERYWHERE.has(word))];
  try {
    await cli.parseAsync(taskLast(words, cli));
  } catch (error) {
    return `untildone ${args.join(' ')}: ${said.trim().split('\n')[0] || (error as Error).message}`;
  }
  return reached ? undefined : `untildone ${args.join(' ')}: no command is named`;
}

/** A sentence may name a command without all that it needs: its words and options have to exist, no more. */
export function problemOfMention(text: string): string | undefined {
  const words = text
    .replace(/^npx /, '')
    .replace(/[[\]|]/g, ' ')
    .split(/\s+/)
    .slice(1)
    .filter((word) => word !== '' && word !== '...');
  let command = buildCli();
  let at = 0;
  for (; at < words.length; at++) {
    const next = command.commands.find(
      (each) => each.name() === words[at] || each.aliases().includes(words[at] ?? ''),
    );
    if (!next) break;
    command = next;
  }
  // `untildone COMMAND --help` speaks of any.
  const isCommand = at > 0 || words[0]?.startsWith('-') || words[0] === 'COMMAND';
  if (!isCommand) return `"${text}": there is no command "${words[0]}"`;
  // `ralph-loop` takes its words as they are, and names its options in its description.
  const named = command.description().match(/--[\w-]+/g) ?? [];
  const options = [...command.options, ...(command.parent?.options ?? [])];
  const known = [...named, ...options.flatMap(({ long, short }) => [long, short])];
  const end = words.indexOf('--');
  const unknown = words
    .slice(at, end < 0 ? undefined : end)
    .filter((word) => /^--?[a-z]/i.test(word))
    .map((word) => word.replace(/=.*/, '').replace(/[,;.:)]+$/, ''))
    .find((word) => !known.includes(word) && !EVERYWHERE.has(word));
  return unknown === undefined ? undefined : `"${text}": "${command.name()}" has no option ${unknown}`;
}

function silence(cli: Command, take: (text: string) => void): void {
  forEachCommand(cli, (command) => {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: take, outputError: take });
  });
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const each of command.commands) forEachCommand(each, visit);
}
