import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type HoldProof, type ProveOptions, proveHeld } from '../../../src/cli/setup/prove.ts';
import { measureHold } from '../../../src/dev/proof/measure-hold.ts';
import { CLAUDE } from '../../support/live/demo.ts';
import { processesOf } from '../../support/live/processes.ts';
import type { Scene } from '../../support/live/scene.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

async function installed(): Promise<Scene> {
  const scene = await sceneOfTest();
  await must(scene, ['install']);
  return scene;
}

function prove(scene: Scene, more: Partial<ProveOptions> = {}): Promise<HoldProof> {
  const { project, environment: env } = scene;
  // Tests of other files may keep the machine busy.
  const limitMs = 120_000;
  return proveHeld({
    project,
    env,
    limitMs,
    claude: CLAUDE,
    managed: '/nonexistent',
    measure: measureHold,
    ...more,
  });
}

function change(scene: Scene, edit: (settings: Record<string, unknown>) => object): void {
  const path = join(scene.project, '.claude', 'settings.json');
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')))));
}

/** The hooks are those of our plugin, and no longer in the settings. */
function moveToPlugin(scene: Scene): void {
  const folder = join(scene.root, 'plugin');
  const file = (path: string, content: unknown) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(content));
  };
  file(join(folder, '.claude-plugin', 'plugin.json'), { name: 'untildone', version: '1.0.0' });
  change(scene, ({ hooks }) => {
    file(join(folder, 'hooks', 'hooks.json'), { hooks });
    return { enabledPlugins: { 'untildone@here': true } };
  });
  file(join(scene.home, '.claude', 'plugins', 'installed_plugins.json'), {
    plugins: { 'untildone@here': [{ scope: 'user', installPath: folder }] },
  });
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

longTest(
  'settings that look whole and hold nobody are found out; so is a plugin that holds without settings',
  async () => {
    const [misshapen, withoutNode, byPlugin] = await Promise.all([installed(), installed(), installed()]);
    change(misshapen, (settings) => ({ permissions: 5, ...settings }));
    const script = join(withoutNode.untildoneHome, 'hook.sh');
    writeFileSync(script, readFileSync(script, 'utf8').replace(/^node=.*$/m, `node='/gone/node'`));
    moveToPlugin(byPlugin);
    const proofs = await Promise.all([
      prove(misshapen),
      prove(withoutNode, { env: { ...withoutNode.environment, PATH: '/nonexistent' } }),
      prove(byPlugin),
    ]);
    expect(proofs).toMatchObject([
      {
        outcome: 'not_held',
        cause: 'settings_not_read',
        why: expect.stringContaining(join(misshapen.project, '.claude/settings.json')),
      },
      { outcome: 'not_held', cause: 'node_missing', why: expect.stringContaining('/gone/node') },
      { outcome: 'held' },
    ]);
  },
);
