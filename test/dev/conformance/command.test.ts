// Tier: world
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ConformanceOptions, conformance } from '../../../src/dev/conformance/command.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';

const DIST = resolve(import.meta.dirname, '../../../dist');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "untildone it's conformance-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function hook(text: string, mode = 0o755): string {
  const path = join(folder, 'stop hook.sh');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, mode);
  return path;
}

const LOCK_HOOK = 'cat >/dev/null; [ -f .claude/runtime/locks/.lock_active ] && exit 2; exit 0';

async function run(options: Partial<ConformanceOptions>): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const interruption = { signal: new AbortController().signal, exitCode: () => undefined };
  const all = { command: [], json: false, programFolder: DIST, ...options };
  const code = await conformance(all, interruption, (line) => lines.push(line));
  return { code, lines };
}

test('a hook that passes what it is asked: a table, and 0', async () => {
  const { code, lines } = await run({ command: [hook(LOCK_HOOK)], scenario: 'lock-*there', dialect: 'lock' });
  expect(lines[0]).toMatch(/^scenario +lock$/);
  expect(lines[1]).toMatch(/^lock-nothing-there +passed$/);
  expect(lines.at(-1)).toBe('reads lock; 1 passed, 0 failed, 0 not applicable');
  expect(code).toBe(0);
});

test('a hook with a known bug: which scenario, which line, what was different, and 1', async () => {
  const { code, lines } = await run({
    command: ['sh', hook(LOCK_HOOK)],
    scenario: 'owner-lock-names-session',
  });
  expect(lines.find((line) => line.startsWith('FAILED'))).toBe(
    'FAILED  lock  owner-lock-names-session.txt:5  stop S1: expected let go, was held: "No stderr output"',
  );
  expect(lines.at(-1)).toBe('reads lock; 0 passed, 1 failed, 0 not applicable');
  expect(code).toBe(1);
});

test('the same as JSON', async () => {
  const { code, lines } = await run({
    command: [hook(LOCK_HOOK)],
    scenario: 'owner-lock-names-session',
    json: true,
  });
  expect(JSON.parse(lines.join('\n'))).toMatchObject({
    untildone: false,
    reads: ['lock'],
    results: [{ scenario: 'owner-lock-names-session', dialect: 'lock', result: 'failed', line: 5 }],
    counts: { passed: 0, failed: 1, not_applicable: 0 },
  });
  expect(code).toBe(1);
});

test('formats that a hook does not read are not applicable', async () => {
  const { lines } = await run({ command: [hook(LOCK_HOOK)], scenario: 'cancel-by-removing*' });
  expect(lines[1]).toMatch(/^cancel-by-removing-the-state +n\/a +n\/a +n\/a +passed$/);
  expect(lines.at(-1)).toBe('reads lock; 1 passed, 0 failed, 3 not applicable');
});

test.each([
  ['no command', () => ({ command: [] }), 'the command is missing'],
  ['a script without a run bit', () => ({ command: [hook(LOCK_HOOK, 0o644)] }), 'is not executable'],
  ['a command that is not there', () => ({ command: ['/no/such/hook', 'x'] }), 'the command was not found'],
  [
    'a hook that reads nothing',
    () => ({ command: [hook('exit 0')] }),
    'was shown an open loop and held none',
  ],
  [
    'a name that no scenario has',
    () => ({ command: ['true'], scenario: 'nothing-like-it' }),
    'no scenario has a name like',
  ],
])('%s is wrong use, said in one line', async (_, options, problem) => {
  const refused = run(options());
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(new RegExp(`^[^\\n]*${problem}[^\\n]*$`));
});
