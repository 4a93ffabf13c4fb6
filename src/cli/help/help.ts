/** Lays groups, order, examples and exit codes of the catalogue over the commands. */
import { type Command, Help, type Option } from 'commander';
import { paint } from '../../engine/terminal/style.ts';
import { CATALOGUE, EVERYDAY, GROUPS, type Group } from './catalogue.ts';

const EVERY_DAY = 'Every day:';
const EVERYDAY_COUNT = 10;

const EVERYWHERE = `With every command:
  --no-color                        print without colours, as with NO_COLOR=1; FORCE_COLOR=1 asks for them
  --debug                           show the stack trace of an unexpected error

untildone COMMAND --help shows its options and examples. Exit codes: 0 yes or done, 1 no or not done,
2 refused or could not be judged, 3 a run ended and is not done (docs/reference/exit-codes.md).`;

/** How every help text is written. Set before the commands are added, which take it over. */
export const HELP_STYLE = {
  optionDescription: withoutFalse,
  styleTitle: (title: string) => paint('bold', title),
};

/** Leaves "(default: false)" out of the help: a switch that is not given is off. */
function withoutFalse(option: Option): string {
  return option.defaultValue === false ? option.description : new Help().optionDescription(option);
}

/** The full name of a command without the program's: `receipt verify`. */
export function nameOf(command: Command): string {
  const above = command.parent ? nameOf(command.parent) : '';
  return command.parent ? `${above} ${command.name()}`.trim() : '';
}

/** All commands below one, and the commands of these. */
export function allCommands(cli: Command): Command[] {
  return cli.commands.flatMap((command) => [command, ...allCommands(command)]);
}

/** Sorts the commands into their groups, the everyday ones first, and gives each its examples. */
export function arrangeHelp(cli: Command): void {
  for (const command of allCommands(cli)) addExamples(command);
  const everyday = EVERYDAY.filter((name) => cli.commands.some((c) => c.name() === name));
  const first = everyday.slice(0, EVERYDAY_COUNT);
  const groups = Object.keys(GROUPS) as Group[];
  const placeOf = (command: Command): number => {
    const at = first.indexOf(command.name());
    if (at >= 0) return at;
    const group = CATALOGUE[command.name()]?.group;
    return EVERYDAY_COUNT + (group === undefined ? groups.length : groups.indexOf(group));
  };
  for (const command of cli.commands) {
    const group = CATALOGUE[command.name()]?.group ?? 'upkeep';
    command.helpGroup(first.includes(command.name()) ? EVERY_DAY : GROUPS[group]);
  }
  // Commander shows groups in the order of their first command. The sort keeps the order inside of a group.
  (cli.commands as Command[]).sort((a, b) => placeOf(a) - placeOf(b));
  cli.commandsGroup(GROUPS.upkeep);
  cli.helpCommand('help [command]', 'show the help of a command');
  cli.addHelpText('after', () => `\n${EVERYWHERE}`);
}

function addExamples(command: Command): void {
  const { examples = [], exits = {} } = CATALOGUE[nameOf(command)] ?? {};
  const codes = Object.entries(exits);
  const lines = [
    ...(examples.length > 0 ? ['', paint('bold', 'Examples:')] : []),
    ...examples.flatMap(([line, does]) => [`  ${line}`, `      ${paint('quiet', does)}`]),
    ...(codes.length > 0 ? ['', paint('bold', 'Exit codes:')] : []),
    ...codes.map(([code, says]) => `  ${code.padEnd(3)}  ${says}`),
  ];
  if (lines.length > 0) command.addHelpText('after', lines.join('\n'));
}
