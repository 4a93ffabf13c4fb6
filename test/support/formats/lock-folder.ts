import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import type { ForeignLoop, Reading, StatePlace } from '../../../src/engine/formats/format.ts';
import { lockFormat } from '../../../src/engine/formats/lock/index.ts';
import type { ForeignFiles, StateChange } from '../../../src/engine/ports/ports.ts';
import { applyChanges, foreignFiles } from '../../../src/engine/project/files.ts';
import { T0 } from '../core/samples.ts';
import { temporaryFolder } from '../files/workers.ts';

export const HOUR = 3_600_000;

let projectFolder = '';
let homeFolder = '';

/** A fresh project and a fresh home for every test of a file, gone after it. */
export function useLockFolder(): void {
  beforeEach(() => {
    projectFolder = temporaryFolder();
    homeFolder = temporaryFolder();
  });
}

export const folder = () => projectFolder;
export const home = () => homeFolder;

export const runtime = (path = '') => join(projectFolder, '.claude/runtime', path);
export const lockFile = (name = '.lock_active') => runtime(`locks/${name}`);
export const put = (path: string, text = '') => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
export const makeLock = (text = '', at = T0) => {
  put(lockFile(), text);
  utimesSync(lockFile(), at / 1000, at / 1000);
};
export const place = (changes: Partial<StatePlace> = {}): StatePlace => ({
  session: 's1',
  folder: projectFolder,
  userHome: homeFolder,
  now: T0 + 1000,
  ...changes,
});
export const read = (changes: Partial<StatePlace> = {}, files: ForeignFiles = foreignFiles): Reading =>
  lockFormat.read(place(changes), files);
export const loop = (changes: Partial<StatePlace> = {}): ForeignLoop => {
  const reading = read(changes);
  if (reading.kind !== 'loop') throw new Error(`no loop but ${JSON.stringify(reading)}`);
  return reading.loop;
};
export const done = (changes: StateChange[]) => applyChanges(changes, join(homeFolder, 'files.lock'));
export const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
export const metrics = (name: string) =>
  lines(runtime(`metrics/${name}_hook_metrics.jsonl`)).map((line) => JSON.parse(line) as unknown);
