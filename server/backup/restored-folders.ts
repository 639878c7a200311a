// Decides about the music folders of a restored library, except the first one, whose path is a setting.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';

export interface FolderChange {
  name: string;
  path: string;
}

const OTHER_FOLDERS = "key <> '' AND path IS NOT NULL";

/** Lists the folders of `restored` whose path differs from that of the folder of `replaced` with the same key. */
export const listForeignFolders = (replaced: string, restored: string): FolderChange[] =>
  withBothLibraries(replaced, restored, (db, hasFolders) =>
    db
      .prepare<[], FolderChange>(
        `SELECT name, path FROM main.music_folders WHERE ${OTHER_FOLDERS} AND ${isForeign(hasFolders)}`,
      )
      .all(),
  );

/** Marks folders that nobody has chosen on this server as removed. They can be added again with their present path. */
export const removeForeignFolders = (replaced: string, restored: string, now: Date): void =>
  withBothLibraries(replaced, restored, (db, hasFolders) => {
    db.prepare(
      `UPDATE main.music_folders SET path = NULL, removed_at = coalesce(removed_at, ?)
        WHERE ${OTHER_FOLDERS} AND ${isForeign(hasFolders)}`,
    ).run(now.getTime());
  });

/** Replaces the folders of `restored` by those of `replaced`. If there is no replaced library, nothing changes. */
export const keepFolders = (replaced: string, restored: string): void =>
  withBothLibraries(replaced, restored, (db, hasFolders) => {
    if (!hasFolders) return;
    db.transaction(() =>
      db.exec('DELETE FROM main.music_folders; INSERT INTO main.music_folders SELECT * FROM old.music_folders'),
    )();
  });

const isForeign = (hasFolders: boolean): string =>
  hasFolders ? '(key, path) NOT IN (SELECT key, path FROM old.music_folders WHERE path IS NOT NULL)' : 'true';

function withBothLibraries<T>(replaced: string, restored: string, work: (db: Sqlite, hasFolders: boolean) => T): T {
  const db = new Database(restored);
  try {
    if (existsSync(replaced)) db.prepare('ATTACH ? AS old').run(replaced);
    else db.exec("ATTACH ':memory:' AS old");
    const hasFolders = db.prepare("SELECT 1 FROM old.sqlite_schema WHERE name = 'music_folders'").get() !== undefined;
    return work(db, hasFolders);
  } finally {
    db.close();
  }
}
