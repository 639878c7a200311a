// Moves likes and ratings when two tracks are merged. Runs inside the caller's transaction.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { TrackMergePart } from '../library/track-merge.ts';
import { deleteStatesOf, findState, insertEvent, listStatesOf, setState, type Item } from './queries.ts';
import { changeToAbsorb, nextState } from './state.ts';

const track = (itemId: TrackId): Item => ({ itemType: 'track', itemId });

export function createLikeMerge({ db }: { db: MainDb }): TrackMergePart {
  return {
    move(from: TrackId, to: TrackId): void {
      const [left, kept] = [track(from), track(to)];
      for (const { userId, ...other } of listStatesOf(db, left)) {
        const before = findState(db, userId, kept);
        const change = changeToAbsorb(before, other);
        if (!change) continue;
        insertEvent(db, userId, kept, change);
        setState(db, userId, kept, nextState(before, change));
      }
      deleteStatesOf(db, left);
    },
  };
}
