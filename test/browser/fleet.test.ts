/**
 * A fleet with the real Claude Code, from the queue to the page: eight runs over two workers in processes and homes of their
 * own, a real Redis, a real git remote, and the dashboard in a browser.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import { cleanEnvironment, prepareClientHome } from '../../src/engine/client/sdk/find-client.ts';
import { goTo, openBrowser, openTab } from '../support/browser/browser.ts';
import { startDashboard } from '../support/browser/dashboard.ts';
import { makeRemote } from '../support/fleet/remotes.ts';
import { openStore, type Store } from '../support/fleet/stores.ts';
import type { Scene } from '../support/live/scene.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { BIN, bash } from '../support/live/untildone.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const PATIENCE = { timeout: PATIENCE_MS };
const seen = (place: Locator) => place.first().waitFor(PATIENCE);
const tool = (command: string) => ({ tools: [bash(command)] });

const SCRIPT: Script = {
  rules: [
    { when: { last: 'it is there now' }, turns: [{ text: 'Made.' }] },
    { when: { first: 'Paint', last: 'Asked as question 1' }, turns: [{ text: 'I wait for the colour.' }] },
    {
      when: { first: 'Paint', any: 'Answers of the person|blue' },
      turns: [tool('echo blue > made.txt && echo it is there now')],
    },
    { when: { first: 'Paint' }, turns: [tool('untildone ask "Which colour?" --option red --option blue')] },
    { when: { first: 'Make the piece' }, turns: [tool('echo made > made.txt && echo it is there now')] },
  ],
};

interface RealFleet {
  scene: Scene;
  env: Record<string, string>;
  store: Store;
  repo: string;
}

async function realFleet(): Promise<RealFleet> {
  const scene = await sceneOfTest();
  const store = await openStore();
  onTestFinished(() => store.close());
  scene.simulator.load('fleet', SCRIPT);
  const { url: repo } = makeRemote(join(scene.root, 'pieces.git'), {
    'untildone.yaml': 'gates:\n  made: { run: test -s made.txt }\n',
    'README.md': 'pieces\n',
  });
  const env = { UNTILDONE_QUEUE: store.url, UNTILDONE_FLEET_SECRET: randomBytes(32).toString('hex') };
  return { scene, env, store, repo };
}

/** A machine of its own: nothing of it but the queue and the remote is another's. */
function startWorker({ scene, env }: RealFleet, name: string): ChildProcess {
  const [home, untildone] = [join(scene.root, name, 'home'), join(scene.root, name, 'untildone')];
  mkdirSync(home, { recursive: true });
  prepareClientHome(home);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Worker\n\temail = worker@localhost\n');
  const extra = { ...env, UNTILDONE_HOME: untildone, TMPDIR: `${scene.root}/tmp` };
  const flags = [
    '--name',
    name,
    '--concurrency',
    '2',
    '--workdir',
    join(scene.root, name, 'work'),
    '--health-port',
    'off',
  ];
  return spawn(process.execPath, [BIN, 'worker', ...flags], {
    env: cleanEnvironment({ home, baseUrl: scene.simulator.urlFor('fleet'), extra }),
    stdio: 'ignore',
  });
}

async function command({ scene, env }: RealFleet, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: scene.project,
    env: { ...scene.environment, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (text) => {
    said += text;
  });
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`untildone ${args.join(' ')}: ${code} ${said}`);
  return said;
}

const runsIn = (said: string) => (JSON.parse(said) as { runs: { run: string }[] }).runs.map(({ run }) => run);

async function violations(page: Page, scheme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return found.violations.map(({ id, nodes }) => `${scheme} ${id}: ${nodes[0]?.html}`);
}

test('eight runs over two workers: seen from the queue to the receipt, a question answered in the browser', async () => {
  const fleet = await realFleet();
  const model = ['--repo', fleet.repo, '--model', 'claude-sonnet-4-5', '--json'];
  const asking = runsIn(await command(fleet, 'submit', 'Paint it', ...model));
  const made = runsIn(await command(fleet, 'submit', 'Make the piece', '--count', '7', ...model));
  const dashboard = await startDashboard({ ...fleet.scene.environment, ...fleet.env }, fleet.scene.project, [
    '--queue',
  ]);
  onTestFinished(() => dashboard.end());
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const tab = await openTab(browser, `${dashboard.url}#/fleet`);
  const { page } = tab;
  const tile = (name: string) => page.locator('.tile', { hasText: name }).locator('dd');

  // Before there is a worker, everything waits, and the page says why.
  await expect.poll(() => tile('Waiting').innerText(), PATIENCE).toMatch(/^8/);
  await seen(page.locator(`[data-run="${made[0]}"]`, { hasText: 'There is no worker' }));
  await seen(page.getByText('No worker is there'));

  for (const name of ['anna', 'bert']) startWorker(fleet, name);
  await seen(page.locator('#workers', { hasText: '2 workers' }));
  const atWork = page.locator('[data-run]', { hasText: 'At work' });
  await seen(atWork.filter({ hasText: 'on anna' }));
  await seen(atWork.filter({ hasText: 'on bert' }));
  expect(await violations(page, 'light')).toEqual([]);
  expect(await violations(page, 'dark')).toEqual([]);

  // The agent of one run asks; the answer goes through the queue to its worker.
  await goTo(tab, '#/');
  const question = page.locator('.need', { hasText: 'Which colour?' });
  await seen(question);
  await question.getByRole('button', { name: 'blue' }).click();
  await seen(page.locator('.loop, .asked', { hasText: /requested/i }));

  // All of them end, and only what is proven looks done.
  const done = page.locator('.loop', { hasText: 'Done, verified' });
  await expect.poll(() => done.count(), PATIENCE).toBe(8);
  await goTo(tab, `#/loop/${asking[0]}`);
  await seen(page.locator('.loop-situation', { hasText: 'Done, verified' }));
  await seen(page.locator('.entry-line', { hasText: 'Start' }));
  await seen(page.locator('.asked', { hasText: /Taken/ }));
  await seen(page.locator('aside', { hasText: fleet.repo }));
  expect(await violations(page, 'light')).toEqual([]);
  await page.locator('[data-part=receipt]').click();
  await seen(page.getByText('The signature holds'));

  await goTo(tab, '#/fleet');
  await expect.poll(() => tile('Ended').innerText(), PATIENCE).toMatch(/^8/);
  await page.getByRole('button', { name: 'Drain anna' }).click();
  await seen(page.locator('li', { hasText: 'anna' }).filter({ hasText: /drain requested|Draining/ }));
  // The store goes away and comes back; what was seen stays.
  await fleet.store.stop();
  await seen(page.locator('.lost', { hasText: 'cannot be reached' }));
  expect(await tile('Ended').innerText()).toMatch(/^8/);
  await fleet.store.start();
  await page.locator('.lost').waitFor({ ...PATIENCE, state: 'detached' });
  expect(await page.content()).not.toContain(fleet.env.UNTILDONE_FLEET_SECRET ?? '');
  expect(tab.faults).toEqual([]);

  // Nothing is left of what was mirrored.
  const mirrors = () =>
    readdirSync(join(fleet.scene.root, 'tmp')).filter((name) => name.startsWith('untildone-dashboard-'));
  expect(mirrors()).toHaveLength(1);
  await dashboard.end();
  expect(mirrors()).toEqual([]);
});
