/** `untildone dashboard`: serves the page until you press Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../engine/core/text/errors.ts';
import { escapedJson } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { homeFrom, realPath } from '../../engine/home/layout.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { watchInterruption } from '../../engine/terminal/interruption.ts';
import { out, warn } from '../../engine/terminal/print.ts';
import { fleetWorld } from './fleet-wiring.ts';
import { isLoopback } from './server/guard.ts';
import { type Dashboard, serveDashboard, USUAL_PORT } from './server/serve.ts';
import type { DashboardPorts } from './server/world.ts';
import { dashboardWorld } from './wiring.ts';

export interface DashboardFlags {
  port?: number;
  host: string;
  open: boolean;
  project?: string[];
  /** True: that of the environment. */
  queue?: string | true;
  token?: string;
  json: boolean;
}

/** Returns the exit code of the interruption. */
export async function dashboard(flags: DashboardFlags): Promise<number> {
  const { env } = process;
  const home = homeFrom(env);
  // Who has the link may do what only a person may.
  refuseInsideClient('dashboard', home, env);
  if (flags.queue === undefined) openProjectToRead();
  const interruption = watchInterruption();
  const world = await worldFor(flags, env);
  const served = await serve(flags, world).catch(async (error) => {
    await world.fleet?.close();
    throw error;
  });
  if (flags.json) out(escapedJson(JSON.stringify({ url: served.url, pid: process.pid })));
  else sayLink(flags, served);
  if (flags.open) openBrowser(served.onceUrl(), env);
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  await served.close();
  await world.fleet?.close();
  // Ctrl-C is how it ends.
  return interruption.exitCode() === EXIT.interrupted ? EXIT.ok : (interruption.exitCode() ?? EXIT.ok);
}

/** The loops of this machine, or the runs of a fleet. */
async function worldFor(
  { queue, project = [] }: DashboardFlags,
  env: NodeJS.ProcessEnv,
): Promise<DashboardPorts> {
  if (queue === undefined) return dashboardWorld(env, project.map(existing));
  if (project.length > 0)
    throw new UsageError(
      '--project names folders of this machine: it does not go with --queue, which shows a fleet',
    );
  return fleetWorld(env, queue === true ? undefined : queue);
}

/** Where no port is named, a free one does as well: another dashboard may have the usual one. */
async function serve(flags: DashboardFlags, world: DashboardPorts): Promise<Dashboard> {
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

/** The link works once, so that it is worth nothing to who reads the command line of the browser. */
function openBrowser(url: string, env: NodeJS.ProcessEnv, platform = process.platform): void {
  const [command, args] =
    platform === 'darwin'
      ? ['open', [url]]
      : platform === 'win32'
        ? ['explorer', [url]]
        : ['xdg-open', [url]];
  const child = spawn(command, args, { env, stdio: 'ignore', detached: true });
  child.on('error', () =>
    warn(`No browser could be opened (${command} is missing): open the link yourself.`),
  );
  child.unref();
}
