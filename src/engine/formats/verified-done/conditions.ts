import type { Outcome } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import { type Fields, isFields, isTrue, plainText, shown } from './fields.ts';

/** The nine conditions of VERIFIED_DONE in their order, and what to do for each. */
export const CONDITIONS = {
  memory_search: 'Search the memory for what is known about this task',
  task_classified: 'Classify the task and its complexity',
  must_have_answered: 'Get every MUST_HAVE question answered',
  plan_approved: 'Get the plan approved',
  implementation_complete: 'Finish the implementation',
  correctness_passed: 'Run the build and the syntax check until they pass',
  quality_passed: 'Run the type check and the linter until they pass',
  adversarial_passed: 'Run the adversarial review and settle what it finds',
  retrospective_done: 'Do the retrospective and save what was learnt',
} as const;

type ConditionName = keyof typeof CONDITIONS;

/** The adversarial review is asked for from this complexity on. */
const ADVERSARIAL_FROM = 7;

export interface Condition {
  name: ConditionName;
  outcome: Extract<Outcome, 'pass' | 'fail' | 'skip'>;
  summary: string;
}

export interface Conditions {
  /** The conditions of the nine that the file names. */
  known: Condition[];
  /** Names of other conditions that are not set. They are mentioned, and hold no session. */
  otherOpen: string[];
}

export function readConditions(
  value: unknown,
  about: { complexity?: number; verified: boolean },
): Conditions {
  if (!isFields(value)) return { known: [], otherOpen: [] };
  const names = Object.keys(CONDITIONS) as ConditionName[];
  return {
    known: names.filter((name) => Object.hasOwn(value, name)).map((name) => condition(name, value, about)),
    otherOpen: Object.keys(value)
      .filter((name) => !Object.hasOwn(CONDITIONS, name) && !isTrue(value[name]))
      .map((name) => oneLine(name, 60)),
  };
}

function condition(
  name: ConditionName,
  values: Fields,
  { complexity, verified }: { complexity?: number; verified: boolean },
): Condition {
  const value = values[name];
  if (isTrue(value)) return { name, outcome: 'pass', summary: 'set' };
  if (name === 'adversarial_passed') {
    if (complexity !== undefined && complexity < ADVERSARIAL_FROM) {
      return { name, outcome: 'skip', summary: `not asked for at complexity ${complexity}` };
    }
    // Files of the format have no complexity. `null` in a finished state is their way to say "was not needed".
    if (complexity === undefined && verified && value === null) {
      return { name, outcome: 'skip', summary: 'null, and no complexity is given: taken as not asked for' };
    }
  }
  return { name, outcome: 'fail', summary: `not met (${oneLine(shown(value), 60)})` };
}

export function whatToDo(name: ConditionName): string {
  return `${CONDITIONS[name]}, then set conditions.${name}.`;
}

export interface Stage {
  name: string;
  status: string;
  details?: string;
}

export interface QualityGate {
  lastResult: string;
  stages: Stage[];
  odd?: string;
}

const MAX_STAGES = 50;
const NAME_LIMIT = 60;
const DETAILS_LIMIT = 400;

export function readQualityGate(fields: Fields): QualityGate {
  const { stages } = fields;
  const lastResult = oneLine(plainText(fields.last_result) ?? '', NAME_LIMIT) || 'unknown';
  if (stages !== undefined && stages !== null && !isFields(stages)) {
    return { lastResult, stages: [], odd: 'stages in quality-gate.json is not an object and is not used' };
  }
  const all = Object.entries(stages ?? {}).map(([name, stage]) => stageOf(name, stage));
  // Failing stages come first, so that a long list does not hide them.
  const ordered = [...all.filter(hasFailed), ...all.filter((stage) => !hasFailed(stage))];
  return { lastResult, stages: ordered.slice(0, MAX_STAGES) };
}

function stageOf(name: string, stage: unknown): Stage {
  const fields = isFields(stage) ? stage : { status: stage };
  const details = oneLine(plainText(fields.details) ?? '', DETAILS_LIMIT);
  return {
    name: oneLine(name, NAME_LIMIT),
    status: oneLine(plainText(fields.status) ?? '', NAME_LIMIT) || 'unknown',
    details: details === '' ? undefined : details,
  };
}

export function hasFailed({ status }: Stage): boolean {
  return status === 'failed';
}

/** Fails when the last result or any stage failed. */
export function gateFails({ lastResult, stages }: QualityGate): boolean {
  return lastResult === 'failed' || stages.some(hasFailed);
}
