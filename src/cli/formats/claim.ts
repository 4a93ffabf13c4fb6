import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { ALL_FORMATS } from '../../engine/formats/all.ts';
import {
  FORMAT_NAMES,
  type ForeignLoop,
  type StateFormat,
  type StatePlace,
} from '../../engine/formats/format.ts';
import { claimFiles } from '../../engine/home/claims.ts';
import type { Home } from '../../engine/home/layout.ts';
import type { FileStore } from '../../engine/home/store.ts';
import { recordTrust } from '../../engine/home/trust.ts';
import { ownerFrom, transcriptSoFar } from '../../engine/hook/start/inputs.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { stateFingerprint } from '../../engine/hook/wiring/foreign.ts';
import { openProject, type ProjectPorts, placeHere } from '../../engine/hook/wiring/project-ports.ts';
import { foreignFiles } from '../../engine/project/files.ts';
import { out } from '../../engine/terminal/print.ts';

/** `untildone claim`. */
export function claimHere(format: string | undefined, { session }: { session?: string }): void {
  const world = openProject(session);
  refuseInsideClient('claim', world.home, process.env);
  const given = session === undefined ? undefined : ownerFrom(session, process.env);
  claim(format, given, placeHere(world, session), world, out);
}

/** Lets a state file hold a session, because you say so. Also for state that came with the repository. */
export function claim(
  name: string | undefined,
  given: string | undefined,
  place: Omit<StatePlace, 'session'>,
  world: Pick<ProjectPorts, 'home' | 'store' | 'clock' | 'env'>,
  out: (line: string) => void,
): void {
  if (name !== undefined && !(FORMAT_NAMES as readonly string[]).includes(name)) {
    throw new UsageError(`"${name}" is no format; type one of: ${FORMAT_NAMES.join(', ')}`);
  }
  const session = given ?? onlySession(world, place.folder);
  const found = ALL_FORMATS.filter((d) => name === undefined || d.name === name).flatMap((format) => {
    const loop = readAt(format, { ...place, session });
    return loop ? [{ format, ...loop }] : [];
  });
  const [one, second] = found;
  if (!one) {
    throw new UsageError(`there is no state file ${name ? `of ${name} ` : ''}in ${place.folder} to claim`);
  }
  if (second) {
    const names = found.map((f) => f.format.name).join(', ');
    throw new UsageError(
      `there are several state files: ${names}; name one, for example: untildone claim ${one.format.name}`,
    );
  }
  bind(one, session, place, world);
  out(`${one.path} holds session ${session} from its next stop on.`);
}

interface ClaimableState {
  format: StateFormat;
  path: string;
  loop: ForeignLoop;
}

function readAt(format: StateFormat, place: StatePlace): { path: string; loop: ForeignLoop } | undefined {
  const path = format.path(place);
  if (path === undefined) return undefined;
  const reading = format.read(place, foreignFiles);
  if (reading.kind === 'unusable') throw new UsageError(`${reading.problem}; nothing was claimed`);
  return reading.kind === 'loop' ? { path, loop: reading.loop } : undefined;
}

function bind(
  { format, path, loop }: ClaimableState,
  session: string,
  place: Omit<StatePlace, 'session'>,
  { home, store, clock, env }: Pick<ProjectPorts, 'home' | 'store' | 'clock' | 'env'>,
): void {
  if (loop.owner !== undefined && loop.owner !== session) {
    throw new UsageError(
      `${path} names session ${loop.owner} itself: change that in the file, or type: --session ${loop.owner}`,
    );
  }
  if (loop.rest !== undefined) throw new UsageError(`${path} asks for nothing: ${loop.rest}`);
  recordTrust(home, place.folder, stateFingerprint({ format, path, reading: loop }), clock.now());
  claimFiles(home).change(path, (current) => {
    const active = current?.identity === loop.identity ? activeLoop(current.loopDir, store) : undefined;
    if (active && current?.session === session) return current;
    if (active) {
      const soFar = transcriptSoFar(session, env);
      store.append(active, () => ({ kind: 'claimed', session, ...soFar }));
    }
    return {
      v: 1,
      dialect: format.name,
      path,
      identity: loop.identity,
      session,
      loopDir: active?.dir,
    };
  });
  store.mark(session, true);
}

function activeLoop(
  loopDir: string | undefined,
  store: FileStore,
): { loop: string; dir: string } | undefined {
  if (loopDir === undefined) return undefined;
  const ref = { loop: basename(loopDir), dir: loopDir };
  return hasEnded(store.read(ref)) ? undefined : ref;
}

/** Finds the session when only one runs in this folder. */
function onlySession({ home, store }: { home: Home; store: FileStore }, folder: string): string {
  const running = recordedSessions(home).filter(
    (session) => store.projectOfSession(session) === folder && store.clientOf(session) === 'there',
  );
  const [only, second] = running;
  if (only !== undefined && second === undefined) return only;
  const which =
    running.length === 0 ? 'no session is known to run here' : `several run here: ${running.join(', ')}`;
  throw new UsageError(`${which}; name it: untildone claim --session ID (shown by /status in Claude Code)`);
}

function recordedSessions(home: Home): string[] {
  try {
    return readdirSync(home.sessions).flatMap((name) => (name.endsWith('.at') ? [name.slice(0, -3)] : []));
  } catch {
    return [];
  }
}
