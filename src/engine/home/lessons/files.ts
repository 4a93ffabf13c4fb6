/**
 * The lessons of a project, in its folder of the home: `lessons-loops.json`, the digests of the loops that they are made
 * from, and `lessons.json`, what you decided about them. Both are sealed: their words become instructions.
 */

import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CONTRACT_FILE, type Contract, type FrozenContract } from '../../core/contract/contract.ts';
import { digestOf, type FindFile, type JudgedStop, type LoopDigest } from '../../core/lessons/digest.ts';
import {
  type Dropped,
  droppedNow,
  type Lesson,
  type LessonChoices,
  lessonsFrom,
  lessonWords,
} from '../../core/lessons/lesson.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { withLock } from '../../files/lock.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import type { LessonsFor, LoopRef } from '../../ports/ports.ts';
import { lineCheck } from '../journal/file.ts';
import { type Home, projectFolder, readKey, sealedJson, unsealedJson } from '../layout.ts';
import { isTrusted, trustedContract } from '../trust.ts';

/** So many ended loops are remembered. */
const MOST_LOOPS = 60;
const LOCK_MS = 2_000;

export interface ProjectLessons {
  lessons: Lesson[];
  dropped: Dropped[];
  /** How many ended loops are remembered. */
  loops: number;
}

/** The lessons of a project folder that hold now, and those that were dropped. */
export function readLessons(home: Home, folder: string, now: number): ProjectLessons {
  const choices = readChoices(folder, home);
  const digests = readDigests(folder, home);
  return {
    lessons: lessonsFrom(digests, choices, now),
    dropped: droppedNow(choices.dropped, now),
    loops: digests.length,
  };
}

/** `lessons.json`. In files of older versions, `lessons` holds those that nobody pinned, too. */
interface ChoicesFile {
  v: 1;
  lessons: Lesson[];
  dropped: Dropped[];
}

function readChoices(folder: string, home: Home): LessonChoices {
  const text = readSmall(choicesFile(folder));
  const file = text && unsealedJson<ChoicesFile>(text, purpose(folder, 'lessons'), readKey(home));
  if (!file) return { pinned: [], dropped: [] };
  return { pinned: file.lessons.filter(({ pinned }) => pinned), dropped: file.dropped };
}

function readDigests(folder: string, home: Home): LoopDigest[] {
  const text = readSmall(digestsFile(folder));
  const digests = text && unsealedJson<LoopDigest[]>(text, purpose(folder, 'loops'), readKey(home));
  return (digests || []).map(fromOlder);
}

/** Older versions kept rules and files with counts. They looked for a file in the project later than this one does: it is left out. */
function fromOlder(digest: LoopDigest): LoopDigest {
  const gates = Object.entries(digest.gates).map(([name, { held, at, rules, files }]) => {
    const isOlder = !Array.isArray(rules);
    return [name, { held, at, rules: isOlder ? Object.keys(rules) : rules, files: isOlder ? [] : files }];
  });
  return { ...digest, gates: Object.fromEntries(gates) };
}

/** Changes what you decided about lessons, under their lock. */
export function chooseLessons(
  home: Home,
  folder: string,
  now: number,
  change: (lessons: readonly Lesson[], choices: LessonChoices) => LessonChoices,
): void {
  underLock(folder, () => {
    const before = readChoices(folder, home);
    const { pinned, dropped } = change(readLessons(home, folder, now).lessons, before);
    const file: ChoicesFile = { v: 1, lessons: pinned, dropped };
    writeWhole(choicesFile(folder), sealedJson(file, purpose(folder, 'lessons'), readKey(home)));
  });
}

/** Adds the digest of an ended loop. A run that was reopened ends once more. */
export function rememberLoop(home: Home, folder: string, digest: LoopDigest): void {
  underLock(folder, () => {
    const others = readDigests(folder, home).filter(({ loop }) => loop !== digest.loop);
    const digests = [...others, digest].sort((a, b) => a.at - b.at).slice(-MOST_LOOPS);
    writeWhole(digestsFile(folder), sealedJson(digests, purpose(folder, 'loops'), readKey(home)));
  });
}

function underLock(folder: string, change: () => void): void {
  withLock(join(folder, 'lessons.lock'), change, LOCK_MS);
}

/** What is read of a loop to learn from it. */
export interface LearningStore {
  read(ref: LoopRef): LoopState;
  contract(ref: LoopRef): FrozenContract;
  journalFile(ref: LoopRef): string;
}

/**
 * Learns from a loop that has just ended, unless nothing in it had to be trusted. Reads its journal once. Never throws: a
 * lesson is no reason to fail.
 */
export function learnFromEnd(home: Home, ref: LoopRef, store: LearningStore): void {
  try {
    const state = store.read(ref);
    const { contract, frozen } = store.contract(ref);
    if (state.gates.length === 0 || frozen.fingerprint === '' || contract.lessons === false) return;
    const stops = judgedStops(store.journalFile(ref), readKey(home));
    const digest = digestOf(state, stops, contract, findIn(frozen.project));
    if (digest) rememberLoop(home, folderOf(ref), digest);
  } catch {
    // The next loop teaches the same, if it is still true then.
  }
}

const STOP = '"kind":"stop"';

function* judgedStops(path: string, key: string): Generator<JudgedStop> {
  const check = lineCheck(path, key);
  let iteration = 1;
  for (const text of (readSmall(path) ?? '').split('\n')) {
    // Most lines of a long journal are tool calls: only those of Stops are parsed.
    const line = text.includes(STOP) ? check(text) : undefined;
    if (line?.entry.kind !== 'stop') continue;
    yield { iteration, verdicts: line.entry.verdicts };
    iteration = line.state.iteration;
  }
}

/** Finds the path below the project of a file that evidence names. Evidence of clean rooms names it below another folder. */
function findIn(project: string): FindFile {
  return (named) => {
    const parts = named.split('/').filter((part) => part !== '');
    const first = named.startsWith('/') ? parts.length : 1;
    for (let from = 0; from < Math.min(first, 16); from++) {
      const path = parts.slice(from).join('/');
      if (isFile(join(project, path))) return path;
    }
    return undefined;
  };
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

export function lessonsFor(home: Home): LessonsFor {
  return {
    session(project, now) {
      const folder = projectFolder(home, project);
      const { lessons } = readLessons(home, folder, now);
      const contract = lessons.length === 0 ? undefined : trustedNow(home, project);
      return contract && lessonWords(lessons, contract);
    },
    loop(ref, contract, now) {
      try {
        return lessonWords(readLessons(home, folderOf(ref), now).lessons, contract);
      } catch {
        return undefined;
      }
    },
  };
}

/** The contract that you trusted last, as long as you do, and unless untildone.yaml says by now that lessons are off. */
function trustedNow(home: Home, project: string): Contract | undefined {
  const trusted = trustedContract(home, project);
  if (!trusted || !isTrusted(home, project, trusted.frozen.fingerprint)) return undefined;
  const written = readSmall(join(project, CONTRACT_FILE)) ?? '';
  return /^lessons:[ \t]*false\b/im.test(written) ? undefined : trusted.contract;
}

function folderOf(ref: LoopRef): string {
  return dirname(dirname(ref.dir));
}

function choicesFile(folder: string): string {
  return join(folder, 'lessons.json');
}

function digestsFile(folder: string): string {
  return join(folder, 'lessons-loops.json');
}

/** What is sealed in one project does not count in another. */
function purpose(folder: string, what: string): string {
  return `${what} of ${basename(folder)}`;
}
