import { execFile } from 'node:child_process';
import { oneLine } from '../../core/text/clip.ts';
import { defined } from '../../core/text/defined.ts';
import type { OtherSession } from '../view/overview-types.ts';

const TIME_MS = 5_000;
const MOST_BYTES = 1024 * 1024;
const MOST_SESSIONS = 200;

/** Asks Claude Code for its sessions (`claude agents --json`). Undefined when it is not there, or does not know how. */
export function claudeSessions(env: NodeJS.ProcessEnv): () => Promise<OtherSession[] | undefined> {
  let failures = 0;
  return () => {
    // A Claude Code that does not know how will not learn it: it is not started again and again.
    if (failures >= 2) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const options = { env, timeout: TIME_MS, maxBuffer: MOST_BYTES, killSignal: 'SIGKILL' as const };
      const child = execFile('claude', ['agents', '--json'], options, (error, stdout) => {
        const found = error ? undefined : parseSessions(stdout);
        failures = found ? 0 : failures + 1;
        resolve(found);
      });
      child.stdin?.end();
    });
  };
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
