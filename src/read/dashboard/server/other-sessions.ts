import { execFile } from 'node:child_process';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import type { OtherSession } from '../view/overview-types.ts';

const TIME_MS = 5_000;
const MOST_BYTES = 1024 * 1024;
const MOST_SESSIONS = 200;

/** Asks Claude Code for its sessions (`claude agents --json`). Undefined when it is not there, or does not know how. */
export function claudeSessions(env: NodeJS.ProcessEnv): () => Promise<OtherSession[] | undefined> {
  let known: Promise<boolean> | undefined;
  return async () => {
    // A version without the command takes its name for a prompt; with --help it only prints its own help.
    known ??= said(['agents', '--help'], env).then((text) => listsSessions(text ?? ''));
    const text = (await known) ? await said(['agents', '--json'], env) : undefined;
    return text === undefined ? undefined : parseSessions(text);
  };
}

/** Whether this help is that of a command `agents` with the option `--json`. */
export function listsSessions(help: string): boolean {
  return /^Usage: \S+ agents\b/m.test(help) && /^ {1,8}--json(?![\w-])/m.test(help);
}

function said(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env, timeout: TIME_MS, maxBuffer: MOST_BYTES, killSignal: 'SIGKILL' as const };
    const child = execFile('claude', args, options, (error, stdout) => resolve(error ? undefined : stdout));
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

/** Takes what other versions may send, too: a list, or an object with a list. */
export function parseSessions(text: string): OtherSession[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const list = Array.isArray(value) ? value : listIn(value);
    return list?.slice(0, MOST_SESSIONS).flatMap(sessionIn);
  } catch {
    return undefined;
  }
}

function listIn(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value).find((each): each is unknown[] => Array.isArray(each));
}

function sessionIn(value: unknown): OtherSession[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const text = (...names: string[]) => {
    const found = names.map((name) => fields[name]).find((each) => typeof each === 'string' && each !== '');
    return typeof found === 'string' ? oneLine(found, 300) : undefined;
  };
  const id = text('sessionId', 'session_id', 'id');
  if (id === undefined) return [];
  const began = fields.startedAt ?? fields.started_at ?? fields.createdAt;
  const startedAt =
    typeof began === 'number'
      ? began
      : typeof began === 'string'
        ? Date.parse(began) || undefined
        : undefined;
  return [
    {
      id,
      ...defined({
        name: text('name', 'title'),
        folder: text('cwd', 'folder'),
        status: text('status', 'state'),
        startedAt,
      }),
    },
  ];
}
