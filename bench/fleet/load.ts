import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Fleet } from '../../test/support/fleet/fleet.ts';
import { waitFor } from '../../test/support/live/processes.ts';
import { compareMedians, type Row } from '../report.ts';

const WATCHED_MS = 12_000;
const WORKERS = 4;

/** What a worker costs the store and its machine: without a run, and with one whose session waits for its model. */
export async function measureFleetLoad(): Promise<Row[]> {
  const fleet = await Fleet.open({ pieces: 2 });
  try {
    return await rowsWith(fleet);
  } finally {
    await fleet.close();
  }
}

async function rowsWith(fleet: Fleet): Promise<Row[]> {
  const workers = Array.from({ length: WORKERS }, (_, i) => fleet.startWorker(`w${i + 1}`).worker);
  const engine = await fleet.engine();
  await waitFor(async () => (await engine.workers()).length === WORKERS);
  const idle = await watched(fleet, workers);
  await fleet.submit(['--count', `${WORKERS}`], { waitFor: { 2: `${fleet.root}/never` } });
  await waitFor(() => fleet.deeds().filter(({ piece }) => piece === 2).length === WORKERS);
  const busy = await watched(fleet, workers);
  const drivers = new Set(fleet.deeds().map(({ driver }) => driver));
  const row = (name: string, unit: Row['unit'], a: number, b: number) =>
    compareMedians([a], [b], { name, against: 'a worker without a run', unit });
  return [
    row('calls of the store, a worker with a run', 'per s', busy.calls, idle.calls),
    row('connections, a worker with a run', 'of them', busy.connections, idle.connections),
    row('CPU of a worker with a run, in 1 s', 'ms', busy.cpuMs, idle.cpuMs),
    row('memory of a worker with a run', 'MB', busy.memoryMb, idle.memoryMb),
    row('memory of the process of a run', 'MB', mean([...drivers].map(memoryMb)), idle.memoryMb),
  ];
}

interface Load {
  calls: number;
  connections: number;
  cpuMs: number;
  memoryMb: number;
}

/** For each worker, in a second. */
async function watched(fleet: Fleet, workers: readonly { pid: number }[]): Promise<Load> {
  const look = async () => ({
    ...(await countsOf(fleet)),
    cpuMs: workers.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
  });
  const before = await look();
  await wait(WATCHED_MS);
  const after = await look();
  const each = (amount: number) => amount / WORKERS / (WATCHED_MS / 1000);
  return {
    calls: each(after.calls - before.calls),
    connections: after.connections / WORKERS,
    cpuMs: each(after.cpuMs - before.cpuMs),
    memoryMb: mean(workers.map(({ pid }) => memoryMb(pid))),
  };
}

async function countsOf({ queue }: Fleet): Promise<{ calls: number; connections: number }> {
  const redis = new Redis(queue);
  const info = await redis.info();
  redis.disconnect();
  const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  // Not this one, and not that of the bench.
  return { calls: field('total_commands_processed'), connections: field('connected_clients') };
}

const MS_PER_TICK = 10;

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function memoryMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
