// One process owns a data folder, its queue and its scans. The lock is an SQLite lock, which a killed process releases.
// Beside it is noted which process has the lock, of which desktop app, and at which address it listens.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { AppError, isDatabaseLocked, messageOf } from '../errors.ts';

/** `shell`: the address of the app's socket. Process ids and addresses mean something on one host only. */
const Note = z.object({
  pid: z.int().positive(),
  host: z.string(),
  shell: z.string().min(1).optional(),
  url: z.url().optional(),
});

/** Another process has the lock. */
export class FolderInUse extends AppError {
  readonly folder: string;

  /** `url`: where that process listens. */
  constructor(folder: string, { url, cause }: { url?: string; cause?: unknown } = {}) {
    const where = url === undefined ? '' : ` and listens on ${url}`;
    super(
      'conflict',
      `Tonearm is already running on ${folder}${where}. Use it there, or stop it first; another library has another ` +
        '--data-dir.',
      { cause },
    );
    this.folder = folder;
  }
}

const noteOf = (file: string): string => `${file}.json`;

/**
 * Locks the folder; returns the function that unlocks it. Throws `conflict` when another process holds it, and
 * `unavailable` when no file can be made in it.
 */
export function lockDataFolder(file: string, folder: string, shell?: string): () => void {
  const client = openLock(file, folder);
  try {
    client.pragma('journal_mode = DELETE');
    client.exec('BEGIN EXCLUSIVE');
    // also removes what a killed holder left: a note is always about whoever has the lock now
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

/** Notes the address of the process that has the lock. */
export const noteAddress = (file: string, url: string, shell?: string): void => writeNote(file, { url, shell });

const writeNote = (file: string, note: Pick<z.input<typeof Note>, 'shell' | 'url'>): void =>
  writeFileSync(noteOf(file), JSON.stringify({ pid: process.pid, host: hostname(), ...note }));

/** Returns the address that the process with the lock noted. It may have ended since, or not answer. */
export function findAddress(file: string): string | undefined {
  const note = Note.safeParse(readNote(file)).data;
  return note?.host === hostname() ? note.url : undefined;
}

/** Returns the desktop app server that holds the lock; undefined when nobody or another program holds it. */
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
    return undefined; // there is none, or it is being written
  }
}
