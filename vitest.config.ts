import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/slowest-first.ts';

/** Unit tests stand beside the code, stories in test/stories; what needs a real server stands in the rest of test/. */
export default defineConfig({
  test: {
    // Real servers mostly wait: two files at a time keep two cores busy.
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{crds,core,workflows,activities,kubernetes,workers,cli,devstack,bench}/**/*.test.ts',
            'test/stories/**/*.test.ts',
          ],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/stories/**'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          globalSetup: ['devstack/vitest-setup.ts'],
        },
      },
    ],
  },
});
