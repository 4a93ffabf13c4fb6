import { applyEdits, modify } from 'jsonc-parser';

/** Edits to the text of a feature list that leave every byte outside the edit as it is. */

const BOM = '\uFEFF';

/** The text in which these features pass; undefined when it is no such list, or holds none of them. */
export function withFeaturesPassing(text: string, ids: readonly string[]): string | undefined {
  const edited = ids.reduce((now, id) => withFeaturePassing(now, id) ?? now, text);
  return edited === text ? undefined : edited;
}

/** The text in which this feature passes; undefined when it is no such list, or does not hold the feature. */
export function withFeaturePassing(text: string, id: string): string | undefined {
  // The parser does not accept a byte order mark; a space in its place keeps the offsets.
  const source = text.startsWith(BOM) ? ` ${text.slice(1)}` : text;
  const at = placeOf(source, id);
  if (!at) return undefined;
  const edited = applyEdits(source, modify(source, [...at, 'passes'], true, {}));
  return source === text ? edited : `${BOM}${edited.slice(1)}`;
}

function placeOf(text: string, id: string): (string | number)[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isBare = Array.isArray(value);
  const list: unknown = isBare ? value : (value as { features?: unknown } | null)?.features;
  if (!Array.isArray(list)) return undefined;
  const index = list.findIndex((item: { id?: unknown } | null) => String(item?.id).trim() === id);
  return index < 0 ? undefined : [...(isBare ? [] : ['features']), index];
}
