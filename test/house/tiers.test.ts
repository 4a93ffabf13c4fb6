import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { budgetLines, onTwoQuietCores } from '../../scripts/budget.mjs';
import config from '../../vitest.config.ts';
import { SEAM_FILES, SEAMS } from '../support/seams.ts';
import { TIERS, testFiles, tierOf } from '../support/tiers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(resolve(ROOT, file), 'utf8');
const { nodes, ...played }: Record<string, { projects: string[] }> & { nodes: string[] } = JSON.parse(
  read('scripts/tiers.json'),
);
const included = new Map(
  (config.test?.projects ?? []).map((project) => {
    const { name, include = [] } = (project as { test: { name: string; include?: string[] } }).test;
    return [name, include];
  }),
);

describe('every test file', () => {
  test('belongs to exactly one project', () => {
    expect([...included.values()].flat().sort()).toEqual(testFiles());
    for (const [name, files] of included) expect([name, files.length > 0]).toEqual([name, true]);
  });

  test('is played by test:all, and by what CI runs', () => {
    expect(played.all?.projects).toEqual([...TIERS]);
    expect([...(played.test?.projects ?? []), ...(played.rest?.projects ?? [])]).toEqual([...TIERS]);
    expect(read('.ci/run')).toMatch(/^npm test\nnpm run test:all -- --rest$/m);
  });

  test('that newer Nodes play is there', () => {
    expect(nodes.filter((file) => !testFiles().includes(file))).toEqual([]);
  });

  test('of a seam is there, and is played by npm test alone', () => {
    expect(SEAM_FILES.filter((file) => !testFiles().includes(file))).toEqual([]);
    expect(new Set(SEAM_FILES).size).toBe(SEAM_FILES.length);
    expect(included.get('seams')).toEqual([...SEAM_FILES].sort());
  });
});

test('the page about tiers names the test of each seam', () => {
  const rows = [...read('docs/adr/0046-tests-in-tiers.md').matchAll(/^\| (.+) \| `(.+)` \|$/gm)];
  expect(Object.fromEntries(rows.map(([, seam, file]) => [seam, file]))).toEqual(SEAMS);
});

test('a test of units that opens repositories or starts programs is one of the world', () => {
  expect(tierOf('test/house/tiers.test.ts')).toBe('unit');
  expect(tierOf('test/cli/contract/verify.test.ts')).toBe('world');
  expect(tierOf('test/house/test-tools.test.ts')).toBe('world');
  expect(tierOf('test/cli/stats.test.ts')).toBe('world');
});

test('a file in a folder that nobody named is played by npm test, and one with the real client by test:all', () => {
  expect(tierOf('test/nowhere/a.test.ts')).toBe('world');
  expect(tierOf('test/live/nowhere.test.ts')).toBe('whole');
  expect(tierOf('test/fleet/remote/remote-runs.test.ts')).toBe('world');
});

describe('seconds on two quiet cores', () => {
  const alone = { wall: 200_000, own: 360_000, busy: 360_000, slowness: 1, cores: 2 };

  test.each([
    ['alone on two cores', alone, 200],
    ['beside others that take as much', { ...alone, wall: 400_000, busy: 720_000 }, 200],
    ['on one core', { ...alone, wall: 400_000, cores: 1 }, 200],
    ['on many cores, where the work is still the same', { ...alone, wall: 60_000, cores: 16 }, 180],
    ['on slower cores', { ...alone, wall: 400_000, own: 720_000, busy: 720_000, slowness: 2 }, 200],
  ])('%s', (_, measured, seconds) => {
    expect(onTwoQuietCores(measured)).toBeCloseTo(seconds);
  });

  test('over the limit are an error that says what to do; another limit can be set', () => {
    const slow = { ...alone, wall: 331_000 };
    expect(budgetLines(alone, { seconds: 300, limit: 330 }, {})).toEqual({
      lines: ['200 s, 360 s of processors: about 200 s on two quiet cores; the budget is 300 s'],
      isOver: false,
    });
    expect(budgetLines(slow, { limit: 330 }, {})).toMatchObject({ isOver: true });
    expect(budgetLines(slow, { limit: 330 }, {}).lines.at(-1)).toMatch(/^error: over 330 s\. .*test:all/);
    expect(budgetLines(slow, { limit: 330 }, { UNTILDONE_TEST_SECONDS: '400' }).isOver).toBe(false);
    expect(budgetLines(slow, {}, {}).isOver).toBe(false);
    expect(budgetLines(undefined, { limit: 330 }, {})).toEqual({ lines: [], isOver: false });
  });
});
