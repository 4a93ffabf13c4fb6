/** Runs the adapters in processes of their own: for tests that kill, race, or must not hang themselves. */
import { existsSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import type { Receipt } from '../../../src/engine/core/loop/receipt.ts';
import { withLock } from '../../../src/engine/files/lock.ts';
import {
  livenessOf,
  parseProcessId,
  renderProcessId,
  thisProcess,
} from '../../../src/engine/files/process-id.ts';
import { writeWhole } from '../../../src/engine/files/whole-file.ts';
import { createHome, homeAt, readKey } from '../../../src/engine/home/layout.ts';
import { signReceipt } from '../../../src/engine/home/receipts.ts';
import { FileStore } from '../../../src/engine/home/store.ts';

export type Task =
  /** Takes the lock, says so, and holds it until stdin ends. */
  | { do: 'hold'; lock: string }
  /** Counts up in a file under the lock; `dieAfter` kills the process inside the lock. */
  | { do: 'count'; lock: string; counter: string; times: number; dieAfter?: number; limitMs?: number }
  | { do: 'createHome'; root: string }
  /** Signs an empty receipt and says by which key. */
  | { do: 'sign'; root: string }
  | { do: 'rewrite'; file: string; times: number; bytes: number }
  | { do: 'read'; root: string; session: string }
  | { do: 'append'; root: string; session: string; times: number };

/** What a task has to say on stdout. */
function run(task: Task): string {
  switch (task.do) {
    case 'hold':
      withLock(task.lock, () => {
        process.stdout.write(`held ${process.pid}\n`);
        readSync(0, Buffer.alloc(1));
      });
      return '';
    case 'count':
      count(task);
      return '';
    case 'createHome':
      createHome(homeAt(task.root));
      return readKey(homeAt(task.root));
    case 'sign':
      return signReceipt({ work: { tree: 't' }, journal: {} } as Receipt, homeAt(task.root)).publicKey;
    case 'rewrite':
      for (let i = 0; i < task.times; i++) writeWhole(task.file, String(i % 10).repeat(task.bytes));
      return '';
    case 'read':
      return readLoop(task.root, task.session, 0);
    case 'append':
      return readLoop(task.root, task.session, task.times);
  }
}

function readLoop(root: string, session: string, appends: number): string {
  const store = new FileStore(homeAt(root), { now: () => Date.now() });
  const ref = store.loopOfSession(session);
  if (!ref) return 'none';
  for (let i = 0; i < appends; i++)
    store.append(ref, () => ({ kind: 'event', event: `${process.pid}-${i}` }));
  return JSON.stringify({ contract: store.contract(ref), state: store.read(ref), task: store.task(ref) });
}

function count({ lock, counter, times, dieAfter, limitMs }: Extract<Task, { do: 'count' }>): void {
  const inside = `${counter}.inside`;
  for (let i = 0; i < times; i++) {
    const body = () => {
      const other = existsSync(inside) ? parseProcessId(readFileSync(inside, 'utf8')) : undefined;
      if (other && livenessOf(other) !== 'dead')
        throw new Error(`two inside: ${other.pid} and ${process.pid}`);
      writeFileSync(inside, renderProcessId(thisProcess()));
      writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1));
      if (i === dieAfter) process.kill(process.pid, 'SIGKILL');
      rmSync(inside, { force: true });
    };
    withLock(lock, body, limitMs);
  }
}

try {
  process.stdout.write(run(JSON.parse(process.argv[2] ?? '') as Task));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
