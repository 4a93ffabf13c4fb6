import { defineConfig } from 'vitest/config';

const unit = ['core', 'wire', 'adapters', 'app', 'commands', 'gates', 'simulator', 'house'];

export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: unit.map((folder) => `test/${folder}/**/*.test.ts`),
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'whole',
          include: ['test/scenarios/**/*.test.ts', 'test/chaos/**/*.test.ts', 'test/live/**/*.test.ts'],
          globalSetup: ['./test/support/build.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
