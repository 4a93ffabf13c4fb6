import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { type HookScene, hookScene, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, run } from '../../../support/hook/judging.ts';

function begun(): HookScene {
  const scene = hookScene();
  scene.begin(contractWith({ tests: run() }));
  return scene;
}
const tool = (scene: HookScene, name: string, input: Record<string, unknown>, more = {}) =>
  scene.hook({ name: 'PreToolUse', tool: name, input, ...more });

describe('a tool call of a session in a loop', () => {
  test('that does its work is noted, without what it was given', async () => {
    const scene = begun();
    expect((await tool(scene, 'Bash', { command: 'echo secret-token' })).kind).toBe('silence');
    expect(scene.lastEntry()).toEqual({ kind: 'event', event: 'PreToolUse', detail: { tool: 'Bash' } });
    expect(scene.state().toolSeen).toBe(true);
  });
  test.each<[string, Record<string, unknown>]>([
    ['Bash', { command: 'echo x > untildone.yaml' }],
    ['Write', { file_path: 'untildone.yaml', content: '' }],
    ['Edit', { file_path: '.claude/settings.local.json' }],
  ])('that reaches for the definition of done is refused and journaled: %s %j', async (name, input) => {
    const scene = begun();
    expect(reasonOf(await tool(scene, name, input))).toContain('is part of the definition of done');
    expect(scene.lastEntry()).toMatchObject({ detail: { tool: name, refused: 'a protected path' } });
  });
  test('is seen from the folder it works in', async () => {
    const scene = begun();
    const src = join(scene.project, 'src');
    mkdirSync(src);
    const command = 'rm ../untildone.yaml';
    expect((await tool(scene, 'Bash', { command }, { cwd: src })).kind).toBe('refuse');
    expect((await tool(scene, 'Bash', { command }, { cwd: undefined })).kind).toBe('silence');
    expect((await tool(scene, 'Bash', { command: 'rm untildone.yaml' }, { cwd: undefined })).kind).toBe(
      'refuse',
    );
  });
  test('that gives a command for people is refused in its own words', async () => {
    const scene = begun();
    expect(reasonOf(await tool(scene, 'Bash', { command: 'npx untildone cancel' }))).toBe(
      'untildone: "untildone cancel" is for the person who started this. Go on with the task.',
    );
    expect(scene.lastEntry()).toMatchObject({ detail: { refused: 'untildone cancel' } });
    expect((await tool(scene, 'Bash', { command: 'echo "untildone cancel"' })).kind).toBe('silence');
    expect(scene.state().status).toBe('active');
  });
  test('with a name of any length takes one short line of the journal', async () => {
    const scene = begun();
    await tool(scene, `mcp__${'x'.repeat(5000)}\n`, {});
    expect(JSON.stringify(scene.lastEntry()).length).toBeLessThan(400);
  });
});

describe('settings that are changed in mid-session', () => {
  const put = (scene: HookScene, file: string, text: string) => {
    mkdirSync(join(scene.project, '.claude'), { recursive: true });
    writeFileSync(join(scene.project, '.claude', file), text);
  };
  const changed = (scene: HookScene) => scene.hook({ name: 'ConfigChange', source: 'local_settings' });
  const NO_CAP = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '' };
  const hooks = () => JSON.stringify({ ...JSON.parse(addHooks(undefined).text), env: {} });

  test('and still call our hooks are nobody’s business', async () => {
    const scene = begun();
    put(scene, 'settings.json', hooks());
    expect((await changed(scene)).kind).toBe('silence');
    expect(scene.lastEntry()).toEqual({
      kind: 'event',
      event: 'ConfigChange',
      detail: { source: 'local_settings' },
    });
  });
  test('so that our hooks would be off are refused and do not take effect', async () => {
    const scene = begun();
    put(scene, 'settings.json', hooks());
    put(scene, 'settings.local.json', '{"disableAllHooks":true}');
    expect(reasonOf(await changed(scene))).toMatch(
      /^untildone: "disableAllHooks" in .* would switch all hooks off\. A loop is active, so the change does not take effect\.$/,
    );
    expect(scene.lastEntry()).toMatchObject({
      detail: { refused: expect.stringContaining('disableAllHooks') },
    });
  });
  test('so that our hooks are gone, or the cap is back, are refused', async () => {
    const scene = begun();
    put(scene, 'settings.json', '{}');
    expect(reasonOf(await changed(scene))).toContain('were removed from the settings');
    put(scene, 'settings.json', JSON.stringify({ ...JSON.parse(hooks()), env: NO_CAP }));
    expect(reasonOf(await changed(scene))).toContain('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP');
  });
  test('of a paused loop, too: it will be resumed', async () => {
    const scene = begun();
    const ref = scene.store.loopOfSession('s1');
    if (ref) scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    put(scene, 'settings.json', '{}');
    expect((await changed(scene)).kind).toBe('refuse');
  });
  test('after the loop has ended are free', async () => {
    const scene = begun();
    const ref = scene.store.loopOfSession('s1');
    if (ref) scene.store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
    put(scene, 'settings.json', '{}');
    expect((await changed(scene)).kind).toBe('silence');
    expect((await tool(scene, 'Bash', { command: 'rm untildone.yaml' })).kind).toBe('silence');
  });
});
