import { chmodSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { hmacSha256, randomHex, sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { slashed } from '../files/platform.ts';
import { userHome } from '../files/system.ts';
import { freeName, namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import { JournalError } from './journal/file.ts';

/** The folders of the untildone home, outside of the project: `git clean` and a sandboxed agent cannot reach them. */
export interface Home {
  root: string;
  active: string;
  sessions: string;
  projects: string;
  /** Which session owns which foreign state. */
  claims: string;
  keyFile: string;
}

export function homeAt(root: string): Home {
  return {
    root,
    active: `${root}/active`,
    sessions: `${root}/sessions`,
    projects: `${root}/projects`,
    claims: `${root}/claims`,
    keyFile: `${root}/key`,
  };
}

export function homeFrom(env: NodeJS.ProcessEnv): Home {
  return homeAt(homeRoot(env));
}

export function homeRoot(env: NodeJS.ProcessEnv): string {
  const given = env.UNTILDONE_HOME;
  return given ? resolve(given) : join(userHome(env), '.untildone');
}

/** The folder where Node keeps the compiled code of the hook. It can be removed at any time. */
export function compileCache(root: string): string {
  return join(root, 'compile-cache');
}

/** Files of compiled code that untildone wrote itself up to 0.1.0. */
const OLD_CODE = /^(?:hook|judge|dialects|session|tools)\.code(?:\.\d+\.tmp)?$/;

/** Removes compiled code, which may be that of an older program or Node. Never throws. */
export function removeCompiledCode(root: string): void {
  const old = namesIn(root).filter((name) => OLD_CODE.test(name));
  for (const path of [compileCache(root), ...old.map((name) => join(root, name))]) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Old compiled code only takes up room.
    }
  }
}

/** Creates the folders and the key. Commands do this, the hook never does. */
export function createHome(home: Home): void {
  for (const folder of [home.root, home.active, home.sessions, home.projects]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(folder).mode & 0o077) chmodSync(folder, 0o700);
  }
  if (!KEY.test(readSmall(home.keyFile) ?? '')) makeKey(home);
}

const KEY = /^[0-9a-f]{64}\s*$/;

/**
 * Creates the key once: with a second one, nothing that was sealed with the first could be read. Where nothing is sealed
 * yet, a damaged key is moved out of the way.
 */
function makeKey(home: Home): void {
  const { keyFile } = home;
  withLock(`${keyFile}.lock`, () => {
    if (KEY.test(readSmall(keyFile) ?? '') || holdsSealed(home)) return;
    if (existsSync(keyFile)) renameSync(keyFile, freeName(`${keyFile}.damaged`));
    writeWhole(keyFile, `${randomHex(32)}\n`);
  });
}

/** Whether something in the home is sealed: journals, what you trust, claims. */
export function holdsSealed({ projects, claims }: Home): boolean {
  return namesIn(projects).length + namesIn(claims).length > 0;
}

export function readKey({ root, keyFile }: Home): string {
  const key = readSmall(keyFile) ?? '';
  if (!KEY.test(key))
    throw new JournalError(
      `the key ${keyFile} is missing or damaged: without it untildone can read neither its journals nor what you trust. Restore it from a backup; or move ${root} away to begin anew, then: untildone install`,
    );
  return key.trim();
}

/** A copy of the last line of a loop's journal. */
export function copyOfEndFile(home: Home, loop: string): string {
  return join(home.root, 'ends', loop);
}

/** The lock that the driver of a run holds. `dir`: the folder of its loop. */
export function driverLock({ dir }: { dir: string }): string {
  return join(dir, 'run.lock');
}

/** The lock for files of foreign formats, which hooks of several sessions may write at once. */
export function filesLock(home: Home): string {
  return join(home.root, 'files.lock');
}

/** A project's folder in the home, with a readable name, and the same whichever symbolic link led to the project. */
export function projectFolder(home: Home, project: string): string {
  const real = realPath(project);
  const readable =
    basename(real)
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 40) || 'root';
  return join(home.projects, `${readable}-${sha256(real).slice(0, 12)}`);
}

export function realPath(path: string): string {
  try {
    return slashed(realpathSync.native(path));
  } catch {
    return slashed(resolve(path));
  }
}

/** JSON with a seal over its content and its purpose. A text of others, or one for another purpose, does not count. */
export function sealedJson(value: unknown, purpose: string, key: string): string {
  const body = JSON.stringify(value);
  return `${seal(body, purpose, key)}\n${body}\n`;
}

/** Reads sealed JSON; undefined when the seal does not fit. */
export function unsealedJson<T>(text: string, purpose: string, key: string): T | undefined {
  const [mac, body] = text.split('\n');
  if (!mac || !body || mac !== seal(body, purpose, key)) return undefined;
  return JSON.parse(body) as T;
}

function seal(body: string, purpose: string, key: string): string {
  return hmacSha256(key, `${purpose}\n${body}`);
}
