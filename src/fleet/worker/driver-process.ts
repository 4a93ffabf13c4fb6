/** The process that drives one run, as its worker sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endMarked, ProcessTree } from '../../engine/files/process-tree.ts';
import { readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import type { DriveOrder, DriveOutcome, FromDriver, ToDriver } from '../drive/protocol.ts';

export interface Driver {
  send(message: ToDriver): void;
  /** Ends the process and everything that it started; `at_once`: without time to clean up. */
  end(how?: 'at_once'): Promise<void>;
  /** Its last word, or how it ended without one. Everything that it started has ended by then. */
  readonly over: Promise<DriveOutcome | { kind: 'crashed'; why: string }>;
}

export type StartDriver = (
  order: DriveOrder,
  env: NodeJS.ProcessEnv,
  heard: (message: FromDriver) => void,
) => Driver;

const MARKER = 'UNTILDONE_FLEET_PROCESS';
const MARKER_FILE = 'process';
const LOG_FILE = 'process.log';
/** How long a process may take to end after its last word. */
const LAST_WORD_MS = 10_000;
/** How long messages of an ended process may be on their way. */
const CHANNEL_MS = 2_000;

/** Starts processes of this bundle. The order is the first message. */
export function driverStarter(bundle: string): StartDriver {
  return (order, env, heard) => new DriverProcess(bundle, order, env, heard);
}

class DriverProcess implements Driver {
  readonly over: Driver['over'];
  readonly #child: ChildProcess;
  readonly #marker: string;
  readonly #folder: string;
  #lastWord: DriveOutcome | undefined;

  constructor(
    bundle: string,
    order: DriveOrder,
    env: NodeJS.ProcessEnv,
    heard: (message: FromDriver) => void,
  ) {
    const mark = randomUUID();
    this.#marker = `${MARKER}=${mark}`;
    this.#folder = order.folder;
    writeWhole(join(order.folder, MARKER_FILE), this.#marker);
    const log = openSync(join(order.folder, LOG_FILE), 'a', 0o600);
    try {
      this.#child = fork(bundle, [], {
        cwd: order.folder,
        env: { ...env, [MARKER]: mark },
        execArgv: [],
        // A group of its own, so that everything can be ended, and so that Ctrl-C reaches only the worker.
        detached: true,
        stdio: ['ignore', log, log, 'ipc'],
      });
    } finally {
      closeSync(log);
    }
    this.#child.on('message', (message: FromDriver) => {
      if (message.type === 'over') this.#hearLastWord(message.outcome);
      else if (this.#lastWord === undefined) heard(message);
    });
    this.over = this.#ended();
    this.send(order);
  }

  send(message: ToDriver): void {
    if (!this.#child.connected) return;
    // A channel that breaks meanwhile tells it by the end of the process.
    this.#child.send(message, () => {});
  }

  async end(how?: 'at_once'): Promise<void> {
    const tree = this.#tree();
    if (how === 'at_once') tree.signal('SIGKILL');
    await tree.end();
  }

  #hearLastWord(outcome: DriveOutcome): void {
    this.#lastWord ??= outcome;
    setTimeout(() => void this.end(), LAST_WORD_MS).unref();
  }

  #tree(): ProcessTree {
    return new ProcessTree(this.#child.pid ?? -1, this.#marker);
  }

  async #ended(): Promise<DriveOutcome | { kind: 'crashed'; why: string }> {
    const how = await new Promise<string>((resolve) => {
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      this.#child.once('exit', (code, signal) =>
        resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
      );
    });
    if (this.#child.connected) await this.#disconnected();
    await this.#tree().end();
    return this.#lastWord ?? { kind: 'crashed', why: `the process of the run ${how}${this.#lastLine()}` };
  }

  /** Its last messages may come after its end. */
  #disconnected(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CHANNEL_MS);
      this.#child.once('disconnect', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The line of its log that names an error. */
  #lastLine(): string {
    try {
      const lines = readFileSync(join(this.#folder, LOG_FILE), 'utf8').slice(-20_000).split('\n');
      const named = lines.findLast((line) => /^\s*(?:\w*Error|FATAL ERROR)\b/.test(line));
      return named === undefined ? '' : `: ${named.trim().slice(0, 300)}`;
    } catch {
      return '';
    }
  }
}

/** Ends what is left of the process of a folder whose worker died. */
export async function endLeftProcesses(folder: string): Promise<void> {
  const marker = readSmall(join(folder, MARKER_FILE));
  if (marker?.startsWith(`${MARKER}=`)) await endMarked(marker);
}
