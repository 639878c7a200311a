// Most writes are a person's, and on the disk when they are answered. Some need not be.
import type { Sqlite } from './client.ts';

/**
 * Commits without waiting for the disk: for what is found out again when a power cut takes it. Each wait would hold up
 * everybody.
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
