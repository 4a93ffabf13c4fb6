/** The runs of one repository on its remote, over git. */
import { RemoteAway } from '../../engine/core/fleet/errors.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { refNames } from '../names.ts';
import { type Cache, cacheGit, cacheOf, NotThere, need, ready } from './cache.ts';
import { checkoutTo, restoreTo } from './checkout.ts';
import { firstProblem, listRemote, type RemoteGit } from './git-calls.ts';
import { readJournal } from './journal-commit.ts';
import { type Attempts, createRun, needJournal, publishRun, refsOf, removeRun } from './publish.ts';
import type { Refs, RemoteRuns } from './remote-runs.ts';
import { repoUrl } from './repo-url.ts';
import { snapshotOf } from './snapshot.ts';

export interface RemoteRunsOptions extends RemoteGit {
  /** The folder for the caches of all repositories; several processes may share it. */
  caches: string;
  note?: (text: string) => void;
}

/** `repo`: as `repoUrl` takes it. Throws UsageError for one that a fleet does not use. */
export function openRemoteRuns(repo: string, { caches, note, ...world }: RemoteRunsOptions): RemoteRuns {
  const cache = cacheOf(caches, repoUrl(repo, process.cwd()), world);
  const attempts: Attempts = new Map();
  return {
    repo: cache.repo,
    resolve: (ref) => resolveRef(cache, ref),
    fileAt: async (commit, path) => fileAt(cache, commit, path),
    runs: () => listRuns(cache),
    read: async (run, seen) => readRun(cache, checkedRun(run), seen),
    create: async (run, commit, files) => createRun(cache, checkedRun(run), checkedId(commit), files),
    publish: async (publication, from) => {
      checkedRun(publication.run);
      return publishRun(cache, publication, from, { attempts, note });
    },
    checkout: async (commit, folder) => checkoutTo(cache, checkedId(commit), folder),
    restore: async (folder, work, branch) => restoreTo(cache, folder, checkedId(work), checkedBranch(branch)),
    snapshot: async (folder) => snapshotOf(cache, folder),
    remove: async (run, expected) => removeRun(cache, checkedRun(run), expected),
  };
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function checkedId(id: string): string {
  if (ID.test(id)) return id;
  throw new UsageError(`${JSON.stringify(id)} is not the whole id of a commit`);
}

function checkedRun(run: string): string {
  if (/^[A-Za-z0-9][\w-]{0,127}$/.test(run)) return run;
  throw new UsageError(`${JSON.stringify(run)} is not the id of a run`);
}

const NAME = /^(?!-)(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[^\s~^:?*[\\\p{Cc}]+(?<![./])$/u;

function checkedBranch(name: string): string {
  if (NAME.test(name) && !name.startsWith('.') && name !== '@' && name !== 'HEAD') return name;
  throw new UsageError(`${JSON.stringify(name)} cannot be the name of a branch`);
}

async function resolveRef(cache: Cache, ref: string): Promise<string> {
  try {
    await ready(cache);
    if (ID.test(ref)) {
      await need(cache, ref);
      return ref;
    }
    const commit = await namedOn(cache, ref);
    return commit;
  } catch (error) {
    if (error instanceof NotThere)
      throw new UsageError(
        `${cache.repo} has no commit ${ref}, or does not give it out by its id: push it, or name a branch or a tag`,
      );
    throw firstProblem(cache.repo, error);
  }
}

async function namedOn(cache: Cache, ref: string): Promise<string> {
  const { repo, world, dir } = cache;
  if (ref !== 'HEAD') checkedBranch(ref);
  const names = ref === 'HEAD' || ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const asked = names.flatMap((name) => [name, `${name}^{}`]);
  const found = await listRemote(world, { gitDir: dir }, repo, asked);
  const ids = names.flatMap((name) => found.get(`${name}^{}`) ?? found.get(name) ?? []);
  const [id, other] = [...new Set(ids)];
  if (other !== undefined)
    throw new UsageError(`${repo} has a branch and a tag ${ref}: say refs/heads/${ref} or refs/tags/${ref}`);
  if (id !== undefined) return id;
  if (ref === 'HEAD')
    throw new UsageError(`${repo} has no commit yet, or no branch that HEAD names: name a branch`);
  const hint = /^[0-9a-f]{4,63}$/.test(ref) ? '; a commit is named by its whole id' : '';
  throw new UsageError(
    `${repo} has no branch or tag ${ref}${hint}; see: git ls-remote --heads --tags ${repo}`,
  );
}

async function fileAt(cache: Cache, commit: string, path: string): Promise<string | undefined> {
  await need(cache, checkedId(commit));
  const { exitCode, stdout } = await cacheGit(cache, ['cat-file', 'blob', `${commit}:${path}`]);
  return exitCode === 0 ? stdout.toString('utf8') : undefined;
}

async function listRuns(cache: Cache): Promise<{ run: string; refs: Refs }[]> {
  await ready(cache);
  const prefix = refNames('').journal.replace(/\/journal$/, '');
  const found = await listRemote(cache.world, { gitDir: cache.dir }, cache.repo, [`${prefix}*`]);
  return [...found].flatMap(([name, journal]) => {
    const run = name.startsWith(prefix)
      ? /^([^/]+)\/journal$/.exec(name.slice(prefix.length))?.[1]
      : undefined;
    return run === undefined ? [] : [{ run, refs: { journal, work: found.get(refNames(run).work) } }];
  });
}

const TRIES = 5;

/** Both refs come from one look. When the run moves meanwhile, it is read again. */
async function readRun(
  cache: Cache,
  run: string,
  seen?: Refs,
): Promise<Awaited<ReturnType<RemoteRuns['read']>>> {
  await ready(cache);
  for (let tries = TRIES; ; tries--) {
    const before = tries === TRIES ? seen : undefined;
    const refs = before ?? (await refsOf(cache, run));
    if (!refs) return undefined;
    try {
      await needJournal(cache, run, refs.journal, before ? 'all' : 'this');
      return { refs, files: await readJournal(cache, refs.journal) };
    } catch (error) {
      if (tries === 1 || error instanceof RemoteAway) throw error;
    }
  }
}
