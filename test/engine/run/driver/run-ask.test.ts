import { expect, test } from 'vitest';
import { DEFAULT_ASK } from '../../../../src/engine/core/contract/contract.ts';
import type { AskPolicy } from '../../../../src/engine/core/run/option-values.ts';
import { askPerson } from '../../../../src/engine/hook/guard/ask-person.ts';
import type { SessionListener } from '../../../../src/engine/ports/ports.ts';
import { type DriverPorts, runLoop } from '../../../../src/engine/run/driver/run-loop.ts';
import { hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, frozenWith, PASS, run, type Says } from '../../../support/hook/judging.ts';
import { done } from '../../../support/hook/session-facts.ts';

const HOUR = 3_600_000;

/** A run whose sessions do something, then stop until they are let go. */
function askingRun(
  policy: AskPolicy,
  work: ((ask: (text: string) => void) => void)[],
  whileWaiting = (_: number) => {},
) {
  const says: Record<string, Says> = { tests: FAIL };
  const scene = hookScene(says);
  const contract = contractWith({ tests: run() }, { done: ['tests'], ask: { ...DEFAULT_ASK, policy } });
  const ref = scene.store.create({
    loop: 'r1',
    session: 'first',
    project: scene.project,
    dialect: 'native',
    task: 'Build it',
    transcriptOffset: 0,
    run: { mode: 'hybrid' as const },
    contract: frozenWith(contract, { project: scene.project, fingerprint: '' }),
  });
  const prompts: string[] = [];
  let looks = 0;
  const event = (listener: SessionListener, more: object) =>
    listener.event({ session: 'first', cwd: scene.project, ...more } as never, new AbortController().signal);
  const ports: DriverPorts = {
    judging: scene.ports,
    sessions: {
      missing: async () => undefined,
      prepare: async (plan) => ({ plan, discard: async () => undefined }),
      run: async (_, prompt, listener) => {
        prompts.push(prompt);
        expect(await event(listener, { name: 'UserPromptSubmit', prompt })).toEqual({ kind: 'silence' });
        const play = work.shift();
        if (!play) throw new Error('the script has no further session');
        play((text) => void askPerson(ref, { text, options: [] }, scene.ports));
        for (let i = 0; i < 9; i++) {
          const stop = {
            name: 'Stop',
            stopHookActive: false,
            lastMessage: `m${i}`,
            backgroundTasks: [],
            wakeUps: [],
          };
          if ((await event(listener, stop)).kind !== 'refuse') break;
        }
        return done();
      },
    },
    bind: (session) => scene.store.bind(session, scene.project, ref),
    newSession: () => 's',
    transcriptOf: () => 'a transcript',
    lastVerdicts: () => [],
    report: () => undefined,
    judged: async () => undefined,
    billed: async () => undefined,
    interrupts: {
      asked: () => false,
      atOnce: new AbortController().signal,
      waitUntil: async (time) => {
        scene.now = Math.max(time, scene.now + HOUR);
        whileWaiting(++looks);
      },
    },
  };
  const session = { cwd: scene.project, permissionMode: 'acceptEdits', allow: [], env: {}, client: {} };
  const answer = (note: string) =>
    scene.store.append(ref, () => ({ kind: 'answered', gate: 'question 1', said: 'answered', note }));
  const go = async () => (await runLoop({ ref, session, idleMs: 1000 }, ports)).status;
  const finish = () => {
    says.tests = PASS;
    scene.judges.tree = 'another tree';
  };
  return { scene, finish, prompts, answer, go, state: () => scene.store.read(ref), looks: () => looks };
}

test('a run waits without a session, and the answer is the next prompt', async () => {
  const made = askingRun(
    'wait',
    [
      (ask) => ask('Which one?'),
      () => {
        made.finish();
      },
    ],
    (n) => {
      expect(made.prompts).toHaveLength(1);
      if (n === 3) made.answer('the blue one');
    },
  );
  expect(await made.go()).toBe('verified_done');
  expect(made.prompts[0]).toContain('untildone ask');
  expect(made.prompts[1]).toMatch(
    /^untildone: you asked \(question 1\): "Which one\?"\nA person answered: "the blue one"/,
  );
  expect(made.state().iteration).toBe(1);
});

test('a run that nobody answers pauses, and takes the answer when it goes on', async () => {
  const made = askingRun('wait', [
    (ask) => ask('Which one?'),
    () => {
      made.finish();
    },
  ]);
  expect(await made.go()).toBe('paused');
  expect(made.looks()).toBe(24);
  made.answer('blue');
  made.scene.store.append(made.scene.store.loops()[0] as never, () => ({
    kind: 'command',
    command: 'resume',
  }));
  expect(await made.go()).toBe('verified_done');
  expect(made.prompts[1]).toContain('blue');
});

test('with ask: end it ends, and with ask: decide it never waits', async () => {
  expect(await askingRun('end', [(ask) => ask('Which one?')]).go()).toBe('released');
  const made = askingRun('decide', [
    (ask) => {
      ask('Which one?');
      made.finish();
    },
  ]);
  expect(await made.go()).toBe('verified_done');
  expect(made.looks()).toBe(0);
});
