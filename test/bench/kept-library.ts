// Large libraries for benchmarks: generated once, kept in a given folder, and copied for every run.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fillLibrary } from './large-library.ts';
import { startProduct } from './product.ts';

const EVENTS = 1_000_000;

/** A copy of the data folder of a library of that size. */
export async function libraryOf(dir: string, libraries: string, tracks: number, albums?: number): Promise<string> {
  const name = `library-${tracks}${albums === undefined ? '' : `-${albums}`}`;
  const kept = join(libraries, name);
  const dataDir = join(dir, `copy-of-${name}`);
  if (existsSync(dataDir)) return dataDir;
  if (!existsSync(join(kept, 'tonearm.db'))) {
    process.stderr.write(`a library of ${tracks.toLocaleString('en')} tracks is being made …\n`);
    const half = `${kept}.half`;
    rmSync(half, { recursive: true, force: true });
    mkdirSync(half, { recursive: true });
    await (await startProduct(half)).stop(); // migrated, account made
    const client = new Database(join(half, 'tonearm.db'));
    fillLibrary(client, {
      tracks,
      ...(albums !== undefined && { albums }),
      userId: 1,
      likeEvents: EVENTS,
      plays: EVENTS,
    });
    client.pragma('wal_checkpoint(TRUNCATE)');
    client.close();
    renameSync(half, kept);
  }
  mkdirSync(dataDir, { recursive: true });
  for (const file of ['tonearm.db', 'secrets.json'])
    if (existsSync(join(kept, file))) copyFileSync(join(kept, file), join(dataDir, file));
  endPending(join(dataDir, 'tonearm.db'));
  return dataDir;
}

/** Otherwise the server would identify them during the measurement. */
function endPending(path: string): void {
  const client = new Database(path);
  client.exec("UPDATE tracks SET metadata_status = 'enriched' WHERE metadata_status = 'pending'");
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
}
