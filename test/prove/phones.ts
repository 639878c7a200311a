// More requests of phones than in `npm test`: every endpoint of the Subsonic API with every kind of id, format and
// sign-in; and what apps do, with 100,000 tracks.
import { spawnSync } from 'node:child_process';

const STORY_TRACKS = 100_000;

export const proveSubsonicTable = (): Promise<boolean> => inVitest('subsonic-table', { TEST_WHOLE_TABLE: 'true' });
export const provePhones = (): Promise<boolean> =>
  inVitest('subsonic-stories', { TEST_STORY_TRACKS: String(STORY_TRACKS) });

async function inVitest(name: string, variables: Record<string, string>): Promise<boolean> {
  const args = ['vitest', 'run', '--project', 'integration', '--maxWorkers=1', name];
  return spawnSync('npx', args, { stdio: 'inherit', env: { ...process.env, ...variables } }).status === 0;
}
