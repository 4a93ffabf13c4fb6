import { oneLine } from '../../core/text/clip.ts';
import type { ForeignFiles } from '../../ports/ports.ts';
import type { Damage } from '../format.ts';
import { type Conditions, type QualityGate, readConditions, readQualityGate } from './conditions.ts';
import { countOf, type Fields, isFields, isTrue, type ObjectRead, plainText, readObject } from './fields.ts';
import { readTasks, type Tasks, type Unreadable } from './tasks.ts';

/** `max_iterations` of a loop.json that names none, as in the examples of the format. */
export const DEFAULT_MAX_ITERATIONS = 25;

interface MainFile {
  task: string;
  createdAt: string;
  verified: boolean;
}

export interface Orchestrator extends MainFile {
  phase: string;
  conditions: Conditions;
  iterations?: number;
  complexity?: number;
}

export interface LoopFile extends MainFile {
  iteration?: number;
  maxIterations: number;
  validationResult?: string;
  lastError?: string;
}

/** What the state folder of one session holds. */
export interface RalphState {
  session: string;
  folder: string;
  orchestrator?: Orchestrator;
  loop?: LoopFile;
  qualityGate?: QualityGate;
  tasks?: Tasks;
  /** Files that could not be read. */
  unreadable: Unreadable[];
  /** One of them is orchestrator.json or loop.json: it is not known for sure which loop this is. */
  isPartial?: true;
  notes: string[];
}

export type StateRead =
  | { kind: 'none' }
  | { kind: 'unusable'; problem: string; damage?: Damage }
  | { kind: 'state'; state: RalphState };

/** Reads the state of a session. Where a file cannot be read, the others count. */
export function readState(folder: string, session: string, files: ForeignFiles): StateRead {
  const there = files.look(folder);
  if (!there) return { kind: 'none' };
  if (there.kind !== 'folder') return { kind: 'unusable', problem: `${folder} is not a folder; remove it` };
  const main = { orchestrator: objectIn('orchestrator.json'), loop: objectIn('loop.json') };
  const state: RalphState = { session, folder, unreadable: [], notes: [] };
  for (const [name, read] of Object.entries(main))
    if (read.kind === 'unusable') state.unreadable.push({ ...read, name: `${name}.json` });
  if (state.unreadable.length > 0) state.isPartial = true;
  if (main.orchestrator.kind === 'object')
    state.orchestrator = orchestratorOf(main.orchestrator.fields, state);
  if (main.loop.kind === 'object') state.loop = loopOf(main.loop.fields, state);
  addQualityGate(state, objectIn('quality-gate.json'));
  const { tasks, unreadable } = readTasks(folder, files);
  if (tasks.total > 0) state.tasks = tasks;
  state.unreadable.push(...unreadable);
  state.notes.push(...problemsOf(state));
  return found(state);

  function objectIn(name: string): ObjectRead {
    return readObject(`${folder}/${name}`, files);
  }
}

const NAMED_PROBLEMS = 3;

function problemsOf({ unreadable, folder }: RalphState): string[] {
  const rest = unreadable.length - NAMED_PROBLEMS;
  const named = unreadable.slice(0, NAMED_PROBLEMS).map(({ problem }) => problem);
  return rest > 0 ? [...named, `${rest} more files in ${folder} cannot be read`] : named;
}

function found(state: RalphState): StateRead {
  if (state.orchestrator || state.loop || state.qualityGate || state.tasks) return { kind: 'state', state };
  const [first] = state.unreadable;
  if (!first) return { kind: 'none' };
  const { problem, damage } = first;
  return { kind: 'unusable', problem, damage };
}

function orchestratorOf(fields: Fields, { notes }: RalphState): Orchestrator {
  const iterations = countOf(fields.iterations, 'iterations in orchestrator.json');
  const complexity = countOf(fields.complexity, 'complexity in orchestrator.json');
  notes.push(...[iterations, complexity].flatMap(({ odd }) => odd ?? []));
  const { conditions } = fields;
  if (conditions !== undefined && conditions !== null && !isFields(conditions)) {
    notes.push('conditions in orchestrator.json is not an object and is not used');
  }
  const main = mainOf(fields);
  const about = {
    verified: main.verified,
    complexity: complexity.value,
  };
  return {
    ...main,
    ...about,
    phase: oneLine(plainText(fields.phase) ?? '', 100) || 'unknown',
    conditions: readConditions(conditions, about),
    iterations: iterations.value,
  };
}

function loopOf(fields: Fields, { notes }: RalphState): LoopFile {
  const iteration = countOf(fields.iteration, 'iteration in loop.json');
  const max = countOf(fields.max_iterations, 'max_iterations in loop.json');
  notes.push(...[iteration, max].flatMap(({ odd }) => odd ?? []));
  if (max.value === undefined) {
    notes.push(`loop.json has no max_iterations: at most ${DEFAULT_MAX_ITERATIONS} iterations`);
  }
  const validationResult = plainText(fields.validation_result);
  const lastError = plainText(fields.last_error);
  return {
    ...mainOf(fields),
    iteration: iteration.value,
    maxIterations: max.value ?? DEFAULT_MAX_ITERATIONS,
    validationResult,
    lastError,
  };
}

function mainOf(fields: Fields): MainFile {
  return {
    task: plainText(fields.task)?.trim() ?? '',
    createdAt: plainText(fields.created_at) ?? '',
    verified: isTrue(fields.verified_done),
  };
}

function addQualityGate(state: RalphState, read: ObjectRead): void {
  if (read.kind === 'unusable') state.unreadable.push({ ...read, name: 'quality-gate.json' });
  if (read.kind !== 'object') return;
  state.qualityGate = readQualityGate(read.fields);
  if (state.qualityGate.odd) state.notes.push(state.qualityGate.odd);
}
