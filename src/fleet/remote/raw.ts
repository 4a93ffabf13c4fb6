/**
 * Git on the bytes of a workspace as they are: line endings, filters and settings of the project do not change them. It works
 * with a private git folder, so that the session's own index and settings are neither used nor changed.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../engine/files/digest.ts';
import { realPath } from '../../engine/home/layout.ts';
import {
  AS_BYTES_CONFIG,
  FILTERS,
  type GitCall,
  type GitResult,
  withoutFilters,
} from '../../engine/project/git.ts';
import { encodeName } from '../../engine/project/trees/git-output.ts';
import { findUserRepository } from '../../engine/project/trees/user-repository.ts';
import { type Cache, locked, withTemporary } from './cache.ts';
import { localGit, mustGit, type RemoteGit } from './git-calls.ts';

const ATTRIBUTES = '* -text !eol -ident -filter !working-tree-encoding\n';

/** One line of `git diff-* --raw`. */
export interface RawEntry {
  before: string;
  after: string;
  from: string;
  to: string;
  status: string;
  path: string;
}

/** The former modes and contents, as `update-index --index-info` takes them. */
export function indexInfo(entries: readonly RawEntry[]): Buffer {
  const lines = entries.flatMap(({ before, from, path }) => [
    Buffer.from(`${before} ${from}\t`),
    encodeName(path),
    Buffer.from([0]),
  ]);
  return Buffer.concat(lines);
}

export function nulJoined(names: readonly string[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [encodeName(name), Buffer.from([0])]));
}

export function pathOf(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), encodeName(name)]);
}

type SessionCall = Partial<GitCall> & { config?: readonly string[] };

export interface Raw {
  folder: string;
  /** Throws when git fails. */
  git(args: readonly string[], more?: Partial<GitCall>): Promise<Buffer>;
  /** The entries for which this holds of the file that a checkout would make of their former content. */
  converted(
    entries: readonly RawEntry[],
    holds: (entry: RawEntry, content: Buffer) => boolean,
  ): Promise<RawEntry[]>;
  /** Git with the attributes of the project. */
  attributes(args: readonly string[], input: Buffer): Promise<Buffer>;
  /** Git on the session's own repository, without its hooks and programs. */
  session(args: readonly string[], more?: SessionCall): Promise<GitResult>;
  /** Makes git begin without an index. */
  forget(): void;
}

/** One use of a workspace at a time. The index is kept between uses, so that unchanged files are not read again. */
export async function withRaw<Result>(
  cache: Cache,
  workspace: string,
  work: (raw: Raw) => Promise<Result>,
): Promise<Result> {
  const folder = realPath(workspace);
  const repository = findUserRepository(folder);
  if (!repository || repository.top !== folder) throw new Error(`${folder} is no checkout of its own`);
  const kept = indexesOf(cache, folder);
  return locked({ ...cache, dir: kept }, () =>
    withTemporary(cache, async (dir) => {
      layOut(dir, repository.gitDir, kept);
      const objects = join(repository.commonDir, 'objects');
      const env = {
        GIT_DIR: dir,
        GIT_COMMON_DIR: dir,
        GIT_WORK_TREE: folder,
        GIT_OBJECT_DIRECTORY: objects,
        GIT_INDEX_FILE: join(dir, 'index'),
        GIT_LITERAL_PATHSPECS: '1',
        GIT_ATTR_NOSYSTEM: '1',
      };
      const plain = { GIT_DIR: join(dir, 'plain'), GIT_COMMON_DIR: join(dir, 'plain') };
      const call = (more: Partial<GitCall>, config: string[], place = {}) => ({
        ...more,
        config: [...AS_BYTES_CONFIG, ...config],
        env: { ...env, ...place, ...more.env },
      });
      const result = await work({
        folder,
        git: (args, more = {}) => mustGit(cache.world, folder, args, call(more, [])),
        attributes: (args, input) => mustGit(cache.world, folder, args, call({ input }, [], plain)),
        converted: async (entries, holds) => {
          if (entries.length === 0) return [];
          const out = join(dir, `out-${randomBytes(4).toString('hex')}`);
          const place = { ...plain, GIT_INDEX_FILE: `${out}.index` };
          const filters = await filtersOffFor(cache.world, folder, plain);
          const git = (args: string[], input: Buffer) =>
            mustGit(cache.world, folder, args, call({ input }, [...filters, 'core.eol=lf'], place));
          await git(['update-index', '--add', '-z', '--index-info'], indexInfo(entries));
          const names = nulJoined(entries.map(({ path }) => path));
          await git(['checkout-index', '--force', '--quiet', `--prefix=${out}/`, '-z', '--stdin'], names);
          return entries.filter((entry) => holds(entry, readFileSync(pathOf(out, entry.path))));
        },
        session: (args, more = {}) =>
          localGit(cache.world, folder, args, {
            ...more,
            env: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: folder, ...more.env },
          }),
        forget: () => rmSync(join(dir, 'index'), { force: true }),
      });
      if (existsSync(join(dir, 'index'))) renameSync(join(dir, 'index'), kept);
      return result;
    }),
  );
}

/** Settings that switch off all filters, such as that of LFS: their pointers stay as they are. */
export async function filtersOffFor(
  world: RemoteGit,
  folder: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  return withoutFilters(await localGit(world, folder, FILTERS, { env }));
}

function layOut(dir: string, gitDir: string, kept: string): void {
  const sha256Format = /objectformat\s*=\s*sha256/i.test(readFileSync(join(gitDir, 'config'), 'utf8'));
  const version = sha256Format ? '1\n[extensions]\n\tobjectFormat = sha256' : '0';
  for (const place of [dir, join(dir, 'plain')]) {
    for (const name of ['refs', 'info', 'objects']) mkdirSync(join(place, name), { recursive: true });
    writeFileSync(join(place, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(place, 'config'), `[core]\n\trepositoryformatversion = ${version}\n`);
  }
  writeFileSync(join(dir, 'info', 'attributes'), ATTRIBUTES);
  if (existsSync(kept)) renameSync(kept, join(dir, 'index'));
}

/** The index that is kept of a workspace, beside the caches, where the session does not look. */
function indexesOf({ caches }: Cache, folder: string): string {
  const indexes = join(caches, 'indexes');
  mkdirSync(indexes, { recursive: true, mode: 0o700 });
  return join(indexes, sha256(folder).slice(0, 32));
}

export function forgetIndex(cache: Cache, workspace: string): void {
  rmSync(indexesOf(cache, realPath(workspace)), { force: true });
}
