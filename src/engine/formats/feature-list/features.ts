import { oneLine } from '../../core/text/clip.ts';
import { isFields } from '../../core/text/fields.ts';
import { jsonFault } from '../../schema/json-fault.ts';

/** One entry of `feature_list.json`. Fields that are missing or odd have a usable value. */
export interface Feature {
  id: string;
  description: string;
  steps: string[];
  passes: boolean;
}

export interface FeatureList {
  features: Feature[];
  /** `total_features`, where it is not the number of entries. */
  otherTotal?: number;
  /** What you should know about the list. */
  notes: string[];
}

export const NO_FEATURES: FeatureList = { features: [], notes: [] };

const ID_LIMIT = 100;
/** In longer texts the place of a fault is not looked for. */
const FAULT_LIMIT = 100_000;

/** Reads a list whose fields may be missing or odd. Anything but a list of objects is a problem, with its place if known. */
export function parseFeatures(
  text: string,
): FeatureList | { problem: string; at?: { line: number; column: number } } {
  const json = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return {
      problem: 'this is no JSON',
      at: json.length <= FAULT_LIMIT ? jsonFault(json) : undefined,
    };
  }
  const entries = isFields(value) ? value.features : undefined;
  if (!isFields(value) || !Array.isArray(entries))
    return { problem: 'there is no list of features: expected {"features": [...]}' };
  const odd = entries.findIndex((entry) => !isFields(entry));
  if (odd >= 0) return { problem: `entry ${odd + 1} of "features" is no object` };
  const records = entries.filter(isFields);
  const total = value.total_features;
  return {
    features: records.map(readFeature),
    otherTotal: Number.isSafeInteger(total) && total !== records.length ? Number(total) : undefined,
    notes: [...notedTotal(total, records.length), ...notedPasses(records), ...notedVerify(records)],
  };
}

function readFeature(entry: Record<string, unknown>, index: number): Feature {
  return {
    id: idOf(entry, index),
    description:
      typeof entry.description === 'string' && entry.description.trim() !== ''
        ? entry.description.trim()
        : '(no description)',
    steps: (Array.isArray(entry.steps) ? entry.steps : [entry.steps]).flatMap(readStep),
    // Only the value true counts, not "yes", "true" or 1.
    passes: entry.passes === true,
  };
}

function idOf({ id }: Record<string, unknown>, index: number): string {
  const text = typeof id === 'number' || typeof id === 'string' ? oneLine(String(id), ID_LIMIT) : '';
  return text === '' ? `entry ${index + 1}` : text;
}

/** A step is a text, or an object with a text in one of these fields. */
function readStep(step: unknown): string[] {
  const text = isFields(step)
    ? [step.description, step.step, step.text, step.action].find((t) => typeof t === 'string')
    : step;
  return typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [];
}

function notedTotal(total: unknown, entries: number): string[] {
  if (total === undefined || total === entries) return [];
  const said = typeof total === 'number' ? `${total}` : 'no number';
  return [`"total_features" is ${said}, but the list has ${entries} entries`];
}

function notedPasses(entries: Record<string, unknown>[]): string[] {
  const odd = entries.flatMap((entry, index) =>
    entry.passes && entry.passes !== true ? [idOf(entry, index)] : [],
  );
  return odd.length === 0 ? [] : [`"passes" is neither true nor false, which counts as open: ${listed(odd)}`];
}

function notedVerify(entries: Record<string, unknown>[]): string[] {
  const having = entries.flatMap((entry, index) =>
    typeof entry.verify === 'string' && entry.verify.trim() !== '' ? [idOf(entry, index)] : [],
  );
  if (having.length === 0) return [];
  return [
    `these features have a "verify" command, which is run only by a features gate of an untildone.yaml that you ` +
      `trust (gates: { features: { features: FILE } }): ${listed(having)}`,
  ];
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).join(', ');
  return ids.length <= 10 ? shown : `${shown} and ${ids.length - 10} more`;
}
