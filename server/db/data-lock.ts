// One process owns a data folder, its queue and its scans. The lock is an SQLite lock, which a killed process releases.
// A server of the desktop app notes beside it which process has the lock, and whose server it is.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { AppError, isDatabaseLocked } from '../errors.ts';

/** `shell`: the address of the app's socket. Process ids mean something on one host only. */
const Holder = z.object({ pid: z.int().positive(), host: z.string(), shell: z.string().min(1) });

const noteOf = (file: string): string => `${file}.json`;

/** Locks the folder; returns the function that unlocks it. Throws `conflict` when another process holds it. */
export function lockDataFolder(file: string, folder: string, shell?: string): () => void {
  const client = new Database(file, { timeout: 0 });
  try {
    client.pragma('journal_mode = DELETE');
    client.exec('BEGIN EXCLUSIVE');
    // also removes what a killed holder left: a note is always about whoever has the lock now
    if (shell === undefined) rmSync(noteOf(file), { force: true });
    else writeFileSync(noteOf(file), JSON.stringify({ pid: process.pid, host: hostname(), shell }));
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
  return () => {
    if (shell !== undefined) rmSync(noteOf(file), { force: true });
    client.close();
  };
}

/** The server of a desktop app that holds the lock; undefined when nobody does, or another program. */
export function findHolder(file: string, folder: string): { pid: number; shell: string } | undefined {
  const holder = Holder.safeParse(readNote(file)).data;
  if (!holder || holder.host !== hostname() || !isLocked(file, folder)) return undefined;
  return holder;
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
