// A migrated database in its own folder, for tests without a server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type MainDb } from '../../server/db/client.ts';
import { createLog } from '../../server/log/log.ts';

export interface TempDatabase {
  db: MainDb;
  dir: string;
  close: () => void;
}

export function openTempDatabase(): TempDatabase {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-db-'));
  const db = openDatabase({ path: join(dir, 'tonearm.db'), migrationsDir: 'migrations', log: createLog('silent') });
  db.$client.pragma('synchronous = OFF'); // no need to survive a power cut
  return {
    db,
    dir,
    close() {
      db.$client.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
