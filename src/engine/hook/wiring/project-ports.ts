import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../core/text/errors.ts';
import type { StatePlace } from '../../formats/format.ts';
import { createHome, type Home, homeFrom } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { Ports } from '../../judging/ports.ts';
import { foreignPlaceOf } from './detect-foreign-state.ts';
import { type JudgeBundle, loadFormatsBundle, loadJudgeBundle } from './load-bundles.ts';
import { openPortsBeside } from './ports-beside.ts';
import { projectOf } from './project.ts';
import { queueEnding } from './reflection.ts';

/** What the commands work with: the ports of every event, with the home and the project that they are about. */
export interface ProjectPorts extends Ports {
  store: FileStore;
  home: Home;
  project: string;
  env: NodeJS.ProcessEnv;
}

/** The project is that of the given session, else of the session this runs in, else of the current folder. */
export function openProject(session = process.env.CLAUDE_CODE_SESSION_ID): ProjectPorts {
  return openProjectWith(process.env, loadJudgeBundle, (ports) => projectHere(ports, session));
}

/** The same for commands that only show something: it makes no home. */
export function openProjectToRead(session = process.env.CLAUDE_CODE_SESSION_ID): ProjectPorts {
  const home = homeFrom(process.env);
  refuseHiddenHome(home, process.env);
  try {
    readdirSync(home.root);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(error as Error);
  }
  return portsIn(home, process.env, loadJudgeBundle, (ports) => projectHere(ports, session));
}

function projectHere({ store }: { store: FileStore }, session: string | undefined): string {
  const recorded = session ? store.projectOfSession(session) : undefined;
  return projectOf(recorded, process.env, process.cwd());
}

export function openProjectWith(
  env: NodeJS.ProcessEnv,
  load: () => Promise<JudgeBundle>,
  projectIn: (ports: { store: FileStore }) => string,
): ProjectPorts {
  const home = homeFrom(env);
  refuseHiddenHome(home, env);
  try {
    createHome(home);
  } catch (error) {
    throw unusable(error as Error);
  }
  return portsIn(home, env, load, projectIn);
}

/** Within walls an empty folder lies over the home: what a command writes there vanishes with it. */
function refuseHiddenHome({ root, keyFile }: Home, env: NodeJS.ProcessEnv): void {
  // Claude Code sets the first for commands in its sandbox, untildone the second for commands of gates.
  if (env.SANDBOX_RUNTIME === undefined && env.UNTILDONE_GATE === undefined) return;
  try {
    const isOver = statSync(root).dev !== statSync(dirname(root)).dev;
    if (!isOver || existsSync(keyFile)) return;
  } catch {
    return;
  }
  throw new UsageError(
    `the sandbox of this shell hides the home of untildone (${root}): a person types the same after "! " in the prompt of the session, or in a terminal`,
  );
}

function unusable({ message }: Error): UsageError {
  return new UsageError(
    `the home of untildone cannot be used (${message}); name another: UNTILDONE_HOME=/some/folder`,
  );
}

function portsIn(
  home: Home,
  env: NodeJS.ProcessEnv,
  load: () => Promise<JudgeBundle>,
  projectIn: (ports: { store: FileStore }) => string,
): ProjectPorts {
  const ports = openPortsBeside({
    home,
    env,
    load,
    loadFormats: loadFormatsBundle,
    // Commands answer no events, runs do.
    others: async () => ({ ...(await import('./session.ts')), queueEnding }),
  });
  return { ...ports, home, project: projectIn(ports), env };
}

/** Where the foreign state of a session would be; of the current folder without a session. */
export function placeHere({ store, clock, env }: ProjectPorts, session: string | undefined): StatePlace {
  const recorded = session ? store.projectOfSession(session) : undefined;
  return foreignPlaceOf({ session: session ?? '', cwd: process.cwd() }, recorded, env, clock.now());
}
