import { describe, expect, test } from 'vitest';
import type { Contract } from '../../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { elapsedMs } from '../../../../src/engine/core/loop/limits.ts';
import type { RunMode } from '../../../../src/engine/core/run/option-values.ts';
import { approveGate } from '../../../../src/engine/gates/approve/index.ts';
import type { SessionListener } from '../../../../src/engine/ports/ports.ts';
import { type DriverPorts, runLoop } from '../../../../src/engine/run/driver/run-loop.ts';
import type { RunEvent } from '../../../../src/engine/run/reporter.ts';
import { hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, frozenWith, PASS, run, type Says } from '../../../support/hook/judging.ts';
import { approve, GATES, phase } from '../../../support/hook/phase-scene.ts';
import { done } from '../../../support/hook/session-facts.ts';

const HOUR = 3_600_000;
const bye = done();

const CHECKED = contractWith(
  { ...GATES, ok: approve() },
  { done: ['tests'], phases: [phase('think', ['plan', 'ok']), phase('make', ['tests'])] },
);

interface Given {
  contract?: Contract;
  mode?: RunMode;
  /** What happens while the run waits for the nth time it looks. */
  whileWaiting?(n: number): void;
}

/** A run whose sessions stop until they are let go; `work` is what one does before it stops. */
function questionRun(says: Record<string, Says>, given: Given = {}) {
  const scene = hookScene(says);
  scene.judges.gates.approve = approveGate;
  const ref = scene.store.create({
    loop: 'r1',
    session: 'first',
    project: scene.project,
    dialect: 'native',
    task: 'Build it',
    transcriptOffset: 0,
    run: { mode: given.mode ?? 'hybrid' },
    contract: frozenWith(given.contract ?? CHECKED, { project: scene.project, fingerprint: '' }),
  });
  const prompts: string[] = [];
  const events: RunEvent[] = [];
  const interrupt = { asked: false };
  let looks = 0;
  let sessions = 0;
  const append = (entry: Entry) => scene.store.append(ref, () => entry);
  const stopUntilFree = async (session: string, listener: SessionListener) => {
    for (let i = 0; i < 20; i++) {
      scene.judges.tree = `tree ${prompts.length} ${i}`;
      const answer = await listener.event(
        {
          name: 'Stop',
          session,
          cwd: scene.project,
          stopHookActive: false,
          lastMessage: `m${i}`,
          backgroundTasks: [],
          wakeUps: [],
        },
        new AbortController().signal,
      );
      if (answer.kind !== 'refuse') return;
    }
  };
  const go = async (...work: (() => void)[]) => {
    const script = [...work];
    const ports: DriverPorts = {
      judging: scene.ports,
      sessions: {
        missing: async () => undefined,
        prepare: async (plan) => ({ plan, discard: async () => undefined }),
        run: async (client, prompt, listener) => {
          const { session } = 'plan' in client ? client.plan : client;
          prompts.push(prompt);
          const play = script.shift();
          if (!play) throw new Error('the script has no further session');
          play();
          await stopUntilFree(session, listener);
          return bye;
        },
      },
      bind: (session) => scene.store.bind(session, scene.project, ref),
      newSession: () => `s${++sessions}`,
      transcriptOf: () => 'a transcript',
      lastVerdicts: () => [],
      report: (event) => events.push(event),
      judged: async () => undefined,
      billed: async () => undefined,
      interrupts: {
        asked: () => interrupt.asked,
        atOnce: new AbortController().signal,
        waitUntil: async (time) => {
          scene.now = time;
          given.whileWaiting?.(++looks);
        },
      },
    };
    const session = { cwd: scene.project, permissionMode: 'acceptEdits', allow: [], env: {}, client: {} };
    return (await runLoop({ ref, session, idleMs: 1000 }, ports)).status;
  };
  const state = () => scene.store.read(ref);
  const yes = (note?: string) =>
    append({ kind: 'answered', gate: 'ok', said: 'approved', ...(note ? { note } : {}) });
  const no = (note: string) => append({ kind: 'answered', gate: 'ok', said: 'rejected', note });
  return { scene, ref, prompts, events, interrupt, go, append, state, yes, no, looks: () => looks };
}

describe('a run that asks a person', () => {
  test('waits without a session, and goes on by itself when they answer', async () => {
    const says: Record<string, Says> = { tests: FAIL };
    const made = questionRun(says, {
      whileWaiting: (n) => {
        expect(made.prompts).toHaveLength(1);
        if (n === 5) made.yes('in blue');
      },
    });
    const status = await made.go(
      () => undefined,
      () => {
        says.tests = PASS;
      },
    );
    expect(status).toBe('verified_done');
    expect(made.looks()).toBe(5);
    expect(made.prompts).toHaveLength(2);
    expect(made.prompts[1]).toContain('The phase "think" is complete.');
    expect(made.prompts[1]).toContain('in blue');
    expect(made.events.filter((e) => e.type === 'waiting')).toEqual([
      { type: 'waiting', why: expect.stringContaining('ok: Is it good?') },
    ]);
  });
  test('spends nothing meanwhile: no money, no iteration, no working time', async () => {
    const limits = { ...CHECKED.limits, durationMs: HOUR };
    const says: Record<string, Says> = { tests: FAIL };
    const made = questionRun(says, {
      contract: { ...CHECKED, limits },
      whileWaiting: () => {
        const before = made.state();
        made.scene.now += 48 * HOUR;
        expect(elapsedMs(before, made.scene.now)).toBeLessThan(HOUR);
        made.yes();
      },
    });
    const status = await made.go(
      () => undefined,
      () => {
        says.tests = PASS;
      },
    );
    expect(status).toBe('verified_done');
    expect(made.state().iteration).toBe(2);
  });
  test('a yes that is all that was missing ends it without another session', async () => {
    const made = questionRun({}, { whileWaiting: () => made.yes() });
    expect(await made.go(() => undefined)).toBe('verified_done');
    expect(made.prompts).toHaveLength(1);
  });
  test('a no goes to the agent with its words, and then the person is asked again', async () => {
    const made = questionRun(
      {},
      { whileWaiting: () => (made.state().answers ? made.yes() : made.no('too slow')) },
    );
    expect(
      await made.go(
        () => undefined,
        () => undefined,
      ),
    ).toBe('verified_done');
    expect(made.prompts[1]).toContain('"too slow"');
  });
  test('a no is followed by a question in a run of fresh sessions, too', async () => {
    let asked = 0;
    const made = questionRun(
      {},
      {
        mode: 'fresh',
        whileWaiting: () => (++asked === 1 ? made.no('too slow') : made.yes()),
      },
    );
    const told = () => made.append({ kind: 'event', event: 'UserPromptSubmit' });
    expect(
      await made.go(
        () => undefined,
        () => void told(),
      ),
    ).toBe('verified_done');
    expect(asked).toBe(2);
  });
  test('is paused by Ctrl-C, and waits again when it goes on', async () => {
    let goesOn = false;
    const made = questionRun(
      {},
      {
        whileWaiting: () => {
          if (goesOn) made.yes();
          else made.interrupt.asked = true;
        },
      },
    );
    expect(await made.go(() => undefined)).toBe('paused');
    made.interrupt.asked = false;
    goesOn = true;
    made.append({ kind: 'command', command: 'resume' });
    expect(await made.go()).toBe('verified_done');
    expect(made.looks()).toBe(2);
    expect(made.prompts).toHaveLength(1);
  });
  test.each(['cancel', 'release', 'pause'] as const)(
    '%s from elsewhere is found while it waits',
    async (command) => {
      const made = questionRun({}, { whileWaiting: () => void made.append({ kind: 'command', command }) });
      const status = { cancel: 'cancelled', release: 'released', pause: 'paused' }[command];
      expect(await made.go(() => undefined)).toBe(status);
      expect(made.looks()).toBe(1);
      expect(made.prompts).toHaveLength(1);
      expect(made.scene.store.tail(made.ref).line.entry).toEqual({ kind: 'command', command });
    },
  );
  test('whose driver is killed while it waits goes on waiting with the next one', async () => {
    const killed = questionRun(
      {},
      {
        whileWaiting: () => {
          throw new Error('killed');
        },
      },
    );
    await expect(killed.go(() => undefined)).rejects.toThrow('killed');
    expect(killed.state().waiting?.why).toBe('approval');
    killed.yes();
    expect(await killed.go()).toBe('verified_done');
    expect(killed.prompts).toHaveLength(1);
  });
  test('whose driver is killed before its session came back pays for no second one', async () => {
    const killed = questionRun({}, { whileWaiting: () => killed.yes() });
    await expect(
      killed.go(() => {
        const append = killed.scene.store.append.bind(killed.scene.store);
        killed.scene.store.append = (ref, make) => {
          const entry = make(killed.scene.store.read(ref));
          if (entry?.kind === 'result') {
            killed.scene.store.append = append;
            throw new Error('killed');
          }
          return append(ref, () => entry);
        };
      }),
    ).rejects.toThrow('killed');
    expect(killed.state()).toMatchObject({
      waiting: { why: 'approval' },
      run: { open: { session: 'first' } },
    });
    expect(await killed.go()).toBe('verified_done');
    expect(killed.prompts).toHaveLength(1);
  });
});

describe('phases of a run', () => {
  test('the first session is told its phase and by what it is checked, nothing of later ones', async () => {
    const made = questionRun(
      { plan: FAIL },
      { contract: { ...CHECKED, limits: { ...CHECKED.limits, iterations: 1 } } },
    );
    await made.go(() => undefined);
    expect(made.prompts[0]).toContain('The phase "think": Do think.');
    expect(made.prompts[0]).toContain('It is checked after you stop, by: plan, ok.');
  });
  test('a limit of iterations of a phase ends a run of fresh sessions, too', async () => {
    const contract = contractWith(
      { tests: run('tests') },
      { phases: [phase('make', ['tests'], { limits: { iterations: 3 } })] },
    );
    const made = questionRun({ tests: FAIL }, { contract, mode: 'fresh' });
    const nothing = () => undefined;
    expect(await made.go(nothing, nothing, nothing, nothing, nothing)).toBe('reached_limit');
    expect(made.state().ending?.cause).toBe('phase_iterations');
    expect(made.prompts).toHaveLength(3);
  });
});
