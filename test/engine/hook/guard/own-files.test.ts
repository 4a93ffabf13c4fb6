import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolRules } from '../../../../src/engine/core/tools/tool-rules.ts';
import { type ForeignScene, foreignScene, RALPH, ralph } from '../../../support/hook/foreign-scene.ts';
import { type HookScene, hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const LOOPS = '.claude/data/ralph-loops';
const CURRENT = `${LOOPS}/current`;
const LIST = JSON.stringify({ features: [{ id: 1, description: 'add', passes: false }] });
const RULES: ToolRules = { dangerous: false, protect: [], hide: [], deny: [], allow: [], rewrite: [] };

const asked = (scene: HookScene, path: string, more: Record<string, unknown> = {}) =>
  scene
    .hook({ name: 'PermissionRequest', tool: 'Edit', input: { file_path: path }, ...more })
    .then(({ kind }) => kind);

/** A list that `current` leads to, and session s1 has claimed. */
async function withList(): Promise<ForeignScene> {
  const scene = foreignScene();
  scene.write(`${LOOPS}/todo/feature_list.json`, LIST);
  scene.write(`${LOOPS}/todo/progress.txt`, '- Iteration: 0\n');
  symlinkSync('todo', join(scene.project, CURRENT));
  expect((await scene.stopOf('s1')).kind).toBe('refuse');
  return scene;
}

describe('where the client would ask before the files of a feature list are changed', () => {
  test.each(['Edit', 'Write', 'MultiEdit'])('%s of the list and of the notes is allowed', async (tool) => {
    const scene = await withList();
    for (const name of ['current/feature_list.json', 'todo/feature_list.json', 'todo/progress.txt'])
      expect(await asked(scene, join(scene.project, LOOPS, name), { tool })).toBe('permit');
    expect(await asked(scene, `${CURRENT}/feature_list.json`, { tool })).toBe('permit');
    const [ref] = scene.store.loops(scene.project);
    if (!ref) throw new Error('no loop');
    expect(scene.store.tail(ref).line.entry).toMatchObject({
      event: 'PermissionRequest',
      detail: { tool, allowed: 'a file that this loop is kept in' },
    });
  });
  test('notes that are not there yet may be made', async () => {
    const scene = await withList();
    scene.remove(`${LOOPS}/todo/progress.txt`);
    expect(await asked(scene, `${CURRENT}/progress.txt`, { tool: 'Write' })).toBe('permit');
  });
  test.each([
    '.claude/settings.json',
    '.claude/agents/x.md',
    `${CURRENT}/RALPH_PROMPT.md`,
    `${CURRENT}/other.json`,
    `${CURRENT}/../other/feature_list.json`,
    `${CURRENT}/feature_list.json/../../../../settings.json`,
    `${CURRENT}/sub/feature_list.json`,
    'feature_list.json',
    '',
  ])('nothing is said about any other file: %s', async (path) => {
    expect(await asked(await withList(), path)).toBe('silence');
  });
  test.each(['~/feature_list.json', '$PWD/.claude/data/ralph-loops/todo/feature_list.json'])(
    'nothing is said about what a shell would expand: %s',
    async (path) => {
      expect(await asked(await withList(), path)).toBe('silence');
    },
  );
  test.each([
    ['Bash', { command: `echo > ${CURRENT}/feature_list.json` }],
    ['NotebookEdit', { notebook_path: `${CURRENT}/feature_list.json` }],
    ['Edit', { file_path: ['a'] }],
    ['Edit', {}],
  ])('nothing is said to other tools and inputs: %s %j', async (tool, input) => {
    expect(await asked(await withList(), '', { tool, input })).toBe('silence');
  });
  test('nobody but the session of the loop is answered, and not before it is its own', async () => {
    const scene = await withList();
    expect(await asked(scene, `${CURRENT}/feature_list.json`, { session: 's2' })).toBe('silence');
    const unclaimed = foreignScene();
    unclaimed.write(`${CURRENT}/feature_list.json`, LIST);
    expect(await asked(unclaimed, `${CURRENT}/feature_list.json`)).toBe('silence');
  });
  test('a plan, a paused loop and an ended one leave it to the person', async () => {
    const scene = await withList();
    const list = `${CURRENT}/feature_list.json`;
    expect(await asked(scene, list, { permissionMode: 'plan' })).toBe('silence');
    expect(await asked(scene, list, { permissionMode: 'acceptEdits' })).toBe('permit');
    const [ref] = scene.store.loops(scene.project);
    if (!ref) throw new Error('no loop');
    scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    expect(await asked(scene, list)).toBe('silence');
    scene.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
    expect(await asked(scene, list)).toBe('permit');
    scene.store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
    // Its ending is told, and nothing else.
    expect(await asked(scene, list)).toBe('tell');
  });
  test('a list that is a link to something else is not written through', async () => {
    const scene = await withList();
    scene.write('.claude/settings.json', LIST);
    rmSync(join(scene.project, LOOPS, 'todo/feature_list.json'));
    symlinkSync('../../../settings.json', join(scene.project, LOOPS, 'todo/feature_list.json'));
    expect(await asked(scene, `${CURRENT}/feature_list.json`)).toBe('silence');
    expect(await asked(scene, '.claude/settings.json')).toBe('silence');
  });
  test('a folder outside of the project is none of ours', async () => {
    const scene = await withList();
    const outside = join(dirname(scene.project), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'feature_list.json'), LIST);
    rmSync(join(scene.project, CURRENT));
    symlinkSync(outside, join(scene.project, CURRENT));
    // Taken up as it is, but what lies there is left to the person.
    expect((await scene.stopOf('s1', { promptId: 'another' })).kind).toBe('refuse');
    expect(await asked(scene, `${CURRENT}/feature_list.json`)).toBe('silence');
    expect(await asked(scene, join(outside, 'feature_list.json'))).toBe('silence');
  });
  test('a rule of another loop of the session that denies it is heard', async () => {
    const scene = await withList();
    const rules = { ...RULES, deny: [{ rule: `Edit(${LOOPS}/**)` }] };
    scene.begin({ ...contractWith({ tests: run() }), tools: rules });
    expect(await asked(scene, `${CURRENT}/feature_list.json`)).toBe('silence');
    expect(await asked(scene, `${CURRENT}/feature_list.json`, { tool: 'Write' })).toBe('silence');
  });
});

test('a loop of the ralph-loop plugin has no file that the agent writes', async () => {
  const scene = foreignScene({ promise: FAIL });
  scene.write(RALPH, ralph());
  expect((await scene.stopOf('s1')).kind).toBe('refuse');
  expect(await asked(scene, RALPH)).toBe('silence');
});

test('of a VERIFIED_DONE state, its own session may write what says how far the work is', async () => {
  const scene = foreignScene();
  const folder = join(dirname(scene.project), '.ralph/state/s1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'orchestrator.json'), JSON.stringify({ task: 'auth', phase: 'plan' }));
  expect((await scene.stopOf('s1')).kind).toBe('refuse');
  for (const name of ['orchestrator.json', 'loop.json', 'quality-gate.json', 'tasks/1.json'])
    expect(await asked(scene, join(folder, name))).toBe('permit');
  for (const name of ['notes.md', '../s2/orchestrator.json', '../../config.json'])
    expect(await asked(scene, join(folder, name))).toBe('silence');
  expect(await asked(scene, join(folder, 'orchestrator.json'), { session: 's2' })).toBe('silence');
});

describe('the feature list of a run', () => {
  const file = `${LOOPS}/todo/feature_list.json`;
  const listed = (name: string) => contractWith({ features: { kind: 'features', options: { file: name } } });
  function inRun(frozen = {}, changes = {}): HookScene {
    const scene = inSession(frozen, changes);
    const [ref] = scene.store.loops(scene.project);
    if (!ref) throw new Error('no loop');
    scene.store.append(ref, () => ({ kind: 'run_begun' }));
    return scene;
  }
  function inSession(frozen = {}, changes = {}): HookScene {
    const scene = hookScene();
    mkdirSync(join(scene.project, LOOPS, 'todo'), { recursive: true });
    writeFileSync(join(scene.project, file), LIST);
    scene.begin({ ...listed(file), ...changes }, frozen);
    return scene;
  }
  test('may be written, and nothing beside it', async () => {
    const scene = inRun();
    expect(await asked(scene, file)).toBe('permit');
    expect(await asked(scene, `${LOOPS}/todo/progress.txt`)).toBe('silence');
    expect(await asked(scene, '.claude/settings.json')).toBe('silence');
  });
  test('is left to the person in a session, where the agent could have named it itself', async () => {
    expect(await asked(inSession(), file)).toBe('silence');
  });
  test.each(['.mcp.json', '.claude/agents/list.json', '.claude/hooks/feature_list.json.sh'])(
    'is none under a name that something else may read: %s',
    async (name) => {
      expect(await asked(inRun({}, listed(name)), name)).toBe('silence');
    },
  );
  test('is left to the person while nobody approved the contract, and where a rule denies it', async () => {
    expect(await asked(inRun({ fingerprint: 'another' }), file)).toBe('silence');
    const tools = { ...RULES, deny: [{ rule: 'Edit(.claude/**)' }] };
    expect(await asked(inRun({}, { tools }), file)).toBe('silence');
  });
  test('is none when it is a link, or lies outside of the project', async () => {
    const scene = inRun();
    rmSync(join(scene.project, file));
    writeFileSync(join(scene.project, '.claude/settings.json'), LIST);
    symlinkSync('../../../settings.json', join(scene.project, file));
    expect(await asked(scene, file)).toBe('silence');
    expect(await asked(scene, '.claude/settings.json')).toBe('silence');
    const outside = '../feature_list.json';
    expect(await asked(inRun({}, listed(outside)), outside)).toBe('silence');
  });
});
