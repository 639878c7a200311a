// Moves the plays of a track to another one in a merge, in the caller's transaction. Triggers update the play counts.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

export function createPlayMerge({ db }: { db: MainDb }): TrackMergePart {
  const movePlays = db.$client.prepare<[TrackId, TrackId]>('UPDATE plays SET track_id = ? WHERE track_id = ?');
  const moveSince = db.$client.prepare<[TrackId, TrackId, number]>(
    'UPDATE plays SET track_id = ? WHERE track_id = ? AND played_at >= ?',
  );
  return {
    moveSince: (from, to, since): boolean => moveSince.run(to, from, since.getTime()).changes > 0,
    move: (from: TrackId, to: TrackId): void => void movePlays.run(to, from),
    rows: [{ table: 'plays', column: 'track_id' }],
  };
}
