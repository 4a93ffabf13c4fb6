import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ExampleHome } from '../support/browser/examples.ts';
import { playExamples } from '../support/browser/scenes.ts';
import { held } from '../support/dashboard/loops.ts';
import { type Served, served, testWorld } from '../support/dashboard/served.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { steady } from '../support/golden/steady.ts';
import { waitFor } from '../support/live/processes.ts';

/** What the server of the dashboard sends over recorded loops, in golden files. */

const NOW = Date.UTC(2026, 8, 1, 12);
const golden = (name: string) => join(import.meta.dirname, 'expected', `dashboard-${name}.txt`);

async function recorded() {
  const home = new ExampleHome(temporaryFolder());
  playExamples(home, NOW);
  const page = await served(testWorld(home.home, home.root, { clock: { now: () => NOW } }));
  return { home, page, steadyHere: (text: string) => steady(text, { root: home.root, page: page.path }) };
}

test('the HTTP answers', async () => {
  const { home, page, steadyHere } = await recorded();
  const loops = home.store.loops().map(({ loop }) => loop);
  const paths = [
    ...['overview', 'ended?count=10', 'insights?days=30', 'nothing-of-this-name'],
    ...loops.sort().flatMap((loop) => [`loops/${loop}`, `loops/${loop}/entries?count=100`]),
    ...['loops/leap-year/receipt', 'loops/leap-year/entries/1', 'loops/no-such-loop'],
  ];
  const said: string[] = [];
  for (const path of paths) {
    const { status, text } = await page.send(`${page.path}api/${path}`, { headers: { cookie: page.cookie } });
    said.push(`GET api/${path} ${status}\n${JSON.stringify(JSON.parse(text), null, 1)}`);
  }
  said.push(`GET api/overview without a cookie ${(await page.send(`${page.path}api/overview`)).status}`);
  await expect(steadyHere(`${said.join('\n\n')}\n`)).toMatchFileSnapshot(golden('answers'));
});

test('the events that it streams', async () => {
  const { home, page, steadyHere } = await recorded();
  const { ref, events } = await looking(page, home);
  home.clock.time = NOW;
  home.store.append(ref, () => held());
  const whole = () => events.text().split('\n\n').slice(0, -1);
  const first = (type: string) => whole().find((one) => one.includes(`event: ${type}\n`)) ?? '';
  // In which order, and in how many parts, is left to the server.
  for (const type of ['changes', 'entries']) await waitFor(() => first(type));
  const told = ['hello', 'changes', 'entries'].map((type) => laidOut(first(type)));
  events.close();
  await expect(steadyHere(`${told.join('\n\n')}\n`)).toMatchFileSnapshot(golden('events'));
});

/** A page that shows a loop which is at work. */
async function looking(page: Served, home: ExampleHome) {
  const ref = home.store.loops().find((one) => home.store.read(one).status === 'active');
  if (!ref) throw new Error('no loop is at work');
  const events = await page.events(`?loop=${ref.loop}`);
  await events.next('hello');
  return { ref, events };
}

function laidOut(event: string): string {
  return event.replace(/^data: (.*)$/m, (_, data: string) => JSON.stringify(JSON.parse(data), null, 1));
}
