import { type ChildProcess, spawn } from 'node:child_process';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { cleanEnvironment } from '../../../src/engine/client/sdk/find-client.ts';
import type { Scene } from './scene.ts';
import { BIN } from './untildone.ts';

export interface RunProcess {
  child: ChildProcess;
  ended: Promise<RunEnd>;
  requests(): string[];
  /** What it has printed so far. */
  said(): string;
}

export interface RunEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** What the model was asked, each request as JSON. */
  requests: string[];
}

let started = 0;

/** `untildone run`, as a person in a terminal of their own starts it. All sessions play one script after another. */
export function startRun(
  scene: Scene,
  args: string[],
  script: Script | string,
  env: Record<string, string> = {},
): RunProcess {
  const name = typeof script === 'string' ? script : `run-${++started}`;
  if (typeof script !== 'string') scene.simulator.load(name, script);
  const extra = { UNTILDONE_HOME: scene.untildoneHome, TMPDIR: `${scene.root}/tmp`, ...env };
  const child = spawn(process.execPath, [BIN, 'run', ...args], {
    cwd: scene.project,
    env: cleanEnvironment({ home: scene.home, baseUrl: scene.simulator.urlFor(name), extra }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const requests = () => scene.simulator.requests(name).map((r) => JSON.stringify(r.body));
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  const ended = new Promise<RunEnd>((done) => {
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr, requests: requests() }));
  });
  return { child, ended, requests, said: () => stdout };
}
