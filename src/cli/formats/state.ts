import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blocks, type Verdict } from '../../engine/core/loop/verdict.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { withLock } from '../../engine/files/lock.ts';
import { userHome } from '../../engine/files/system.ts';
import { readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import { CONDITIONS } from '../../engine/formats/verified-done/conditions.ts';
import { loopPhase } from '../../engine/formats/verified-done/holding.ts';
import { stateFolder } from '../../engine/formats/verified-done/index.ts';
import { verdictsOf } from '../../engine/formats/verified-done/judge.ts';
import { DEFAULT_MAX_ITERATIONS, readState } from '../../engine/formats/verified-done/read-state.ts';
import { isTaskId } from '../../engine/formats/verified-done/tasks.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { foreignFiles } from '../../engine/project/files.ts';
import { type Assignment, parseAssignment, probablyMeant, withValues } from './state-edit.ts';

export type MainFile = 'orchestrator' | 'loop';

/** What a state command needs of the process that it runs in. */
export interface StateCall {
  env: NodeJS.ProcessEnv;
  now: number;
  out(line: string): void;
}

export interface InitOptions {
  file: MainFile;
  task: string;
  maxIterations?: number;
  complexity?: number;
  force: boolean;
}

/** Finds the session: the given one; without one, or for `-`, the one that this runs in. */
export function sessionFrom(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const session = given === undefined || given === '-' ? env.CLAUDE_CODE_SESSION_ID : given;
  if (!session) throw new UsageError('no session: name one, or run this inside Claude Code');
  folderOf(session, env);
  return session;
}

export function stateInit(session: string, options: InitOptions, world: StateCall): void {
  const { file, force } = options;
  mayWrite(session, 'init', world.env);
  checkOptions(options);
  const folder = folderOf(session, world.env);
  inFolder(folder, () => {
    const path = fileIn(folder, file);
    refuseLink(path);
    if (!force) refuseUnfinished(path, session, file);
    writeState(path, `${JSON.stringify(firstContent(session, options, world.now), null, 2)}\n`);
    world.out(`${path} written.`);
  });
  world.out(
    `Session ${session} is held until the work is declared done: untildone state complete ${session} ${file}`,
  );
}

function checkOptions({ file, task, maxIterations, complexity }: InitOptions): void {
  if (task.trim() === '') {
    throw new UsageError(
      `the task is empty; type: untildone state init SESSION ${file} "what is to be done"`,
    );
  }
  if (file === 'orchestrator' && maxIterations !== undefined) {
    throw new UsageError('--max-iterations is for loop; an orchestrator has no maximum of its own');
  }
  if (file === 'loop' && complexity !== undefined) {
    throw new UsageError('--complexity is for orchestrator; a loop has none');
  }
}

function refuseUnfinished(path: string, session: string, file: MainFile): void {
  if (readText(path) === undefined) return;
  const read = readState(dirname(path), session, foreignFiles);
  const broken =
    read.kind === 'state' ? read.state.unreadable.find(({ name }) => name === `${file}.json`) : undefined;
  const problem = read.kind === 'unusable' ? read.problem : broken?.problem;
  if (problem !== undefined) throw new UsageError(`${problem}, or begin anew with --force`);
  const finished =
    read.kind === 'state' &&
    (file === 'loop' ? loopPhase(read.state) !== 'running' : read.state.orchestrator?.verified);
  if (!finished) throw new UsageError(`${path} is not finished; go on with it, or begin anew with --force`);
}

/** Renders a new file after the schemas of the format. What is judged later is `null` until then. */
function firstContent(session: string, options: InitOptions, now: number): Record<string, unknown> {
  const { file, task, maxIterations, complexity } = options;
  const times = { created_at: stamp(now), last_updated: stamp(now) };
  if (file === 'loop') {
    return {
      session_id: session,
      task,
      iteration: 1,
      max_iterations: maxIterations ?? DEFAULT_MAX_ITERATIONS,
      validation_result: null,
      last_error: null,
      verified_done: false,
      ...times,
    };
  }
  const judgedLater = /_passed$/;
  const names = Object.keys(CONDITIONS);
  return {
    session_id: session,
    task,
    phase: 'planning',
    verified_done: false,
    conditions: Object.fromEntries(names.map((name) => [name, judgedLater.test(name) ? null : false])),
    ...(complexity === undefined ? {} : { complexity }),
    iterations: 0,
    ...times,
  };
}

export function stateSet(session: string, file: string, words: readonly string[], world: StateCall): void {
  mayWrite(session, 'set', world.env);
  const folder = folderOf(session, world.env);
  const name = fileName(file);
  const assignments = words.map(parseAssignment);
  if (assignments.length === 0) {
    throw new UsageError('nothing to set; type for example: untildone state set SESSION loop iteration=4');
  }
  if (isMain(name)) requireFile(fileIn(folder, name), session, name);
  inFolder(folder, () => setValues(fileIn(folder, name), newContent(name, session), assignments, world.now));
  for (const assignment of assignments) {
    world.out(`${name}.json: ${assignment.path.join('.')} = ${JSON.stringify(assignment.value)}`);
    const meant = probablyMeant(assignment);
    if (meant !== undefined) world.out(`Note: ${meant}`);
  }
}

/** Returns the first content of a file that `set` may make. */
function newContent(name: string, session: string): Record<string, unknown> {
  if (name === 'quality-gate') return { session_id: session, last_result: 'unknown', stages: {} };
  return { id: name.slice('tasks/'.length), status: 'pending' };
}

function setValues(
  path: string,
  ifNew: Record<string, unknown>,
  assignments: readonly Assignment[],
  now: number,
): void {
  const text = readText(path) ?? `${JSON.stringify(ifNew, null, 2)}\n`;
  const updated = { path: ['last_updated'], value: stamp(now) };
  writeState(path, withValues(text, [...assignments, updated], path));
}

/** Sets `verified_done`, which is only a claim, and names what still speaks against it. */
export function stateComplete(session: string, file: MainFile | undefined, world: StateCall): void {
  mayWrite(session, 'complete', world.env);
  const folder = folderOf(session, world.env);
  const all: readonly MainFile[] = ['orchestrator', 'loop'];
  const there = all.filter((name) => foreignFiles.look(fileIn(folder, name)) !== undefined);
  const meant = file === undefined ? there : [file];
  if (meant.length === 0) requireFile(fileIn(folder, 'loop'), session, 'loop');
  for (const name of meant) requireFile(fileIn(folder, name), session, name);
  inFolder(folder, () => {
    for (const name of meant) {
      const done: Assignment[] = [{ path: ['verified_done'], value: true }];
      if (name === 'orchestrator') done.push({ path: ['phase'], value: 'complete' });
      setValues(fileIn(folder, name), {}, done, world.now);
      world.out(`${name}.json: verified_done is set.`);
    }
  });
  for (const line of whatIsOpen(folder, session)) world.out(line);
}

function whatIsOpen(folder: string, session: string): string[] {
  const read = readState(folder, session, foreignFiles);
  if (read.kind === 'unusable') return [read.problem];
  const open = read.kind === 'state' ? verdictsOf(read.state).filter(blocks) : [];
  if (open.length === 0) {
    return [
      'Nothing in these files holds the session now. When it stops, uncommitted changes (beside an orchestrator.json) and the gates of untildone.yaml are judged.',
    ];
  }
  return ['Still open, so the session is still held:', ...open.flatMap(openLines)];
}

function openLines({ gate, summary, evidence, next }: Verdict): string[] {
  return [
    `  ${gate}: ${summary}`,
    ...(evidence ?? []).flatMap((line) => line.split('\n')).map((line) => `    ${line}`),
    ...(next === undefined ? [] : [`    ${next}`]),
  ];
}

/** Lets the agent write the state of its own session. Only you may write that of another one. */
function mayWrite(session: string, command: string, env: NodeJS.ProcessEnv): void {
  if (session === env.CLAUDE_CODE_SESSION_ID) return;
  refuseInsideClient(`state ${command} ${session}`, homeFrom(env), env);
}

export function folderOf(session: string, env: NodeJS.ProcessEnv): string {
  const folder = stateFolder({ session, userHome: userHome(env) });
  if (folder === undefined) {
    throw new UsageError(`"${session}" is not a session id; expected letters, digits, - and _`);
  }
  return folder;
}

/** Reads `orchestrator`, `loop`, `quality-gate` or `tasks/ID`, with or without `.json`. */
function fileName(word: string): string {
  const name = word.replace(/\.json$/, '');
  if (isMain(name) || name === 'quality-gate') return name;
  if (name.startsWith('tasks/') && isTaskId(name.slice('tasks/'.length))) return name;
  throw new UsageError(
    `"${word}" is no file of the state; type orchestrator, loop, quality-gate or tasks/ID`,
  );
}

export function isStateFile(word: string): boolean {
  return /^(?:orchestrator|loop|quality-gate|tasks\/.*?)(?:\.json)?$/.test(word);
}

export function isMain(word: string | undefined): word is MainFile {
  return word === 'orchestrator' || word === 'loop';
}

function fileIn(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}

function requireFile(path: string, session: string, name: MainFile): void {
  if (readText(path) !== undefined) return;
  throw new UsageError(
    `there is no ${path}; type: untildone state init ${session} ${name} "what is to be done"`,
  );
}

/** Runs `body` alone in the folder: two calls at the same time must not lose each other's keys. */
function inFolder(folder: string, body: () => void): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  withLock(join(folder, '.untildone.lock'), body);
}

function readText(path: string): string | undefined {
  refuseLink(path);
  return readSmall(path);
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new UsageError(
      `${path} is a symbolic link, which is never written through; put the file itself there`,
    );
  }
}

function writeState(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  writeWhole(path, text, mode === undefined ? 0o600 : mode & 0o777);
}

/** `2026-02-14T10:00:00Z`. */
function stamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+/, '');
}
