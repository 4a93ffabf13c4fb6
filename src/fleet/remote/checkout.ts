/** Checkouts of the workers: each a repository of its own, with settings and hooks of its own, which borrows the cache's objects. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../../engine/files/process-id.ts';
import { namesIn } from '../../engine/files/whole-file.ts';
import { realPath } from '../../engine/home/layout.ts';
import { type Cache, need, noteBorrower } from './cache.ts';
import { isFile } from './conversions.ts';
import { mustGit, said } from './git-calls.ts';
import { filtersOffFor, forgetIndex, nulJoined, pathOf, type Raw, type RawEntry, withRaw } from './raw.ts';
import { contentOf, newFiles, parseRaw, staysOut } from './snapshot.ts';

/** A folder is there whole or not at all, even after a kill. */
export async function checkoutTo(cache: Cache, commit: string, folder: string): Promise<void> {
  if (namesIn(folder).length > 0) throw new Error(`${folder} is not empty: a checkout needs a new folder`);
  await need(cache, commit);
  mkdirSync(dirname(folder), { recursive: true });
  sweepBeside(folder);
  const made = `${folder}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  const git = (...args: string[]) => mustGit(cache.world, made, args, OWN);
  try {
    mkdirSync(made);
    const format = commit.length === 64 ? ['--object-format=sha256'] : [];
    await git('init', '--quiet', '--template=', ...format);
    writeFileSync(join(made, '.git', 'config'), settingsFor(cache.repo, commit.length === 64));
    const objects = join(realPath(cache.dir), 'objects');
    writeFileSync(join(made, '.git', 'objects', 'info', 'alternates'), `${quoted(objects)}\n`);
    const config = await filtersOffFor(cache.world, made);
    const args = ['checkout', '--quiet', '--force', '--detach', commit];
    await mustGit(cache.world, made, args, { ...OWN, config });
    forgetIndex(cache, folder);
    noteBorrower(cache, folder);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

const GITLINK = '160000';

/** The name of the repository is not looked for in folders above, nor taken from variables. */
const OWN = { env: { GIT_DIR: '.git', GIT_WORK_TREE: '.' } };

function quoted(path: string): string {
  return /["\n\\]|^#/.test(path) ? JSON.stringify(path) : path;
}

/** Line endings as the project's own attributes say, whatever this machine's settings are: workers must see the same files. */
function settingsFor(repo: string, isSha256: boolean): string {
  return [
    '[core]',
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    ...['bare = false', 'logallrefupdates = true', 'filemode = true', 'symlinks = true'].map(
      (line) => `\t${line}`,
    ),
    ...['autocrlf = false', 'eol = lf', 'safecrlf = false'].map((line) => `\t${line}`),
    `\tattributesFile = ${JSON.stringify(devNull)}`,
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    // Objects that are not pushed yet must stay.
    ...['[gc]', '\tauto = 0', '[maintenance]', '\tauto = false'],
    '[remote "origin"]',
    `\turl = ${JSON.stringify(repo)}`,
    '\tfetch = +refs/heads/*:refs/remotes/origin/*',
    '',
  ].join('\n');
}

/** Removes what processes left that were killed. */
function sweepBeside(folder: string): void {
  const prefix = `${basename(folder)}.new-`;
  for (const name of namesIn(dirname(folder))) {
    const pid = name.startsWith(prefix)
      ? /^(\d+)-[0-9a-f]{8}$/.exec(name.slice(prefix.length))?.[1]
      : undefined;
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** HEAD on `branch`, and the working tree as it was published. What git ignores stays, such as installed packages. */
export async function restoreTo(cache: Cache, folder: string, work: string, branch: string): Promise<void> {
  await need(cache, work);
  await withRaw(cache, folder, async (raw) => {
    const { head, kept, form } = await contentOf(raw, work);
    const config = await filtersOffFor(cache.world, raw.folder);
    const session = async (args: string[], input?: Buffer) => {
      const { exitCode, stderr } = await raw.session(args, { config, input });
      if (exitCode !== 0) throw new Error(`git ${args[0]} failed in ${raw.folder}: ${said(stderr)}`);
    };
    await session(['checkout', '--quiet', '--force', '--no-track', '-B', branch, head, '--']);
    for (const { commit, ref } of kept) {
      if (ref === 'refs/stash')
        await session(['stash', 'store', '--quiet', '-m', 'from another machine', commit]);
      else await session(['update-ref', ref === `refs/heads/${branch}` ? `${ref}-before` : ref, commit]);
    }
    const changes = parseRaw(await raw.git(['diff-tree', '-r', '--raw', '-z', '--no-renames', head, work]));
    for (const { status, path } of changes) if (status === 'D') removeFile(raw, path);
    raw.forget();
    await raw.git(['read-tree', work]);
    const written = form === 'bytes' ? await differing(raw) : withoutModes(raw, changes);
    const names = written.filter(({ before, after }) => before !== GITLINK && after !== GITLINK);
    const args = ['checkout-index', '--force', '--quiet', '-u', '-z', '--stdin'];
    if (names.length > 0) await raw.git(args, { input: nulJoined(names.map(({ path }) => path)) });
    await removeOthers(raw);
    const added = nulJoined(changes.filter(({ status }) => status === 'A').map(({ path }) => path));
    if (added.length === 0) return;
    // Files that git ignores are only part of the work because they were staged.
    const ignored = await raw.session(['check-ignore', '-z', '--stdin'], { input: added });
    if (ignored.stdout.length > 0) await session(['update-index', '--add', '-z', '--stdin'], ignored.stdout);
  });
}

/**
 * The changes of content. Where only a mode changed, it is set here: the checkout has written the content, with the line endings
 * that the project asks for.
 */
function withoutModes(raw: Raw, changes: readonly RawEntry[]): RawEntry[] {
  return changes.filter(({ status, before, after, from, to, path }) => {
    if (status === 'D') return false;
    if (from !== to || !isFile(before) || !isFile(after)) return true;
    const file = pathOf(raw.folder, path);
    const { mode } = lstatSync(file);
    chmodSync(file, after === '100755' ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
    return false;
  });
}

/** Files whose bytes are not those of the index. */
async function differing(raw: Raw): Promise<RawEntry[]> {
  // It ends with 1 when files differ.
  await raw.git(['update-index', '-q', '--refresh']).catch(() => undefined);
  const args = ['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=all'];
  return parseRaw(await raw.git(args));
}

/** Files that are not in the snapshot were removed before it was taken; not those that never get into one. */
async function removeOthers(raw: Raw): Promise<void> {
  for (const name of await newFiles(raw))
    if (!name.endsWith('/') && !staysOut(raw, name)) removeFile(raw, name);
}

/** Removes a file, and the folders that are empty then. */
function removeFile({ folder }: Raw, name: string): void {
  try {
    unlinkSync(pathOf(folder, name));
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
      const above = pathOf(folder, name.slice(0, at));
      if (readdirSync(above).length > 0) return;
      rmdirSync(above);
    }
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
