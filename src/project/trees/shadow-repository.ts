/**
 * The shadow: a git repository in the untildone home whose working folder is the project. Trees are written to it, so that
 * the user's repository is only read. The user's git configuration and attributes do not change what a tree holds.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { realPath } from '../../home/layout.ts';
import { type GitCall, gitOutput, QUIET_CONFIG, runGit } from '../git.ts';
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

const DESCRIPTION = 'untildone.json';

const CONFIG: readonly string[] = [
  ...QUIET_CONFIG,
  'core.bare=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.fileMode=true',
  'core.symlinks=true',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.ignoreStat=false',
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

/** Files with these endings count as text, so that a NUL byte does not hide lines of code. */
const TEXT_ENDINGS =
  'c cc cjs cpp cs css cts dart ex exs go h hpp html java js json jsx kt kts lua m md mjs mts php pl py rb rs scala sh sql svelte swift toml ts tsx vue xml yaml yml';

/** Attributes that overrule the project's own: git converts and filters nothing, and shows text as text. */
const ATTRIBUTES = [
  '* -text !eol -ident -filter !working-tree-encoding !diff !whitespace',
  ...TEXT_ENDINGS.split(' ').map((ending) => `*.${ending} diff`),
  '',
].join('\n');

/** Patterns to ignore in a project without git, which may have no ignore file: what tools install or leave behind. */
const IGNORED_OUTSIDE_GIT =
  'node_modules/ .venv/ venv/ __pycache__/ *.pyc .pytest_cache/ .mypy_cache/ .ruff_cache/ .tox/ .nox/ .gradle/ target/ .DS_Store';

/** State files of foreign formats, which change at every Stop: in a tree they would look like progress. */
const STATE_OF_LOOPS = [
  '**/.claude/ralph-loop.local.md',
  '**/.claude/runtime/',
  '**/.claude/data/ralph-loops/*/progress.txt',
];

/** Opens the shadow, and makes it on first use. Any number of processes may do so at once. */
export async function openShadow(
  dir: string,
  project: string,
  repository: UserRepository | undefined,
): Promise<Shadow> {
  if (!existsSync(join(dir, DESCRIPTION))) await makeShadow(dir, project, repository);
  const description = readFileSync(join(dir, DESCRIPTION), 'utf8');
  const { prefix, made } = parseDescription(description, dir);
  if (repository) linkObjects(dir, repository);
  const ups = prefix.split('/').filter((part) => part !== '').length;
  return { dir, project, prefix, made, top: resolve(project, ...Array<string>(ups).fill('..')) };
}

function parseDescription(text: string, dir: string): Pick<Shadow, 'prefix' | 'made'> {
  try {
    const { prefix, made } = JSON.parse(text) as { prefix?: unknown; made?: unknown };
    if (typeof prefix === 'string' && typeof made === 'string') return { prefix, made };
  } catch {
    // The error below says so.
  }
  throw new Error(
    `${join(dir, DESCRIPTION)} is damaged: remove the folder ${dir} when no loop of this project is active`,
  );
}

async function makeShadow(
  dir: string,
  project: string,
  repository: UserRepository | undefined,
): Promise<void> {
  const temp = `${dir}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
  try {
    await initialise(temp, project, repository);
    renameSync(temp, dir);
  } catch (error) {
    rmSync(temp, { recursive: true, force: true });
    // Another process was quicker.
    if (!existsSync(join(dir, DESCRIPTION))) throw error;
  }
}

async function initialise(
  dir: string,
  project: string,
  repository: UserRepository | undefined,
): Promise<void> {
  mkdirSync(dir, { mode: 0o700 });
  const format = repository ? await objectFormat(repository) : 'sha1';
  const args = ['init', '--quiet', '--bare', '--template='];
  if (format !== 'sha1') args.push(`--object-format=${format}`);
  await gitOutput({ args: [...args, dir], cwd: dir, env: privateEnvironment(dir) });
  mkdirSync(join(dir, 'info'), { recursive: true });
  writeFileSync(join(dir, 'info', 'exclude'), await exclusions(project, repository));
  writeFileSync(join(dir, 'info', 'attributes'), ATTRIBUTES);
  const inside = repository ? relative(repository.top, project) : '';
  const prefix = inside === '' ? '' : `${inside.split(sep).join('/')}/`;
  const made = randomBytes(8).toString('hex');
  writeFileSync(join(dir, DESCRIPTION), `${JSON.stringify({ v: 1, prefix, made })}\n`);
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
  const always = [...STATE_OF_LOOPS, ...(repository ? [] : IGNORED_OUTSIDE_GIT.split(' '))].join('\n');
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

function readText(path: string): string {
  try {
    return readSmall(path, 1024 * 1024) ?? '';
  } catch {
    return '';
  }
}

/** Lets the shadow use the objects of the user's repository, so that they are not written again. */
function linkObjects(dir: string, repository: UserRepository): void {
  const file = join(dir, 'objects', 'info', 'alternates');
  const objects = realPath(join(repository.commonDir, 'objects'));
  const linked = readText(file);
  if (/[\n"]/.test(objects) || linked.split('\n').includes(objects)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, `${linked}${objects}\n`);
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
    env: { ...privateEnvironment(dir), GIT_DIR: dir, ...more.env },
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
      GIT_WORK_TREE: shadow.top,
      ...(index ? { GIT_INDEX_FILE: index } : {}),
    },
  };
}
