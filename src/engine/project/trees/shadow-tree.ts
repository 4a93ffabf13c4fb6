import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
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
import { hmacSha256, sha256 } from '../../files/digest.ts';
import { withLock } from '../../files/lock.ts';
import { readSmall } from '../../files/whole-file.ts';
import { GitError, gitOutput, runGit } from '../git.ts';
import { encodeName, parseGitlinks, parseNames } from './git-output.ts';
import { type Shadow, type ShadowCall, shadowCall } from './shadow-repository.ts';
import { runUserGit, trackedStamp, type UserRepository, worktreesInside } from './user-repository.ts';

/**
 * Writes the content of the project's folder as a git tree.
 *
 * The index is only a cache: each call works on a copy of its own and puts it back whole. So calls do not wait for each
 * other, and a killed one leaves nothing half done. What is in a tree does not depend on the calls before it:
 *  - files that git does not ignore, and files that the user's repository tracks although they are ignored;
 *  - the files of repositories inside the project (submodules, checkouts), as if they were plain folders; but not other
 *    worktrees of the project's own repository, which belong to other sessions;
 *  - no files that cannot be read, no pipes, no sockets.
 */

const MAX_NESTING = 16;
/** A name that is put into the index for a nested repository, so that git takes its folder for a plain one. */
const STAND_IN = '.untildone-nested';

interface Work {
  shadow: Shadow;
  repository: UserRepository | undefined;
  /** The copy of the index that this call works on. */
  index: string;
  excludesFile: string | undefined;
}

/** The index that makes the next tree quicker. What is kept of it is sealed with the key, or does not count. */
export interface KeptIndex {
  indexFile: string;
  key?: string;
}

export async function writeTree(
  shadow: Shadow,
  repository: UserRepository | undefined,
  { indexFile, key = '' }: KeptIndex,
): Promise<string> {
  mkdirSync(dirname(indexFile), { recursive: true, mode: 0o700 });
  const index = `${indexFile}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const others = await otherWorktrees(repository);
    const work: Work = { shadow, repository, index, excludesFile: excludeFile(`${index}.exclude`, others) };
    const stamp = digest([shadow.made, trackedStamp(repository), ...others]);
    const cached = readCachedTree(indexFile, key);
    const copied = copyIndex(indexFile, index, cached);
    const before = copied && cached?.stamp === stamp ? cached.tree : undefined;
    const tree = await treeOfWork(work, before).catch((error: unknown) => {
      if (!copied || !(error instanceof GitError)) throw error;
      // The index may be damaged: try again without it.
      rmSync(index, { force: true });
      return treeOfWork(work, undefined);
    });
    keep(index, indexFile, copied, cached, { tree, stamp }, key);
    return tree;
  } finally {
    for (const path of [index, `${index}.lock`, `${index}.exclude`]) rmSync(path, { force: true });
  }
}

/**
 * Puts the copy in place of its original when git has changed it, and records what tree it makes. Never throws: without an
 * index, or with one that does not fit its record, the next tree is written from scratch.
 */
function keep(
  index: string,
  indexFile: string,
  copied: CopiedIndex | undefined,
  last: CachedTree | undefined,
  now: Pick<CachedTree, 'tree' | 'stamp'>,
  key: string,
): void {
  try {
    const isSame = copied !== undefined && identityOf(index) === copied.identity;
    if (isSame && last?.tree === now.tree && last.stamp === now.stamp) return;
    const digest = isSame ? copied.digest : digestOf(index);
    withLock(`${indexFile}.keeping`, () => {
      if (digest === '') rmSync(indexFile, { force: true });
      else if (!isSame) renameSync(index, indexFile);
      writeCachedTree(indexFile, { ...now, index: digest }, key);
    });
    sweepLeftovers(indexFile);
  } catch {
    // As above.
  }
}

/** Empty when git made no index, because there is nothing to put into one. */
function digestOf(index: string): string {
  return existsSync(index) ? sha256(readFileSync(index)) : '';
}

/** `before` is the tree of the copied index, when it is known to hold no files that are ignored and untracked. */
async function treeOfWork(work: Work, before: string | undefined): Promise<string> {
  const copy = identityOf(work.index);
  const said = await addEverything(work);
  // Git may have written the index anew only because times of files had changed.
  if (before !== undefined && (said === '' || identityOf(work.index) === copy)) return before;
  const tree = await namedTree(work);
  if (tree === before || (before !== undefined && said !== undefined && !namesIgnoreRules(said))) return tree;
  return (await applyIgnoreRules(work)) ? namedTree(work) : tree;
}

/** Whether one of the names is that of an ignore file: git says `add 'src/.gitignore'`. */
function namesIgnoreRules(said: string): boolean {
  return /['/]\.gitignore'$/m.test(said);
}

function call(work: Work, args: string[], more: Partial<ShadowCall> = {}) {
  const { excludesFile, index, shadow } = work;
  return shadowCall(shadow, { args, index, excludesFile: excludesFile || undefined, ...more });
}

/**
 * Brings the index in line with the folder. Returns what git says that it changed in it, a name a line: nothing when every file is
 * as the index has it. Undefined when other calls changed the index, too.
 */
async function addEverything(work: Work): Promise<string | undefined> {
  // The project may have become a repository inside `top`: a stand-in lets git look into it.
  if (work.shadow.prefix !== '' && identityOf(work.index) === undefined) await standIn(work, ['']);
  for (let round = 0; round < MAX_NESTING; round++) {
    const args = [
      'add',
      '--all',
      '--verbose',
      '--ignore-errors',
      ...(work.shadow.prefix === '' ? [] : ['--', '.']),
    ];
    const { exitCode, stdout, stderr } = await runGit(call(work, args));
    if (exitCode > 1) throw new GitError(['add'], exitCode, stderr);
    if (exitCode === 0 && stderr === '') return round === 0 ? stdout.toString('latin1') : undefined;
    const nested = await nestedRepositories(work);
    if (nested.length === 0) {
      await leaveOutUnreadable(work);
      return undefined;
    }
    await standIn(work, nested);
  }
  throw new Error(
    `${work.shadow.project} holds git repositories nested more than ${MAX_NESTING} deep: remove some of them, or let git ignore them`,
  );
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

/** Removes files that still differ from the index after everything was added: git could not read them. */
async function leaveOutUnreadable(work: Work): Promise<void> {
  const differing = await gitOutput(call(work, ['ls-files', '-m', '-d', '-z']));
  await remove(work, parseNames(differing));
}

/** Brings the index in line with the ignore rules of this moment; returns true when that changed it. */
async function applyIgnoreRules(work: Work): Promise<boolean> {
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
 * Worktrees of the same repository inside the project, relative to its top. A folder with files that the project itself
 * tracks does not count, even if it claims to be a worktree.
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

const LEFTOVER_MS = 3_600_000;

/** A copy of the index. Git replaces the file when it changes it, so that it gets another identity. */
interface CopiedIndex {
  identity: string | undefined;
  digest: string;
}

/**
 * Copies the index that the record names; undefined when there is none, or another one. An index says which files git need
 * not read again, so nobody else's may be used.
 */
function copyIndex(from: string, to: string, record: CachedTree | undefined): CopiedIndex | undefined {
  if (!record || !existsSync(from)) return undefined;
  const fd = openSync(from, 'r');
  try {
    const stat = fstatSync(fd, { bigint: true });
    const bytes = readFileSync(fd);
    const digest = sha256(bytes);
    if (digest !== record.index) return undefined;
    writeFileSync(to, bytes, { mode: 0o600 });
    // Git reads files again that are as young as the index: a copy must not look younger than its original.
    const seconds = (Number(stat.mtimeMs) - 2) / 1000;
    utimesSync(to, seconds, seconds);
    return { identity: identityOf(to), digest };
  } finally {
    closeSync(fd);
  }
}

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino}-${stat.mtimeNs}`;
}

/** A record of an index without ignored, untracked files: such an index can be used again as it is. */
interface CachedTree {
  tree: string;
  /** Changes with the shadow, with what the user's repository tracks, and with its worktrees. */
  stamp: string;
  /** The digest of the index that made the tree. */
  index: string;
}

function cachedTreeFile(indexFile: string): string {
  return `${indexFile}.settled`;
}

/** Undefined for a record that is damaged, cannot be read, or that others wrote: the tree is then written from scratch. */
function readCachedTree(indexFile: string, key: string): CachedTree | undefined {
  try {
    const text = readSmall(cachedTreeFile(indexFile), 1024) ?? '';
    const [tree, stamp, index, seal] = text.trim().split(' ');
    if (!tree || !stamp || !index || !seal) return undefined;
    const cached = { tree, stamp, index };
    return seal === sealOf(indexFile, cached, key) ? cached : undefined;
  } catch {
    return undefined;
  }
}

function writeCachedTree(indexFile: string, now: CachedTree, key: string): void {
  const line = [now.tree, now.stamp, now.index || '-', sealOf(indexFile, now, key)].join(' ');
  writeFileSync(cachedTreeFile(indexFile), `${line}\n`, { mode: 0o600 });
}

/** The record of another project does not count here. */
function sealOf(indexFile: string, { tree, stamp, index }: CachedTree, key: string): string {
  const place = `${basename(dirname(indexFile))}/${basename(indexFile)}`;
  return hmacSha256(key, `index ${place} ${tree} ${stamp} ${index || '-'}`);
}

/** Removes files of calls that were killed. Their age is told by ctime, because a copy has the mtime of its original. */
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
