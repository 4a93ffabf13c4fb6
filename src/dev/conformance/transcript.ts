/** The lines that the client writes into a session's transcript, as far as hooks read them. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Its window is small enough that a share of it can be told from the usage of one answer. */
const MODEL = 'claude-opus-4-5';
const WINDOW = 200_000;
const VERSION = '2.1.325';

export interface Said {
  /** None: the answer holds no text. */
  text?: string;
  contextPercent?: number;
}

/** One session's transcript. The client writes a line for each block of an answer, ids and usage on all of them. */
export class Transcript {
  readonly path: string;
  readonly #session: string;
  readonly #cwd: string;
  #count = 0;
  #last: string | null = null;

  constructor(path: string, session: string, cwd: string) {
    this.path = path;
    this.#session = session;
    this.#cwd = cwd;
    mkdirSync(dirname(path), { recursive: true });
  }

  prompt(text: string, promptId: string): void {
    const message = { role: 'user', content: text };
    this.#append({ type: 'user', promptId, permissionMode: 'default', message });
  }

  /** A tool that was called and answered. */
  tool(): void {
    const id = `toolu_${this.#next()}`;
    const use = { type: 'tool_use', id, name: 'Bash', input: { command: 'true' } };
    this.#append({ type: 'assistant', message: this.#message(use, 'tool_use', 10) });
    const result = { type: 'tool_result', tool_use_id: id, content: '', is_error: false };
    this.#append({ type: 'user', message: { role: 'user', content: [result] } });
  }

  say(said: Said): void {
    this.#append(this.#answer(said));
  }

  /** The same line, cut off in the middle of being written. */
  sayTorn(said: Said): void {
    const line = JSON.stringify(this.#line(this.#answer(said)));
    appendFileSync(this.path, line.slice(0, Math.floor(line.length * 0.6)));
  }

  held(reason: string, command: string, promptId: string): void {
    const message = { role: 'user', content: `Stop hook feedback:\n${reason}` };
    this.#append({ type: 'user', promptId, isMeta: true, message });
    const blockingError = { blockingError: reason, command };
    const attachment = { type: 'hook_blocking_error', hookName: 'Stop', hookEvent: 'Stop', blockingError };
    this.#append({ type: 'attachment', attachment });
  }

  become(content: Buffer): void {
    writeFileSync(this.path, content);
  }

  #answer({ text, contextPercent }: Said): object {
    const block =
      text === undefined ? { type: 'thinking', thinking: 'hm', signature: '' } : { type: 'text', text };
    const tokens = Math.ceil(((contextPercent ?? 1) / 100) * WINDOW);
    return { type: 'assistant', message: this.#message(block, 'end_turn', tokens) };
  }

  #message(block: object, stopReason: string, tokens: number): object {
    return {
      id: `msg_${this.#next()}`,
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [block],
      stop_reason: stopReason,
      usage: {
        input_tokens: tokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 5,
      },
    };
  }

  #append(entry: object): void {
    const line = this.#line(entry);
    this.#last = line.uuid;
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }

  #line(entry: object): { uuid: string; [field: string]: unknown } {
    return {
      parentUuid: this.#last,
      isSidechain: false,
      ...entry,
      uuid: `00000000-0000-4000-8000-${String(this.#next()).padStart(12, '0')}`,
      timestamp: new Date().toISOString(),
      ...{ userType: 'external', entrypoint: 'cli', cwd: this.#cwd },
      ...{ sessionId: this.#session, version: VERSION, gitBranch: 'main' },
    };
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}
