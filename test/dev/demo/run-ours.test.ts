import { expect, test } from 'vitest';
import { type OurCommand, runOurs } from '../../../src/dev/demo/run-ours.ts';

function sh(script: string, changes: Partial<OurCommand> = {}) {
  const lines: string[] = [];
  const ended = runOurs({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '.',
    environment: { PATH: process.env.PATH ?? '' },
    onLine: (line) => lines.push(line),
    signal: new AbortController().signal,
    limitMs: 60_000,
    ...changes,
  });
  return { lines, ended };
}

test('its lines, its errors and its exit code come back', async () => {
  const { lines, ended } = sh('echo one; echo two; echo wrong >&2; exit 3');
  expect(await ended).toEqual({ code: 3, timedOut: false, stderr: 'wrong' });
  expect(lines).toEqual(['one', 'two']);
});

test('aborted, it is asked twice, so that a run does not finish its step first', async () => {
  const abort = new AbortController();
  const { lines, ended } = sh(
    'trap "echo once" INT; trap "echo twice; exit 5" TERM; echo ready; while :; do sleep 0.01; done',
    {
      signal: abort.signal,
      onLine: (line) => {
        lines.push(line);
        if (line === 'ready') abort.abort();
      },
    },
  );
  expect(await ended).toMatchObject({ code: 5, timedOut: false });
  expect(lines.toSorted()).toEqual(['once', 'ready', 'twice']);
});

test('aborted before it began, it is ended at once', async () => {
  const { ended } = sh('exec sleep 60', { signal: AbortSignal.abort() });
  expect(await ended).toMatchObject({ code: null, timedOut: false });
});

test('a process that it left behind does not keep it', async () => {
  const { lines, ended } = sh('sleep 20 & echo $!; exit 0');
  expect(await ended).toMatchObject({ code: 0 });
  process.kill(Number(lines[0]), 'SIGKILL');
});

test('what takes too long is ended, and says so', async () => {
  const { ended } = sh('exec sleep 60', { limitMs: 50 });
  expect(await ended).toMatchObject({ code: null, timedOut: true });
});
