/** Matches paths with the patterns of tool rules, in whatever spelling. */
import { pathMatcher } from '../text/globs.ts';

export interface PathScope {
  /** The folder of the project, with and without links resolved. */
  roots: readonly string[];
  home: string;
}

interface Rule {
  keep: boolean;
  absolute: boolean;
  matches(path: string): boolean;
}

/** Makes a test for absolute paths. The last pattern that fits decides. */
export function pathsMeant(
  patterns: readonly string[],
  scope: PathScope,
  how: 'exactly' | 'in any spelling' = 'in any spelling',
): (path: string) => boolean {
  const same = how === 'exactly' ? (text: string) => text : fold;
  const rules = patterns.map((pattern) => ruleOf(pattern, scope.home, same));
  const roots = scope.roots.map(same);
  return (path) => {
    const folded = same(path);
    const inside = roots.filter((root) => isBelow(root, folded)).map((root) => folded.slice(root.length + 1));
    const fits = (rule: Rule) =>
      rule.absolute ? rule.matches(folded.slice(1)) : inside.some((relative) => rule.matches(relative));
    return rules.reduce((meant, rule) => (fits(rule) ? rule.keep : meant), false);
  };
}

function ruleOf(written: string, home: string, same: (text: string) => string): Rule {
  const keep = !written.startsWith('!');
  const pattern = keep ? written : written.slice(1);
  const absolute = /^[~/]/.test(pattern);
  // `folder/**` means the folder, too: deleting the folder deletes what is in it.
  const whole = pattern.replace(/^~(?=\/|$)/, home).replace(/(?<=.)\/\*\*\/?$/, '');
  const anchored = /^\.\//.test(whole) || absolute ? `/${whole.replace(/^(\.?\/)+/, '')}` : whole;
  return { keep, absolute, matches: pathMatcher([same(anchored)]) };
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Characters that some file systems ignore in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Makes names equal that some file system takes for the same. */
export function fold(path: string): string {
  return path
    .normalize('NFC')
    .replace(IGNORED, '')
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map(withoutLastDots)
    .join('/');
}

/** The name without dots and spaces at its end. Names of dots alone (`..`) stay. */
function withoutLastDots(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--;
  // A name that begins with dots keeps them; of what follows, only dots and spaces after another character go.
  while (end < name.length && (end === 0 || name[end - 1] === '.')) end++;
  return name.slice(0, end);
}
