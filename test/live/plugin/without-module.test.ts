/**
 * Where an organization manages Claude Code, or its version is an older one, the hooks module of the plugin does not answer:
 * the command hooks do.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { typist } from '../../support/live/marketplace.ts';
import { BEFORE_EXPANSION, BEFORE_MODULES, olderClient } from '../../support/live/older-client.ts';
import { pluginIn } from '../../support/live/plugin.ts';
import { NO_MODS, underPolicy } from '../../support/live/policy.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { isLong, longTest } from '../../support/long.ts';

/** What Claude Code says of the module in its debug log. */
const POLICIES: [name: string, policy: object, said: string][] = [
  [
    'no mods but those of the organization',
    NO_MODS,
    'plugin.register: untildone (user, untildone@inline), judged by',
  ],
  [
    'any setting at all',
    { cleanupPeriodDays: 30 },
    'untildone: classic.Stop bypassed by cc-plugin-sec-default',
  ],
];

test.each(isLong ? POLICIES : POLICIES.slice(0, 1))(
  'a policy of %s: each Stop is judged once, by the command hooks',
  async (_, policy, said) => {
    const scene = await contractScene({ 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n' });
    const session = await startedSession(scene);
    const log = join(scene.root, 'debug');
    const run = await scene.runClient({
      prompt: 'go',
      binary: underPolicy(scene, policy),
      args: ['--session-id', session, '--plugin-dir', pluginIn(scene), '--debug-file', log],
      script: { turns: [{ text: 'a' }, { text: 'a' }, { tools: [bash('touch made')] }, { text: 'a' }] },
    });
    const lines = readFileSync(log, 'utf8').split('\n');
    const line = lines.find((text) => text.includes(said));
    expect(line).toBeDefined();
    if (policy === NO_MODS) expect(line).toContain('allowManagedModsOnly); untildone was not loaded');
    const loop = await loopOf(scene);
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'verified_done']);
    expect(run.requests).toHaveLength(4);
    // A command hook's reason stands there twice, a module's once.
    expect(JSON.stringify(run.requests[1]?.body).split('iteration 2 of 50')).toHaveLength(3);
  },
);

longTest('an older Claude Code, which has no modules: commands, and a loop to verified_done', async () => {
  const binary = olderClient(BEFORE_MODULES);
  const scene = await contractScene({ 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n' });
  await must(scene, ['uninstall']);
  const client = await scene.startClient({
    conversation: true,
    prompt: '/untildone:status',
    binary,
    args: ['--plugin-dir', pluginIn(scene)],
    script: { turns: [{ text: 'a' }, { text: 'a' }, { tools: [bash('touch made')] }, { text: 'a' }] },
  });
  const type = typist(client);
  expect(await type('/untildone:status')).toContain('No loops yet');
  expect(await type('/untildone:verify')).toMatch(/fail +made.*NOT done/s);
  expect(client.requests()).toHaveLength(0);
  await type('/untildone:loop Make "it"');
  client.endInput();
  const run = await client.finished;
  expect(run.lines.find(({ subtype }) => subtype === 'init')).toMatchObject({
    claude_code_version: execFileSync(binary, ['--version'], { encoding: 'utf8' }).split(' ')[0],
  });
  const loop = await loopOf(scene);
  expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'verified_done']);
  expect(run.requests).toHaveLength(4);
});

longTest.each(['settings', 'plugin'])(
  'a Claude Code that does not know UserPromptExpansion is held by the hooks of the %s',
  async (where) => {
    const scene = await contractScene({ 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n' });
    const session = await startedSession(scene);
    if (where === 'plugin') await must(scene, ['uninstall']);
    await scene.runClient({
      prompt: 'go',
      binary: olderClient(BEFORE_EXPANSION),
      args: ['--session-id', session, ...(where === 'plugin' ? ['--plugin-dir', pluginIn(scene)] : [])],
      script: { turns: [{ text: 'a' }, { tools: [bash('touch made')] }, { text: 'a' }] },
    });
    const loop = await loopOf(scene);
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'verified_done']);
  },
);
