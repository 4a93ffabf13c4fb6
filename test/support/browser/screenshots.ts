/** Pictures of the main views, over loops of the examples at fixed times. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { serveDashboard } from '../../../src/read/dashboard/server/serve.ts';
import { fleetTestWorld, memoryFleet } from '../dashboard/fleet.ts';
import { goTo, openBrowser, openTab, PHONE } from './browser.ts';
import { serveHome } from './dashboard.ts';
import { ExampleHome } from './examples.ts';
import { playFleet } from './fleet-scene.ts';
import { playExamples } from './scenes.ts';

/** The moment at which all pictures are taken. */
const NOW = Date.UTC(2026, 10, 16, 14, 5);

interface Picture {
  name: string;
  view: string;
  options: BrowserContextOptions;
  /** How high it is; the whole view when absent. */
  height?: number;
  /** With `--queue`. */
  isFleet?: boolean;
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
  { name: 'dashboard-fleet', view: '#/fleet', options: light, height: 900, isFleet: true },
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
  { name: 'fleet-dark', view: '#/fleet', options: dark, isFleet: true },
  { name: 'fleet-phone', view: '#/fleet', options: phone, isFleet: true },
  { name: 'fleet-overview', view: '#/', options: light, isFleet: true },
  { name: 'fleet-loop', view: '#/loop/r-cart', options: light, isFleet: true },
  { name: 'fleet-receipt', view: '#/loop/r-leap/receipt', options: dark, isFleet: true },
];

export async function takePictures(folder: string, pictures: readonly Picture[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const root = mkdtempSync(join(tmpdir(), 'untildone-pictures-'));
  const home = new ExampleHome(root);
  playExamples(home, NOW);
  const fleet = memoryFleet(root, () => NOW);
  playFleet(fleet, NOW);
  const pageFolder = resolve('dist/dashboard');
  const world = fleetTestWorld(fleet);
  const [local, ofFleet, browser] = await Promise.all([
    serveHome(home, () => NOW),
    serveDashboard({ host: '127.0.0.1', port: 0, pageFolder }, world),
    openBrowser(),
  ]);
  try {
    for (const { name, view, options, height, isFleet = false } of pictures) {
      const served = isFleet ? ofFleet : local;
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
    await Promise.all([local.close(), ofFleet.close(), world.fleet?.close()]);
    rmSync(root, { recursive: true, force: true });
  }
}
