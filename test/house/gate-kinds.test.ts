import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { COMBINATIONS, type GateKind } from '../../src/engine/core/contract/gate-options.ts';
import { gatesOf } from '../../src/engine/gates/all.ts';
import { GATE_KINDS } from '../../src/engine/gates/grammar.ts';
import { TRAITS, traitsOf } from '../../src/engine/gates/traits.ts';
import type { GateInput } from '../../src/library/types.ts';
import { filesIn, SRC } from './files.ts';

const KINDS = Object.keys(TRAITS);
const KIND = `'(?:${KINDS.join('|')})'`;

/** The one place beside `src/engine/gates` that names all kinds: the shapes of their options. */
const UNION = 'engine/core/contract/gate-options.ts';

/** Two or more kinds side by side: in an array of nothing else, in the cases of a switch, in one condition. */
function listsOfKinds(source: string): string[] {
  const shapes = [
    new RegExp(`\\[\\s*${KIND}(?:,\\s*${KIND})*,?\\s*\\]`, 'g'),
    new RegExp(`case ${KIND}:[^}]*case ${KIND}:`, 'g'),
    new RegExp(`kind [!=]== ${KIND}[^;{}]*?kind [!=]== ${KIND}`, 'g'),
  ];
  return shapes
    .flatMap((shape) => source.match(shape) ?? [])
    .filter((found) => new Set(found.match(new RegExp(KIND, 'g'))).size > 1);
}

test.each([
  "const MODELS: readonly GateKind[] = ['judge', 'agent'];",
  "new Set([\n  'git',\n  'ci',\n])",
  "switch (spec.kind) {\n  case 'run':\n    return 1;\n  case 'forbid':\n    return 2;\n}",
  "spec.kind !== 'all' && spec.kind !== 'any'",
])('a list of kinds is found: %s', (source) => {
  expect(listsOfKinds(source)).toHaveLength(1);
});

test.each([
  "['contract', 'features', 'promise', 'mode']",
  "spec.kind === 'features'",
  "if (a.kind === 'text') return 1;\nif (b.kind === 'text') return 2;",
])('this is no list of kinds: %s', (source) => {
  expect(listsOfKinds(source)).toEqual([]);
});

test('only the files of gates list kinds of gates: what a kind may do is one of its traits', () => {
  const found = filesIn(SRC)
    .map((file) => ({ path: relative(SRC, file), source: readFileSync(file, 'utf8') }))
    .filter(({ path }) => !path.startsWith('engine/gates/') && path !== UNION)
    .flatMap(({ path, source }) => listsOfKinds(source).map((list) => `${path}: ${list}`));
  expect(found).toEqual([]);
});

test('every kind stands under its own name in each of the three lists', async () => {
  const all = await gatesOf();
  const isJudged = (kind: string) => kind !== 'chunks' && !COMBINATIONS.some((other) => other === kind);
  expect(KINDS.map((kind) => traitsOf(kind).kind)).toEqual(KINDS);
  expect(Object.values(all).map(({ kind }) => kind)).toEqual(Object.keys(all));
  expect(Object.keys(all).sort()).toEqual(KINDS.filter(isJudged).sort());
  expect(GATE_KINDS.map(({ kind }) => kind as string).sort()).toEqual(
    KINDS.filter((kind) => kind !== 'chunks').sort(),
  );
});

test('the types of the library know every kind', () => {
  type KeysOfEach<Union> = Union extends unknown ? keyof Union : never;
  expectTypeOf<Exclude<GateKind, 'chunks' | KeysOfEach<GateInput>>>().toBeNever();
});

test('a gate that is judged has all the traits of its kind', async () => {
  for (const [kind, gate] of Object.entries(await gatesOf()))
    expect(gate).toMatchObject(TRAITS[kind as GateKind]);
});

test('a kind that is not known here has no traits', () => {
  expect(traitsOf('constructor')).toEqual({ kind: 'constructor', class: 'claimed' });
});
