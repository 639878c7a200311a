// Every kind of data folder of the first release opens with nothing lost, however often the process is killed
// meanwhile.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeS3 } from '../fakes/s3.ts';
import { contentsOf, makeFirstRelease, migrationsIn, type Place } from '../support/first-release.ts';
import { runUntil } from '../support/killed-commands.ts';
import { seededRandom } from '../support/seeded-random.ts';

const STORAGE_PLACES: Place[] = ['local', 's3', 'reference'];
const OPEN_COMMAND = ['user', 'list'];

interface MigrationsProof {
  /** Tables whose rows have changed. */
  changedTables: string[];
  kills: number;
}

/** Opens a data folder: kills the process in the middle of the migrations, and then lets it run once to the end. */
export async function openWithKills(
  place: Place,
  options: { tracks: number; kills: number; seed: number; env?: Record<string, string> },
): Promise<MigrationsProof> {
  const { tracks, kills, seed, env = {} } = options;
  const base = mkdtempSync(join(tmpdir(), 'tonearm-migrations-'));
  const [original, dir] = [join(base, 'original'), join(base, 'data')];
  const random = seededRandom(seed);
  const begin = (): void => {
    rmSync(dir, { recursive: true, force: true });
    cpSync(original, dir, { recursive: true });
  };
  try {
    await makeFirstRelease(original, place, tracks);
    const originalContents = contentsOf(original);
    begin();
    const changesUninterrupted = kills === 0 ? 0 : (await runUntil(dir, OPEN_COMMAND, env)).changes;
    if (kills > 0) begin();
    let killCount = 0;
    while (killCount < kills) {
      const { isKilled } = await runUntil(dir, OPEN_COMMAND, env, Math.ceil(random() * changesUninterrupted));
      const { appliedCount, totalCount } = migrationsIn(dir);
      if (isKilled && appliedCount < totalCount) killCount++;
      if (appliedCount === totalCount) begin(); // the kill came too late, so the folder starts again from its original
    }
    const { output } = await runUntil(dir, OPEN_COMMAND, env);
    const { appliedCount, totalCount } = migrationsIn(dir);
    if (appliedCount !== totalCount) throw new Error(`it does not open: ${output}`);
    const migratedContents = contentsOf(dir, originalContents);
    return {
      kills: killCount,
      changedTables: Object.keys(originalContents).filter(
        (table) => originalContents[table] !== migratedContents[table],
      ),
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

export async function proveMigrations({ seed, runs = 20 }: { seed: number; runs: number | undefined }) {
  const fake = await startFakeS3();
  let isProved = true;
  try {
    for (const storage of STORAGE_PLACES) {
      const env = storage === 's3' ? { STORAGE_BACKEND: 's3', ...fake.settings } : {};
      const { kills, changedTables } = await openWithKills(storage, { tracks: 100_000, kills: runs, seed, env });
      console.log(
        `${storage}: 100000 tracks, ${kills} kills, ${changedTables.length === 0 ? 'nothing lost' : changedTables.join('\n')}`,
      );
      isProved &&= changedTables.length === 0;
    }
  } finally {
    await fake.close();
  }
  return isProved;
}
