import type { ChangedTest, StartedWith } from '../loop/started-with.ts';
import { isUsualTest } from './test-places.ts';

const MOST_KEPT = 50;

/** Reads what `git diff --numstat -z` and `git diff --diff-filter=D --name-only -z` say of the last commit. */
export function testsChangedBefore(numstat: string, deletedNames: string): StartedWith | undefined {
  const deleted = new Set(deletedNames.split('\0'));
  const found = numstat.split('\0').flatMap((line): ChangedTest[] => {
    const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
    if (path === '' || !isUsualTest(path)) return [];
    const lines = added === '-' ? {} : { added: Number(added), removed: Number(removed) };
    return [{ path, ...lines, ...(deleted.has(path) ? { deleted: true as const } : {}) }];
  });
  if (found.length === 0) return undefined;
  const more = found.length - MOST_KEPT;
  return { changedTests: found.slice(0, MOST_KEPT), ...(more > 0 ? { more } : {}) };
}
