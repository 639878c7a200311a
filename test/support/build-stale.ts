// Builds the program before the tests of a project that starts it, if a source is newer than the build. `npm test`
// builds it earlier.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function buildStale(): void {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'build.ts');
  const env = { ...process.env, NODE_ENV: 'production' }; // with vitest's value, React would be built for development
  execFileSync(process.execPath, [script, '--if-stale', 'server', 'renderer', 'main'], { stdio: 'inherit', env });
}
