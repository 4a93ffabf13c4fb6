/**
 * Figures of hook calls: one short line for each event that the hook answers, in a file a day. Journals have the events of
 * loops, but neither how long a hook took nor what happened outside of loops.
 *
 * A line is one write at the end of the file, so hooks that end at once do not disturb each other, and a file is never
 * renamed or rewritten. Nothing here may fail a hook: where a line cannot be written, there is none.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { eventName, type HookEvent } from '../core/loop/event.ts';
import { namesIn } from '../files/whole-file.ts';
import type { Home } from './layout.ts';

/** One hook call. */
export interface HookFigure {
  at: number;
  event: string;
  session: string;
  /** Where the session was started, as Claude Code says. */
  project: string;
  /** What the hook said: `silence`, `refuse`, ...; `error` when it failed. */
  answer: string;
  /** From the start of the process to its answer; in a run, of the answer alone. */
  ms: number;
  /** Of a prompt: its length. */
  promptChars?: number;
  /** Of a SessionStart: `startup`, `resume`, `clear`, `compact`. */
  source?: string;
}

/** At most so much is written a day, and kept of all days. */
const MOST_OF_A_DAY = 4 * 1024 * 1024;
const MOST_OF_ALL = 32 * 1024 * 1024;
const MOST_DAYS = 120;
const FILE_NAME = /^hooks-\d{4}-\d\d-\d\d\.jsonl$/;
const LONGEST_PATH = 1000;

export function figuresFolder({ root }: Pick<Home, 'root'>): string {
  return join(root, 'metrics');
}

/** The files of hook calls, oldest first. */
export function figureFiles(home: Pick<Home, 'root'>): string[] {
  const folder = figuresFolder(home);
  return namesIn(folder)
    .filter((name) => FILE_NAME.test(name))
    .sort()
    .map((name) => join(folder, name));
}

export function figureOf(
  event: HookEvent,
  said: Pick<HookFigure, 'at' | 'project' | 'answer' | 'ms'>,
): HookFigure {
  return {
    at: said.at,
    event: eventName(event).slice(0, 60),
    session: event.session.slice(0, 100),
    project: said.project.slice(0, LONGEST_PATH),
    answer: said.answer,
    ms: Math.round(said.ms * 10) / 10,
    ...(event.name === 'UserPromptSubmit' ? { promptChars: event.prompt.length } : {}),
    ...(event.name === 'SessionStart' ? { source: String(event.source).slice(0, 60) } : {}),
  };
}

/** Adds a line. Never throws, never waits, makes no home. `UNTILDONE_METRICS=0` switches it off. */
export function writeFigure(figure: HookFigure, home: Home, env: NodeJS.ProcessEnv): void {
  if (env.UNTILDONE_METRICS === '0') return;
  try {
    const day = new Date(figure.at).toISOString().slice(0, 10);
    const fd = opened(join(figuresFolder(home), `hooks-${day}.jsonl`), home);
    if (fd === undefined) return;
    try {
      const there = fstatSync(fd);
      if (there.size === 0) removeOld(home);
      if (there.isFile() && there.size < MOST_OF_A_DAY) writeSync(fd, `${JSON.stringify(figure)}\n`);
    } finally {
      closeSync(fd);
    }
  } catch {
    // A full disk, a folder that cannot be written: the figures have a gap.
  }
}

// A pipe in its place is not waited for, and a link in it is not followed.
const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
const FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW;

function opened(path: string, home: Home): number | undefined {
  try {
    return openSync(path, FLAGS, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(home.root)) return undefined;
    mkdirSync(figuresFolder(home), { mode: 0o700 });
    return openSync(path, FLAGS, 0o600);
  }
}

/** Once a day, when its file is new: removes the oldest files, so that all together keep their size. */
function removeOld(home: Home): void {
  let bytes = 0;
  for (const [index, path] of figureFiles(home).reverse().entries()) {
    bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (index >= MOST_DAYS || bytes > MOST_OF_ALL) rmSync(path, { force: true });
  }
}

/** Reads one line; undefined for one that is torn, damaged, or of a later version. */
export function parseFigure(text: string): HookFigure | undefined {
  try {
    const value = JSON.parse(text) as Partial<HookFigure> | null;
    const isFigure =
      typeof value?.at === 'number' &&
      typeof value.ms === 'number' &&
      [value.event, value.session, value.project, value.answer].every((each) => typeof each === 'string');
    return isFigure ? (value as HookFigure) : undefined;
  } catch {
    return undefined;
  }
}
