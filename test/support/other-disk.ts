// What a library knows of the numbers of its files, changed.
import type { Database } from 'better-sqlite3';

/** As if all files lay on another disk, or the same one was connected anew: the system gives them other numbers. */
export function seenOnOtherDisk(db: Database): void {
  db.exec(`UPDATE source_files SET dev = dev + 1, ino = ino + 1;
    UPDATE source_folders SET signature = 'of another disk' WHERE signature IS NOT NULL`);
}
