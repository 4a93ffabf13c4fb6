import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** Which room may import from which; the same table stands in AGENTS.md. */
const MAY_IMPORT: Record<string, { rooms: string[]; vendors: string[] | 'any' }> = {
  core: { rooms: ['core'], vendors: [] },
  'ports.ts': { rooms: ['core', 'ports'], vendors: [] },
  ports: { rooms: ['core', 'ports'], vendors: [] },
  gates: { rooms: ['core', 'ports.ts', 'gates'], vendors: [] },
  dialects: { rooms: ['core', 'ports.ts', 'dialects'], vendors: [] },
  wire: { rooms: ['core', 'wire'], vendors: ['zod', 'zod/mini', 'yaml', 'jsonc-parser'] },
  adapters: { rooms: ['core', 'ports.ts', 'wire', 'adapters'], vendors: 'any' },
  app: { rooms: ['core', 'ports.ts', 'gates', 'dialects', 'app'], vendors: [] },
  'dev/conformance': { rooms: ['core', 'ports.ts', 'wire', 'dev/conformance'], vendors: ['node'] },
  'dev/simulator': { rooms: ['core', 'dev/simulator'], vendors: ['node', 'zod', 'yaml'] },
};

function mayUse(vendors: string[] | 'any', target: string): boolean {
  if (vendors === 'any') return true;
  return vendors.includes(target.startsWith('node:') ? 'node' : target);
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : path.endsWith('.ts') ? [path] : [];
  });
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import\(|^import) ?'([^']+)'/gm)].map((m) => m[1] ?? '');
}

/** A folder of src; of dev, one of its own folders. */
function roomOf(path: string): string {
  const [room = '', part = ''] = relative(SRC, path).split('/');
  return room === 'dev' ? `${room}/${part}` : room;
}

test('every import goes in a direction that the house allows', () => {
  const wrong = files(SRC).flatMap((file) => {
    const room = MAY_IMPORT[roomOf(file)];
    if (!room) return [];
    return importsOf(file)
      .filter((target) =>
        target.startsWith('.')
          ? !room.rooms.includes(roomOf(resolve(dirname(file), target)))
          : !mayUse(room.vendors, target),
      )
      .map((target) => `${relative(SRC, file)} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test('what is for authors of hooks is loaded by its own bundle alone; others know its types', () => {
  const loads = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;
  const outside = files(SRC).filter((file) => !relative(SRC, file).startsWith('dev'));
  const wrong = outside.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(loads)]
      .map((match) => match[1] ?? '')
      .filter((target) => target.startsWith('.') && roomOf(resolve(dirname(file), target)).startsWith('dev'))
      .map((target) => `${relative(SRC, file)} loads ${target}`),
  );
  expect(wrong).toEqual([]);
});

/** The groups of files that import each other, directly or around corners; imports of types count, too. */
function cyclesIn(paths: readonly string[]): string[][] {
  const known = new Set(paths);
  const targets = new Map(
    paths.map((file) => [
      file,
      importsOf(file)
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
  const cycles = cyclesIn(files(SRC)).map((group) => group.map((file) => relative(SRC, file)).sort());
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
  const impure = files(join(SRC, 'core')).filter((file) =>
    /\b(await|async|process\.|Date\.now|new Date\(\)|Math\.random)\b/.test(readFileSync(file, 'utf8')),
  );
  expect(impure.map((f) => relative(SRC, f))).toEqual([]);
});

test('no file is longer than 400 lines', () => {
  const root = dirname(SRC);
  const all = ['src', 'test', 'bench'].flatMap((folder) => files(join(root, folder)));
  const long = all.filter((file) => readFileSync(file, 'utf8').split('\n').length > 401);
  expect(long.map((f) => relative(root, f))).toEqual([]);
});
