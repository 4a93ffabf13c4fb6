import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import { baselinesIn } from '../../../../src/engine/home/baselines.ts';
import { projectFolder } from '../../../../src/engine/home/layout.ts';
import { dropStanding, isMarkedTrusted } from '../../../../src/engine/home/trust.ts';
import {
  type ForeignScene,
  foreignScene,
  RALPH,
  ralph,
  trustContract,
} from '../../../support/hook/foreign-scene.ts';
import { contractWith, FAIL, PASS, run, type Says } from '../../../support/hook/judging.ts';

const CONTRACT = contractWith({ tests: run('npm test') });
const LOCK = '.claude/runtime/locks/.lock_active';
const LIST = '.claude/data/ralph-loops/current/feature_list.json';
const STATE = '../.ralph/state/s1/orchestrator.json';
const DAY = 24 * 3_600_000;

type Event = { name: HookEvent['name'] } & Record<string, unknown>;
const START: Event = { name: 'SessionStart', source: 'startup' };
const PROMPT: Event = { name: 'UserPromptSubmit', prompt: 'Fix it.' };
const TOOL: Event = { name: 'PreToolUse', tool: 'Bash', input: { command: 'ls' } };
const NOTICE: Event = { name: 'UserPromptSubmit', prompt: '<task-notification>done</task-notification>' };

async function trusted(says: Record<string, Says> = { tests: FAIL }): Promise<ForeignScene> {
  const scene = foreignScene(says);
  await trustContract(scene, CONTRACT);
  return scene;
}

/** The trees that the loops began from, oldest first. */
const bases = (scene: ForeignScene) => scene.states().map(({ base }) => base.tree);
const kept = ({ home, project }: ForeignScene) => baselinesIn(projectFolder(home, project)).length;

/** Every format: makes its state, as you or as the agent would. */
const FORMATS: [name: string, begin: (scene: ForeignScene) => void][] = [
  ['lock', (scene) => scene.write(LOCK, '')],
  ['feature-list', (scene) => scene.write(LIST, '{"features": [{"id": 1, "passes": false}]}')],
  ['verified-done', (scene) => scene.write(STATE, '{"task": "Fix it", "verified_done": false}')],
  ['ralph-loop', (scene) => scene.write(RALPH, ralph())],
];
const SIGNS: [name: string, sign: Event][] = [
  ['SessionStart', START],
  ['UserPromptSubmit', PROMPT],
  ['PreToolUse', TOOL],
];

describe.each(FORMATS)('%s: the loop begins from the tree of', (_, begin) => {
  test.each(SIGNS)('%s, when the state was there before', async (_name, sign) => {
    const scene = await trusted();
    begin(scene);
    await scene.hook(sign);
    scene.judges.tree = 'tree after the first turn';
    await scene.stop();
    expect(bases(scene)).toEqual(['tree 1']);
    expect(scene.states()).toMatchObject([{ base: { commit: 'commit 1' } }]);
  });

  test('SessionStart, when the agent makes the state in its first turn', async () => {
    const scene = await trusted();
    await scene.hook(START);
    scene.judges.tree = 'tree after the tests were removed';
    begin(scene);
    await scene.hook(TOOL);
    scene.judges.tree = 'tree after the first turn';
    await scene.stop();
    expect(bases(scene)).toEqual(['tree 1']);
  });

  test('the prompt, when you made the state between two turns', async () => {
    const scene = await trusted();
    await scene.hook(START);
    scene.judges.tree = 'tree of your turn';
    begin(scene);
    await scene.hook(PROMPT);
    scene.judges.tree = 'tree after the first turn';
    await scene.stop();
    expect(bases(scene)).toEqual(['tree of your turn']);
  });

  test('the first Stop, when that is the first sign', async () => {
    const scene = await trusted();
    begin(scene);
    await scene.stop();
    expect(bases(scene)).toEqual(['tree 1']);
  });
});

describe('a baseline', () => {
  test('is kept once a session, whatever comes', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    for (const event of [START, PROMPT, TOOL, TOOL, NOTICE, PROMPT]) await scene.hook(event);
    expect(scene.judges.treesTaken).toBe(1);
    expect(kept(scene)).toBe(1);
    expect(scene.states()).toEqual([]);
  });

  test('is kept at an event of any kind', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    await scene.hook({ name: 'SubagentStart', agentId: 'a', agentType: 'x' });
    await scene.hook({ name: 'other', eventName: 'PreCompact', session: 's2' });
    expect(kept(scene)).toBe(2);
  });

  test('is not kept without a contract that you trust, nor beside a native loop', async () => {
    const scene = foreignScene();
    scene.write(LOCK, '');
    await scene.hook(START);
    expect(kept(scene)).toBe(0);
    const native = await trusted();
    native.begin(contractWith({ other: run('x') }));
    native.write(LOCK, '');
    await native.hook(START);
    expect(kept(native)).toBe(0);
  });

  test('belongs to its session: an old state does not count for a new one', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    await scene.hook({ ...START, session: 'old' });
    scene.judges.tree = 'tree of the new session';
    await scene.hook(START);
    scene.judges.tree = 'tree after the first turn';
    await scene.stop();
    expect(bases(scene)).toEqual(['tree of the new session']);
  });

  test('is used up by a loop that ended: the next one begins at its own first sign', async () => {
    const scene = await trusted({ tests: PASS });
    scene.write(LOCK, '');
    await scene.hook(START);
    await scene.stop({ promptId: 'p1' });
    expect(scene.states()).toMatchObject([{ status: 'verified_done' }]);
    scene.remove(LOCK);
    scene.now += 1000;
    scene.judges.tree = 'tree 2';
    scene.write(LOCK, 'again');
    await scene.hook({ ...PROMPT, promptId: 'p2' });
    scene.judges.tree = 'tree 3';
    await scene.stop({ promptId: 'p2' });
    expect(bases(scene)).toEqual(['tree 1', 'tree 2']);
  });

  test('serves two states that are taken up together', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    scene.write(LIST, '{"features": [{"id": 1, "passes": false}]}');
    await scene.hook(START);
    scene.judges.tree = 'tree after the first turn';
    await scene.stop();
    expect(bases(scene)).toEqual(['tree 1', 'tree 1']);
  });

  test('of a session that is over is taken anew a day later, and not within a turn', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    await scene.hook(START);
    scene.judges.tree = 'tree 2';
    scene.now += DAY + 1;
    await scene.hook(TOOL);
    await scene.hook(NOTICE);
    expect(scene.judges.treesTaken).toBe(1);
    await scene.hook({ name: 'SessionStart', source: 'resume' });
    expect(scene.judges.treesTaken).toBe(2);
  });

  test('stays when the session is resumed on the same day, or its context is compacted', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    for (const source of ['startup', 'compact', 'resume']) await scene.hook({ name: 'SessionStart', source });
    expect(scene.judges.treesTaken).toBe(1);
  });

  test('keeps the contract that the session began under, when the agent changes or removes its file', async () => {
    for (const change of [
      (scene: ForeignScene) => scene.remove('untildone.yaml'),
      (scene: ForeignScene) => scene.write('untildone.yaml', 'gates: { easy: { run: "true" } }\n'),
    ]) {
      const scene = await trusted();
      scene.write(LOCK, '');
      await scene.hook(START);
      change(scene);
      const answer = await scene.stop();
      expect(answer).toMatchObject({ kind: 'refuse', reason: expect.stringContaining('Fails: tests') });
    }
  });

  test('is taken again at the next sign when reading the project failed, at most three times', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    scene.judges.tree = new Error('killed');
    await scene.hook(START);
    scene.judges.tree = 'tree 2';
    await scene.hook(PROMPT);
    await scene.hook(TOOL);
    expect(scene.judges.treesTaken).toBe(2);
    const large = await trusted();
    large.write(LOCK, '');
    large.judges.tree = new Error('too large');
    for (let i = 0; i < 6; i++) await large.hook(TOOL);
    expect(large.judges.treesTaken).toBe(3);
    large.judges.tree = 'tree 9';
    const answer = await large.stop();
    expect(bases(large)).toEqual(['tree 9']);
    expect(JSON.stringify(answer)).toContain('could not be read when this session began');
  });

  test('of several hooks at once the first one to end counts', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    const workspace = scene.judges.workspace('');
    let slow: (tree: string) => void = () => undefined;
    let calls = 0;
    scene.judges.workspace = () => ({
      ...workspace,
      tree: () =>
        calls++ === 0 ? new Promise((done) => (slow = done)) : Promise.resolve('tree of the second'),
    });
    const first = scene.hook(TOOL);
    await expect.poll(() => calls).toBe(1);
    await scene.hook(TOOL);
    slow('tree of the first');
    await first;
    await scene.stop();
    expect(bases(scene)).toEqual(['tree of the second']);
  });

  test('is no reason to fail: a torn, foreign or unreadable file, a home that cannot be written', async () => {
    const scene = await trusted();
    scene.write(LOCK, '');
    await scene.hook(START);
    const folder = join(projectFolder(scene.home, scene.project), 'baselines');
    const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.json'));
    for (const text of ['', 'torn', '{}', `${'0'.repeat(64)}\n{"v":1,"tree":"tree of somebody else"}\n`]) {
      writeFileSync(join(folder, name), text);
      scene.judges.tree = `tree after ${text.length}`;
      await scene.hook(TOOL);
    }
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    await scene.hook(TOOL);
    scene.judges.tree = 'tree of the Stop';
    expect((await scene.stop()).kind).toBe('refuse');
    expect(bases(scene)).toEqual(['tree of the Stop']);
  });

  test('a trusted project is marked for the line, and loses the mark with the trust', async () => {
    const scene = await trusted();
    const mark = join(scene.home.root, 'standing', scene.project, '.trusted');
    expect([existsSync(mark), isMarkedTrusted(scene.home, scene.project)]).toEqual([true, true]);
    dropStanding(scene.home, scene.project);
    expect(existsSync(mark)).toBe(false);
    // Trusted by an older version, which made no mark.
    scene.write(LOCK, '');
    await scene.hook(START);
    expect(existsSync(mark)).toBe(true);
  });
});
