// Removes a track's row, its search text, and an album and artists that are left without tracks.
import { eq, inArray } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import { albumCovers, albums, trackArtists, tracks } from '../../db/schema.ts';
import { notFound } from '../../errors.ts';
import type { TrackWriter } from './track-writer.ts';

/** Stored objects that may be unused after a track was removed. */
export interface LeftOver {
  storageUri: string | null;
  /** Cover of an album that was removed with the track. */
  coverKey: string | null;
}

export type RowRemovalDeps = Pick<
  TrackWriter,
  'search' | 'sweepEmpty' | 'joinUnnamedAlbum' | 'noteReturn' | 'noteAlbum'
>;

/**
 * Removes the row of a track inside the caller's transaction and calls `beforeRemoval` while the row still exists.
 * Throws `not_found`.
 */
export function removeTrackRow(
  tx: Db,
  writer: RowRemovalDeps,
  id: TrackId,
  beforeRemoval: () => void = () => {},
): LeftOver {
  const track = tx
    .select({ storageUri: tracks.storageUri, albumId: tracks.albumId })
    .from(tracks)
    .where(eq(tracks.id, id))
    .get();
  if (!track) throw notFound('track', id);
  const artistIds = tx
    .select({ id: trackArtists.artistId })
    .from(trackArtists)
    .where(eq(trackArtists.trackId, id))
    .all()
    .map((row) => row.id);
  const albumIds = track.albumId === null ? [] : [track.albumId];
  const cover = tx
    .select({ key: albumCovers.key })
    .from(albumCovers)
    .where(inArray(albumCovers.albumId, albumIds))
    .get();

  beforeRemoval();
  tx.delete(tracks).where(eq(tracks.id, id)).run();
  writer.search.delete('track', id);
  writer.sweepEmpty(albumIds, artistIds);
  albumIds.forEach(writer.noteAlbum);
  const albumStays = tx.select({ id: albums.id }).from(albums).where(inArray(albums.id, albumIds)).get() !== undefined;
  return { storageUri: track.storageUri, coverKey: albumStays ? null : (cover?.key ?? null) };
}
