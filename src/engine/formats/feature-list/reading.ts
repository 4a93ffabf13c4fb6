import type { Decision, LoopState } from '../../core/loop/state.ts';
import type { Measured } from '../../core/loop/verdict.ts';
import type { FileLook, FileRead, ForeignFiles, StateChange } from '../../ports/ports.ts';
import { withFeaturesPassing } from '../../schema/feature-list-text.ts';
import type { ForeignLoop, Reading, StatePlace } from '../format.ts';
import { type FeatureList, NO_FEATURES, parseFeatures } from './features.ts';
import { COMPLETE, parseProgress, withEnding, withIteration } from './progress.ts';
import {
  continuation,
  logLine,
  measuredIn,
  openFeatures,
  outputOf,
  type State,
  statusWord,
  verdictOf,
} from './words.ts';

/** The files that the agent works in. */
export const AGENT_FILES = ['feature_list.json', 'progress.txt'];

/** What lies in the folder of a state. */
export function readFolder(path: string, look: FileLook, place: StatePlace, files: ForeignFiles): Reading {
  if (look.kind !== 'folder')
    return unusable(`${path} is not a folder; remove it, or make it a link to the folder of a task`);
  const listFile = `${path}/feature_list.json`;
  const listRead = files.read(listFile);
  const progressRead = files.read(`${path}/progress.txt`);
  if (listRead.kind === 'unusable') return unusable(`${listRead.problem}; ${PUT_RIGHT}`);
  if (listRead.kind === 'none' && progressRead.kind === 'none') return { kind: 'none' };
  const list = listRead.kind === 'text' ? parseFeatures(listRead.text) : NO_FEATURES;
  if ('problem' in list) return damaged(listFile, list);
  const progress = parseProgress(textIn(progressRead));
  const prompt = promptOf(path, files);
  const state = { folder: files.realPath(path), list, progress, hasPrompt: prompt.text !== undefined };
  const loop = loopOf(state, prompt, { progressRead, changedAt: changedAt(path, files) }, files);
  if (loop.rest === undefined || loop.unrecorded) return { kind: 'loop', loop };
  const saysDone = wasChanged(path, place, files);
  return { kind: 'loop', loop: saysDone ? { ...loop, saysDone } : loop };
}

/**
 * Whether every feature passes and progress.txt does not say so yet: the list is judged, and COMPLETE is written. Not for a
 * progress.txt that cannot be read, because it would be judged at every prompt.
 */
function isUnrecorded({ list, progress }: State, progressRead: FileRead): boolean {
  if (progress.status === COMPLETE || progressRead.kind === 'unusable' || !progress.writable) return false;
  return list.features.length > 0 && list.features.every(({ passes }) => passes);
}

/** Whether the files were changed in this session: then it is this session that claims to be done. */
function wasChanged(path: string, { since }: StatePlace, files: ForeignFiles): boolean {
  return since !== undefined && changedAt(path, files) > since;
}

/** When the list or progress.txt was changed last. */
function changedAt(path: string, files: ForeignFiles): number {
  return Math.max(...AGENT_FILES.map((name) => files.look(`${path}/${name}`)?.mtimeMs ?? 0));
}

const PUT_RIGHT = 'put it right, and the loop goes on';

function unusable(problem: string): Reading {
  return { kind: 'unusable', problem };
}

function damaged(
  file: string,
  { problem, at }: Exclude<ReturnType<typeof parseFeatures>, FeatureList>,
): Reading {
  const place = at ? `:${at.line}:${at.column}` : '';
  const fault = at ? `line ${at.line}, column ${at.column}: ${problem}` : problem;
  return {
    kind: 'unusable',
    problem: `${file}${place}: ${problem}; ${PUT_RIGHT}`,
    damage: { file, fault },
  };
}

function textIn(read: FileRead): string | undefined {
  return read.kind === 'text' ? read.text : undefined;
}

interface Prompt {
  text: string | undefined;
  problems: string[];
}

/** Reads the prompt. It only names the task, so a loop goes on without it. */
function promptOf(path: string, files: ForeignFiles): Prompt {
  const prompt = files.read(`${path}/RALPH_PROMPT.md`);
  return { text: textIn(prompt), problems: prompt.kind === 'unusable' ? [prompt.problem] : [] };
}

function loopOf(
  state: State,
  prompt: Prompt,
  { progressRead, changedAt }: { progressRead: FileRead; changedAt: number },
  files: ForeignFiles,
): ForeignLoop {
  const { folder, list, progress } = state;
  const rest = restOf(state);
  const unrecorded = isUnrecorded(state, progressRead);
  return {
    identity: `${folder} ${prompt.text === undefined ? '' : files.sha256(prompt.text)}`,
    claimedBy: 'first',
    task: prompt.text?.trim() || `Make every feature in ${folder}/feature_list.json pass.`,
    iteration: progress.iteration,
    firstIteration: 0,
    maxIterations: progress.maxIterations,
    limits: {},
    gates: {},
    rest,
    ...(unrecorded ? { saysDone: true, unrecorded } : {}),
    notes: [
      ...prompt.problems,
      ...(progressRead.kind === 'unusable'
        ? [`${progressRead.problem}; untildone counts by itself, to at most ${progress.maxIterations}`]
        : []),
      ...progress.problems.map((problem) => `${folder}/progress.txt: ${problem}`),
      ...list.notes.map((note) => `${folder}/feature_list.json: ${note}`),
    ],
    judge: ({ measuredOf }) => [verdictOf(state, measuredOf?.(`${folder}/feature_list.json`))],
    renews: (ended, session) => {
      // A progress.txt that cannot be written never says COMPLETE: without a change the list stays judged.
      const isNew = unrecorded && changedAt > (ended.ending?.at ?? 0);
      return (rest === undefined || isNew) && renews(state, ended, session);
    },
    instruct: (held) => continuation(state, held),
    writeBack: (decision, after, verdicts) => {
      const measured = measuredIn(verdicts);
      return [
        ...tick(state, measured),
        ...(progressRead.kind === 'unusable' ? [] : changesAfter(state, decision, after, measured)),
      ];
    },
    output: (after, verdicts) => outputOf(state, after, verdicts),
  };
}

function restOf(state: State): string | undefined {
  if (state.progress.status === COMPLETE) return `progress.txt says "Status: ${COMPLETE}"`;
  if (openFeatures(state).length > 0) return undefined;
  return state.list.features.length > 0
    ? 'every feature in feature_list.json passes'
    : 'there are no features in feature_list.json';
}

/**
 * Whether an ended loop begins anew. One that you ended never does. One that reached its limit does when the limit was
 * raised, or when another session finds the counter set back: the session that reached it could have done that itself.
 */
function renews({ progress }: State, ended: LoopState, session: string): boolean {
  const another = session !== ended.session;
  switch (ended.status) {
    case 'verified_done':
    case 'claimed_done':
      return true;
    case 'reached_limit':
      return (
        (ended.maxIterations !== 'unlimited' && progress.maxIterations > ended.maxIterations) ||
        (another &&
          progress.iteration !== undefined &&
          progress.iteration < Math.min(ended.iteration, progress.maxIterations))
      );
    case 'stalled':
    case 'idle':
    case 'capped':
      return another;
    default:
      return false;
  }
}

/** Says in the list that a feature passes whose `verify` command succeeded. What fails stays as the agent wrote it. */
function tick({ folder }: State, measured: Measured | undefined): StateChange[] {
  const passing = measured?.passing ?? [];
  if (passing.length === 0) return [];
  const edit = (text: string | undefined) =>
    text === undefined ? undefined : withFeaturesPassing(text, passing);
  return [{ kind: 'edit', path: `${folder}/feature_list.json`, edit }];
}

/** Changes progress.txt. The folder is never made again: whoever removed it meant it. */
function changesAfter(
  state: State,
  decision: Decision,
  after: LoopState,
  measured: Measured | undefined,
): StateChange[] {
  const path = `${state.folder}/progress.txt`;
  switch (decision.kind) {
    case 'allow':
      return [];
    case 'block':
      return [{ kind: 'edit', path, edit: (text) => withIteration(text, after.iteration) }];
    case 'end':
      return [
        {
          kind: 'edit',
          path,
          edit: (text) => withEnding(text, statusWord(after), logLine(state, after, measured)),
        },
      ];
  }
}
