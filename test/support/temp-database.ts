// Migrated databases, in memory and in their own folders. The migrations run once; each database is a copy.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase, type MainDb } from '../../server/db/client.ts';
import { createLog } from '../../server/log/log.ts';
import { paths, root } from './product.ts';

export interface TempDatabase {
  db: MainDb;
  dir: string;
  close: () => void;
}

export function openTempDatabase(): TempDatabase {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-db-'));
  const db = openMigrated(join(dir, 'tonearm.db'));
  db.$client.pragma('synchronous = OFF'); // test databases need not survive a power cut
  return {
    db,
    dir,
    close() {
      db.$client.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Opens a database, and creates it with every migration if it is new. */
export function openMigrated(path: string, log = createLog('silent')): MainDb {
  migratedDatabase(path);
  return openDatabase({ path, migrationsDir: paths.migrations, log });
}

/** Creates a database with every migration applied, unless there is one. */
export function migratedDatabase(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync((template ??= findTemplate()), path);
}

let template: string | undefined;

/** Returns the path of the cached database, whose name changes with the migrations. */
function findTemplate(): string {
  const migrations = readdirSync(paths.migrations).filter((name) => name.endsWith('.sql'));
  const sources = [
    join(root, 'server', 'db', 'migrate.ts'),
    ...migrations.sort().map((name) => join(paths.migrations, name)),
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(source).update(readFileSync(source));
  const cache = join(root, 'node_modules', '.cache', 'tonearm');
  const path = join(cache, `${hash.digest('hex').slice(0, 16)}.db`);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const unfinishedDatabase = join(mkdtempSync(join(cache, 'making-')), 'tonearm.db');
  openDatabase({ path: unfinishedDatabase, migrationsDir: paths.migrations, log: createLog('silent') }).$client.close();
  renameSync(unfinishedDatabase, path); // another process may create the same file at the same time
  rmSync(dirname(unfinishedDatabase), { recursive: true });
  return path;
}
