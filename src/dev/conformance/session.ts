import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StopGiven } from './scenario.ts';

interface SessionPlace {
  project: string;
  home: string;
}

/** What is told about a Stop; what is not told is as usual. */
type Given = Pick<StopGiven, 'background' | 'wakeUps'> & Partial<StopGiven>;

/** One session of Claude Code: its id, its process, its transcript, and what was said so far. */
export class Session {
  readonly id: string;
  readonly transcript: Transcript;
  readonly #client: ChildProcess;
  #prompts = 0;
  #held = false;
  #letGo = false;
  #lastText: string | undefined;

  constructor(name: string, { project, home }: SessionPlace) {
    const n = name.slice(1).padStart(12, '0');
    this.id = `5e551011-c0de-4abc-8def-${n}`;
    const folder = project.replace(/[^A-Za-z0-9]/g, '-');
    const path = join(home, '.claude', 'projects', folder, `${this.id}.jsonl`);
    this.transcript = new Transcript(path, this.id, project);
    // `cat` waits for input that never comes, and ends when we do.
    this.#client = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    this.prompt('Please begin.');
  }

  get pid(): number {
    return this.#client.pid ?? 0;
  }

  get promptId(): string {
    return `9e551011-c0de-4abc-8def-${this.id.slice(-1)}${String(this.#prompts).padStart(11, '0')}`;
  }

  prompt(text: string): void {
    this.#prompts += 1;
    this.#held = false;
    this.#letGo = false;
    this.transcript.prompt(text, this.promptId);
  }

  /** Writes what the model said before this Stop to the transcript, and returns the input of the hook. */
  stop(text: string | undefined, given: Given, cwd: string): Record<string, unknown> {
    // A session that was let go only goes on with a new prompt.
    if (this.#letGo) this.prompt('Go on.');
    const said = {
      text,
      contextPercent: given.contextPercent,
    };
    const kind = given.transcript?.kind;
    if (kind === undefined) this.transcript.say(said);
    else if (kind === 'torn') this.transcript.sayTorn(said);
    else if (kind === 'lines' && given.transcript && 'content' in given.transcript)
      this.transcript.become(given.transcript.content);
    // For an answer without text Claude Code sends the last text once more.
    const message = text ?? this.#lastText;
    this.#lastText = message;
    return {
      ...this.input('Stop', cwd),
      transcript_path: this.#transcriptPath(kind),
      effort: { level: 'medium' },
      stop_hook_active: given.stopHookActive ?? this.#held,
      ...(given.withoutMessage || message === undefined ? {} : { last_assistant_message: message.trim() }),
      background_tasks: given.background.map((task) => ({ ...task, description: 'something that runs' })),
      session_crons: given.wakeUps.map((wakeUp) => ({ ...wakeUp, schedule: '*/5 * * * *' })),
    };
  }

  #transcriptPath(kind: string | undefined): string {
    if (kind === 'missing') return `${this.transcript.path}.missing`;
    return kind === 'folder' ? dirname(this.transcript.path) : this.transcript.path;
  }

  /** What Claude Code adds to the environment of its hooks. */
  environment(project: string): Record<string, string> {
    return { ...this.commandEnvironment(), CLAUDE_PROJECT_DIR: project };
  }

  /** What Claude Code adds to the environment of its Bash tool, which is not told the project. */
  commandEnvironment(): Record<string, string> {
    return { CLAUDE_CODE_SESSION_ID: this.id, CLAUDE_PID: String(this.pid), CLAUDECODE: '1' };
  }

  /** What every event carries. */
  input(event: string, cwd: string): Record<string, unknown> {
    return {
      session_id: this.id,
      transcript_path: this.transcript.path,
      cwd,
      prompt_id: this.promptId,
      permission_mode: 'default',
      hook_event_name: event,
    };
  }

  answered(held: boolean, reason: string, command: string): void {
    this.#held = held;
    this.#letGo = !held;
    if (held) this.transcript.held(reason, command, this.promptId);
  }

  /** Kills the session, which sends nothing more. Resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#client.exitCode !== null || this.#client.signalCode !== null) return;
    const gone = once(this.#client, 'exit');
    this.#client.kill('SIGKILL');
    await gone;
  }
}

/** A model with a window so small that the usage of one answer tells a share of it. */
const MODEL = 'claude-opus-4-5';
const WINDOW = 200_000;
const VERSION = '2.1.325';

/** A call of a tool, and what came of it. */
export interface Called {
  name: string;
  input: object;
  output: string;
  failed?: boolean;
}

const SOME_CALL: Called = { name: 'Bash', input: { command: 'true' }, output: '' };

export interface Said {
  /** Absent: the answer has no text. */
  text?: string;
  contextPercent?: number;
}

/** The transcript of one session, as far as hooks read it: a line for each block of an answer, with ids and usage. */
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
  tool({ name, input, output, failed = false }: Called = SOME_CALL): void {
    const id = `toolu_${this.#next()}`;
    const use = { type: 'tool_use', id, name, input };
    this.#append({ type: 'assistant', message: this.#message(use, 'tool_use', 10) });
    const result = { type: 'tool_result', tool_use_id: id, content: output, is_error: failed };
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
      userType: 'external',
      entrypoint: 'cli',
      cwd: this.#cwd,
      sessionId: this.#session,
      version: VERSION,
      gitBranch: 'main',
    };
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}
