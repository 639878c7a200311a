// Pairs of tracks that sound the same, and the groups that they add up to. Kept as fingerprints come and go, so that
// the list of groups is one walk along an index. Inside the caller's transaction.
import { and, eq, inArray, max, or } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { duplicateDismissals, duplicateMembers, duplicatePairs, trackFingerprints } from '../db/schema.ts';
import { LENGTH_TOLERANCE_MS, SAME_SOUND, soundSimilarity } from '../media/fingerprint-match.ts';
import { groupTracks, type Pair } from './duplicate-groups.ts';

export interface Sounding {
  trackId: TrackId;
  raw: Uint32Array;
  durationMs: number;
}

/** Tracks of one group that are looked at; a thousand copies of one song stay a group of so many. */
const MOST_JOINED = 200;

/** Compares a track with those that may be the same, and writes down which are. */
export function pairWithAlike(db: Db, heard: Sounding, alike: readonly Sounding[]): void {
  let found = false;
  for (const other of alike) {
    if (Math.abs(other.durationMs - heard.durationMs) > LENGTH_TOLERANCE_MS) continue;
    const similarity = soundSimilarity(heard.raw, other.raw);
    if (similarity < SAME_SOUND || isDismissed(db, heard.trackId, other.trackId)) continue;
    const [trackId, otherId] = inOrder(heard.trackId, other.trackId);
    db.insert(duplicatePairs).values({ trackId, otherId, similarity }).run();
    found = true;
  }
  if (found) regroup(db, [heard.trackId]);
}

/** A person says that these are not the same. */
export function dismissPair(
  db: Db,
  a: TrackId,
  b: TrackId,
  by: Pick<typeof duplicateDismissals.$inferInsert, 'userId' | 'createdAt'>,
): void {
  const [trackId, otherId] = inOrder(a, b);
  db.insert(duplicateDismissals)
    .values({ trackId, otherId, ...by })
    .onConflictDoNothing()
    .run();
  db.delete(duplicatePairs)
    .where(and(eq(duplicatePairs.trackId, trackId), eq(duplicatePairs.otherId, otherId)))
    .run();
}

/** Makes the groups of these tracks anew, with all that their pairs lead to. */
export function regroup(db: Db, trackIds: readonly TrackId[]): void {
  const { ids, pairs } = joined(db, trackIds);
  const heard = db
    .select({ trackId: trackFingerprints.trackId, durationMs: trackFingerprints.durationMs })
    .from(trackFingerprints)
    .where(inArray(trackFingerprints.trackId, ids))
    .all();
  db.delete(duplicateMembers).where(inArray(duplicateMembers.trackId, ids)).run();
  for (const group of groupTracks(heard, pairs, listApart(db, ids))) {
    const groupId =
      (db
        .select({ last: max(duplicateMembers.groupId) })
        .from(duplicateMembers)
        .get()?.last ?? 0) + 1;
    db.insert(duplicateMembers)
      .values(group.map((trackId) => ({ trackId, groupId })))
      .run();
  }
}

/** What can be reached from these tracks by pairs, and by the groups they are in now. */
function joined(db: Db, trackIds: readonly TrackId[]): { ids: TrackId[]; pairs: Pair[] } {
  const groupIds = db
    .select({ id: duplicateMembers.groupId })
    .from(duplicateMembers)
    .where(inArray(duplicateMembers.trackId, [...trackIds]))
    .all()
    .map(({ id }) => id);
  const members = db
    .select({ id: duplicateMembers.trackId })
    .from(duplicateMembers)
    .where(inArray(duplicateMembers.groupId, groupIds))
    .limit(MOST_JOINED)
    .all();
  const ids = new Set<TrackId>([...trackIds, ...members.map(({ id }) => id)]);
  const pairs: Pair[] = [];
  for (const id of ids) {
    // grows while it is walked
    for (const { trackId, otherId } of db
      .select()
      .from(duplicatePairs)
      .where(or(eq(duplicatePairs.trackId, id), eq(duplicatePairs.otherId, id)))
      .all()) {
      const other = trackId === id ? otherId : trackId;
      if (!ids.has(other) && ids.size < MOST_JOINED) ids.add(other);
      if (trackId === id) pairs.push([trackId, otherId]);
    }
  }
  return { ids: [...ids], pairs };
}

function listApart(db: Db, ids: readonly TrackId[]): Pair[] {
  return db
    .select()
    .from(duplicateDismissals)
    .where(and(inArray(duplicateDismissals.trackId, [...ids]), inArray(duplicateDismissals.otherId, [...ids])))
    .all()
    .map(({ trackId, otherId }): Pair => [trackId, otherId]);
}

function isDismissed(db: Db, a: TrackId, b: TrackId): boolean {
  const [trackId, otherId] = inOrder(a, b);
  return (
    db
      .select({ id: duplicateDismissals.trackId })
      .from(duplicateDismissals)
      .where(and(eq(duplicateDismissals.trackId, trackId), eq(duplicateDismissals.otherId, otherId)))
      .get() !== undefined
  );
}

const inOrder = (a: TrackId, b: TrackId): Pair => (a < b ? [a, b] : [b, a]);
