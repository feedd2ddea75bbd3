import { defineConfig } from 'vitest/config';

/** Unit tests stand beside the code; what needs a real server stands in test/. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{crds,core,workflows,activities,kubernetes,workers,cli,devstack,bench}/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          globalSetup: ['devstack/vitest-setup.ts'],
        },
      },
    ],
  },
});
