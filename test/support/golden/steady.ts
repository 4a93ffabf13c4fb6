/**
 * Makes a text the same in every run: folders, names of loops, times, durations, digests and versions become names. Equal things
 * get equal names, so that a text that mixes two loops up differs. Renew golden files with: npx vitest run test/golden -u
 */
export function steady(text: string, folders: Readonly<Record<string, string>> = {}): string {
  let changed = text;
  // The longest first: one folder may lie in another.
  const known = Object.entries(folders).sort(([, a], [, b]) => b.length - a.length);
  for (const [name, folder] of known) changed = changed.replaceAll(folder, `<${name}>`);
  for (const [name, pattern] of NUMBERED) changed = numbered(changed, name, pattern);
  for (const [pattern, name] of REPLACED) changed = changed.replace(pattern, name);
  return changed;
}

const NUMBERED: readonly (readonly [string, RegExp])[] = [
  ['loop', /\b\d{8}-\d{6}-[0-9a-f]{6}\b/g],
  ['project', /(?<=\w-)(?<!-[0-9a-f]{4}-)[0-9a-f]{12}(?=["/])/g],
  ['events', /\b[0-9a-f]{12}(?=-\d+\b)/g],
];

const REPLACED: readonly (readonly [RegExp, string])[] = [
  // Gates are judged side by side: which of them ends first is chance.
  [/(?<="took":)\s*\{(?:[^{}]|\{[^{}]*\})*\}/g, '"<spans>"'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d(?: at)? \d\d:\d\d(?::\d\d)?/g, '<time>'],
  [/\b1[78]\d{11}(?:\.\d+)?\b/g, '<time>'],
  [/(?<="mac": ?")[0-9a-f]{32}(?=")/g, '<mac>'],
  [/(?<="(?:payload|sig|signature|publicKey)": ?")[^"]+(?=")/g, '<signed>'],
  [/\b(?!0{64})[0-9a-f]{64}\b/g, '<sha256>'],
  [/\b[0-9a-f]{40}\b/g, '<sha1>'],
  [/(?<=["`])[0-9a-f]{16}(?=["`])/g, '<key>'],
  [/(?<="(?:ms|\w*Ms|\w*_ms|\w*_s|seconds|\w*Seconds)": ?)\d+(?:\.\d+)?/g, '"<span>"'],
  [/(?<="(?:pid|port)": ?)\d+/g, '"<number>"'],
  [/\b0\.0\.0(?:-source)?\b/g, '<version>'],
];

function numbered(text: string, name: string, pattern: RegExp): string {
  const seen = new Map<string, string>();
  return text.replace(pattern, (found) => {
    const known = seen.get(found) ?? `<${name} ${seen.size + 1}>`;
    seen.set(found, known);
    return known;
  });
}
