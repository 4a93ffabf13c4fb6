/** What a contract's `setup` makes (dependencies, as a rule): made once for the content of its inputs, then laid into rooms. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { oneLine } from '../../core/text/clip.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { firstErrorLines } from '../../core/text/first-error.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import { sha256 } from '../../files/digest.ts';
import { namesIn, readSmall, writeWhole } from '../../files/whole-file.ts';
import { sealedJson, unsealedJson } from '../../home/layout.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { TreeFile } from '../../ports/rooms.ts';
import { type FoundDependencies, type FoundStore, layFound } from './found.ts';
import {
  compareManifests,
  copyFolder,
  type Manifest,
  manifestOf,
  parseManifest,
  renderManifest,
  restore,
} from './manifest.ts';

export interface Setup {
  /** One after the other. */
  run: readonly string[];
  /** Globs of the files that the setup reads. It finds no others. */
  inputs: readonly string[];
  /** Dependencies of the start that are there before the first command. */
  found?: FoundDependencies & { store: FoundStore };
  /** Commands of ours that only save time later: they may fail. */
  warmUp?: readonly string[];
}

/** The folders of one place for rooms. Their paths never change: programs write absolute paths into what they install. */
export interface Place {
  project: string;
  home: string;
  /** What setups made, a folder each. */
  setups: string;
}

export interface SetupWorld {
  /** Seals what is kept, so that a change by somebody else shows. */
  key: string;
  /** Writes these files of the tree into a folder. */
  writeFiles(files: readonly TreeFile[], folder: string): Promise<void>;
  run(command: string, place: Place): Promise<ShellResult>;
}

/** The most setups that one place keeps: a change of dependencies needs the old ones and the new ones. */
const MOST_KEPT = 4;

/** The name of what a setup makes from these files on this machine. */
export function setupName({ run, inputs, found, warmUp }: Setup, files: readonly TreeFile[]): string {
  const machine = [process.platform, process.arch, process.version];
  const content = files.map(({ path, mode, blob }) => [path, mode, blob]);
  const all = [
    run,
    inputs,
    machine,
    content,
    ...(found ? [found.name, found.packages?.digest ?? null] : []),
    ...(warmUp ? [warmUp] : []),
  ];
  return sha256(JSON.stringify(all)).slice(0, 24);
}

export function inputFiles({ run, inputs, found }: Setup, tree: readonly TreeFile[]): TreeFile[] {
  const fits = pathMatcher(inputs);
  const files = tree.filter(({ path }) => fits(path));
  if (files.length > 0 || (found && run.length === 0)) return files;
  throw new Unmeasurable(
    `the setup ${named(run)} has no inputs: no file of the project fits ${inputs.join(', ')}`,
  );
}

/**
 * Makes sure that the place holds what the setup makes, whole and unchanged, and returns its folder. The first time runs
 * the setup in the place itself, with its inputs alone. Later times compare every file with the record of that time.
 */
export async function prepareSetup(
  setup: Setup,
  tree: readonly TreeFile[],
  place: Place,
  world: SetupWorld,
): Promise<string> {
  const files = inputFiles(setup, tree);
  const folder = join(place.setups, setupName(setup, files));
  if (!isWhole(folder, world.key)) await make(setup, files, place, folder, world);
  const now = new Date();
  utimesSync(folder, now, now);
  forgetOldest(place.setups);
  return folder;
}

interface Kept {
  used: string;
  copy: string;
}

const partsOf = (folder: string) =>
  ['project', 'home'].map((part) => ({
    used: join(folder, 'used', part),
    copy: join(folder, 'copy', part),
  }));

/** Brings back what was changed since the setup ran. False: it has to run again. */
function isWhole(folder: string, key: string): boolean {
  try {
    const text = readSmall(join(folder, 'record'), RECORD_LIMIT) ?? '';
    const record = unsealedJson<Record<string, string>>(text, purposeOf(folder), key);
    if (!record) return false;
    const parts = partsOf(folder).map((part) => heal(part, record));
    if (parts.includes('lost')) return false;
    if (parts.includes('healed')) keepRecord(folder, key);
    return true;
  } catch {
    return false;
  }
}

const RECORD_LIMIT = 512 * 1024 * 1024;

function heal({ used, copy }: Kept, record: Record<string, string>): 'whole' | 'healed' | 'lost' {
  mkdirSync(used, { recursive: true, mode: 0o700 });
  const changes = compareManifests(parseManifest(record[used] ?? '[]'), manifestOf(used));
  if (changes.added.length + changes.lost.length === 0) return 'whole';
  // Of dependencies as found there is no second copy: the clone of the start is one.
  if (!existsSync(copy)) {
    if (changes.lost.length > 0) return 'lost';
    restore(used, copy, changes);
    return 'healed';
  }
  const inCopy = compareManifests(parseManifest(record[copy] ?? '[]'), manifestOf(copy));
  if (inCopy.added.length + inCopy.lost.length > 0) return 'lost';
  restore(used, copy, changes);
  return 'healed';
}

function keepRecord(folder: string, key: string): void {
  const paths = partsOf(folder).flatMap(({ used, copy }) => [used, copy]);
  const record = Object.fromEntries(
    paths.filter((path) => existsSync(path)).map((path) => [path, renderManifest(manifestOf(path))]),
  );
  writeWhole(join(folder, 'record'), sealedJson(record, purposeOf(folder), key));
}

function purposeOf(folder: string): string {
  return `setup ${folder}`;
}

async function make(
  setup: Setup,
  files: readonly TreeFile[],
  place: Place,
  folder: string,
  world: SetupWorld,
): Promise<void> {
  for (const path of [folder, place.project, place.home]) rmSync(path, { recursive: true, force: true });
  for (const path of [place.project, place.home]) mkdirSync(path, { recursive: true, mode: 0o700 });
  await world.writeFiles(files, place.project);
  const before = manifestOf(place.project);
  if (setup.found) layFound(setup.found, place.project, setup.found.store);
  for (const command of setup.run) {
    const result = await world.run(command, place);
    if (result.exitCode !== 0) throw failedSetup(command, result);
  }
  for (const command of setup.warmUp ?? []) await world.run(command, place);
  takeInputsOut(setup, before, place.project);
  mkdirSync(join(folder, 'used'), { recursive: true, mode: 0o700 });
  renameSync(place.project, join(folder, 'used', 'project'));
  renameSync(place.home, join(folder, 'used', 'home'));
  if (setup.run.length > 0 || setup.warmUp)
    for (const { used, copy } of partsOf(folder)) copyFolder(used, copy);
  keepRecord(folder, world.key);
}

function named(commands: readonly string[]): string {
  return `\`${commands.join(' && ')}\``;
}

/** Says first what the command says first of what is wrong. */
function failedSetup(command: string, result: ShellResult): Unmeasurable {
  const [first, ...rest] = firstErrorLines(result.output, LINES_SHOWN);
  const why = first === undefined ? '' : `: ${oneLine(first, FIRST_LENGTH)}`;
  const evidence = first === undefined ? lastLines(result.output) : rest;
  return new Unmeasurable(`the setup ${named([command])} ${howEnded(result)}${why}`, evidence);
}

function lastLines(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-LINES_SHOWN);
}

const FIRST_LENGTH = 200;
const LINES_SHOWN = 12;

function howEnded({ exitCode, endedBy }: ShellResult): string {
  if (exitCode !== undefined) return `fails with exit code ${exitCode}`;
  return endedBy === 'timeout' || endedBy === 'abort' ? 'did not end in time' : 'could not be run';
}

/** Leaves what the setup made. A setup that changes its own inputs would make something else the next time. */
function takeInputsOut({ run }: Setup, inputs: Manifest, project: string): void {
  const now = manifestOf(project);
  for (const [path, stamp] of inputs) {
    if (stamp === 'folder') continue;
    if (now.get(path) !== stamp)
      throw new Unmeasurable(`the setup ${named(run)} changes ${path}, which is one of its inputs`);
    rmSync(join(project, path));
  }
  const folders = [...inputs].filter(([, stamp]) => stamp === 'folder').map(([path]) => path);
  for (const path of folders.toReversed())
    if (readdirSync(join(project, path)).length === 0) rmSync(join(project, path), { recursive: true });
}

/** What moves into the room, and back: paths below `project`, and the home. Where the tree has such a file, the tree's stays. */
export function plannedMoves(folder: string, project: string): string[] {
  const moves: string[] = [];
  const visit = (inside: string) => {
    for (const entry of readdirSync(join(folder, 'used', 'project', inside), { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const there = lstatSync(join(project, path), { throwIfNoEntry: false });
      if (!there) moves.push(path);
      else if (entry.isDirectory() && there.isDirectory()) visit(path);
    }
  };
  visit('');
  return moves;
}

export function layIn(folder: string, place: Place, moves: readonly string[]): void {
  for (const path of moves) renameSync(join(folder, 'used', 'project', path), join(place.project, path));
  rmSync(place.home, { recursive: true, force: true });
  renameSync(join(folder, 'used', 'home'), place.home);
}

/** Moves back what is still there. What a command destroyed, and what never moved, is restored at the next use. */
export function takeOut(folder: string, place: Place, moves: readonly string[]): void {
  for (const path of moves) moveBack(join(place.project, path), join(folder, 'used', 'project', path));
  moveBack(place.home, join(folder, 'used', 'home'));
}

function moveBack(from: string, to: string): void {
  try {
    if (lstatSync(to, { throwIfNoEntry: false })) return;
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    renameSync(from, to);
  } catch {
    // The next use finds it missing.
  }
}

function forgetOldest(setups: string): void {
  const byAge = namesIn(setups)
    .map((name) => ({ path: join(setups, name), at: statSync(join(setups, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of byAge.slice(MOST_KEPT)) rmSync(path, { recursive: true, force: true });
}
