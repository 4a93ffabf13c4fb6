/** Pictures of the main views, over loops of the examples at fixed times. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { goTo, openBrowser, openTab, PHONE } from './browser.ts';
import { serveHome } from './dashboard.ts';
import { ExampleHome } from './examples.ts';
import { playExamples } from './scenes.ts';

/** The moment at which all pictures are taken. */
const NOW = Date.UTC(2026, 10, 16, 14, 5);

interface Picture {
  name: string;
  view: string;
  options: BrowserContextOptions;
  /** How high it is; the whole view when absent. */
  height?: number;
}

const DESK = { width: 1120, height: 800 };
/** Pictures in docs are drawn smaller than the page is. */
const deviceScaleFactor = 0.8;
const light = { colorScheme: 'light' as const, viewport: DESK, deviceScaleFactor };
const dark = { colorScheme: 'dark' as const, viewport: DESK, deviceScaleFactor };
const phone = { colorScheme: 'light' as const, viewport: PHONE };

/** Those of docs/images. */
export const PICTURES: Picture[] = [
  { name: 'dashboard-overview', view: '#/', options: light, height: 760 },
  { name: 'dashboard-loop-dark', view: '#/loop/cart', options: dark, height: 600 },
  { name: 'dashboard-receipt', view: '#/loop/leap-year/receipt', options: light, height: 740 },
  { name: 'dashboard-phone', view: '#/', options: phone, height: 844 },
];

/** Further ones, to look at while the page is changed. */
export const ALL_PICTURES: Picture[] = [
  ...PICTURES,
  { name: 'overview-dark', view: '#/', options: dark },
  { name: 'overview-phone', view: '#/', options: phone },
  { name: 'loop-phone', view: '#/loop/cart', options: phone, height: 1600 },
  { name: 'receipt-phone', view: '#/loop/leap-year/receipt', options: phone },
  { name: 'board', view: '#/loop/till/board', options: light },
  { name: 'gates', view: '#/loop/cart/gates', options: light },
  { name: 'charts', view: '#/loop/cart/charts', options: light },
  { name: 'tail', view: '#/loop/four/tail', options: dark },
  { name: 'insights', view: '#/insights', options: light },
  { name: 'insights-dark', view: '#/insights', options: dark },
  { name: 'insights-phone', view: '#/insights', options: phone },
];

export async function takePictures(folder: string, pictures: readonly Picture[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const root = mkdtempSync(join(tmpdir(), 'untildone-pictures-'));
  const home = new ExampleHome(root);
  playExamples(home, NOW);
  const [served, browser] = await Promise.all([serveHome(home, () => NOW), openBrowser()]);
  try {
    for (const { name, view, options, height } of pictures) {
      const viewport = { width: options.viewport?.width ?? DESK.width, height: height ?? DESK.height };
      const tab = await openTab(browser, served.url, { ...options, viewport, timezoneId: 'UTC' }, NOW);
      await goTo(tab, view);
      await tab.page.locator('.empty', { hasText: '…' }).waitFor({ state: 'detached' });
      await tab.page.locator('main > *').first().waitFor();
      await tab.page.waitForLoadState('load');
      await tab.page.screenshot({ path: join(folder, `${name}.png`), fullPage: height === undefined });
      await tab.close();
    }
  } finally {
    await browser.close();
    await served.close();
    rmSync(root, { recursive: true, force: true });
  }
}
