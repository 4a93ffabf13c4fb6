import { join } from 'node:path';
import type { RunRules } from '../../core/contract/contract.ts';
import { onlyIn, type SessionRules, sessionDefaults } from '../../core/run/options.ts';
import { defined } from '../../core/text/defined.ts';
import { UsageError } from '../../core/text/errors.ts';
import { readSmall } from '../../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from '../../home/layout.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { DriverPorts } from '../driver/run-loop.ts';
import type { RunGit } from '../git/commit-progress.ts';
import type { RunPublisher } from '../publisher.ts';
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
const DEFAULT_CLIENT: ClientOptions = { allow: [], ...sessionDefaults() };

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

/** Drives a run with its telemetry, where that is switched on: `drive` gets the ports as they should be used. */
export type WithTelemetry = <T>(
  ref: LoopRef,
  told: { world: ProjectPorts; note(text: string): void },
  ports: DriverPorts,
  drive: (ports: DriverPorts) => Promise<T>,
) => Promise<T>;

/** The world of a run, who shows it, who interrupts it, who sends its telemetry, and who publishes it. */
export interface RunObservers {
  world: ProjectPorts;
  reporter: RunReporter;
  interrupts: Interrupts;
  withTelemetry: WithTelemetry;
  publisher?: RunPublisher;
}

export interface Driving extends RunObservers {
  ref: LoopRef;
  client: ClientOptions;
  git: RunGit | undefined;
}
