// Tier: world
import { expect, test } from 'vitest';
import { type ChildLaunch, runChild } from '../../../src/dev/demo/typing.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

/** Stands for Claude Code, or for untildone: a shell that does what the test says. */
function shell(script: string, changes: Partial<ChildLaunch> = {}) {
  const lines: string[] = [];
  const end = runChild({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    environment: { PATH: process.env.PATH ?? '' },
    input: '',
    onLine: (line) => lines.push(line),
    signal: new AbortController().signal,
    limitMs: PATIENCE_MS,
    gently: { signals: ['SIGTERM'], patienceMs: PATIENCE_MS },
    ...changes,
  });
  return { lines, end };
}

/** Aborts as soon as the client has said its first line. */
function abortedAtFirstLine(script: string, patienceMs = PATIENCE_MS) {
  const controller = new AbortController();
  const gently = { signals: ['SIGTERM' as const], patienceMs };
  return shell(script, { signal: controller.signal, gently, onLine: () => controller.abort() }).end;
}

test('the client gets the prompt, and every line of its answer arrives', async () => {
  const { lines, end } = shell('cat; echo; printf "last line without an end"', { input: 'one\ntwo' });
  expect(await end).toEqual({ code: 0, timedOut: false, stderr: '' });
  expect(lines).toEqual(['one', 'two', 'last line without an end']);
});

test('its exit code and what it wrote to stderr come back', async () => {
  expect(await shell('echo "bad key" >&2; exit 3').end).toEqual({
    code: 3,
    timedOut: false,
    stderr: 'bad key',
  });
});

test('a client that does not read its prompt is no failure', async () => {
  const { end } = shell('exec <&-; exit 0', { input: 'x'.repeat(1_000_000) });
  expect((await end).code).toBe(0);
});

test('a program that cannot be started is an end with its reason', async () => {
  const { code, stderr } = await shell('', { command: '/no/such/claude' }).end;
  expect(code).toBe(null);
  expect(stderr).toContain('ENOENT');
});

test('aborting ends it gently: it can still clean up', async () => {
  const end = await abortedAtFirstLine('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done');
  expect(end.code).toBe(7);
});

test('aborting ends one that does not listen', async () => {
  const end = await abortedAtFirstLine('trap "" TERM; echo ready; while :; do sleep 0.05; done', 50);
  expect(end).toMatchObject({ code: null, timedOut: false });
});

test('aborted with two signals, it is asked twice, so that a run does not finish its step first', async () => {
  const abort = new AbortController();
  const lines: string[] = [];
  const { end } = shell(
    'trap "echo once" INT; trap "echo twice; exit 5" TERM; echo ready; while :; do sleep 0.01; done',
    {
      signal: abort.signal,
      gently: { signals: ['SIGINT', 'SIGTERM'], patienceMs: PATIENCE_MS },
      onLine: (line) => {
        lines.push(line);
        if (line === 'ready') abort.abort();
      },
    },
  );
  expect(await end).toMatchObject({ code: 5, timedOut: false });
  expect(lines.toSorted()).toEqual(['once', 'ready', 'twice']);
});

test('aborted before it began, it ends at once', async () => {
  const { end } = shell('exec sleep 600', { signal: AbortSignal.abort() });
  expect((await end).code).toBe(null);
});

test('a client that takes too long is ended, and that is said', async () => {
  expect(await shell('exec sleep 600', { limitMs: 50 }).end).toMatchObject({ code: null, timedOut: true });
});

test('a process that it leaves behind with its output open does not hold the end up', async () => {
  const { lines, end } = shell('sleep 300 & echo $!');
  expect((await end).code).toBe(0);
  const left = Number(lines[0]);
  expect(() => process.kill(left, 0)).not.toThrow();
  process.kill(left, 'SIGKILL');
});
