/** Insights in the browser: what other rooms know, and an audit that you ask for. */
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Insights } from '../../src/read/dashboard/view/types.ts';
import { goTo, openBrowser, openTab, PHONE } from '../support/browser/browser.ts';
import { serveHome } from '../support/browser/dashboard.ts';
import { ENDED, held, loopsHome } from '../support/dashboard/loops.ts';
import { temporaryFolder } from '../support/files/workers.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const HOSTILE = '<img src=x onerror=alert(1)>';
const KNOWN: Pick<Insights, 'latency' | 'lessons'> = {
  latency: [{ event: 'Stop', count: 1204, p50: 61, p95: 140, p99: 2210, max: 9000 }],
  lessons: [
    { id: 'L1', text: HOSTILE, state: 'told', tone: 'open', project: 'shop' },
    { id: 'L2', text: 'another', state: 'dropped', tone: 'quiet', project: 'shop' },
  ],
};

test('hook times and lessons are shown; an audit runs when it is asked for, and says how far it is', async () => {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  home.append(home.loop('20260101-1'), held(), ENDED);
  let tell = (_read: number, _all: number) => {};
  let end = (_counts: Record<string, unknown>) => {};
  let asked = 0;
  const dashboard = await serveHome({ home: home.home, root: folder } as never, () => Date.now(), {
    lookBack: async () => KNOWN,
    audit: (_, progress) => {
      asked++;
      tell = progress;
      return new Promise((resolve) => {
        end = (counts) => resolve({ counts });
      });
    },
  });
  const tab = await openTab(browser, dashboard.url, { viewport: PHONE });
  const { page } = tab;
  await goTo(tab, '#/insights');
  const button = page.getByRole('button', { name: /^Read/ });
  await button.waitFor();
  expect(await page.locator('main').innerText()).toContain('2.2 s');
  expect(await page.getByText(HOSTILE).count()).toBe(1);
  expect(asked).toBe(0);
  await button.click();
  await page.getByText('Looking for transcripts').waitFor();
  tell(340e6, 1200e6);
  await page.getByText('Reading transcripts: 340 MB of 1.2 GB').waitFor();
  end({ total: 4, verified: 1, stale: 0, failed: 1, masked: 0, never_ran: 2, sessions: 3, bytes: 1200e6 });
  await page.getByRole('button', { name: 'Read them again' }).waitFor();
  expect(await page.locator('main').innerText()).toContain('of 4 turns that edited');
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] };
  expect(violations.map(({ id }) => id)).toEqual([]);
  expect([asked, tab.faults]).toEqual([1, []]);
  await tab.close();
  await dashboard.close();
});
