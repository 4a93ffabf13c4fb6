/** The environment of a loop's start, for commands in a clean room. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { Unmeasurable } from '../../core/text/errors.ts';
import { hmacSha256 } from '../../files/digest.ts';
import { scrubbedEnvironment } from '../shell/shell.ts';
import { realOr } from './programs.ts';

export interface KeptEnvironment {
  /** Variables with their values. */
  values: Record<string, string>;
  /** Variables that may be secrets, with a keyed digest of their value: secrets are not written to disk. */
  secrets: Record<string, string>;
}

const MAY_BE_SECRET = /key|token|secret|passw|credential|auth|cookie|session|dsn|_url$|^database|connection/i;

export function keepEnvironment(environment: NodeJS.ProcessEnv, key: string): KeptEnvironment {
  const kept: KeptEnvironment = { values: {}, secrets: {} };
  for (const [name, value] of Object.entries(scrubbedEnvironment(environment))) {
    if (MAY_BE_SECRET.test(name)) kept.secrets[name] = digestOf(name, value, key);
    else kept.values[name] = value;
  }
  return kept;
}

/** Leaves out what may be a secret, for commands whose code may send it away; `passed` stays. */
export function withoutSecrets<Value>(
  environment: Readonly<Record<string, Value>>,
  passed: readonly string[] = [],
): Record<string, Value> {
  const harmless = ([name]: [string, Value]) => passed.includes(name) || !MAY_BE_SECRET.test(name);
  return Object.fromEntries(Object.entries(environment).filter(harmless));
}

/** The variables of the start for commands in a room, where `at` says the folders of the room. */
export type RoomEnvironment = (at: {
  dir: string;
  home: string;
  has(path: string): boolean;
}) => Record<string, string>;

export interface EnvironmentWorld {
  project: string;
  /** The environment now, for variables that may be secrets. */
  now: NodeJS.ProcessEnv;
  /** The variables that may be secrets and that commands need. */
  passed: readonly string[];
  key: string;
}

/** Throws when a variable that may be a secret is not what it was at the start. */
export function roomEnvironment(
  { values, secrets }: KeptEnvironment,
  { project, now, passed, key }: EnvironmentWorld,
): RoomEnvironment {
  const given: Record<string, string> = {};
  for (const name of passed.filter((each) => !(each in values))) {
    const value = now[name];
    if (value === undefined && secrets[name] === undefined) continue;
    if (value === undefined || secrets[name] !== digestOf(name, value, key))
      throw new Unmeasurable(`the variable ${name} (pass_env) is not what it was when the loop began`);
    given[name] = value;
  }
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !OF_THE_HOME.test(name)));
  const realHome = values.HOME ?? homedir();
  return ({ dir, home, has }) => ({
    ...Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, moved(value, project, dir)])),
    ...given,
    ...toolFolders(values, realHome),
    PATH: movedPath(values.PATH ?? '', project, dir, has),
    PWD: dir,
    HOME: home,
    GRADLE_USER_HOME: join(home, '.gradle'),
    // Java asks the system for the home of the user, not the environment.
    MAVEN_OPTS: [values.MAVEN_OPTS, `-Duser.home=${home}`].filter(Boolean).join(' '),
  });
}

/** Variables that lead into your home, that npm sets for what it starts, or that make programs load further code. */
const OF_THE_HOME =
  /^(?:HOME|PWD|OLDPWD|INIT_CWD|XDG_(?:CONFIG|CACHE|DATA|STATE)_HOME|XDG_RUNTIME_DIR|npm_(?:package|lifecycle|config_(?:cache|prefix|userconfig|globalconfig|local_prefix))\w*|npm_(?:command|execpath|node_execpath)|BASH_ENV|ENV|PYTHONSTARTUP|LD_PRELOAD)$/;

/** Where version managers keep their tools, by the variable that says so. Programs on PATH lead there. */
const TOOL_FOLDERS: Record<string, string> = {
  RUSTUP_HOME: '.rustup',
  PYENV_ROOT: '.pyenv',
  RBENV_ROOT: '.rbenv',
  VOLTA_HOME: '.volta',
  ASDF_DATA_DIR: '.asdf',
  MISE_DATA_DIR: '.local/share/mise',
  COREPACK_HOME: '.cache/node/corepack',
};

function toolFolders(values: Record<string, string>, home: string): Record<string, string> {
  const there = Object.entries(TOOL_FOLDERS).filter(
    ([name, folder]) => values[name] === undefined && existsSync(join(home, folder)),
  );
  return Object.fromEntries(there.map(([name, folder]) => [name, join(home, folder)]));
}

/** A value whose paths into the project lead into the room instead. */
function moved(value: string, project: string, dir: string): string {
  const parts = value.split(delimiter);
  const inRoom = (part: string) =>
    part === project || part.startsWith(`${project}/`) ? join(dir, relative(project, part)) : part;
  return parts.map(inRoom).join(delimiter);
}

/**
 * PATH, with folders of the project that git ignores at their place in the room, where the setup makes them. Folders of
 * the project that git knows are left out: the agent writes them.
 */
function movedPath(path: string, project: string, dir: string, has: (path: string) => boolean): string {
  const real = realOr(project);
  return path
    .split(delimiter)
    .flatMap((folder) => {
      if (!isAbsolute(folder)) return [];
      const inside = relative(real, realOr(folder));
      if (inside.startsWith('..') || isAbsolute(inside)) return [folder];
      return inside === '' || has(inside) ? [] : [join(dir, inside)];
    })
    .join(delimiter);
}

function digestOf(name: string, value: string, key: string): string {
  return hmacSha256(key, `environment\n${name}\n${value}`);
}
