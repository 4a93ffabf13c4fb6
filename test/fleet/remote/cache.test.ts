import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { RemoteAway } from '../../../src/engine/core/fleet/errors.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { refNames } from '../../../src/fleet/names.ts';
import { cacheFolder } from '../../../src/fleet/remote/cache.ts';
import { inParts, joined, PART_BYTES } from '../../../src/fleet/remote/journal-commit.ts';
import { openRemoteRuns } from '../../../src/fleet/remote/open-remote-runs.ts';
import type { RunFiles } from '../../../src/fleet/remote/remote-runs.ts';
import { sweepCaches } from '../../../src/fleet/remote/sweep.ts';
import { serveHttp } from '../../support/fleet/http-remote.ts';
import { files, gitIn, remoteScene, submitted } from '../../support/fleet/remote-scene.ts';
import { makeRemote } from '../../support/fleet/remotes.ts';
import { rounds } from '../../support/long.ts';
import { shared } from '../../support/shared.ts';

/** Texts are compared much faster than bytes. */
const texts = (given: RunFiles) =>
  Object.fromEntries(Object.entries(given).map(([path, content]) => [path, content.toString('latin1')]));

test('a long journal is stored in parts of whole lines, and a line more stores one part again', async () => {
  const { machine, remote } = remoteScene();
  const remoteRuns = machine('one');
  const line = `${JSON.stringify({ text: 'x'.repeat(500) })}\n`;
  const journal = line.repeat(Math.ceil((3.5 * PART_BYTES) / line.length));
  const [short, long] = [files(journal), files(journal + line)];
  const [before, after] = [inParts(short), inParts(long)];
  expect([...before.keys()].filter((name) => name.startsWith('journal'))).toHaveLength(4);
  const again = [...after].filter(([path, content]) => !before.get(path)?.equals(content));
  expect(again.map(([path]) => path)).toEqual(['journal.jsonl.parts/000003']);
  expect([...after.values()].every((part) => part.at(-1) === 0x0a || part.length < 10)).toBe(true);
  for (const given of [short, long, files(''), files('x'), files('x'.repeat(PART_BYTES * 2))])
    expect(texts(joined(inParts(given)))).toEqual(texts(given));
  const expected = await submitted(remoteRuns, remote.first);
  await remoteRuns.publish({ run: 'run-1', expected, files: long, message: 'x' }, remoteRuns.repo);
  expect(texts((await machine('two').read('run-1'))?.files ?? {})).toEqual(texts(long));
});

test('what a person names wrongly gets a clear message', async () => {
  const { folder, machine, remote, envOf } = remoteScene();
  const remoteRuns = machine('one');
  remote.git('tag', 'v1', 'main');
  remote.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'tag', '-a', '-m', 'x', 'v2', 'main');
  remote.git('branch', 'feature/x', 'main');
  for (const ref of ['main', 'HEAD', 'refs/heads/main', 'v1', 'v2', 'feature/x', remote.first])
    expect(await remoteRuns.resolve(ref)).toBe(remote.first);
  remote.git('tag', 'both', 'main');
  remote.git('branch', 'both', remote.git('commit-tree', '-m', 'x', 'main^{tree}', '-p', 'main'));
  const refused: [string, RegExp][] = [
    ['nothing', /no branch or tag nothing; see: git ls-remote/],
    [remote.first.slice(0, 10), /whole id/],
    ['f'.repeat(40), /has no commit f+/],
    ['both', /a branch and a tag both/],
    ['--upload-pack=x', /cannot be the name/],
    ['a b', /cannot be the name/],
    ['main:x', /cannot be the name/],
    ['*', /cannot be the name/],
  ];
  for (const [ref, words] of refused) {
    await expect(remoteRuns.resolve(ref)).rejects.toThrow(UsageError);
    await expect(remoteRuns.resolve(ref)).rejects.toThrow(words);
  }
  const caches = join(folder, 'caches');
  const other = openRemoteRuns(join(folder, 'not there'), { caches, env: envOf('one') });
  await expect(other.resolve('main')).rejects.toThrow(/there is no repository at .*not there/);
  expect(readdirSync(caches)).toEqual([]);
  const away = openRemoteRuns('http://127.0.0.1:9/x.git', { caches, env: envOf('one') });
  await expect(away.resolve('main')).rejects.toThrow(RemoteAway);
  await expect(remoteRuns.read('../x')).rejects.toThrow(UsageError);
});

test('the credentials of the user are used, nothing prompts, and a password is not repeated', async () => {
  const { folder, remote, envOf } = remoteScene();
  const http = await serveHttp(remote);
  http.password('person:open-sesame-77');
  const open = (env: NodeJS.ProcessEnv, name: string) =>
    openRemoteRuns(http.url, { caches: join(folder, name), env });
  const nobody = open(envOf('nobody'), 'nobody-caches');
  await expect(nobody.resolve('main')).rejects.toThrow(/git has no access to http/);
  const store = envOf('store');
  const { host } = new URL(http.url);
  writeFileSync(join(store.HOME ?? '', '.gitconfig'), '[credential]\n\thelper = store\n');
  writeFileSync(join(store.HOME ?? '', '.git-credentials'), `http://person:open-sesame-77@${host}\n`);
  expect(await open(store, 'store-caches').resolve('main')).toBe(remote.first);
  const program = join(folder, 'askpass');
  writeFileSync(program, '#!/bin/sh\ncase "$1" in User*) echo person;; *) echo open-sesame-77;; esac\n', {
    mode: 0o755,
  });
  const asked = open({ ...envOf('asked'), GIT_ASKPASS: program }, 'asked-caches');
  expect(await asked.create('run-1', remote.first, files('x'))).toBe('created');
});

test('a cache that is damaged or half made is made again, and checkouts that borrow from it go on', async () => {
  const { folder, machine, remote } = remoteScene({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const caches = join(folder, 'one', 'caches');
  const dir = cacheFolder(caches, remote.url);
  const tree = join(folder, 'tree');
  mkdirSync(join(dir, 'objects'), { recursive: true });
  await machine('one').checkout(remote.first, tree);
  expect(gitIn(tree, 'status', '--porcelain')).toBe('');
  const packs = join(dir, 'objects');
  const damages: (() => void)[] = [
    () => rmSync(join(dir, 'HEAD')),
    () => writeFileSync(join(dir, 'config'), '[core\n'),
    () => rmSync(packs, { recursive: true }),
    () => {
      const all = readdirSync(packs, { recursive: true, encoding: 'utf8' });
      for (const name of all.filter((each) => /^[0-9a-f]{2}.[0-9a-f]{38}$|\.pack$/.test(each))) {
        renameSync(join(packs, name), join(packs, `${name}.x`));
        writeFileSync(join(packs, name), readFileSync(join(packs, `${name}.x`)));
        truncateSync(join(packs, name), 10);
      }
    },
  ];
  for (const damage of damages) {
    damage();
    expect(await machine('one').fileAt(remote.first, 'a.txt')).toBe('one\n');
    expect(gitIn(tree, 'fsck', '--connectivity-only')).toBe('');
    expect((await machine('one').snapshot(tree)).commit).toBe(remote.first);
  }
  expect(readdirSync(caches).some((name) => name.includes('.damaged-'))).toBe(true);
  const swept = await sweepCaches(caches, 0, new Set());
  expect(swept.removed).toBe(0);
  expect(readdirSync(caches).some((name) => /damaged|tmp-|new-/.test(name))).toBe(false);
});

test('the disk stays bounded: caches that nobody uses go, the longest unused first', async () => {
  const { folder, envOf } = remoteScene();
  const caches = join(folder, 'caches');
  const remotes = ['a', 'b', 'c', 'd'].map((name) =>
    makeRemote(join(folder, `${name}.git`), { x: `${name}\n`.repeat(1000) }),
  );
  const [a, b, c, d] = remotes.map(({ url }) => cacheFolder(caches, url)) as [string, string, string, string];
  for (const [i, remote] of remotes.entries()) {
    const remoteRuns = openRemoteRuns(remote.url, { caches, env: envOf('x') });
    await remoteRuns.fileAt(remote.first, 'x');
    if (i === 1) await remoteRuns.checkout(remote.first, join(folder, 'tree'));
    const marker = join(cacheFolder(caches, remote.url), 'untildone-cache');
    utimesSync(marker, i + 1, i + 1);
  }
  const used = new Set([remotes[0]?.url ?? '']);
  const all = await sweepCaches(caches, 1e9, used);
  expect(all.removed).toBe(0);
  expect(await sweepCaches(caches, all.bytes - 1, used)).toMatchObject({ removed: 1 });
  expect([a, b, c, d].map((dir) => existsSync(dir))).toEqual([true, true, false, true]);
  expect(await sweepCaches(caches, 0, used)).toMatchObject({ removed: 1 });
  rmSync(join(folder, 'tree'), { recursive: true });
  expect(await sweepCaches(caches, 0, new Set())).toEqual({ bytes: 0, removed: 2 });
});

test('who reads many runs fetches them once, and sees one that moved meanwhile as it is now', async () => {
  const { folder, machine, remote } = remoteScene();
  const writer = machine('one');
  for (const run of ['a', 'b', 'c']) await writer.create(run, remote.first, files(run));
  const reader = machine('two');
  const [a, b, c] = await reader.runs();
  const expected = c?.refs ?? { journal: '' };
  await writer.publish({ run: 'c', expected, files: files('later'), message: 'x' }, folder);
  expect((await reader.read('a', a?.refs))?.files).toEqual(files('a'));
  remote.away(true);
  expect(await reader.read('b', b?.refs)).toEqual({ refs: b?.refs, files: files('b') });
  remote.away(false);
  const read = await reader.read('c', { journal: 'f'.repeat(40) });
  expect(read?.files).toEqual(files('later'));
});

test('lock files that a killed git left in a cache block nobody for long', async () => {
  const { folder, machine, remote } = remoteScene();
  const remoteRuns = machine('one');
  await remoteRuns.fileAt(remote.first, 'a.txt');
  const dir = cacheFolder(join(folder, 'one', 'caches'), remote.url);
  const { journal } = refNames('run-1');
  await machine('two').create('run-1', remote.first, files('x'));
  const lock = join(dir, `${journal}.lock`);
  mkdirSync(join(lock, '..'), { recursive: true });
  writeFileSync(lock, '');
  utimesSync(lock, 1, 1);
  expect((await remoteRuns.read('run-1'))?.files).toEqual(files('x'));
  expect(existsSync(lock)).toBe(false);
});

function childFile(): string {
  const folder = shared('remote-child', (made) => {
    const entry = join(import.meta.dirname, '../../support/fleet/remote-child.ts');
    buildSync({
      entryPoints: [entry],
      outfile: join(made, 'child.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
    });
  });
  return join(folder, 'child.cjs');
}

test('processes that share a cache are killed at any moment: the next ones go on, none twice, none lost', async () => {
  const { folder, machine, remote, envOf } = remoteScene();
  await submitted(machine('outside'), remote.first);
  const said: string[] = [];
  let problems = '';
  const start = (): ChildProcess => {
    const args = [childFile(), remote.url, join(folder, 'shared'), 'run-1', remote.first];
    const child = spawn(process.execPath, args, { env: envOf('shared'), stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => said.push(...String(chunk).trim().split('\n')));
    child.stderr.on('data', (chunk) => {
      problems += chunk;
    });
    return child;
  };
  const ended = (child: ChildProcess) => new Promise<void>((done) => child.once('close', () => done()));
  const kills = rounds(40, 3);
  for (let kill = 0; kill < kills; kill++) {
    const children = [start(), start()];
    const began = said.length;
    while (said.length < began + 2 && problems === '') await wait(20);
    await wait(Math.random() * 400);
    const all = Promise.all(children.map(ended));
    for (const child of children) child.kill('SIGKILL');
    await all;
  }
  expect(problems).toBe('');
  const { journal, work } = refNames('run-1');
  const steps = remote.log(journal).reverse().slice(1);
  expect(steps).toEqual(steps.map((_, i) => `step ${i + 1}`));
  expect(steps.length).toBeGreaterThanOrEqual(kills * 2);
  expect(new Set(said).size).toBe(said.length);
  expect(remote.git('show', `${work}:steps.txt`).split('\n')).toEqual(steps.map((_, i) => String(i + 1)));
  expect(remote.git('fsck', '--connectivity-only', '--no-dangling')).toBe('');
}, 600_000);
