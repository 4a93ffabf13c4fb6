/** The channel to the worker, as the process of a run sees it. */
import type { RunCommand } from '../../engine/ports/fleet.ts';
import type { DriveOrder, FromDriver, ToDriver } from './protocol.ts';

/** What of a process is needed: a forked one has it, and a test can play it. */
export interface ChannelProcess {
  send?(message: FromDriver, done?: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: ToDriver) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

type MayAnswer = Pick<Extract<ToDriver, { type: 'may' }>, 'refused' | 'leftUsd'>;

/** How often to look whether the worker was heard. */
const LOOK_MS = 200;

export function isEnding({ command }: RunCommand): boolean {
  return command === 'cancel' || command === 'release';
}

export class WorkerLink {
  readonly order: Promise<DriveOrder>;
  /** The worker is gone, silent, or has lost the run: everything has to end at once. */
  readonly lost: AbortSignal;
  /** Somebody has ended the run. */
  readonly ending: AbortSignal;
  readonly #lost = new AbortController();
  readonly #ending = new AbortController();
  readonly #process: ChannelProcess;
  readonly #waiting = new Map<number, (answer: MayAnswer) => void>();
  readonly #commands: RunCommand[] = [];
  #onCommand: ((command: RunCommand) => void) | undefined;
  readonly #woken = new EventTarget();
  #heardAt = performance.now();
  #asked = 0;
  #drains = false;
  #endedBy: RunCommand | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(process: ChannelProcess) {
    this.#process = process;
    this.lost = this.#lost.signal;
    this.ending = this.#ending.signal;
    this.order = new Promise((resolve) => {
      process.on('message', (message) => {
        this.#heardAt = performance.now();
        if (message.type === 'order') {
          this.#watchSilence(message.silenceMs);
          resolve(message);
        } else this.#hear(message);
      });
    });
    process.on('disconnect', () => this.#lose('the worker is gone'));
  }

  /** The worker wants to end: the run is handed back after this iteration. */
  get drains(): boolean {
    return this.#drains;
  }

  /** The command that has ended the run. */
  get endedBy(): RunCommand | undefined {
    return this.#endedBy;
  }

  send(message: FromDriver): Promise<void> {
    return new Promise((resolve) => {
      // A channel that breaks is told by `disconnect`.
      if (this.lost.aborted && message.type !== 'over') resolve();
      else if (this.#process.send?.(message, () => resolve()) === undefined) resolve();
    });
  }

  /** Why the next iteration may not begin; nothing when it may, and when the run has to stop anyway. */
  async may(question: { model: string; costUsd: number; iteration: number }): Promise<MayAnswer> {
    const id = ++this.#asked;
    const answer = new Promise<MayAnswer>((resolve) => {
      this.#waiting.set(id, resolve);
      this.lost.addEventListener('abort', () => resolve({}), { once: true });
    });
    await this.send({ type: 'may', id, ...question });
    return answer;
  }

  /** From now on commands are given to `take`, first those that came before. */
  takeCommands(take: (command: RunCommand) => void): void {
    this.#onCommand = take;
    for (const command of this.#commands.splice(0)) take(command);
  }

  /** Whether a command has come, or comes within this time. */
  async hasCommand(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    while (this.#commands.length === 0 && performance.now() < until && !this.lost.aborted && !this.#drains)
      await this.sleep(until - performance.now());
    return this.#commands.length > 0;
  }

  /** Waits so long; less when the worker says something that matters. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#woken.removeEventListener('wake', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#woken.addEventListener('wake', wake);
      if (this.lost.aborted) wake();
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #hear(message: Exclude<ToDriver, DriveOrder>): void {
    switch (message.type) {
      case 'alive':
        break;
      case 'may':
        this.#waiting.get(message.id)?.(message);
        this.#waiting.delete(message.id);
        break;
      case 'command':
        if (this.#onCommand) this.#onCommand(message.command);
        else this.#commands.push(message.command);
        if (isEnding(message.command)) this.#end(message.command);
        this.#wake();
        break;
      case 'stop':
        if (message.why === 'lost') this.#lose('the worker has lost the run');
        this.#drains = true;
        this.#wake();
    }
  }

  #end(command: RunCommand): void {
    this.#endedBy ??= command;
    this.#ending.abort();
  }

  #wake(): void {
    this.#woken.dispatchEvent(new Event('wake'));
  }

  #lose(why: string): void {
    if (this.lost.aborted) return;
    this.#lost.abort(new Error(why));
    this.#wake();
  }

  #watchSilence(silenceMs: number): void {
    const isSilent = () => performance.now() - this.#heardAt > silenceMs;
    const look = () => {
      if (!isSilent()) return;
      // This process may itself have stood still: what the worker said meanwhile is read first.
      setTimeout(() => isSilent() && this.#lose(`the worker was silent for ${silenceMs} ms`), LOOK_MS / 4);
    };
    this.#timer = setInterval(look, LOOK_MS);
    this.#timer.unref();
  }
}
