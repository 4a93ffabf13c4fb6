import type { Command } from 'commander';
import { prepareHome } from '../../client/settings/files.ts';
import { hookScript } from '../../home/hook-line.ts';
import { ownerFrom } from '../../hook/start/inputs.ts';
import { warnWithoutHooks } from '../../hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { openWorld, placeHere } from '../../hook/wiring/world.ts';
import { out } from '../../terminal/print.ts';
import { thisInstallation } from '../install/commands.ts';
import { claim } from './claim.ts';
import { cancelRalph, parseRalphArguments, startRalph } from './ralph.ts';

/** The arguments as they were typed, `--` included. */
function wordsAfter(command: Command): string[] {
  const typed = (command.parent as (Command & { rawArgs?: string[] }) | null)?.rawArgs ?? [];
  const at = typed.indexOf(command.name());
  return at < 0 ? command.args : typed.slice(at + 1);
}

/** Commands for state that other systems made: ralph-loop's own two, and `claim` for all of them. */
export function addForeignCommands(cli: Command): void {
  cli
    .command('ralph-loop')
    .description(
      'start a ralph loop in this session: PROMPT... [--max-iterations N] [--completion-promise TEXT] [--no-safety-stop]',
    )
    .argument('[words...]')
    .allowUnknownOption()
    .action((_words: string[], _flags: unknown, command: Command) => {
      const args = parseRalphArguments(wordsAfter(command));
      const session = ownerFrom(args.session, process.env);
      const world = openWorld(session);
      if (session !== process.env.CLAUDE_CODE_SESSION_ID)
        refuseInsideClient('ralph-loop --session', world.home, process.env);
      prepareHome(world.home.root, hookScript(thisInstallation()));
      const { folder } = placeHere(world, session);
      startRalph(args, { session, folder }, world.clock.now(), out);
      warnWithoutHooks({ project: folder, session }, world, out);
    });
  cli
    .command('cancel-ralph')
    .description('end the ralph loop of this project')
    .action(() => {
      const world = openWorld();
      const session = process.env.CLAUDE_CODE_SESSION_ID;
      cancelRalph(world, { session, folder: placeHere(world, session).folder }, out);
    });
  cli
    .command('claim')
    .description('bind a state file that names no session, or came with the repository, to a session')
    .argument('[format]', 'ralph-loop, feature-list, verified-done or lock, where there are several')
    .option('--session <id>', 'the session (default: the only one that runs in this folder)')
    .action((format: string | undefined, { session }: { session?: string }) => {
      const world = openWorld(session);
      refuseInsideClient('claim', world.home, process.env);
      const given = session === undefined ? undefined : ownerFrom(session, process.env);
      claim(format, given, placeHere(world, session), world, out);
    });
}
