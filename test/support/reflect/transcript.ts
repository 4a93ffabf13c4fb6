/** Transcripts by hand, with the lines that Claude Code writes for each step. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Step {
  prompt?: string;
  /** Prompts of copies have the id of their origin. */
  uuid?: string;
  edit?: string;
  bash?: string;
  /** The exit code of `bash`; 0 when absent. `denied` and `background` instead of a result. */
  exit?: number | 'denied' | 'background';
  output?: string;
  /** The notification that the last command in the background has ended so. */
  ended?: number;
  say?: string;
  interrupted?: true;
  apiError?: string;
  queued?: string;
  held?: string;
  /** Seconds that have passed before this step; 10 when absent. */
  after?: number;
  cwd?: string;
}

export interface TranscriptOptions {
  session?: string;
  cwd?: string;
  /** When it begins. */
  at?: number;
  agent?: string;
}

let made = 0;

export function transcriptLines(steps: readonly Step[], options: TranscriptOptions = {}): string[] {
  const { session = 's1', cwd = '/srv/app', at = Date.parse('2026-11-10T10:00:00Z'), agent } = options;
  let now = at;
  let background = '';
  return steps.flatMap((step) => {
    now += 1000 * (step.after ?? 10);
    const common = {
      isSidechain: agent !== undefined,
      ...(agent === undefined ? {} : { agentId: agent }),
      timestamp: new Date(now).toISOString(),
      cwd: step.cwd ?? cwd,
      sessionId: session,
      version: '2.1.325',
      gitBranch: 'main',
      uuid: step.uuid ?? `u${++made}`,
    };
    const call = `t${++made}`;
    if (step.bash !== undefined && step.exit === 'background') background = call;
    return linesOf(step, call, background).map((line) => JSON.stringify({ ...common, ...line }));
  });
}

function linesOf(step: Step, call: string, background: string): object[] {
  if (step.prompt !== undefined) return [user(step.prompt)];
  if (step.edit !== undefined) {
    const input = { file_path: step.edit, old_string: 'a', new_string: `b${call}` };
    return [
      answer({ type: 'tool_use', id: call, name: 'Edit', input }),
      result(call, 'The file has been updated.'),
    ];
  }
  if (step.bash !== undefined) return [answer(bashCall(call, step.bash)), bashResult(call, step)];
  if (step.ended !== undefined)
    return [user(notification(background, step.ended), { promptSource: 'system' })];
  if (step.say !== undefined) return [answer({ type: 'text', text: step.say }, 'end_turn')];
  if (step.interrupted) return [user([{ type: 'text', text: '[Request interrupted by user]' }])];
  if (step.apiError !== undefined)
    return [{ ...answer({ type: 'text', text: step.apiError }, 'stop_sequence'), isApiErrorMessage: true }];
  if (step.queued !== undefined)
    return [
      {
        type: 'attachment',
        attachment: { type: 'queued_command', prompt: step.queued, commandMode: 'prompt' },
      },
    ];
  return step.held === undefined ? [] : [user(`Stop hook feedback:\n${step.held}`, { isMeta: true })];
}

function user(content: unknown, more: object = {}): object {
  return { type: 'user', message: { role: 'user', content }, ...more };
}

function answer(block: object, stop_reason = 'tool_use'): object {
  const message = {
    id: `m${++made}`,
    model: 'claude-opus-5-5',
    role: 'assistant',
    content: [block],
    stop_reason,
  };
  return { type: 'assistant', message };
}

function bashCall(id: string, command: string): object {
  return { type: 'tool_use', id, name: 'Bash', input: { command, description: 'd' } };
}

function bashResult(call: string, { exit = 0, output = '' }: Step): object {
  if (exit === 'denied') return result(call, 'Permission to use Bash with command x has been denied.', true);
  if (exit === 'background')
    return {
      ...result(call, 'Command running in background', false),
      toolUseResult: { backgroundTaskId: 'b1' },
    };
  return exit === 0 ? result(call, output, false) : result(call, `Exit code ${exit}\n${output}`, true);
}

function result(tool_use_id: string, content: string, is_error?: boolean): object {
  return user([
    { type: 'tool_result', tool_use_id, content, ...(is_error === undefined ? {} : { is_error }) },
  ]);
}

function notification(call: string, exit: number): string {
  const status = exit === 0 ? 'completed' : 'failed';
  return `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>${call}</tool-use-id>\n<status>${status}</status>\n<summary>Background command "d" ${status} with exit code ${exit}</summary>\n</task-notification>`;
}

/** Writes transcripts into a folder like `~/.claude/projects`. */
export function writeTranscripts(root: string, files: Record<string, readonly string[]>): void {
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), lines.map((line) => `${line}\n`).join(''));
  }
}
