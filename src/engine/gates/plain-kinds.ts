/** The kinds of gates that need no library: they look at files, ask, or run something. Loaded for contracts that name one. */
import { agentGate } from './agent/index.ts';
import { approveGate } from './approve/index.ts';
import { checklistGate } from './checklist/index.ts';
import { ciGate } from './ci/index.ts';
import { customGate } from './custom/index.ts';
import { featuresGate } from './features/index.ts';
import type { Gates } from './gate.ts';
import { gitGate } from './git/index.ts';
import { holdoutGate } from './holdout/index.ts';
import { hookGate } from './hook/index.ts';
import { judgeGate } from './judge/index.ts';
import { metricsGate } from './metrics/index.ts';
import { subagentsGate } from './subagents/index.ts';
import { tasksGate } from './tasks/index.ts';

export const GATES: Gates = {
  agent: agentGate,
  approve: approveGate,
  checklist: checklistGate,
  ci: ciGate,
  custom: customGate,
  features: featuresGate,
  git: gitGate,
  holdout: holdoutGate,
  hook: hookGate,
  judge: judgeGate,
  metrics: metricsGate,
  subagents: subagentsGate,
  tasks: tasksGate,
};
