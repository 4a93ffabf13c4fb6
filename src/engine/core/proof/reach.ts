/** Which tests reach which files: by what each file loads, and what that loads in turn. Pure. */
import type { Loads } from './imports.ts';

export interface LoadedFiles {
  /** Whether this test may run code of one of these files. True where it cannot be told. */
  reaches(test: string, paths: ReadonlySet<string>): boolean;
}

/**
 * `loads` says what a file loads; undefined: that cannot be told. A test that seems to load nothing reaches everything: it
 * starts a program, or is found in a way that no text names.
 */
export function reachOf(loads: (path: string) => Loads | undefined): LoadedFiles {
  const known = new Map<string, ReadonlySet<string> | 'all'>();
  const closureOf = (test: string): ReadonlySet<string> | 'all' => {
    const found = known.get(test) ?? closure(test, loads);
    known.set(test, found);
    return found;
  };
  return {
    reaches(test, paths) {
      const reached = closureOf(test);
      if (reached === 'all') return true;
      for (const path of paths) if (reached.has(path)) return true;
      return false;
    },
  };
}

function closure(test: string, loads: (path: string) => Loads | undefined): ReadonlySet<string> | 'all' {
  const seen = new Set([test]);
  const open = [test];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const found = loads(path);
    if (!found || found.more) return 'all';
    for (const next of found.paths)
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
  }
  return seen.size === 1 ? 'all' : seen;
}
