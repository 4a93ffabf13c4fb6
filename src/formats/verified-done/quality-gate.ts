import { oneLine } from '../../core/text/clip.ts';
import { type Fields, isFields, textOf } from './fields.ts';

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
  const lastResult = oneLine(textOf(fields.last_result) ?? '', NAME_LIMIT) || 'unknown';
  if (stages !== undefined && stages !== null && !isFields(stages)) {
    return { lastResult, stages: [], odd: 'stages in quality-gate.json is not an object and is not used' };
  }
  const all = Object.entries(stages ?? {}).map(([name, stage]) => stageOf(name, stage));
  // Failing ones first, so that a long list does not hide them.
  const ordered = [...all.filter(hasFailed), ...all.filter((stage) => !hasFailed(stage))];
  return { lastResult, stages: ordered.slice(0, MAX_STAGES) };
}

function stageOf(name: string, stage: unknown): Stage {
  const fields = isFields(stage) ? stage : { status: stage };
  const details = oneLine(textOf(fields.details) ?? '', DETAILS_LIMIT);
  return {
    name: oneLine(name, NAME_LIMIT),
    status: oneLine(textOf(fields.status) ?? '', NAME_LIMIT) || 'unknown',
    ...(details === '' ? {} : { details }),
  };
}

export function hasFailed({ status }: Stage): boolean {
  return status === 'failed';
}

/** The last result speaks for all stages; a stage that failed is believed whatever the last result says. */
export function gateFails({ lastResult, stages }: QualityGate): boolean {
  return lastResult === 'failed' || stages.some(hasFailed);
}
