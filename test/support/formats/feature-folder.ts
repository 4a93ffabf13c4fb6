import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Decision, Ending, LoopState } from '../../../src/engine/core/loop/state.ts';
import { featureListFormat } from '../../../src/engine/formats/feature-list/index.ts';
import type { ForeignLoop, StatePlace } from '../../../src/engine/formats/format.ts';
import type { Held } from '../../../src/engine/ports/session-loop.ts';
import { applyChanges, foreignFiles } from '../../../src/engine/project/files.ts';
import { freshLoop, T0 } from '../core/samples.ts';

let folder = '';

/** A fresh folder for every test of a file, gone after it. */
export function useFolder(): void {
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-features-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

export const root = () => folder;

export const FEATURES = [
  { id: 1, description: 'Log in', steps: ['Open the page', 'Type a name'], passes: true },
  { id: 2, description: 'Log out', steps: ['Press the button', 'See the page'], passes: false },
  { id: 'pw-3', description: 'Reset', passes: false },
];
export const PROGRESS = '# Progress\n- Max Iterations: 12\n- Iteration: 3\n- Status: IN_PROGRESS\n';
export const USUAL = '.claude/data/ralph-loops/current';

export interface Files {
  list?: unknown;
  progress?: string;
  prompt?: string;
}

export const dir = () => join(folder, USUAL);
export const progressFile = () => join(dir(), 'progress.txt');
export const progressNow = () => readFileSync(progressFile(), 'utf8');

export function lay({ list, progress, prompt }: Files, at = dir()): void {
  mkdirSync(at, { recursive: true });
  const listText = typeof list === 'string' ? list : JSON.stringify(list);
  if (list !== undefined) writeFileSync(join(at, 'feature_list.json'), listText);
  if (progress !== undefined) writeFileSync(join(at, 'progress.txt'), progress);
  if (prompt !== undefined) writeFileSync(join(at, 'RALPH_PROMPT.md'), prompt);
}

export const place = (changes: Partial<StatePlace> = {}): StatePlace => ({
  session: 's1',
  folder,
  userHome: folder,
  now: T0,
  ...changes,
});
export const read = (changes: Partial<StatePlace> = {}) =>
  featureListFormat.read(place(changes), foreignFiles);

export function loop(changes: Partial<StatePlace> = {}): ForeignLoop {
  const reading = read(changes);
  if (reading.kind !== 'loop') throw new Error(`no loop: ${JSON.stringify(reading)}`);
  return reading.loop;
}

export function loopWith(files: Files): ForeignLoop {
  lay({ list: { features: FEATURES }, progress: PROGRESS, ...files });
  return loop();
}

export function problem(): string {
  const reading = read();
  return reading.kind === 'unusable' ? reading.problem : `not unusable but ${reading.kind}`;
}

export async function judged(of: ForeignLoop) {
  const look = { workspace: () => Promise.reject(new Error('not looked at')), hasGates: false };
  return (await of.judge(look))[0];
}

export const held = (changes: Partial<Held> = {}): Held => ({
  iteration: 4,
  maxIterations: 12,
  verdicts: [],
  instruction: 'continue',
  taskFile: '/home/task.md',
  ...changes,
});

export function ended(status: Ending, cause: string, changes: Partial<LoopState> = {}): LoopState {
  const ending = { cause, detail: 'detail', at: T0 };
  return freshLoop({ status, ending, iteration: 12, maxIterations: 12, ...changes });
}

export const BLOCK: Decision = { kind: 'block', instruction: 'continue' };
export const endOf = ({ status, ending }: LoopState): Decision => ({
  kind: 'end',
  status: status as Ending,
  cause: ending?.cause ?? '',
  detail: '',
});

export function writeBack(of: ForeignLoop, decision: Decision, after: LoopState): string[] {
  return applyChanges(of.writeBack(decision, after, []), join(folder, 'lock'));
}
