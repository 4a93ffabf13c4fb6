/** A dashboard on a port of its own, and requests to it as a browser, or somebody else, would send them. */
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Home } from '../../../src/engine/home/layout.ts';
import { openProjectWith } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { type Dashboard, serveDashboard } from '../../../src/read/dashboard/server/serve.ts';
import type { DashboardPorts } from '../../../src/read/dashboard/server/world.ts';
import type { ServerEvent } from '../../../src/read/dashboard/view/types.ts';

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  json<T>(): T;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
}

export interface Served {
  dashboard: Dashboard;
  origin: string;
  /** The folder of the page, after the start link was opened. */
  path: string;
  cookie: string;
  /** A request to any path, with nothing but what is given. */
  send(path: string, sent?: Sent): Promise<Answer>;
  /** A request of the page: with its cookie, below its folder. */
  get<T>(path: string): Promise<T>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  events(query?: string, headers?: Record<string, string>): Promise<Events>;
}

export interface Events {
  /** The next event that fits; those before it are skipped. */
  next<T extends ServerEvent['type']>(
    type: T,
    fits?: (event: Extract<ServerEvent, { type: T }>) => boolean,
  ): Promise<Extract<ServerEvent, { type: T }> & { id?: string }>;
  text(): string;
  ended: Promise<void>;
  close(): void;
}

export function testWorld(home: Home, folder: string, changes: Partial<DashboardPorts> = {}): DashboardPorts {
  const env = { PATH: process.env.PATH, HOME: folder, UNTILDONE_HOME: home.root };
  return {
    home,
    env,
    clock: { now: () => Date.now() },
    version: '0.0.0',
    only: [],
    hooksAt: () => ({ held: true }),
    turnEndOf: () => undefined,
    open: () =>
      openProjectWith(
        env,
        async () => judgeBundle,
        () => folder,
      ),
    sessions: async () => undefined,
    ...changes,
  };
}

export async function served(
  world: DashboardPorts,
  options: { token?: string; host?: string; pageFolder?: string } = {},
): Promise<Served> {
  const { host = '127.0.0.1', pageFolder = join(world.home.root, 'no-page'), token } = options;
  const dashboard = await serveDashboard({ host, port: 0, pageFolder, token }, world);
  onTestFinished(() => dashboard.close());
  await dashboard.live.allRead();
  const origin = `http://127.0.0.1:${dashboard.port}`;
  const send = (path: string, sent: Sent = {}) => ask(dashboard.port, path, sent);
  const start = new URL(dashboard.url);
  const entered = await send(`/${start.search}`);
  const path = entered.headers.location ?? '';
  const cookie = (entered.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
  return {
    dashboard,
    origin,
    path,
    cookie,
    send,
    get: async (below) => {
      const answer = await send(`${path}${below}`, { headers: { cookie } });
      if (answer.status !== 200) throw new Error(`${below}: ${answer.status} ${answer.text}`);
      return answer.json();
    },
    post: (below, body, headers = {}) =>
      send(`${path}${below}`, {
        method: 'POST',
        headers: { cookie, origin, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    events: (query = '', headers = {}) =>
      openEvents(dashboard.port, `${path}api/events${query}`, { cookie, ...headers }),
  };
}

function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(
      Object.entries({ host: `127.0.0.1:${port}`, ...headers }).filter(([, value]) => value !== undefined),
    );
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: given, setHost: false, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function openEvents(port: number, path: string, headers: Record<string, string>): Promise<Events> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`events: ${response.statusCode}`));
      let text = '';
      let taken = 0;
      const seen: (ServerEvent & { id?: string })[] = [];
      let wake = () => {};
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n\n', taken); end >= 0; end = text.indexOf('\n\n', taken)) {
          const event = parse(text.slice(taken, end));
          taken = end + 2;
          if (event) seen.push(event);
        }
        wake();
      });
      const ended = new Promise<void>((done) => response.on('close', done));
      resolve({
        ended,
        text: () => text,
        close: () => sent.destroy(),
        async next(type, fits = () => true) {
          for (;;) {
            const event = seen.shift();
            if (event?.type === type && fits(event as never)) return event as never;
            if (!event)
              await new Promise<void>((go) => {
                wake = go;
              });
          }
        },
      });
    });
    sent.on('error', reject);
    sent.end();
    onTestFinished(() => void sent.destroy());
  });
}

function parse(text: string): (ServerEvent & { id?: string }) | undefined {
  const field = (name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const type = field('event');
  return type === undefined ? undefined : { type, ...JSON.parse(field('data') ?? '{}'), id: field('id') };
}
