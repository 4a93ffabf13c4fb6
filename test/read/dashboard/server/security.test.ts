import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveDashboard } from '../../../../src/read/dashboard/server/serve.ts';
import type { Overview, Problem } from '../../../../src/read/dashboard/view/types.ts';
import { held, loopsHome } from '../../../support/dashboard/loops.ts';
import { type Sent, served, testWorld } from '../../../support/dashboard/served.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

async function scene() {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  const ref = home.loop('20260101-1');
  home.append(ref, held());
  return { folder, home, ref, page: await served(testWorld(home.home, folder)) };
}

test('the start link gives a cookie that only this page gets, and leaves no token in the address', async () => {
  const { page } = await scene();
  const { search } = new URL(page.dashboard.url);
  const entered = await page.send(`/${search}`);
  expect(entered.status).toBe(303);
  const [cookie = ''] = entered.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    new RegExp(`^untildone_${page.dashboard.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=${page.path}$`),
  );
  expect(entered.headers.location).toBe(page.path);
  expect(entered.headers.location).not.toContain(search.slice('?token='.length));
  expect(await page.get<Overview>('api/overview')).toMatchObject({ totals: { active: 1 } });
});

test('the link for a browser works once', async () => {
  const { page } = await scene();
  const { search } = new URL(page.dashboard.onceUrl());
  expect((await page.send(`/${search}`)).status).toBe(303);
  expect((await page.send(`/${search}`)).status).toBe(401);
});

test('without the cookie nobody sees or does anything, and nothing tells whether a loop is there', async () => {
  const { page } = await scene();
  const wrong = { cookie: `${page.cookie.split('=')[0]}=${'x'.repeat(43)}` };
  const paths = [
    '',
    'app.js',
    'api/overview',
    'api/loops/20260101-1',
    'api/loops/none',
    'api/events',
    'api/insights',
    'api/none',
  ];
  for (const path of paths) {
    for (const headers of [{}, wrong, { cookie: 'a=b; =; ;' }]) {
      const { status, text } = await page.send(`${page.path}${path}`, { headers });
      expect([path, status]).toEqual([path, 401]);
      expect(text).toContain('Open the link that untildone dashboard printed');
    }
  }
  const post = await page.send(`${page.path}api/loops/20260101-1/actions`, {
    method: 'POST',
    headers: { origin: page.origin, 'content-type': 'application/json' },
    body: '{"action":"cancel"}',
  });
  expect(post.status).toBe(401);
  expect((await page.send('/?token=wrong')).status).toBe(401);
  expect((await page.send('/')).status).toBe(401);
});

const FOREIGN: [string, Record<string, string | undefined>, number][] = [
  ['a name that was made to lead here', { host: 'evil.example' }, 421],
  ['the same with the port', { host: 'evil.example:80' }, 421],
  ['another port', { host: '127.0.0.1:1' }, 421],
  ['no host', { host: '' }, 400],
  ['a host with a user before it', { host: 'a@127.0.0.1' }, 400],
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
  ['a page without an origin', { origin: 'null' }, 403],
  ['an image or a link of another site', { 'sec-fetch-site': 'cross-site' }, 403],
];

test('a request of somebody else is refused', async () => {
  const { page } = await scene();
  for (const [what, headers, status] of FOREIGN) {
    const answer = await page.send(`${page.path}api/overview`, {
      headers: { cookie: page.cookie, ...headers },
    });
    expect([what, answer.status]).toEqual([what, status]);
    expect(answer.text).not.toContain('20260101-1');
  }
});

const POSTS: [string, Sent['headers'], number][] = [
  ['no origin', { origin: undefined, 'content-type': 'application/json' }, 403],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['plain text', { 'content-type': 'text/plain' }, 415],
  ['nothing', { 'content-type': undefined }, 415],
];

test('a request that changes something needs an origin and JSON', async () => {
  const { page, home, ref } = await scene();
  for (const [, headers, status] of POSTS) {
    const sent = {
      method: 'POST',
      headers: { cookie: page.cookie, origin: page.origin, ...headers },
      body: '{"action":"cancel"}',
    };
    expect((await page.send(`${page.path}api/loops/${ref.loop}/actions`, sent)).status).toBe(status);
    expect(home.store.read(ref).status).toBe('active');
  }
});

test('localhost and this address are the same page, each with its own origin', async () => {
  const { page, ref } = await scene();
  const host = `localhost:${page.dashboard.port}`;
  expect(
    (await page.send(`${page.path}api/overview`, { headers: { cookie: page.cookie, host } })).status,
  ).toBe(200);
  const paused = await page.post(
    `api/loops/${ref.loop}/actions`,
    { action: 'pause' },
    { host, origin: `http://${host}` },
  );
  expect(paused.status).toBe(200);
});

test('every answer forbids scripts, frames, sniffing and referrers', async () => {
  const { page } = await scene();
  for (const [path, cookie] of [
    ['', page.cookie],
    ['api/overview', page.cookie],
    ['api/none', page.cookie],
    ['', ''],
  ] as const) {
    const { headers } = await page.send(`${page.path}${path}`, { headers: { cookie } });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

const STRANGE = [
  '..',
  '%2e%2e',
  '..%2f..%2fkey',
  '%00',
  'a%00b',
  '20260101-1%2f..',
  '.',
  '__proto__',
  'constructor',
  `${'x'.repeat(4000)}`,
  '%ff',
  '*',
];

test('no id leads out of the folders of loops', async () => {
  const { page } = await scene();
  for (const id of STRANGE) {
    for (const path of [
      `api/loops/${id}`,
      `api/loops/${id}/entries`,
      `api/loops/${id}/entries/0`,
      `api/loops/${id}/receipt`,
      id,
    ]) {
      const { status, text } = await page.send(`${page.path}${path}`, { headers: { cookie: page.cookie } });
      const isPage = new URL(`http://x${page.path}${path}`).pathname === page.path;
      expect(isPage ? [200] : [303, 400, 401, 404]).toContain(status);
      expect(text).not.toMatch(/^[0-9a-f]{64}/);
    }
  }
});

test('links in the home lead nowhere', async () => {
  const { folder, home, page } = await scene();
  writeFileSync(join(folder, 'secret.txt'), 'a secret of yours');
  const loops = join(home.home.projects, 'p-0123456789ab', 'loops');
  mkdirSync(loops, { recursive: true });
  symlinkSync(folder, join(loops, 'linked'));
  const other = home.loop('20260101-2', { session: 'other' });
  rmSync(join(other.dir, 'task.md'));
  symlinkSync(join(folder, 'secret.txt'), join(other.dir, 'task.md'));
  page.dashboard.live.look();
  const overview = await page.get<Overview>('api/overview');
  expect(overview.loops.map(({ id }) => id)).not.toContain('linked');
  expect(JSON.stringify(overview)).not.toContain('a secret of yours');
  expect(JSON.stringify(await page.get('api/loops/20260101-2'))).not.toContain('a secret of yours');
});

test('bodies are bounded, and what is no request is refused in words', async () => {
  const { page, home, ref } = await scene();
  const path = `api/loops/${ref.loop}/actions`;
  expect((await page.post(path, `{"action":"cancel","note":"${'x'.repeat(70_000)}"}`)).status).toBe(413);
  const bad: unknown[] = [
    '{',
    '[]',
    'null',
    '{}',
    '{"action":"rm"}',
    '{"action":"reject","note":" "}',
    '{"action":"answer","option":"1"}',
    '{"action":"limits","iterations":-1}',
    '{"action":"limits"}',
    '{"action":"pause","note":{}}',
  ];
  for (const body of bad) {
    const answer = await page.post(path, body);
    expect([body, answer.status]).toEqual([body, 400]);
    expect(answer.json<Problem>().message).not.toBe('');
  }
  expect(home.store.read(ref).status).toBe('active');
  expect((await page.send(`${page.path}${path}`, { headers: { cookie: page.cookie } })).status).toBe(404);
});

test('only a token of yours opens it to other machines, and a short one is none', async () => {
  const { home, folder } = await scene();
  const world = testWorld(home.home, folder);
  const open = (host: string, token?: string) =>
    serveDashboard({ host, token, port: 0, pageFolder: folder }, world);
  await expect(open('0.0.0.0')).rejects.toThrow('lets every machine that reaches this one see your loops');
  await expect(open('::')).rejects.toThrow('--token');
  await expect(open('0.0.0.0', 'short')).rejects.toThrow('at least 16 characters');
  const token = 'a-token-of-my-own';
  const page = await served(world, { host: '0.0.0.0', token });
  expect(page.dashboard.url).toContain(`?token=${token}`);
  const ask = (host: string) =>
    page.send(`${page.path}api/overview`, { headers: { cookie: page.cookie, host } });
  expect((await ask(`192.168.1.5:${page.dashboard.port}`)).status).toBe(200);
  expect((await ask(`evil.example:${page.dashboard.port}`)).status).toBe(421);
});

test('a port that is taken is named', async () => {
  const { page, home, folder } = await scene();
  const { port } = page.dashboard;
  const again = serveDashboard({ host: '127.0.0.1', port, pageFolder: folder }, testWorld(home.home, folder));
  await expect(again).rejects.toThrow(
    `port ${port} is taken, perhaps by another dashboard; choose another with --port`,
  );
});
