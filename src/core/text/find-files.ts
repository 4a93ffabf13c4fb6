import { pathMatcher } from './path-glob.ts';

/** What looking for files needs to see. */
export interface Folders {
  /** The names in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  look(path: string): { kind: 'file' | 'folder' | 'other'; mtimeMs: number } | undefined;
}

/** So many names are looked at: a glob over everything must not keep a session waiting. */
const MOST_NAMES = 20_000;
const DEEPEST = 12;
/** Nobody's own files, and far too many. */
const NOT_ENTERED = new Set(['node_modules', '.git']);

/** The files below a folder that one of the globs fits, as paths relative to it, the newest first. */
export function findFiles(root: string, globs: readonly string[], folders: Folders): string[] {
  const walk = new Walk(root, folders);
  for (const glob of globs) {
    const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
    walk.into('', parts, 0);
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
