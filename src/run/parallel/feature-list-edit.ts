/** Edits to the text of a feature list that leave every byte outside the edit as it is. */
import { applyEdits, modify } from 'jsonc-parser';
import { parseStrict } from '../../client/settings/json-text.ts';

/** The text in which this feature passes; undefined when it is no such list, or does not hold the feature. */
export function withFeaturePassing(text: string, id: string): string | undefined {
  const at = placeOf(text, id);
  return at && applyEdits(text, modify(text, [...at, 'passes'], true, {}));
}

function placeOf(text: string, id: string): (string | number)[] | undefined {
  try {
    parseStrict(text);
  } catch {
    return undefined;
  }
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ' '));
  const isBare = Array.isArray(value);
  const list: unknown = isBare ? value : (value as { features?: unknown } | null)?.features;
  if (!Array.isArray(list)) return undefined;
  const index = list.findIndex((item: { id?: unknown } | null) => String(item?.id).trim() === id);
  return index < 0 ? undefined : [...(isBare ? [] : ['features']), index];
}
