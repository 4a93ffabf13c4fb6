/** Shares the sessions out to worker threads, which read them side by side. The threads run `src/main/reflect.ts`. */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { SessionFiles } from './files.ts';
import { threadFile } from './thread-file.ts';

/**
 * What is to be found out about one session. It gets and returns plain data, because it may run in another thread; it calls
 * `progress` with bytes as it has read them.
 */
export type SessionTask<Options, Result> = (
  files: SessionFiles,
  options: Options,
  progress: (bytes: number) => void,
) => Result;

/** The tasks by name: a thread is told the name. */
// biome-ignore lint/suspicious/noExplicitAny: each task has inputs of its own, and a thread gets them as plain data
export type SessionTasks = Record<string, SessionTask<any, unknown>>;

export interface Shared<Options, Result> {
  name: string;
  task: SessionTask<Options, Result>;
  options: Options;
  sessions: readonly SessionFiles[];
  /** Takes the result of a session. The order is that in which they are done. */
  take(result: Result, files: SessionFiles): void;
  /** A session whose reading failed. The others go on. */
  fail(files: SessionFiles, why: string): void;
  progress?(bytes: number): void;
}

/** With less to read, a thread takes longer to start than it saves. */
const WORTH_A_THREAD = 24 * 1024 * 1024;
/** Each thread takes memory of its own. */
const MOST_THREADS = 4;
/** What lives shortly in a thread: with more room for it a thread is hardly faster. */
const YOUNG_MB = 24;

/** Resolves when every session has had its turn. */
export async function shareOut<Options, Result>(work: Shared<Options, Result>): Promise<void> {
  const bytes = work.sessions.reduce((sum, session) => sum + session.bytes, 0);
  const threads = Math.min(availableParallelism(), MOST_THREADS, work.sessions.length);
  const file = threadFile();
  if (file === undefined || threads < 2 || bytes < WORTH_A_THREAD) return here(work);
  const open = [...work.sessions];
  await Promise.all(Array.from({ length: threads }, () => inThread(file, work, open)));
}

async function here<Options, Result>(work: Shared<Options, Result>): Promise<void> {
  for (const files of work.sessions) {
    // Lets a signal or a timer in between.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      work.take(
        work.task(files, work.options, (bytes) => work.progress?.(bytes)),
        files,
      );
    } catch (error) {
      work.fail(files, (error as Error).message);
    }
  }
}

type FromThread = { bytes: number } | { result: unknown } | { failed: string };

/** Gives one thread a session after the other. A thread that dies fails its session, and a new one goes on. */
async function inThread<Options, Result>(
  file: string,
  work: Shared<Options, Result>,
  open: SessionFiles[],
): Promise<void> {
  let worker: Worker | undefined;
  for (let files = open.shift(); files; files = open.shift()) {
    worker ??= new Worker(file, {
      workerData: { task: work.name, options: work.options },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const died = await oneSession(worker, files, work);
    if (died) worker = undefined;
  }
  await worker?.terminate();
}

function oneSession<Options, Result>(
  worker: Worker,
  files: SessionFiles,
  work: Shared<Options, Result>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (died: boolean) => {
      // The thread has listeners of its own, which stay.
      worker.off('message', hear).off('error', die).off('exit', exit);
      resolve(died);
    };
    const hear = (message: FromThread) => {
      if ('bytes' in message) {
        work.progress?.(message.bytes);
        return;
      }
      if ('result' in message) work.take(message.result as Result, files);
      else work.fail(files, message.failed);
      end(false);
    };
    const die = (error: Error) => {
      work.fail(files, error.message);
      end(true);
    };
    const exit = () => die(new Error('the thread that read it has ended'));
    worker.on('message', hear).on('error', die).on('exit', exit);
    worker.postMessage(files);
  });
}

/** In a thread: does what it is sent. In the main thread it does nothing. */
export function serveTasks(tasks: SessionTasks): void {
  if (isMainThread || !parentPort) return;
  const port = parentPort;
  const { task: name, options } = workerData as { task: string; options: unknown };
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  port.on('message', (files: SessionFiles) => {
    try {
      if (!task) throw new Error(`there is no task ${name}`);
      port.postMessage({ result: task(files, options, (bytes) => port.postMessage({ bytes })) });
    } catch (error) {
      port.postMessage({ failed: (error as Error).message });
    }
  });
}
