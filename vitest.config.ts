import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const node = { environment: 'node' as const, pool: 'forks' as const };

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 3, // tests wait more than they work
    projects: [
      {
        resolve: { alias: { electron: join(import.meta.dirname, 'test/fakes/electron.ts') } },
        test: { ...node, name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        test: {
          ...node,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          ...node,
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          globalSetup: 'test/e2e/unpack-browser.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 15_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      }, // after the others: a browser is a machine's work
    ],
  },
});
