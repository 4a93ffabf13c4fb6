import { type Feature, isRecord, parseFeatureList } from './feature-list.ts';

/** What may not change about a feature list from the loop's start on. */
export interface FrozenFeature {
  id: string;
  description: string;
  verify?: string;
}

/** A list that is missing or broken at the start freezes as empty: no verify line of later counts without a person. */
export function freezeFeatures(text: string | undefined): { features: FrozenFeature[] } {
  const list = parseFeatureList(text ?? '[]');
  if (!('features' in list)) return { features: [] };
  return {
    features: list.features.map(({ id, description, verify }) => ({
      id,
      description,
      ...(verify === undefined ? {} : { verify }),
    })),
  };
}

/** Undefined when nothing was frozen: there is no loop, and the file speaks for itself. */
export function readFrozen(frozen: unknown): FrozenFeature[] | undefined {
  if (!isRecord(frozen) || !Array.isArray(frozen.features)) return undefined;
  return frozen.features as FrozenFeature[];
}

/** What was done to the list that only a person may do, a line each. */
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
    said.push(`feature ${now.id}: a verify command was added; a person must approve it`);
  }
  if (before?.verify !== undefined && before.verify !== now.verify) {
    said.push(
      `feature ${now.id}: its verify command was changed; a person must approve it: put back "${before.verify}"`,
    );
  }
  return said;
}

function words(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
