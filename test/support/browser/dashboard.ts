/** The dashboard over a home: in this process with a clock of its own, or as the process that a person starts. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { type Dashboard, serveDashboard } from '../../../src/read/dashboard/server/serve.ts';
import type { DashboardPorts } from '../../../src/read/dashboard/server/world.ts';
import { BIN } from '../live/untildone.ts';
import type { ExampleHome } from './examples.ts';

const PAGE = resolve('dist/dashboard');

/** Serves what lies in this home. All its sessions count as held. */
export function serveHome(
  { home, root }: ExampleHome,
  now: () => number,
  more: Partial<DashboardPorts> = {},
): Promise<Dashboard> {
  const env = { PATH: process.env.PATH, HOME: root, UNTILDONE_HOME: home.root };
  const world: DashboardPorts = {
    home,
    env,
    clock: { now },
    version: '0.1.0',
    only: [],
    hooksAt: () => ({ held: true }),
    turnEndOf: () => undefined,
    open: () => ({ ...openPorts(home, env, async () => judgeBundle), home, project: root, env }),
    sessions: async () => undefined,
    ...more,
  };
  return serveDashboard({ host: '127.0.0.1', port: 0, pageFolder: PAGE }, world);
}

export interface DashboardProcess {
  url: string;
  end(): Promise<void>;
}

/** `untildone dashboard`, as a person in a terminal of their own starts it. */
export async function startDashboard(
  env: Record<string, string>,
  cwd: string,
  flags: readonly string[] = [],
): Promise<DashboardProcess> {
  const child = spawn(process.execPath, [BIN, 'dashboard', '--port', '0', '--json', ...flags], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  const line = await new Promise<string>((done, fail) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', done);
    child.once('close', (code) => fail(new Error(`the dashboard ended with ${code}: ${stderr}`)));
  });
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
