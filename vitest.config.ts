import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { englishTexts } from './vite.config.ts';
import SlowFiles from './test/support/slow-files.ts';
import { PATIENCE_MS } from './test/support/until.ts';

/** Only so that a test that hangs ends at some time: no machine is so slow that one that works needs it. */
const HANGS_MS = 3 * PATIENCE_MS;

// Workers, their threads and the programs that they start compile each file once per run, not once per process.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/** Change what all files share when they are imported, so they have a process of their own. */
const ALONE = ['test/integration/storage-third.test.ts'];

/** Record what a browser plays. A busy machine drops sound, so they run after all others, one at a time. */
const RECORDED = ['test/e2e/gapless.e2e.ts', 'test/e2e/limiter.e2e.ts'];

/** They wait more than they work, or for a browser: first of their project, so that none runs alone at its end. */
const LONGEST =
  /\/(accessibility|backup-kill|dev|hostile-files|journeys|player|pseudo-language|scan-kill|sound|watch)\./;

/** Vitest ends a process when the next file is of another project, and a new one imports the server again. */
const PROJECTS = ['e2e', 'alone', 'integration', 'unit', 'recorded'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification): number =>
      2 * PROJECTS.indexOf(project.name) + (LONGEST.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

const common = {
  environment: 'node' as const,
  pool: 'forks' as const,
  isolate: false, // a process runs many files, and imports the server once: `import` has no side effects here
  unstubEnvs: true,
  unstubGlobals: true,
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  teardownTimeout: HANGS_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
};
/** What the tests start is built anew where its sources changed. */
const built = { globalSetup: ['test/support/build-stale.ts'] };
/** Node imports TypeScript itself. Unit tests also import what only Vite can: pages and the shell. */
const byNode = { setupFiles: ['test/support/setup.ts'], experimental: { viteModuleRunner: false, nodeLoader: false } };

const inBrowser = { globalSetup: [...built.globalSetup, 'test/e2e/unpack-browser.ts'], ...byNode };

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 3, // tests wait more than they work; with 5 two cores end no sooner
    reporters: ['default', new SlowFiles()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [englishTexts],
        resolve: { alias: { electron: join(import.meta.dirname, 'test/fakes/electron.ts') } },
        test: { ...common, name: 'unit', include: ['test/unit/**/*.test.ts'] },
      },
      {
        test: {
          ...common,
          ...built,
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/hostile/**/*.test.ts'],
          exclude: ALONE,
          ...byNode,
        },
      },
      { test: { ...common, ...built, name: 'alone', include: ALONE, isolate: true, ...byNode } },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          exclude: RECORDED,
          ...inBrowser,
        },
      },
      {
        test: {
          ...common,
          name: 'recorded',
          include: RECORDED,
          ...inBrowser,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
