// Ensures that only one process uses a data folder, with its queue and its scans. The lock is an SQLite lock, which a
// killed process releases. A note beside it says which process holds the lock, which desktop app started that process,
// and at which address it listens.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { AppError, isDatabaseLocked, messageOf } from '../errors.ts';

/**
 * The note about the holder of the lock. `shell` is the address of the desktop app's socket. Process ids and addresses
 * mean something on one host only.
 */
const Note = z.object({
  pid: z.int().positive(),
  host: z.string(),
  shell: z.string().min(1).optional(),
  url: z.url().optional(),
});

/** Thrown when another process holds the lock. */
export class FolderInUse extends AppError {
  readonly folder: string;

  /** `url` is the address at which the other process listens. */
  constructor(folder: string, { url, cause }: { url?: string; cause?: unknown } = {}) {
    const addressNote = url === undefined ? '' : ` and listens on ${url}`;
    super(
      'conflict',
      `Tonearm is already running on ${folder}${addressNote}. Use it there, or stop it first; another library has ` +
        'another --data-dir.',
      { cause },
    );
    this.folder = folder;
  }
}

const noteOf = (file: string): string => `${file}.json`;

/**
 * Locks the folder; returns the function that unlocks it. Throws `conflict` when another process holds the lock, and
 * `unavailable` when no file can be created in the folder.
 */
export function lockDataFolder(file: string, folder: string, shell?: string): () => void {
  const client = openLock(file, folder);
  try {
    client.pragma('journal_mode = DELETE');
    client.exec('BEGIN EXCLUSIVE');
    // this also removes the note of a killed holder: a note is always about the present holder
    if (shell === undefined) rmSync(noteOf(file), { force: true });
    else writeNote(file, { shell });
  } catch (cause) {
    client.close();
    if (isDatabaseLocked(cause)) throw new FolderInUse(folder, { cause });
    throw cause;
  }
  return () => {
    rmSync(noteOf(file), { force: true });
    client.close();
  };
}

function openLock(file: string, folder: string): Database.Database {
  try {
    return new Database(file, { timeout: 0 });
  } catch (cause) {
    throw new AppError(
      'unavailable',
      `The data folder ${folder} cannot be used: ${file} cannot be written (${messageOf(cause)}). ` +
        'Choose another one with --data-dir.',
      { cause },
    );
  }
}

/** Writes the address of the process that holds the lock into the note. */
export const noteAddress = (file: string, url: string, shell?: string): void => writeNote(file, { url, shell });

const writeNote = (file: string, note: Pick<z.input<typeof Note>, 'shell' | 'url'>): void =>
  writeFileSync(noteOf(file), JSON.stringify({ pid: process.pid, host: hostname(), ...note }));

/** Returns the address in the note. The process may have ended since, or may not answer. */
export function findAddress(file: string): string | undefined {
  const note = Note.safeParse(readNote(file)).data;
  return note?.host === hostname() ? note.url : undefined;
}

/** Returns the holder of the lock if it is a server of a desktop app; otherwise undefined. */
export function findHolder(file: string, folder: string): { pid: number; shell: string } | undefined {
  const { pid, host, shell } = Note.safeParse(readNote(file)).data ?? {};
  if (pid === undefined || shell === undefined || host !== hostname() || !isLocked(file, folder)) return undefined;
  return { pid, shell };
}

function isLocked(file: string, folder: string): boolean {
  try {
    lockDataFolder(file, folder)();
    return false;
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  }
}

function readNote(file: string): unknown {
  try {
    return JSON.parse(readFileSync(noteOf(file), 'utf8'));
  } catch {
    return undefined; // the note does not exist, or is being written
  }
}
