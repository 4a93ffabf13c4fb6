import { jsonFault } from '../../schema/json-fault.ts';

/** One feature of a feature list. Ids are compared as text: `7` and `"7"` are the same. */
export interface Feature {
  id: string;
  description: string;
  steps: string[];
  passes: boolean;
  verify?: string;
  /** The ids of the features that come first. */
  dependsOn: string[];
}

export type FeatureList = { features: Feature[] } | { problem: string; line?: number };

/** Reads `{"features": [...]}` or a bare array. Other fields are ignored. */
export function parseFeatureList(text: string): FeatureList {
  const json = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    const { line, column } = jsonFault(json);
    return { problem: `no valid JSON from column ${column} on`, line };
  }
  const list = Array.isArray(value) ? value : isRecord(value) ? value.features : undefined;
  if (!Array.isArray(list))
    return { problem: 'there is no list of features: expected {"features": [...]} or [...]' };
  const features: Feature[] = [];
  for (const [index, item] of list.entries()) {
    const feature = readFeature(item);
    if (typeof feature === 'string') return { problem: `entry ${index + 1} of the list ${feature}` };
    if (features.some((other) => other.id === feature.id))
      return { problem: `two features have the id ${feature.id}` };
    features.push(feature);
  }
  return { features };
}

function readFeature(item: unknown): Feature | string {
  if (!isRecord(item)) return 'is no object';
  const { id, description, steps, passes, verify, depends_on: dependsOn } = item;
  if (typeof id !== 'number' && (typeof id !== 'string' || id.trim() === '')) return 'has no id';
  if (verify !== undefined && verify !== null && typeof verify !== 'string') {
    return `(id ${id}) has a verify that is no command line`;
  }
  return {
    id: String(id).trim(),
    description: typeof description === 'string' ? description.trim() : '',
    steps: (Array.isArray(steps) ? steps : [steps]).filter((step) => typeof step === 'string'),
    // Only the value true counts, not "true", 1 or "yes".
    passes: passes === true,
    dependsOn: idsOf(dependsOn),
    verify: typeof verify === 'string' && verify.trim() !== '' ? verify.trim() : undefined,
  };
}

function idsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map((id) => String(id).trim());
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What must not change in a feature list after the start of a loop. */
export interface FrozenFeature {
  id: string;
  description: string;
  verify?: string;
}

/** Freezes a list. One that is missing or broken freezes as empty, so no verify command that comes later is run. */
export function freezeFeatures(text: string | undefined): { features: FrozenFeature[] } {
  const list = parseFeatureList(text ?? '[]');
  if (!('features' in list)) return { features: [] };
  return {
    features: list.features.map(({ id, description, verify }) => ({
      id,
      description,
      verify,
    })),
  };
}

/** The frozen features; undefined without a loop, when the file counts as it is. */
export function readFrozen(frozen: unknown): FrozenFeature[] | undefined {
  if (!isRecord(frozen) || !Array.isArray(frozen.features)) return undefined;
  return frozen.features as FrozenFeature[];
}

/** The changes to the list that only you may make, a line each. */
export function tampering(frozen: readonly FrozenFeature[], now: readonly Feature[]): string[] {
  const before = new Map(frozen.map((feature) => [feature.id, feature]));
  const removed = frozen.filter(({ id }) => !now.some((feature) => feature.id === id)).map(removedWords);
  return [...removed, ...now.flatMap((feature) => changedWords(before.get(feature.id), feature))];
}

function removedWords({ id, description }: FrozenFeature): string {
  return `feature ${id} (${description}) was removed: put it back`;
}

function changedWords(before: FrozenFeature | undefined, now: Feature): string[] {
  const said: string[] = [];
  if (before && words(before.description) !== words(now.description)) {
    said.push(`feature ${now.id}: its description was changed: put back "${before.description}"`);
  }
  if (before?.verify === undefined && now.verify !== undefined) {
    said.push(`feature ${now.id}: a verify command was added; a person has to trust it first`);
  }
  if (before?.verify !== undefined && before.verify !== now.verify) {
    said.push(
      `feature ${now.id}: its verify command was changed; a person has to trust it first: put back "${before.verify}"`,
    );
  }
  return said;
}

function words(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
