import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HoldProof, type ProveOptions, proveHeld } from '../../../src/cli/setup/prove.ts';
import { measureHold } from '../../../src/dev/proof/measure-hold.ts';
import { CLAUDE } from '../../support/live/demo.ts';
import { processesOf } from '../../support/live/processes.ts';
import type { Scene } from '../../support/live/scene.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { must } from '../../support/live/untildone.ts';

async function installed(): Promise<Scene> {
  const scene = await sceneOfTest();
  await must(scene, ['install']);
  return scene;
}

function prove(scene: Scene, more: Partial<ProveOptions> = {}): Promise<HoldProof> {
  const { project, environment: env } = scene;
  return proveHeld({ project, env, claude: CLAUDE, managed: '/nonexistent', measure: measureHold, ...more });
}

function change(scene: Scene, edit: (settings: Record<string, unknown>) => object): void {
  const path = join(scene.project, '.claude', 'settings.json');
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')))));
}

/** Every file below a folder, with its content. */
function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, 'utf8')]));
}

test('a Stop is held; nothing of others runs, nothing is touched, nothing is left behind', async () => {
  const scene = await installed();
  const sign = join(scene.root, 'something of others ran');
  const others = { hooks: [{ type: 'command', command: `touch '${sign}'` }] };
  change(scene, (settings) => {
    const hooks = settings.hooks as Record<string, object[]>;
    return {
      ...settings,
      apiKeyHelper: `touch '${sign}'; echo key`,
      env: { ANTHROPIC_BASE_URL: 'http://192.0.2.1', CLAUDE_CODE_USE_BEDROCK: '1' },
      enabledPlugins: { 'a@b': true },
      extraKnownMarketplaces: { b: { source: { source: 'github', repo: 'a/b' } } },
      hooks: { ...hooks, Stop: [...(hooks.Stop ?? []), others], UserPromptSubmit: [others] },
    };
  });
  const before = filesIn(scene.root);
  expect(await prove(scene)).toMatchObject({
    outcome: 'held',
    client: { path: CLAUDE, version: expect.stringMatching(/^\d+\./) },
  });
  expect(existsSync(sign)).toBe(false);
  expect(filesIn(scene.root)).toEqual(before);
  expect(await processesOf(join(scene.root, 'tmp', 'untildone-proof-'))).toEqual([]);
});

test('what Claude Code does not read, or what cannot start, is found although the settings look whole', async () => {
  const [misshapen, withoutNode] = await Promise.all([installed(), installed()]);
  change(misshapen, (settings) => ({ permissions: 5, ...settings }));
  const script = join(withoutNode.untildoneHome, 'hook.sh');
  writeFileSync(script, readFileSync(script, 'utf8').replace(/^node=.*$/m, `node='/gone/node'`));
  const proofs = await Promise.all([
    prove(misshapen),
    prove(withoutNode, { env: { ...withoutNode.environment, PATH: '/nonexistent' } }),
  ]);
  expect(proofs).toMatchObject([
    {
      outcome: 'not_held',
      cause: 'settings_not_read',
      why: expect.stringContaining(join(misshapen.project, '.claude/settings.json')),
    },
    { outcome: 'not_held', cause: 'node_missing', why: expect.stringContaining('/gone/node') },
  ]);
});
