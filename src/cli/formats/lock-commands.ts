import { basename } from 'node:path';
import type { Command } from 'commander';
import { prepareHome } from '../../client/settings/files.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { thisProgram } from '../../home/program.ts';
import { warnWithoutHooks } from '../../hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { sessionFolder } from '../../hook/wiring/project.ts';
import { openWorld, openWorldToRead, type World } from '../../hook/wiring/world.ts';
import { out } from '../../terminal/print.ts';
import { value } from '../flags.ts';
import { continuationFrom, type LockPlace, lockOff, lockOn, lockStatus } from './lock.ts';

interface OnFlags {
  goal?: string;
  message?: string;
  continuation?: string;
  continuationFile?: string;
  session?: string;
  renew: boolean;
}

export function addLockCommands(cli: Command): void {
  const lock = cli.command('lock').description('hold a session until you unlock it (lock mode)');
  lock
    .command('on')
    .description('hold a session: makes .claude/runtime/locks/.lock_active')
    .option('--goal <text>', 'the goal of the session', value)
    .option('--message <text>', 'what else the agent is told each time', value)
    .option('--continuation <text>', 'what the agent is told instead of the usual sentence', value)
    .option('--continuation-file <file>', 'the same, read from a file, - for stdin', value)
    .option('--session <id>', 'the session it holds (default: this one, else the first that stops)', value)
    .option('--renew', 'begin anew with the lock that is there: its time and iterations count from 0', false)
    .action(on);
  lock
    .command('off')
    .description('remove the lock and the files beside it (for you, not for the agent)')
    .action(() => {
      const world = openWorld();
      refuseInsideClient('lock off', world.home, process.env);
      lockOff(foreignPlaceOf(world), out);
    });
  lock
    .command('status')
    .description('show whether there is a lock, since when, until when, and which session it holds')
    .option('--json', 'print JSON', false)
    .action(({ json }: { json: boolean }) => lockStatus(json, foreignPlaceOf(openWorldToRead()), out));
}

function on({ continuationFile, ...flags }: OnFlags): void {
  const inside = process.env.CLAUDE_CODE_SESSION_ID || undefined;
  const session = flags.session ?? inside;
  const world = openWorld(session);
  if (flags.session !== undefined && flags.session !== inside)
    refuseInsideClient('lock on --session', world.home, process.env);
  if (flags.renew) refuseInsideClient('lock on --renew', world.home, process.env);
  const continuation = continuationFrom(flags.continuation, continuationFile);
  prepareHome(world.home.root, thisProgram());
  const place = foreignPlaceOf(world, session);
  lockOn(
    {
      ...flags,
      ...(session === undefined ? {} : { session }),
      ...(continuation === undefined ? {} : { continuation }),
    },
    place,
    out,
  );
  warnWithoutHooks({ project: place.folder, session: session ?? '' }, world, out);
}

/** Finds the folder of the lock: where its session was started, which may be a package of the project. */
function foreignPlaceOf(
  { store, home, clock }: World,
  session = process.env.CLAUDE_CODE_SESSION_ID,
): LockPlace {
  const started = session ? store.projectOfSession(session) : undefined;
  return {
    folder: sessionFolder(started, process.env, process.cwd()),
    home,
    now: clock.now(),
    endingOf: (dir) => endingOf(dir, store),
  };
}

function endingOf(dir: string, store: World['store']): string | undefined {
  try {
    const state = store.read({ loop: basename(dir), dir });
    return hasEnded(state) ? state.status : undefined;
  } catch {
    // `untildone status` shows a journal that cannot be read.
    return undefined;
  }
}
