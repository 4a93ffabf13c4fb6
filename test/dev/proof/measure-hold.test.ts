import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HoldEvidence, measureHold } from '../../../src/dev/proof/measure-hold.ts';
import { endProcessesOf, processesOf, waitFor } from '../../support/live/processes.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

interface Place {
  root: string;
  temporary: string;
}

function place(): Place {
  const root = mkdtempSync(join(tmpdir(), "a 'proof' of-"));
  const temporary = join(root, 'tmp');
  mkdirSync(temporary);
  onTestFinished(async () => {
    await endProcessesOf(root);
    await rm(root, { recursive: true, force: true });
  });
  return { root, temporary };
}

function measure(
  { root, temporary }: Place,
  client: string,
  more: { limitMs?: number; signal?: AbortSignal } = {},
): Promise<HoldEvidence> {
  const claude = join(root, 'claude');
  writeFileSync(claude, `#!/bin/sh\n${client}\n`);
  chmodSync(claude, 0o755);
  return measureHold({
    project: root,
    untildoneHome: join(root, 'home'),
    claudeConfigDir: join(root, 'config'),
    claude,
    env: { TMPDIR: temporary, PATH: process.env.PATH, SECRET: 'x' },
    limitMs: PATIENCE_MS,
    signal: new AbortController().signal,
    ...more,
  });
}

describe('whatever a client does, nothing of it is left', () => {
  test.each<[string, string, Partial<HoldEvidence>]>([
    ['ends at once', 'exit 3', { end: 'ended', exitCode: 3, asked: false, hookRan: false, reached: false }],
    [
      'does not know the options',
      'echo "error: unknown option --session-id" >&2; exit 1',
      { end: 'ended', stderr: 'error: unknown option --session-id' },
    ],
    ['prints nonsense', 'echo "{}"; echo nonsense; echo "["', { end: 'ended', clientVersion: '', told: [] }],
    ['leaves a process behind', 'sleep 1000 & exit 0', { end: 'ended', exitCode: 0 }],
  ])('one that %s', async (_, client, expected) => {
    const where = place();
    expect(await measure(where, client)).toMatchObject(expected);
    expect(readdirSync(where.temporary)).toEqual([]);
    expect(await processesOf(where.root)).toEqual([]);
  });

  test('one that hangs and ignores signals is ended at the limit', async () => {
    const where = place();
    const evidence = await measure(where, `trap '' TERM INT; sleep 1000 & wait; sleep 1000`, {
      limitMs: 300,
    });
    expect(evidence).toMatchObject({ end: 'timed_out', exitCode: null });
    expect(readdirSync(where.temporary)).toEqual([]);
    expect(await processesOf(where.root)).toEqual([]);
  });

  test('one that is called off', async () => {
    const where = place();
    const abort = new AbortController();
    const measured = measure(where, 'touch "$TMPDIR/begun"; sleep 1000', { signal: abort.signal });
    await waitFor(() =>
      readdirSync(where.temporary, { recursive: true }).some((name) => String(name).endsWith('begun')),
    );
    abort.abort();
    expect(await measured).toMatchObject({ end: 'called_off' });
    expect(readdirSync(where.temporary)).toEqual([]);
    expect(await processesOf(where.root)).toEqual([]);
  });

  test('a program that cannot be started', async () => {
    const where = place();
    expect(await measure(where, '', {})).toMatchObject({ end: 'ended', asked: false });
    const { root, temporary } = where;
    const broken = measureHold({
      project: root,
      untildoneHome: root,
      claudeConfigDir: root,
      claude: join(root, 'no such program'),
      env: { TMPDIR: temporary },
      limitMs: PATIENCE_MS,
      signal: new AbortController().signal,
    });
    expect(await broken).toMatchObject({ end: 'ended', exitCode: null, asked: false });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('what a killed proof left is removed by the next one; a running one is let be', async () => {
    const where = place();
    for (const name of ['untildone-proof-old', 'untildone-proof-new', 'another'])
      mkdirSync(join(where.temporary, name));
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(where.temporary, 'untildone-proof-old'), hourAgo, hourAgo);
    await measure(where, 'exit 0');
    expect(readdirSync(where.temporary).sort()).toEqual(['another', 'untildone-proof-new']);
  });
});

test('the client gets a key that opens nothing, the address of the simulator, and nothing else of yours', async () => {
  const where = place();
  const seen = join(where.root, 'seen');
  await measure(where, `env > "${seen.replaceAll('"', '')}"`);
  const text = readFileSync(seen, 'utf8');
  expect(text).toMatch(/^ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m);
  expect(text).toMatch(/^HTTPS_PROXY=http:\/\/127\.0\.0\.1:9$/m);
  expect(text).not.toMatch(/^SECRET=/m);
  expect(/^HOME=(.*)$/m.exec(text)?.[1]).toContain(where.temporary);
});
