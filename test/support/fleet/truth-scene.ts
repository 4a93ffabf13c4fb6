/** A remote, and machines with homes and caches of their own that know it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openTruth, type TruthOptions } from '../../../src/fleet/truth/open-truth.ts';
import type { Refs, Truth } from '../../../src/fleet/truth/truth.ts';
import { type BareRemote, makeRemote } from './remotes.ts';

export interface TruthScene {
  folder: string;
  remote: BareRemote;
  /** A machine whose git knows no person. */
  machine(name: string, options?: Partial<TruthOptions>): Truth;
  envOf(name: string): NodeJS.ProcessEnv;
}

export function truthScene(files?: Record<string, string>): TruthScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-truth-')));
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
      openTruth(remote.url, { caches: join(folder, name, 'caches'), env: envOf(name), ...options }),
  };
}

export const files = (text: string) => ({ spec: Buffer.from('spec'), 'journal.jsonl': Buffer.from(text) });

/** A run that was submitted, and where its refs are. */
export async function submitted(truth: Truth, commit: string, run = 'run-1'): Promise<Refs> {
  await truth.create(run, commit, files('submitted\n'));
  const read = await truth.read(run);
  if (!read) throw new Error(`${run} was not created`);
  return read.refs;
}

export function gitIn(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Session', '-c', 'user.email=session@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}
