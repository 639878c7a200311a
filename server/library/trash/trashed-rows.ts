// Moves the row of a track into the trash and back, with all rows that refer to it. A restored track is in its
// playlists again, which makes a new version of each.
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../../db/client.ts';
import type { TrackId, UserId } from '../../db/ids.ts';
import {
  albums,
  orphanedCovers,
  playlists,
  playlistVersions,
  trashedTracks,
  type MergeReason,
} from '../../db/schema.ts';
import { notFound } from '../../errors.ts';
import { removeTrackRow, type LeftOver, type RowRemovalDeps } from '../tracks/row-removal.ts';
import { createTrackSnapshots, type Row, type TrackSnapshot, type Value } from './track-snapshot.ts';

/** What the trash keeps of a track that was merged into another one. */
interface MergedTrack {
  intoId: TrackId;
  reason: MergeReason;
  snapshot: TrackSnapshot;
  /** The kept track's former audio, if the kept track took over the merged track's file. */
  audio: { storageUri: string | null; contentHash: string | null; sizeBytes: number | null } | undefined;
}

interface TrashedRowsDeps {
  db: MainDb;
  tracks: RowRemovalDeps;
  now: () => Date;
}

/** Creates the trash's table access. Every method runs inside the caller's transaction. */
export function createTrashedRows({ db, tracks: writer, now }: TrashedRowsDeps) {
  const snapshots = createTrackSnapshots(db.$client);
  const findPastPlace = db.$client
    .prepare<[number, number, number], number>(
      `SELECT position FROM playlist_past_entries WHERE track_id = ? AND +playlist_id = ? AND entry_id = ?
        ORDER BY until_version DESC LIMIT 1`,
    )
    .pluck();

  /**
   * Moves a track's rows into the trash. Calls `beforeRemoval` while the row still exists. No stored object has to be
   * released afterwards.
   */
  function put(
    tx: Db,
    by: UserId | null,
    id: TrackId,
    beforeRemoval: () => void = () => {},
    mergedTrack?: MergedTrack,
    isHidden = false,
  ): LeftOver {
    const snapshot = mergedTrack?.snapshot ?? snapshots.take(id);
    if (!snapshot) throw notFound('track', id);
    const { track, parents } = snapshot;
    const { storageUri, coverKey } = removeTrackRow(tx, writer, id, beforeRemoval);
    if (coverKey !== null) tx.delete(orphanedCovers).where(eq(orphanedCovers.key, coverKey)).run();
    const text = (name: string): string | null => (typeof track[name] === 'string' ? track[name] : null);
    const formerAudioHash = snapshot.rows.find(({ table }) => table === 'former_audio')?.rows[0]?.['audio_hash'];
    const number = (name: string): number | null => (typeof track[name] === 'number' ? track[name] : null);
    const albumTitle = parents.albums[0]?.['title'];
    tx.insert(trashedTracks)
      .values({
        id,
        title: text('title') ?? '',
        artistName: text('artist_name'),
        albumTitle: typeof albumTitle === 'string' ? albumTitle : null,
        source: text('source') ?? '',
        sourceId: text('source_id') ?? '',
        ...(mergedTrack?.audio
          ? {
              storageUri: mergedTrack.audio.storageUri,
              contentHash: mergedTrack.audio.contentHash,
              sizeBytes: mergedTrack.audio.sizeBytes,
            }
          : { storageUri, contentHash: text('content_hash'), sizeBytes: number('size_bytes') }),
        coverKey,
        uploadedBy: number('uploaded_by') as UserId | null,
        deletedBy: by,
        deletedAt: now(),
        snapshot,
        mergedInto: mergedTrack?.intoId ?? null,
        mergeReason: mergedTrack?.reason ?? null,
        isHidden,
        audioHash: text('audio_hash'),
        formerAudioHash: mergedTrack && typeof formerAudioHash === 'string' ? formerAudioHash : null,
      })
      .run();
    return { storageUri: null, coverKey: null };
  }

  /** Restores a track at `sourceId`, or where it was. Throws `conflict` when another track has that place. */
  function restore(tx: Db, id: TrackId, sourceId?: string): void {
    const row = tx.select().from(trashedTracks).where(eq(trashedTracks.id, id)).get();
    if (!row) throw notFound('track in the trash', id);
    const snapshot = row.snapshot as TrackSnapshot;
    const entries = snapshot.rows.find(({ table }) => table === 'playlist_entries');
    const byPlaylist = Map.groupBy(entries?.rows ?? [], (entry) => Number(entry['playlist_id']));
    // meanwhile the audio may have been moved to another storage, or the file to another place
    const track = { ...snapshot.track, storage_uri: row.storageUri, source_id: sourceId ?? row.sourceId };
    const versionedRows = snapshot.rows.map(({ table, rows }) => ({
      table,
      rows:
        table === 'playlist_entries'
          ? rows.map((entry) => ({ ...entry, position: placeOf(entry), since_version: nextVersion(tx, entry) }))
          : rows,
    }));
    tx.delete(trashedTracks).where(eq(trashedTracks.id, id)).run();
    putBack(tx, { ...snapshot, track, rows: versionedRows });
    for (const [playlistId, restoredEntries] of byPlaylist) addVersion(tx, playlistId, restoredEntries.length);
  }

  /** Inserts the rows of a snapshot again and updates the search. */
  function putBack(tx: Db, snapshot: TrackSnapshot): void {
    const { albumId, renumbered } = snapshots.putBack(snapshot);
    // an earlier version deleted the track when it had no album
    if (albumId === null) writer.joinUnnamedAlbum(Number(snapshot.track['id']) as TrackId);
    writer.search.set('track', Number(snapshot.track['id']));
    if (albumId !== null) {
      writer.search.set('album', albumId);
      const album = tx.select({ artistId: albums.artistId }).from(albums).where(eq(albums.id, albumId)).get();
      if (album?.artistId != null) writer.search.set('artist', album.artistId);
    }
    for (const artist of snapshot.parents.artists) writer.search.set('artist', Number(artist['id']));
    writer.noteReturn(Number(snapshot.track['id']) as TrackId, renumbered);
    writer.sweepEmpty([], []); // clears the cache of looked-up names
  }

  /** Returns the current position of an entry: renumbering a list changes the positions of past entries too. */
  const placeOf = (entry: Row): Value =>
    findPastPlace.get(Number(entry['track_id']), Number(entry['playlist_id']), Number(entry['id'])) ??
    entry['position'] ??
    null;

  const nextVersion = (tx: Db, entry: Record<string, unknown>): number =>
    (tx
      .select({ version: playlists.version })
      .from(playlists)
      .where(eq(playlists.id, Number(entry['playlist_id']) as never))
      .get()?.version ?? 0) + 1;

  function addVersion(tx: Db, id: number, addedCount: number): void {
    const playlist = tx
      .select()
      .from(playlists)
      .where(eq(playlists.id, id as never))
      .get();
    if (!playlist) return;
    const [version, createdAt] = [playlist.version + 1, now()];
    tx.update(playlists).set({ version, updatedAt: createdAt }).where(eq(playlists.id, playlist.id)).run();
    const counts = { added: addedCount, removed: 0, moved: 0, trackCount: playlist.trackCount };
    tx.insert(playlistVersions)
      .values({ ...counts, playlistId: playlist.id, version, change: 'track_restored', createdAt })
      .run();
  }

  return { put, restore, putBack };
}
