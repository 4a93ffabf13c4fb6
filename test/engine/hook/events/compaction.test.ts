import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Contract } from '../../../../src/engine/core/contract/contract.ts';
import type { Answer } from '../../../../src/engine/core/loop/event.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { type HookScene, hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, PASS, run } from '../../../support/hook/judging.ts';

const MEMORY = { files: ['MEMORY.md'], lines: 100, inject: ['compact', 'resume'], update: true };
const CONTRACT: Contract = {
  ...contractWith({ planned: run('check plan'), tests: run('npm test') }),
  done: ['tests'],
  phases: [
    { name: 'plan', instruction: 'Write PLAN.md.', entry: [], exit: ['planned'] },
    { name: 'implement', instruction: 'Write the code.', entry: [], exit: ['tests'] },
  ],
};
const FAILS_WITH_NEXT: Judgement = { ...FAIL, next: 'Next: mend the cart.' };

const contextOf = (answer: Answer): string => (answer.kind === 'inject' ? answer.context : answer.kind);

/** A loop in its second phase, held there. */
async function inSecondPhase(contract: Contract = CONTRACT): Promise<HookScene> {
  const scene = hookScene({ planned: PASS, tests: FAILS_WITH_NEXT });
  scene.begin(contract);
  await scene.stop();
  return scene;
}

const compact = (scene: HookScene, more = {}) =>
  scene.hook({ name: 'other', eventName: 'PreCompact', transcript: transcriptOf(scene), ...more });
const begins = (scene: HookScene, source: string) => scene.hook({ name: 'SessionStart', source });

function transcriptOf(scene: HookScene): string {
  const path = join(scene.project, '../session.jsonl');
  writeFileSync(path, '{"a":1}\n');
  return path;
}

function copiesOf(scene: HookScene): string[] {
  const dir = scene.store.loopOfSession('s1')?.dir ?? '';
  const folder = join(dir, 'transcripts');
  return readdirSync(dir).includes('transcripts')
    ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    : [];
}

describe('before a compaction', () => {
  test('the transcript is copied, the copy journaled, and the summary told what to keep', async () => {
    const scene = await inSecondPhase();
    const said = contextOf(await compact(scene));
    expect(said).toContain('iteration 2 of 50, phase "implement" (2 of 2)');
    expect(said).toContain('The phase "implement": Write the code.');
    expect(said).toContain('Fails: tests - fails');
    expect(said).toContain('Next: mend the cart.');
    expect(copiesOf(scene)).toEqual(['{"a":1}\n']);
    expect(scene.lastEntry()).toEqual({
      kind: 'event',
      event: 'PreCompact',
      detail: { copy: expect.stringMatching(/^transcripts\/2026-.*\.jsonl$/), size: '8 bytes' },
    });
  });

  test('a transcript that is not there is journaled, and cancels nothing', async () => {
    const scene = await inSecondPhase();
    const answer = await compact(scene, { transcript: join(scene.project, 'none.jsonl') });
    expect(answer.kind).toBe('inject');
    expect(scene.lastEntry()).toMatchObject({
      detail: { problem: expect.stringContaining('no transcript') },
    });
    expect((await compact(scene, { transcript: undefined })).kind).toBe('inject');
  });

  test('of a paused loop, only the copy is kept', async () => {
    const scene = await inSecondPhase();
    const ref = scene.store.loopOfSession('s1') ?? { loop: '', dir: '' };
    scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    expect(await compact(scene)).toEqual({ kind: 'silence' });
    expect(copiesOf(scene)).toHaveLength(1);
  });

  test('of a subagent, the loop has nothing to say', async () => {
    const scene = await inSecondPhase();
    expect(await compact(scene, { agentId: 'a1', agentType: 'Explore' })).toEqual({ kind: 'silence' });
    expect(copiesOf(scene)).toEqual([]);
  });

  test('of a plain session, nothing is copied and nothing said', async () => {
    const scene = hookScene();
    expect(await compact(scene)).toEqual({ kind: 'silence' });
  });
});

describe('a session that begins in mid-loop', () => {
  test.each(['startup', 'resume', 'compact'])(
    'by %s is told phase, what fails and the next step',
    async (source) => {
      const scene = await inSecondPhase();
      const told = contextOf(await begins(scene, source));
      expect(told).toContain('this session works in a loop (iteration 2 of 50, phase "implement" (2 of 2))');
      expect(told).toContain('The phase "implement": Write the code.');
      expect(told).toContain('Fails: tests - fails');
      expect(told).toContain('Next: mend the cart.');
    },
  );

  test('is told the notes as well, and all of it fits into what the client takes', async () => {
    const scene = await inSecondPhase({ ...CONTRACT, memory: MEMORY });
    writeFileSync(join(scene.project, 'MEMORY.md'), 'the cart is hard\n');
    expect(contextOf(await begins(scene, 'compact'))).toContain('the cart is hard');
    writeFileSync(join(scene.project, 'MEMORY.md'), `the cart is hard\n${'word '.repeat(10_000)}`);
    const told = contextOf(await begins(scene, 'resume'));
    expect(told.length).toBeLessThanOrEqual(9000);
    expect(told).toContain('the cart is hard');
    expect(told).toContain('Next: mend the cart.');
    expect(contextOf(await begins(scene, 'startup'))).not.toContain('the cart is hard');
  });

  test('keeps what comes next and how it ends, however much fails and however long the notes', async () => {
    const gates = Array.from({ length: 60 }, (_, i) => `gate-${i}`);
    const summary = 'it fails in a way that takes many words to say, '.repeat(6);
    const says = Object.fromEntries(gates.map((name) => [name, { ...FAILS_WITH_NEXT, summary }]));
    const scene = hookScene(says);
    const specs = Object.fromEntries(gates.map((name) => [name, run('check')]));
    scene.begin({ ...contractWith(specs), memory: MEMORY });
    writeFileSync(join(scene.project, 'MEMORY.md'), `the cart is hard\n${'word '.repeat(10_000)}`);
    await scene.stop();
    const told = contextOf(await begins(scene, 'compact'));
    expect(told.length).toBeLessThanOrEqual(9000);
    expect(told).toContain('Next: mend the cart.');
    expect(told).toContain('The checks are run again when you stop.');
    expect(told).toContain('the cart is hard');
  });
});

test('the notes of a loop name its phase', async () => {
  const scene = hookScene({ planned: PASS, tests: FAILS_WITH_NEXT });
  writeFileSync(join(scene.project, 'MEMORY.md'), 'Mine.\n');
  scene.begin({ ...CONTRACT, memory: MEMORY });
  await scene.stop();
  const notes = readFileSync(join(scene.project, 'MEMORY.md'), 'utf8');
  expect(notes).toMatch(/^Mine\.\n/);
  expect(notes).toContain('- Phase: implement (2 of 2)');
  expect(notes).toContain('- Next: mend the cart.');
});

test('notes that a contract in the place of the approved one names are not told', async () => {
  const told = async (change: (text: string) => string) => {
    const scene = hookScene({});
    const { dir } = scene.begin({ ...CONTRACT, memory: MEMORY });
    writeFileSync(join(scene.project, 'MEMORY.md'), 'the cart is tricky');
    const file = join(dir, 'contract.json');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    return contextOf(await begins(scene, 'resume'));
  };
  expect(await told((text) => text)).toContain('the cart is tricky');
  const replaced = await told((text) => text.replace('"fingerprint":"print"', '"fingerprint":""'));
  expect(replaced).toContain('this session works in a loop');
  expect(replaced).not.toContain('the cart is tricky');
});
