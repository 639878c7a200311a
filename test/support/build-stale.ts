// Before the tests of a project: builds what they start, if a source is newer. `npm test` has built it by then.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

export default function buildStale({ name }: TestProject): void {
  const parts = name === 'unit' ? ['server'] : ['server', 'renderer', 'main'];
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'build.ts');
  const env = { ...process.env, NODE_ENV: 'production' }; // vitest's own would build React for development
  execFileSync(process.execPath, [script, '--if-stale', ...parts], { stdio: 'inherit', env });
}
