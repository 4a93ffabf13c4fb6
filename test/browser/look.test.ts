/** The page over loops of the examples, in a real browser: looks, filters, keyboard, hostile text, foreign requests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Dashboard } from '../../src/read/dashboard/server/serve.ts';
import { goTo, openBrowser, openTab, PHONE, type Tab } from '../support/browser/browser.ts';
import { serveHome } from '../support/browser/dashboard.ts';
import { ExampleHome } from '../support/browser/examples.ts';
import { hostileLoop, playExamples } from '../support/browser/scenes.ts';
import { lengthen } from '../support/dashboard/loops.ts';
import { few } from '../support/long.ts';
import { PATIENCE_MS } from '../support/patience.ts';

let [root, home, served, browser] = [] as unknown as [string, ExampleHome, Dashboard, Browser];
const tabs: Tab[] = [];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'untildone-look-'));
  home = new ExampleHome(root);
  playExamples(home, Date.now());
  hostileLoop(home, Date.now());
  home.play({
    example: 'four-chunks',
    loop: 'chunks',
    project: 'till',
    entries: 16,
    at: Date.now() - 7_200_000,
    until: Date.now() - 60_000,
  });
  [served, browser] = await Promise.all([serveHome(home, () => Date.now()), openBrowser()]);
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
  rmSync(root, { recursive: true, force: true });
});

async function open(hash = '', options: Parameters<typeof openTab>[2] = {}): Promise<Tab> {
  // The start link leads on to the page, and keeps what stands behind the #.
  const tab = await openTab(browser, `${served.url}${hash}`, options);
  tabs.push(tab);
  return tab;
}

const PATIENCE = { timeout: PATIENCE_MS };

/** Everything that a view asked for is there. */
const settled = ({ page }: Tab) =>
  expect.poll(() => page.locator('.empty', { hasText: '…' }).count(), PATIENCE).toBe(0);

const shown = (tab: Tab) => tab.page.locator('.loop h3').allInnerTexts();

describe('the overview', () => {
  test('begins with what needs you, then shows every loop with its state in words', async () => {
    const tab = await open();
    const { page } = tab;
    expect(await page.locator('h2').first().innerText()).toMatch(/things? needs? you$/);
    expect(await page.locator('.need', { hasText: 'plan_approved' }).innerText()).toContain('Approve');
    const till = page.locator('[data-loop=till]');
    expect(await till.innerText()).toContain('Waits for you');
    expect(await page.locator('[data-loop=leap-year]').innerText()).toContain('Done, verified');
    expect(await page.locator('[data-loop=stalled]').innerText()).toContain('Not done: stalled');
    expect(await page.locator('[data-loop=cancelled]').innerText()).toContain('Cancelled');
    // An ending that is no success has another shape, not only another colour.
    for (const id of ['stalled', 'cancelled', 'limit']) {
      expect(await page.locator(`[data-loop=${id}] .loop-state .shape-done`).count()).toBe(0);
      expect(await page.locator(`[data-loop=${id}] .loop-state .shape`).count()).toBe(1);
    }
    expect(await page.locator('[data-loop=four] .figures').innerText()).toMatch(/of 20/);
    expect(await page.title()).toMatch(/^\(\d+\) untildone$/);
    expect(tab.faults).toEqual([]);
  });

  test('filters, searches and sorts; the address says what is shown', async () => {
    const tab = await open();
    const { page } = tab;
    await page.getByRole('button', { name: /^Ended otherwise/ }).click();
    await expect.poll(() => page.url(), PATIENCE).toContain('state=undone');
    expect((await shown(tab)).length).toBeGreaterThan(2);
    await page.getByRole('button', { name: /^Done/ }).click();
    await expect.poll(() => shown(tab), PATIENCE).toEqual(['Make the tests of this project pass']);
    await page.getByRole('button', { name: /^All/ }).click();
    await page.getByLabel('Search loops').fill('four FUNCTIONS');
    await expect
      .poll(() => shown(tab), PATIENCE)
      .toEqual(expect.arrayContaining([expect.stringContaining('four functions')]));
    expect(page.url()).toContain('q=four+FUNCTIONS');
    const link = page.url();
    await page.getByLabel('Search loops').fill('no such loop');
    expect(await page.locator('.empty').innerText()).toContain('No loop matches');
    await page.goto(link);
    await expect.poll(async () => (await shown(tab)).length, PATIENCE).toBeGreaterThan(0);
    expect(await page.getByLabel('Search loops').inputValue()).toBe('four FUNCTIONS');
    await page.getByLabel('Search loops').fill('');
    await page.getByLabel('Order').selectOption('name');
    const byName = async () => (await shown(tab)).map((task) => task.toLowerCase());
    const inOrder = async () => (await byName()).toSorted((one, other) => one.localeCompare(other));
    await expect.poll(async () => (await byName()).join() === (await inOrder()).join(), PATIENCE).toBe(true);
  });

  test('goes by the keyboard', async () => {
    const tab = await open();
    const { page } = tab;
    const focused = () =>
      page.evaluate('document.activeElement && document.activeElement.textContent') as Promise<string>;
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').innerText()).toContain('next, previous row');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count(), PATIENCE).toBe(0);
    await page.keyboard.press('j');
    const first = await focused();
    await page.keyboard.press('j');
    const second = await focused();
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);
    expect(second).not.toBe(first);
    await page.keyboard.press('Enter');
    await page.locator('.loop-page h1').waitFor();
    await page.keyboard.press(']');
    await expect.poll(() => page.url(), PATIENCE).toMatch(/\/(board|gates)$/);
    await page.keyboard.press('Escape');
    await page.locator('.overview').waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.keyboard.type('j?');
    expect(await page.getByLabel('Search loops').inputValue()).toBe('j?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.locator('.insights').waitFor();
  });
});

describe('a loop', () => {
  test('has a timeline that opens to the reason, verdicts and evidence', async () => {
    const tab = await open('#/loop/cart');
    const { page } = tab;
    await page.getByRole('button', { name: /^Stops/ }).click();
    const held = page.locator('.entry-line', { hasText: 'Held' }).last();
    await held.click();
    await page.locator('.details .verdict').first().waitFor();
    expect(await page.locator('.details').innerText()).toContain('What the agent was told');
    expect(await page.locator('.reason').innerText()).toMatch(/iteration 2 of|Fails/);
    expect(page.url()).toMatch(/at=\d+/);
    expect(tab.faults).toEqual([]);
  });

  test('has gates over iterations, charts, a board, a receipt that prints, and a live tail', async () => {
    const tab = await open('#/loop/cart/gates');
    const { page } = tab;
    await expect.poll(() => page.locator('.cells').count(), PATIENCE).toBeGreaterThan(2);
    await goTo(tab, '#/loop/chunks/board');
    expect(await page.locator('.board').innerText()).toMatch(/money|basket/);
    await goTo(tab, '#/loop/four/charts');
    expect(await page.locator('.chart svg').last().getAttribute('aria-label')).toMatch(/so far/);
    await goTo(tab, '#/loop/four/tail');
    await expect.poll(() => page.locator('.tail li').count(), PATIENCE).toBeGreaterThan(5);
    await goTo(tab, '#/loop/leap-year/receipt');
    await page.locator('.receipt', { hasText: 'The signature holds' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.bar').isVisible()).toBe(false);
    expect(await page.locator('.ladder').isVisible()).toBe(true);
    expect(tab.faults).toEqual([]);
  });

  test('that does not exist says so', async () => {
    const tab = await open('#/loop/none-of-these');
    expect(await tab.page.getByRole('alert').innerText()).not.toBe('');
    expect(await tab.page.locator('h1').innerText()).toBe('This loop cannot be shown');
  });
});

describe('looks', () => {
  const VIEWS = [
    '#/',
    '#/loop/cart',
    '#/loop/chunks/board',
    '#/loop/four/charts',
    '#/loop/cart/gates',
    '#/loop/leap-year/receipt',
    '#/insights',
  ];

  test.each([
    ['light', { colorScheme: 'light' as const }, VIEWS],
    ['dark', { colorScheme: 'dark' as const }, few(VIEWS, 2)],
    ['narrow', { viewport: PHONE }, few(VIEWS, 2)],
  ])('axe finds nothing in %s', async (_, options, views) => {
    const tab = await open('', options);
    const found: unknown[] = [];
    for (const view of views) {
      await goTo(tab, view);
      await tab.page.locator('main').waitFor();
      await settled(tab);
      // Not as a script of the page: its policy forbids that.
      await tab.page.evaluate(axe.source);
      const { violations } = (await tab.page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      };
      found.push(
        ...violations.map(({ id, nodes }) => `${view} ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
      );
    }
    expect(found).toEqual([]);
  });

  test('it is dark where the system is, light where it is not, and as you choose', async () => {
    const ground = (tab: Tab) =>
      tab.page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await open('', { colorScheme: 'dark' });
    const light = await open('', { colorScheme: 'light' });
    const [darkGround, lightGround] = [await ground(dark), await ground(light)];
    expect(darkGround).not.toBe(lightGround);
    await light.page.keyboard.press('d');
    await light.page.keyboard.press('d');
    expect(await ground(light)).toBe(darkGround);
    await light.page.reload();
    await light.page.locator('main').waitFor();
    expect(await ground(light)).toBe(darkGround);
  });

  test('on a phone nothing is wider than the page, and what is tapped is large enough', async () => {
    const tab = await open('', { viewport: PHONE });
    for (const view of ['#/', '#/loop/cart', '#/loop/chunks/gates', '#/loop/four/charts', '#/insights']) {
      await goTo(tab, view);
      await settled(tab);
      expect([view, await tab.page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        view,
        PHONE.width,
      ]);
    }
    await goTo(tab, '#/');
    const heights = await tab.page
      .locator('.need .button:not(.small)')
      .evaluateAll((all) => all.map((one) => (one as unknown as { offsetHeight: number }).offsetHeight));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
  });

  test('10,000 iterations scroll, with only those in view in the page', async () => {
    home.clock.time = Date.now() - 3_600_000;
    const ref = home.play({
      example: 'one-session',
      loop: 'long',
      project: 'long',
      at: home.clock.time,
      until: home.clock.time,
      entries: 1,
    });
    const hold = JSON.parse(
      readFileSync(home.store.journalFile(ref), 'utf8').trim().split('\n').at(-1) ?? '',
    ).entry;
    lengthen(home.home, home.store, ref, 10_000, () => hold);
    const tab = await open('#/loop/long');
    const { page } = tab;
    await page.locator('.entry-line').first().waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    await expect.poll(() => page.locator('.entry-line').count(), PATIENCE).toBeGreaterThan(5);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('.entry-line', { hasText: 'Start' }).waitFor();
    expect(await page.locator('.entry').count()).toBeLessThan(60);
    expect(tab.faults).toEqual([]);
  });
});

describe('text of others', () => {
  test('is only text, wherever it stands: in tasks, reasons, evidence, file names, questions', async () => {
    const tab = await open();
    const { page } = tab;
    for (const view of [
      '#/',
      '#/loop/hostile',
      '#/loop/hostile/gates',
      '#/loop/hostile/tail',
      '#/insights',
    ]) {
      await goTo(tab, view);
      await settled(tab);
      expect(await page.locator('#page').innerText()).toContain(
        view === '#/insights' ? 'Insights' : '<img src=x',
      );
    }
    await goTo(tab, '#/loop/hostile');
    await page.locator('.entry-line', { hasText: 'Held' }).first().click();
    await page.locator('.details .verdict').first().waitFor();
    const said = await page.locator('.details').innerText();
    expect(said).toContain('<script>');
    // What turns the direction of writing, or steers a terminal, is spelled out.
    expect(said).toContain('\\u{202e}');
    expect(said).toContain('\\u{1b}');
    const strange =
      '#page img, #page iframe, #page object, #page script, #page [onerror], a[href^="javascript:"]';
    expect(await page.locator(strange).count()).toBe(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(tab.faults).toEqual([]);
  });
});

describe('requests of others', () => {
  let foreign: Server;
  let foreignUrl: string;
  beforeAll(async () => {
    foreign = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>elsewhere</title><main>elsewhere</main>');
    });
    await new Promise<void>((done) => foreign.listen(0, '127.0.0.1', done));
    foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`;
  });
  afterAll(() => new Promise((done) => foreign.close(done)));

  test('without the token nothing is shown, and with a wrong one neither', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const { origin } = new URL(served.url);
    for (const path of [
      '/',
      '/?token=wrong',
      '/api/overview',
      `${new URL((await open()).page.url()).pathname}`,
    ]) {
      const response = await page.goto(`${origin}${path}`);
      expect([path, response?.status()]).toEqual([path, 401]);
    }
    await context.close();
  });

  test('under another name of this machine nothing is answered', async () => {
    const { port, search } = new URL(served.url);
    const context = await browser.newContext();
    const page = await context.newPage();
    // A name that leads to this machine, as in an attack by DNS rebinding.
    const response = await page.goto(`http://evil.localhost:${port}/${search}`);
    expect(response?.status()).toBe(421);
    await context.close();
  });

  test('a page on another origin can neither act nor read', async () => {
    const tab = await open();
    const own = tab.page.url().replace(/#.*/, '');
    const page = await tab.page.context().newPage();
    await page.goto(foreignUrl);
    const attack = `(async () => {
      const said = [];
      for (const type of ['text/plain', 'application/json']) {
        for (const credentials of ['include', 'omit']) {
          try {
            const answer = await fetch('${own}api/loops/four/actions', { method: 'POST', credentials, headers: { 'content-type': type }, body: '{"action":"cancel"}' });
            said.push(answer.status);
          } catch (error) { said.push('refused'); }
        }
      }
      try { said.push((await fetch('${own}api/overview', { credentials: 'include' })).status); } catch { said.push('refused'); }
      await fetch('${own}api/loops/four/actions', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"action":"cancel"}' }).catch(() => undefined);
      return said;
    })()`;
    expect(await page.evaluate(attack)).toEqual(Array(5).fill('refused'));
    expect(home.store.read({ loop: 'four', dir: dirOf('four') }).status).toBe('active');
  });

  function dirOf(loop: string): string {
    const ref = home.store.loops().find((one) => one.loop === loop);
    if (!ref) throw new Error(`no loop ${loop}`);
    return ref.dir;
  }
});
