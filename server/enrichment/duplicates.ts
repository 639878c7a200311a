// Duplicates, which are found by fingerprint: lists them in groups, merges them, and lets a person dismiss them.
import { and, eq, inArray } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { duplicateMembers, tracks, type duplicatePairs } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Merges } from '../library/merges/merges.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { chooseKeeper, type KeepReason } from './duplicate-keeper.ts';
import { dismissPair, regroup } from './duplicate-pairs.ts';

export interface DuplicateGroup {
  id: number;
  tracks: TrackSummary[];
  /** Similarity of the two tracks that differ most, 0 to 1. */
  similarity: number;
  keep: { id: TrackId; reason: KeepReason };
  /** Total size of the tracks that need not be kept. */
  spareBytes: number;
}

interface DuplicateDeps {
  db: MainDb;
  library: Pick<LibraryService, 'getTrack' | 'tracksById'>;
  merges: Pick<Merges, 'mergeInto'>;
  /** Called in the transaction before a merged track is deleted, so that no scan imports its file again. */
  onMerged: (id: TrackId) => void;
  now: () => Date;
}

export type DuplicateService = ReturnType<typeof createDuplicateService>;

export function createDuplicateService({ db, library, merges, onMerged, now }: DuplicateDeps) {
  const client = db.$client;
  const countGroups = client
    .prepare<[], number>('SELECT count(*) FROM (SELECT 1 FROM duplicate_members GROUP BY group_id)')
    .pluck();
  const listGroupIds = client
    .prepare<[number, number], number>(
      'SELECT group_id FROM duplicate_members GROUP BY group_id ORDER BY group_id DESC LIMIT ? OFFSET ?',
    )
    .pluck();
  const listMembers = client.prepare<
    [string],
    RowAs<typeof duplicateMembers, 'groupId' | 'trackId'>
  >(`SELECT group_id AS groupId, track_id AS trackId FROM duplicate_members
    WHERE group_id IN (SELECT value FROM json_each(?)) ORDER BY track_id`);
  const listSimilarities = client.prepare<
    [string],
    RowAs<typeof duplicateMembers, 'groupId'> & RowAs<typeof duplicatePairs, 'similarity'>
  >(`SELECT m.group_id AS groupId, min(p.similarity) AS similarity FROM duplicate_members m
    JOIN duplicate_pairs p ON p.track_id = m.track_id JOIN duplicate_members o ON o.track_id = p.other_id
    AND o.group_id = m.group_id
    WHERE m.group_id IN (SELECT value FROM json_each(?)) GROUP BY m.group_id`);

  const availabilityOf = (id: TrackId): string => {
    const row = db.select({ availability: tracks.availability }).from(tracks).where(eq(tracks.id, id)).get();
    if (!row) throw notFound('track', id);
    return row.availability;
  };

  function assertDuplicates(keptId: TrackId, ids: readonly TrackId[]): void {
    const keeperAvailability = availabilityOf(keptId);
    const group = db
      .select({ id: duplicateMembers.groupId })
      .from(duplicateMembers)
      .where(eq(duplicateMembers.trackId, keptId))
      .get();
    const members =
      group === undefined
        ? []
        : db
            .select({ id: duplicateMembers.trackId })
            .from(duplicateMembers)
            .where(and(eq(duplicateMembers.groupId, group.id), inArray(duplicateMembers.trackId, [...ids])))
            .all();
    for (const id of ids) {
      const availability = availabilityOf(id);
      if (!members.some((member) => member.id === id))
        throw conflict(`Track ${id} is not known to be the same recording as track ${keptId}.`);
      if (keeperAvailability !== 'available' && availability === 'available')
        throw conflict('The track to keep has no audio, and one that would be deleted has. Keep that one.');
    }
  }

  /** Returns the groups in the order of `ids`, with one query of each kind. */
  function readGroups(userId: UserId, ids: number[]): DuplicateGroup[] {
    const members = listMembers.all(JSON.stringify(ids));
    const similarity = new Map(listSimilarities.all(JSON.stringify(ids)).map((row) => [row.groupId, row.similarity]));
    const summaries = new Map(
      library
        .tracksById(
          userId,
          members.map(({ trackId }) => trackId),
        )
        .map((track) => [track.id, track]),
    );
    const membersByGroup = Map.groupBy(members, ({ groupId }) => groupId);
    return ids.flatMap((id) => {
      const groupTracks = (membersByGroup.get(id) ?? []).flatMap(({ trackId }) => summaries.get(trackId) ?? []);
      const keep = chooseKeeper(groupTracks);
      if (!keep) return [];
      const spareBytes = groupTracks.reduce(
        (sum, track) => sum + (track.id === keep.id ? 0 : (track.sizeBytes ?? 0)),
        0,
      );
      return [{ id, tracks: groupTracks, similarity: similarity.get(id) ?? 1, keep, spareBytes }];
    });
  }

  return {
    /** Lists groups of duplicates, newest first. */
    listGroups(userId: UserId, { limit, offset }: Page): Paged<DuplicateGroup> {
      return { items: readGroups(userId, listGroupIds.all(limit, offset)), total: countGroups.get() ?? 0 };
    },

    /**
     * Merges the tracks `otherIds` into `keptId`. Throws `not_found`, and `conflict` for tracks that are not in the
     * same group.
     */
    mergeTracks(userId: UserId, keptId: TrackId, otherIds: readonly TrackId[]): TrackSummary {
      const ids = [...new Set(otherIds)];
      db.transaction(
        () => {
          assertDuplicates(keptId, ids);
          for (const id of ids)
            merges.mergeInto(keptId, id, {
              reason: 'duplicate',
              by: userId,
              takesFile: false,
              beforeRemoval: () => onMerged(id),
            });
        },
        { behavior: 'immediate' },
      );
      return library.getTrack(userId, keptId);
    },

    /** Marks a track as different from the tracks `otherIds`, so that they are not paired again. Throws `not_found`. */
    dismiss(userId: UserId, id: TrackId, otherIds: readonly TrackId[]): void {
      db.transaction(
        (tx) => {
          for (const trackId of [id, ...otherIds]) availabilityOf(trackId);
          for (const otherId of otherIds)
            if (otherId !== id) dismissPair(tx, id, otherId, { userId, createdAt: now() });
          regroup(tx, [id, ...otherIds]);
        },
        { behavior: 'immediate' },
      );
    },
  };
}
