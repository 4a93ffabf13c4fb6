/** The schedules of a repository, on its remote: `refs/untildone/schedules/<id>`, a commit with the files of the schedule. */
import { RemoteAway } from '../../engine/core/fleet/errors.ts';
import { type Cache, cacheGit, cacheOf, fetch, locked, ready } from '../remote/cache.ts';
import { listRemote, PUSH_MS, type RemoteGit, remoteGit, said } from '../remote/git-calls.ts';
import { readJournal, writeJournal } from '../remote/journal-commit.ts';
import { identityFor } from '../remote/publish.ts';
import type { RunFiles } from '../remote/remote-runs.ts';
import type { ScheduleRefs } from './fleet.ts';

const SCHEDULES = 'refs/untildone/schedules/';

export function scheduleRefs(repo: string, caches: string, world: RemoteGit): ScheduleRefs {
  const cache = cacheOf(caches, repo, world);
  return {
    all: () => allSchedules(cache),
    put: (id, files) => putSchedule(cache, id, files),
    remove: (id) => removeSchedule(cache, id),
  };
}

async function namesOn(cache: Cache, pattern: string): Promise<Map<string, string>> {
  await ready(cache);
  const found = await listRemote(cache.world, { gitDir: cache.dir }, cache.repo, [`${SCHEDULES}${pattern}`]);
  return new Map([...found].map(([name, commit]) => [name.slice(SCHEDULES.length), commit]));
}

async function allSchedules(cache: Cache): Promise<Map<string, RunFiles>> {
  const schedules = new Map<string, RunFiles>();
  for (const [id, commit] of await namesOn(cache, '*')) schedules.set(id, await filesOf(cache, id, commit));
  return schedules;
}

async function filesOf(cache: Cache, id: string, commit: string): Promise<RunFiles> {
  const known = await cacheGit(cache, ['cat-file', '-e', `${commit}^{tree}`]);
  if (known.exitCode !== 0) {
    const ref = `${SCHEDULES}${id}`;
    const { exitCode, stderr } = await locked(cache, () => fetch(cache, [`+${ref}:${ref}`]));
    if (exitCode !== 0) throw new RemoteAway(`${cache.repo} cannot be fetched: ${said(stderr)}`);
  }
  return readJournal(cache, commit);
}

/** The same files again change nothing. */
async function putSchedule(cache: Cache, id: string, files: RunFiles): Promise<void> {
  const before = (await namesOn(cache, id)).get(id);
  if (before !== undefined && isSame(await filesOf(cache, id, before), files)) return;
  const identity = await identityFor(cache);
  const message = `schedule ${id}`;
  const commit = await writeJournal(cache, {
    files,
    message,
    identity,
    ...(before === undefined ? {} : { parent: before }),
  });
  await push(cache, id, before ?? '', commit);
}

function isSame(one: RunFiles, other: RunFiles): boolean {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.every((name) => one[name]?.toString('utf8') === other[name]?.toString('utf8'));
}

async function removeSchedule(cache: Cache, id: string): Promise<boolean> {
  const before = (await namesOn(cache, id)).get(id);
  if (before === undefined) return false;
  await push(cache, id, before, '');
  return true;
}

async function push(cache: Cache, id: string, from: string, to: string): Promise<void> {
  const ref = `${SCHEDULES}${id}`;
  const args = ['push', '--porcelain', '--no-verify', '--no-thin', `--force-with-lease=${ref}:${from}`];
  const all = [...args, '--', cache.repo, `${to}:${ref}`];
  const { exitCode, stderr } = await remoteGit(
    cache.world,
    { gitDir: cache.dir },
    all,
    cache.world.pushMs ?? PUSH_MS,
  );
  if (exitCode !== 0) throw new RemoteAway(`${cache.repo} did not take the push: ${said(stderr)}`);
}
