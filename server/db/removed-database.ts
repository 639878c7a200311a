// Checks whether the database's files are still the ones at their paths. A file that was removed, replaced or moved
// under a running server can still be written, but all writes would be lost. So the connection becomes read-only, for
// requests and background work alike, until the very same files are back.
import { statSync } from 'node:fs';
import { AppError, DATABASE_GONE } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { Sqlite } from './client.ts';

const CHECK_INTERVAL_MS = 1_000;
/**
 * All three files are checked: without its log a database lacks the last writes, and without its index other programs
 * cannot read it.
 */
const FILE_SUFFIXES = ['', '-wal', '-shm'];

export type InPlace = ReturnType<typeof watchInPlace>;

export function watchInPlace({ client, path, log }: { client: Sqlite; path: string; log: Log }) {
  const openedIdentity = identityOf(path);
  let isInPlace = true;

  function check(): boolean {
    const isStillInPlace = identityOf(path) === openedIdentity;
    if (isStillInPlace === isInPlace) return isStillInPlace;
    isInPlace = isStillInPlace;
    client.pragma(`query_only = ${isStillInPlace ? 'OFF' : 'ON'}`);
    if (isStillInPlace) log.warn({ path }, 'the database is available again');
    else log.error({ path }, 'the database was removed, replaced or moved; nothing is saved until it is back');
    return isStillInPlace;
  }

  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();

  return {
    check,
    /**
     * Throws if the files are gone. To be called after a write and before its response, so that a write to a removed
     * file is not acknowledged.
     */
    assert(): void {
      if (!check()) throw new AppError('unavailable', DATABASE_GONE, { retryAfter: 30 });
    },
    close: (): void => clearInterval(timer),
  };
}

/** Returns device and inode of each file. */
const identityOf = (path: string): string => FILE_SUFFIXES.map((ending) => fileAt(path + ending)).join(' ');

function fileAt(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return '-'; // the file is gone, or its disk is out of reach
  }
}
