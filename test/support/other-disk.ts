// Changes the device numbers of files in the database.
import type { Database } from 'better-sqlite3';

/** Simulates that all files are on another disk, or on a reconnected disk, which gets another device number. */
export function seenOnOtherDisk(db: Database): void {
  db.exec(`UPDATE source_files SET dev = dev + 1, ino = ino + 1;
    UPDATE source_folders SET signature = 'of another disk' WHERE signature IS NOT NULL`);
}
