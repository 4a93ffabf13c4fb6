/**
 * What lies in the store was written by any program with access to it. Entries of an unknown shape are left out here, so that
 * none of them keeps others from being read.
 */

import { canonicalLimits, type FleetLimits } from '../../engine/core/fleet/limits.ts';
import { asFields } from '../../engine/core/text/fields.ts';
import type { FleetJob, ProgressReport, RunCommand, WorkerView } from '../../engine/ports/fleet.ts';

const COMMANDS: readonly string[] = ['pause', 'resume', 'cancel', 'release', 'answer', 'approve', 'reject'];

/** JSON of the store; undefined for what is none. */
export function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** A command under the id that the store has it by. */
export function commandIn(id: string, value: unknown): RunCommand | undefined {
  const fields = asFields(value);
  if (!fields || !COMMANDS.includes(fields.command as string) || !isNumber(fields.at)) return undefined;
  const { about, text, seal } = fields;
  if (![about, text, seal].every((each) => each === undefined || isText(each))) return undefined;
  const seen = asFields(fields.seen);
  if (fields.seen !== undefined && !(seen && isNumber(seen.iteration) && areTexts(seen.questions)))
    return undefined;
  return { ...(fields as unknown as RunCommand), id };
}

export function newsIn(value: unknown): ProgressReport | undefined {
  const fields = asFields(value);
  const { worker, status, doing, iteration, costUsd, tokens, at } = fields ?? {};
  const isNews = [worker, status, doing].every(isText) && [iteration, costUsd, tokens, at].every(isNumber);
  return isNews ? (fields as unknown as ProgressReport) : undefined;
}

export function workerIn(value: unknown): WorkerView | undefined {
  const fields = asFields(value);
  const { name, host, version, labels, runs, concurrency, pid, startedAt, at } = fields ?? {};
  const isView =
    [name, host, version].every(isText) &&
    [labels, runs].every(areTexts) &&
    [concurrency, pid, startedAt, at].every(isNumber);
  return isView ? (fields as unknown as WorkerView) : undefined;
}

export function labelsIn(value: unknown): string[] | undefined {
  return areTexts(value) ? value : undefined;
}

export function limitsIn(value: unknown): FleetLimits {
  return canonicalLimits(asFields(value) ?? {});
}

/** What a run was submitted with. `run`: the id that the queue has it by. One that cannot be read has no spec. */
export function fleetJob(value: unknown, run: string): FleetJob {
  const { repo, labels, priority, spec, submittedAt, title, run: named } = asFields(value) ?? {};
  const isJob =
    named === run && [repo, spec, title].every(isText) && areTexts(labels) && isNumber(submittedAt);
  if (!isJob) return { run, repo: '', labels: [], priority: 0, spec: '', submittedAt: 0, title: UNREADABLE };
  return { run, repo, labels, priority: Number(priority) || 0, spec, submittedAt, title } as FleetJob;
}

const UNREADABLE = 'what is on the queue of this run cannot be read';
