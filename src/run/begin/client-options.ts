import { join } from 'node:path';
import type { RunRules } from '../../core/contract/contract.ts';
import { defined } from '../../core/text/defined.ts';
import { UsageError } from '../../core/text/errors.ts';
import { readSmall } from '../../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from '../../home/layout.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { RunGit } from '../git/commit-progress.ts';
import type { RunReporter } from '../reporter.ts';
import type { Interrupts } from './interrupts.ts';

/** How the sessions of a run are started. */
export interface ClientOptions {
  model?: string;
  permissionMode: string;
  allow: string[];
  maxTurns?: number;
  sessionMs?: number;
  idleMs: number;
  /** Added to the client's own. */
  systemPrompt?: string;
  /** Other options of the Agent SDK. */
  client?: Record<string, unknown>;
}

/** Headless sessions may write files of the project and nothing more, unless a person says otherwise. */
const DEFAULT_CLIENT: ClientOptions = {
  permissionMode: 'acceptEdits',
  allow: [],
  idleMs: 15 * 60_000,
};

/** What was said when the run was started wins over the contract. Rules of both are allowed; so are options of the SDK. */
export function clientFor(given: Partial<ClientOptions>, rules: RunRules = {}): ClientOptions {
  const { mode: _, freshEvery: __, ...said } = rules;
  return {
    ...DEFAULT_CLIENT,
    ...defined(said),
    ...defined(given),
    allow: [...new Set([...(said.allow ?? []), ...(given.allow ?? [])])],
    client: { ...said.client, ...given.client },
  };
}

/** Not even a person may: every command of a session would run as root. */
export function refuseRoot(mode: string | undefined): void {
  if (mode === 'bypassPermissions' && process.getuid?.() === 0) {
    throw new UsageError(
      'bypassPermissions is refused for root: run as another user, or name what is allowed with --allow',
    );
  }
}

const FILE = 'run-options.json';

/** Kept with the run: whoever goes on with it need not know how it was started. Sealed: an agent must not widen it. */
export function clientFile(options: ClientOptions, loop: string, home: Home): { name: string; text: string } {
  return { name: FILE, text: sealedJson(options, purposeOf({ loop }), readKey(home)) };
}

/** Of a run that goes on; one that a session handed over was never started with any, so its contract says them. */
export function keptClient(ref: LoopRef, rules: RunRules | undefined, home: Home): ClientOptions {
  const text = readSmall(join(ref.dir, FILE));
  const stored =
    text === undefined ? undefined : unsealedJson<ClientOptions>(text, purposeOf(ref), readKey(home));
  return stored ?? clientFor({}, rules);
}

/** Held by whoever drives the run. */
export function driverLock(ref: LoopRef): string {
  return join(ref.dir, 'run.lock');
}

function purposeOf(ref: Pick<LoopRef, 'loop'>): string {
  return `options of run ${ref.loop}`;
}

/** Who watches a run, and what it is driven with. */
export interface RunObservers {
  world: World;
  reporter: RunReporter;
  interrupts: Interrupts;
}

export interface Driving extends RunObservers {
  ref: LoopRef;
  client: ClientOptions;
  git: RunGit | undefined;
}
