// Merges that can be undone for 30 days. The track that was merged into another one waits in the table of the trash,
// with its rows, and with what the merge changed: which rows moved, and, where the kept track took over its file, what
// that one was before.
import { and, eq, gt, isNotNull } from 'drizzle-orm';
import { type Db, type MainDb, writtenRow } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import {
  replacedTracks,
  tracks as trackTable,
  trashedTracks,
  type MergeReason,
  type MetadataStatus,
} from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { identityUnderEdits, tagsUnderEdits } from './edit-history.ts';
import { changesOf, takeBack, withEditsOf, type FieldChange } from './identity-changes.ts';
import { separatedPlace } from './overwritten-place.ts';
import { prepareKnownTracks } from './track-identity.ts';
import type { TrackMerge, TrackMergePart } from './track-merge.ts';
import { createTrackSnapshots, type Row, type TrackSnapshot } from './track-snapshot.ts';
import { AUDIO_COLUMNS, type TrackAudio, type TrackIdentity } from './track-values.ts';
import type { TrackWriter } from './track-writer.ts';
import { KEPT_MS, type Trash } from './trash.ts';

/** Results of listening to the audio: they go where it goes. */
const OF_AUDIO = ['track_fingerprints', 'fingerprint_pieces'];

/** What people did with one track and that went to another, as far as it takes to bring it back. */
interface Carried {
  moved: { table: string; column: string; keys: Row[] }[];
  remembered: Record<string, unknown>;
  /** Absent where no edit of the emptied track went to the kept one. */
  edits?: CarriedEdits | undefined;
  /** When the kept track was added, in ms; absent where it is the older one. */
  keptSince?: number | undefined;
}
interface MergedSnapshot extends TrackSnapshot {
  /** `before`: what the kept track was, if it took over the file. */
  merge: Carried & { before: Before | null };
}
interface CarriedEdits {
  /** What the kept track was. */
  identity: TrackIdentity;
  changes: FieldChange[];
}
interface Before {
  source: string;
  sourceId: string;
  audio: TrackAudio;
  ofAudio: TrackSnapshot['rows'];
  identity: TrackIdentity;
  status: MetadataStatus;
  folder: number | undefined;
  /** What its own file said; absent for a track without edits. */
  tags?: TrackIdentity | undefined;
}

interface MergeOptions {
  reason: MergeReason;
  /** Null for a scan. */
  by: UserId | null;
  /** The kept track takes over file and audio of the other one. */
  takesFile: boolean;
  /** While the emptied track's row is there. */
  beforeRemoval?: () => void;
}

export interface PastMerge extends RowAs<
  typeof trashedTracks,
  'id' | 'title' | 'artistName' | 'albumTitle' | 'source' | 'sourceId' | 'mergedInto' | 'deletedAt'
> {
  /** `replaced`: the track is still there, see `replaced_tracks`. */
  reason: MergeReason | 'replaced';
  deletedByName: string | null;
}

interface ListOf {
  /** Those that were replaced since; what was merged is purged with the trash. */
  since: number;
  into?: TrackId;
}

interface MergesDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'search' | 'setAudio' | 'setIdentity' | 'mergedInto' | 'musicDivided'>;
  merge: TrackMerge;
  movers: readonly TrackMergePart[];
  trash: Pick<Trash, 'put' | 'putBack' | 'restore'>;
  now: () => Date;
}

export type Merges = ReturnType<typeof createMerges>;

export function createMerges({ db, tracks, merge, movers, trash, now }: MergesDeps) {
  const snapshots = createTrackSnapshots(db.$client);
  const findKnown = prepareKnownTracks(db.$client);
  const findSince = db.$client.prepare<[TrackId], number>('SELECT created_at FROM tracks WHERE id = ?').pluck();
  const setSince = db.$client.prepare<[number, TrackId]>('UPDATE tracks SET created_at = ? WHERE id = ?');
  // by the index of the tracks that were merged into one, where only that one is asked for
  const prepareList = (mergedInto: string, replacedBy: string) => {
    const sql = `SELECT m.id, m.title, m.artist_name AS artistName, m.album_title AS albumTitle, m.source,
        m.source_id AS sourceId, m.merged_into AS mergedInto, m.merge_reason AS reason, m.deleted_at AS deletedAt,
        m.deleted_by AS deletedBy
      FROM trashed_tracks m WHERE m.merged_into ${mergedInto}
      UNION ALL
      SELECT t.id, t.title, t.artist_name, a.title, t.source, t.source_id, r.by_id, 'replaced', r.replaced_at, NULL
      FROM replaced_tracks r JOIN tracks t ON t.id = r.track_id LEFT JOIN albums a ON a.id = t.album_id
      WHERE r.replaced_at > @since ${replacedBy}`;
    return {
      list: db.$client.prepare<ListOf & Page, PastMerge>(
        `SELECT p.*, u.username AS deletedByName FROM (${sql}) p LEFT JOIN users u ON u.id = p.deletedBy
          ORDER BY p.deletedAt DESC, p.id DESC LIMIT @limit OFFSET @offset`,
      ),
      count: db.$client.prepare<ListOf, number>(`SELECT count(*) FROM (${sql})`).pluck(),
    };
  };
  const allMerges = prepareList('IS NOT NULL', '');
  const mergesInto = prepareList('= @into', 'AND r.by_id = @into');
  const ofMerge = (id: TrackId) => and(eq(trashedTracks.id, id), isNotNull(trashedTracks.mergedInto));
  const findTrack = (tx: Db, id: TrackId) => tx.select().from(trackTable).where(eq(trackTable.id, id)).get();

  function beforeOf(tx: Db, id: TrackId): Before {
    const [row, known, snapshot] = [findTrack(tx, id), findKnown(id), snapshots.take(id)];
    if (!row || !known || !snapshot) throw notFound('track', id);
    const { source, sourceId, metadataStatus: status } = row;
    const { identity, folder } = known;
    const ofAudio = snapshot.rows.filter(isOfAudio);
    const tags = identityUnderEdits(tx, id);
    return { source, sourceId, audio: audioOf(row), ofAudio, identity, status, folder, tags };
  }

  /**
   * Part of the caller's transaction; nothing is left over to release. The caller sees to the files, before; it gives
   * the kept track the audio of the other one, after, if that is what it takes over.
   */
  function mergeInto(
    kept: TrackId,
    emptied: TrackId,
    { reason, by, takesFile, beforeRemoval = () => {} }: MergeOptions,
  ): void {
    db.transaction(
      (tx) => {
        const snapshot = snapshots.take(emptied);
        if (!snapshot) throw notFound('track', emptied);
        const before = takesFile ? beforeOf(tx, kept) : null;
        const carried = whatGoesAlong(kept, emptied, by);
        const isMoved = ({ table }: { table: string }): boolean => carried.moved.some((one) => one.table === table);
        // those of equal audio are found again with the other track
        const isFoundAgain = (one: { table: string }): boolean => reason === 'same_audio' && isOfAudio(one);
        const merged: MergedSnapshot = {
          ...snapshot,
          rows: snapshot.rows.filter((one) => !isMoved(one) && !isFoundAgain(one)),
          links: snapshot.links.filter((one) => !isMoved(one)),
          // annotations come back by themselves (annotations.ts)
          parents: { ...snapshot.parents, albumCovers: [], artistNevers: [] },
          merge: { ...carried, before },
        };
        const audio = before === null ? undefined : before.audio;
        tracks.mergedInto(kept, emptied);
        merge.mergeInto(kept, emptied, (inner) =>
          trash.put(inner, by, emptied, beforeRemoval, { into: kept, reason, snapshot: merged, audio }),
        );
      },
      { behavior: 'immediate' },
    );
  }

  /** Carries edits over; the rest is only noted. A person who merges has seen which fields are kept. */
  const whatGoesAlong = (kept: TrackId, emptied: TrackId, by: UserId | null): Carried => ({
    keptSince: carrySince(kept, emptied),
    edits: by === null ? carryEdits(emptied, kept) : undefined,
    moved: movers.flatMap(({ rows = [] }) =>
      rows.map((one) => ({ ...one, keys: snapshots.keysOf(one.table, one.column, emptied) })),
    ),
    remembered: Object.fromEntries(
      movers.flatMap(({ remembers: keeps }) => (keeps ? [[keeps.name, keeps.of(emptied, kept)]] : [])),
    ),
  });

  /** A track is there since the older of the two. */
  function carrySince(kept: TrackId, emptied: TrackId): number | undefined {
    const [own, other] = [findSince.get(kept), findSince.get(emptied)];
    if (own === undefined || other === undefined || own <= other) return undefined;
    setSince.run(other, kept);
    return own;
  }

  /**
   * For a scan: what people did with a track goes to the one that replaced it, and both stay. Part of the caller's
   * transaction. Throws `not_found`.
   */
  function replace(replaced: TrackId, by: TrackId): void {
    db.transaction(
      (tx) => {
        for (const id of [replaced, by]) if (!findTrack(tx, id)) throw notFound('track', id);
        const carried = whatGoesAlong(by, replaced, null);
        for (const mover of movers) mover.move?.(replaced, by);
        tx.delete(replacedTracks).where(eq(replacedTracks.trackId, by)).run(); // it has a file again
        tx.insert(replacedTracks).values({ trackId: replaced, byId: by, replacedAt: now(), carried }).run();
      },
      { behavior: 'immediate' },
    );
  }

  /** Brings back what went from `emptied` to `kept`. Both are there. */
  function carryBack(
    { moved, remembered, keptSince }: Carried,
    emptied: TrackId,
    kept: TrackId,
    { tookFile, by }: { tookFile: boolean; by: UserId | null },
  ): void {
    for (const { table, column, keys } of moved) snapshots.moveRows(table, column, keys, kept, emptied);
    if (keptSince !== undefined) setSince.run(keptSince, kept);
    const at = now();
    for (const { remembers, bringBack } of movers)
      bringBack?.(emptied, kept, { remembered: remembers && remembered[remembers.name], tookFile, by, at });
    tracks.search.set('track', kept);
  }

  /**
   * For a scan: what people did with a track since a moment goes to another one, whose music it was then. With
   * `onlyIfAny` names that the music had stay where they are if people did nothing with the track itself. False then.
   */
  const divide = db.$client.transaction((from: TrackId, to: TrackId, since: Date, onlyIfAny = false): boolean => {
    const isAny = movers.map((mover) => mover.moveSince?.(from, to, since) ?? false).includes(true);
    if (isAny || !onlyIfAny) tracks.musicDivided(from, to);
    return isAny;
  }).immediate;

  /** Fields that were edited by hand, unless they were in the other track, too. */
  function carryEdits(from: TrackId, to: TrackId): CarriedEdits | undefined {
    const [emptied, kept] = [findKnown(from), findKnown(to)];
    if (!emptied || !kept) return undefined;
    const identity = withEditsOf(emptied.identity, kept.identity);
    if (identity === kept.identity) return undefined;
    rename(to, identity, kept.folder);
    return { identity: { ...kept.identity, lyrics: undefined }, changes: changesOf(kept.identity, identity) };
  }

  /** Where they are still as they came. */
  function takeEditsBack(id: TrackId, { identity, changes }: CarriedEdits): void {
    const known = findKnown(id);
    if (known) rename(id, takeBack(changes, { identity }, known.identity).target, known.folder);
  }

  const rename = (id: TrackId, identity: TrackIdentity, folder: number | undefined): void =>
    tracks.batch(() => tracks.setIdentity(id, { ...identity, lyrics: undefined }, folder));

  /** Gives the kept track what it was, and the audio that it took over back. Runs inside the caller's transaction. */
  function giveBack(tx: Db, kept: TrackId, before: Before, storageUri: string | null): Row {
    const taken = snapshots.take(kept)?.track ?? {};
    const { source, sourceId, identity, folder } = before;
    tx.update(trackTable)
      .set({ source, sourceId: freePlace(tx, kept, source, sourceId), updatedAt: now() })
      .where(eq(trackTable.id, kept))
      .run();
    tracks.setAudio(kept, { ...before.audio, storageUri });
    snapshots.replaceRows(kept, OF_AUDIO, before.ofAudio);
    const isEditedSince = taken['metadata_status'] === 'manual' && before.status !== 'manual';
    const edited = findKnown(kept)?.identity ?? identity;
    if (before.tags) tagsUnderEdits(tx, kept, before.tags);
    if (!isEditedSince) tracks.batch(() => tracks.setIdentity(kept, withEditsOf(edited, identity), folder));
    const columns = ['source', 'source_id', ...AUDIO_COLUMNS.map((column) => trackTable[column].name)];
    return Object.fromEntries(columns.map((name) => [name, taken[name] ?? null]));
  }

  function freePlace(tx: Db, id: TrackId, source: string, sourceId: string): string {
    const other = tx
      .select({ id: trackTable.id })
      .from(trackTable)
      .where(and(eq(trackTable.source, source), eq(trackTable.sourceId, sourceId)))
      .get();
    return other === undefined || other.id === id ? sourceId : separatedPlace(id, sourceId);
  }

  /** The kept track has the file of that later merge, and not of this one. */
  const tookFileSince = (tx: Db, kept: TrackId, at: Date): boolean =>
    tx
      .select({ snapshot: trashedTracks.snapshot })
      .from(trashedTracks)
      .where(and(eq(trashedTracks.mergedInto, kept), gt(trashedTracks.deletedAt, at)))
      .all()
      .some((later) => (later.snapshot as MergedSnapshot).merge.before !== null);

  /** The kept track is gone for good, and what belonged to it is this one's alone. */
  function restoreAlone(
    tx: Db,
    { id, storageUri }: { id: TrackId; storageUri: string | null },
    merged: MergedSnapshot,
  ) {
    trash.restore(tx, id);
    const { before } = merged.merge;
    if (before === null) return;
    // It has the audio that the kept track had before; its own went with that one, unless it lies in a music folder.
    const own = merged.track['storage_uri'];
    if (typeof own === 'string' && own.startsWith('file:'))
      tx.update(trackTable).set({ storageUri: own }).where(eq(trackTable.id, id)).run();
    else {
      tracks.setAudio(id, { ...before.audio, storageUri });
      snapshots.replaceRows(id, OF_AUDIO, []); // listened to anew
    }
  }

  /** What a track that was merged became in the end. */
  function lastOf(tx: Db, id: TrackId): TrackId {
    const next = tx
      .select({ id: trashedTracks.mergedInto })
      .from(trashedTracks)
      .where(eq(trashedTracks.id, id))
      .get()?.id;
    return next == null ? id : lastOf(tx, next);
  }

  function undo(by: UserId | null, id: TrackId): void {
    db.transaction(
      (tx) => {
        const replaced = writtenRow(tx.delete(replacedTracks).where(eq(replacedTracks.trackId, id)).returning());
        if (replaced) {
          const { byId, carried } = replaced as typeof replaced & { carried: Carried };
          if (carried.edits) takeEditsBack(byId, carried.edits);
          return carryBack(carried, id, byId, { tookFile: false, by });
        }
        const row = tx.select().from(trashedTracks).where(ofMerge(id)).get();
        if (row?.mergedInto == null) throw notFound('merge', id);
        const snapshot = row.snapshot as MergedSnapshot;
        // where it took over a file, that file has its own past
        const kept = snapshot.merge.before === null ? lastOf(tx, row.mergedInto) : row.mergedInto;
        if (!findTrack(tx, kept)) {
          const isDeleted = tx.select().from(trashedTracks).where(eq(trashedTracks.id, kept)).get() !== undefined;
          if (isDeleted)
            throw conflict('The track that it became is deleted, or became another one. Restore that first.');
          return restoreAlone(tx, row, snapshot);
        }
        const { before, edits } = snapshot.merge;
        if (before !== null && tookFileSince(tx, kept, row.deletedAt))
          throw conflict('The track that it became has taken over another file since. Separate those two first.');
        if (edits) takeEditsBack(kept, edits);
        const file =
          before === null
            ? { storage_uri: row.storageUri, source_id: freePlace(tx, id, row.source, row.sourceId) }
            : giveBack(tx, kept, before, row.storageUri);
        tx.delete(trashedTracks).where(eq(trashedTracks.id, id)).run();
        trash.putBack(tx, { ...snapshot, track: { ...snapshot.track, ...file } });
        carryBack(snapshot.merge, id, kept, { tookFile: before !== null, by });
      },
      { behavior: 'immediate' },
    );
  }

  function getMerge(tx: Db, id: TrackId) {
    const row = tx.select().from(trashedTracks).where(ofMerge(id)).get();
    if (row?.mergedInto == null) throw notFound('merge', id);
    return { row, kept: row.mergedInto, snapshot: row.snapshot as MergedSnapshot };
  }

  /**
   * For a scan: the kept track, whose own file is gone, takes over the file of this one, which a person merged into it.
   * An undo gives it back. The caller sees to the files. Throws `not_found` and `conflict`.
   */
  function takeMergedFile(id: TrackId, audio: TrackAudio): void {
    db.transaction(
      (tx) => {
        const { row, kept, snapshot } = getMerge(tx, id);
        const { source, sourceId } = row;
        const isTaken = freePlace(tx, kept, source, sourceId) !== sourceId;
        if (isTaken || snapshot.merge.before !== null || tookFileSince(tx, kept, row.deletedAt))
          throw conflict('The file belongs to another track by now.');
        const before = beforeOf(tx, kept);
        const { storageUri, contentHash, sizeBytes, audioHash: formerAudioHash } = before.audio;
        const merged: MergedSnapshot = { ...snapshot, merge: { ...snapshot.merge, before } };
        tx.update(trashedTracks)
          .set({ storageUri, contentHash, sizeBytes, formerAudioHash, snapshot: merged })
          .where(eq(trashedTracks.id, id))
          .run();
        tx.update(trackTable).set({ source, sourceId, updatedAt: now() }).where(eq(trackTable.id, kept)).run();
        tracks.setAudio(kept, audio);
        snapshots.replaceRows(kept, OF_AUDIO, []); // it is listened to anew
      },
      { behavior: 'immediate' },
    );
  }

  /** For a scan: the kept track's own file is back. The two stay merged. Throws as `takeMergedFile`. */
  function leaveMergedFile(id: TrackId): void {
    db.transaction(
      (tx) => {
        const { row, kept, snapshot } = getMerge(tx, id);
        const { before } = snapshot.merge;
        if (before === null || tookFileSince(tx, kept, row.deletedAt) || !findTrack(tx, kept))
          throw conflict('The track has another file by now.');
        const { audio } = beforeOf(tx, kept);
        const taken = giveBack(tx, kept, before, row.storageUri);
        const merged: MergedSnapshot = {
          ...snapshot,
          track: { ...snapshot.track, ...taken },
          merge: { ...snapshot.merge, before: null },
        };
        const { storageUri, contentHash, sizeBytes } = audio;
        tx.update(trashedTracks)
          .set({ storageUri, contentHash, sizeBytes, formerAudioHash: null, snapshot: merged })
          .where(eq(trashedTracks.id, id))
          .run();
      },
      { behavior: 'immediate' },
    );
  }

  return {
    mergeInto,
    takeMergedFile,
    leaveMergedFile,
    /** Throws `not_found`, and `conflict` when the kept track is deleted, or took over a file and is merged itself. */
    undo,
    replace,
    divide,
    /** Latest first; all, or what became that track. */
    list({ limit, offset }: Page, into?: TrackId): Paged<PastMerge> {
      const asked = { since: now().getTime() - KEPT_MS, ...(into !== undefined && { into }) };
      const merges = into === undefined ? allMerges : mergesInto;
      return { items: merges.list.all({ ...asked, limit, offset }), total: merges.count.get(asked) ?? 0 };
    },
  };
}

const isOfAudio = ({ table }: { table: string }): boolean => OF_AUDIO.includes(table);

const audioOf = (row: TrackAudio): TrackAudio =>
  Object.fromEntries(AUDIO_COLUMNS.map((column) => [column, row[column]])) as TrackAudio;
