/** A run whose start differs from its commit, on one machine and on the next one. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DrivenScene, piecesProject } from '../../support/fleet/driven.ts';
import { processesOf, waitFor } from '../../support/live/processes.ts';

const scene = new DrivenScene({
  ...piecesProject(3),
  'untildone.yaml':
    'gates:\n  pieces: { run: sh check.sh }\nrun:\n  setup: ["date +%s%N > version.txt"]\nreflection: { enabled: true }\n',
  'version.txt': 'none\n',
});
afterAll(() => scene.close());

test('what its setup changed is the same after a take-over, and nobody looks back on it', async () => {
  const gate = join(scene.root, 'go');
  const spec = await scene.submit({ waitFor: { 2: gate } });
  const first = scene.take(spec);
  await first.until('the first iteration', () => first.published.length === 1);
  const { files = {} } = (await scene.remoteRuns.read(spec.run)) ?? {};
  expect(files['start.patch']?.toString('utf8')).toContain('version.txt');
  first.kill();
  await first.over;
  writeFileSync(gate, '');
  const second = scene.take(spec, { name: 'w2' });
  expect(await second.over, second.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done', iterations: 3 },
  });
  const branch = scene.remote.git('for-each-ref', '--format=%(refname)', `refs/heads/untildone/*${spec.run}`);
  const version = scene.remote.git('show', `${branch}:version.txt`);
  expect(files['start.patch']?.toString('utf8')).toContain(`+${version}`);
  await waitFor(async () => (await processesOf(second.folder)).length === 0);
  expect(
    existsSync(join(second.folder, 'home', 'reflections'))
      ? readdirSync(join(second.folder, 'home', 'reflections'))
      : [],
  ).toEqual([]);
  expect(existsSync(join(scene.root, 'w2', '.untildone'))).toBe(false);
});
