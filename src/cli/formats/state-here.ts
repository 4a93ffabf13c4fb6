import { basename } from 'node:path';
import { prepareHome } from '../../engine/client/settings/files.ts';
import { blocks } from '../../engine/core/loop/verdict.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { readObject } from '../../engine/formats/verified-done/fields.ts';
import { verdictsOf } from '../../engine/formats/verified-done/judge.ts';
import { type RalphState, readState } from '../../engine/formats/verified-done/read-state.ts';
import { jsonFiles } from '../../engine/formats/verified-done/tasks.ts';
import { sentences } from '../../engine/formats/verified-done/words.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { warnWithoutHooks } from '../../engine/hook/start/installed-hooks.ts';
import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import { foreignFiles } from '../../engine/project/files.ts';
import { out } from '../../engine/terminal/print.ts';
import {
  folderOf,
  isMain,
  isStateFile,
  type MainFile,
  type StateCall,
  sessionFrom,
  stateComplete,
  stateInit,
  stateSet,
} from './state.ts';

/** `untildone state set`. */
export function set(words: string[]): void {
  const { session, rest } = splitWords(words, isStateFile);
  const [file = '', ...assignments] = rest;
  stateSet(session, file, assignments, thisCall());
}

/** `untildone state complete`. */
export function complete(words: string[]): void {
  const { session, rest } = splitWords(words, isMain);
  stateComplete(session, rest.length === 0 ? undefined : mainFile(rest[0]), thisCall());
}

/** `untildone state show`. */
export function show(session: string | undefined, options: { json: boolean }): void {
  stateShow(sessionFrom(session, process.env), options, thisCall());
}

interface InitFlags {
  maxIterations?: number;
  complexity?: number;
  force: boolean;
}

/** `untildone state init`. */
export function init(words: string[], flags: InitFlags): void {
  const { session, rest } = splitWords(words, isMain);
  const [file, ...task] = rest;
  const unknown = task.find((word) => /^--?[A-Za-z][\w-]*(=|$)/.test(word));
  if (unknown)
    throw new UsageError(`unknown option ${unknown}; untildone state init --help shows what there is`);
  stateInit(session, { file: mainFile(file), task: task.join(' '), ...flags }, thisCall());
  const world = openProject(session);
  prepareHome(world.home.root, thisProgram());
  warnWithoutHooks({ project: world.project, session }, world, out);
}

/** Splits off the session, which may be left out: then the first word is the file, and the second is not. */
function splitWords(
  words: readonly string[],
  isFile: (word: string) => boolean,
  env = process.env,
): { session: string; rest: string[] } {
  const [first, second] = words;
  const named = first !== undefined && (!isFile(first) || (second !== undefined && isFile(second)));
  return { session: sessionFrom(named ? first : undefined, env), rest: named ? words.slice(1) : [...words] };
}

function mainFile(word: string | undefined): MainFile {
  if (isMain(word)) return word;
  throw new UsageError(`type loop or orchestrator${word === undefined ? '' : `, not "${word}"`}`);
}

function thisCall(): StateCall {
  return { env: process.env, now: Date.now(), out };
}

/** Shows what the state files of a session say, and what they hold it for. Looks neither at git nor at the contract. */
export function stateShow(session: string, options: { json: boolean }, world: StateCall): void {
  const folder = folderOf(session, world.env);
  const read = readState(folder, session, foreignFiles);
  if (options.json) {
    const problems =
      read.kind === 'unusable' ? [read.problem] : read.kind === 'state' ? read.state.notes : [];
    const holding = read.kind === 'state' ? verdictsOf(read.state).filter(blocks) : [];
    const holds = holding.map(({ gate, summary }) => ({ name: gate, summary }));
    const all = { session, folder, ...asTheyAre(folder), holds, problems };
    for (const line of jsonLines(all)) world.out(line);
    return;
  }
  if (read.kind === 'none') world.out(`Session ${session} has no state in ${folder}`);
  if (read.kind === 'unusable') world.out(`${read.problem}. It holds no session.`);
  if (read.kind === 'state') for (const line of inWords(read.state)) world.out(line);
}

function asTheyAre(folder: string): Record<string, unknown> {
  const at = (path: string) => {
    const read = readObject(path, foreignFiles);
    return read.kind === 'object' ? read.fields : null;
  };
  const tasks = jsonFiles(`${folder}/tasks`, foreignFiles).paths;
  return {
    orchestrator: at(`${folder}/orchestrator.json`),
    loop: at(`${folder}/loop.json`),
    quality_gate: at(`${folder}/quality-gate.json`),
    tasks: tasks.map((path) => ({ file: basename(path), ...at(path) })),
  };
}

function inWords(state: RalphState): string[] {
  const { folder, orchestrator, loop, qualityGate, tasks, notes } = state;
  const verdicts = verdictsOf(state);
  const holding = verdicts.filter(blocks);
  return [
    `Session ${state.session}: ${folder}`,
    ...(orchestrator ? [`orchestrator.json: ${oneLine(orchestrator.task, 200) || 'no task'}`] : []),
    ...(orchestrator ? [`  phase '${orchestrator.phase}', verified_done ${orchestrator.verified}`] : []),
    ...(orchestrator?.conditions.known ?? []).map(({ name, summary }) => `  ${name}: ${summary}`),
    ...(loop ? [`loop.json: ${oneLine(loop.task, 200) || 'no task'}`] : []),
    ...(loop
      ? [`  iteration ${loop.iteration ?? 0} of ${loop.maxIterations}, verified_done ${loop.verified}`]
      : []),
    ...(qualityGate ? [`quality-gate.json: ${qualityGate.lastResult}`] : []),
    ...(qualityGate?.stages ?? []).map(
      ({ name, status, details }) => `  ${name}: ${status}${details ? ` - ${details}` : ''}`,
    ),
    ...(tasks ? [`tasks: ${tasks.open.length} of ${tasks.total} open`] : []),
    ...(tasks?.open ?? []).slice(0, 20).map(({ id, status, subject }) => `  [${status}] ${id}: ${subject}`),
    ...notes.map((note) => `Note: ${note}`),
    holding.length === 0
      ? 'These files do not hold the session.'
      : `Holds the session: ${sentences(verdicts)}`,
  ];
}
