/**
 * The scripts in the home that installed hooks run. They name the program of the record, and that program keeps them up to
 * date, at every command and at most events. Every other one leaves them as they are.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../files/lock.ts';
import { namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import { holdScript } from './hold-script.ts';
import { type HookScript, hookScript } from './hook-line.ts';
import { homeAt, removeCompiledCode } from './layout.ts';
import { isFilled, type Program } from './program.ts';
import {
  canSeal,
  type NamedProgram,
  type ProgramRecord,
  recordOf,
  type Standing,
  standingOf,
  writeProgramRecord,
} from './records/program-record.ts';
import { STATUSLINE_SCRIPT, statuslineScript } from './statusline-line.ts';

const HOOK_SCRIPT = 'hook.sh';
const HOLD_SCRIPT = 'hold.sh';

/** What a `hook.sh` says of itself. Up to 0.1.0 it did not name its version. */
export function parseHookScript(text: string): NamedProgram {
  return {
    version: /^# Written by untildone (\d[^\s]*)\. /.exec(text)?.[1],
    nodePath: assigned(text, 'node'),
    hookEntry: assigned(text, 'entry'),
  };
}

/** The value of `name='...'` in a shell script. */
function assigned(script: string, name: string): string | undefined {
  const quoted = new RegExp(`^${name}='(.*)'$`, 'm').exec(script)?.[1];
  return quoted?.replaceAll(`'\\''`, `'`);
}

export interface StaleFile {
  path: string;
  text: string;
  /** `edited`: the recorded program has written it otherwise. */
  why: 'missing' | 'changed' | 'edited';
}

export type ScriptsPlan =
  | Exclude<Standing, { kind: 'recorded' }>
  | { kind: 'current'; record: ProgramRecord }
  | {
      kind: 'stale';
      record: ProgramRecord;
      files: StaleFile[];
    };

/** What has to be written so that the hooks start the recorded program, if this is it. Writes nothing. */
export function planScripts(home: string, program: Program): ScriptsPlan {
  const text = readSmall(join(home, HOOK_SCRIPT));
  const standing = standingOf(program, namedIn(text, home), homeAt(home));
  if (standing.kind !== 'recorded') return standing;
  const { record, renewed } = standing;
  const files = scriptsToWrite(home, renewed ?? record, renewed === undefined ? 'edited' : 'changed');
  if (files.length === 0 && renewed === undefined) return { kind: 'current', record };
  return { kind: 'stale', record: renewed ?? record, files };
}

function namedIn(text: string | undefined, home: string): NamedProgram | 'none' | 'lost' {
  if (text !== undefined) return parseHookScript(text);
  return existsSync(join(home, HOLD_SCRIPT)) || namesIn(join(home, 'installs')).length > 0 ? 'lost' : 'none';
}

function scriptsToWrite(home: string, program: HookScript, otherwise: 'changed' | 'edited'): StaleFile[] {
  const wanted: [name: string, text: string][] = [
    [HOOK_SCRIPT, hookScript(program)],
    [HOLD_SCRIPT, holdScript()],
  ];
  if (existsSync(join(home, STATUSLINE_SCRIPT))) wanted.push([STATUSLINE_SCRIPT, statuslineScript(program)]);
  return wanted.flatMap(([name, text]) => {
    const path = join(home, name);
    const before = readSmall(path);
    if (before === text) return [];
    // An empty script was cut off, not edited.
    const why = before === undefined ? 'missing' : before.trim() === '' ? 'changed' : otherwise;
    return [{ path, text, why }];
  });
}

export type Refreshed =
  | { kind: 'untouched' }
  | { kind: 'written'; paths: string[]; edited: string[] }
  /** They are not up to date, and cannot be written; `problem` in the words of the system. */
  | { kind: 'unwritable'; problem: string };

/** Long enough for several that read a program and write four small files. */
const LOCK_MS = 3_000;

/**
 * Brings the scripts and the record up to date, if this is the recorded program; each file whole or not at all. Several processes
 * may do so at once. Never throws, and does nothing in the home of another user, or for a program that is not installed.
 */
export function refreshScripts(home: string, program: Program): Refreshed {
  try {
    if (!isOwnHome(home) || !isFilled(program.hookEntry)) return { kind: 'untouched' };
    if (planScripts(home, program).kind !== 'stale') return { kind: 'untouched' };
    return locked(home, () => writePlanned(home, program));
  } catch (error) {
    return { kind: 'unwritable', problem: (error as Error).message };
  }
}

/** Makes this the program of the hooks, whichever was it before: a person wants it, or there was none. */
export function chooseProgram(home: string, program: Program, by: 'install' | 'first use'): void {
  // Nothing can be recorded of a program that is not there yet, or in a home without its key: whatever needs that says so.
  const isRecordable = isFilled(program.hookEntry) && canSeal(homeAt(home));
  const record = isRecordable ? recordOf(program, by) : undefined;
  locked(home, () => write(home, scriptsToWrite(home, program, 'changed'), record));
}

/** Adds the script of the status line, which starts the program that the hooks run. */
export function addStatuslineScript(home: string): void {
  const {
    hookEntry = '',
    nodePath = '',
    version,
  } = parseHookScript(readSmall(join(home, HOOK_SCRIPT)) ?? '');
  const script = version === undefined ? { hookEntry, nodePath } : { hookEntry, nodePath, version };
  writeWhole(join(home, STATUSLINE_SCRIPT), statuslineScript(script));
}

function locked<T>(home: string, body: () => T): T {
  return withLock(join(home, `${HOOK_SCRIPT}.lock`), body, LOCK_MS);
}

function writePlanned(home: string, program: Program): Refreshed {
  const plan = planScripts(home, program);
  if (plan.kind !== 'stale') return { kind: 'untouched' };
  const { files, record } = plan;
  write(home, files, record);
  const edited = files.flatMap(({ path, why }) => (why === 'edited' ? [path] : []));
  return { kind: 'written', paths: files.map(({ path }) => path), edited };
}

/** The record last: until then the scripts count as those of a program that is still to be recorded. */
function write(home: string, files: readonly { path: string; text: string }[], record?: ProgramRecord): void {
  for (const { path, text } of files) writeWhole(path, text);
  if (files.length > 0) removeCompiledCode(home);
  if (record !== undefined) writeProgramRecord(record, homeAt(home));
}

/** Files that another user, such as root, wrote here could not be read by the owner of the home. */
function isOwnHome(home: string): boolean {
  const stat = statSync(home, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid());
}
