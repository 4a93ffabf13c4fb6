/**
 * The scripts in the home that installed hooks run. They name a program, which an upgrade may move or replace: every command
 * and every hook brings them up to date. A script of a newer version stays, as long as its program is there.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newerThan } from '../core/text/version.ts';
import { withLock } from '../files/lock.ts';
import { namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import { holdScript } from './hold-script.ts';
import { hookScript } from './hook-line.ts';
import { removeCompiledCode } from './layout.ts';
import type { Program } from './program.ts';
import { STATUSLINE_SCRIPT, statuslineScript } from './statusline-line.ts';

const HOOK_SCRIPT = 'hook.sh';
const HOLD_SCRIPT = 'hold.sh';

/** What a `hook.sh` says of itself. Up to 0.1.0 it did not name its version. */
export interface WrittenScript {
  readonly version: string | undefined;
  readonly nodePath: string | undefined;
  readonly hookEntry: string | undefined;
}

export function parseHookScript(text: string): WrittenScript {
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

export type ScriptsPlan =
  /** Hooks were never installed in this home. */
  | { kind: 'none' }
  | { kind: 'current' }
  /** A newer version wrote them, and its program is there. */
  | { kind: 'newer'; version: string }
  | { kind: 'stale'; files: { path: string; text: string; why: 'missing' | 'changed' }[] };

/** What has to be written so that the hooks start this program, or one like it. Writes nothing. */
export function planScripts(home: string, program: Program): ScriptsPlan {
  const path = (name: string) => join(home, name);
  const text = readSmall(path(HOOK_SCRIPT));
  if (text === undefined && namesIn(path('installs')).length === 0) return { kind: 'none' };
  const written = parseHookScript(text ?? '');
  const newer = newerVersion(written, program.version);
  if (newer !== undefined) return { kind: 'newer', version: newer };
  const chosen = chosenProgram(written, program);
  const wanted: [name: string, text: string][] = [
    [HOOK_SCRIPT, hookScript(chosen)],
    [HOLD_SCRIPT, holdScript()],
  ];
  if (existsSync(path(STATUSLINE_SCRIPT))) wanted.push([STATUSLINE_SCRIPT, statuslineScript(chosen)]);
  const files = wanted.flatMap(([name, now]) => {
    const before = readSmall(path(name));
    const why = before === undefined ? ('missing' as const) : ('changed' as const);
    return before === now ? [] : [{ path: path(name), text: now, why }];
  });
  return files.length === 0 ? { kind: 'current' } : { kind: 'stale', files };
}

/** The version of the scripts in this home, if it is newer than the given one and its program is there. */
export function newerInHome(home: string, version: string | undefined): string | undefined {
  const text = readSmall(join(home, HOOK_SCRIPT));
  return version === undefined || text === undefined
    ? undefined
    : newerVersion(parseHookScript(text), version);
}

function newerVersion({ version, hookEntry }: WrittenScript, than: string): string | undefined {
  return version !== undefined && newerThan(version, than) && isFilled(hookEntry) ? version : undefined;
}

/** Two installations of one version do not take the hooks from each other. A Node that is there stays, too. */
function chosenProgram(written: WrittenScript, program: Program): Program {
  const { version, hookEntry, nodePath } = written;
  const keeps = hookEntry !== undefined && version === program.version && isFilled(hookEntry);
  const keepsNode = nodePath !== undefined && isProgram(nodePath);
  return {
    version: program.version,
    hookEntry: keeps ? hookEntry : program.hookEntry,
    nodePath: keepsNode ? nodePath : program.nodePath,
  };
}

export type Refreshed =
  | { kind: 'untouched' }
  | { kind: 'written'; paths: string[] }
  /** They are not up to date, and cannot be written; `problem` in the words of the system. */
  | { kind: 'unwritable'; problem: string };

/** Long enough for one that writes three small files. */
const LOCK_MS = 1_000;

/**
 * Brings the scripts up to date, each whole or not at all. Several processes may do so at once. Never throws, and does
 * nothing in the home of another user, or for a program that is not installed.
 */
export function refreshScripts(home: string, program: Program): Refreshed {
  try {
    if (!isOwnHome(home) || !isFilled(program.hookEntry)) return { kind: 'untouched' };
    if (planScripts(home, program).kind !== 'stale') return { kind: 'untouched' };
    return withLock(join(home, `${HOOK_SCRIPT}.lock`), () => writePlanned(home, program), LOCK_MS);
  } catch (error) {
    return { kind: 'unwritable', problem: (error as Error).message };
  }
}

function writePlanned(home: string, program: Program): Refreshed {
  const plan = planScripts(home, program);
  if (plan.kind !== 'stale') return { kind: 'untouched' };
  for (const { path, text } of plan.files) writeWhole(path, text);
  removeCompiledCode(home);
  return { kind: 'written', paths: plan.files.map(({ path }) => path) };
}

/** Files that another user, such as root, wrote here could not be read by the owner of the home. */
function isOwnHome(home: string): boolean {
  const stat = statSync(home, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid());
}

/** Whether there is a file with content. */
export function isFilled(path: string | undefined): boolean {
  const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
