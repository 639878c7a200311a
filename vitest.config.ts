import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/until.ts';

/** Only so that a test that hangs ends at some time: no machine is so slow that one that works needs it. */
const HANGS_MS = 3 * PATIENCE_MS;

const common = {
  environment: 'node' as const,
  pool: 'forks' as const,
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  teardownTimeout: HANGS_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
  globalSetup: ['test/support/build-stale.ts'],
};

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 3, // tests wait more than they work
    projects: [
      {
        resolve: { alias: { electron: join(import.meta.dirname, 'test/fakes/electron.ts') } },
        test: { ...common, name: 'unit', include: ['test/unit/**/*.test.ts'] },
      },
      {
        test: {
          ...common,
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/hostile/**/*.test.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          globalSetup: [...common.globalSetup, 'test/e2e/unpack-browser.ts'],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      }, // after the others: a browser is a machine's work
    ],
  },
});
