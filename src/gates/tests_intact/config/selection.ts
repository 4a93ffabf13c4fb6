import { maskSource } from '../../../core/source/mask.ts';
import type { Finding } from '../finding.ts';
import type { ConfigPair } from './config.ts';
import { listAfter, NEVER_TESTS } from './config.ts';

/** By file: the settings that say which files a runner or a compiler takes. */
const SETTINGS: readonly (readonly [files: RegExp, names: string])[] = [
  [/(^|\/)vite(st)?\.config\.\w+$|(^|\/)vitest\.workspace\.\w+$/, 'include'],
  [/(^|\/)(jest\.config\.\w+|package\.json)$/, 'testMatch roots testRegex'],
  [/(^|\/)playwright\.config\.\w+$/, 'testMatch testDir'],
  [/(^|\/)cypress\.config\.\w+$/, 'specPattern'],
  [/(^|\/)\.mocharc(\.\w+)?$/, 'spec'],
  [
    /(^|\/)(pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/,
    'testpaths python_files python_classes python_functions',
  ],
  [/(^|\/)tsconfig(\.[\w.-]+)?\.json$/, 'include files'],
];

/** What is meant by `include` in there is not which tests run. */
const OTHER_BLOCKS = /\b(?:coverage|optimizeDeps|typecheck|benchmark|deps|server|ssr|build)\s*:\s*\{/g;

/** Fewer files are looked at than before: a list that lost some, a folder that became one of its own, a single file. */
export function compareSelections(pairs: readonly ConfigPair[]): Finding[] {
  return pairs.flatMap(({ path, before = '', after }) => {
    const names = SETTINGS.find(([files]) => files.test(path))?.[1].split(' ') ?? [];
    if (after === undefined) return [];
    const others = pairs.filter((pair) => pair.path !== path).map((pair) => pair.after ?? '');
    return names.flatMap((name): Finding[] => {
      const [then, now] = [valuesOf(before, path, name), valuesOf(after, path, name)];
      const lost = narrowed(name, then, now).filter((value) => !others.some((text) => text.includes(value)));
      const text = `"${name}" takes in less: ${now.join(', ')}${then.length > 0 ? `; it was ${then.join(', ')}` : ''}`;
      return lost.length === 0 ? [] : [{ id: `config:${path}:${name}`, path, text: text.slice(0, 300) }];
    });
  });
}

function valuesOf(text: string, path: string, name: string): string[] {
  const isSettings = /\.(ini|toml|cfg)$/.test(path);
  const plain = maskSource(text, isSettings ? 'settings' : 'javascript').uncommented;
  const own = isSettings ? plain : withoutOtherBlocks(plain);
  const listed = listAfter(own, new RegExp(name)).map(({ value }) => value);
  if (listed.length > 0) return listed;
  const single = new RegExp(`(?<![\\w.-])["']?${name}["']?\\s*[:=][ \\t]*["'\`]([^"'\`\\n]+)["'\`]`).exec(
    own,
  )?.[1];
  if (single !== undefined) return [single];
  const words = isSettings
    ? new RegExp(`^${name}\\s*=((?:[^\\n"'[]*)(?:\\n[ \\t]+[^\\n]+)*)`, 'm').exec(own)?.[1]
    : '';
  return words?.split(/[\s,]+/).filter((word) => word !== '') ?? [];
}

function withoutOtherBlocks(text: string): string {
  let rest = '';
  let from = 0;
  for (const match of text.matchAll(OTHER_BLOCKS)) {
    if (match.index < from) continue;
    rest += text.slice(from, match.index);
    let depth = 0;
    for (from = match.index + match[0].length - 1; from < text.length; from++) {
      if (text[from] === '{') depth++;
      else if (text[from] === '}' && --depth === 0) break;
    }
  }
  return rest + text.slice(from);
}

const ONE_TEST = /(?:^|\/)[^/*?{]*(?:[._-](?:test|spec|cy|e2e)\.\w+|_test\.py)$|(?:^|\/)test_[^/*?{]*\.py$/;

function narrowed(name: string, then: readonly string[], now: readonly string[]): string[] {
  // Nothing said is everything.
  if (now.length === 0) return [];
  const gone = then.filter((value) => !now.includes(value) && !NEVER_TESTS.test(value));
  const fresh = now.filter((value) => !then.includes(value));
  const single = then.length === 0 || gone.length > 0 ? fresh.filter((value) => ONE_TEST.test(value)) : [];
  const lost = gone.filter((value) => {
    if (name.startsWith('python_')) return true;
    if (now.some((other) => isWithin(placeOf(value), placeOf(other)))) return false;
    return fresh.length === 0 || fresh.some((other) => isWithin(placeOf(other), placeOf(value)));
  });
  return [...single, ...lost];
}

/** Of a pattern, the folder that it stands for, as far as that is said. */
function placeOf(pattern: string): string {
  const literal = pattern.replace(/^\.\/|^<rootDir>\/?/, '').split(/[*?{[(]/, 1)[0] ?? '';
  return (literal === pattern ? literal : literal.slice(0, literal.lastIndexOf('/') + 1)).replace(/\/$/, '');
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || (outer !== '' && inner.startsWith(`${outer}/`));
}
