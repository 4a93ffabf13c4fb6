/** The page beside a real session of Claude Code: what a hook writes appears, and what you ask in the browser is taken. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openBrowser, openTab, type Tab } from '../support/browser/browser.ts';
import { startDashboard } from '../support/browser/dashboard.ts';
import { contractScene } from '../support/live/contract.ts';
import type { Scene } from '../support/live/scene.ts';
import { BIN, bash, journalOf, loopOf, must } from '../support/live/untildone.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const CONTRACT = [
  'gates:',
  '  notes: { run: test -s notes.md }',
  '  made: { run: grep -q blue made.txt }',
  'phases:',
  '  think: { do: Write notes.md, exit: [notes], checkpoint: "Shall it be made?" }',
  '  make: { do: Make made.txt, exit: [made] }',
  '',
].join('\n');

const tool = (command: string) => ({ tools: [bash(command)] });
const PATIENCE = { timeout: PATIENCE_MS };

async function openDashboard(scene: Scene): Promise<Tab> {
  const dashboard = await startDashboard(scene.environment, scene.project);
  onTestFinished(() => dashboard.end());
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  return openTab(browser, dashboard.url);
}

const seen = (place: Locator) => place.first().waitFor(PATIENCE);

test('a session is held, asks, waits for approval, is paused and goes on, all seen and answered in the browser', async () => {
  const scene = await contractScene({ 'untildone.yaml': CONTRACT });
  const session = randomUUID();
  await must(scene, ['start', 'Make it blue', '--session', session, '--max-iterations', '9']);
  const { page, faults } = await openDashboard(scene);
  const row = page.locator('.loop', { hasText: 'Make it blue' });
  await seen(row);
  const client = await scene.startClient({
    prompt: 'go',
    conversation: true,
    args: ['--session-id', session],
    script: {
      turns: [
        { text: 'Hello.' },
        tool('untildone ask "Which colour?" --option red --option blue'),
        { text: 'I wait for the colour.' },
        tool('echo blue > notes.md'),
        { text: 'The notes are there.' },
        { text: 'What now?' },
        { text: 'And now?' },
        tool('echo blue > made.txt'),
        { text: 'Made.' },
      ],
    },
  });

  // The first Stop is held, and the page shows it without being asked to.
  await seen(row.filter({ hasText: '2 of 9' }));

  // Answer: requested at once, taken when the agent is told.
  const question = page.locator('.need', { hasText: 'Which colour?' });
  await seen(question);
  await client.untilLine(({ type }) => type === 'result');
  await question.getByRole('button', { name: 'blue' }).click();
  await seen(row.getByText('answer requested'));
  await expect.poll(async () => (await loopOf(scene)).questions[0]?.option, PATIENCE).toBe(2);
  await row.locator('a').click();
  await seen(page.locator('.asked', { hasText: 'Requested' }));
  client.say('go on');
  await seen(page.locator('.asked', { hasText: 'Taken' }));

  // Approve, with a note.
  const approval = page.locator('.need', { hasText: 'approval' });
  await seen(approval);
  await approval.getByRole('button', { name: 'Approve with a note' }).click();
  await approval.getByRole('textbox').fill('in blue');
  await approval.getByRole('button', { name: 'Send' }).click();
  await expect.poll(async () => await answersIn(scene), PATIENCE).toContain('approved in blue');

  // Pause: the next Stop is let go; then resume, and it is held again.
  await page.getByRole('button', { name: 'Pause' }).click();
  await seen(page.locator('.loop-situation', { hasText: 'Paused' }));
  client.say('go on');
  await seen(page.locator('.asked', { hasText: /Taken.*pause/i }));
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(async () => (await loopOf(scene)).status, PATIENCE).toBe('active');
  client.say('go on');
  await seen(page.locator('.loop-situation', { hasText: 'Done, verified' }));
  client.endInput();
  await client.finished;

  await page.locator('[data-part=receipt]').click();
  await seen(page.getByText('The signature holds'));
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.bar').isVisible()).toBe(false);
  expect(await page.locator('.receipt').isVisible()).toBe(true);
  expect(await must(scene, ['receipt'])).toContain('in blue');
  expect(faults).toEqual([]);
});

async function answersIn(scene: Scene): Promise<string[]> {
  const { id } = await loopOf(scene);
  return (await journalOf(scene, id)).flatMap((entry) =>
    entry.kind === 'answered' ? [`${entry.said} ${entry.note ?? ''}`] : [],
  );
}

test('what the built hook writes is on the page at once; a cancelled loop is asked about once; a lost server is said', async () => {
  const scene = await contractScene({ 'untildone.yaml': 'gates:\n  made: { run: test -s made.txt }\n' });
  const session = randomUUID();
  await must(scene, ['start', 'Make something', '--session', session, '--max-iterations', '9']);
  const dashboard = await startDashboard(scene.environment, scene.project);
  onTestFinished(() => dashboard.end());
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openTab(browser, dashboard.url);
  const row = page.locator('.loop', { hasText: 'Make something' });
  await seen(row.filter({ hasText: '1 of 9' }));
  const stop = {
    hook_event_name: 'Stop',
    session_id: session,
    cwd: scene.project,
    last_assistant_message: 'Done.',
  };
  const held = callHook(scene, stop);
  expect(JSON.parse(held)).toMatchObject({ decision: 'block' });
  await seen(row.filter({ hasText: '2 of 9' }));
  await row.locator('a').click();
  await seen(page.locator('.entry-line', { hasText: 'Held' }));
  const lines = await page.locator('.entry-line').count();
  callHook(scene, stop);
  await expect.poll(() => page.locator('.entry-line').count(), PATIENCE).toBeGreaterThan(lines);

  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  expect((await loopOf(scene)).status).toBe('active');
  await page.keyboard.press('x');
  await page.getByLabel('Why, for the journal').fill('no longer needed');
  await page.getByRole('button', { name: 'Cancel the loop' }).click();
  await seen(page.locator('.loop-situation', { hasText: 'Cancelled' }));
  expect((await loopOf(scene)).ending?.detail).toContain('no longer needed');

  await dashboard.end();
  await seen(page.locator('.lost'));
  expect(await page.locator('.lost').innerText()).toMatch(/since|ended at/);
});

function callHook(scene: Scene, event: object): string {
  return execFileSync(process.execPath, [BIN, 'hook'], {
    cwd: scene.project,
    env: scene.environment,
    input: JSON.stringify(event),
    encoding: 'utf8',
  });
}
