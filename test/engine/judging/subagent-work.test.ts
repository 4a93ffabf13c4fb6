import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../src/engine/core/contract/contract.ts';
import type { GateContext, Judgement } from '../../../src/engine/gates/gate.ts';
import { recordTrust, setStanding } from '../../../src/engine/home/trust.ts';
import type { SubagentActivity, Worktree } from '../../../src/engine/ports/ports.ts';
import { T0 } from '../../support/core/samples.ts';
import { type HookScene, hookScene, reasonOf } from '../../support/hook/hook-scene.ts';
import { contractWith, FAIL, frozenWith, PASS, run } from '../../support/hook/judging.ts';

const TIDY: GateSpec = { kind: 'forbid', options: { patterns: ['todo'], custom: [] } };
const chunk = (name: string, gate: string) => ({ name, instruction: name, gates: [gate], after: [] });
const PLAN: GateSpec = {
  kind: 'chunks',
  options: { chunks: [chunk('parser', 'parses'), chunk('printer', 'prints')] },
};
const CONTRACT = contractWith(
  { tests: run(), tidy: TIDY, parses: run('parses'), prints: run('prints'), plan: PLAN },
  { done: ['tests'], subagent: { 'chunk-*': ['tidy'], planner: ['plan'] } },
);
const STORY: SubagentActivity = { edited: [], others: [], whole: true };
const WITH_BASH = { ...STORY, others: ['Bash'] };
const start = (changes = {}) => ({
  name: 'SubagentStart' as const,
  agentType: 'chunk-a',
  agentId: 'a1',
  ...changes,
});
const end = (changes = {}) => ({
  name: 'SubagentStop' as const,
  stopHookActive: false,
  backgroundTasks: [],
  wakeUps: [],
  agentType: 'chunk-a',
  agentId: 'a1',
  agentTranscript: '/t/agent-a1.jsonl',
  ...changes,
});

/** What `tidy` was given, and a place to say what an agent did. */
interface Scene extends HookScene {
  seen: GateContext[];
  story: SubagentActivity | undefined;
  worktrees: Record<string, Worktree>;
}

function scene(tidy: Judgement | ((context: GateContext) => Judgement) = PASS): Scene {
  const seen: GateContext[] = [];
  const it = hookScene({
    tidy: (context) => {
      seen.push(context);
      return typeof tidy === 'function' ? tidy(context) : tidy;
    },
  }) as Scene;
  it.seen = seen;
  it.story = STORY;
  it.worktrees = {};
  it.judges.subagentActivity = async () => it.story;
  it.judges.worktree = (_, folder) => it.worktrees[folder];
  return it;
}

function begun(tidy?: Parameters<typeof scene>[0]): Scene {
  const it = scene(tidy);
  it.begin(CONTRACT);
  return it;
}

/** A worktree whose git says what a test wants. */
function worktree(it: Scene, folder: string, answers: Record<string, string> = {}): Worktree {
  const workspace = {
    ...it.judges.workspace(folder),
    root: folder,
    head: async () => ({ commit: 'c'.repeat(40) }),
    git: async (args: string[]) => {
      const said = answers[args[0] ?? ''];
      return { exitCode: said === undefined ? 1 : 0, stdout: `${said}\n`, stderr: '' };
    },
  };
  it.worktrees[folder] = { top: folder, project: folder, workspace };
  return it.worktrees[folder];
}

describe('what a subagent is judged by', () => {
  test('the files that its calls name, links resolved, others left out', async () => {
    const it = begun();
    mkdirSync(join(it.project, 'src'));
    writeFileSync(join(it.project, 'src/real.ts'), '');
    symlinkSync(join(it.project, 'src/real.ts'), join(it.project, 'link.ts'));
    symlinkSync('/etc', join(it.project, 'out'));
    const edited = ['link.ts', join(it.project, 'new.ts'), 'src/../new.ts', '/elsewhere/x.ts', 'out/hosts'];
    it.story = { ...WITH_BASH, edited };
    await it.hook(end());
    expect(it.seen[0]?.request.onlyPaths).toEqual(['src/real.ts', 'new.ts']);
    expect(it.seen[0]?.request.outputDir).toMatch(/\/agents\/a1$/);
  });
  test('nothing, when it changed nothing and ran nothing', async () => {
    const it = begun();
    await it.hook(end());
    expect(it.seen[0]?.request.onlyPaths).toEqual([]);
  });
  test.each<[string, SubagentActivity | undefined]>([
    ['ran a shell and no file can be told', WITH_BASH],
    ['has a transcript that is too long', { ...STORY, edited: ['a.ts'], whole: false }],
    ['has no transcript', undefined],
  ])('everything, when it %s; what fails says so', async (_, story) => {
    const it = begun(FAIL);
    it.story = story;
    const reason = reasonOf(await it.hook(end()));
    expect(it.seen[0]?.request.onlyPaths).toBeUndefined();
    expect(reason).toContain('a.ts:1 wrong');
    expect(reason).toContain('it is not known which files this agent changed');
  });
  test('what passes, and what is known, says nothing about it', async () => {
    const it = begun();
    it.story = WITH_BASH;
    await it.hook(end());
    expect(JSON.stringify(it.lastEntry())).not.toContain('it is not known which files');
    const told = begun(FAIL);
    told.story = { ...STORY, edited: ['a.ts'] };
    expect(reasonOf(await told.hook(end()))).not.toContain('it is not known which files');
  });
  test('work of others beside it does not unsettle what it did', async () => {
    const changing = (path: string) => (context: GateContext) => {
      it.judges.tree = `${path}, seen ${context.tree?.length}`;
      return PASS;
    };
    const it = begun((context) => changing('other.ts')(context));
    it.story = { ...STORY, edited: ['a.ts'] };
    await it.hook(end());
    expect(it.lastEntry()).toMatchObject({ verdicts: [{ outcome: 'pass' }], refused: false });
    it.story = WITH_BASH;
    await it.hook(end());
    expect(it.lastEntry()).toMatchObject({ verdicts: [{ outcome: 'unproven' }], refused: true });
  });
  test('the chunks that its task names; all when it names none', async () => {
    const it = begun();
    const planner = end({ agentType: 'planner' });
    it.story = { ...STORY, prompt: 'Do the chunk "printer" only' };
    await it.hook(planner);
    expect(it.judges.judged).toEqual(['prints']);
    it.story = { ...STORY, prompt: 'Do the printers' };
    it.judges.tree = 'tree 2';
    await it.hook(planner);
    expect(it.judges.judged.slice(1)).toEqual(['parses', 'prints']);
  });
  test('a task and a teammate are judged by everything', async () => {
    const it = scene();
    it.begin({ ...CONTRACT, taskDone: ['tidy'] });
    await it.hook({ name: 'TaskCompleted', taskId: '1', subject: 'x' });
    expect(it.seen[0]?.request.onlyPaths).toBeUndefined();
    expect(it.seen[0]?.request.outputDir).not.toContain('agents');
  });
});

describe('one in a worktree of its own', () => {
  const TREE = 'd'.repeat(40);
  test('is judged there, by what changed since it began, and by what was approved', async () => {
    const it = begun();
    const there = worktree(it, '/w/agent-a1', { 'rev-parse': TREE });
    await it.hook(start({ cwd: '/w/agent-a1' }));
    expect(it.state().agents).toMatchObject([
      { status: 'working', worktree: { folder: '/w/agent-a1', commit: 'c'.repeat(40) } },
    ]);
    await it.hook(end({ cwd: '/w/agent-a1' }));
    expect(it.seen[0]?.request).toMatchObject({
      frozen: { project: '/w/agent-a1' },
      base: { tree: TREE, commit: 'c'.repeat(40) },
    });
    expect(it.seen[0]?.workspace).toBe(there.workspace);
    expect(it.seen[0]?.request.onlyPaths).toBeUndefined();
    expect(it.state().agents).toMatchObject([{ status: 'passed', measured: true }]);
  });
  test('what its gates run there has to be what a person approved', async () => {
    const it = scene();
    const folders: string[] = [];
    it.judges.parts = (folder) => {
      folders.push(folder);
      return { 'check.sh': 'another' };
    };
    const contract = contractWith({ made: run('sh check.sh') }, { subagent: { 'chunk-*': ['made'] } });
    it.begin(contract, { parts: { made: { 'check.sh': 'approved' } } });
    worktree(it, '/w/agent-a1');
    await it.hook(start({ cwd: '/w/agent-a1' }));
    const reason = reasonOf(await it.hook(end({ cwd: '/w/agent-a1' })));
    expect(reason).toContain('what this gate runs was changed');
    expect(folders).toEqual(['/w/agent-a1']);
    expect(it.judges.judged).toEqual([]);
  });
  test('whose beginning was not seen is compared with where its branch began', async () => {
    const it = begun();
    worktree(it, '/w/agent-a1', { 'merge-base': 'e'.repeat(40), 'rev-parse': TREE });
    await it.hook(end({ cwd: '/w/agent-a1' }));
    expect(it.seen[0]?.request.base).toEqual({ commit: 'e'.repeat(40), tree: TREE });
  });
  test('that it went to only at its end does not hide what it changed in the project', async () => {
    const it = begun();
    worktree(it, '/w/agent-a1');
    it.story = { ...STORY, edited: [join(it.project, 'a.ts')] };
    await it.hook(start());
    await it.hook(end({ cwd: '/w/agent-a1' }));
    expect(it.seen[0]?.request).toMatchObject({ frozen: { project: it.project }, onlyPaths: ['a.ts'] });
  });
  test('that is gone again leaves the project to be judged', async () => {
    const it = begun();
    worktree(it, '/w/agent-a1');
    await it.hook(start({ cwd: '/w/agent-a1' }));
    it.worktrees = {};
    await it.hook(end({ cwd: '/w/agent-a1' }));
    expect(it.seen[0]?.request.frozen.project).toBe(it.project);
  });
});

describe('the beginning of a subagent', () => {
  test('it is told what it will be judged by, and remembered', async () => {
    const it = begun();
    const answer = await it.hook(start());
    expect(answer).toMatchObject({
      kind: 'inject',
      context: expect.stringContaining('- tidy: no added line'),
    });
    expect(it.lastEntry()).toEqual({
      kind: 'event',
      event: 'SubagentStart',
      detail: { type: 'chunk-a', id: 'a1' },
    });
    expect(it.state().agents).toMatchObject([{ id: 'a1', type: 'chunk-a', status: 'working' }]);
  });
  test('in a phase it is told what the phase asks for', async () => {
    const it = scene();
    const phases = [{ name: 'build', instruction: 'Build it.', entry: [], exit: ['tests'] }];
    it.begin({ ...CONTRACT, phases });
    expect(await it.hook(start())).toMatchObject({ context: expect.stringContaining('"build": Build it.') });
  });
  test('one that nothing guards is remembered, and told nothing', async () => {
    const it = begun();
    expect((await it.hook(start({ agentType: 'Explore' }))).kind).toBe('silence');
    await it.hook(end({ agentType: 'Explore' }));
    expect(it.state().agents).toMatchObject([{ type: 'Explore', status: 'passed' }]);
    expect(it.judges.judged).toEqual([]);
  });
  test('what nobody approved is not told, not run, and not passed', async () => {
    const it = scene();
    it.begin(CONTRACT, { fingerprint: 'another' });
    expect((await it.hook(start())).kind).toBe('silence');
    await it.hook(end());
    expect(it.judges.judged).toEqual([]);
    expect(it.state().agents).toMatchObject([
      { status: 'failed', failed: expect.stringContaining('not judged') },
    ]);
  });
  test("the client's own compaction is noted, and is no agent of the loop", async () => {
    const it = begun();
    expect((await it.hook(start({ agentType: '', agentId: 'x' }))).kind).toBe('silence');
    expect((await it.hook(end({ agentType: '', agentId: 'x' }))).kind).toBe('silence');
    expect(it.state().agents ?? []).toEqual([]);
    expect(it.judges.judged).toEqual([]);
  });
  test('each agent is held by its own count, one inside another too', async () => {
    const it = begun(FAIL);
    for (const agentId of ['outer', 'inner']) await it.hook(start({ agentId }));
    for (const agentId of ['inner', 'outer', 'inner']) await it.hook(end({ agentId }));
    expect(it.state().guarded).toEqual({ 'agent outer': 1, 'agent inner': 2 });
    expect(it.state().agents?.map(({ id, status }) => [id, status])).toEqual([
      ['outer', 'working'],
      ['inner', 'working'],
    ]);
  });
});

describe('in a session without a loop', () => {
  function standing(tidy: Judgement): Scene {
    const it = scene(tidy);
    recordTrust(it.home, it.project, 'print', T0);
    setStanding(it.home, it.project, frozenWith(CONTRACT, { project: it.project }));
    return it;
  }
  test('an agent is told, and judged by what it did', async () => {
    const it = standing(FAIL);
    expect(await it.hook(start())).toMatchObject({
      kind: 'inject',
      context: expect.stringContaining('- tidy'),
    });
    it.story = { ...STORY, edited: ['a.ts'] };
    expect(reasonOf(await it.hook(end()))).toContain('Fails: tidy');
    expect(it.seen[0]?.request).toMatchObject({ onlyPaths: ['a.ts'] });
    expect(it.seen[0]?.request.agents).toBeUndefined();
  });
  test('nobody is told what guards others', async () => {
    const it = standing(PASS);
    expect((await it.hook(start({ agentType: 'Explore' }))).kind).toBe('silence');
    expect((await it.hook(start({ agentType: '' }))).kind).toBe('silence');
  });
});
