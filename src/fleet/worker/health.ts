/** The health endpoint of a worker. It tells nothing that is secret, and takes nothing. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../../engine/core/text/errors.ts';

/** The usual port. A second worker on the machine gets a free one. */
export const USUAL_HEALTH_PORT = 7434;

export interface Health {
  /** Null: well. Else what is wrong. */
  alive(): string | null;
  ready(): string | null;
  metrics(): string | Promise<string>;
}

export interface HealthServer {
  url: string;
  close(): Promise<void>;
}

/** Without a port the usual one is taken, or a free one when that is in use. */
export async function serveHealth(
  health: Health,
  { host, port }: { host: string; port?: number },
): Promise<HealthServer> {
  const server = createServer(async (request, response) => {
    const { status, type, text } = await answer(request.method ?? '', request.url ?? '', health);
    response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  try {
    await listen(server, host, port ?? USUAL_HEALTH_PORT);
  } catch (error) {
    if (port !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE')
      throw inWords(error, host, port);
    await listen(server, host, 0);
  }
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, close: () => close(server) };
}

async function answer(
  method: string,
  url: string,
  health: Health,
): Promise<{ status: number; type: string; text: string }> {
  const plain = 'text/plain; charset=utf-8';
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: plain, text: 'GET only\n' };
  const path = url.split('?')[0];
  if (path === '/metrics')
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: await health.metrics() };
  if (path !== '/healthz' && path !== '/readyz')
    return { status: 404, type: plain, text: 'There are /healthz, /readyz and /metrics.\n' };
  const wrong = path === '/healthz' ? health.alive() : health.ready();
  return { status: wrong === null ? 200 : 503, type: plain, text: `${wrong ?? 'ok'}\n` };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      // It must not keep a worker alive that is done.
      server.unref();
      resolve();
    });
  });
}

function inWords(error: unknown, host: string, port: number | undefined): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UsageError(
      `port ${port} of ${host} is in use: name another one (--health-port), 0 for a free one, or off`,
    );
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UsageError(`the health endpoint cannot be served on ${host}: ${message}`);
  return error as Error;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
