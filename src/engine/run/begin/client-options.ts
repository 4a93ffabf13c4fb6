import { join } from 'node:path';
import type { RunRules } from '../../core/contract/contract.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { defaultsOf, onlyIn, type SessionRules } from '../../core/run/options.ts';
import { defined } from '../../core/text/defined.ts';
import { UsageError } from '../../core/text/errors.ts';
import { readSmall } from '../../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from '../../home/layout.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { RunWorld } from '../driver/run-loop.ts';
import type { RunGit } from '../git/commit-progress.ts';
import type { RunReporter } from '../reporter.ts';
import type { Interrupts } from './interrupts.ts';

/** How the sessions of a run are started. */
export interface ClientOptions extends SessionRules {
  permissionMode: string;
  allow: string[];
  idleMs: number;
  /** Other options of the Agent SDK. */
  client?: Record<string, unknown>;
}

/** Sessions of a run may write files of the project and nothing more, unless the user says otherwise. */
const DEFAULT_CLIENT: ClientOptions = { allow: [], ...defaultsOf('client') };

/** Options of the command win over the contract. Permission rules and options of the SDK are taken from both. */
export function clientFor(given: Partial<ClientOptions>, rules: RunRules = {}): ClientOptions {
  return {
    ...DEFAULT_CLIENT,
    ...onlyIn('client', rules),
    ...defined(given),
    allow: [...new Set([...(rules.allow ?? []), ...(given.allow ?? [])])],
    client: { ...rules.client, ...given.client },
  };
}

/** Refuses even users: every command of a session would run as root, without a question. */
export function refuseRoot(mode: string | undefined): void {
  if (mode === 'bypassPermissions' && process.getuid?.() === 0) {
    throw new UsageError(
      'bypassPermissions is refused for root: run as another user, or name what is allowed with --allow',
    );
  }
}

const FILE = 'run-options.json';

/** The options as a file of the run, for --resume. Sealed, so that an agent cannot widen its permissions. */
export function clientFile(options: ClientOptions, loop: string, home: Home): { name: string; text: string } {
  return { name: FILE, text: sealedJson(options, purposeOf({ loop }), readKey(home)) };
}

/** The options of a run that goes on. A run that came out of a session has none, so its contract counts. */
export function keptClient(ref: LoopRef, rules: RunRules | undefined, home: Home): ClientOptions {
  const text = readSmall(join(ref.dir, FILE));
  const stored =
    text === undefined ? undefined : unsealedJson<ClientOptions>(text, purposeOf(ref), readKey(home));
  return stored ?? clientFor({}, rules);
}

function purposeOf(ref: Pick<LoopRef, 'loop'>): string {
  return `options of run ${ref.loop}`;
}

/** Keeps a run elsewhere while it goes on, step by step, and says when it has to pause. None of its methods rejects. */
export interface RunKeeper {
  /** Before the first session of this process. Returns why the run has to pause before it. */
  begins(ref: LoopRef): Promise<string | undefined>;
  /**
   * After a Stop was judged, before the session hears of it. `spentUsd`: what the run has spent, its open session included.
   * Returns why the run has to pause now.
   */
  iterated(state: LoopState, spentUsd: number): Promise<string | undefined>;
  /** Before a fresh session that follows another one, whose cost is known by then. Returns why the run has to pause now. */
  goesOn(): Promise<string | undefined>;
  /** What one more session may spend; a session that has spent it ends, and its work is judged. */
  readonly leftUsd: number | undefined;
  /** While the run waits for a time, or without one for you. Returns why this process leaves it instead. */
  leaves(until: number | undefined): string | undefined;
}

/** Drives a run with its telemetry, where that is switched on: `drive` gets the world of the run as it should be used. */
export type WithTelemetry = <T>(
  ref: LoopRef,
  told: { world: World; note(text: string): void },
  runWorld: RunWorld,
  drive: (world: RunWorld) => Promise<T>,
) => Promise<T>;

/** The world of a run, who shows it, who interrupts it, who sends its telemetry, and who keeps it. */
export interface RunObservers {
  world: World;
  reporter: RunReporter;
  interrupts: Interrupts;
  withTelemetry: WithTelemetry;
  keeper?: RunKeeper;
}

export interface Driving extends RunObservers {
  ref: LoopRef;
  client: ClientOptions;
  git: RunGit | undefined;
}
