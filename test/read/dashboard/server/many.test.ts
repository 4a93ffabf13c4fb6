import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordTrust } from '../../../../src/engine/home/trust.ts';
import { Live } from '../../../../src/read/dashboard/server/live.ts';
import { A_SLICE, Steps } from '../../../../src/read/dashboard/server/steps.ts';
import type { LoopPage, Overview, Problem } from '../../../../src/read/dashboard/view/types.ts';
import {
  copiedLoop,
  ENDED,
  held,
  lengthenLike,
  linesOf,
  loopsHome,
} from '../../../support/dashboard/loops.ts';
import { served, testWorld } from '../../../support/dashboard/served.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';
import { contractWith, frozenWith, run } from '../../../support/hook/judging.ts';

function manyLoops(folder: string, count: number) {
  const home = loopsHome(folder);
  const first = home.loop('20260101-1000');
  const more = Array.from({ length: count - 1 }, (_, i) =>
    copiedLoop(home.home, home.store, first, `20260101-${1001 + i}`),
  );
  return { home, refs: [first, ...more] };
}

test('work in parts is bounded by their number, and nothing is left out', () => {
  const found: number[] = [];
  const steps = new Steps(Array.from({ length: 95 }, (_, i) => (i % 2 ? i : undefined)));
  let parts = 0;
  while (!steps.done) {
    const part = steps.next();
    expect(part.length).toBeLessThanOrEqual(A_SLICE);
    found.push(...part);
    parts++;
  }
  expect(found).toEqual(Array.from({ length: 47 }, (_, i) => 2 * i + 1));
  expect(parts).toBeGreaterThanOrEqual(3);
});

test('200 loops that change at once are told in few messages, and other work has its turn in between', async () => {
  const folder = temporaryFolder();
  const { home, refs } = manyLoops(folder, 200);
  const live = new Live(testWorld(home.home, folder));
  live.start();
  await live.allRead();
  home.append(refs[0] ?? raise(), held());
  const pattern = linesOf(home.store, refs[0] ?? raise());
  for (const ref of refs.slice(1)) lengthenLike(home.home, home.store, ref, pattern);
  const sent: string[] = [];
  const page = {
    write: (text: string) => sent.push(text) > 0,
    end() {},
    destroy() {},
    writableLength: 0,
    on() {},
  };
  live.hub.add(page as never, undefined, undefined, { type: 'hello', now: 0, version: '' });
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await live.look();
  over = true;
  const messages = sent.filter((text) => text.startsWith('event: changes'));
  expect(messages.length).toBe(1);
  const { loops } = JSON.parse(/^data: (.*)$/m.exec(messages[0] ?? '')?.[1] ?? '') as { loops: unknown[] };
  expect(loops.length).toBe(200);
  expect(turns).toBeGreaterThanOrEqual(200 / A_SLICE - 1);
  // What is kept for pages that connect again is bounded by their number and their bytes.
  for (let i = 0; i < 20; i++) {
    live.hub.publish({ type: 'changes', now: i, loops: loops as never, gone: [] });
  }
  expect(live.hub.keptSize.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(live.hub.keptSize.events).toBeLessThanOrEqual(500);
  // Nothing has changed: nothing is told.
  const before = sent.length;
  await live.look();
  expect(sent.length).toBe(before);
  live.close();
});

test('the first view does not wait for everything: what is at work comes first, and the rest is told', async () => {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  for (let i = 0; i < 3; i++) home.loop(`20260101-${100 + i}`);
  const ended = home.loop('20260101-200');
  home.append(ended, ENDED);
  home.store.mark('session-20260101-200', false);
  for (let i = 1; i < 57; i++) copiedLoop(home.home, home.store, ended, `20260101-${200 + i}`);
  const live = new Live(testWorld(home.home, folder));
  live.start();
  await live.firstView(0);
  const first = JSON.parse(live.overviewText()) as Overview;
  expect(first.reading?.of).toBe(60);
  expect(first.reading?.read).toBeLessThan(60);
  // The older ids are at work, and are there before newer ones that have ended.
  const open = first.loops.filter(({ doing }) => doing !== 'ended').length;
  expect(open).toBe(Math.min(3, first.reading?.read ?? 0));
  await live.allRead();
  const all = JSON.parse(live.overviewText()) as Overview;
  expect([all.reading, all.loops.length, all.ended]).toEqual([undefined, 60, 57]);
  const sent: string[] = [];
  const page = {
    write: (text: string) => sent.push(text) > 0,
    end() {},
    destroy() {},
    writableLength: 0,
    on() {},
  };
  live.hub.add(page as never, first.eventId, undefined, { type: 'hello', now: 0, version: '' });
  expect(sent.join('')).toContain('everything has been read');
  live.close();
});

test('a full disk is said in words, and nothing was asked of the loop', async () => {
  const folder = temporaryFolder();
  const { home, refs } = manyLoops(folder, 1);
  const [ref = raise()] = refs;
  const full = (code: string, wrapped: boolean) => () => {
    const error = Object.assign(new Error(`${code}: no space left on device, write`), { code });
    throw wrapped ? new Error('cannot open the journal', { cause: error }) : error;
  };
  let append = full('ENOSPC', false);
  const world = testWorld(home.home, folder);
  const page = await served({
    ...world,
    open() {
      const own = world.open();
      return { ...own, store: Object.assign(Object.create(own.store), { append: () => append() }) };
    },
  });
  for (const [code, wrapped] of [
    ['ENOSPC', false],
    ['EDQUOT', false],
    ['ENOSPC', true],
  ] as const) {
    append = full(code, wrapped);
    const answer = await page.post(`api/loops/${ref.loop}/actions`, { action: 'pause' });
    expect([answer.status, answer.json<Problem>()]).toEqual([
      507,
      {
        code: 'disk_full',
        message: 'the disk is full: nothing was written',
        fix: 'Make room, then try again.',
      },
    ]);
  }
  expect(home.store.read(ref).status).toBe('active');
});

test('contracts that nobody trusts need you: of loops before their first Stop, and of projects without a loop', async () => {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  const project = home.project("it's new");
  const contract = contractWith({ tests: run('true') });
  const frozen = frozenWith(contract, { project, fingerprint: 'print' });
  const ref = home.store.create({
    loop: '20260101-1',
    session: 'one',
    project,
    dialect: 'native',
    task: 't',
    transcriptOffset: 0,
    contract: frozen,
  });
  const plain = home.project('plain');
  writeFileSync(join(plain, 'untildone.yaml'), 'gates: { tests: { run: "true" } }\n');
  const began = (session: string, path: string, ago = 0) => {
    const file = join(home.home.sessions, `${session}.at`);
    writeFileSync(file, `${path}\n${process.pid}\n`);
    const at = new Date(Date.now() - ago);
    utimesSync(file, at, at);
  };
  began('two', plain);
  const old = home.project('old');
  writeFileSync(join(old, 'untildone.yaml'), 'gates: { tests: { run: "true" } }\n');
  began('three', old, 30 * 86_400_000);
  began('four', home.project('without'));
  const words = home.project('words');
  writeFileSync(join(words, 'untildone.yaml'), 'gates: { said: { promise: DONE } }\n');
  began('five', words);
  let now = Date.now();
  const page = await served(testWorld(home.home, folder, { clock: { now: () => now } }));
  const trust = async () => {
    now += 11_000;
    await page.dashboard.live.look();
    const { needs, projects } = await page.get<Overview>('api/overview');
    const name = (id: string) => projects.find((each) => each.id === id)?.name;
    return needs
      .filter(({ kind }) => kind === 'trust')
      .map(({ loop, project: of, title, command }) => ({ loop, project: name(of), title, command }))
      .sort((a, b) => ((a.project ?? '') < (b.project ?? '') ? -1 : 1));
  };
  const ofLoop = {
    loop: ref.loop,
    project: "it's new",
    title: 'its contract is not trusted on this machine',
    command: `cd '${join(folder, "it'\\''s new")}' && untildone trust`,
  };
  const ofProject = {
    loop: undefined,
    project: 'plain',
    title: 'nobody trusts the contract of this project on this machine',
    command: `cd ${plain} && untildone trust`,
  };
  await expect.poll(trust, { timeout: 10_000 }).toEqual([ofLoop, ofProject]);
  recordTrust(home.home, project, 'print', now);
  await expect.poll(trust, { timeout: 10_000 }).toEqual([ofProject]);
  rmSync(join(plain, 'untildone.yaml'));
  await expect.poll(trust, { timeout: 10_000 }).toEqual([]);
});

test('the walls around the commands of a loop are named', async () => {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  const contract = { ...contractWith({ tests: run() }), sandbox: { choice: 'preferred' as const } };
  const ref = home.loop('20260101-1', { contract });
  const page = await served(testWorld(home.home, folder, { wallsHere: () => ({ name: 'bubblewrap' }) }));
  expect((await page.get<LoopPage>(`api/loops/${ref.loop}`)).walls).toBe('bubblewrap (sandbox: preferred)');
});

function raise(): never {
  throw new Error('there is no loop');
}
