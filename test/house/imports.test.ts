import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, ROOMS, roomOf, SRC } from './files.ts';

/** What a place may use besides our own files; the first that fits rules. Everything else may use all that is installed. */
const MAY_USE: [RegExp, string[]][] = [
  [/^engine\/core\//, ['strip-ansi', 're2js', 'diff']],
  [/^engine\/ports\//, []],
  [/^engine\/schema\//, ['zod', 'jsonc-parser']],
  [/^engine\/gates\/(.+\/)?(.+-)?grammar\.ts$/, ['zod']],
  [/^engine\/(gates|judging|formats)\//, []],
  [/^engine\/hook\/(stop|events|guard)\//, []],
  [/^dev\/conformance\//, ['node', 'commander']],
];

/** `cli` starts what is in the bundle of `dev`, and knows its types alone. */
const TYPES_ONLY: [string, string[]][] = [['cli', ['dev', 'main']]];

const LOADED = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;
const NAMED = /(?:from|import\(|^import) ?'([^']+)'/gm;

function namedIn(file: string, pattern: RegExp): string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map((match) => match[1] ?? '');
}

function mayEnter(file: string, target: string): boolean {
  const [from, to] = [roomOf(file), roomOf(resolve(dirname(file), target))];
  if (ROOMS.indexOf(to) <= ROOMS.indexOf(from)) return true;
  const isKnown = TYPES_ONLY.some(([room, known]) => room === from && known.includes(to));
  return isKnown && !namedIn(file, LOADED).includes(target);
}

function mayUse(file: string, target: string): boolean {
  const rule = MAY_USE.find(([place]) => place.test(relative(SRC, file)));
  return !rule || rule[1].includes(target.startsWith('node:') ? 'node' : target);
}

test('every file lies in a room', () => {
  const outside = filesIn(SRC).filter((file) => !ROOMS.includes(roomOf(file)));
  expect(outside.map((file) => relative(SRC, file))).toEqual([]);
});

test('every import goes down in the house', () => {
  const wrong = filesIn(SRC).flatMap((file) =>
    namedIn(file, NAMED)
      .filter((target) => !(target.startsWith('.') ? mayEnter(file, target) : mayUse(file, target)))
      // Built beside each other, and loaded by name.
      .filter((target) => !/^\.\/\w+\.cjs$/.test(target))
      .map((target) => `${relative(SRC, file)} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test('the traits of all gates bring no judging code along: a hook loads them at every event', () => {
  const collected = namedIn(join(SRC, 'engine/gates/traits.ts'), NAMED).filter((target) =>
    target.startsWith('./'),
  );
  expect(collected.filter((target) => !target.endsWith('/traits.ts'))).toEqual([]);
  const traits = filesIn(join(SRC, 'engine/gates')).filter((file) =>
    /engine\/gates\/.+\/traits\.ts$/.test(file),
  );
  const wrong = traits.flatMap((file) =>
    namedIn(file, NAMED).filter((target) => !/^\.\.\/\.\.\/core\//.test(target)),
  );
  expect(wrong).toEqual([]);
});

/** The groups of files that import each other, directly or around corners; imports of types count, too. */
function cyclesIn(paths: readonly string[]): string[][] {
  const known = new Set(paths);
  const targets = new Map(
    paths.map((file) => [
      file,
      namedIn(file, NAMED)
        .map((target) => resolve(dirname(file), target))
        .filter((target) => known.has(target)),
    ]),
  );
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    let low = order.get(file) ?? 0;
    open.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? 0);
    }
    if (low === order.get(file)) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) cycles.push(group);
    }
    return low;
  };
  for (const file of paths) if (!order.has(file)) visit(file);
  return cycles;
}

test('no files import each other in a circle, not even for types', () => {
  const cycles = cyclesIn(filesIn(SRC)).map((group) => group.map((file) => relative(SRC, file)).sort());
  expect(cycles).toEqual([]);
});

test('a circle is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'circle-'));
  const [a, b, c] = ['a.ts', 'b.ts', 'c.ts'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(a, "import type { B } from './b.ts';\n");
  writeFileSync(b, "import {\n  c,\n} from './c.ts';\n");
  writeFileSync(c, "export type { A } from './a.ts';\n");
  expect(cyclesIn([a, b, c])).toEqual([[a, b, c]]);
  writeFileSync(c, '');
  expect(cyclesIn([a, b, c])).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('core neither waits nor looks at the world', () => {
  const impure = filesIn(join(SRC, 'engine/core')).filter((file) =>
    /\b(await|async|process\.|Date\.now|new Date\(\)|Math\.random)\b/.test(readFileSync(file, 'utf8')),
  );
  expect(impure.map((f) => relative(SRC, f))).toEqual([]);
});

test('no file is longer than 450 lines, no folder holds more than 25 files', () => {
  const root = dirname(SRC);
  const all = ['src', 'test', 'bench'].flatMap((folder) => filesIn(join(root, folder)));
  const long = all.filter((file) => readFileSync(file, 'utf8').split('\n').length > 451);
  expect(long.map((f) => relative(root, f))).toEqual([]);
  const counts = new Map<string, number>();
  for (const file of all) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const full = [...counts].filter(([, count]) => count > 25);
  expect(full.map(([folder, count]) => `${relative(root, folder)}: ${count}`)).toEqual([]);
});
