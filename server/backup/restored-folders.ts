// Decides about the music folders of a restored library, except the first one, whose path is a setting.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';

export interface FolderChange {
  name: string;
  path: string;
}

const OTHER_FOLDERS = "key <> '' AND path IS NOT NULL";

/**
 * Lists the folders of `restoredPath` whose path differs from that of the folder of `replacedPath` with the same key.
 */
export const listForeignFolders = (replacedPath: string, restoredPath: string): FolderChange[] =>
  withBothLibraries(replacedPath, restoredPath, (db, hasFolders) =>
    db
      .prepare<[], FolderChange>(
        `SELECT name, path FROM main.music_folders WHERE ${OTHER_FOLDERS} AND ${isForeign(hasFolders)}`,
      )
      .all(),
  );

/**
 * Marks folders that nobody has chosen on this server as removed. They can be added again with their present path.
 * Links are followed only in folders where a person allowed it on this server.
 */
export const removeForeignFolders = (replacedPath: string, restoredPath: string, now: Date): void =>
  withBothLibraries(replacedPath, restoredPath, (db, hasFolders) => {
    db.prepare(
      `UPDATE main.music_folders SET path = NULL, removed_at = coalesce(removed_at, ?)
        WHERE ${OTHER_FOLDERS} AND ${isForeign(hasFolders)}`,
    ).run(now.getTime());
    db.exec(
      `UPDATE main.music_folders SET follows_links = 0 WHERE
        ${hasFolders ? 'key NOT IN (SELECT key FROM old.music_folders WHERE follows_links = 1)' : 'true'}`,
    );
  });

/**
 * Replaces the folders of `restoredPath` by those of `replacedPath`. If there is no replaced library, nothing changes.
 */
export const keepFolders = (replacedPath: string, restoredPath: string): void =>
  withBothLibraries(replacedPath, restoredPath, (db, hasFolders) => {
    if (!hasFolders) return;
    db.transaction(() =>
      db.exec('DELETE FROM main.music_folders; INSERT INTO main.music_folders SELECT * FROM old.music_folders'),
    )();
  });

const isForeign = (hasFolders: boolean): string =>
  hasFolders ? '(key, path) NOT IN (SELECT key, path FROM old.music_folders WHERE path IS NOT NULL)' : 'true';

function withBothLibraries<T>(
  replacedPath: string,
  restoredPath: string,
  work: (db: Sqlite, hasFolders: boolean) => T,
): T {
  const db = new Database(restoredPath);
  try {
    if (existsSync(replacedPath)) db.prepare('ATTACH ? AS old').run(replacedPath);
    else db.exec("ATTACH ':memory:' AS old");
    const hasFolders = db.prepare("SELECT 1 FROM old.sqlite_schema WHERE name = 'music_folders'").get() !== undefined;
    return work(db, hasFolders);
  } finally {
    db.close();
  }
}
