import type { Contract, GateSpec, Notification, Phase } from '../../../src/engine/core/contract/contract.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import type { Message } from '../../../src/engine/core/words/endings.ts';
import { approveGate } from '../../../src/engine/gates/approve/index.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { type HookScene, hookScene } from './hook-scene.ts';
import { contractWith, run, type Says } from './judging.ts';

/** A loop of phases: gates say what a test wants, but a question is really one. */
export interface PhaseScene extends HookScene {
  ref: LoopRef;
  /** The files of the project. */
  files: Record<string, string>;
  /** What was sent to people. */
  sent: Message[];
  answer(said: 'approved' | 'rejected', more?: { gate?: string; note?: string; digest?: string }): LoopState;
  place(): string | undefined;
}

export function phaseScene(
  contract: Contract,
  says: Record<string, Says> = {},
  files: Record<string, string> = {},
): PhaseScene {
  const sent: Message[] = [];
  const scene = hookScene(says);
  const { workspace } = scene.judges;
  scene.judges.gates.approve = approveGate;
  scene.judges.workspace = (project) => ({ ...workspace(project), read: async (path) => files[path] });
  scene.judges.notifier = { send: async (_: Notification, message: Message) => void sent.push(message) };
  const ref = scene.begin(contract);
  return Object.assign(scene, {
    ref,
    files,
    sent,
    answer: (said: 'approved' | 'rejected', more = {}) =>
      scene.store.append(ref, () => ({ kind: 'answered', gate: 'ok', said, ...more })),
    place: () => scene.state().phase?.name,
  });
}

export const phase = (name: string, exit: string[], more: Partial<Phase> = {}): Phase => ({
  name,
  entry: [],
  exit,
  instruction: `Do ${name}.`,
  ...more,
});

export const approve = (ask = 'Is it good?', file?: string): GateSpec => ({
  kind: 'approve',
  options: { ask, ...(file ? { file } : {}) },
});

export const GATES = { plan: run('plan'), tests: run('tests'), notes: run('notes') };

/** think, make, tell: each with a gate of its own. */
export function threePhases(more: Partial<Contract> = {}): Contract {
  const phases = [phase('think', ['plan']), phase('make', ['tests']), phase('tell', ['notes'])];
  return contractWith(GATES, { done: ['tests'], phases, ...more });
}
