import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import SlowestFirst from './test/support/slowest-first.ts';
import { type Tier, testFiles, tierOf } from './test/support/tiers.ts';

const common = {
  // A process serves many files: whatever a test changes in it, it puts back.
  isolate: false,
  setupFiles: ['./test/support/no-power-cut.ts', './test/support/node-of-program.ts'],
  restoreMocks: true,
  unstubEnvs: true,
  env: { TZ: 'UTC' },
  // Only guards: a busy machine may stall for half a minute, and waits in tests have limits of their own below these.
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

const files = testFiles();
const BUILD = './test/support/build.ts';

function project(name: Tier, ...globalSetup: string[]) {
  return {
    test: {
      ...common,
      name,
      include: files.filter((file) => tierOf(file) === name),
      globalSetup: ['./test/support/shared-folder.ts', ...globalSetup],
    },
  };
}

// On another Node, hooks of units are processes of the bundles, too: test/support/node-of-program.ts
const built = process.env.UNTILDONE_TEST_NODE === undefined ? [] : [BUILD];

/**
 * unit: in process, for every commit. world: real files, processes and git. seams: the bundles and the real client, one file
 * for each seam. whole: everything else that needs them. Which file belongs where: test/support/tiers.ts
 */
export default defineConfig({
  test: {
    // Much of a test's time is spent waiting for a client: one more file than there are cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      project('unit', ...built),
      project('world', ...built),
      project('seams', BUILD),
      project('whole', BUILD),
    ],
  },
});
