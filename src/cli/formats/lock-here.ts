import { basename } from 'node:path';
import { prepareHome } from '../../engine/client/settings/files.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { warnWithoutHooks } from '../../engine/hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { sessionFolder } from '../../engine/hook/wiring/project.ts';
import { openProject, openProjectToRead, type ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { continuationFrom, type LockPlace, lockOff, lockOn, lockStatus } from './lock.ts';

interface OnFlags {
  goal?: string;
  message?: string;
  continuation?: string;
  continuationFile?: string;
  session?: string;
  renew: boolean;
}

/** `untildone lock on`. */
export function on({ continuationFile, ...flags }: OnFlags): void {
  const inside = process.env.CLAUDE_CODE_SESSION_ID || undefined;
  const session = flags.session ?? inside;
  const world = openProject(session);
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

/** `untildone lock off`. */
export function off(): void {
  const world = openProject();
  refuseInsideClient('lock off', world.home, process.env);
  lockOff(foreignPlaceOf(world), out);
}

/** `untildone lock status`. */
export function show({ json }: { json: boolean }): void {
  lockStatus(json, foreignPlaceOf(openProjectToRead()), out);
}

/** Finds the folder of the lock: where its session was started, which may be a package of the project. */
function foreignPlaceOf(
  { store, home, clock }: ProjectPorts,
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

function endingOf(dir: string, store: ProjectPorts['store']): string | undefined {
  try {
    const state = store.read({ loop: basename(dir), dir });
    return hasEnded(state) ? state.status : undefined;
  } catch {
    // `untildone status` shows a journal that cannot be read.
    return undefined;
  }
}
