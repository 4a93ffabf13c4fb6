/** A whole audit in a thread of its own, so that a program which answers requests meanwhile is not held up. */
import { Worker } from 'node:worker_threads';
import { threadFile } from '../reading/thread-file.ts';

/** Plain data: it goes to the thread. */
export interface WholeAudit {
  sinceMs: number;
  project?: string;
  now: number;
}

export type FromAuditThread =
  | { read: number; all: number }
  | { counts: Record<string, unknown> }
  | { problem: string }
  | { failed: string };

/** Starts a thread, and ends it with the signal. */
export function auditInThread(
  wholeAudit: WholeAudit,
  env: NodeJS.ProcessEnv,
  progress: (read: number, all: number) => void,
  signal: AbortSignal,
): Promise<{ problem: string } | { counts: Record<string, unknown> }> {
  const file = threadFile();
  if (file === undefined)
    return Promise.reject(new Error('what reads transcripts is missing: install untildone again'));
  const worker = new Worker(file, { workerData: { wholeAudit }, env });
  const end = () => void worker.terminate();
  signal.addEventListener('abort', end);
  return new Promise<{ problem: string } | { counts: Record<string, unknown> }>((resolve, reject) => {
    worker.on('message', (message: FromAuditThread) => {
      if ('read' in message) progress(message.read, message.all);
      else if ('failed' in message) reject(new Error(message.failed));
      else resolve(message);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the audit was cut off')));
  }).finally(() => {
    signal.removeEventListener('abort', end);
    end();
  });
}
