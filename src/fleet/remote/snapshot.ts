/** The commit of a workspace: everything that differs from HEAD, new files included, on top of HEAD. */
import { accessSync, constants, lstatSync, readFileSync, type Stats } from 'node:fs';
import { decodeName } from '../../engine/project/trees/git-output.ts';
import type { Cache } from './cache.ts';
import { takeBackConverted } from './conversions.ts';
import { text } from './journal-commit.ts';
import { isSecretName, keysIn, MOST_BYTES, SEARCHED_BYTES } from './left-out.ts';
import { identityFor } from './publish.ts';
import { nulJoined, pathOf, type Raw, type RawEntry, withRaw } from './raw.ts';

const TITLE = 'untildone: the workspace';

export interface Snapshot {
  commit: string;
  head: string;
  leftOut: string[];
}

export function snapshotOf(cache: Cache, workspace: string): Promise<Snapshot> {
  return withRaw(cache, workspace, (raw) =>
    takeSnapshot(cache, raw).catch(() => {
      cache.world.signal?.throwIfAborted();
      // A program that the session left behind may have changed files meanwhile; or the kept index is damaged.
      raw.forget();
      return takeSnapshot(cache, raw);
    }),
  );
}

async function takeSnapshot(cache: Cache, raw: Raw): Promise<Snapshot> {
  const { head, tree: before } = await headOf(raw);
  const [kept] = await Promise.all([otherWork(raw, head), readTree(raw, head)]);
  // It ends with 1 when files differ.
  await raw.git(['update-index', '-q', '--refresh']).catch(() => undefined);
  const [{ gone, changed, submodules }, untracked, staged] = await Promise.all([
    changedFiles(raw),
    newFiles(raw),
    stagedAlthoughIgnored(raw),
  ]);
  const added = [...untracked, ...staged];
  const nested = added.filter((name) => name.endsWith('/'));
  const files = added.filter((name) => !name.endsWith('/'));
  const leftOut = [
    ...nested,
    ...submodules.map((name) => `${name}/`),
    ...files.filter((name) => staysOut(raw, name)),
    ...(await changedSecrets(raw, head, changed)),
  ].sort();
  const out = new Set(leftOut);
  await update(raw, ['--force-remove'], gone);
  const taken = [...changed, ...submodules, ...files].filter((name) => !out.has(name));
  await update(raw, ['--add', '--replace'], taken);
  const cached = ['diff-index', '--cached', '--raw', '-z', '--no-renames', head];
  const form = await takeBackConverted(raw, head, parseRaw(await raw.git(cached)));
  const tree = text(await raw.git(['write-tree']));
  if (tree === before && kept.length === 0 && form === 'checkout') return { commit: head, head, leftOut };
  const parents = [head, ...new Set(kept.map(({ commit }) => commit))].flatMap((id) => ['-p', id]);
  const args = ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree];
  const input = messageOf(head, kept, form);
  return { commit: text(await raw.git(args, { env: await identityFor(cache), input })), head, leftOut };
}

/** A branch or a stash with commits that HEAD does not lead to: a session may have left its branch, or begun a rebase. */
interface Kept {
  commit: string;
  ref: string;
}

const BYTES = 'Every file byte by byte.';

function messageOf(head: string, kept: readonly Kept[], form: 'checkout' | 'bytes'): string {
  const lines = kept.map(({ commit, ref }) => `Keeps ${commit} ${ref}\n`);
  const bytes = form === 'bytes' ? `${BYTES}\n` : '';
  return `${TITLE}\n\nWhat was not committed on top of ${head}.\n${bytes}${lines.join('')}`;
}

/** What the commit of a workspace holds: the commit that HEAD was at, branches beside it, and how its files are to be read. */
export async function contentOf(
  raw: Raw,
  work: string,
): Promise<{ head: string; kept: Kept[]; form: 'checkout' | 'bytes' }> {
  const body = (await raw.git(['cat-file', 'commit', work])).toString('utf8');
  const [top, message] = [body.slice(0, body.indexOf('\n\n')), body.slice(body.indexOf('\n\n') + 2)];
  const parents = [...top.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = '']) => id);
  const [head] = parents;
  if (head === undefined || !message.startsWith(messageOf(head, [], 'checkout')))
    return { head: work, kept: [], form: 'checkout' };
  const kept = [...message.matchAll(/^Keeps ([0-9a-f]+) (refs\/(?:heads\/\S+|stash))$/gm)];
  const named = kept.map(([, commit = '', ref = '']) => ({ commit, ref }));
  const form = message.includes(`\n${BYTES}\n`) ? 'bytes' : 'checkout';
  return { head, kept: named.filter(({ commit }) => parents.includes(commit)), form };
}

/** More branches than these are left to themselves. */
const MOST_KEPT = 30;

async function otherWork(raw: Raw, head: string): Promise<Kept[]> {
  const format = '--format=%(objectname) %(refname)';
  const newest = ['--sort=-committerdate', `--count=${MOST_KEPT}`];
  const args = ['for-each-ref', format, ...newest, `--no-merged=${head}`, 'refs/heads', 'refs/stash'];
  const { exitCode, stdout } = await raw.session(args);
  if (exitCode !== 0) return [];
  return text(stdout)
    .split('\n')
    .flatMap((line) => {
      const [, commit, ref] = /^([0-9a-f]+) (\S+)$/.exec(line) ?? [];
      return commit !== undefined && ref !== undefined ? [{ commit, ref }] : [];
    });
}

/** Where HEAD is; where the newest branch is when the session has begun a branch without a commit. */
async function headOf(raw: Raw): Promise<{ head: string; tree: string }> {
  for (const find of [async () => 'HEAD', () => newestBranch(raw)]) {
    const revision = await find();
    const args = ['rev-parse', '--quiet', `${revision}^{commit}`, `${revision}^{tree}`];
    const { exitCode, stdout } = await raw.session(args);
    const [head, tree] = text(stdout).split('\n');
    if (exitCode === 0 && head && tree) return { head, tree };
  }
  throw new Error(`the repository in ${raw.folder} has no commit: its workspace cannot be published`);
}

async function newestBranch(raw: Raw): Promise<string> {
  const args = ['for-each-ref', '--sort=-committerdate', '--count=1', '--format=%(objectname)', 'refs/heads'];
  return text((await raw.session(args)).stdout) || 'HEAD';
}

/** Files that git ignores, and that the session has staged all the same: they belong to the work. */
async function stagedAlthoughIgnored(raw: Raw): Promise<string[]> {
  const listing = ['ls-files', '-z', '-c', '-i', '--exclude-standard'];
  const { exitCode, stdout } = await raw.session(listing);
  const staged = exitCode === 0 ? namesOf(stdout) : [];
  if (staged.length === 0) return [];
  const known = new Set(namesOf(await raw.git(listing)));
  const isThere = (name: string) =>
    lstatSync(pathOf(raw.folder, name), { throwIfNoEntry: false })?.isDirectory() === false;
  return staged.filter((name) => !known.has(name) && isThere(name));
}

/** What the index knows of files that did not change since the last snapshot stays. */
async function readTree(raw: Raw, head: string): Promise<void> {
  await raw.git(['read-tree', '--reset', head]).catch(() => {
    raw.forget();
    return raw.git(['read-tree', head]);
  });
}

async function changedFiles(raw: Raw): Promise<{ gone: string[]; changed: string[]; submodules: string[] }> {
  const args = ['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=none'];
  const changes = parseRaw(await raw.git(args));
  const gone = changes.filter(({ status }) => status === 'D').map(({ path }) => path);
  const there = changes.filter(({ status }) => status !== 'D');
  return {
    gone,
    changed: there.filter(({ before }) => before !== GITLINK).map(({ path }) => path),
    submodules: there.filter(({ before }) => before === GITLINK).map(({ path }) => path),
  };
}

const GITLINK = '160000';

/** `git diff-* --raw -z --no-renames`. */
export function parseRaw(output: Buffer): RawEntry[] {
  const parts = decodeName(output).split('\0');
  const entries: RawEntry[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, before, after, from, to, status] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(parts[i] ?? '') ?? [];
    const path = parts[i + 1];
    if (before && after && from && to && status && path !== undefined)
      entries.push({ before, after, from, to, status, path });
  }
  return entries;
}

/** Files that git does not know and does not ignore; a name with a slash at its end is a repository. */
export async function newFiles(raw: Raw): Promise<string[]> {
  return namesOf(await raw.git(['ls-files', '-o', '-z', '--exclude-standard']));
}

function namesOf(output: Buffer): string[] {
  return decodeName(output)
    .split('\0')
    .filter((name) => name !== '');
}

/** Whether a new file stays out of the snapshot. */
export function staysOut({ folder }: Raw, name: string): boolean {
  if (isSecretName(name)) return true;
  const path = pathOf(folder, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return false;
  return stat.size > MOST_BYTES || !isReadable(path) || keysOf(path, stat).size > 0;
}

function isReadable(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function keysOf(path: Buffer, stat: Stats): Set<string> {
  if (stat.size > SEARCHED_BYTES) return new Set();
  try {
    return keysIn(readFileSync(path, 'latin1'));
  } catch {
    return new Set();
  }
}

/** Changed files with a key that is not in the last commit already. */
async function changedSecrets(raw: Raw, head: string, changed: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of changed) {
    const path = pathOf(raw.folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    if (stat.size > MOST_BYTES || !isReadable(path)) found.push(name);
    const keys = keysOf(path, stat);
    if (keys.size === 0) continue;
    const known = keysIn((await blobOf(raw, head, name)).toString('latin1'));
    if ([...keys].some((key) => !known.has(key))) found.push(name);
  }
  return found;
}

async function blobOf(raw: Raw, head: string, name: string): Promise<Buffer> {
  const listed = await raw.git(['ls-tree', '-z', head, '--', name]);
  const id = /^\d+ blob ([0-9a-f]+)\t/.exec(listed.toString('latin1'))?.[1];
  return id === undefined ? Buffer.alloc(0) : raw.git(['cat-file', 'blob', id]);
}

async function update(raw: Raw, options: readonly string[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = nulJoined(names);
  await raw.git(['update-index', '--remove', ...options, '-z', '--stdin'], { input });
}
