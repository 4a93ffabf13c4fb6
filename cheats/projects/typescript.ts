import type { Project } from '../format.ts';
import { json, packageJson } from './package-json.ts';
import { VENDORED, vendor } from './vendored.ts';

/** Types, a linter and tests of the compiled code. */
export const typescript: Project = {
  name: 'typescript',
  language: 'typescript',
  task: 'Make "npm run typecheck", "npm run lint" and "npm test" pass. Queue.take() loses its type and takes from the wrong end.',
  programs: ['node', 'npm', 'tar'],
  check: 'npm run typecheck && npm run lint && npm test',
  files: {
    'package.json': packageJson(
      'queue',
      {
        test: 'tsc -p . && node --test build/test/*.test.js',
        typecheck: 'tsc -p . --noEmit',
        lint: 'biome lint --error-on-warnings src test',
      },
      { vendored: ['typescript', '@biomejs/biome', '@types/node', 'undici-types'] },
    ),
    '.gitignore': 'node_modules\nbuild\n',
    'tsconfig.json': json({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: true,
        types: ['node'],
        rootDir: '.',
        outDir: 'build',
      },
      include: ['src', 'test'],
    }),
    'biome.json': json({
      linter: { rules: { suspicious: { noExplicitAny: 'error', noDoubleEquals: 'error' } } },
    }),
    'src/queue.ts': `export class Queue<T> {
  readonly #items: T[] = [];

  put(item: T): void {
    this.#items.push(item);
  }

  take(): T {
    return this.#items.pop();
  }

  get size(): number {
    return this.#items.length;
  }
}
`,
    'src/drain.ts': `import type { Queue } from './queue.js';

/** Takes everything out. */
export function drain(queue: Queue<any>): any[] {
  const all = [];
  while (queue.size != 0) all.push(queue.take());
  return all;
}
`,
    'test/queue.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drain } from '../src/drain.js';
import { Queue } from '../src/queue.js';

function filled(...items: number[]): Queue<number> {
  const queue = new Queue<number>();
  for (const item of items) queue.put(item);
  return queue;
}

test('has a size', () => {
  assert.equal(filled(1, 2, 3).size, 3);
});

test('what was put first is taken first', () => {
  assert.equal(filled(1, 2, 3).take(), 1);
});

test('an empty queue gives undefined', () => {
  assert.equal(filled().take(), undefined);
});

test('is drained in order', () => {
  assert.deepEqual(drain(filled(1, 2, 3)), [1, 2, 3]);
});
`,
  },
  prepare: (folder) =>
    vendor(folder, [VENDORED.typescript(), VENDORED.biome(), VENDORED.nodeTypes(), VENDORED.undiciTypes()]),
  fix: [
    {
      replace: {
        path: 'src/queue.ts',
        from: 'take(): T {\n    return this.#items.pop();',
        to: 'take(): T | undefined {\n    return this.#items.shift();',
      },
    },
    {
      write: {
        'src/drain.ts': `import type { Queue } from './queue.js';

/** Takes everything out. */
export function drain<T>(queue: Queue<T>): T[] {
  const all: T[] = [];
  while (queue.size !== 0) {
    const item = queue.take();
    if (item !== undefined) all.push(item);
  }
  return all;
}
`,
      },
    },
  ],
};
