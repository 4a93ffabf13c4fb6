import { type Wildcard, wildcardMatcher } from './wildcards.ts';

/** Whether a text fits a pattern in which `*` stands for any characters. Takes linear time, whatever the texts hold. */
export function globMatches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/**
 * Makes a test for paths from the globs of a contract: `**`, `*`, `?`, `{a,b}`, and `!` for exceptions. A glob without a
 * slash matches a name in any folder; one that names a folder matches everything in it. The last glob that matches
 * decides. A list of exceptions alone starts with everything.
 */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.map((pattern) => {
    const negated = pattern.startsWith('!');
    return { keep: !negated, fits: globMatcher(negated ? pattern.slice(1) : pattern) };
  });
  const start = rules.length > 0 && rules.every((rule) => !rule.keep);
  return (path) => rules.reduce((kept, rule) => (rule.fits(path) ? rule.keep : kept), start);
}

function globMatcher(glob: string): (path: string) => boolean {
  const whole = withoutLastSlashes(glob);
  const body = whole.replace(/^(\.?\/)+/, '');
  const below: Wildcard = { kind: 'choice', of: [[], [{ kind: 'text', text: '/' }, { kind: 'path' }]] };
  const fits = wildcardMatcher([
    ...(whole.includes('/') ? [] : [{ kind: 'folders' } as const]),
    ...wildcardsIn(body),
    below,
  ]);
  // Many lines of one file are asked about in a row.
  let last: { path: string; fits: boolean } | undefined;
  return (path) => {
    if (last?.path !== path) last = { path, fits: fits(path) };
    return last.fits;
  };
}

function withoutLastSlashes(glob: string): string {
  let end = glob.length;
  while (glob[end - 1] === '/') end--;
  return glob.slice(0, end);
}

const WILDCARDS: Record<string, Wildcard> = {
  '**/': { kind: 'folders' },
  '**': { kind: 'path' },
  '*': { kind: 'name' },
  '?': { kind: 'one' },
};

/** A choice that is still open: the ways that are whole, and the one that is being read. */
interface OpenChoice {
  before: Wildcard[];
  ways: Wildcard[][];
}

function wildcardsIn(glob: string): Wildcard[] {
  const open: OpenChoice[] = [];
  const lastClosing = glob.lastIndexOf('}');
  let current: Wildcard[] = [];
  const close = ({ before, ways }: OpenChoice) => {
    current = [...before, { kind: 'choice', of: [...ways, current] }];
  };
  for (const { 0: part, index } of glob.matchAll(/\*\*\/|\*\*|./gs)) {
    const inner = open.at(-1);
    if (part === '{' && index < lastClosing) {
      open.push({ before: current, ways: [] });
      current = [];
    } else if (part === '}' && inner) {
      open.pop();
      close(inner);
    } else if (part === ',' && inner) {
      inner.ways.push(current);
      current = [];
    } else current.push(WILDCARDS[part] ?? { kind: 'text', text: part });
  }
  for (const choice of open.reverse()) close(choice);
  return current;
}

/** Access to folders for `findFiles`. */
export interface Folders {
  /** The names in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  look(path: string): { kind: 'file' | 'folder' | 'other'; mtimeMs: number } | undefined;
}

/** The search stops after so many names: a glob over everything must not keep a session waiting. */
const MOST_NAMES = 20_000;
const DEEPEST = 12;
/** Folders that are not searched: they hold too many files that are not the project's own. */
const NOT_ENTERED = new Set(['node_modules', '.git']);

/** The files below a folder that fit one of the globs, relative to the folder, the newest first. */
export function findFiles(root: string, globs: readonly string[], folders: Folders): string[] {
  const walk = new Walk(root, folders);
  for (const glob of globs) {
    const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
    // `**/**` finds what `**` finds.
    const different = parts.filter((part, i) => part !== '**' || parts[i - 1] !== '**');
    walk.into('', different, 0);
  }
  return [...walk.found].sort(([a, at], [b, bt]) => bt - at || (a < b ? -1 : 1)).map(([path]) => path);
}

export function isGlob(path: string): boolean {
  return /[*?{]/.test(path);
}

class Walk {
  readonly found = new Map<string, number>();
  private readonly root: string;
  private readonly folders: Folders;
  private left = MOST_NAMES;

  constructor(root: string, folders: Folders) {
    this.root = root;
    this.folders = folders;
  }

  into(folder: string, [part, ...rest]: readonly string[], depth: number): void {
    if (part === undefined || part === '..' || depth > DEEPEST || this.left <= 0) return;
    if (part === '**') {
      this.into(folder, rest, depth);
      for (const name of this.names(folder))
        if (!name.startsWith('.') && !NOT_ENTERED.has(name) && this.isFolder(inside(folder, name)))
          this.into(inside(folder, name), [part, ...rest], depth + 1);
      return;
    }
    for (const name of isGlob(part) ? this.fitting(folder, part) : [part])
      this.take(inside(folder, name), rest, depth);
  }

  private take(path: string, rest: readonly string[], depth: number): void {
    if (rest.length > 0) {
      this.into(path, rest, depth + 1);
      return;
    }
    const seen = this.folders.look(`${this.root}/${path}`);
    if (seen?.kind === 'file') this.found.set(path, seen.mtimeMs);
  }

  /** As in a shell, a leading dot has to be written out. */
  private fitting(folder: string, part: string): string[] {
    const fits = pathMatcher([`/${part}`]);
    return this.names(folder).filter((name) => fits(name) && (part.startsWith('.') || !name.startsWith('.')));
  }

  private names(folder: string): readonly string[] {
    const names = this.folders.list(folder === '' ? this.root : `${this.root}/${folder}`);
    this.left -= names.length;
    return names;
  }

  private isFolder(path: string): boolean {
    return this.folders.look(`${this.root}/${path}`)?.kind === 'folder';
  }
}

function inside(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
