// Music folders beside the first, whose path is a setting.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';

export interface FolderChange {
  name: string;
  path: string;
}

const OTHERS = "key <> '' AND path IS NOT NULL";

/** Those of `to` that are not where a folder of `from` with the same key is. */
export const foldersFromElsewhere = (from: string, to: string): FolderChange[] =>
  withBoth(from, to, (db, isThere) =>
    db
      .prepare<[], FolderChange>(`SELECT name, path FROM main.music_folders WHERE ${OTHERS} AND ${elsewhere(isThere)}`)
      .all(),
  );

/** A folder that nobody here has chosen is one that was removed: it can be added where it is now. */
export const forgetFolders = (from: string, to: string, now: Date): void =>
  withBoth(from, to, (db, isThere) => {
    db.prepare(
      `UPDATE main.music_folders SET path = NULL, removed_at = coalesce(removed_at, ?)
        WHERE ${OTHERS} AND ${elsewhere(isThere)}`,
    ).run(now.getTime());
  });

/** Instead of those of `to`; of a library without any, those of a new one. */
export const keepFolders = (from: string, to: string): void =>
  withBoth(from, to, (db, isThere) => {
    if (!isThere) return;
    db.transaction(() =>
      db.exec('DELETE FROM main.music_folders; INSERT INTO main.music_folders SELECT * FROM old.music_folders'),
    )();
  });

const elsewhere = (isThere: boolean): string =>
  isThere ? '(key, path) NOT IN (SELECT key, path FROM old.music_folders WHERE path IS NOT NULL)' : 'true';

function withBoth<T>(from: string, to: string, work: (db: Sqlite, isThere: boolean) => T): T {
  const db = new Database(to);
  try {
    if (existsSync(from)) db.prepare('ATTACH ? AS old').run(from);
    else db.exec("ATTACH ':memory:' AS old");
    const isThere = db.prepare("SELECT 1 FROM old.sqlite_schema WHERE name = 'music_folders'").get() !== undefined;
    return work(db, isThere);
  } finally {
    db.close();
  }
}
