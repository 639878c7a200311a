// Large libraries for benchmarks, which are generated once, kept in a given folder, and copied for every run.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fillLibrary, multiplyLibrary } from './large-library.ts';
import { startProduct } from './product.ts';

const EVENT_COUNT = 1_000_000;
const MILLION_TRACKS = 1_000_000;

/**
 * Returns a copy of the data folder of a library of this size. Sizes that are multiples of a million are made from the
 * library of a million.
 */
export async function libraryOf(dir: string, libraries: string, tracks: number, albums?: number): Promise<string> {
  const name = nameOf(tracks, albums);
  const dataDir = join(dir, `copy-of-${name}`);
  if (existsSync(dataDir)) return dataDir;
  const libraryDir = join(libraries, name);
  if (!existsSync(join(libraryDir, 'tonearm.db'))) await makeLibrary(libraries, tracks, albums);
  copyLibrary(libraryDir, dataDir);
  endPending(join(dataDir, 'tonearm.db'));
  return dataDir;
}

const nameOf = (tracks: number, albums?: number): string =>
  `library-${tracks}${albums === undefined ? '' : `-${albums}`}`;

async function makeLibrary(libraries: string, tracks: number, albums?: number): Promise<void> {
  process.stderr.write(`a library of ${tracks.toLocaleString('en')} tracks is being made …\n`);
  const libraryDir = join(libraries, nameOf(tracks, albums));
  const unfinishedDir = `${libraryDir}.half`;
  rmSync(unfinishedDir, { recursive: true, force: true });
  const isMultiple = albums === undefined && tracks > MILLION_TRACKS && tracks % MILLION_TRACKS === 0;
  if (isMultiple) {
    const million = join(libraries, nameOf(MILLION_TRACKS));
    if (!existsSync(join(million, 'tonearm.db'))) await makeLibrary(libraries, MILLION_TRACKS);
    copyLibrary(million, unfinishedDir);
  } else {
    mkdirSync(unfinishedDir, { recursive: true });
    await (await startProduct(unfinishedDir)).stop(); // this start migrates the database and creates the account
  }
  const client = new Database(join(unfinishedDir, 'tonearm.db'));
  if (isMultiple) multiplyLibrary(client, tracks / MILLION_TRACKS);
  else {
    fillLibrary(client, {
      tracks,
      ...(albums !== undefined && { albums }),
      userId: 1,
      likeEvents: EVENT_COUNT,
      plays: EVENT_COUNT,
    });
  }
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
  renameSync(unfinishedDir, libraryDir);
}

function copyLibrary(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of ['tonearm.db', 'secrets.json'])
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
}

/** Marks pending tracks as identified, because the server would otherwise identify them during the measurement. */
function endPending(path: string): void {
  const client = new Database(path);
  client.exec("UPDATE tracks SET metadata_status = 'enriched' WHERE metadata_status = 'pending'");
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
}
