/** What a foreign state becomes in a contract. */
import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ContractAdditions } from '../../contract/edit.ts';
import { type Contract, type Limit, promisesOf } from '../../core/contract/contract.ts';
import { UsageError } from '../../core/text/errors.ts';
import type { DialectName, ForeignLoop, Place } from '../../formats/format.ts';
import { lockPaths } from '../../formats/lock/lock-files.ts';
import { freeName } from '../../home/import-record.ts';
import { foreignFiles } from '../../project/files.ts';

export interface ConvertedState {
  additions: ContractAdditions;
  /** The state has no gates of its own: those that fit the project are proposed where there is no contract. */
  proposed: boolean;
  limits: { iterations: Limit; durationMs?: Limit };
  /** The name under which what was found is put aside; absent: its files are moved into the home. */
  aside?: string;
  notes: string[];
}

export function convertState(
  name: DialectName,
  path: string,
  loop: ForeignLoop,
  project: string,
  contract: Contract | undefined,
): ConvertedState {
  const iterations = loop.limits.iterations ?? loop.maxIterations;
  const durationMs = loop.limits.durationMs;
  const limits = { iterations, ...(durationMs === undefined ? {} : { durationMs }) };
  const base = {
    proposed: name === 'verified-done' || name === 'lock',
    limits,
    notes: NOTES[name],
  };
  const additions: ContractAdditions = {
    gates: {},
    everyStop: [],
    subagent: {},
    task: loop.task,
    limits: { iterations, ...(typeof durationMs === 'number' ? { duration: inHours(durationMs) } : {}) },
  };
  if (name === 'feature-list') {
    const aside = freeName(`${path}.imported`);
    const gates = { features: { features: listPath(path, aside, project) } };
    return { ...base, additions: { ...additions, gates, done: ['features'] }, aside };
  }
  const text = promiseOf(loop);
  if (text === undefined)
    return {
      ...base,
      additions,
      notes: name === 'ralph-loop' && !contract ? [...base.notes, NO_PROMISE] : base.notes,
    };
  const stated = contract ? promisesOf(contract) : [];
  if (stated.length > 0) {
    const note = `${project} has a promise of its own already ("${stated[0]}"): that one counts, not "${text}"`;
    return { ...base, additions, notes: stated[0] === text ? base.notes : [...base.notes, note] };
  }
  return { ...base, additions: { ...additions, gates: { promised: { promise: text } }, done: ['promised'] } };
}

const NO_PROMISE = 'it has no completion promise: the loop ends when the agent states DONE, or at a limit';

const NOTES: Record<DialectName, string[]> = {
  'ralph-loop': [],
  'feature-list': [
    '"passes" without a "verify" command in the list is a claim: the loop ends as claimed_done',
  ],
  'verified-done': [
    'NOT converted, and nothing will hold for them: conditions in orchestrator.json, open tasks, stages of quality-gate.json. What can be measured becomes gates; put the rest into a checklist (gates: { plan: { checklist: PLAN.md } }) before you go on',
  ],
  lock: [
    'a lock only says that the work goes on: gates say when it is done',
    'NOT converted: .lock_message and .continuation_prompt; they are kept with the import, and --undo puts them back',
  ],
};

function promiseOf(loop: ForeignLoop): string | undefined {
  const [promise] = Object.values(loop.gates).flatMap((spec) =>
    spec.kind === 'promise' ? [spec.options.text] : [],
  );
  return promise;
}

function inHours(ms: number): string {
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : `${Math.max(1, Math.round(ms / 60_000))}m`;
}

/** Where the list will be: of a link to the folder of a task only the link is put aside. */
function listPath(path: string, aside: string, project: string): string {
  const folder = lstatSync(path).isSymbolicLink() ? foreignFiles.realPath(path) : aside;
  const list = relative(project, join(folder, 'feature_list.json'));
  if (list.startsWith('..')) {
    throw new UsageError(`${folder} is outside of ${project}: move the list into the project first`);
  }
  return list;
}

const MOST_FILES = 1000;

/** The files that make up a state, as they are now. */
export function filesOfState(name: DialectName, path: string, { folder }: Place): string[] {
  if (name === 'lock') {
    const { active, goal, message, continuation } = lockPaths(folder);
    // The lock itself goes first: without it the others mean nothing.
    return [active, goal, message, continuation].filter(isFile);
  }
  return name === 'verified-done' ? filesBelow(path).slice(0, MOST_FILES) : [path].filter(isFile);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter(isFile)
    .sort();
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
