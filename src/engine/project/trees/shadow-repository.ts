/**
 * The shadow: a git repository in the untildone home whose working folder is the project. Trees are written to it, so that
 * the user's repository is only read. The user's git configuration and attributes do not change what a tree holds.
 */
import { mkdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { leaves } from '../../core/chains/all.ts';
import { writeWhole } from '../../files/whole-file.ts';
import { realPath } from '../../home/layout.ts';
import { AS_BYTES_CONFIG, type GitCall, runGit } from '../git.ts';
import { describe, putRight, readText } from './shadow-files.ts';
import { runUserGit, type UserRepository } from './user-repository.ts';

export interface Shadow {
  dir: string;
  project: string;
  /** The top folder of the user's repository when the shadow was made. Ignore files count from there. */
  top: string;
  /** The project's path relative to `top`, with a slash at its end; empty when they are the same. */
  prefix: string;
  /** A random id that tells this shadow from an earlier one in the same folder. */
  made: string;
}

const CONFIG: readonly string[] = [
  ...AS_BYTES_CONFIG,
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.sparseCheckout=false',
  'core.quotePath=true',
  `core.attributesFile=${devNull}`,
  // Names that are reserved on other systems are allowed.
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.looseCompression=1',
  'pack.compression=1',
  // Git hashes larger files in a stream, and takes them for binary.
  'core.bigFileThreshold=32m',
  'advice.addEmbeddedRepo=false',
  'submodule.recurse=false',
];

/** Patterns to ignore in a project without git, which may have no ignore file: what tools install or leave behind. */
const ignoredOutsideGit = () => [...new Set([...leaves.flat(), '.DS_Store'])];

/** State files of foreign formats, which change at every Stop: in a tree they would look like progress. */
const STATE_OF_LOOPS = [
  '**/.claude/ralph-loop.local.md',
  '**/.claude/runtime/',
  '**/.claude/data/ralph-loops/*/progress.txt',
];

/** Opens the shadow, and makes it on first use. Any number of processes may do so at once. `key` seals its description. */
export async function openShadow(
  dir: string,
  project: string,
  repository: UserRepository | undefined,
  key: string,
): Promise<Shadow> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const description = await describe(dir, key, {
    prefix: () => prefixOf(project, repository),
    format: () => (repository ? objectFormat(repository) : Promise.resolve('sha1')),
    exclude: () => exclusions(project, repository),
  });
  putRight(dir, description);
  if (repository) linkObjects(dir, repository);
  const { prefix, made } = description;
  const ups = prefix.split('/').filter((part) => part !== '').length;
  return { dir, project, prefix, made, top: resolve(project, ...Array<string>(ups).fill('..')) };
}

function prefixOf(project: string, repository: UserRepository | undefined): string {
  const inside = repository ? relative(repository.top, project) : '';
  return inside === '' ? '' : `${inside.split(sep).join('/')}/`;
}

async function objectFormat(repository: UserRepository): Promise<string> {
  const { exitCode, stdout } = await runUserGit(repository, repository.top, {
    args: ['rev-parse', '--show-object-format'],
  });
  return exitCode === 0 ? stdout.toString('utf8').trim() : 'sha1';
}

/** The patterns that you let git ignore outside of the project's own files, as they are now: an agent may add others. */
async function exclusions(project: string, repository: UserRepository | undefined): Promise<string> {
  const own = repository ? readText(join(repository.commonDir, 'info', 'exclude')) : '';
  const always = [...STATE_OF_LOOPS, ...(repository ? [] : ignoredOutsideGit())].join('\n');
  return [readText(await excludesFile(project, repository)), own, always, ''].join('\n');
}

async function excludesFile(project: string, repository: UserRepository | undefined): Promise<string> {
  const args = ['config', '--type=path', '--get', 'core.excludesFile'];
  const { exitCode, stdout } = repository
    ? await runUserGit(repository, repository.top, { args })
    : await runGit({ args, cwd: project, env: { GIT_CEILING_DIRECTORIES: dirname(project) } });
  const configured = stdout.toString('utf8').trim();
  if (exitCode === 0 && configured !== '') return resolve(repository?.top ?? project, configured);
  const { XDG_CONFIG_HOME, HOME } = process.env;
  return join(XDG_CONFIG_HOME || join(HOME ?? '', '.config'), 'git', 'ignore');
}

/** Lets the shadow use the objects of the user's repository, so that they are not written again. */
function linkObjects(dir: string, repository: UserRepository): void {
  const file = join(dir, 'objects', 'info', 'alternates');
  const objects = realPath(join(repository.commonDir, 'objects'));
  const text = readText(file);
  const linked = text.split('\n').filter((line) => line.startsWith('/') && !line.includes('\0'));
  const wanted = new Set(/[\n"]/.test(objects) ? linked : [...linked, objects]);
  const after = [...wanted].map((line) => `${line}\n`).join('');
  if (text !== after) writeWhole(file, after);
}

/** An environment in which no version of git reads the configuration of the system or of the user. */
function privateEnvironment(dir: string): Record<string, string> {
  return {
    HOME: dir,
    XDG_CONFIG_HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
  };
}

/** One git call on the objects of a shadow, which works even when its project is gone. */
export function objectCall(dir: string, args: readonly string[], more: Partial<GitCall> = {}): GitCall {
  return {
    ...more,
    args: [...CONFIG, 'pack.threads=1'].flatMap((setting) => ['-c', setting]).concat(args),
    cwd: dir,
    env: { ...privateEnvironment(dir), GIT_DIR: dir, GIT_COMMON_DIR: dir, ...more.env },
  };
}

export interface ShadowCall extends Omit<GitCall, 'cwd' | 'env'> {
  index?: string;
  /** A file of patterns to ignore besides those of the shadow. */
  excludesFile?: string;
}

/** One git call in the shadow and in the project's folder, for `gitOutput` or `runGit`. */
export function shadowCall(shadow: Shadow, { index, excludesFile, ...call }: ShadowCall): GitCall {
  const config = [...CONFIG, `core.excludesFile=${excludesFile ?? devNull}`];
  return {
    ...call,
    args: [...config.flatMap((setting) => ['-c', setting]), ...call.args],
    cwd: shadow.project,
    env: {
      ...privateEnvironment(shadow.dir),
      GIT_DIR: shadow.dir,
      // A file in the shadow could name another folder.
      GIT_COMMON_DIR: shadow.dir,
      GIT_WORK_TREE: shadow.top,
      ...(index ? { GIT_INDEX_FILE: index } : {}),
    },
  };
}
