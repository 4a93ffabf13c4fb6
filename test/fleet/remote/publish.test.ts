import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Fenced, RemoteAway } from '../../../src/engine/core/fleet/errors.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { refNames } from '../../../src/fleet/names.ts';
import { openRemoteRuns } from '../../../src/fleet/remote/open-remote-runs.ts';
import type { Publication, Refs, RemoteRuns } from '../../../src/fleet/remote/remote-runs.ts';
import { serveHttp } from '../../support/fleet/http-remote.ts';
import { files, gitIn, type RemoteScene, remoteScene, submitted } from '../../support/fleet/remote-scene.ts';
import { makeRemote } from '../../support/fleet/remotes.ts';
import { rounds } from '../../support/long.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

const RUN = 'run-1';
const names = refNames(RUN);

/** A worker with a checkout, and what it publishes next. */
async function worker({ folder, remote, machine }: RemoteScene, name: string, options = {}) {
  const remoteRuns = machine(name, options);
  const tree = join(folder, name, 'tree');
  await remoteRuns.checkout(remote.first, tree);
  const publication = async (expected: Refs, text: string): Promise<Publication> => {
    writeFileSync(join(tree, 'work.txt'), text);
    const { commit: work } = await remoteRuns.snapshot(tree);
    return { run: RUN, expected, files: files(text), work, message: `${RUN}: ${text}` };
  };
  const publish = async (expected: Refs, text: string) =>
    remoteRuns.publish(await publication(expected, text), tree);
  return { remoteRuns, tree, publication, publish };
}

/** The two refs, as the remote has them. */
function standing({ remote }: RemoteScene): Refs {
  const refs = remote.refs();
  return { journal: refs[names.journal] ?? '', work: refs[names.work] };
}

test('a worker that published before another one went on is fenced out, and moves nothing', async () => {
  const scene = remoteScene();
  const [first, second] = [await worker(scene, 'first'), await worker(scene, 'second')];
  const begin = await submitted(first.remoteRuns, scene.remote.first);
  const one = await first.publish(begin, 'one');
  const two = await second.publish(one, 'two');
  await expect(first.publish(one, 'late')).rejects.toThrow(Fenced);
  await expect(first.publish(begin, 'later')).rejects.toThrow(Fenced);
  await expect(first.remoteRuns.remove(RUN, one)).rejects.toThrow(Fenced);
  expect(standing(scene)).toEqual(two);
  expect(scene.remote.log(names.journal)).toEqual([`${RUN}: two`, `${RUN}: one`, `${RUN}: submitted`]);
  await second.remoteRuns.remove(RUN, two);
  await expect(second.publish(two, 'removed')).rejects.toThrow(Fenced);
  await second.remoteRuns.remove(RUN, two);
  expect(Object.keys(scene.remote.refs())).toEqual(['refs/heads/main']);
});

test('the same file in the same second by two workers is published once', async () => {
  const scene = remoteScene();
  const [first, second] = [await worker(scene, 'first'), await worker(scene, 'second')];
  const begin = await submitted(first.remoteRuns, scene.remote.first);
  const both = await Promise.allSettled([first.publish(begin, 'same'), second.publish(begin, 'same')]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('two writers on one run: exactly one wins each round, and the history is linear', async () => {
  const scene = remoteScene();
  const writers = [await worker(scene, 'first'), await worker(scene, 'second')];
  let refs = await submitted((writers[0] as { remoteRuns: RemoteRuns }).remoteRuns, scene.remote.first);
  const told = [`${RUN}: submitted`];
  for (let round = 1; round <= rounds(60, 5); round++) {
    const results = await Promise.allSettled(
      writers.map((writer, i) => writer.publish(refs, `${round} by ${i}`)),
    );
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    expect(won).toHaveLength(1);
    expect(lost[0]).toBeInstanceOf(Fenced);
    refs = won[0] as Refs;
    expect(standing(scene)).toEqual(refs);
    told.unshift(scene.remote.git('log', '-1', '--format=%s', names.journal));
  }
  expect(scene.remote.log(names.journal)).toEqual(told);
  expect(new Set(told).size).toBe(told.length);
  expect(scene.remote.git('rev-list', '--merges', '--count', names.journal)).toBe('0');
}, 600_000);

test('what a remote refuses for a while can be published later, and one ref never moves without the other', async () => {
  const scene = remoteScene();
  const { remote } = scene;
  const { remoteRuns, tree, publication, publish } = await worker(scene, 'first');
  const begin = await submitted(remoteRuns, remote.first);
  const one = await publish(begin, 'one');
  remote.refusePushes(true);
  await expect(publish(one, 'two')).rejects.toThrow(/no pushes: the server is being worked on/);
  await expect(publish(one, 'two')).rejects.toThrow(RemoteAway);
  expect(standing(scene)).toEqual(one);
  remote.refusePushes(false);
  for (const part of ['/work', '/journal']) {
    remote.refuseRef(part);
    await expect(publish(one, 'two')).rejects.toThrow(RemoteAway);
    expect(standing(scene)).toEqual(one);
  }
  remote.refuseRef(undefined);
  remote.away(true);
  await expect(publish(one, 'two')).rejects.toThrow(RemoteAway);
  await expect(remoteRuns.read(RUN)).rejects.toThrow(RemoteAway);
  await expect(remoteRuns.runs()).rejects.toThrow(RemoteAway);
  remote.away(false);
  const two = await remoteRuns.publish(await publication(one, 'two'), tree);
  expect(standing(scene)).toEqual(two);
  expect(remote.log(names.journal)).toEqual([`${RUN}: two`, `${RUN}: one`, `${RUN}: submitted`]);
});

test('a push whose answer was lost counts, and is not published twice', async () => {
  const scene = remoteScene();
  const { remote } = scene;
  const { remoteRuns, publish } = await worker(scene, 'first');
  const begin = await submitted(remoteRuns, remote.first);
  remote.loseAnswers(true);
  const one = await publish(begin, 'one');
  expect(standing(scene)).toEqual(one);
  remote.loseAnswers(false);
  expect(await remoteRuns.create('run-2', remote.first, files('x'))).toBe('created');
  expect(remote.log(names.journal)).toEqual([`${RUN}: one`, `${RUN}: submitted`]);
});

test('a push that arrives after we gave it up is our own, and what comes next goes on top of it', async () => {
  const scene = remoteScene();
  const { remote, folder } = scene;
  const http = await serveHttp(remote);
  const remoteRuns = openRemoteRuns(http.url, { caches: join(folder, 'caches'), env: scene.envOf('first') });
  const tree = join(folder, 'tree');
  await remoteRuns.checkout(remote.first, tree);
  const begin = await submitted(remoteRuns, remote.first);
  const next = (expected: Refs, text: string) => ({
    run: RUN,
    expected,
    files: files(text),
    work: remote.first,
    message: `${RUN}: ${text}`,
  });
  const arrivesLate = async (expected: Refs, text: string) => {
    remote.holdPushes(true);
    http.hangUp(true);
    await expect(remoteRuns.publish(next(expected, text), tree)).rejects.toThrow(RemoteAway);
    expect(standing(scene)).toEqual(expected);
    http.hangUp(false);
    remote.holdPushes(false);
    await expect.poll(() => standing(scene).journal, { timeout: PATIENCE_MS }).not.toBe(expected.journal);
    return standing(scene);
  };
  const one = await arrivesLate(begin, 'one');
  expect(await remoteRuns.publish(next(begin, 'one'), tree)).toEqual(one);
  const two = await arrivesLate(one, 'two');
  const three = await remoteRuns.publish(next(one, 'three'), tree);
  expect(standing(scene)).toEqual(three);
  expect(remote.git('rev-parse', `${names.journal}^`)).toBe(two.journal);
  const titles = ['three', 'two', 'one', 'submitted'].map((title) => `${RUN}: ${title}`);
  expect(remote.log(names.journal)).toEqual(titles);
});

test('a remote that does not answer in time is away', async () => {
  const scene = remoteScene();
  const { remote } = scene;
  const { publish } = await worker(scene, 'first', { pushMs: 1_000 });
  const begin = await submitted(scene.machine('other'), remote.first);
  remote.holdPushes(true);
  await expect(publish(begin, 'one')).rejects.toThrow(/did not end within 1 s/);
  remote.holdPushes(false);
  expect(standing(scene)).toEqual(begin);
});

test('a branch that the remote does not take, or that has commits of others, keeps no run from ending', async () => {
  const scene = remoteScene();
  const { remote } = scene;
  const notes: string[] = [];
  const { remoteRuns, tree, publication } = await worker(scene, 'first', {
    note: (text: string) => notes.push(text),
  });
  const begin = await submitted(remoteRuns, remote.first);
  gitIn(tree, 'commit', '--quiet', '--allow-empty', '-m', 'a step');
  const head = gitIn(tree, 'rev-parse', 'HEAD');
  const branch = { name: 'untildone/x', commit: head };
  remote.refuseRef('refs/heads');
  const one = await remoteRuns.publish({ ...(await publication(begin, 'one')), branch }, tree);
  expect(standing(scene)).toEqual(one);
  expect(notes).toEqual([expect.stringMatching(/The branch untildone\/x was not pushed: .*not this ref/)]);
  remote.refuseRef(undefined);
  const two = await remoteRuns.publish({ ...(await publication(one, 'two')), branch }, tree);
  expect(remote.refs()['refs/heads/untildone/x']).toBe(head);
  remote.git(
    'update-ref',
    'refs/heads/untildone/x',
    remote.git('commit-tree', '-m', 'other', `${head}^{tree}`),
  );
  const theirs = remote.refs()['refs/heads/untildone/x'];
  await remoteRuns.publish({ ...(await publication(two, 'three')), branch }, tree);
  expect(remote.refs()['refs/heads/untildone/x']).toBe(theirs);
  expect(notes[1]).toContain('has other commits on the remote and stays as it is');
});

test('a remote that cannot push atomically is named, with what to do', async () => {
  const scene = remoteScene();
  scene.remote.git('config', 'receive.advertiseAtomic', 'false');
  const created = scene.machine('first').create(RUN, scene.remote.first, files('x'));
  await expect(created).rejects.toThrow(UsageError);
  await expect(created).rejects.toThrow(/cannot move several refs at once/);
});

test('two that create the same run: one made it, the other one knows it', async () => {
  const scene = remoteScene();
  const results = await Promise.all(
    ['a', 'b', 'c'].map((name) => scene.machine(name).create(RUN, scene.remote.first, files(name))),
  );
  expect(results.sort()).toEqual(['created', 'known', 'known']);
});

test('a run is created on a repository without a commit, and its journal alone is fetched to read it', async () => {
  const scene = remoteScene();
  const big = makeRemote(join(scene.folder, 'big.git'), { big: 'x'.repeat(100_000) });
  mkdirSync(join(scene.folder, 'empty.git'));
  gitIn(join(scene.folder, 'empty.git'), 'init', '--quiet', '--bare');
  for (const url of [big.url, join(scene.folder, 'empty.git')]) {
    const caches = join(scene.folder, 'caches');
    const remoteRuns = openRemoteRuns(url, { caches, env: scene.envOf('x') });
    expect(await remoteRuns.create(RUN, big.first, files('x'))).toBe('created');
    const other = openRemoteRuns(url, { caches: `${caches}-2`, env: scene.envOf('y') });
    expect((await other.read(RUN))?.files).toEqual(files('x'));
  }
});

test('who publishes: the person whom git knows, and nobody in particular where it knows none', async () => {
  const scene = remoteScene();
  await scene.machine('nobody').create('run-a', scene.remote.first, files('x'));
  writeFileSync(
    join(scene.envOf('person').HOME ?? '', '.gitconfig'),
    '[user]\n\tname = A Person\n\temail = person@example.com\n[commit]\n\tgpgSign = true\n[push]\n\tgpgSign = true\n',
  );
  await scene.machine('person').create('run-b', scene.remote.first, files('x'));
  const who = (run: string) => scene.remote.git('log', '-1', '--format=%an <%ae>', refNames(run).journal);
  expect([who('run-a'), who('run-b')]).toEqual([
    'untildone <untildone@localhost>',
    'A Person <person@example.com>',
  ]);
});
