/** A remote, and machines with homes and caches of their own that know it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openRemoteRuns, type RemoteRunsOptions } from '../../../src/fleet/remote/open-remote-runs.ts';
import type { Refs, RemoteRuns } from '../../../src/fleet/remote/remote-runs.ts';
import { type BareRemote, makeRemote } from './remotes.ts';

export interface RemoteScene {
  folder: string;
  remote: BareRemote;
  /** A machine whose git knows no person. */
  machine(name: string, options?: Partial<RemoteRunsOptions>): RemoteRuns;
  envOf(name: string): NodeJS.ProcessEnv;
}

export function remoteScene(files?: Record<string, string>): RemoteScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-remote-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const remote = makeRemote(join(folder, 'origin.git'), files);
  const envOf = (name: string): NodeJS.ProcessEnv => {
    const home = join(folder, name, 'home');
    mkdirSync(home, { recursive: true });
    return {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    };
  };
  return {
    folder,
    remote,
    envOf,
    machine: (name, options) =>
      openRemoteRuns(remote.url, { caches: join(folder, name, 'caches'), env: envOf(name), ...options }),
  };
}

export const files = (text: string) => ({ spec: Buffer.from('spec'), 'journal.jsonl': Buffer.from(text) });

/** A run that was submitted, and where its refs are. */
export async function submitted(remoteRuns: RemoteRuns, commit: string, run = 'run-1'): Promise<Refs> {
  await remoteRuns.create(run, commit, files('submitted\n'));
  const read = await remoteRuns.read(run);
  if (!read) throw new Error(`${run} was not created`);
  return read.refs;
}

export function gitIn(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Session', '-c', 'user.email=session@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}
