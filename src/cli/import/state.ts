import { basename, join } from 'node:path';
import { readSettings, replaceSettings } from '../../client/settings/files.ts';
import { readContract } from '../../contract/contract-file.ts';
import { addToContract, newContract } from '../../contract/edit.ts';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { proposeContract } from '../../core/contract/propose.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { ALL_DIALECTS } from '../../formats/all.ts';
import type { Dialect, DialectName, ForeignLoop, Place } from '../../formats/format.ts';
import { claimFiles } from '../../home/claims.ts';
import { ImportRecord } from '../../home/import-record.ts';
import { start } from '../../hook/start/start.ts';
import { placeHere } from '../../hook/wiring/world.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { projectFacts } from '../../project/facts/project-facts.ts';
import { foreignFiles } from '../../project/files.ts';
import { type ConvertedState, convertState, filesOfState } from './import-conversion.ts';
import type { ImportIo, ImportOptions, ImportResult, ImportWorld } from './import-report.ts';
import { diffLines, endBeforeWriting } from './import-report.ts';

interface FoundState {
  dialect: Dialect;
  path: string;
  place: Place;
  loop: ForeignLoop;
}

/** A foreign state as a contract and, where its session is known, as a loop of our own that goes on where it was. */
export async function importState(
  name: DialectName,
  options: ImportOptions,
  world: ImportWorld,
  io: ImportIo,
): Promise<ImportResult> {
  const { out } = io;
  const found = findState(name, options.session, world);
  const session = options.session ?? found.loop.owner ?? claimFiles(world.home).of(found.path)?.session;
  const alive = session === undefined ? undefined : world.store.aliveLoopOf(session);
  if (alive) throw new UsageError(`session ${session} already has a living loop: ${alive.loop}`);
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
  return { exitCode, ...(isNew ? { contractWritten: true as const } : {}) };
}

export interface StateLine {
  name: DialectName;
  path: string;
  words: string;
}

/** The states that lie here, whether or not they can be used. */
export function foreignStates(world: ImportWorld, session: string | undefined): StateLine[] {
  const place = placeHere(world, session);
  return ALL_DIALECTS.flatMap((dialect) => {
    const path = dialect.path(place);
    const reading = path === undefined ? undefined : dialect.read(place, foreignFiles);
    if (path === undefined || !reading || reading.kind === 'none') return [];
    const words =
      reading.kind === 'unusable'
        ? oneLine(reading.problem, PREVIEW)
        : (reading.loop.rest ?? oneLine(reading.loop.task, 80));
    return [{ name: dialect.name, path, words }];
  });
}

function findState(name: DialectName, session: string | undefined, world: ImportWorld): FoundState {
  const dialect = ALL_DIALECTS.find((each) => each.name === name);
  const place = placeHere(world, session);
  const path = dialect?.path(place);
  if (!dialect || path === undefined) {
    throw new UsageError(
      `the state of ${name} belongs to a session; name it: untildone import --from ${name} --session ID`,
    );
  }
  const reading = dialect.read(place, foreignFiles);
  if (reading.kind === 'none') throw new UsageError(`there is no state of ${name} at ${path}`);
  if (reading.kind === 'unusable') throw new UsageError(reading.problem);
  if (reading.loop.rest !== undefined) throw new UsageError(`${path} asks for nothing: ${reading.loop.rest}`);
  return { dialect, path, place, loop: reading.loop };
}

function contractText(
  before: string | undefined,
  { additions, proposed }: ConvertedState,
  name: DialectName,
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

function sayHowToStart(name: DialectName, out: (line: string) => void): number {
  out(`The state names no session and stays where it is. In the session that is to go on: untildone start`);
  out(`Or name it here: untildone import --from ${name} --session ID (shown by /status in Claude Code)`);
  return 0;
}

/** The loop comes first: files are only put away when something else holds the session. */
async function takeOver(
  found: FoundState,
  session: string,
  { limits, aside }: ConvertedState,
  record: ImportRecord,
  world: ImportWorld,
  out: (line: string) => void,
): Promise<number> {
  const before = livingLoop(found.path, world);
  if (aside !== undefined) {
    // The contract names the list where it will be.
    record.setAside(found.path, aside);
    out(`Renamed ${found.path} to ${aside}.`);
  }
  const exitCode = await start(
    {
      task: found.loop.task,
      session,
      project: world.project,
      maxIterations: limits.iterations,
      ...(limits.durationMs === undefined ? {} : { maxDuration: limits.durationMs }),
    },
    world,
    out,
  );
  const ref = exitCode === 0 ? world.store.loopOfSession(session) : undefined;
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
  return 0;
}

function livingLoop(
  path: string,
  { home, store }: ImportWorld,
): { ref: LoopRef; state: LoopState } | undefined {
  const dir = claimFiles(home).of(path)?.loopDir;
  if (dir === undefined) return undefined;
  const ref = { loop: basename(dir), dir };
  const state = store.read(ref);
  return hasEnded(state) ? undefined : { ref, state };
}

function putAway(
  { dialect, path, place }: FoundState,
  record: ImportRecord,
  out: (line: string) => void,
): void {
  for (const file of filesOfState(dialect.name, path, place)) {
    record.move(file);
    out(`Moved ${file} to ${record.dir}.`);
  }
}
