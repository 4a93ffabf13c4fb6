import { readFileSync } from 'node:fs';

/** Milliseconds that this process has worked so far. Unlike the time of day, they say the same on a busy machine. */
export function workMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const MS_PER_TICK = 10;

/** The same of the processes that it started and that have ended, with all that those started. Only Linux tells. */
export function workOfChildrenMs(): number {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}
