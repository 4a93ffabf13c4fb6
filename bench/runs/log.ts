import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What a process that is measured tells. Times are milliseconds since 1970, with fractions. */
export type Logged =
  /** A session is over. */
  | { ended: number }
  /** A Stop was answered; `cpuMs` is all that the process has used. Some tell what is in use after collecting garbage. */
  | { stop: number; cpuMs: number; heapMb?: number; rssMb?: number };

export function writeLog(line: Logged): void {
  const { BENCH_LOG: path } = process.env;
  if (path) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

export function readLog(path: string): Logged[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Logged);
}

export const now = () => performance.timeOrigin + performance.now();
