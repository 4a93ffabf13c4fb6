import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ProofCause, proofFrom, proveHeld } from '../../../src/cli/setup/prove.ts';
import type { HoldEvidence, MeasureHoldOptions } from '../../../src/dev/proof/measure-hold.ts';
import { addHooks } from '../../../src/engine/client/settings/our-hooks.ts';
import type { HooksState } from '../../../src/engine/client/settings/would-run.ts';

const LET_GO: HoldEvidence = {
  clientVersion: '2.1.325',
  asked: true,
  hookRan: true,
  reached: true,
  letGo: true,
  told: [],
  stderr: '',
  exitCode: 0,
  end: 'ended',
  ms: 2000,
};
const NOT_REACHED = { ...LET_GO, reached: false, letGo: false };
const NO_HOOK = { ...NOT_REACHED, hookRan: false };
const SILENT = { ...NO_HOOK, asked: false };
const OK: HooksState = { held: true };
const OFF: HooksState = { held: false, obstacle: 'hooks_disabled', why: 'switched off in a file' };

test.each([OK, OFF])('what was seen to hold is held, whatever the settings say: %j', (state) => {
  expect(proofFrom(LET_GO, state, [])).toEqual({ outcome: 'held' });
});

describe('otherwise it says which of many causes', () => {
  test.each<[string, HoldEvidence, HooksState, 'not_held' | 'unproven', ProofCause, string]>([
    ['switched off', NO_HOOK, OFF, 'not_held', 'hooks_disabled', 'switched off in a file'],
    ['not read', NO_HOOK, OK, 'not_held', 'settings_not_read', '/a/settings.json'],
    [
      'an old client',
      { ...NO_HOOK, clientVersion: '1.0.30' },
      OK,
      'not_held',
      'client_too_old',
      'claude update',
    ],
    ['our hook let it go', NOT_REACHED, OK, 'not_held', 'hook_failed', 'did not hold'],
    [
      'our hook said why',
      { ...NO_HOOK, told: ['Other', 'untildone: node was not found.'] },
      OK,
      'not_held',
      'hook_failed',
      ': node was not found.',
    ],
    ['too slow', { ...NOT_REACHED, end: 'timed_out', ms: 30_100 }, OK, 'unproven', 'timed_out', '30 s'],
    ['too slow, and switched off', { ...NO_HOOK, end: 'timed_out' }, OFF, 'unproven', 'timed_out', 'again'],
    [
      'held, but it hangs',
      { ...LET_GO, letGo: false, end: 'timed_out' },
      OK,
      'unproven',
      'timed_out',
      'was held',
    ],
    ['held, and then it broke', { ...LET_GO, letGo: false }, OK, 'unproven', 'client_failed', 'was held'],
    ['called off', { ...SILENT, end: 'called_off' }, OK, 'unproven', 'interrupted', 'interrupted'],
    [
      'it did not start',
      { ...SILENT, exitCode: 5, stderr: 'no\nway' },
      OK,
      'unproven',
      'client_failed',
      'no way',
    ],
    [
      'it does not know our options',
      { ...SILENT, exitCode: 1, stderr: "error: unknown option '--session-id'" },
      OK,
      'unproven',
      'client_too_old',
      'claude update',
    ],
  ])('%s', (_, evidence, state, outcome, cause, words) => {
    const proof = proofFrom(evidence, state, ['/a/settings.json']);
    expect(proof).toEqual({ outcome, cause, why: expect.stringContaining(words) });
  });
});

function place(): { root: string; env: NodeJS.ProcessEnv; claude: string } {
  const root = mkdtempSync(join(tmpdir(), 'untildone-prove-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const claude = join(root, 'claude');
  writeFileSync(claude, '#!/bin/sh\n');
  chmodSync(claude, 0o755);
  for (const folder of ['home/.claude', 'project/.claude', 'managed'])
    mkdirSync(join(root, folder), { recursive: true });
  return { root, env: { HOME: join(root, 'home'), PATH: root }, claude };
}

async function prove(
  scene: ReturnType<typeof place>,
  measure?: (options: MeasureHoldOptions) => HoldEvidence,
) {
  const asked: MeasureHoldOptions[] = [];
  const proof = await proveHeld({
    project: join(scene.root, 'project'),
    env: scene.env,
    managed: join(scene.root, 'managed'),
    measure: async (options) => {
      asked.push(options);
      return measure ? measure(options) : LET_GO;
    },
  });
  return { proof, asked };
}

test('the Claude Code on PATH is the one that is started, with the settings that count here', async () => {
  const scene = place();
  const { proof, asked } = await prove(scene);
  expect(proof).toEqual({
    outcome: 'held',
    client: { path: scene.claude, source: 'PATH', version: '2.1.325' },
    ms: 2000,
  });
  expect(asked).toMatchObject([
    {
      claude: scene.claude,
      claudeConfigDir: join(scene.root, 'home/.claude'),
      untildoneHome: join(scene.root, 'home/.untildone'),
      limitMs: 30_000,
    },
  ]);
});

test.each([
  ['home/.claude/settings.json', 'UNTILDONE_HOME'],
  ['home/.claude/settings.json', 'BASH_ENV'],
  ['project/.claude/settings.json', 'NODE_OPTIONS'],
  ['project/.claude/settings.local.json', 'PATH'],
])('where %s sets %s, nothing is started, and it is said', async (path, name) => {
  const scene = place();
  mkdirSync(join(scene.root, 'home/.untildone'));
  writeFileSync(join(scene.root, 'home/.untildone/hook.sh'), '# the script\n');
  writeFileSync(join(scene.root, 'project/.claude/settings.json'), addHooks(undefined).text);
  const settings = path === 'project/.claude/settings.json' ? JSON.parse(addHooks(undefined).text) : {};
  writeFileSync(join(scene.root, path), JSON.stringify({ ...settings, env: { [name]: '--require /x.js' } }));
  const { proof, asked } = await prove(scene);
  expect(asked).toEqual([]);
  expect(proof).toMatchObject({ outcome: 'not_held', cause: 'settings_variable' });
  expect(proof).toHaveProperty('why', expect.stringContaining(join(scene.root, path)));
  expect(proof).toHaveProperty('why', expect.stringContaining(`"${name}"`));
});

test('without Claude Code nothing is proven', async () => {
  const scene = place();
  const proof = await proveHeld({
    project: scene.root,
    env: scene.env,
    claude: join(scene.root, 'none'),
    measure: () => Promise.reject(new Error('never')),
  });
  expect(proof).toMatchObject({ outcome: 'unproven', cause: 'no_client' });
});

test('where an organization sets a service or a hook of its own, no session is started', async () => {
  const scene = place();
  writeFileSync(join(scene.root, 'managed/managed-settings.json'), '{"apiKeyHelper":"x"}');
  const { proof, asked } = await prove(scene);
  expect(proof).toMatchObject({ outcome: 'not_held', cause: 'not_installed' });
  expect(asked).toEqual([]);
});

test('a problem with the proof itself proves nothing, and is said', async () => {
  const { proof } = await prove(place(), () => {
    throw new Error('ENOSPC: no space left on device');
  });
  expect(proof).toMatchObject({
    outcome: 'unproven',
    cause: 'no_room',
    why: expect.stringContaining('ENOSPC'),
  });
});
