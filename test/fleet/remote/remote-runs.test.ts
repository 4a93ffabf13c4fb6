// Tier: world
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, gitIn, remoteScene, submitted } from '../../support/fleet/remote-scene.ts';

test('a run goes from one machine to another with its journal and its workspace', async () => {
  const { folder, remote, machine } = remoteScene({ 'a.txt': 'one\n', 'd/b.txt': 'two\n', 'c.txt': 'x' });
  const [first, second] = [machine('first'), machine('second')];
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  const commit = await first.resolve('main');
  expect(commit).toBe(remote.first);
  expect(await first.fileAt(commit, 'd/b.txt')).toBe('two\n');
  expect(await first.fileAt(commit, 'nothing')).toBeUndefined();
  expect(await first.create('run-1', commit, files('submitted\n'))).toBe('created');
  expect(await second.create('run-1', commit, files('again\n'))).toBe('known');
  expect((await second.read('run-1'))?.files['journal.jsonl']?.toString()).toBe('submitted\n');

  const expected = await submitted(first, commit);
  expect(expected.work).toBeUndefined();
  await first.checkout(commit, here);
  gitIn(here, 'checkout', '--quiet', '-b', 'untildone/build-it');
  writeFileSync(join(here, 'c.txt'), 'committed');
  gitIn(here, 'commit', '--quiet', '--all', '-m', 'a step');
  writeFileSync(join(here, 'a.txt'), 'changed\n');
  writeFileSync(join(here, 'new "file"'), 'new\n');
  rmSync(join(here, 'd'), { recursive: true });
  const { commit: work, head, leftOut } = await first.snapshot(here);
  expect({ head, leftOut }).toEqual({ head: gitIn(here, 'rev-parse', 'HEAD'), leftOut: [] });
  const branch = { name: 'untildone/build-it', commit: head };
  const message = 'run-1: iteration 1';
  const refs = await first.publish(
    { run: 'run-1', expected, files: files('1\n'), work, branch, message },
    here,
  );
  expect(remote.refs()).toEqual({
    'refs/heads/main': commit,
    'refs/heads/untildone/build-it': head,
    'refs/untildone/runs/run-1/journal': refs.journal,
    'refs/untildone/runs/run-1/work': work,
  });
  expect(remote.log('refs/untildone/runs/run-1/journal')).toEqual([message, 'run-1: submitted']);

  expect(await second.runs()).toEqual([{ run: 'run-1', refs }]);
  expect(await second.read('run-1')).toEqual({ refs, files: files('1\n') });
  await second.checkout(commit, there);
  await second.restore(there, work, 'untildone/build-it');
  expect(gitIn(there, 'status', '--porcelain', '--branch')).toBe(
    gitIn(here, 'status', '--porcelain', '--branch'),
  );
  expect(gitIn(there, 'rev-parse', 'HEAD')).toBe(head);
  expect(await second.snapshot(there)).toMatchObject({ head });

  await second.remove('run-1', refs);
  expect(await first.read('run-1')).toBeUndefined();
  expect(await first.runs()).toEqual([]);
});
