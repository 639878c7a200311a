// Reads the tags of an album again in another charset, for tags that do not declare their charset. Replaces the values
// that were decoded from them.
import type { MainDb } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks as trackTable } from '../db/schema.ts';
import { AppError, notFound } from '../errors.ts';
import { openLocalFile, type LocalFileDeps } from './local-file.ts';
import { prepareDecodedTexts } from '../library/tracks/decoded-texts.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import { CHARSETS, isCharset, type Charset } from '../media/charset.ts';
import { UnreadableAudio } from '../media/types.ts';

interface CharsetDeps extends LocalFileDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'renameAlbum'>;
  readTags: (
    path: string,
    sourceId: string,
    currentTags: Pick<TrackIdentity, 'charset' | 'provenance'>,
  ) => Promise<TrackIdentity>;
  libraryChanged: () => void;
}

type StoredTrack = RowAs<typeof trackTable, 'id' | 'sourceId'> & { storageUri: string };

export function createCharsets({ db, tracks, readTags, audioStore, tmpDir, libraryChanged }: CharsetDeps) {
  const client = db.$client;
  const findAlbum = client.prepare<[AlbumId], { id: AlbumId }>('SELECT id FROM albums WHERE id = ?');
  const listCharsets = client.prepare<[AlbumId], { charset: string; tracks: number; chosen: number }>(`
    SELECT charset, count(*) AS tracks, sum(provenance ->> '$.charset' IS 'manual') AS chosen
    FROM tracks WHERE album_id = ? AND charset IS NOT NULL GROUP BY charset ORDER BY tracks DESC`);
  const listStoredTracks = client.prepare<[AlbumId], StoredTrack>(`
    SELECT id, source_id AS sourceId, storage_uri AS storageUri FROM tracks
    WHERE album_id = ? AND storage_uri IS NOT NULL AND section_start IS NULL AND availability = 'available'
    ORDER BY id`); // files with several sections are left out, because their tags belong to none of the sections

  /**
   * Reads the tags of a file in a charset. Returns undefined when the file cannot be read at present, null when its
   * tags declare their charset.
   */
  async function readTagsAs({ sourceId, storageUri }: StoredTrack, charset: Charset, signal: AbortSignal) {
    try {
      const file = await openLocalFile({ audioStore, tmpDir }, storageUri, signal);
      try {
        const tags = await readTags(file.path, sourceId, { charset, provenance: { charset: 'manual' } });
        return tags.charset === undefined ? null : tags;
      } finally {
        await file.release();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError || error instanceof UnreadableAudio) return undefined;
      throw error;
    }
  }

  const write = client.transaction(prepareDecodedTexts(client, tracks));

  function assertAlbum(albumId: AlbumId): void {
    if (!findAlbum.get(albumId)) throw notFound('album', albumId);
  }

  return {
    /** Returns the charsets of an album's tags. Throws `not_found`. */
    ofAlbum(albumId: AlbumId) {
      assertAlbum(albumId);
      const rows = listCharsets.all(albumId);
      const charset = rows[0]?.charset;
      return {
        charset: isCharset(charset) ? charset : null,
        isChosen: (rows[0]?.chosen ?? 0) > 0,
        trackCount: rows.reduce((sum, row) => sum + row.tracks, 0),
        charsets: [...CHARSETS],
      };
    },

    /** Sets the charset of an album's tags and reads them again. Throws `not_found`. */
    async choose(albumId: AlbumId, charset: Charset, signal: AbortSignal) {
      assertAlbum(albumId);
      const identities = new Map<TrackId, TrackIdentity>();
      let failedCount = 0;
      for (const track of listStoredTracks.all(albumId)) {
        const tags = await readTagsAs(track, charset, signal);
        if (tags === undefined) failedCount++;
        else if (tags) identities.set(track.id, tags);
      }
      const newAlbumId = write.immediate(albumId, identities);
      if (identities.size > 0) libraryChanged();
      return { albumId: newAlbumId, changed: identities.size, failed: failedCount };
    },
  };
}
