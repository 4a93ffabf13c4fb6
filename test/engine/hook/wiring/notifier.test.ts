import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemNotifier } from '../../../../src/engine/hook/wiring/notifier.ts';
import { systemShell } from '../../../../src/engine/project/shell/shell.ts';

const MESSAGE = {
  event: 'stalled',
  loop: 'l1',
  title: 'untildone: stalled',
  text: 'it\'s $(touch pwned) "stuck"',
};
let folder: string;
let server: Server;
let url: string;
let answer: number;
const got: string[] = [];
const notifier = systemNotifier(systemShell(process.env));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-notify-'));
  answer = 204;
  got.length = 0;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push(body);
      response.writeHead(answer, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true });
});

test('a webhook gets the message as JSON', async () => {
  await notifier.send({ webhook: url, on: [] }, MESSAGE, folder);
  expect(got.map((body) => JSON.parse(body))).toEqual([MESSAGE]);
});

test.each([500, 302])('a webhook that answers %i is a failure', async (status) => {
  answer = status;
  await expect(notifier.send({ webhook: url, on: [] }, MESSAGE, folder)).rejects.toThrow();
  expect(got).toHaveLength(1);
});

test('a command gets it on stdin, never in its words', async () => {
  await notifier.send({ command: 'cat > got.json', on: [] }, MESSAGE, folder);
  expect(JSON.parse(readFileSync(join(folder, 'got.json'), 'utf8'))).toEqual(MESSAGE);
});

test('a command that fails is said', async () => {
  await expect(notifier.send({ command: 'exit 3', on: [] }, MESSAGE, folder)).rejects.toThrow(
    '"exit 3" ended with 3',
  );
});
