import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { few } from '../support/long.ts';

const BIN = resolve(import.meta.dirname, '../../dist/untildone.cjs');

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'untildone simulate-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function scriptFile(text: string): string {
  const path = join(folder(), 'script.yaml');
  writeFileSync(path, text);
  return path;
}

interface Serving {
  child: ChildProcess;
  url: string;
  lines: string[];
  untilLine(wanted: RegExp): Promise<string>;
}

/** Starts the command and waits until it names its address. */
async function serve(...args: string[]): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, 'simulate', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const untilLine = async (wanted: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => wanted.test(line));
      if (found !== undefined) return found;
      await once(reader, 'line');
    }
  };
  const address = await untilLine(/^export ANTHROPIC_BASE_URL=/);
  return { child, url: address.split('=')[1] ?? '', lines, untilLine };
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
  return response.json();
}

async function interrupted(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

function refused(...args: string[]): string {
  const run = spawnSync(process.execPath, [BIN, 'simulate', ...args], { encoding: 'utf8', timeout: 120_000 });
  expect(run.status).toBe(2);
  expect(run.stdout).toBe('');
  return run.stderr;
}

test('serves the turns of a script on loopback, says who was served, and ends when interrupted', async () => {
  const { child, url, untilLine } = await serve(scriptFile('turns: [{ text: one }, { text: two }]'));
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await ask(url)).toMatchObject({ content: [{ type: 'text', text: 'one' }] });
  expect(await ask(url)).toMatchObject({ content: [{ type: 'text', text: 'two' }] });
  await untilLine(/^request 2: turn 2$/);
  expect(await interrupted(child, 'SIGINT')).toBe(130);
  await expect(ask(url)).rejects.toThrow();
});

test('a hanging answer does not keep it from ending', async () => {
  const { child, url, untilLine } = await serve(scriptFile('turns: [{ hang: true }]'));
  const answer = ask(url);
  const failed = expect(answer).rejects.toThrow();
  await untilLine(/^request 1/);
  expect(await interrupted(child, 'SIGTERM')).toBe(143);
  await failed;
});

test('with --log every request is one line of JSON, without the key, added to what was there', async () => {
  const log = join(folder(), 'requests.jsonl');
  writeFileSync(log, '{"old":1}\n');
  const { child, url } = await serve(scriptFile('{}'), '--log', log);
  await ask(url, { 'x-api-key': 'a-real-key', authorization: 'Bearer a-real-token', 'x-other': 'kept' });
  await fetch(`${url}/elsewhere`);
  await interrupted(child, 'SIGINT');
  const text = readFileSync(log, 'utf8');
  expect(text).not.toContain('a-real-');
  const [old, asked, wrong, end] = text.split('\n');
  expect(old).toBe('{"old":1}');
  expect(JSON.parse(asked ?? '')).toMatchObject({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    kind: 'messages',
    n: 1,
    servedBy: 'after',
    headers: { 'x-other': 'kept' },
    body: { model: 'm' },
  });
  expect(JSON.parse(wrong ?? '')).toMatchObject({ kind: 'refused', path: '/elsewhere' });
  expect(end).toBe('');
});

test('listens on the port that was asked for, and refuses one that is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const script = scriptFile('{}');
  expect(refused(script, '--port', String(port))).toContain(`cannot listen on port ${port}`);
  await new Promise((closed) => taken.close(closed));
  const { url } = await serve(script, `--port=${port}`);
  expect(url).toBe(`http://127.0.0.1:${port}`);
});

test('names file, line and column of everything that is wrong with a script', () => {
  const script = scriptFile('turns:\n  - txt: hello\n  - delayMs: soon\n');
  const stderr = refused(script);
  expect(stderr).toContain(`${script}:2:5: turns[0]: unknown key "txt"`);
  expect(stderr).toContain(`${script}:3:14: turns[1].delayMs: expected a whole number of milliseconds`);
});

test('a script that is no YAML or is not there is refused in a line', () => {
  const broken = scriptFile('turns: [');
  expect(refused(broken)).toContain(`${broken}:1:`);
  const stderr = refused(join(folder(), 'missing.yaml'));
  expect(stderr).toMatch(/^untildone: cannot read the script: ENOENT.*missing\.yaml'\n$/);
});

test('a log that cannot be written is refused before anything is served', () => {
  const stderr = refused(scriptFile('{}'), '--log', join(folder(), 'no', 'such', 'folder', 'log'));
  expect(stderr).toMatch(/^untildone: cannot write the log: ENOENT/);
});

test.each(few(['65536', 'http', '-1', '1.5', ''], 2))('"%s" is no port', (port) => {
  expect(refused(scriptFile('{}'), `--port=${port}`)).toContain('Type a port from 1 to 65535');
});
