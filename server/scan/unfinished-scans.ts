// Remembers the last track id from before a scan until the scan has matched the tracks whose files are gone: tracks
// with higher ids are new.
import type { Sqlite } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { WriteBatch } from './write/writer.ts';

export function createUnfinishedScans(client: Sqlite, source: string) {
  const findLastOldId = client
    .prepare<[string], TrackId>('SELECT after_id FROM unfinished_scans WHERE source = ?')
    .pluck();
  const insertNote = client.prepare('INSERT OR IGNORE INTO unfinished_scans (source, after_id) VALUES (?, ?)');
  const remove = client.prepare('DELETE FROM unfinished_scans WHERE source = ?');
  const newestId = client.prepare<[], TrackId>('SELECT coalesce(max(id), 0) FROM tracks').pluck().get() as TrackId;
  const unfinishedId = findLastOldId.get(source);
  let isNoted = unfinishedId !== undefined;

  return {
    lastOldId: (): TrackId => unfinishedId ?? newestId,
    /** Returns whether this scan, or one that was interrupted, has written rows. */
    isNoted: (): boolean => isNoted,
    /** Returns a function that writes batches, and notes before the first one that a scan is under way. */
    noteBefore:
      (writeBatch: WriteBatch): WriteBatch =>
      (ops, from, limitMs) => {
        if (!isNoted) insertNote.run(source, newestId);
        isNoted = true;
        return writeBatch(ops, from, limitMs);
      },
    end: (): void => void remove.run(source),
  };
}
