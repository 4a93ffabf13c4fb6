import type { JudgedKind } from '../core/contract/gate-options.ts';
import { agentGate } from './agent/index.ts';
import { approveGate } from './approve/index.ts';
import { artefactGate } from './artefact/index.ts';
import { changedGate } from './changed/index.ts';
import { checklistGate } from './checklist/index.ts';
import { ciGate } from './ci/index.ts';
import { customGate } from './custom/index.ts';
import { differentialGate } from './differential/index.ts';
import { featuresGate } from './features/index.ts';
import { forbidGate } from './forbid/index.ts';
import type { Gate } from './gate.ts';
import { gitGate } from './git/index.ts';
import { holdoutGate } from './holdout/index.ts';
import { hookGate } from './hook/index.ts';
import { judgeGate } from './judge/index.ts';
import { metricsGate } from './metrics/index.ts';
import { promiseGate } from './promise/index.ts';
import { runGate } from './run/index.ts';
import { subagentsGate } from './subagents/index.ts';
import { suppressionsGate } from './suppressions/index.ts';
import { tasksGate } from './tasks/index.ts';
import { testsIntactGate } from './tests_intact/index.ts';
import { textGate } from './text/index.ts';

/** Every gate that is judged, by the word that names it in a contract. */
export const ALL_GATES: { readonly [Kind in JudgedKind]: Gate<Kind> } = {
  agent: agentGate,
  approve: approveGate,
  artefact: artefactGate,
  changed: changedGate,
  checklist: checklistGate,
  ci: ciGate,
  custom: customGate,
  differential: differentialGate,
  features: featuresGate,
  forbid: forbidGate,
  git: gitGate,
  holdout: holdoutGate,
  hook: hookGate,
  judge: judgeGate,
  metrics: metricsGate,
  promise: promiseGate,
  run: runGate,
  subagents: subagentsGate,
  suppressions: suppressionsGate,
  tasks: tasksGate,
  tests_intact: testsIntactGate,
  text: textGate,
};
