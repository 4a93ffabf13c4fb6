/** `untildone demo`, as a person starts it on a machine that holds nothing else. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { type Simulator, startSimulator } from '../../../src/dev/simulator/server.ts';
import { findClaude } from '../../../src/engine/client/sdk/find-client.ts';
import { endProcessesOf } from './processes.ts';
import { BIN } from './untildone.ts';

export const CLAUDE = findClaude(undefined, { preferBundled: true })?.path ?? '';

/** A person's machine: a home, a folder for temporary files, and the folder they are in; all with spaces, all empty. */
export interface Person {
  root: string;
  home: string;
  temporary: string;
  cwd: string;
  env: Record<string, string>;
}

export function person(env: Record<string, string> = {}): Person {
  const root = mkdtempSync(join(tmpdir(), 'untildone a person-'));
  const [home, temporary, cwd] = ['home', 'temporary files', 'some folder'].map((name) => join(root, name));
  if (!home || !temporary || !cwd) throw new Error('three folders');
  for (const folder of [home, temporary, cwd]) mkdirSync(folder);
  onTestFinished(async () => {
    await endProcessesOf(root);
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  return {
    root,
    home,
    temporary,
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temporary, ...env },
  };
}

export function startDemo({ cwd, env }: Person, args: string[], bin = BIN): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [bin, 'demo', ...args], { cwd, env });
}

export async function endOf(child: ChildProcessWithoutNullStreams) {
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr, missed: missedIn(stdout) };
}

export function demo(who: Person, args: string[] = [], bin = BIN) {
  return endOf(startDemo(who, args, bin));
}

/** The steps below the last heading: those that did not happen. */
function missedIn(stdout: string): string[] {
  const [, missed = ''] = stdout.split(/\d+ of \d+ steps did NOT happen:\n/);
  return missed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A client that differs from the real one in one way. */
export function clientThat(who: Person, script: string): string {
  const path = join(who.root, 'claude that differs');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

export const REAL_CLIENT = `'${CLAUDE}' "$@"`;

export async function simulatorWith(script: Script): Promise<Simulator> {
  const simulator = await startSimulator({ script });
  onTestFinished(() => simulator.close());
  return simulator;
}
