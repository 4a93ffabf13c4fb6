/**
 * The lessons of a project, in its folder of the home: `lessons.json`, which sessions are told from, and
 * `lessons-loops.json`, the digests of the loops that they are made from. Both are sealed: their words become instructions.
 */

import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CONTRACT_FILE, type FrozenContract } from '../../core/contract/contract.ts';
import {
  digestOf,
  type Lesson,
  type LessonsKept,
  type LoopDigest,
  NO_LESSONS,
  renewed,
  sentence,
} from '../../core/lessons/lesson.ts';
import { chosen, lessonWords } from '../../core/lessons/telling.ts';
import type { LessonsTold, LoopState } from '../../core/loop/state.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { withLock } from '../../files/lock.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import type { LessonsFor, LoopRef } from '../../ports/ports.ts';
import { type Home, projectFolder, readKey, sealedJson, unsealedJson } from '../layout.ts';
import { isTrusted, trustedContract } from '../trust.ts';

/** So many ended loops are remembered. */
const MOST_LOOPS = 60;
/** A loop whose end was written just before a crash is taken in with the next one; so far back is looked. */
const LOOK_BACK = 20;
const LOCK_MS = 2_000;

export interface LessonFiles {
  kept: LessonsKept;
  /** Oldest first. */
  loops: LoopDigest[];
}

export function readLessons(home: Home, folder: string): LessonFiles {
  return { kept: readKept(folder, home), loops: readLoops(folder, home) };
}

function readKept(folder: string, home: Home): LessonsKept {
  const text = readSmall(keptFile(folder));
  return (text && unsealedJson<LessonsKept>(text, purpose(folder, 'lessons'), readKey(home))) || NO_LESSONS;
}

function readLoops(folder: string, home: Home): LoopDigest[] {
  const text = readSmall(loopsFile(folder));
  return (text && unsealedJson<LoopDigest[]>(text, purpose(folder, 'loops'), readKey(home))) || [];
}

/** Changes the lessons under their lock. Undefined: nothing is written. */
export function changeLessons<T>(
  home: Home,
  folder: string,
  change: (files: LessonFiles) => { files?: Partial<LessonFiles>; result: T },
): T {
  return withLock(
    join(folder, 'lessons.lock'),
    () => {
      const before = readLessons(home, folder);
      const { files = {}, result } = change(before);
      const key = readKey(home);
      if (files.loops) writeWhole(loopsFile(folder), sealedJson(files.loops, purpose(folder, 'loops'), key));
      if (files.kept && JSON.stringify(files.kept) !== JSON.stringify(before.kept))
        writeWhole(keptFile(folder), sealedJson(files.kept, purpose(folder, 'lessons'), key));
      return result;
    },
    LOCK_MS,
  );
}

/** What lessons read of a loop. */
export interface LearningStore {
  read(ref: LoopRef): LoopState;
  contract(ref: LoopRef): FrozenContract;
  /** The loops of this project folder, ended ones included. */
  loopsIn(folder: string): LoopRef[];
}

/**
 * Learns from a loop that has just ended, and from earlier ones that ended without being learned from. Reads the last line
 * of their journals only. Never throws: a lesson is no reason to fail.
 */
export function learnFromEnd(home: Home, ref: LoopRef, store: LearningStore, now: number): void {
  try {
    // Nothing was judged in it.
    if (!store.read(ref).tally) return;
    const folder = folderOf(ref);
    changeLessons(home, folder, (files) => {
      // A run that was reopened has ended once more.
      const others = files.loops.filter(({ loop }) => loop !== ref.loop);
      const loops = withNewEnds(others, store, folder);
      const { project } = store.contract(ref).frozen;
      const kept = renewed(files.kept, loops, now, (named) => fileIn(project, named));
      return { files: { loops, kept }, result: undefined };
    });
  } catch {
    // The next ending learns from this loop, too.
  }
}

function withNewEnds(known: readonly LoopDigest[], store: LearningStore, folder: string): LoopDigest[] {
  const refs = store
    .loopsIn(folder)
    .sort((a, b) => (a.loop < b.loop ? 1 : -1))
    .slice(0, LOOK_BACK);
  const ends = refs.flatMap((ref) => (known.some(({ loop }) => loop === ref.loop) ? [] : endOf(ref, store)));
  return [...known, ...ends].sort((a, b) => a.at - b.at).slice(-MOST_LOOPS);
}

/** Nothing for a loop that goes on, or that cannot be read, or that ran nothing which you had to trust. */
function endOf(ref: LoopRef, store: LearningStore): LoopDigest[] {
  try {
    const state = store.read(ref);
    const { contract, frozen } = store.contract(ref);
    if (!state.tally || frozen.fingerprint === '' || contract.lessons === false) return [];
    return [digestOf(ref.loop, state, contract) ?? []].flat();
  } catch {
    return [];
  }
}

/** The path below the project of a file that evidence names. Evidence of clean rooms names it below another folder. */
function fileIn(project: string, named: string): string | undefined {
  const parts = named.split('/').filter((part) => part !== '');
  const first = named.startsWith('/') ? parts.length : 1;
  for (let from = 0; from < Math.min(first, 16); from++) {
    const path = parts.slice(from).join('/');
    if (isFile(join(project, path))) return path;
  }
  return undefined;
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

/** What a loop that begins is told: as its session was, or, for a run, what its sessions will be. */
export function lessonsOfLoop(
  home: Home,
  loop: { session: string; project: string; run?: unknown; contract: FrozenContract },
  now: number,
): LessonsTold | undefined {
  try {
    if (loop.contract.contract.lessons === false) return undefined;
    if (!loop.run) return readTold(home, loop.session);
    const folder = projectFolder(home, loop.project);
    return chosen(readKept(folder, home).lessons, loop.contract.contract, now);
  } catch {
    return undefined;
  }
}

export function lessonsFor(home: Home): LessonsFor {
  return {
    session(session, project, now) {
      const folder = projectFolder(home, project);
      if (readSmall(keptFile(folder)) === undefined) return undefined;
      const contract = trustedNow(home, project);
      if (!contract) return undefined;
      const { lessons } = readKept(folder, home);
      const told = readTold(home, session) ?? chosen(lessons, contract, now);
      if (!told || !isSafeId(session)) return undefined;
      writeWhole(toldFile(home, session), sealedJson(told, `told ${session}`, readKey(home)));
      return lessonWords(lessons, told, contract, now);
    },
    loop(ref, told, contract, now) {
      if (!told || told.shown.length === 0) return undefined;
      try {
        return lessonWords(readKept(folderOf(ref), home).lessons, told, contract, now);
      } catch {
        return undefined;
      }
    },
  };
}

/** The contract that you trusted last, as long as you do, and unless untildone.yaml says by now that lessons are off. */
function trustedNow(home: Home, project: string): FrozenContract['contract'] | undefined {
  const trusted = trustedContract(home, project);
  if (!trusted || !isTrusted(home, project, trusted.frozen.fingerprint)) return undefined;
  const written = readSmall(join(project, CONTRACT_FILE)) ?? '';
  return /^lessons:[ \t]*false\b/im.test(written) ? undefined : trusted.contract;
}

function readTold(home: Home, session: string): LessonsTold | undefined {
  if (!isSafeId(session)) return undefined;
  const text = readSmall(toldFile(home, session));
  return text === undefined ? undefined : unsealedJson<LessonsTold>(text, `told ${session}`, readKey(home));
}

/** Takes a lesson out, and remembers that it is not to be made again for a while. */
export function dropLesson(kept: LessonsKept, lesson: Lesson, now: number): LessonsKept {
  const gone = { id: lesson.id, at: now, why: 'person' as const, text: sentence(lesson) };
  return {
    ...kept,
    lessons: kept.lessons.filter(({ id }) => id !== lesson.id),
    dropped: [...kept.dropped, gone],
  };
}

export function folderOf(ref: LoopRef): string {
  return dirname(dirname(ref.dir));
}

function keptFile(folder: string): string {
  return join(folder, 'lessons.json');
}

function loopsFile(folder: string): string {
  return join(folder, 'lessons-loops.json');
}

function toldFile(home: Home, session: string): string {
  return join(home.sessions, `${session}.lessons`);
}

/** What is sealed in one project does not count in another. */
function purpose(folder: string, what: string): string {
  return `${what} of ${basename(folder)}`;
}
