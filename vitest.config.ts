import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import SlowestFirst from './test/support/slowest-first.ts';

const tests = (...folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`);

const common = {
  // A process serves many files: whatever a test changes in it, it puts back.
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  env: { TZ: 'UTC' },
  // Only guards: a busy machine may stall for half a minute, and waits in tests have limits of their own below these.
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

const UNIT = [
  'core',
  'schema',
  'terminal',
  'client/hooks',
  'client/settings',
  'contract',
  'judging',
  'formats',
  'reflect',
  'hook',
  'run/{begin,driver,parallel,view}',
  'dashboard',
  'cli',
  'dev/{conformance,demo}',
  'library',
  'golden',
  'house',
];
const WORLD = [
  'files',
  'home',
  'client/{sdk,transcript}',
  'project',
  'gates',
  'run/{client,git}',
  'dev/{simulator,proof}',
  'fleet/truth',
  'support',
];

/** unit: in-process, for every commit. world: real files, processes and git. whole: the bundles and the real client. */
export default defineConfig({
  test: {
    // Much of a test's time is spent waiting for a client: one more file than there are cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: tests(...UNIT),
          globalSetup: ['./test/support/shared-folder.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'world',
          include: tests(...WORLD),
          globalSetup: ['./test/support/shared-folder.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'whole',
          include: tests('scenarios', 'chaos', 'live', 'browser', 'fleet'),
          exclude: tests('fleet/truth'),
          globalSetup: ['./test/support/shared-folder.ts', './test/support/build.ts'],
        },
      },
    ],
  },
});
