import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { InstallRecord, SettingsFile } from '../../core/contract/installation.ts';
import { sha256 } from '../../files/digest.ts';
import type { Program } from '../../home/program.ts';
import { chooseProgram, planScripts, refreshScripts } from '../../home/scripts.ts';

export const SCOPES = ['project', 'local', 'user'] as const;
export type Scope = (typeof SCOPES)[number];

/** Thrown for a settings file that must not be changed. The message says why and what to do. */
export class SettingsFileRefused extends Error {
  override name = 'SettingsFileRefused';
}

export function settingsPath(scope: Scope, places: { project: string; claudeConfigDir: string }): string {
  if (scope === 'user') return join(places.claudeConfigDir, 'settings.json');
  return join(places.project, '.claude', scope === 'local' ? 'settings.local.json' : 'settings.json');
}

/** Reads a settings file. `project` is given for a file of a project: a link that leads out of it is refused. */
export function readSettings(named: string, project?: string): SettingsFile {
  const path = followLinks(named);
  if (project !== undefined) requireInside(realpathSync.native(project), named, path);
  const text = readText(path);
  return { path, text, missingFolder: text === undefined ? topmostMissing(dirname(path)) : undefined };
}

/** Where a settings file really is. Throws for a link that leads nowhere. */
export function realSettingsPath(named: string): string {
  return followLinks(named);
}

/** Refuses a path outside of the project, where other projects or accounts may read it. */
function requireInside(project: string, named: string, real: string): void {
  if (real.startsWith(project.endsWith(sep) ? project : project + sep)) return;
  throw new SettingsFileRefused(
    `${named} leads out of the project, to ${real}, so it is not changed. Put a file of its own in the place of the link, ` +
      'or install the hooks for yourself: untildone install --scope user',
  );
}

export function replaceSettings(file: SettingsFile, text: string): void {
  mkdirSync(dirname(file.path), { recursive: true });
  const old = statSync(file.path, { throwIfNoEntry: false });
  if (old !== undefined) requireWritable(file.path, old.mode);
  writeWhole(file.path, text, old ?? { mode: 0o666 }, () => requireUnchanged(file));
}

/** Throws when `replaceSettings` would be refused, so that this is known before anything is changed. */
export function requireReplaceable({ path }: SettingsFile): void {
  const old = statSync(path, { throwIfNoEntry: false });
  if (old !== undefined) requireWritable(path, old.mode);
  const missing = topmostMissing(dirname(path));
  const folder = missing === undefined ? dirname(path) : dirname(missing);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new SettingsFileRefused(
      `${folder} is read-only, so ${path} cannot be written; make it writable (chmod u+w) and run this again`,
    );
  }
}

export function removeSettings(file: SettingsFile, createdFolder: string | null): void {
  requireUnchanged(file);
  rmSync(file.path, { force: true });
  if (createdFolder === null) return;
  const ours = (folder: string) => folder === createdFolder || folder.startsWith(createdFolder + sep);
  for (let folder = dirname(file.path); ours(folder); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return; // The folder is not empty, or gone.
    }
  }
}

/**
 * Creates the folders and the scripts that the installed line looks for. Which program the hooks run changes only where a person
 * has `chosen` this one, or where there was none.
 */
export function prepareHome(home: string, program: Program, { chosen = false } = {}): void {
  for (const folder of ['active', 'sessions', 'installs'])
    mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  for (const name of ['hook.sh', 'hold.sh']) requireFileOrNone(join(home, name));
  if (chosen) chooseProgram(home, program, 'install');
  else if (planScripts(home, program).kind === 'none') chooseProgram(home, program, 'first use');
  else refreshScripts(home, program);
}

export function hookScriptPath(home: string): string {
  return join(home, 'hook.sh');
}

/** Undefined when the record is missing or damaged: uninstall then removes our hooks and nothing else. */
export function readRecord(home: string, path: string): InstallRecord | undefined {
  try {
    const record: unknown = JSON.parse(readText(recordPath(home, path)) ?? 'null');
    return isRecord(record) && record.path === path ? record : undefined;
  } catch {
    return undefined;
  }
}

export function writeRecord(home: string, record: InstallRecord): void {
  writeWhole(recordPath(home, record.path), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

export function removeRecord(home: string, path: string): void {
  rmSync(recordPath(home, path), { force: true });
}

function recordPath(home: string, path: string): string {
  return join(home, 'installs', `${sha256(path).slice(0, 32)}.json`);
}

function isRecord(value: unknown): value is InstallRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { version, path, original, written, createdFolder } = value as Record<keyof InstallRecord, unknown>;
  return (
    version === 1 &&
    typeof path === 'string' &&
    typeof written === 'string' &&
    (original === null || typeof original === 'string') &&
    (createdFolder === null || typeof createdFolder === 'string')
  );
}

/** The path without links, even when there is no file: a link's target has to be written, not the link replaced. */
function followLinks(named: string): string {
  let path = resolve(named);
  for (let hops = 0; hops < 40; hops++) {
    const missing = topmostMissing(dirname(path));
    if (missing !== undefined) {
      if (hops === 0) return join(realpathSync.native(dirname(missing)), path.slice(dirname(missing).length));
      throw new SettingsFileRefused(
        `${named} is a link to ${path}, whose folder does not exist; correct the link`,
      );
    }
    path = join(realpathSync.native(dirname(path)), basename(path));
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
    path = resolve(dirname(path), readlinkSync(path));
  }
  throw new SettingsFileRefused(`${named} is a link that leads to itself; correct the link`);
}

function topmostMissing(folder: string): string | undefined {
  const stat = statOf(folder);
  if (stat?.isDirectory()) return undefined;
  if (stat !== undefined) throw new SettingsFileRefused(`${folder} is not a folder; move it out of the way`);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new SettingsFileRefused(
      `${folder} is a link to ${readlinkSync(folder)}, which does not exist; correct the link`,
    );
  return topmostMissing(dirname(folder)) ?? folder;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ELOOP') throw cause;
    throw new SettingsFileRefused(`${path} is a link that leads to itself; correct the link`);
  }
}

/** Opens the file without waiting on a pipe, and checks again once it is open, because it may have been replaced. */
function readText(path: string): string | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  requireFileOrNone(path);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const descriptor = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    requireFile(path, fstatSync(descriptor));
    // The byte order mark stays in the text, so that text and bytes are one to one.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor));
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new SettingsFileRefused(`${path} is not UTF-8 text; save it as UTF-8 and run this again`);
  } finally {
    closeSync(descriptor);
  }
}

function requireFileOrNone(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) requireFile(path, found);
}

function requireFile(path: string, stat: Stats): void {
  if (!stat.isFile()) throw new SettingsFileRefused(`${path} is not a regular file; move it out of the way`);
}

/** Refuses a write-protected file, which a rename would replace all the same. */
function requireWritable(path: string, mode: number): void {
  try {
    if ((mode & 0o222) === 0) throw new Error('write-protected');
    accessSync(path, constants.W_OK);
  } catch {
    throw new SettingsFileRefused(`${path} is read-only; make it writable (chmod u+w) and run this again`);
  }
}

function requireUnchanged(file: SettingsFile): void {
  if (readText(file.path) === file.text) return;
  throw new SettingsFileRefused(`another program changed ${file.path} just now; run this again`);
}

/**
 * Replaces a file so that readers see the old bytes or the new ones. Calls `check` just before the rename. Replaces only a
 * regular file, because root could rename over a device.
 */
function writeWhole(
  path: string,
  text: string,
  like: Pick<Stats, 'mode'> & Partial<Stats>,
  check?: () => void,
): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const descriptor = openSync(temporary, 'wx', like.mode & 0o777);
    try {
      writeFileSync(descriptor, text);
      if (like.uid !== undefined && like.gid !== undefined)
        keepOwnerAndMode(descriptor, like.uid, like.gid, like.mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    check?.();
    const replaced = lstatSync(path, { throwIfNoEntry: false });
    if (replaced !== undefined) requireFile(path, replaced);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
  syncFolder(dirname(path));
}

function keepOwnerAndMode(descriptor: number, uid: number, gid: number, mode: number): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // Only root may change the owner; the file then belongs to the caller, as with any editor.
  }
  fchmodSync(descriptor, mode & 0o7777);
}

function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Some systems cannot sync a folder; the rename has happened all the same.
  }
}
