import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, SRC } from './files.ts';

interface Room {
  rooms: string[];
  vendors: string[] | 'node' | 'any';
}

/** Which room may import from which room, or from which single file of it; the same table stands in AGENTS.md. */
const MAY_IMPORT: Record<string, Room> = {
  core: { rooms: ['core'], vendors: [] },
  'ports.ts': { rooms: ['core', 'ports'], vendors: [] },
  ports: { rooms: ['core', 'ports'], vendors: [] },
  schema: { rooms: ['core', 'schema'], vendors: ['zod'] },
  gates: { rooms: ['core', 'ports.ts', 'gates'], vendors: [] },
  dialects: { rooms: ['core', 'ports.ts', 'dialects'], vendors: [] },
  wire: {
    rooms: ['core', 'schema', 'gates/grammar.ts', 'gates/kind-grammar.ts', 'gates/traits.ts', 'wire'],
    vendors: ['zod', 'zod/mini', 'yaml', 'jsonc-parser'],
  },
  adapters: { rooms: ['core', 'ports.ts', 'gates/traits.ts', 'wire', 'adapters'], vendors: 'any' },
  app: { rooms: ['core', 'ports.ts', 'gates', 'dialects', 'app'], vendors: [] },
  conformance: { rooms: ['core', 'ports.ts', 'wire', 'conformance'], vendors: 'node' },
  simulator: { rooms: ['core', 'app', 'ports.ts', 'wire', 'simulator'], vendors: 'node' },
};

/** Files that are stricter, or freer, than their room. */
const FILES_OF_THEIR_OWN: [RegExp, Room][] = [
  [/^gates\/.+\/traits\.ts$/, { rooms: ['core'], vendors: [] }],
  [/^gates\/(.+\/)?(.+-)?grammar\.ts$/, { rooms: ['core', 'schema', 'gates'], vendors: ['zod'] }],
];

function rulesFor(file: string): Room | undefined {
  const path = relative(SRC, file);
  return FILES_OF_THEIR_OWN.find(([files]) => files.test(path))?.[1] ?? MAY_IMPORT[roomOf(file)];
}

function mayUse(vendors: string[] | 'node' | 'any', target: string): boolean {
  if (vendors === 'any') return true;
  return vendors === 'node' ? target.startsWith('node:') : vendors.includes(target);
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import\(|^import) ?'([^']+)'/gm)].map((m) => m[1] ?? '');
}

function roomOf(path: string): string {
  return relative(SRC, path).split('/')[0] ?? '';
}

function mayEnter(rooms: readonly string[], path: string): boolean {
  return rooms.includes(roomOf(path)) || rooms.includes(relative(SRC, path));
}

test('every import goes in a direction that the house allows', () => {
  const wrong = filesIn(SRC).flatMap((file) => {
    const room = rulesFor(file);
    if (!room) return [];
    return importsOf(file)
      .filter((target) =>
        target.startsWith('.')
          ? !mayEnter(room.rooms, resolve(dirname(file), target))
          : !mayUse(room.vendors, target),
      )
      .map((target) => `${relative(SRC, file)} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test('the traits of all gates bring no judging code along: a hook loads them at every event', () => {
  const collected = importsOf(join(SRC, 'gates/traits.ts')).filter((target) => target.startsWith('./'));
  expect(collected.filter((target) => !target.endsWith('/traits.ts'))).toEqual([]);
});

test('core neither waits nor looks at the world', () => {
  const impure = filesIn(join(SRC, 'core')).filter((file) =>
    /\b(await|async|process\.|Date\.now|new Date\(\)|Math\.random)\b/.test(readFileSync(file, 'utf8')),
  );
  expect(impure.map((f) => relative(SRC, f))).toEqual([]);
});

test('no file is longer than 400 lines', () => {
  const root = dirname(SRC);
  const all = ['src', 'test', 'bench'].flatMap((folder) => filesIn(join(root, folder)));
  const long = all.filter((file) => readFileSync(file, 'utf8').split('\n').length > 401);
  expect(long.map((f) => relative(root, f))).toEqual([]);
});
