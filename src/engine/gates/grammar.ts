/** The grammar of every kind of gate that a contract may name. It needs zod, so hooks do not load it. */
import * as z from 'zod';
import type { GateKind } from '../core/contract/gate-options.ts';
import { say } from '../schema/words.ts';
import { agentGrammar } from './agent/grammar.ts';
import { approveGrammar } from './approve/grammar.ts';
import { artefactGrammar } from './artefact/grammar.ts';
import { changedGrammar } from './changed/grammar.ts';
import { checklistGrammar } from './checklist/grammar.ts';
import { ciGrammar } from './ci/grammar.ts';
import { allGrammar, anyGrammar } from './combined/grammar.ts';
import { customGrammar } from './custom/grammar.ts';
import { differentialGrammar } from './differential/grammar.ts';
import { featuresGrammar } from './features/grammar.ts';
import { forbidGrammar } from './forbid/grammar.ts';
import { gitGrammar } from './git/grammar.ts';
import { holdoutGrammar } from './holdout/grammar.ts';
import { hookGrammar } from './hook/grammar.ts';
import { judgeGrammar } from './judge/grammar.ts';
import type { GateKindSchema } from './kind-grammar.ts';
import { metricsGrammar } from './metrics/grammar.ts';
import { promiseGrammar } from './promise/grammar.ts';
import { runGrammar } from './run/grammar.ts';
import { subagentsGrammar } from './subagents/grammar.ts';
import { suppressionsGrammar } from './suppressions/grammar.ts';
import { tasksGrammar } from './tasks/grammar.ts';
import { testsIntactGrammar } from './tests_intact/grammar.ts';
import { textGrammar } from './text/grammar.ts';

/** The kinds that stand under `gates`. The key `chunks` of a contract makes the gate `chunks`. */
type WrittenKind = Exclude<GateKind, 'chunks'>;

/** The grammars in the order of messages and of the JSON Schema. */
const GRAMMARS: { readonly [Kind in WrittenKind]: GateKindSchema<Kind> } = {
  run: runGrammar,
  features: featuresGrammar,
  checklist: checklistGrammar,
  git: gitGrammar,
  forbid: forbidGrammar,
  tests_intact: testsIntactGrammar,
  differential: differentialGrammar,
  suppressions: suppressionsGrammar,
  holdout: holdoutGrammar,
  tasks: tasksGrammar,
  metrics: metricsGrammar,
  promise: promiseGrammar,
  judge: judgeGrammar,
  agent: agentGrammar,
  ci: ciGrammar,
  custom: customGrammar,
  hook: hookGrammar,
  text: textGrammar,
  artefact: artefactGrammar,
  changed: changedGrammar,
  approve: approveGrammar,
  subagents: subagentsGrammar,
  all: allGrammar,
  any: anyGrammar,
};

export const GATE_KINDS: readonly GateKindSchema[] = Object.values(GRAMMARS);

export const KIND_WORDS: readonly string[] = GATE_KINDS.map(({ kind }) => kind);

export const gate = z.union(
  GATE_KINDS.map(({ schema }) => schema),
  say(`a gate: { <kind>: <what> }, the kind being one of ${KIND_WORDS.join(', ')}`, runGrammar.example),
);
