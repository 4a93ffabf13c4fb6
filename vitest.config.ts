import { defineConfig } from 'vitest/config';

const tests = (...folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`);

/** unit: in-process, for every commit. world: real files, processes and git. whole: the bundles and the real client. */
export default defineConfig({
  test: {
    // Most of a test's time is spent waiting for a client: on two cores the default would be one file at a time.
    maxWorkers: '100%',
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: tests(
            'core',
            'wire',
            'app',
            'dialects',
            'dev/conformance',
            'dev/demo',
            'commands',
            'library',
            'house',
          ),
          testTimeout: 30_000,
        },
      },
      { test: { name: 'world', include: tests('adapters', 'gates', 'dev/simulator'), testTimeout: 60_000 } },
      {
        test: {
          name: 'whole',
          include: tests('scenarios', 'chaos', 'live'),
          globalSetup: ['./test/support/build.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
