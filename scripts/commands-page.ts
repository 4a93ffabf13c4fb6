// The page with every command, made of the definitions that the program itself uses.
import type { Argument, Command, Option } from 'commander';
import { CATALOGUE } from '../src/cli/help/catalogue.ts';
import { nameOf as fullName } from '../src/cli/help/help.ts';

const HEAD = `# Commands

Every command with its arguments and options. This page is made from the program itself
(\`node scripts/run.mjs scripts/docs.ts\`); \`untildone COMMAND --help\` says the same in your terminal. What the exit codes mean:
[exit codes](exit-codes.md). What \`--json\` prints: [JSON](json-output.md).

Every command also takes \`--no-color\` (as with \`NO_COLOR=1\`; \`FORCE_COLOR=1\` asks for colours), \`--debug\` (shows the stack
trace of an unexpected error) and \`--help\`.
`;

export function commandsPage(cli: Command): string {
  const groups = new Map<string, Command[]>();
  for (const command of cli.commands.filter((each) => each.name() !== 'help')) {
    const group = command.helpGroup().replace(/:$/, '') || 'More';
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  const sections = [...groups].map(
    ([group, commands]) => `## ${group}\n\n${commands.map(section).join('\n')}`,
  );
  return `${HEAD}\n${sections.join('\n')}`;
}

/** A command; or, of a group such as `holdout`, all of its commands. */
function section(command: Command): string {
  const below = command.commands.filter((each) => each.name() !== 'help');
  return [parts('###', command), ...below.map((each) => parts('####', each))].join('\n');
}

function parts(level: string, command: Command): string {
  const all = [
    `${level} ${titleOf(command)}`,
    sentence(command.description()),
    usageOf(command),
    ...tables(command),
    ...examples(command),
    ...exits(command),
  ];
  return `${all.join('\n\n')}\n`;
}

function titleOf(command: Command): string {
  return fullName(command);
}

function examples(command: Command): string[] {
  const lines = CATALOGUE[titleOf(command)]?.examples ?? [];
  const width = Math.min(60, Math.max(0, ...lines.map(([line]) => line.length)));
  return lines.length === 0
    ? []
    : [['```sh', ...lines.map(([line, does]) => `${line.padEnd(width)}  # ${does}`), '```'].join('\n')];
}

function exits(command: Command): string[] {
  const codes = Object.entries(CATALOGUE[titleOf(command)]?.exits ?? {});
  return codes.length === 0
    ? []
    : [`Exit codes: ${codes.map(([code, means]) => `${code} ${cell(means)}`).join('; ')}.`];
}

function usageOf(command: Command): string {
  return `\`untildone ${titleOf(command)} ${command.usage()}\``;
}

function tables(command: Command): string[] {
  const rows = [
    ...command.registeredArguments.map((argument) => row(nameOf(argument), argument.description)),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => row(`\`${option.flags}\``, wordsOf(option))),
  ];
  return rows.length === 0 ? [] : [['| | |', '|---|---|', ...rows].join('\n')];
}

function row(name: string, words: string): string {
  return `| ${name.replaceAll('|', '\\|')} | ${cell(words)} |`;
}

function nameOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return `\`${argument.required ? `<${name}>` : `[${name}]`}\``;
}

function wordsOf(option: Option): string {
  const { argChoices, defaultValue, description } = option;
  const choices = argChoices ? [`one of ${argChoices.map((each) => `\`${each}\``).join(', ')}`] : [];
  const usual = defaultValue === undefined || defaultValue === false || Array.isArray(defaultValue);
  const standard = usual ? [] : [`default \`${String(defaultValue)}\``];
  const more = [...choices, ...standard];
  return more.length === 0 ? description : `${description} (${more.join('; ')})`;
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|').replace(/</g, '&lt;').replace(/\s+/g, ' ');
}

function sentence(words: string): string {
  const text = cell(words).replaceAll('\\|', '|');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
