import { describe, expect, test } from 'vitest';
import { type Folders, findFiles } from '../../../../src/engine/core/text/globs.ts';

/** Files by path below /p, with their times. */
function folders(files: Record<string, number>): Folders {
  const paths = Object.keys(files).map((path) => `/p/${path}`);
  return {
    list(folder) {
      const inside = paths.filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))].sort();
    },
    look(path) {
      const mtimeMs = files[path.slice('/p/'.length)];
      if (mtimeMs !== undefined) return { kind: 'file', mtimeMs };
      return paths.some((other) => other.startsWith(`${path}/`)) ? { kind: 'folder', mtimeMs: 0 } : undefined;
    },
  };
}

const FILES = folders({
  'MEMORY.md': 5,
  'docs/plans/a/MEMORY.md': 1,
  'docs/plans/b/MEMORY.md': 3,
  'docs/plans/c/notes/MEMORY.md': 2,
  'docs/plans/.hidden/MEMORY.md': 9,
  'node_modules/x/MEMORY.md': 9,
});

describe('the files that a glob fits, the newest first', () => {
  test.each([
    ['MEMORY.md', ['MEMORY.md']],
    ['./docs//plans/a/MEMORY.md', ['docs/plans/a/MEMORY.md']],
    ['docs/plans/*/MEMORY.md', ['docs/plans/b/MEMORY.md', 'docs/plans/a/MEMORY.md']],
    ['docs/plans/{a,c}/MEMORY.md', ['docs/plans/a/MEMORY.md']],
    [
      'docs/**/MEMORY.md',
      ['docs/plans/b/MEMORY.md', 'docs/plans/c/notes/MEMORY.md', 'docs/plans/a/MEMORY.md'],
    ],
    ['docs/plans/?/M*.md', ['docs/plans/b/MEMORY.md', 'docs/plans/a/MEMORY.md']],
    ['docs/plans/.h*/MEMORY.md', ['docs/plans/.hidden/MEMORY.md']],
    ['docs/plans', []],
    ['nowhere/*.md', []],
    ['../p/MEMORY.md', []],
    ['', []],
  ])('%s', (glob, found) => {
    expect(findFiles('/p', [glob], FILES)).toEqual(found);
  });

  test('of several globs, each once', () => {
    const globs = ['docs/plans/*/MEMORY.md', '*.md', 'docs/plans/a/*'];
    expect(findFiles('/p', globs, FILES)).toEqual([
      'MEMORY.md',
      'docs/plans/b/MEMORY.md',
      'docs/plans/a/MEMORY.md',
    ]);
  });

  test('everywhere means neither dependencies nor what is hidden', () => {
    expect(findFiles('/p', ['**/MEMORY.md'], FILES)).toEqual([
      'MEMORY.md',
      'docs/plans/b/MEMORY.md',
      'docs/plans/c/notes/MEMORY.md',
      'docs/plans/a/MEMORY.md',
    ]);
  });

  test('a folder without end is not looked at for ever', () => {
    let listed = 0;
    const endless: Folders = {
      list: () => {
        listed += 100;
        return Array.from({ length: 100 }, (_, i) => `d${i}`);
      },
      look: () => ({ kind: 'folder', mtimeMs: 0 }),
    };
    expect(findFiles('/p', ['**/x.md'], endless)).toEqual([]);
    expect(listed).toBeLessThan(50_000);
  });
});
