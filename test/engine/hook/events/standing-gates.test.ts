import { describe, expect, test } from 'vitest';
import type { Contract, GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import { approveGate } from '../../../../src/engine/gates/approve/index.ts';
import { recordTrust, setStanding } from '../../../../src/engine/home/trust.ts';
import { GUARDED_BLOCKS } from '../../../../src/engine/hook/guard/guard-work.ts';
import { T0 } from '../../../support/core/samples.ts';
import { type HookScene, hookScene, messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, frozenWith, PASS, run, type Says } from '../../../support/hook/judging.ts';

const CONTRACT = contractWith(
  { lint: run('lint'), tidy: run('tidy') },
  { done: ['lint'], everyStop: { gates: ['lint'], blocks: 2 }, taskDone: ['tidy'] },
);

/** A session without a loop, in a project whose contract a person approved. */
function standing(says: Record<string, Says>, contract: Contract = CONTRACT, trusted = true): HookScene {
  const scene = hookScene(says);
  const { home, project } = scene;
  setStanding(home, project, frozenWith(contract, { project, fingerprint: 'print' }));
  if (trusted) recordTrust(home, project, 'print', T0);
  return scene;
}
const started = (scene: HookScene, source = 'startup') => scene.hook({ name: 'SessionStart', source });
const kinds = async (scene: HookScene, promptId: string, times: number) => {
  const found: string[] = [];
  for (let i = 0; i < times; i++) found.push((await scene.stop({ promptId })).kind);
  return found;
};

describe('a Stop of a session without a loop', () => {
  test('runs nothing while nothing was changed since the session began', async () => {
    const scene = standing({ lint: FAIL });
    await started(scene);
    expect(await kinds(scene, 'p1', 3)).toEqual(['silence', 'silence', 'silence']);
    expect(scene.judges.judged).toEqual([]);
  });
  test('is held for what fails, so many times a prompt, then let go, and that is said', async () => {
    const scene = standing({ lint: FAIL });
    await started(scene);
    scene.judges.tree = 'tree 2';
    const first = reasonOf(await scene.stop({ promptId: 'p1' }));
    expect(first).toContain('untildone: fix this before you stop.');
    expect(first).toContain('Fails: lint');
    expect((await scene.stop({ promptId: 'p1' })).kind).toBe('refuse');
    expect(messageOf(await scene.stop({ promptId: 'p1' }))).toBe(
      'untildone: allowed to stop after 2 holds although lint (fails) still fails.',
    );
  });
  test('the user is told who holds it, and that it ends', async () => {
    const scene = standing({ lint: FAIL });
    await started(scene);
    scene.judges.tree = 'tree 2';
    expect(await scene.stop({ promptId: 'p1' })).toMatchObject({
      message:
        'untildone: held by every_stop of untildone.yaml, 1 of at most 2 times for this prompt; open: lint. After that it may stop.',
    });
  });
  test('is let go, and that is said, before Claude Code overrides a hold', async () => {
    const everyStop = { gates: ['lint'], blocks: 20 };
    const scene = standing({ lint: FAIL }, { ...CONTRACT, everyStop });
    scene.ports.blockCap = 3;
    await started(scene);
    scene.judges.tree = 'tree 2';
    const stops: string[] = [];
    for (let heldInARow = 0; heldInARow < 4; heldInARow++) {
      scene.transcript.now = { heldInARow };
      stops.push((await scene.stop({ promptId: 'p1', transcript: '/t.jsonl' })).kind);
    }
    expect(stops).toEqual(['refuse', 'refuse', 'refuse', 'tell']);
  });
  test('what was let go is not judged again until something changes', async () => {
    const scene = standing({ lint: FAIL });
    await started(scene);
    scene.judges.tree = 'tree 2';
    await kinds(scene, 'p1', 3);
    scene.judges.judged.length = 0;
    expect(await kinds(scene, 'p2', 2)).toEqual(['silence', 'silence']);
    expect(scene.judges.judged).toEqual([]);
    scene.judges.tree = 'tree 3';
    expect(await kinds(scene, 'p2', 3)).toEqual(['refuse', 'refuse', 'tell']);
  });
  test('a new prompt is held anew, also when the one before was not let go', async () => {
    const scene = standing({ lint: FAIL });
    await started(scene);
    scene.judges.tree = 'tree 2';
    expect(await kinds(scene, 'p1', 1)).toEqual(['refuse']);
    expect(await kinds(scene, 'p2', 3)).toEqual(['refuse', 'refuse', 'tell']);
  });
  test('a fix within the prompt lets go at once, and the pass is remembered', async () => {
    let fixed = false;
    const scene = standing({ lint: () => (fixed ? PASS : FAIL) });
    await started(scene);
    scene.judges.tree = 'tree 2';
    expect(await kinds(scene, 'p1', 1)).toEqual(['refuse']);
    fixed = true;
    scene.judges.tree = 'tree 3';
    expect(await kinds(scene, 'p1', 2)).toEqual(['silence', 'silence']);
    expect(scene.judges.judged).toEqual(['lint', 'lint']);
  });
  test('a check that writes files of its own settles with them', async () => {
    const gates = { saved: { kind: 'git' as const, options: { checks: ['clean' as const] } } };
    const contract = contractWith(gates, { everyStop: { gates: ['saved'], blocks: 2 } });
    const says: Record<string, Says> = {};
    const scene = standing(says, contract);
    says.saved = () => {
      scene.judges.tree = 'tree with its report';
      return PASS;
    };
    await started(scene);
    scene.judges.tree = 'tree 2';
    expect(await kinds(scene, 'p1', 1)).toEqual(['silence']);
    scene.judges.judged.length = 0;
    expect(await kinds(scene, 'p1', 1)).toEqual(['silence']);
    expect(scene.judges.judged).toEqual([]);
  });
  test('a session whose beginning was not seen is judged', async () => {
    const scene = standing({ lint: FAIL });
    expect(await kinds(scene, 'p1', 1)).toEqual(['refuse']);
  });
  test('what is compacted goes on where it was', async () => {
    const scene = standing({ lint: FAIL });
    await started(scene);
    scene.judges.tree = 'tree 2';
    await started(scene, 'compact');
    expect(await kinds(scene, 'p1', 3)).toEqual(['refuse', 'refuse', 'tell']);
  });
  test('sessions of one project count for themselves', async () => {
    const scene = standing({ lint: FAIL });
    expect(await kinds(scene, 'p1', 3)).toEqual(['refuse', 'refuse', 'tell']);
    const other = await scene.stop({ session: 's2', promptId: 'p1' });
    expect(other.kind).toBe('refuse');
  });
});

describe('nothing is held and nothing is run', () => {
  test('before a person approved it', async () => {
    const scene = standing({ lint: FAIL }, CONTRACT, false);
    await started(scene);
    scene.judges.tree = 'tree 2';
    expect(await kinds(scene, 'p1', 1)).toEqual(['silence']);
    expect(scene.judges.judged).toEqual([]);
    expect(scene.judges.treesTaken).toBe(0);
  });
  test('where the contract guards no session', async () => {
    const scene = standing({ lint: FAIL }, contractWith({ lint: run() }));
    expect(await kinds(scene, 'p1', 1)).toEqual(['silence']);
  });
  test('where it guards only what others do', async () => {
    const scene = standing({ lint: FAIL }, contractWith({ lint: run() }, { taskDone: ['lint'] }));
    expect(await kinds(scene, 'p1', 1)).toEqual(['silence']);
  });
  test('by other events', async () => {
    const scene = standing({ lint: FAIL });
    for (const event of [
      { name: 'UserPromptSubmit' as const, prompt: 'x' },
      { name: 'PreToolUse' as const, tool: 'Bash', input: { command: 'rm untildone.yaml' } },
      { name: 'SessionEnd' as const, reason: 'other' },
    ])
      expect((await scene.hook(event)).kind).toBe('silence');
    expect(scene.judges.judged).toEqual([]);
  });
});

describe('tasks, teammates and subagents of such a session', () => {
  const task = (taskId: string) => ({ name: 'TaskCompleted' as const, taskId, subject: 'x' });
  test('are held by their own gates, so many times each', async () => {
    const scene = standing({ tidy: FAIL });
    const answers: string[] = [];
    for (let i = 0; i < GUARDED_BLOCKS + 1; i++) answers.push((await scene.hook(task('1'))).kind);
    expect(answers).toEqual([...Array(GUARDED_BLOCKS).fill('refuse'), 'silence']);
    expect(reasonOf(await scene.hook(task('2')))).toContain('untildone: task 2 "x" is not completed yet.');
    expect(new Set(scene.judges.judged)).toEqual(new Set(['tidy']));
  });
  test('go their way when nothing guards them or everything passes', async () => {
    const scene = standing({});
    expect((await scene.hook(task('1'))).kind).toBe('silence');
    expect((await scene.hook({ name: 'TeammateIdle', teammate: 'a', team: 't' })).kind).toBe('silence');
    expect(scene.judges.judged).toEqual(['tidy']);
  });
  test('a task is refused when it is created, too', async () => {
    const scene = standing({ tidy: FAIL }, contractWith({ tidy: run('tidy') }, { taskCreated: ['tidy'] }));
    const created = { name: 'TaskCreated' as const, taskId: '1', subject: 'x' };
    expect(reasonOf(await scene.hook(created))).toContain('untildone: this task was not created.');
    expect((await scene.hook(task('1'))).kind).toBe('silence');
  });
  test('are judged by what changed since the session began, before it was resumed, too', async () => {
    const bases: unknown[] = [];
    const scene = standing({
      tidy: ({ request }) => {
        bases.push(request.base.tree);
        return FAIL;
      },
    });
    await started(scene);
    scene.judges.tree = 'tree 2';
    await scene.hook(task('1'));
    await started(scene, 'resume');
    await scene.hook(task('2'));
    await started(scene, 'clear');
    await scene.hook(task('3'));
    expect(bases).toEqual(['tree 1', 'tree 1', 'tree 2']);
  });
  test('what passes in between begins the count anew, and what was let go stays so until then', async () => {
    let says = FAIL;
    const scene = standing({ tidy: () => says });
    const answers = async (times: number) => {
      const found: string[] = [];
      for (let i = 0; i < times; i++) found.push((await scene.hook(task('1'))).kind);
      return found;
    };
    await answers(GUARDED_BLOCKS);
    expect(await answers(2)).toEqual(['silence', 'silence']);
    says = PASS;
    await answers(1);
    says = FAIL;
    scene.judges.tree = 'tree 2';
    expect(await answers(GUARDED_BLOCKS + 1)).toEqual([...Array(GUARDED_BLOCKS).fill('refuse'), 'silence']);
  });
  test('do not use up what the session itself has', async () => {
    const scene = standing({ tidy: FAIL, lint: FAIL });
    await scene.hook(task('1'));
    expect(await kinds(scene, 'p1', 3)).toEqual(['refuse', 'refuse', 'tell']);
  });
});

describe('a question to a person', () => {
  const ok: GateSpec = { kind: 'approve', options: { ask: 'Good?' } };
  const contract = contractWith({ ok }, { everyStop: { gates: ['ok'], blocks: 2 }, taskDone: ['ok'] });
  test('holds no session that has no loop: nobody could answer it', async () => {
    const scene = standing({}, contract);
    scene.judges.gates.approve = approveGate;
    await started(scene);
    scene.judges.tree = 'tree 2';
    expect(await kinds(scene, 'p1', 2)).toEqual(['silence', 'silence']);
    const task = { name: 'TaskCompleted' as const, taskId: '1', subject: 'x' };
    expect((await scene.hook(task)).kind).toBe('silence');
  });
});
