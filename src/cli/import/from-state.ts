import { lstatSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readSettings, replaceSettings } from '../../client/settings/files.ts';
import { addToContract, type ContractAdditions, newContract } from '../../contract/edit.ts';
import { readContract } from '../../contract/read.ts';
import { CONTRACT_FILE, type Contract, type Limit, promisesOf } from '../../core/contract/contract.ts';
import { proposeContract } from '../../core/contract/propose.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { freeName } from '../../files/whole-file.ts';
import { ALL_FORMATS } from '../../formats/all.ts';
import type { ForeignLoop, FormatName, StateFormat, StatePlace } from '../../formats/format.ts';
import { lockPaths } from '../../formats/lock/lock-files.ts';
import { claimFiles } from '../../home/claims.ts';
import { ImportRecord } from '../../home/records/import-record.ts';
import { start } from '../../hook/start/start.ts';
import { placeHere, type World } from '../../hook/wiring/world.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { projectFacts } from '../../project/facts/project-facts.ts';
import { foreignFiles } from '../../project/files.ts';
import {
  diffLines,
  endBeforeWriting,
  type ImportIo,
  type ImportOptions,
  type ImportResult,
} from './report.ts';

interface FoundState {
  format: StateFormat;
  path: string;
  place: StatePlace;
  loop: ForeignLoop;
}

/** Imports a state file as a contract and, when its session is known, as a loop that goes on where the state was. */
export async function importState(
  name: FormatName,
  options: ImportOptions,
  world: World,
  io: ImportIo,
): Promise<ImportResult> {
  const { out } = io;
  const found = findState(name, options.session, world);
  const session = options.session ?? found.loop.owner ?? claimFiles(world.home).of(found.path)?.session;
  const active = session === undefined ? undefined : world.store.activeLoopOf(session);
  if (active) throw new UsageError(`session ${session} already has an active loop: ${active.loop}`);
  const contract = readContract(world.project);
  const converted = convertState(name, found.path, found.loop, world.project, contract?.contract);
  const file = readSettings(join(world.project, CONTRACT_FILE));
  const text = contractText(file.text, converted, name, world.project);
  for (const line of shown(found, converted, session)) out(line);
  for (const line of diffLines(file.path, file.text, text)) out(line);
  const question =
    session === undefined
      ? `Write this to ${CONTRACT_FILE}?`
      : `Write this, and start the loop for session ${session}?`;
  const ended = await endBeforeWriting(options, question, io);
  if (ended) return ended;
  const record = ImportRecord.begin(world.home, world.project, name, world.clock.now());
  const isNew = file.text !== text;
  if (isNew) {
    record.keep(file.path, text);
    replaceSettings(file, text);
    out(`Wrote ${CONTRACT_FILE}.`);
  }
  const exitCode =
    session === undefined
      ? sayHowToStart(name, out)
      : await takeOver(found, session, converted, record, world, out);
  out(`The old files are kept in ${record.dir}. To go back: untildone import --undo`);
  return { exitCode, contractWritten: isNew ? (true as const) : undefined };
}

interface StateLine {
  name: FormatName;
  path: string;
  words: string;
}

/** Lists the state files here, whether or not they can be used. */
export function foreignStates(world: World, session: string | undefined): StateLine[] {
  const place = placeHere(world, session);
  return ALL_FORMATS.flatMap((format) => {
    const path = format.path(place);
    const reading = path === undefined ? undefined : format.read(place, foreignFiles);
    if (path === undefined || !reading || reading.kind === 'none') return [];
    const words =
      reading.kind === 'unusable'
        ? oneLine(reading.problem, PREVIEW)
        : (reading.loop.rest ?? oneLine(reading.loop.task, 80));
    return [{ name: format.name, path, words }];
  });
}

function findState(name: FormatName, session: string | undefined, world: World): FoundState {
  const format = ALL_FORMATS.find((each) => each.name === name);
  const place = placeHere(world, session);
  const path = format?.path(place);
  if (!format || path === undefined) {
    throw new UsageError(
      `every session has its own state of ${name}; name the session: untildone import --from ${name} --session ID`,
    );
  }
  const reading = format.read(place, foreignFiles);
  if (reading.kind === 'none') throw new UsageError(`there is no state of ${name} at ${path}`);
  if (reading.kind === 'unusable') throw new UsageError(reading.problem);
  if (reading.loop.rest !== undefined) throw new UsageError(`${path} asks for nothing: ${reading.loop.rest}`);
  return { format, path, place, loop: reading.loop };
}

function contractText(
  before: string | undefined,
  { additions, proposed }: ConvertedState,
  name: FormatName,
  project: string,
): string {
  if (before !== undefined) return addToContract(before, additions);
  if (proposed) return addToContract(proposeContract(projectFacts(project)), additions);
  return newContract(additions, `What the state of ${name} asked for, made by: untildone import`);
}

const PREVIEW = 300;

function shown({ path, loop }: FoundState, { notes }: ConvertedState, session: string | undefined): string[] {
  return [
    `Found ${path}: ${session === undefined ? 'it names no session' : `of session ${session}`}, iteration ${loop.iteration ?? 'not counted'} of ${loop.maxIterations}`,
    ...keepShort(loop.task, PREVIEW)
      .split('\n')
      .map((line) => `  ${line.replace(/\p{Cc}/gu, ' ')}`),
    ...[...loop.notes, ...notes].map((note) => `Note: ${note}`),
  ];
}

function sayHowToStart(name: FormatName, out: (line: string) => void): number {
  out(`The state names no session and stays where it is. In the session that is to go on: untildone start`);
  out(`Or name it here: untildone import --from ${name} --session ID (shown by /status in Claude Code)`);
  return EXIT.ok;
}

/** Starts the loop, and only then puts the state files away: something has to hold the session all the time. */
async function takeOver(
  found: FoundState,
  session: string,
  { limits, aside }: ConvertedState,
  record: ImportRecord,
  world: World,
  out: (line: string) => void,
): Promise<number> {
  const before = activeLoop(found.path, world);
  if (aside !== undefined) {
    // First, because the contract names the new place of the list.
    record.setAside(found.path, aside);
    out(`Renamed ${found.path} to ${aside}.`);
  }
  const exitCode = await start(
    {
      task: found.loop.task,
      session,
      project: world.project,
      maxIterations: limits.iterations,
      maxDuration: limits.durationMs,
    },
    world,
    out,
  );
  const ref = exitCode === EXIT.ok ? world.store.loopOfSession(session) : undefined;
  if (!ref) {
    out(`No loop was started; the state is still in ${aside ?? found.path}.`);
    return exitCode;
  }
  record.started(ref.loop);
  const counted = Math.max(1, found.loop.iteration ?? 0, before?.state.iteration ?? 0);
  if (counted > 1) world.store.append(ref, () => ({ kind: 'synced', iteration: counted }));
  if (before) {
    const detail = `it goes on as loop ${ref.loop}`;
    world.store.append(before.ref, () => ({ kind: 'withdrawn', cause: 'state_replaced', detail }));
  }
  if (aside === undefined) putAway(found, record, out);
  world.store.mark(session, true);
  return EXIT.ok;
}

function activeLoop(path: string, { home, store }: World): { ref: LoopRef; state: LoopState } | undefined {
  const dir = claimFiles(home).of(path)?.loopDir;
  if (dir === undefined) return undefined;
  const ref = { loop: basename(dir), dir };
  const state = store.read(ref);
  return hasEnded(state) ? undefined : { ref, state };
}

function putAway(
  { format, path, place }: FoundState,
  record: ImportRecord,
  out: (line: string) => void,
): void {
  for (const file of filesOfState(format.name, path, place)) {
    record.move(file);
    out(`Moved ${file} to ${record.dir}.`);
  }
}

/** What a state becomes in a contract. */
interface ConvertedState {
  additions: ContractAdditions;
  /** The state has no gates of its own: without a contract, gates that fit the project are proposed. */
  proposed: boolean;
  limits: { iterations: Limit; durationMs?: Limit };
  /** The new name of what was found. Absent: its files are moved into the home. */
  aside?: string;
  notes: string[];
}

function convertState(
  name: FormatName,
  path: string,
  loop: ForeignLoop,
  project: string,
  contract: Contract | undefined,
): ConvertedState {
  const iterations = loop.limits.iterations ?? loop.maxIterations;
  const durationMs = loop.limits.durationMs;
  const limits = { iterations, durationMs };
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

const NOTES: Record<FormatName, string[]> = {
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

/** Returns where the list will be. When `current` is a link, only the link is put aside. */
function listPath(path: string, aside: string, project: string): string {
  const folder = lstatSync(path).isSymbolicLink() ? foreignFiles.realPath(path) : aside;
  const list = relative(project, join(folder, 'feature_list.json'));
  if (list.startsWith('..')) {
    throw new UsageError(`${folder} is outside of ${project}: move the list into the project first`);
  }
  return list;
}

const MOST_FILES = 1000;

/** Lists the files of a state. */
function filesOfState(name: FormatName, path: string, { folder }: StatePlace): string[] {
  if (name === 'lock') {
    const { active, goal, message, continuation } = lockPaths(folder);
    // The lock first: without it the others mean nothing.
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
