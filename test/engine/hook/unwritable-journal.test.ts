import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderAnswer } from '../../../src/engine/client/hooks/render.ts';
import { sessionGuard } from '../../../src/engine/client/settings/guard.ts';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import { type Answer, SILENCE } from '../../../src/engine/core/loop/event.ts';
import { textGate } from '../../../src/engine/gates/text/index.ts';
import { fallbackCounts } from '../../../src/engine/home/fallback-counts.ts';
import { keepTranscript } from '../../../src/engine/home/transcript-copies.ts';
import { recordTrust, setStanding, standingFiles } from '../../../src/engine/home/trust.ts';
import { GUARDED_BLOCKS } from '../../../src/engine/hook/guard/guard-work.ts';
import { holdUnjudged } from '../../../src/engine/hook/unwritable-journal.ts';
import { otherEvents } from '../../../src/engine/hook/wiring/session.ts';
import { applyChanges, foreignFiles } from '../../../src/engine/project/files.ts';
import { T0 } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { type HookScene, hookScene, reasonOf } from '../../support/hook/hook-scene.ts';
import { contractWith, FAIL, frozenWith, run } from '../../support/hook/judging.ts';

const NO_SPACE = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const full = (): never => {
  throw NO_SPACE;
};

const CONTRACT = contractWith(
  {
    tests: run(),
    clear: { kind: 'text', options: { forbid: [], custom: [], atLeast: 10 } },
  },
  {
    done: ['tests'],
    subagent: { '*': ['tests'] },
    taskCreated: ['tests'],
    taskDone: ['tests'],
    teammate: ['tests'],
    prompt: { gates: ['tests'] },
    everyStop: { gates: ['tests'], blocks: 2 },
  },
);

type Place = 'loop' | 'session';
const PLACES: Place[] = ['loop', 'session'];

/** Nothing can be written any more; counts are kept in a folder of the test's own, or nowhere. */
/** By scene: where Stops are counted that cannot be written down. */
const countsOf = new WeakMap<HookScene, ReturnType<typeof fallbackCounts>>();

function fullDisk(place: Place, { contract = CONTRACT as Contract, counts = true } = {}): HookScene {
  const scene = hookScene({ tests: FAIL });
  scene.judges.gates = { ...scene.judges.gates, text: textGate };
  const { home, project } = scene;
  if (place === 'loop') scene.begin(contract);
  else setStanding(home, project, frozenWith(contract, { project, fingerprint: 'print' }));
  recordTrust(home, project, 'print', T0);
  const folder = realpathSync(temporaryFolder());
  const counted = fallbackCounts(counts ? folder : join(folder, 'is not there'));
  const guard = { ...sessionGuard(home, join(folder, '.claude'), folder, {}), hasContract: () => true };
  scene.ports.session = async () =>
    otherEvents({
      standing: { ...standingFiles(home), write: full },
      guard,
      fallbackCounts: counted,
      notes: { files: foreignFiles, change: (changes) => applyChanges(changes, join(folder, 'files.lock')) },
      keepTranscript,
    });
  scene.store.append = full;
  countsOf.set(scene, counted);
  return scene;
}

const TOLD = 'cannot be written';
const messageIn = (answer: Answer) => ('message' in answer ? (answer.message ?? '') : '');
const write = { name: 'PreToolUse' as const, tool: 'Write', input: { file_path: 'untildone.yaml' } };
const subagent = { name: 'SubagentStop' as const, agentType: 'review', agentId: 'a1', stopHookActive: false };
const created = { name: 'TaskCreated' as const, taskId: '1', subject: 'x' };
const completed = { name: 'TaskCompleted' as const, taskId: '1', subject: 'x' };
const idle = { name: 'TeammateIdle' as const, teammate: 'ada', team: 't' };
const prompt = { name: 'UserPromptSubmit' as const, prompt: 'do something for me' };

async function kinds(scene: HookScene, event: Parameters<HookScene['hook']>[0], times: number) {
  const found: string[] = [];
  for (let i = 0; i < times; i++) found.push((await scene.hook(event)).kind);
  return found;
}

describe('what is refused stays refused when it cannot be written', () => {
  test('a tool call that reaches for the definition of done; the person is told once', async () => {
    const scene = fullDisk('loop');
    const first = await scene.hook(write);
    expect(reasonOf(first)).toContain('is part of the definition of done');
    expect(messageIn(first)).toContain(TOLD);
    expect(messageIn(first)).toContain('ENOSPC');
    expect(JSON.parse(renderAnswer('PreToolUse', first).stdout)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
      systemMessage: expect.stringContaining(TOLD),
    });
    const second = await scene.hook(write);
    expect(second.kind).toBe('refuse');
    expect(messageIn(second)).toBe('');
  });
  test('a tool call that a rule of the contract refuses, and one that nothing refuses still runs', async () => {
    const tools = {
      dangerous: false,
      protect: [],
      hide: [],
      deny: [{ rule: 'Bash(make deploy)' }],
      allow: [],
      rewrite: [],
    };
    const scene = fullDisk('loop', { contract: { ...CONTRACT, tools } });
    const deploy = { name: 'PreToolUse' as const, tool: 'Bash', input: { command: 'make deploy' } };
    expect((await scene.hook(deploy)).kind).toBe('refuse');
    expect((await scene.hook({ ...deploy, input: { command: 'make test' } })).kind).toBe('silence');
  });
  test('a tool call after a Stop whose judging was cut off', async () => {
    const scene = fullDisk('loop');
    const cutOff = { loop: 'l1', gates: ['tests'], inARow: 1, held: true };
    scene.ports.judging = {
      watch: () => {},
      begin: () => () => {},
      forget: () => {},
      takeInterrupted: () => cutOff,
    };
    expect((await scene.hook(write)).kind).toBe('refuse');
  });
  test('settings that would switch the hooks off', async () => {
    const scene = fullDisk('loop');
    const answer = await scene.hook({ name: 'ConfigChange', source: 'local_settings' });
    expect(reasonOf(answer)).toContain('the change does not take effect');
  });
  test.each(PLACES)('a task and a teammate, as often as if it were counted, in a %s', async (place) => {
    for (const event of [completed, idle, created, subagent]) {
      const scene = fullDisk(place);
      const expected = [...Array<string>(GUARDED_BLOCKS).fill('refuse'), 'silence', 'silence'];
      const found = await kinds(scene, event, GUARDED_BLOCKS + 2);
      expect(found.map((kind) => (kind === 'tell' ? 'silence' : kind))).toEqual(expected);
    }
  });
  test.each(PLACES)(
    'where nothing can be counted at all, nobody is held for ever, in a %s',
    async (place) => {
      const outcomes = [];
      for (const event of [completed, idle, created, subagent]) {
        outcomes.push((await fullDisk(place, { counts: false }).hook(event)).kind);
      }
      expect(outcomes).toEqual(['silence', 'silence', 'refuse', 'refuse']);
    },
  );
  test.each(PLACES)('a prompt, until no wording could help, in a %s', async (place) => {
    const scene = fullDisk(place);
    const found = await kinds(scene, prompt, GUARDED_BLOCKS + 1);
    expect(found).toEqual([...Array<string>(GUARDED_BLOCKS).fill('refuse'), 'tell']);
  });
  test.each(PLACES)('a prompt whose text is refused never gets through, in a %s', async (place) => {
    const contract = { ...CONTRACT, prompt: { gates: ['clear'] } };
    const scene = fullDisk(place, { contract, counts: false });
    const found = await kinds(scene, { ...prompt, prompt: 'short' }, GUARDED_BLOCKS + 2);
    expect(new Set(found)).toEqual(new Set(['refuse']));
  });
  test('a Stop of a session without a loop, as often as the contract says', async () => {
    const scene = fullDisk('session');
    const found = [];
    for (let i = 0; i < 3; i++) found.push((await scene.stop({ promptId: 'p1' })).kind);
    expect(found).toEqual(['refuse', 'refuse', 'tell']);
    const nowhere = fullDisk('session', { counts: false });
    expect((await nowhere.stop({ stopHookActive: false })).kind).toBe('refuse');
    expect((await nowhere.stop({ stopHookActive: true })).kind).toBe('tell');
  });
});

describe('what has to be said is said when it cannot be written', () => {
  test('the reminder of a session that begins or was compacted', async () => {
    const scene = fullDisk('loop');
    const answer = await scene.hook({ name: 'SessionStart', source: 'compact' });
    expect(answer).toMatchObject({ kind: 'inject', context: expect.stringContaining('a task') });
    expect(messageIn(answer)).toContain(TOLD);
  });
  test('what a summary has to keep, and nothing beside it', async () => {
    const answer = await fullDisk('loop').hook({ name: 'PreCompact', trigger: 'auto' } as never);
    expect(answer).toMatchObject({ kind: 'inject', context: expect.stringContaining('a task') });
    expect(messageIn(answer)).toBe('');
  });
  test('what a subagent is judged by', async () => {
    const begins = { name: 'SubagentStart' as const, agentId: 'a1', agentType: 'review' };
    expect((await fullDisk('loop').hook(begins)).kind).toBe('inject');
  });
  test('that nothing is written, at every prompt where it cannot be remembered that it was said', async () => {
    const scene = fullDisk('loop', { counts: false, contract: contractWith({ tests: run() }) });
    expect(messageIn(await scene.hook(prompt))).toContain(TOLD);
    expect(messageIn(await scene.hook(prompt))).toContain(TOLD);
    const call = { name: 'PreToolUse' as const, tool: 'Bash', input: { command: 'ls' } };
    expect((await scene.hook(call)).kind).toBe('silence');
  });
});

describe('a Stop that could not be written down because the disk is full', () => {
  const again = async (
    scene: HookScene,
    stopHookActive: boolean,
    error: Error = NO_SPACE,
    measures = true,
  ) => {
    const ref = scene.store.loopOfSession('s1');
    const event = { session: 's1', cwd: scene.project, name: 'Stop', stopHookActive } as never;
    const counted = countsOf.get(scene) ?? fallbackCounts();
    return holdUnjudged(event, { ref, measures }, error, { fallbackCounts: counted }) ?? SILENCE;
  };
  test('is held three times, so that the agent can make room, and is no iteration', async () => {
    const scene = fullDisk('loop');
    const first = await again(scene, true);
    expect(reasonOf(first)).toContain('is full');
    expect(reasonOf(first)).toContain(scene.home.root);
    expect(messageIn(first)).toContain('1 of 3');
    expect((await again(scene, true)).kind).toBe('refuse');
    expect((await again(scene, true)).kind).toBe('refuse');
    expect((await again(scene, true)).kind).toBe('silence');
    expect(scene.state()).toMatchObject({ iteration: 1, status: 'active' });
  });
  test.each(['EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EDQUOT'])(
    'is held as well when it is %s, in a loop that measures nothing, too',
    async (code) => {
      const scene = fullDisk('loop');
      const error = Object.assign(new Error(`${code}: it cannot be done`), { code });
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push((await again(scene, true, error, i > 1)).kind);
      expect(answers).toEqual(['refuse', 'refuse', 'refuse', 'silence']);
      const wrapped = new Error('the journal cannot be opened', { cause: error });
      expect((await again(fullDisk('loop'), true, wrapped, false)).kind).toBe('refuse');
    },
  );
  test('is held after any other error, if its contract measures something', async () => {
    const scene = fullDisk('loop');
    const error = new Error('something strange');
    expect(reasonOf(await again(scene, true, error))).toContain(
      'could not judge this Stop: something strange',
    );
    expect((await again(scene, true, error, false)).kind).toBe('silence');
    expect((await again(scene, true, new Error('git add failed: No space left on device'))).kind).toBe(
      'refuse',
    );
    expect((await again(scene, true, error)).kind).toBe('refuse');
    expect((await again(scene, true, error)).kind).toBe('silence');
  });
  test('is held once a prompt where nothing can be counted', async () => {
    const scene = fullDisk('loop', { counts: false });
    expect((await again(scene, false)).kind).toBe('refuse');
    expect((await again(scene, true)).kind).toBe('silence');
  });
});
