/** `untildone dashboard`: serves the page until you press Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { HooksState } from '../client/settings/would-run.ts';
import { UsageError } from '../core/text/errors.ts';
import { escapedJson } from '../core/text/visible.ts';
import { EXIT } from '../core/words/exit-codes.ts';
import { homeFrom, realPath } from '../home/layout.ts';
import { thisProgram, VERSION } from '../home/program.ts';
import { refuseInsideClient } from '../hook/start/person.ts';
import { openWorld, openWorldToRead } from '../hook/wiring/world.ts';
import { hooksStateOf } from '../run/person/hooks-state.ts';
import { turnEnds } from '../run/person/turn-ends.ts';
import { watchInterruption } from '../terminal/interruption.ts';
import { out, warn } from '../terminal/print.ts';
import { isLoopback } from './server/guard.ts';
import { claudeSessions } from './server/other-sessions.ts';
import { type Dashboard, serveDashboard, USUAL_PORT } from './server/serve.ts';
import type { DashboardWorld } from './server/world.ts';

export interface DashboardFlags {
  port?: number;
  host: string;
  open: boolean;
  project?: string[];
  token?: string;
  json: boolean;
}

/** Returns the exit code of the interruption. */
export async function dashboard(flags: DashboardFlags): Promise<number> {
  const { env } = process;
  const home = homeFrom(env);
  // Who has the link may do what only a person may.
  refuseInsideClient('dashboard', home, env);
  openWorldToRead();
  const interruption = watchInterruption();
  const world = dashboardWorld(env, (flags.project ?? []).map(existing));
  const served = await serve(flags, world);
  if (flags.json) out(escapedJson(JSON.stringify({ url: served.url, pid: process.pid })));
  else sayLink(flags, served);
  if (flags.open) openBrowser(served.onceUrl(), env);
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  await served.close();
  // Ctrl-C is how it ends.
  return interruption.exitCode() === EXIT.interrupted ? EXIT.ok : (interruption.exitCode() ?? EXIT.ok);
}

/** Where no port is named, a free one does as well: another dashboard may have the usual one. */
async function serve(flags: DashboardFlags, world: DashboardWorld): Promise<Dashboard> {
  const pageFolder = join(dirname(thisProgram().hookEntry), 'dashboard');
  const options = { host: flags.host, token: flags.token, pageFolder };
  if (flags.port !== undefined) return serveDashboard({ ...options, port: flags.port }, world);
  try {
    return await serveDashboard({ ...options, port: USUAL_PORT }, world);
  } catch (error) {
    if (!(error instanceof UsageError && /^port /.test(error.message))) throw error;
    return serveDashboard({ ...options, port: 0 }, world);
  }
}

function sayLink({ host }: DashboardFlags, { url, port }: Dashboard): void {
  out(`The dashboard, until you press Ctrl-C: ${url}`);
  out('The link is for you alone: who has it can pause, cancel and answer your loops.');
  if (isLoopback(host)) return;
  warn(
    `Every machine that reaches this one can ask for this page on port ${port}. Only the token keeps others out, and nothing is encrypted on the way: use it in a network that you trust, or through ssh (ssh -L ${port}:127.0.0.1:${port} this-machine).`,
  );
}

function existing(folder: string): string {
  const path = realPath(resolve(folder));
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--project ${folder}: there is no such folder`);
}

const HOOKS_MS = 5_000;

export function dashboardWorld(env: NodeJS.ProcessEnv, only: readonly string[]): DashboardWorld {
  const home = homeFrom(env);
  const clock = { now: () => Date.now() };
  const known = new Map<string, { at: number; state: HooksState }>();
  return {
    ...{ home, env, clock, only, version: VERSION },
    // Settings are asked about for every loop, and change rarely.
    hooksAt(project) {
      const kept = known.get(project);
      if (kept && clock.now() - kept.at < HOOKS_MS) return kept.state;
      const state = hooksStateOf(project, env);
      known.set(project, { at: clock.now(), state });
      return state;
    },
    turnEndOf: (session) => turnEnds(home, env, clock.now())(session),
    open: () => openWorld(undefined),
    sessions: claudeSessions(env),
  };
}

/** The link works once, so that it is worth nothing to who reads the command line of the browser. */
function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['explorer', [url]]
        : ['xdg-open', [url]];
  const child = spawn(command, args, { env, stdio: 'ignore', detached: true });
  child.on('error', () =>
    warn(`No browser could be opened (${command} is missing): open the link yourself.`),
  );
  child.unref();
}
