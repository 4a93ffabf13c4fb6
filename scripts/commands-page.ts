// The page with every command, made of the definitions that the program itself uses.
import type { Argument, Command, Option } from 'commander';
import { CATALOGUE } from '../src/cli/help/catalogue.ts';
import { nameOf as fullName } from '../src/cli/help/help.ts';

const HEAD = `# Commands

Look up a command, its options and its exit codes. The page is made from the program (\`node scripts/run.mjs scripts/docs.ts\`);
\`untildone COMMAND --help\` says it in your terminal, with examples. [Exit codes](exit-codes.md) and [JSON](json-output.md) have
pages of their own. What stands here without words is explained in [the first list](#said-once).
`;

/** An option that this many commands take with the same words is explained once, at the top. */
const SHARED = 2;

const EVERYWHERE = [
  '- `--no-color`, `--debug`, `--help`: every command takes them. `NO_COLOR=1` and `FORCE_COLOR=1` choose as well; `--debug` shows the stack trace of an unexpected error',
];

export function commandsPage(cli: Command): string {
  const groups = new Map<string, Command[]>();
  for (const command of cli.commands.filter((each) => each.name() !== 'help')) {
    const group = command.helpGroup().replace(/:$/, '') || 'More';
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  const shared = sharedIn(cli);
  const told = new Map<string, string>();
  const sections = [...groups].map(
    ([group, commands]) =>
      `## ${group}\n\n${commands.map((command) => section(command, shared, told)).join('\n')}`,
  );
  const common = ['## Said once', [...EVERYWHERE, ...shared].join('\n')].join('\n\n');
  return `${HEAD}\n${common}\n\n${sections.join('\n')}`;
}

function withAllBelow(command: Command): Command[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  return [command, ...below.flatMap(withAllBelow)];
}

/** Of several explanations of one option only the most frequent is shared: a bare name must not have two meanings. */
function sharedIn(cli: Command): Set<string> {
  const times = new Map<string, number>();
  for (const line of withAllBelow(cli).flatMap(linesOf)) times.set(line, (times.get(line) ?? 0) + 1);
  const most = new Map<string, string>();
  for (const [line, count] of times) {
    const name = nameIn(line);
    if (count > (times.get(most.get(name) ?? '') ?? 0)) most.set(name, line);
  }
  return new Set(
    [...times.keys()].filter((line) => (times.get(line) ?? 0) >= SHARED && most.get(nameIn(line)) === line),
  );
}

/** Of "- `--note <text>`: why" the part before the colon. */
function nameIn(line: string): string {
  return line.slice(2, line.indexOf(': '));
}

/** A command; or, of a group such as `holdout`, all of its commands. */
function section(command: Command, shared: ReadonlySet<string>, told: Map<string, string>): string {
  return withAllBelow(command)
    .map((each) => parts(each === command ? '###' : '####', each, shared, told))
    .join('\n');
}

function parts(
  level: string,
  command: Command,
  shared: ReadonlySet<string>,
  told: Map<string, string>,
): string {
  const all = [
    `${level} ${fullName(command)}`,
    sentence(command.description()),
    ...usageOf(command),
    ...takes(command, shared),
    ...exits(command, told),
  ];
  return `${all.join('\n\n')}\n`;
}

/** The codes of a command; where an earlier one has the same, its name. */
function exits(command: Command, told: Map<string, string>): string[] {
  const codes = Object.entries(CATALOGUE[fullName(command)]?.exits ?? {});
  if (codes.length === 0) return [];
  const words = codes.map(([code, means]) => `${code} ${cell(means)}`).join('; ');
  const earlier = told.get(words);
  if (earlier !== undefined) return [`Exit codes: those of \`${earlier}\`.`];
  told.set(words, fullName(command));
  return [`Exit codes: ${words}.`];
}

/** Only what the list of its arguments does not show. */
function usageOf(command: Command): string[] {
  const isPlain = command.usage().startsWith('[options]') && !command.usage().includes(' -- ');
  return isPlain ? [] : [`\`untildone ${fullName(command)} ${command.usage()}\``];
}

function takes(command: Command, shared: ReadonlySet<string>): string[] {
  const lines = linesOf(command);
  const own = lines.filter((line) => !shared.has(line));
  const names = lines.filter((line) => shared.has(line)).map(nameIn);
  const also = names.length === 0 ? [] : [`- ${names.join(', ')}`];
  return lines.length === 0 ? [] : [[...own, ...also].join('\n')];
}

function linesOf(command: Command): string[] {
  return [
    ...command.registeredArguments.map((argument) => `- ${nameOf(argument)}: ${cell(argument.description)}`),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => `- \`${option.flags}\`: ${wordsOf(option)}`),
  ];
}

function nameOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return `\`${argument.required ? `<${name}>` : `[${name}]`}\``;
}

function wordsOf({ argChoices, defaultValue, description }: Option): string {
  const unnamed = (argChoices ?? []).filter((each) => !description.includes(each));
  const choices =
    unnamed.length === 0 ? [] : [`one of ${argChoices?.map((each) => `\`${each}\``).join(', ')}`];
  const isUsual = defaultValue === undefined || defaultValue === false || Array.isArray(defaultValue);
  const isSaid = isUsual || description.includes('(default');
  const standard = isSaid ? [] : [`default \`${String(defaultValue)}\``];
  const more = [...choices, ...standard];
  return cell(more.length === 0 ? description : `${description} (${more.join('; ')})`);
}

function cell(words: string): string {
  return words.replace(/</g, '&lt;').replace(/\s+/g, ' ');
}

function sentence(words: string): string {
  const text = cell(words);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
