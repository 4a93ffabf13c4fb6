/** The commit of a workspace: everything that differs from HEAD, new files included, on top of HEAD. */
import { createHash } from 'node:crypto';
import { accessSync, constants, lstatSync, readFileSync, type Stats } from 'node:fs';
import { sha256 } from '../../files/digest.ts';
import { decodeName, encodeName } from '../../project/trees/git-output.ts';
import type { Cache } from './cache.ts';
import { text } from './journal-commit.ts';
import { isSecretName, keysIn, MOST_BYTES, SEARCHED_BYTES } from './left-out.ts';
import { identityFor } from './publish.ts';
import { type Raw, withRaw } from './raw.ts';
import { localGit } from './remote.ts';

const TITLE = 'untildone: the workspace';

export interface Snapshot {
  commit: string;
  head: string;
  leftOut: string[];
}

export function snapshotOf(cache: Cache, workspace: string): Promise<Snapshot> {
  return withRaw(cache, workspace, async (raw) => {
    const { head, tree: before } = await headOf(cache, raw);
    await readTree(raw, head);
    const { gone, changed, submodules } = await changedFiles(cache, raw);
    const added = await newFiles(raw);
    const nested = added.filter((name) => name.endsWith('/'));
    const files = added.filter((name) => !name.endsWith('/'));
    const leftOut = [
      ...nested,
      ...submodules.map((name) => `${name}/`),
      ...files.filter((name) => staysOut(raw, name)),
      ...(await changedSecrets(raw, head, changed)),
    ].sort();
    const out = new Set(leftOut);
    await force(raw, ['--force-remove'], gone);
    await force(
      raw,
      ['--add', '--replace'],
      [...changed, ...submodules, ...files].filter((name) => !out.has(name)),
    );
    await takeBackConverted(raw, head);
    const tree = text(await raw.git(['write-tree']));
    if (tree === before) return { commit: head, head, leftOut };
    const args = ['commit-tree', '--no-gpg-sign', '-p', head, '-F', '-', tree];
    const message = `${TITLE}\n\nWhat was not committed on top of ${head}.\n`;
    const commit = text(await raw.git(args, { env: await identityFor(cache), input: message }));
    return { commit, head, leftOut };
  });
}

/** The commit that a workspace was at, by the commit of the workspace. */
export async function headBelow(raw: Pick<Raw, 'git'>, work: string): Promise<string> {
  const body = (await raw.git(['cat-file', 'commit', work])).toString('utf8');
  const [, parent] = /^parent ([0-9a-f]+)$/m.exec(body.slice(0, body.indexOf('\n\n'))) ?? [];
  const isOurs = body
    .slice(body.indexOf('\n\n') + 2)
    .startsWith(`${TITLE}\n\nWhat was not committed on top of ${parent}.`);
  return isOurs && parent ? parent : work;
}

async function headOf(cache: Cache, { folder, gitDir }: Raw): Promise<{ head: string; tree: string }> {
  const args = ['rev-parse', '--quiet', 'HEAD^{commit}', 'HEAD^{tree}'];
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: folder };
  const { exitCode, stdout } = await localGit(cache.world, folder, args, { env });
  const [head, tree] = text(stdout).split('\n');
  if (exitCode === 0 && head && tree) return { head, tree };
  throw new Error(`the repository in ${folder} has no commit that its HEAD leads to`);
}

/** What the index knows of files that did not change since the last snapshot stays. */
async function readTree(raw: Raw, head: string): Promise<void> {
  await raw.git(['read-tree', '--reset', head]).catch(() => {
    raw.forget();
    return raw.git(['read-tree', head]);
  });
}

async function changedFiles(
  cache: Cache,
  raw: Raw,
): Promise<{ gone: string[]; changed: string[]; submodules: string[] }> {
  // It ends with 1 when files differ.
  await raw.git(['update-index', '-q', '--refresh']).catch(() => undefined);
  cache.world.signal?.throwIfAborted();
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

export interface RawEntry {
  before: string;
  after: string;
  from: string;
  to: string;
  status: string;
  path: string;
}

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

export function pathOf(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), encodeName(name)]);
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

async function force(raw: Raw, options: readonly string[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = nulJoined(names);
  await raw.git(['update-index', '--remove', ...options, '-z', '--stdin'], { input });
}

export function nulJoined(names: readonly string[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [encodeName(name), Buffer.from([0])]));
}

/**
 * Takes files back that differ from the last commit only because a checkout writes them so: with other line endings, or
 * with the content that an LFS pointer stands for. All others are stored byte by byte.
 */
async function takeBackConverted(raw: Raw, head: string): Promise<void> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', head];
  const changes = parseRaw(await raw.git(args));
  // The next checkout would go by other attributes than this one.
  if (changes.some(({ path }) => /(?:^|\/)\.gitattributes$/.test(path))) return;
  const files = changes.filter(
    ({ status, before, after, path }) =>
      status === 'M' && before === after && !path.includes('\n') && before !== '120000' && before !== GITLINK,
  );
  if (files.length === 0) return;
  const input = Buffer.concat(
    files.flatMap(({ from, path }) => [Buffer.from(`${from} `), encodeName(path), Buffer.from('\n')]),
  );
  const output = await raw.converting(['cat-file', '--batch', '--filters'], { input });
  const same = files.filter(sameIn(raw, output));
  if (same.length === 0) return;
  const lines = same.flatMap(({ before, from, path }) => [
    Buffer.from(`${before} ${from}\t`),
    encodeName(path),
    Buffer.from([0]),
  ]);
  await raw.git(['update-index', '-z', '--index-info'], { input: Buffer.concat(lines) });
}

/** Reads what `cat-file --batch` made of each entry, in their order. */
function sameIn(raw: Raw, output: Buffer): (entry: RawEntry) => boolean {
  let at = 0;
  return ({ to, path }) => {
    const end = output.indexOf(0x0a, at);
    const size = Number(/ blob (\d+)$/.exec(output.toString('latin1', at, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) throw new Error(`git cannot say what a checkout makes of ${path}`);
    const content = output.subarray(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    return blobId(content, to) === to || isLfsContent(content, raw, path);
  };
}

function blobId(content: Buffer, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

function isLfsContent(pointer: Buffer, { folder }: Raw, name: string): boolean {
  if (pointer.length > 1024) return false;
  const [, oid, size] =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n[\s\S]*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n/.exec(
      pointer.toString('latin1'),
    ) ?? [];
  if (oid === undefined) return false;
  const path = pathOf(folder, name);
  return lstatSync(path).size === Number(size) && sha256(readFileSync(path)) === oid;
}
