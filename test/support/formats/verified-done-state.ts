import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { decide } from '../../../src/engine/core/loop/decide.ts';
import { blocks, type Verdict } from '../../../src/engine/core/loop/verdict.ts';
import type { ForeignLoop, Look, Reading, StatePlace } from '../../../src/engine/formats/format.ts';
import { verifiedDoneFormat } from '../../../src/engine/formats/verified-done/index.ts';
import type { Held } from '../../../src/engine/ports/session-loop.ts';
import { foreignFiles } from '../../../src/engine/project/files.ts';
import { openWorkspace } from '../../../src/engine/project/trees/workspace.ts';
import { freshLoop, LIMITS, seenStop, T0 } from '../core/samples.ts';
import { temporaryFolder } from '../files/workers.ts';
import { commit, write } from '../project/project-scene.ts';
import { initRepository } from '../repository.ts';

let homeFolder = '';
let projectFolder = '';

/** A fresh home and a fresh project for every test of a file, gone after it. */
export function useStateFolder(): void {
  beforeEach(() => {
    homeFolder = temporaryFolder();
    projectFolder = temporaryFolder();
  });
}

export const home = () => homeFolder;
export const project = () => projectFolder;

export const stateDir = (path = '') => join(homeFolder, '.ralph/state/s1', path);
export const put = (name: string, content: unknown) => {
  mkdirSync(dirname(stateDir(name)), { recursive: true });
  writeFileSync(stateDir(name), typeof content === 'string' ? content : JSON.stringify(content));
};
export const place = (changes: Partial<StatePlace> = {}): StatePlace => ({
  session: 's1',
  folder: projectFolder,
  userHome: homeFolder,
  now: T0,
  ...changes,
});
export const read = (changes: Partial<StatePlace> = {}): Reading =>
  verifiedDoneFormat.read(place(changes), foreignFiles);
export const loop = (changes: Partial<StatePlace> = {}): ForeignLoop => {
  const reading = read(changes);
  if (reading.kind !== 'loop') throw new Error(`no loop but ${JSON.stringify(reading)}`);
  return reading.loop;
};
const look = (): Look => ({
  hasGates: false,
  workspace: async () =>
    openWorkspace({
      project: projectFolder,
      shadowDir: join(homeFolder, 'shadow'),
      indexFile: join(homeFolder, 'index'),
    }),
});
export const judged = async () => loop().judge(look());
export const failing = async () => (await judged()).filter(blocks).map(({ gate }) => gate);
export const held = (verdicts: readonly Verdict[], changes: Partial<Held> = {}): Held => ({
  iteration: 4,
  maxIterations: 25,
  verdicts,
  instruction: 'continue',
  taskFile: '/tasks/task.md',
  ...changes,
});
export const reason = async (changes: Partial<Held> = {}, others: Verdict[] = []) =>
  loop().instruct(held([...(await judged()), ...others], changes)).reason;
export const firstLine = async () => (await reason()).split('\n')[0];
export const decided = async (iteration: number) => {
  const { maxIterations } = loop();
  const limits = { ...LIMITS, iterations: maxIterations };
  return decide(freshLoop({ iteration, maxIterations }), seenStop(), await judged(), limits, T0);
};
export const inGit = (files: Record<string, string> = { 'a.ts': 'a' }) => {
  initRepository(projectFolder);
  for (const [path, text] of Object.entries(files)) write(projectFolder, path, text);
  commit(projectFolder);
};

/** As in the document's appendix. */
export const ORCHESTRATOR = {
  session_id: 's1',
  task: 'implement auth',
  phase: 'implementation',
  verified_done: false,
  conditions: {
    memory_search: true,
    task_classified: true,
    must_have_answered: true,
    plan_approved: true,
    implementation_complete: false,
    correctness_passed: null,
    quality_passed: null,
    adversarial_passed: null,
    retrospective_done: false,
  },
  iterations: 3,
  created_at: '2025-02-14T10:00:00Z',
  last_updated: '2025-02-14T12:00:00Z',
};
export const ALL_MET = Object.fromEntries(Object.keys(ORCHESTRATOR.conditions).map((name) => [name, true]));
export const FINISHED = { ...ORCHESTRATOR, phase: 'complete', verified_done: true, conditions: ALL_MET };
export const LOOP = {
  session_id: 's1',
  task: 'fix type errors',
  iteration: 5,
  max_iterations: 25,
  validation_result: 'failed',
  last_error: "src/auth.ts:42 - Type 'string' is not assignable to type 'number'",
  verified_done: false,
  created_at: '2025-02-14T10:00:00Z',
  last_updated: '2025-02-14T12:00:00Z',
};
export const QUALITY = {
  session_id: 's1',
  last_result: 'failed',
  stages: {
    correctness: { status: 'passed', details: 'No syntax errors' },
    quality: { status: 'failed', details: '3 type errors found' },
    security: { status: 'pending', details: null },
  },
  last_updated: '2025-02-14T12:00:00Z',
};
