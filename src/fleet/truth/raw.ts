/**
 * Git on the bytes of a workspace as they are: line endings, filters and settings of the project do not change them. It works
 * with a private git folder, so that the session's own index and settings are neither used nor changed.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { realPath } from '../../home/layout.ts';
import type { GitCall } from '../../project/git.ts';
import { findUserRepository } from '../../project/trees/user-repository.ts';
import { type Cache, locked, withTemporary } from './cache.ts';
import { type GitWorld, localGit, mustGit } from './remote.ts';

const ATTRIBUTES = '* -text !eol -ident -filter !working-tree-encoding\n';
const CONFIG = [
  'core.bare=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.fileMode=true',
  'core.symlinks=true',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.ignoreStat=false',
];

export interface Raw {
  folder: string;
  /** The git folder of the checkout. */
  gitDir: string;
  /** Throws when git fails. */
  git(args: readonly string[], more?: Partial<GitCall>): Promise<Buffer>;
  /** The same, with the attributes of the project: what a checkout makes of a file. */
  converting(args: readonly string[], more?: Partial<GitCall>): Promise<Buffer>;
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
      };
      const plain = { GIT_DIR: join(dir, 'plain'), GIT_COMMON_DIR: join(dir, 'plain') };
      const call = (more: Partial<GitCall>, config: string[], place = {}) => ({
        ...more,
        config: [...CONFIG, ...config],
        env: { ...env, ...place, ...more.env },
      });
      const result = await work({
        folder,
        gitDir: repository.gitDir,
        git: (args, more = {}) => mustGit(cache.world, folder, args, call(more, [])),
        converting: async (args, more = {}) => {
          const filters = await withoutFilters(cache.world, folder, plain);
          return mustGit(cache.world, folder, args, call(more, filters, plain));
        },
        forget: () => rmSync(join(dir, 'index'), { force: true }),
      });
      if (existsSync(join(dir, 'index'))) renameSync(join(dir, 'index'), kept);
      return result;
    }),
  );
}

/**
 * Settings that switch off all programs which change files on their way in and out, such as that of LFS: their pointers stay
 * as they are.
 */
export async function withoutFilters(
  world: GitWorld,
  folder: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  const args = ['config', '--name-only', '-z', '--get-regexp', '^filter\\.'];
  const names = (await localGit(world, folder, args, { env })).stdout.toString('utf8').split('\0');
  const drivers = new Set(names.flatMap((name) => /^(filter\.[\s\S]*)\.[^.]+$/.exec(name)?.[1] ?? []));
  return [...drivers].flatMap((driver) => [
    `${driver}.smudge=`,
    `${driver}.clean=`,
    `${driver}.process=`,
    `${driver}.required=false`,
  ]);
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
