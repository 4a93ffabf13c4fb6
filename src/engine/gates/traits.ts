/** The traits of every kind of gate. They are small and pure, so every bundle has them. `all.ts` has the judging. */
import type { Contract } from '../core/contract/contract.ts';
import type { GateKind } from '../core/contract/gate-options.ts';
import type { GateTraits } from '../core/contract/gate-traits.ts';
import { agentTraits } from './agent/traits.ts';
import { approveTraits } from './approve/traits.ts';
import { artefactTraits } from './artefact/traits.ts';
import { changedTraits } from './changed/traits.ts';
import { checklistTraits } from './checklist/traits.ts';
import { chunksTraits } from './chunks/traits.ts';
import { ciTraits } from './ci/traits.ts';
import { allTraits, anyTraits } from './combined/traits.ts';
import { customTraits } from './custom/traits.ts';
import { differentialTraits } from './differential/traits.ts';
import { featuresTraits } from './features/traits.ts';
import { forbidTraits } from './forbid/traits.ts';
import { gitTraits } from './git/traits.ts';
import { holdoutTraits } from './holdout/traits.ts';
import { hookTraits } from './hook/traits.ts';
import { judgeTraits } from './judge/traits.ts';
import { metricsTraits } from './metrics/traits.ts';
import { promiseTraits } from './promise/traits.ts';
import { runTraits } from './run/traits.ts';
import { subagentsTraits } from './subagents/traits.ts';
import { suppressionsTraits } from './suppressions/traits.ts';
import { tasksTraits } from './tasks/traits.ts';
import { testsIntactTraits } from './tests_intact/traits.ts';
import { textTraits } from './text/traits.ts';

export const TRAITS: { readonly [Kind in GateKind]: GateTraits<Kind> } = {
  agent: agentTraits,
  all: allTraits,
  any: anyTraits,
  approve: approveTraits,
  artefact: artefactTraits,
  changed: changedTraits,
  checklist: checklistTraits,
  chunks: chunksTraits,
  ci: ciTraits,
  custom: customTraits,
  differential: differentialTraits,
  features: featuresTraits,
  forbid: forbidTraits,
  git: gitTraits,
  holdout: holdoutTraits,
  hook: hookTraits,
  judge: judgeTraits,
  metrics: metricsTraits,
  promise: promiseTraits,
  run: runTraits,
  subagents: subagentsTraits,
  suppressions: suppressionsTraits,
  tasks: tasksTraits,
  tests_intact: testsIntactTraits,
  text: textTraits,
};

/** The traits of a kind. A journal or contract of another version may name an unknown kind: it has no traits. */
export function traitsOf(kind: string): GateTraits {
  if (Object.hasOwn(TRAITS, kind)) return TRAITS[kind as GateKind];
  return { kind: kind as GateKind, class: 'claimed' };
}

/** The kinds that have a trait. */
export function kindsWith(trait: keyof GateTraits): GateKind[] {
  return Object.values(TRAITS).flatMap((traits: GateTraits) =>
    traits[trait] === undefined ? [] : [traits.kind],
  );
}

/** Whether a contract has other gates than promises. */
export function measures({ gates }: Pick<Contract, 'gates'>): boolean {
  return Object.values(gates).some(({ kind }) => !traitsOf(kind).isWord);
}
