// Pairs of tracks with matching fingerprints, and the groups that they form. Both are updated with each fingerprint, so
// that listing groups only reads an index. All functions run in the caller's transaction.
import { and, eq, inArray, max, or } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { duplicateDismissals, duplicateMembers, duplicatePairs, trackFingerprints } from '../db/schema.ts';
import { LENGTH_TOLERANCE_MS, SAME_SOUND, soundSimilarity } from '../media/fingerprint-match.ts';
import { groupTracks, type Pair } from './duplicate-groups.ts';

interface FingerprintedTrack {
  trackId: TrackId;
  raw: Uint32Array;
  durationMs: number;
}

/** Maximum number of connected tracks that are read: of a thousand copies of a song, only this many form a group. */
const MAX_CONNECTED_TRACKS = 200;

/** Compares a track with candidates and stores a pair for each that matches. */
export function pairWithSimilar(db: Db, track: FingerprintedTrack, candidates: readonly FingerprintedTrack[]): void {
  let hasPairs = false;
  for (const otherTrack of candidates) {
    if (Math.abs(otherTrack.durationMs - track.durationMs) > LENGTH_TOLERANCE_MS) continue;
    const similarity = soundSimilarity(track.raw, otherTrack.raw);
    if (similarity < SAME_SOUND || isDismissed(db, track.trackId, otherTrack.trackId)) continue;
    const [trackId, otherId] = sortPair(track.trackId, otherTrack.trackId);
    db.insert(duplicatePairs).values({ trackId, otherId, similarity }).run();
    hasPairs = true;
  }
  if (hasPairs) regroup(db, [track.trackId]);
}

/** Stores that a person has marked two tracks as not the same. */
export function dismissPair(
  db: Db,
  a: TrackId,
  b: TrackId,
  dismissal: Pick<typeof duplicateDismissals.$inferInsert, 'userId' | 'createdAt'>,
): void {
  const [trackId, otherId] = sortPair(a, b);
  db.insert(duplicateDismissals)
    .values({ trackId, otherId, ...dismissal })
    .onConflictDoNothing()
    .run();
  db.delete(duplicatePairs)
    .where(and(eq(duplicatePairs.trackId, trackId), eq(duplicatePairs.otherId, otherId)))
    .run();
}

/** Recomputes the groups of these tracks and of all tracks connected to them. */
export function regroup(db: Db, trackIds: readonly TrackId[]): void {
  const { ids, pairs } = findConnectedTracks(db, trackIds);
  const lengths = db
    .select({ trackId: trackFingerprints.trackId, durationMs: trackFingerprints.durationMs })
    .from(trackFingerprints)
    .where(inArray(trackFingerprints.trackId, ids))
    .all();
  db.delete(duplicateMembers).where(inArray(duplicateMembers.trackId, ids)).run();
  for (const group of groupTracks(lengths, pairs, listDismissedPairs(db, ids))) {
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

/** Returns the tracks that are connected to these by pairs or by their current groups. */
function findConnectedTracks(db: Db, trackIds: readonly TrackId[]): { ids: TrackId[]; pairs: Pair[] } {
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
    .limit(MAX_CONNECTED_TRACKS)
    .all();
  const ids = new Set<TrackId>([...trackIds, ...members.map(({ id }) => id)]);
  const pairs: Pair[] = [];
  for (const id of ids) {
    // the loop adds to `ids` while it iterates over them
    for (const { trackId, otherId } of db
      .select()
      .from(duplicatePairs)
      .where(or(eq(duplicatePairs.trackId, id), eq(duplicatePairs.otherId, id)))
      .all()) {
      const connectedId = trackId === id ? otherId : trackId;
      if (!ids.has(connectedId) && ids.size < MAX_CONNECTED_TRACKS) ids.add(connectedId);
      if (trackId === id) pairs.push([trackId, otherId]);
    }
  }
  return { ids: [...ids], pairs };
}

function listDismissedPairs(db: Db, ids: readonly TrackId[]): Pair[] {
  return db
    .select()
    .from(duplicateDismissals)
    .where(and(inArray(duplicateDismissals.trackId, [...ids]), inArray(duplicateDismissals.otherId, [...ids])))
    .all()
    .map(({ trackId, otherId }): Pair => [trackId, otherId]);
}

function isDismissed(db: Db, a: TrackId, b: TrackId): boolean {
  const [trackId, otherId] = sortPair(a, b);
  return (
    db
      .select({ id: duplicateDismissals.trackId })
      .from(duplicateDismissals)
      .where(and(eq(duplicateDismissals.trackId, trackId), eq(duplicateDismissals.otherId, otherId)))
      .get() !== undefined
  );
}

export const sortPair = (a: TrackId, b: TrackId): Pair => (a < b ? [a, b] : [b, a]);
