import { join } from 'node:path';
import { readSmall, writeWhole } from '../adapters/atomic-file.ts';
import { type Home, readKey } from '../adapters/home.ts';
import { sealedJson, unsealedJson } from '../adapters/sealed-json.ts';
import type { LoopRef } from '../ports.ts';

/** How the sessions of a run are started. */
export interface ClientOptions {
  model?: string;
  permissionMode: string;
  allow: string[];
  maxTurns?: number;
  sessionMs?: number;
  idleMs: number;
}

/** Headless sessions may write files of the project and nothing more, unless a person says otherwise. */
export const DEFAULT_CLIENT: ClientOptions = {
  permissionMode: 'acceptEdits',
  allow: [],
  idleMs: 15 * 60_000,
};

const FILE = 'run-options.json';

/** Kept with the run: whoever goes on with it need not know how it was started. Sealed: an agent must not widen it. */
export function keepClientOptions(options: ClientOptions, ref: LoopRef, home: Home): void {
  writeWhole(join(ref.dir, FILE), sealedJson(options, purposeOf(ref), readKey(home)));
}

export function storedClientOptions(ref: LoopRef, home: Home): ClientOptions {
  const text = readSmall(join(ref.dir, FILE));
  const stored =
    text === undefined ? undefined : unsealedJson<ClientOptions>(text, purposeOf(ref), readKey(home));
  return stored ?? DEFAULT_CLIENT;
}

/** Held by whoever drives the run. */
export function driverLock(ref: LoopRef): string {
  return join(ref.dir, 'run.lock');
}

function purposeOf(ref: LoopRef): string {
  return `options of run ${ref.loop}`;
}
