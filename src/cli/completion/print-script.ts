import { basename } from 'node:path';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { loopsAround, readLoops } from '../../engine/run/person/find-loop.ts';
import { out } from '../../engine/terminal/print.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CompletedCommand, SHELLS, type ShellName, type WhichLoops } from './model.ts';
import { zshCompletion } from './zsh.ts';

const SCRIPTS: Record<ShellName, (commands: readonly CompletedCommand[]) => string[]> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `untildone completion`. The script of a shell asks for `--loops` while you type. */
export function printScript(commands: () => readonly CompletedCommand[]) {
  return (shell: ShellName | undefined, { loops }: { loops?: WhichLoops }): void => {
    const lines =
      loops === undefined ? SCRIPTS[shell ?? ownShell(process.env.SHELL)](commands()) : loopLines(loops);
    for (const line of lines) out(line);
  };
}

function ownShell(path = ''): ShellName {
  const name = basename(path);
  const found = SHELLS.find((one) => one === name);
  if (found) return found;
  throw new UsageError(
    `name your shell: untildone completion ${SHELLS.join('|')} (docs/guides/completion.md says where the script goes)`,
  );
}

/** More than a shell can show; a loop is found by the beginning of its id, too. */
const MOST_LOOPS = 40;

/** The newest loops of this project: the id of each, and in a few words what it is. */
function loopLines(which: WhichLoops): string[] {
  const { store, project } = openProjectToRead();
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
