import { basename } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { hasEnded } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { loopsAround, readLoops } from '../../hook/start/find-loop.ts';
import { openWorldToRead } from '../../hook/wiring/world.ts';
import { out } from '../../terminal/print.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completedCommands, type WhichLoops } from './model.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type ShellName = keyof typeof SHELLS;
const NAMES = Object.keys(SHELLS) as ShellName[];

/** Adds `completion`, which prints a script for a shell. The script asks it for ids of loops while you type. */
export function addCompletionCommand(cli: Command): void {
  cli
    .command('completion')
    .description('print a script with which your shell completes commands, options, their values and loops')
    .addArgument(new Argument('[shell]', 'your shell (default: the one that SHELL names)').choices(NAMES))
    .addOption(new Option('--loops <which>').choices(['unfinished', 'all']).hideHelp())
    .action((shell: ShellName | undefined, { loops }: { loops?: WhichLoops }) => {
      if (loops !== undefined) {
        for (const line of loopLines(loops)) out(line);
        return;
      }
      for (const line of SHELLS[shell ?? ownShell(process.env.SHELL)](completedCommands(cli))) out(line);
    });
}

function ownShell(path = ''): ShellName {
  const name = basename(path);
  const found = NAMES.find((one) => one === name);
  if (found) return found;
  throw new UsageError(
    `name your shell: untildone completion ${NAMES.join('|')} (docs/guides/completion.md says where the script goes)`,
  );
}

/** More than a shell can show; a loop is found by the beginning of its id, too. */
const MOST_LOOPS = 40;

/** The newest loops of this project: the id of each, and in a few words what it is. */
function loopLines(which: WhichLoops): string[] {
  const { store, project } = openWorldToRead();
  const newest = loopsAround(store, project)
    .sort((a, b) => (a.loop < b.loop ? 1 : -1))
    .slice(0, MOST_LOOPS);
  return readLoops(store, newest).flatMap((found) => {
    if (!('state' in found)) return [`${found.ref.loop}  unreadable`];
    if (which === 'unfinished' && hasEnded(found.state)) return [];
    const task = oneLine(store.task(found.ref).slice(0, 200), 60);
    return [`${found.ref.loop}  ${found.state.status}: ${task}`];
  });
}
