import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Transcripts as Claude Code writes them, made by hand: one line for each block, with times a second apart. */

export const T0 = Date.parse('2026-03-01T10:00:00.000Z');

interface Call {
  name: string;
  input: object;
}

export const bash = (command: string): Call => ({ name: 'Bash', input: { command } });
export const read = (file_path: string): Call => ({ name: 'Read', input: { file_path } });
export const edit = (file_path: string, old_string: string, new_string: string): Call => ({
  name: 'Edit',
  input: { file_path, old_string, new_string, replace_all: false },
});
export const write = (file_path: string, content: string): Call => ({
  name: 'Write',
  input: { file_path, content },
});

type Given = {
  error?: string;
  denied?: string;
  ms?: number;
  slowBy?: number;
  model?: string;
  output?: number;
};

/** Builds a transcript step by step; `text` is the whole of it. */
export class MadeTranscript {
  readonly lines: object[] = [];
  private now: number;
  private answers = 0;
  readonly session: string;
  readonly cwd: string;

  constructor({ session = '11111111-2222-4333-8444-555555555555', cwd = '/project', at = T0 } = {}) {
    this.session = session;
    this.cwd = cwd;
    this.now = at;
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  prompt(content: string): this {
    return this.add({ type: 'user', promptSource: 'typed', message: { role: 'user', content } });
  }

  say(text: string, { slowBy = 0, model, output }: Given = {}): this {
    this.wait(slowBy);
    return this.answer([{ type: 'text', text }], 'end_turn', model, output);
  }

  /** A call and its result. */
  call({ name, input }: Call, { error, denied, ms = 0, slowBy = 0, model, output }: Given = {}): this {
    this.wait(slowBy);
    const id = `toolu_${this.answers + 1}`;
    this.answer([{ type: 'tool_use', id, name, input }], 'tool_use', model, output);
    this.wait(ms);
    const said = error ?? (denied === undefined ? 'fine' : `Permission to use ${name} has been denied.`);
    const failed = error !== undefined || denied !== undefined;
    return this.add({
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: said, ...(failed ? { is_error: true } : {}) },
        ],
      },
      toolUseResult: failed ? `Error: ${said}` : { stdout: said, stderr: '', interrupted: false },
      ...(denied === undefined ? {} : { toolDenialKind: denied }),
    });
  }

  compaction(preTokens: number): this {
    return this.add({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'auto', preTokens, durationMs: 2_000 },
    });
  }

  apiError(error: string, status: number): this {
    return this.add({
      type: 'assistant',
      isApiErrorMessage: true,
      error,
      apiErrorStatus: status,
      message: {
        id: `err_${this.lines.length}`,
        model: '<synthetic>',
        role: 'assistant',
        content: [{ type: 'text', text: `API Error: ${status} ${error}` }],
        stop_reason: 'stop_sequence',
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    });
  }

  add(line: object): this {
    this.lines.push({
      isSidechain: false,
      uuid: `u${this.lines.length}`,
      timestamp: new Date(this.now).toISOString(),
      cwd: this.cwd,
      sessionId: this.session,
      version: '2.1.325',
      ...line,
    });
    this.now += 1_000;
    return this;
  }

  private answer(
    content: object[],
    stop_reason: string,
    model = 'claude-opus-5-5',
    output_tokens = 10,
  ): this {
    this.answers++;
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 50,
      output_tokens,
    };
    return this.add({
      type: 'assistant',
      message: { id: `msg_${this.answers}`, model, role: 'assistant', content, stop_reason, usage },
    });
  }
}

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-reflect-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The file of a transcript, which is gone after the test. */
export function fileOf(transcript: { text: string }, name = 'session.jsonl'): string {
  const file = join(scratchFolder(), name);
  writeFileSync(file, transcript.text);
  return file;
}
