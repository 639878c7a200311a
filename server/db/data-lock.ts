// One process owns a data folder, its queue and its scans. The lock is an SQLite lock, which a killed process releases.
import Database from 'better-sqlite3';
import { AppError, isDatabaseLocked } from '../errors.ts';

/** Locks the folder; returns the function that unlocks it. Throws `conflict` when another process holds it. */
export function lockDataFolder(file: string, folder: string): () => void {
  const client = new Database(file, { timeout: 0 });
  try {
    client.pragma('journal_mode = DELETE');
    client.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    client.close();
    if (isDatabaseLocked(cause)) {
      throw new AppError(
        'conflict',
        `Another Tonearm is running on ${folder}. Stop it first, or choose another folder with --data-dir.`,
        { cause },
      );
    }
    throw cause;
  }
  return () => client.close();
}
