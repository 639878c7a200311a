// What people played of a track goes over to another one that turned out to be the same music. Inside the caller's
// transaction. The counts of both, of their albums and artists follow by trigger.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { TrackMergePart } from '../library/track-merge.ts';

export function createPlayMerge({ db }: { db: MainDb }): TrackMergePart {
  const movePlays = db.$client.prepare<[TrackId, TrackId]>('UPDATE plays SET track_id = ? WHERE track_id = ?');
  return { move: (from: TrackId, to: TrackId): void => void movePlays.run(to, from) };
}
