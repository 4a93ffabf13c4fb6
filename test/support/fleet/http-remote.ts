/** Bare repositories over smart HTTP, by git's own http-backend: with a password, and with a server that outlives its clients. */
import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BareRemote } from './remotes.ts';

export interface HttpRemote {
  url: string;
  /** Only requests with this `user:password` are served; undefined: all. */
  password(login: string | undefined): void;
  /** Hangs up on whoever pushes, and goes on with the push all the same. */
  hangUp(on: boolean): void;
}

export async function serveHttp(remote: BareRemote): Promise<HttpRemote> {
  remote.git('config', 'http.receivepack', 'true');
  let login: string | undefined;
  let hangsUp = false;
  const server = createServer((request, response) => {
    const given = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
    if (login !== undefined && given !== login)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    else answer(request, response, dirname(remote.url), hangsUp);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${basename(remote.url)}`,
    password: (wanted) => {
      login = wanted;
    },
    hangUp: (on) => {
      hangsUp = on;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, root: string, hangsUp: boolean): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const child = spawn(backend, {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // The whole request first: the client may go away while it is worked on.
  const body: Buffer[] = [];
  request.on('data', (chunk: Buffer) => body.push(chunk));
  const isPush = request.method === 'POST' && pathname.endsWith('git-receive-pack');
  request.on('end', () => {
    child.stdin.end(Buffer.concat(body));
    if (hangsUp && isPush) response.destroy();
  });
  child.stdin.on('error', () => undefined);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.on('close', () => {
    if (response.destroyed) return;
    const all = Buffer.concat(output);
    const end = all.indexOf('\r\n\r\n');
    const headers = all.toString('latin1', 0, end).split('\r\n');
    for (const header of headers) {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(header) ?? [];
      if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
      else if (name !== '') response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
}
