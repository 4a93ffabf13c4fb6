import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolRules } from '../../../../src/engine/core/tools/tool-rules.ts';
import { recordTrust, revokeTrust, setStanding } from '../../../../src/engine/home/trust.ts';
import { joined, withMessages } from '../../../../src/engine/hook/stop/answers.ts';
import { T0 } from '../../../support/core/samples.ts';
import { type HookScene, hookScene, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, frozenWith, run } from '../../../support/hook/judging.ts';

const TOOLS: ToolRules = {
  dangerous: true,
  protect: ['infra/**'],
  hide: ['secrets/**'],
  deny: [{ rule: 'Bash(npm publish *)' }],
  allow: ['Bash(npm test)', 'Edit(src/**)'],
  rewrite: [{ tool: 'Bash', field: 'command', pattern: '^npm i$', with: '$0 --ignore-scripts' }],
};
const CONTRACT = { ...contractWith({ tests: run() }), tools: TOOLS };

type Ask = (
  name: 'PreToolUse' | 'PermissionRequest',
  tool: string,
  input: Record<string, unknown>,
) => ReturnType<HookScene['hook']>;
const asking =
  (scene: HookScene): Ask =>
  (name, tool, input) =>
    scene.hook({ name, tool, input });

function inLoop(fingerprint = 'print'): { scene: HookScene; ask: Ask } {
  const scene = hookScene();
  scene.begin(CONTRACT, { fingerprint });
  return { scene, ask: asking(scene) };
}

describe('in a loop', () => {
  test('what is refused, allowed and rewritten is journaled, never the input', async () => {
    const { scene, ask } = inLoop();
    expect(reasonOf(await ask('PreToolUse', 'Bash', { command: 'rm -rf /etc # secret-word' }))).toContain(
      'deletes /etc',
    );
    expect(scene.lastEntry()).toEqual({
      kind: 'event',
      event: 'PreToolUse',
      detail: { tool: 'Bash', refused: 'dangerous: deletes /etc' },
    });
    expect(await ask('PreToolUse', 'Bash', { command: 'npm i', timeout: 5 })).toEqual({
      kind: 'rewrite',
      input: { command: 'npm i --ignore-scripts', timeout: 5 },
    });
    expect(scene.lastEntry()).toMatchObject({ detail: { tool: 'Bash', rewritten: 'command' } });
    expect(await ask('PermissionRequest', 'Bash', { command: 'npm test' })).toEqual({ kind: 'permit' });
    expect(scene.lastEntry()).toEqual({
      kind: 'event',
      event: 'PermissionRequest',
      detail: { tool: 'Bash', allowed: 'Bash(npm test)' },
    });
    expect(await ask('PermissionRequest', 'Bash', { command: 'npm run x' })).toEqual({ kind: 'silence' });
    expect(scene.lastEntry()).toEqual({
      kind: 'event',
      event: 'PermissionRequest',
      detail: { tool: 'Bash' },
    });
    expect((await ask('PreToolUse', 'Read', { file_path: 'secrets/a' })).kind).toBe('refuse');
    expect((await ask('PreToolUse', 'Read', { file_path: 'src/a' })).kind).toBe('silence');
  });
  test('a command that is nested too deeply to be looked at does not get around the rules', async () => {
    const { ask } = inLoop();
    const deep = `${'"$('.repeat(15_000)}x${')"'.repeat(15_000)}`;
    const answer = await ask('PreToolUse', 'Bash', { command: `rm infra/a; false && echo ${deep}` });
    expect(reasonOf(answer)).toContain('too deeply');
  });
  test('the definition of done comes first', async () => {
    const { ask } = inLoop();
    const refused = await ask('PreToolUse', 'Write', { file_path: 'untildone.yaml' });
    expect(reasonOf(refused)).toContain('is part of the definition of done');
  });
  test('what the client asks about and we refuse is left to the client', async () => {
    const { scene, ask } = inLoop();
    expect(await ask('PermissionRequest', 'Write', { file_path: 'infra/a' })).toEqual({ kind: 'silence' });
    expect(scene.lastEntry()).toMatchObject({ detail: { refused: 'protected: infra/a' } });
  });
  test('nothing is ruled by a contract that nobody approved', async () => {
    const { ask } = inLoop('another');
    expect((await ask('PreToolUse', 'Bash', { command: 'npm i' })).kind).toBe('silence');
    expect((await ask('PermissionRequest', 'Bash', { command: 'npm test' })).kind).toBe('silence');
  });
  test('nor by one that was put in the place of the loop’s own', async () => {
    const { scene, ask } = inLoop();
    const ref = scene.store.loopOfSession('s1');
    const file = join(ref?.dir ?? '', 'contract.json');
    const { frozen } = scene.store.contract(ref ?? { loop: '', dir: '' });
    writeFileSync(
      file,
      JSON.stringify({ contract: { ...CONTRACT, tools: { ...TOOLS, allow: ['Bash'] } }, frozen }),
    );
    expect((await ask('PermissionRequest', 'Bash', { command: 'anything' })).kind).toBe('silence');
  });
  test('a contract without rules asks nobody', async () => {
    const scene = hookScene();
    scene.begin(contractWith({ tests: run() }));
    scene.ports.tools = () => Promise.reject(new Error('loaded for nothing'));
    expect((await asking(scene)('PreToolUse', 'Bash', { command: 'rm -rf /etc' })).kind).toBe('silence');
    expect((await asking(scene)('PermissionRequest', 'Bash', { command: 'ls' })).kind).toBe('silence');
  });
});

describe('in a session without a loop', () => {
  function standing(contract = CONTRACT): { scene: HookScene; ask: Ask } {
    const scene = hookScene();
    recordTrust(scene.home, scene.project, 'print', T0);
    setStanding(
      scene.home,
      scene.project,
      frozenWith(contract, { project: scene.project, fingerprint: 'print' }),
    );
    writeFileSync(join(scene.project, 'untildone.yaml'), 'x');
    return { scene, ask: asking(scene) };
  }
  test('the rules of an approved project count', async () => {
    const { scene, ask } = standing();
    scene.ports.judges = () => Promise.reject(new Error('nothing is judged for a tool'));
    expect((await ask('PreToolUse', 'Bash', { command: 'npm publish' })).kind).toBe('refuse');
    expect((await ask('PreToolUse', 'Write', { file_path: '.env' })).kind).toBe('refuse');
    expect((await ask('PreToolUse', 'Bash', { command: 'npm i' })).kind).toBe('rewrite');
    expect((await ask('PermissionRequest', 'Write', { file_path: 'src/a.ts' })).kind).toBe('permit');
    expect((await ask('PermissionRequest', 'Write', { file_path: 'a.ts' })).kind).toBe('silence');
  });
  test('not when the approval or the contract was taken away', async () => {
    const { scene, ask } = standing();
    revokeTrust(scene.home, scene.project);
    expect((await ask('PermissionRequest', 'Write', { file_path: 'src/a.ts' })).kind).toBe('silence');
    const gone = standing();
    gone.scene.judges.contractFileNow = undefined;
    expect((await gone.ask('PermissionRequest', 'Write', { file_path: 'src/a.ts' })).kind).toBe('silence');
  });
  test('still in a session that began under a contract which is gone: it may have removed it itself', async () => {
    const { scene, ask } = standing();
    await scene.hook({ name: 'SessionStart', source: 'startup' });
    scene.judges.contractFileNow = undefined;
    expect((await ask('PreToolUse', 'Bash', { command: 'npm publish' })).kind).toBe('refuse');
  });
});

describe('answers of several loops', () => {
  const refuse = { kind: 'refuse', reason: 'no' } as const;
  const rewrite = { kind: 'rewrite', input: { a: 1 } } as const;
  const permit = { kind: 'permit' } as const;
  test('a refusal wins over a rewriting, and that over a permission', () => {
    expect(joined([permit, rewrite, refuse])).toEqual(refuse);
    expect(joined([permit, rewrite])).toEqual(rewrite);
    expect(joined([{ kind: 'silence' }, permit])).toEqual(permit);
  });
  test('what a person should read goes with them', () => {
    expect(joined([permit, { kind: 'tell', message: 'look' }])).toEqual({ ...permit, message: 'look' });
    expect(withMessages(rewrite, ['look'])).toEqual({ ...rewrite, message: 'look' });
  });
});
