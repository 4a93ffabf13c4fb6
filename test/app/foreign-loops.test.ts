import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimFiles } from '../../src/adapters/claims.ts';
import { contractFileDigest } from '../../src/adapters/contract-digest.ts';
import { setStanding } from '../../src/adapters/standing.ts';
import { approve } from '../../src/adapters/trust.ts';
import { freeze } from '../../src/app/freeze.ts';
import { claim } from '../../src/commands/claim.ts';
import type { Phase } from '../../src/core/phases.ts';
import type { Dialect, ForeignLoop } from '../../src/dialects/dialect.ts';
import { approveGate } from '../../src/gates/approve/index.ts';
import { T0 } from '../core/samples.ts';
import { type ForeignScene, foreignScene } from './support/foreign-scene.ts';
import { messageOf, reasonOf } from './support/hook-scene.ts';
import { contractWith, FAIL, frozenWith, PASS, run, type Says } from './support/judging.ts';
import { approve as askPerson, phase } from './support/phase-scene.ts';

const RALPH = '.claude/ralph-loop.local.md';

function ralph(fields: Record<string, string | number> = {}, prompt = 'Fix it.'): string {
  const all = {
    iteration: 1,
    session_id: 's1',
    max_iterations: 5,
    completion_promise: '"DONE"',
    started_at: 'then',
    ...fields,
  };
  return ['---', ...Object.entries(all).map(([k, v]) => `${k}: ${v}`), '---', prompt, ''].join('\n');
}

const NOT_YET = { promise: FAIL };

describe('a state that names its owner', () => {
  test('holds that session, in its own words, and counts in its file', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    const answer = await scene.stopOf('s1');
    expect(reasonOf(answer)).toContain('Fix it.');
    expect(answer).toMatchObject({ message: 'Ralph iteration 2 | To stop: output <promise>DONE</promise>' });
    expect(scene.text(RALPH)).toBe(ralph({ iteration: 2 }));
    expect(scene.states()).toMatchObject([
      { dialect: 'ralph-loop', session: 's1', iteration: 2, maxIterations: 5 },
    ]);
  });
  test('does not hold another session, and stays as it is', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    expect(await scene.stopOf('s2')).toEqual({ kind: 'silence' });
    expect(scene.text(RALPH)).toBe(ralph());
    expect(scene.states()).toEqual([]);
  });
  test('is taken up in the middle of its count', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph({ iteration: 4 }));
    await scene.stopOf('s1');
    expect(messageOf(await scene.stopOf('s1'))).toContain(
      'the limit of iterations was reached (iteration 5 of 5)',
    );
    expect(scene.text(RALPH)).toBeUndefined();
  });
  test('a promise on the last allowed iteration is success', async () => {
    const scene = foreignScene({ promise: PASS });
    scene.write(RALPH, ralph({ iteration: 5 }));
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done' }]);
  });
});

describe('a state that names nobody', () => {
  const UNOWNED = ralph({ session_id: '' });
  test('holds nobody', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, UNOWNED);
    expect(await scene.stopOf('s1')).toEqual({ kind: 'silence' });
    expect(scene.text(RALPH)).toBe(UNOWNED);
  });
  test('holds the session that a person bound it to, and no other', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, UNOWNED);
    const { home, store, project } = scene;
    const place = { folder: project, userHome: project, now: T0 };
    claim('ralph-loop', 's1', place, { home, store, clock: { now: () => T0 }, env: {} }, () => undefined);
    expect((await scene.stopOf('s2')).kind).toBe('silence');
    expect((await scene.stopOf('s1')).kind).toBe('refuse');
    expect(scene.states()).toMatchObject([{ session: 's1' }]);
  });
});

describe('the end of a loop', () => {
  test('the file is gone with it, and kept with the journal', async () => {
    const scene = foreignScene({ promise: PASS });
    scene.write(RALPH, ralph());
    expect(messageOf(await scene.stopOf('s1'))).toContain('Ralph loop: Detected <promise>DONE</promise>');
    expect(scene.text(RALPH)).toBeUndefined();
    const [ref] = scene.store.loops(scene.project);
    expect(existsSync(join(ref?.dir ?? '', 'ralph-loop.local.md'))).toBe(true);
  });
  test('removing the file by hand is a cancel', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.remove(RALPH);
    expect(messageOf(await scene.stopOf('s1'))).toContain(
      `cancelled: ${join(scene.project, RALPH)} was removed`,
    );
    expect(scene.store.isMarked('s1')).toBe(false);
  });
  test('cancelled stays cancelled when the same state is written again', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.remove(RALPH);
    await scene.stopOf('s1');
    scene.write(RALPH, ralph({ iteration: 7 }));
    expect(await scene.stopOf('s1')).toEqual({ kind: 'silence' });
    expect(scene.states()).toHaveLength(1);
  });
  test('another state in its place is another loop', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.now += 1000;
    scene.write(RALPH, ralph({ started_at: 'later' }));
    expect((await scene.stopOf('s1')).kind).toBe('refuse');
    expect(scene.states()).toMatchObject([
      { status: 'cancelled', ending: { cause: 'state_replaced' } },
      { status: 'active', iteration: 2 },
    ]);
    expect(scene.store.isMarked('s1')).toBe(true);
  });
  test('an ended loop whose file could not be removed does not begin again', async () => {
    const scene = foreignScene({ promise: PASS });
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.write(RALPH, ralph());
    expect(await scene.stopOf('s1')).toEqual({ kind: 'silence' });
  });
});

describe('the count', () => {
  test('of a person wins', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.write(RALPH, ralph({ iteration: 4, max_iterations: 9 }));
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ iteration: 5, maxIterations: 9 }]);
  });
  test('goes on although an agent puts it back every time', async () => {
    const scene = foreignScene(NOT_YET);
    for (let i = 0; i < 5; i++) {
      scene.write(RALPH, ralph());
      await scene.stopOf('s1', { lastMessage: `try ${i}` });
    }
    expect(scene.states()).toMatchObject([{ status: 'reached_limit' }]);
  });
  test('goes on although the file cannot be written, and that is said', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write('elsewhere.md', ralph());
    mkdirSync(join(scene.project, '.claude'));
    // Read through a link, but never written through one.
    symlinkSync('../elsewhere.md', join(scene.project, RALPH));
    expect(await scene.stopOf('s1')).toMatchObject({ message: expect.stringContaining('symbolic link') });
    for (let i = 0; i < 4; i++) await scene.stopOf('s1', { lastMessage: `try ${i}` });
    expect(scene.states()).toMatchObject([{ status: 'reached_limit', iteration: 5 }]);
    expect(scene.text('elsewhere.md')).toBe(ralph());
  });
});

describe('within one prompt', () => {
  const samePrompt = { promptId: 'p1' };
  test('a state that is given another time stays the same loop, and its limit holds', async () => {
    const scene = foreignScene(NOT_YET);
    for (let i = 0; i < 6; i++) {
      const iteration = scene.states()[0]?.iteration ?? 1;
      scene.write(RALPH, ralph({ started_at: `time ${i}`, iteration }));
      await scene.stopOf('s1', { ...samePrompt, lastMessage: `try ${i}` });
    }
    expect(scene.states()).toMatchObject([{ status: 'reached_limit', iteration: 5 }]);
  });
  test('a count that is set back, to whatever number, changes nothing', async () => {
    const scene = foreignScene(NOT_YET);
    for (let i = 0; i < 6; i++) {
      scene.write(RALPH, ralph({ iteration: i % 2 }));
      await scene.stopOf('s1', { ...samePrompt, lastMessage: `try ${i}` });
    }
    expect(scene.states()).toMatchObject([{ status: 'reached_limit' }]);
  });
});

describe('an ending that was cut off', () => {
  test('is made up for at the next event', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    const [ref] = scene.store.loops(scene.project);
    if (!ref) throw new Error('no loop');
    // A person cancels from elsewhere, or the hook is killed right after the journal.
    scene.store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
    expect(messageOf(await scene.stopOf('s1'))).toContain('cancelled by a person');
    expect(scene.text(RALPH)).toBeUndefined();
    expect(scene.states()).toMatchObject([{ status: 'cancelled', closed: true }]);
  });
});

describe('what cannot be read', () => {
  test('holds nobody, is said, and does not end the loop that it was', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.remove(RALPH);
    mkdirSync(join(scene.project, RALPH));
    expect(messageOf(await scene.stopOf('s1'))).toContain('is not a regular file');
    expect(scene.states()).toMatchObject([{ status: 'active', iteration: 2 }]);
    rmSync(join(scene.project, RALPH), { recursive: true });
    scene.write(RALPH, ralph({ iteration: 2 }));
    expect((await scene.stopOf('s1')).kind).toBe('refuse');
    expect(scene.states()).toMatchObject([{ iteration: 3 }]);
  });
});

describe('with a contract that a person approved', () => {
  const CONTRACT = contractWith({ tests: run('npm test') });
  async function approved(
    says: Parameters<typeof foreignScene>[0],
    contract = CONTRACT,
  ): Promise<ForeignScene> {
    const scene = foreignScene(says);
    scene.write('untildone.yaml', 'gates: {}\n');
    const { frozen } = await freeze(contract, scene.project, scene.judges);
    const contractFile = contractFileDigest(scene.project) ?? '';
    setStanding(scene.home, scene.project, frozenWith(contract, { ...frozen, contractFile }));
    approve(scene.home, scene.project, frozen.fingerprint, T0);
    return scene;
  }
  test('a promise is not enough while a gate fails', async () => {
    const scene = await approved({ promise: PASS, tests: FAIL });
    scene.write(RALPH, ralph());
    expect(reasonOf(await scene.stopOf('s1'))).toContain('Fails: tests');
  });
  test('both together are proof', async () => {
    const scene = await approved({ promise: PASS, tests: PASS });
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'verified_done' }]);
    expect(scene.receipts).toHaveLength(1);
  });
  test('its phases come one after the other, and the promise at the end', async () => {
    const gates = { plan: run('plan'), tests: run('npm test') };
    const phases = [phase('think', ['plan']), phase('make', ['tests'])];
    const says: Record<string, Says> = { promise: PASS, plan: FAIL, tests: FAIL };
    const scene = await approved(says, contractWith(gates, { done: ['tests'], phases }));
    scene.write(RALPH, ralph());
    const first = reasonOf(await scene.stopOf('s1'));
    expect(first).toContain('The phase "think": Do think.');
    expect(scene.judges.judged).toEqual(['plan']);
    says.plan = PASS;
    scene.judges.tree = 'tree 2';
    const second = reasonOf(await scene.stopOf('s1'));
    expect(second).toContain('The phase "think" is complete.');
    expect(second).toContain('The phase "make": Do make.');
    says.tests = PASS;
    scene.judges.tree = 'tree 3';
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'verified_done', phase: { name: 'make' } }]);
  });
  describe('that asks a person', () => {
    const STATE = '../.ralph/state/s1/orchestrator.json';
    const open = { task: 'Fix it', phase: 'planning', verified_done: false };
    const gates = { tests: run('npm test'), ok: askPerson() };
    async function asking(phases: Phase[], says: Record<string, Says>): Promise<ForeignScene> {
      const scene = await approved(says, contractWith(gates, { done: ['tests'], phases }));
      scene.judges.gates.approve = approveGate;
      scene.write(STATE, JSON.stringify(open));
      return scene;
    }
    test('a phase that is not the last one asks however open the foreign state is', async () => {
      const phases = [phase('think', ['ok']), phase('make', ['tests'])];
      const scene = await asking(phases, { tests: FAIL });
      expect(messageOf(await scene.stopOf('s1'))).toContain('your answer is wanted: ok: Is it good?');
      expect(scene.states()).toMatchObject([{ status: 'active', waiting: { why: 'approval' } }]);
      const [ref] = scene.store.loops(scene.project);
      if (ref) scene.store.append(ref, () => ({ kind: 'answered', gate: 'ok', said: 'approved' }));
      expect(reasonOf(await scene.stopOf('s1'))).toContain('The phase "make": Do make.');
    });
    test('the last one asks when the foreign state is done, too', async () => {
      const scene = await asking([phase('make', ['tests', 'ok'])], { tests: PASS });
      expect((await scene.stopOf('s1')).kind).toBe('refuse');
      scene.write(STATE, JSON.stringify({ ...open, verified_done: true }));
      expect(messageOf(await scene.stopOf('s1'))).toContain('your answer is wanted: ok');
    });
  });
  test('one that is not approved is left aside', async () => {
    const scene = foreignScene({ promise: PASS, tests: FAIL });
    scene.write('untildone.yaml', 'gates: {}\n');
    setStanding(
      scene.home,
      scene.project,
      frozenWith(CONTRACT, { project: scene.project, fingerprint: 'other' }),
    );
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done' }]);
    expect(scene.judges.judged).toEqual(['promise']);
  });
});

test('two loops of one session are both judged, and one reason holds both', async () => {
  const scene = foreignScene({ promise: FAIL, own: FAIL });
  scene.begin(contractWith({ own: run('own') }));
  scene.write(RALPH, ralph());
  const reason = reasonOf(await scene.stopOf('s1'));
  expect(reason).toContain('Fails: own');
  expect(reason).toContain('Fix it.');
  expect(scene.states()).toMatchObject([{ iteration: 2 }, { iteration: 2 }]);
});

test('the end of one of two loops leaves the other one held', async () => {
  const scene = foreignScene({ promise: FAIL, own: PASS });
  scene.begin(contractWith({ own: run('own') }));
  scene.write(RALPH, ralph());
  const answer = await scene.stopOf('s1');
  expect(answer).toMatchObject({ kind: 'refuse', message: expect.stringContaining('loop l1') });
  expect(scene.store.isMarked('s1')).toBe(true);
});

/** A format of one word: nobody is named in it. */
function wordDialect(changes: Partial<ForeignLoop> = {}): Dialect {
  const path = ({ folder }: { folder: string }) => `${folder}/word`;
  return {
    name: 'lock',
    path,
    read: (place, files) => {
      const file = files.read(path(place));
      if (file.kind !== 'text') return file;
      const loop: ForeignLoop = {
        identity: file.text,
        claimedBy: 'first',
        task: file.text,
        firstIteration: 1,
        maxIterations: 50,
        limits: {},
        gates: {},
        notes: [],
        judge: () => [
          { gate: 'word', kind: 'lock', class: 'claimed', outcome: 'fail', summary: 'still there' },
        ],
        renews: () => false,
        instruct: () => ({ reason: 'go on' }),
        settle: () => [],
        ...changes,
      };
      return { kind: 'loop', loop };
    },
  };
}

describe('a state for whoever comes first', () => {
  function scene(changes: Partial<ForeignLoop> = {}) {
    const made = foreignScene({}, [wordDialect(changes)]);
    made.write('word', 'work');
    return made;
  }
  test('is claimed by a Stop, not by other events', async () => {
    const made = scene();
    await made.hook({ name: 'SessionStart', source: 'startup', session: 's1' });
    await made.hook({ name: 'UserPromptSubmit', prompt: 'go', session: 's1' });
    expect(made.states()).toEqual([]);
    expect((await made.stopOf('s2')).kind).toBe('refuse');
    expect((await made.stopOf('s1')).kind).toBe('silence');
    expect(made.states()).toMatchObject([{ session: 's2', iteration: 2 }]);
  });
  test('of two sessions that stop at once, one gets it', async () => {
    const made = scene();
    const kinds = await Promise.all(['s1', 's2', 's3'].map(async (s) => (await made.stopOf(s)).kind));
    expect(kinds.sort()).toEqual(['refuse', 'silence', 'silence']);
    expect(made.states()).toHaveLength(1);
  });
  test('goes to the next one when its owner has ended, with its count', async () => {
    const made = scene();
    await made.stopOf('s1');
    await made.hook({ name: 'SessionEnd', reason: 'clear', session: 's1' });
    expect(reasonOf(await made.stopOf('s2'))).toBe('go on');
    expect(made.states()).toMatchObject([{ session: 's2', iteration: 3 }]);
    expect((await made.stopOf('s1')).kind).toBe('silence');
  });
  test('a subagent claims nothing', async () => {
    const made = scene();
    await made.stopOf('s1', { agentId: 'a1' });
    expect(made.states()).toEqual([]);
  });
  test('that asks for nothing is not taken up', async () => {
    const made = scene({ rest: 'complete' });
    expect((await made.stopOf('s1')).kind).toBe('silence');
    expect(made.states()).toEqual([]);
  });
  test('whose time is over ends as having reached its limit', async () => {
    const changes: Partial<ForeignLoop> = {};
    const made = foreignScene({}, [{ ...wordDialect(), read: (p, f) => wordDialect(changes).read(p, f) }]);
    made.write('word', 'work');
    await made.stopOf('s1');
    Object.assign(changes, { expired: true, rest: 'older than a day' });
    expect(messageOf(await made.stopOf('s1'))).toContain('older than a day');
    expect(made.states()).toMatchObject([{ status: 'reached_limit', ending: { cause: 'expired' } }]);
  });
  test('what came with the repository holds nobody before a person says so', async () => {
    const made = scene();
    const tracked = { exitCode: 0, stdout: 'word\0', stderr: '' };
    const workspace = made.judges.workspace(made.project);
    made.judges.workspace = () => ({ ...workspace, git: async () => tracked });
    expect(messageOf(await made.stopOf('s1'))).toContain('untildone claim lock');
    expect(made.states()).toEqual([]);
    expect(claimFiles(made.home).of(join(made.project, 'word'))).toBeUndefined();
  });
});
