/** Tells the worker what happens in a run: the new lines of its journal, and where it stands. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { LoopState } from '../../engine/core/loop/state.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { redact } from '../../engine/core/text/redact.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import type { RunEvent } from '../../engine/run/reporter.ts';
import type { WorkerLink } from './link.ts';

const EVERY_MS = 250;
const WORDS = 200;
const CHUNK = 4 * 1024 * 1024;

export class ProgressReporter {
  readonly #link: WorkerLink;
  #journal: { ref: LoopRef; store: FileStore } | undefined;
  #offset = 0;
  #lines = 0;
  #doing = 'prepares its folder';
  #spentUsd = 0;
  #told = '';
  readonly #timer: NodeJS.Timeout;

  constructor(link: WorkerLink) {
    this.#link = link;
    this.#timer = setInterval(() => void this.tell(), EVERY_MS);
    this.#timer.unref();
    void this.tell();
  }

  /** From now on the lines of this journal are told, from the first on. */
  follow(ref: LoopRef, store: FileStore): void {
    this.#journal ??= { ref, store };
  }

  doing(words: string): void {
    this.#doing = oneLine(redact(words), WORDS);
  }

  /** What the run has spent, its open session included. */
  spent(usd: number): void {
    this.#spentUsd = usd;
  }

  /** What an event of the run says about what it does now. */
  hear(event: RunEvent): void {
    const words = wordsOf(event);
    if (words !== undefined) this.doing(words);
  }

  /** Tells what is new since the last time. */
  async tell(): Promise<void> {
    const lines = this.#newLines();
    const state = this.#state();
    const summary = {
      status: state?.status ?? 'preparing',
      iteration: state?.iteration ?? 0,
      costUsd: Math.max(this.#spentUsd, state?.spent.costUsd ?? 0),
      tokens: state?.spent.tokens ?? 0,
      doing: this.#doing,
    };
    const text = JSON.stringify(summary);
    if (lines.length === 0 && text === this.#told) return;
    this.#told = text;
    const from = this.#lines;
    this.#lines += lines.length;
    await this.#link.send({ type: 'news', news: { ...summary, at: Date.now() }, lines, from });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.tell();
  }

  #state(): LoopState | undefined {
    try {
      return this.#journal?.store.read(this.#journal.ref);
    } catch {
      // The runner itself says what is wrong with a journal.
      return undefined;
    }
  }

  /** Whole lines that were added since the last look. */
  #newLines(): string[] {
    if (!this.#journal) return [];
    let file: number;
    try {
      file = openSync(this.#journal.store.journalFile(this.#journal.ref), 'r');
    } catch {
      return [];
    }
    try {
      const length = Math.max(0, fstatSync(file).size - this.#offset);
      const bytes = Buffer.alloc(length > CHUNK ? Math.max(CHUNK, this.#lineLength(file, length)) : length);
      const text = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.#offset));
      const end = text.lastIndexOf(0x0a) + 1;
      this.#offset += end;
      return text
        .subarray(0, end)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
    } finally {
      closeSync(file);
    }
  }

  /** A line may be longer than what is read at a time. */
  #lineLength(file: number, length: number): number {
    const bytes = Buffer.alloc(CHUNK);
    const read = readSync(file, bytes, 0, CHUNK, this.#offset);
    return bytes.subarray(0, read).includes(0x0a) ? CHUNK : length;
  }
}

function wordsOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'session':
      return `session ${event.state.run?.sessions ?? 1} works`;
    case 'judging':
      return 'its gates are judged';
    case 'stop':
      return event.answer === 'refuse' ? 'its session goes on' : undefined;
    case 'waiting':
      return `waits: ${event.why}`;
    case 'paused':
      return `paused: ${event.why}`;
    case 'session_ended':
      return `its session ended: ${event.end.kind}`;
    case 'ended':
      return `ended as ${event.state.status}`;
    default:
      return undefined;
  }
}
