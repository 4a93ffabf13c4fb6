import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { readSmall } from '../../files/whole-file.ts';
import { GitError, gitOutput, runGit } from '../git.ts';
import { encodeName, parseGitlinks, parseNames } from './git-output.ts';
import { type Shadow, type ShadowCall, shadowCall } from './shadow-repository.ts';
import { runUserGit, trackedStamp, type UserRepository, worktreesInside } from './user-repository.ts';

/**
 * Names the content of the project's folder by a git tree.
 *
 * The index is a cache and nothing else: each call works on a copy of its own and puts it back whole, so that calls do not
 * wait for each other and a killed one leaves nothing half done. What is in a tree does not depend on the calls before it:
 *  - files that git does not ignore, and files that the user's repository tracks although they are ignored;
 *  - the files of repositories inside the project (submodules, checkouts), as if they were plain folders; but not other
 *    worktrees of the project's own repository, which are other sessions' work;
 *  - no files that cannot be read, no pipes, no sockets.
 */

const MAX_NESTING = 16;
/** Stands for a file in a nested repository until git has looked: git then takes the folder for a plain one. */
const STAND_IN = '.untildone-nested';

interface Work {
  shadow: Shadow;
  repository: UserRepository | undefined;
  /** The copy of the index that this call works on. */
  index: string;
  excludesFile: string | undefined;
}

export async function writeTree(
  shadow: Shadow,
  repository: UserRepository | undefined,
  indexFile: string,
): Promise<string> {
  mkdirSync(dirname(indexFile), { recursive: true, mode: 0o700 });
  const index = `${indexFile}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const others = await otherWorktrees(repository);
    const work: Work = { shadow, repository, index, excludesFile: excludeFile(`${index}.exclude`, others) };
    const stamp = digest([shadow.made, trackedStamp(repository), ...others]);
    const copied = copyIndex(indexFile, index);
    const settled = readSettled(indexFile);
    const tree = await settledTree(work, settledBefore(settled, stamp, copied)).catch((error: unknown) => {
      if (!copied || !(error instanceof GitError)) throw error;
      // The cache may be what is broken; the work is read anew without it.
      rmSync(index, { force: true });
      return settledTree(work, undefined);
    });
    const kept = keepIndex(index, indexFile, copied);
    writeSettled(indexFile, settled, { tree, stamp, index: kept ?? '' });
    return tree;
  } finally {
    for (const path of [index, `${index}.lock`, `${index}.exclude`]) rmSync(path, { force: true });
  }
}

/** Puts the copy in the place of its original when git has changed it; returns what tells the index of now. */
function keepIndex(index: string, indexFile: string, copied: CopiedIndex | undefined): string | undefined {
  const ours = identityOf(index);
  if (ours === copied?.copy) return copied?.original;
  if (ours === undefined) rmSync(indexFile, { force: true });
  else renameSync(index, indexFile);
  return ours;
}

/** `before` is the tree of the index as it was copied, if it is known that nothing in it was ignored and untracked. */
async function settledTree(work: Work, before: string | undefined): Promise<string> {
  const copy = identityOf(work.index);
  await addEverything(work);
  if (before !== undefined && identityOf(work.index) === copy) return before;
  const tree = await namedTree(work);
  if (before !== undefined && !(await ignoreRulesDiffer(work, before, tree))) return tree;
  return (await settleIgnored(work)) ? namedTree(work) : tree;
}

async function ignoreRulesDiffer(work: Work, before: string, after: string): Promise<boolean> {
  if (before === after) return false;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after];
  const { exitCode, stdout } = await runGit(call(work, args));
  return exitCode !== 0 || parseNames(stdout).some((name) => basename(name) === '.gitignore');
}

function call(work: Work, args: string[], more: Partial<ShadowCall> = {}) {
  const { excludesFile, index, shadow } = work;
  return shadowCall(shadow, { args, index, excludesFile: excludesFile || undefined, ...more });
}

async function addEverything(work: Work): Promise<void> {
  // A project that became a repository of its own is still looked into from above.
  if (work.shadow.prefix !== '' && identityOf(work.index) === undefined) await standIn(work, ['']);
  for (let round = 0; round < MAX_NESTING; round++) {
    const args = ['add', '--all', '--ignore-errors', ...(work.shadow.prefix === '' ? [] : ['--', '.'])];
    const { exitCode, stderr } = await runGit(call(work, args));
    if (exitCode > 1) throw new GitError(['add'], exitCode, stderr);
    if (exitCode === 0 && stderr === '') return;
    const nested = await nestedRepositories(work);
    if (nested.length === 0) return leaveOutUnreadable(work);
    await standIn(work, nested);
  }
  throw new Error(`repositories are nested in each other more than ${MAX_NESTING} deep`);
}

async function nestedRepositories(work: Work): Promise<string[]> {
  const [entries, untracked] = await Promise.all([
    gitOutput(call(work, ['ls-files', '-s', '-z'])),
    gitOutput(call(work, ['ls-files', '-o', '-z', '--exclude-standard'])),
  ]);
  const withoutCommit = parseNames(untracked).filter((name) => name.endsWith('/'));
  return [...parseGitlinks(entries).map((name) => `${name}/`), ...withoutCommit];
}

async function standIn(work: Work, folders: string[]): Promise<void> {
  const empty = await gitOutput(call(work, ['hash-object', '-w', '--stdin']));
  const id = empty.toString('latin1').trim();
  const lines = folders.map((folder) =>
    Buffer.concat([
      Buffer.from(`100644 ${id}\t${work.shadow.prefix}`),
      encodeName(folder),
      Buffer.from(`${STAND_IN}\0`),
    ]),
  );
  const args = ['update-index', '-z', '--replace', '--index-info'];
  await gitOutput(call(work, args, { input: Buffer.concat(lines) }));
}

/** After everything was added, what still differs from the index could not be read. */
async function leaveOutUnreadable(work: Work): Promise<void> {
  const differing = await gitOutput(call(work, ['ls-files', '-m', '-d', '-z']));
  await remove(work, parseNames(differing));
}

/** Brings the index to what the ignore rules of this moment say; true when it changed. */
async function settleIgnored(work: Work): Promise<boolean> {
  const listing = ['ls-files', '-c', '-i', '-z', '--exclude-standard'];
  const [ours, theirs] = await Promise.all([
    gitOutput(call(work, listing)).then(parseNames),
    trackedIgnored(work, listing),
  ]);
  const [inIndex, tracked] = [new Set(ours), new Set(theirs)];
  const gone = ours.filter((name) => !tracked.has(name));
  const missing = theirs.filter((name) => !inIndex.has(name) && isReadable(work.shadow.project, name));
  await remove(work, gone);
  if (missing.length > 0) {
    await gitOutput(call(work, ['update-index', '--add', '-z', '--stdin'], { input: nulJoined(missing) }));
  }
  return gone.length + missing.length > 0;
}

async function trackedIgnored({ repository, shadow }: Work, args: string[]): Promise<string[]> {
  if (!repository) return [];
  const { exitCode, stdout, stderr } = await runUserGit(repository, shadow.project, { args });
  if (exitCode !== 0) throw new GitError(args, exitCode, stderr);
  return parseNames(stdout);
}

async function remove(work: Work, names: string[]): Promise<void> {
  if (names.length === 0) return;
  const args = ['update-index', '--force-remove', '-z', '--stdin'];
  await gitOutput(call(work, args, { input: nulJoined(names) }));
}

function nulJoined(names: string[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [encodeName(name), Buffer.from([0])]));
}

function isReadable(project: string, name: string): boolean {
  const path = Buffer.concat([Buffer.from(`${project}/`), encodeName(name)]);
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return true;
    accessSync(path, constants.R_OK);
    return stat.isFile();
  } catch {
    return false;
  }
}

async function namedTree(work: Work): Promise<string> {
  const { prefix } = work.shadow;
  const args = prefix === '' ? ['write-tree'] : ['write-tree', `--prefix=${prefix}`];
  const { exitCode, stdout, stderr } = await runGit(call(work, args));
  if (exitCode === 0) return stdout.toString('latin1').trim();
  if (prefix === '' || !stderr.includes('not found')) throw new GitError(args, exitCode, stderr);
  return (await gitOutput(call(work, ['mktree']))).toString('latin1').trim();
}

/**
 * Checkouts of the same repository inside the project. One that holds files which the project's own checkout tracks is no
 * checkout of its own, whatever it says.
 */
async function otherWorktrees(repository: UserRepository | undefined): Promise<string[]> {
  const folders = repository ? worktreesInside(repository) : [];
  if (!repository || folders.length === 0) return [];
  const args = ['--literal-pathspecs', 'ls-files', '-z', '--', ...folders];
  const { exitCode, stdout, stderr } = await runUserGit(repository, repository.top, { args });
  if (exitCode !== 0) throw new GitError(args, exitCode, stderr);
  const tracked = parseNames(stdout);
  return folders.filter((folder) => !tracked.some((name) => name.startsWith(`${folder}/`)));
}

function excludeFile(path: string, folders: readonly string[]): string | undefined {
  if (folders.length === 0) return undefined;
  writeFileSync(path, folders.map((folder) => `/${folder.replace(/[\\*?[\] !#]/g, '\\$&')}/\n`).join(''));
  return path;
}

function digest(names: readonly string[]): string {
  return sha256(names.join('\0')).slice(0, 16);
}

/** The index of the shadow as a file: a cache that is copied, replaced whole, and may be lost at any time. */

const LEFTOVER_MS = 3_600_000;

/** What tells a file from what replaced it, of an index and of its copy. */
interface CopiedIndex {
  original: string;
  copy: string | undefined;
}

/** Undefined when there is nothing to copy. */
function copyIndex(from: string, to: string): CopiedIndex | undefined {
  let fd: number;
  try {
    fd = openSync(from, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    writeFileSync(to, readFileSync(fd), { mode: 0o600 });
    // Git doubts entries as young as the index itself. A copy must not look younger than its original.
    const seconds = (Number(stat.mtimeMs) - 2) / 1000;
    utimesSync(to, seconds, seconds);
    return { original: `${stat.ino}-${stat.mtimeNs}`, copy: identityOf(to) };
  } finally {
    closeSync(fd);
  }
}

export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino}-${stat.mtimeNs}`;
}

/** An index in which nothing is ignored and untracked, the tree it made, and what the user's repository tracked then. */
interface Settled {
  tree: string;
  stamp: string;
  index: string;
}

function settledFile(indexFile: string): string {
  return `${indexFile}.settled`;
}

/** A line that cannot be read, or is torn, fits nothing: it costs a second look, no more. */
function readSettled(indexFile: string): Settled | undefined {
  try {
    const [tree, stamp, index] = (readSmall(settledFile(indexFile), 1024) ?? '').trim().split(' ');
    return tree && stamp && index ? { tree, stamp, index } : undefined;
  } catch {
    return undefined;
  }
}

function writeSettled(indexFile: string, last: Settled | undefined, now: Settled): void {
  if (last?.tree === now.tree && last.stamp === now.stamp && last.index === now.index) return;
  writeFileSync(settledFile(indexFile), `${now.tree} ${now.stamp} ${now.index}\n`, { mode: 0o600 });
  sweepLeftovers(indexFile);
}

/** The tree of `copied`, when nothing that it depended on has changed since it was settled. */
function settledBefore(
  settled: Settled | undefined,
  stamp: string,
  copied: CopiedIndex | undefined,
): string | undefined {
  return settled?.stamp === stamp && settled.index === copied?.original ? settled.tree : undefined;
}

/** Files of calls that were killed. The time of last change is no measure: a copy has that of its original. */
function sweepLeftovers(indexFile: string): void {
  const prefix = `${basename(indexFile)}.`;
  const folder = dirname(indexFile);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(prefix) || !/^\d+-[0-9a-f]{8}(\.lock|\.exclude)?$/.test(name.slice(prefix.length)))
      continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.ctimeMs > LEFTOVER_MS) rmSync(path, { force: true });
  }
}
