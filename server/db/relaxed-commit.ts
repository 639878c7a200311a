// Most commits wait for the disk. Some need not.
import type { Sqlite } from './client.ts';

/**
 * Commits without waiting for the disk, for data that is found again if a power cut loses it. Each fsync would block
 * all requests.
 */
export function withRelaxedCommit<T>(client: Sqlite, write: () => T): T {
  if (client.inTransaction) return write(); // whoever began it decides
  client.pragma('synchronous = NORMAL');
  try {
    return write();
  } finally {
    client.pragma('synchronous = FULL');
  }
}
