/** Debian's chromium, driven by playwright-core. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';

const ARGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGS });
}

export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface Tab {
  page: Page;
  /** What went wrong in the page so far: errors, refused requests, broken policies. */
  faults: string[];
  close(): Promise<void>;
}

/** A fresh profile at this address; nothing moves in it. `now`: the time that its clock tells. */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  now?: number,
): Promise<Tab> {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  if (now !== undefined) await page.clock.setFixedTime(now);
  await page.goto(url);
  await page.locator('main').waitFor();
  return { page, faults, close: () => context.close() };
}

/** Another view of the same page, without loading it again. */
export async function goTo({ page }: Tab, hash: string): Promise<void> {
  await page.evaluate((to) => {
    (globalThis as unknown as { location: { hash: string } }).location.hash = to;
  }, hash);
}
