// Every endpoint of the Subsonic API × every kind of id × every format and way to sign in; `npm test` takes two modes of
// each.
import { spawnSync } from 'node:child_process';

const ARGS = ['vitest', 'run', '--project', 'integration', '--maxWorkers=1', 'subsonic-table'];

export async function proveSubsonicTable(): Promise<boolean> {
  const env = { ...process.env, TEST_WHOLE_TABLE: 'true' };
  return spawnSync('npx', ARGS, { stdio: 'inherit', env }).status === 0;
}
