import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { UsageError } from '../../../engine/core/text/errors.ts';
import { dashboardApp } from './app.ts';
import { Guard, inUrl, isLoopback, SHORTEST_TOKEN } from './guard.ts';
import { Live } from './live.ts';
import { readPage } from './page.ts';
import type { DashboardPorts } from './world.ts';

export interface ServeOptions {
  host: string;
  /** 0: a free one. */
  port: number;
  token?: string;
  /** The folder with the files of the page. */
  pageFolder: string;
}

export interface Dashboard {
  /** The start link, with its token. */
  url: string;
  /** A start link that works once, for a minute. */
  onceUrl(): string;
  port: number;
  live: Live;
  close(): Promise<void>;
}

/** The port where nothing else is said: the same every day, so that a phone finds it again. */
export const USUAL_PORT = 7433;

export async function serveDashboard(options: ServeOptions, world: DashboardPorts): Promise<Dashboard> {
  refuseOpenHost(options);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  server.maxConnections = 256;
  const port = await listen(server, options);
  const guard = new Guard({ token: options.token, host: options.host, port });
  const live = new Live(world);
  const path = `/${createHash('sha256').update(`path of ${guard.token}`).digest('base64url').slice(0, 16)}`;
  live.start();
  const app = dashboardApp(live, guard, readPage(options.pageFolder), world, path);
  server.on('request', getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  const origin = `http://${inUrl(options.host === '0.0.0.0' || options.host === '::' ? 'localhost' : options.host)}:${port}`;
  return {
    url: `${origin}/?token=${encodeURIComponent(guard.token)}`,
    port,
    live,
    onceUrl: () => `${origin}/?token=${guard.ticket(world.clock.now())}`,
    close() {
      live.close();
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function refuseOpenHost({ host, token }: ServeOptions): void {
  if (token !== undefined && (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)))
    throw new UsageError(`--token needs at least ${SHORTEST_TOKEN} characters, without blanks`);
  if (isLoopback(host) || token !== undefined) return;
  throw new UsageError(
    `--host ${host} lets every machine that reaches this one see your loops, and with the token end them; nothing is encrypted on the way. If that is meant, name the token yourself: --token, with at least ${SHORTEST_TOKEN} characters`,
  );
}

function listen(server: Server, { host, port }: ServeOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, host, port)));
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UsageError(
        `port ${port} is taken, perhaps by another dashboard; choose another with --port, or a free one with --port 0`,
      );
    case 'EACCES':
      return new UsageError(
        `port ${port} may not be used without more rights; choose one above 1023 with --port`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(`this machine has no address ${host}; --host 127.0.0.1 is the usual one`);
    default:
      return new UsageError(`the dashboard cannot listen on ${host}, port ${port}: ${error.message}`);
  }
}
