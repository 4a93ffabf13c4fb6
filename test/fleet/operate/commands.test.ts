import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OperateScene, operateScene, taken } from '../../support/fleet/operate-scene.ts';
import { gitIn } from '../../support/fleet/remote-scene.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'dist/untildone.cjs');
const PAGE = readFileSync(join(ROOT, 'docs/reference/json-output.md'), 'utf8');

let store: Store;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

function caller(env: NodeJS.ProcessEnv, cwd: string) {
  return (...args: string[]): Promise<Ran> =>
    new Promise((done) => {
      execFile(
        process.execPath,
        [PROGRAM, ...args],
        { env, cwd, encoding: 'utf8' },
        (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
}

/** A clone with a commit that is not pushed, and a file that is not committed. */
function cloneOf({ folder, remote }: OperateScene): string {
  const clone = join(folder, 'a clone');
  execFileSync('git', ['clone', '-q', remote.url, clone], { stdio: 'pipe' });
  mkdirSync(join(clone, 'packages/api'), { recursive: true });
  writeFileSync(join(clone, 'packages/api/README.md'), 'an API\n');
  gitIn(clone, 'add', '-A');
  gitIn(clone, 'commit', '-qm', 'not pushed');
  writeFileSync(join(clone, 'untildone.yaml'), 'gates: {}\n');
  return clone;
}

/** The fields that the page names in the first column of a section. */
function documented(heading: string): string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap((row) =>
    [...(row[1] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1] ?? ''),
  );
}

test('from a checkout: submitted, looked at, limited, cancelled, and brought back; programs read what the page says', async () => {
  const scene = operateScene(store);
  const clone = cloneOf(scene);
  const call = caller(scene.envOf('m1'), clone);
  const json = async (...args: string[]) => JSON.parse((await call(...args, '--json')).stdout);

  const submitted = await call(
    'submit',
    'Fix',
    '--- it ---',
    '--key',
    'k',
    '--max-cost',
    '3',
    '--allow',
    'Bash(npm test)',
  );
  expect(submitted.stderr).toBe('');
  expect(submitted.stdout).toContain(`${scene.remote.url} at main (${scene.remote.first.slice(0, 10)})`);
  expect(submitted.stdout).toContain(
    'By submitting it you trust what its contract runs on workers:\n  tests: test -f done\n',
  );
  expect(submitted.stdout).toMatch(/what you have here \(\w+\) is not pushed/);
  expect(submitted.stdout).toContain('not committed: the run does not have them');
  const [, run = ''] = /^Run (\S+) submitted: Fix --- it ---$/m.exec(submitted.stdout) ?? [];

  const again = await json('submit', 'Fix', '--- it ---', '--key', 'k');
  expect(Object.keys(again)).toEqual(documented('submit'));
  expect(again.runs).toEqual([
    { run, title: 'Fix --- it ---', key: 'k', after: [], known: true, state: 'waiting', status: null },
  ]);

  const looked = [['status'], ['list', '--state', 'waiting'], ['show', run.slice(0, 8)]];
  const [status, { runs }, shown] = await Promise.all(looked.map((args) => json('fleet', ...args)));
  expect(Object.keys(status)).toEqual(documented('fleet status'));
  expect(status).toMatchObject({ counts: { waiting: 1 }, workers: [], stuck: [{ run }] });
  expect((await call('fleet', 'status')).stdout).toContain(
    'No worker is there: untildone worker starts one.',
  );

  expect(Object.keys(runs[0]).sort()).toEqual(documented('a run of a fleet').sort());
  expect(Object.keys(shown)).toEqual(documented('fleet show'));
  expect(shown.spec).toMatchObject({ limits: { cost_usd: 3 }, allow: ['Bash(npm test)'] });

  expect((await call('fleet', 'limits', '--runs', '2', '--label', 'gpu=1')).stdout).toContain(
    '2 runs at a time, in all',
  );
  const limits = await json('fleet', 'limits', '--unset', 'label=gpu');
  expect(Object.keys(limits)).toEqual(documented('fleet limits'));
  expect(limits).toMatchObject({ runs: 2, runs_of_label: null });

  await store.wipe();
  const reconciled = await json('fleet', 'reconcile');
  expect(Object.keys(reconciled).sort()).toEqual(documented('fleet reconcile').sort());
  expect(reconciled.added).toMatchObject([{ run }]);
  expect((await call('fleet', 'logs', run)).stdout).toBe(
    'Its journal is empty so far: no worker has begun it.\n',
  );
  expect(await json('fleet', 'cancel', run)).toMatchObject({ run, did: 'ended' });
  const pruned = await call('fleet', 'prune', '--older', '1ms', '--yes');
  expect(pruned.stdout).toMatch(/cancelled, ended .*\n1 run removed\.\n$/);
  expect(await call('fleet', 'show', run)).toMatchObject({ code: 2, stdout: '' });
});

test('who waits gets the exit code of the run, and Ctrl-C ends the waiting, not the run', async () => {
  const scene = operateScene(store, { 'packages/api/untildone.yaml': 'gates:\n  lint: { run: lint }\n' });
  const fleet = await scene.machine('m1');
  const clone = join(scene.folder, 'clone');
  execFileSync('git', ['clone', '-q', scene.remote.url, clone], { stdio: 'pipe' });
  const args = ['submit', 'Fix it', '--key', 'k', '--wait'];
  const options = { env: scene.envOf('m1'), cwd: join(clone, 'packages/api') };

  const interrupted = spawn(process.execPath, [PROGRAM, ...args], options);
  let said = '';
  interrupted.stdout.on('data', (text) => (said += text));
  interrupted.stderr.on('data', (text) => (said += text));
  await expect.poll(() => said, { timeout: PATIENCE_MS }).toContain('waiting: there is no worker');
  interrupted.kill('SIGINT');
  expect(await once(interrupted, 'exit')).toEqual([130, null]);
  expect(said).toContain('goes on: untildone fleet status');
  expect(said).toContain('the project is in packages/api');
  expect(said).toContain('lint: lint');

  const [job] = await fleet.engine.jobs(['waiting'], 0, 1);
  const waiting = caller(options.env, options.cwd)(...args, '--json');
  const held = await taken(fleet, job?.run ?? '');
  await fleet.engine.complete(held, { status: 'stalled', cause: 'x', iterations: 2, costUsd: 1, tokens: 1 });
  const { code, stdout } = await waiting;
  expect(code).toBe(3);
  expect(JSON.parse(stdout).runs).toMatchObject([{ run: job?.run, known: true, status: 'stalled' }]);
});
