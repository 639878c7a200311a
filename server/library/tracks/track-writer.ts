// Writes tracks with their artists, album, genres, lyrics and search text, for uploads, scans, enrichment and manual
// edits. Runs inside the caller's write transaction. Statements are prepared, since a scan calls this code per file.
import { albumPlace } from '../../db/album-place.ts';
import type { MainDb } from '../../db/client.ts';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../db/ids.ts';
import { isExplicit, type MoreTags } from '../../db/more-tags.ts';
import type { RowOf } from '../../db/rows.ts';
import { tracks, type albums, type artists, type MetadataStatus, type trackArtists } from '../../db/schema.ts';
import { isNamed } from '../../db/unknown-names.ts';
import type { Lyrics } from '../../media/types.ts';
import { createAlbumReleases } from '../albums/album-releases.ts';
import { createAnnotations, type AnnotationPart, type TrackNames } from './annotations.ts';
import { createFolderAlbums } from '../albums/folder-albums.ts';
import { createNewTrackCounts } from './new-track-counts.ts';
import { createResolver, type ArtistRef } from './resolve.ts';
import { createSearchIndex } from '../search-index/search-index.ts';
import type { Renumbered } from '../trash/track-snapshot.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import {
  AUDIO_COLUMNS,
  audioValues,
  createIdentityResolution,
  IDENTITY_COLUMNS,
  TYPED_RELEASE,
  type Chapter,
  type Resolved,
  type TrackAudio,
  type TrackIdentity,
} from './track-values.ts';

export interface NewTrack {
  source: string;
  sourceId: string;
  /** The user who uploaded or downloaded the track; absent for tracks of the music folders. */
  uploadedBy?: UserId | undefined;
  /** Folder of the file (source_folders.id), if it has one. */
  folder?: number | undefined;
  identity: TrackIdentity;
  audio: TrackAudio;
}

type Column = keyof typeof tracks.$inferSelect;
const columnNames = (columns: readonly Column[]) => columns.map((column) => tracks[column].name).join(', ');
const placeholders = (columns: readonly Column[]) => columns.map(() => '?').join(', ');
const assignments = (columns: readonly Column[]) => columns.map((column) => `${tracks[column].name} = ?`).join(', ');

type OldRow = RowOf<typeof tracks, 'albumId' | 'metadataStatus' | 'durationMs'>;

export type TrackWriter = ReturnType<typeof createTrackWriter>;

export interface TrackWriterDeps {
  db: MainDb;
  now: () => Date;
  /** Annotations that follow the tracks of an album or artist to another album or artist. */
  annotationParts?: readonly AnnotationPart[];
}

export function createTrackWriter({ db, now, annotationParts = [] }: TrackWriterDeps) {
  const client = db.$client;
  const search = createSearchIndex(client);
  const resolver = createResolver({ client, search, now });
  const counts = createNewTrackCounts(client);
  const annotations = createAnnotations({ client, parts: annotationParts, now });
  const { resolve, albumOf } = createIdentityResolution(resolver);
  let isBatch = false;

  const insertRow = client.prepare(`INSERT INTO tracks
      (source, source_id, uploaded_by, metadata_status, created_at, updated_at,
        ${columnNames(IDENTITY_COLUMNS)}, ${columnNames(AUDIO_COLUMNS)})
    VALUES (?, ?, ?, 'pending', ?, ?, ${placeholders(IDENTITY_COLUMNS)}, ${placeholders(AUDIO_COLUMNS)})`);
  const updateIdentityRow = client.prepare(
    `UPDATE tracks SET ${assignments(IDENTITY_COLUMNS)}, updated_at = ? WHERE id = ?`,
  );
  const updateAudioRow = client.prepare(`UPDATE tracks SET ${assignments(AUDIO_COLUMNS)}, updated_at = ? WHERE id = ?`);
  const findRow = client.prepare<[TrackId], OldRow>(
    'SELECT album_id, metadata_status, duration_ms FROM tracks WHERE id = ?',
  );
  const findArtistsOf = client.prepare<[TrackId], RowOf<typeof trackArtists, 'artistId'>>(
    'SELECT artist_id FROM track_artists WHERE track_id = ? ORDER BY position',
  );
  const insertCredit = client.prepare(
    'INSERT INTO track_artists (track_id, position, artist_id, credit) VALUES (?, ?, ?, ?)',
  );
  const deleteCredits = client.prepare('DELETE FROM track_artists WHERE track_id = ?');
  const insertGenre = client.prepare('INSERT INTO track_genres (track_id, position, genre_id) VALUES (?, ?, ?)');
  const deleteGenres = client.prepare('DELETE FROM track_genres WHERE track_id = ?');
  const upsertLyrics = client.prepare(
    `INSERT INTO lyrics (track_id, synced, lines) VALUES (?, ?, ?)
    ON CONFLICT (track_id) DO UPDATE SET synced = excluded.synced, lines = excluded.lines`,
  );
  const deleteLyrics = client.prepare('DELETE FROM lyrics WHERE track_id = ?');
  const upsertChapters = client.prepare(
    `INSERT INTO chapters (track_id, list) VALUES (?, ?) ON CONFLICT (track_id) DO UPDATE SET list = excluded.list`,
  );
  const upsertMore = client.prepare(
    `INSERT INTO more_tags (track_id, tags, is_explicit) VALUES (?, ?, ?)
    ON CONFLICT (track_id) DO UPDATE SET tags = excluded.tags, is_explicit = excluded.is_explicit`,
  );
  const deleteMore = client.prepare('DELETE FROM more_tags WHERE track_id = ?');
  const deleteChapters = client.prepare('DELETE FROM chapters WHERE track_id = ?');
  // lyrics that a person wrote take precedence over those in the file, also if they are empty
  const settleHasLyrics = client.prepare<{ id: TrackId }>(`UPDATE tracks SET has_lyrics = settled.has FROM (SELECT
      coalesce((SELECT f.lines <> '[]' FROM found_lyrics f WHERE f.track_id = @id AND f.is_manual = 1),
        EXISTS (SELECT 1 FROM lyrics WHERE track_id = @id)
        OR EXISTS (SELECT 1 FROM found_lyrics f WHERE f.track_id = @id AND f.lines <> '[]')) AS has) settled
    WHERE id = @id AND has_lyrics <> settled.has`);
  // An album's year is that of one of its tracks; if no track has it any more, the most common year replaces it. The
  // unary plus makes SQLite read only the tracks of the album, not all tracks of that year.
  const settleAlbum = client.prepare(`UPDATE albums SET
    year = CASE WHEN EXISTS (SELECT 1 FROM tracks WHERE album_id = albums.id AND +year IS albums.year) THEN year
      ELSE (SELECT year FROM tracks WHERE album_id = albums.id AND year IS NOT NULL
        GROUP BY year ORDER BY count(*) DESC, year LIMIT 1) END,
    genre = (SELECT genre FROM tracks WHERE album_id = albums.id ORDER BY ${albumPlace()}, id LIMIT 1),
    created_at = coalesce((SELECT min(created_at) FROM tracks WHERE album_id = albums.id), created_at)
    WHERE id = ? AND ${isNamed('albums')}`);
  const touchAlbum = client.prepare('UPDATE albums SET updated_at = ? WHERE id = ?');
  const touchAlbumOf = client.prepare(
    'UPDATE albums SET updated_at = ? WHERE id = (SELECT album_id FROM tracks WHERE id = ?)',
  );
  const findEmptyAlbum = client.prepare<[AlbumId], RowOf<typeof albums, 'artistId'>>(
    'SELECT artist_id FROM albums WHERE id = ? AND NOT EXISTS (SELECT 1 FROM tracks WHERE album_id = albums.id)',
  );
  const findAlbumArtist = client
    .prepare<[AlbumId | null], ArtistId | null>('SELECT artist_id FROM albums WHERE id = ?')
    .pluck();
  const listTracksOf = client.prepare<[AlbumId], TrackId>('SELECT id FROM tracks WHERE album_id = ?').pluck();
  // an artist exists since the oldest of their tracks
  const settleArtistSince = client.prepare<{ artist: ArtistId; track: TrackId }>(`UPDATE artists SET
    created_at = (SELECT created_at FROM tracks WHERE id = @track)
    WHERE id = @artist AND created_at > (SELECT created_at FROM tracks WHERE id = @track)`);
  const findNamed = client.prepare<[AlbumId]>(`SELECT 1 FROM albums a WHERE a.id = ? AND ${isNamed('a')}`);
  const setAlbum = client.prepare('UPDATE tracks SET album_id = ?, album_sort = ? WHERE id = ?');
  const findArtist = client.prepare<[TrackId], ArtistRef>(
    `SELECT a.id, a.sort_key AS sortKey, 1 AS hasMbid FROM tracks t JOIN artists a ON a.id = t.artist_id
      WHERE t.id = ?`,
  );
  const setAlbumSource = client.prepare<{ source: string; sourceId: string; track: TrackId }>(
    `UPDATE albums SET source = @source, source_id = @sourceId WHERE source IS NULL AND ${isNamed('albums')}
      AND id = (SELECT album_id FROM tracks WHERE id = @track)`,
  );
  const setArtistSource = client.prepare<{ source: string; sourceId: string; track: TrackId }>(
    `UPDATE artists SET source = @source, source_id = @sourceId WHERE source IS NULL
      AND id = (SELECT max(artist_id) FROM track_artists WHERE track_id = @track HAVING count(*) = 1)`,
  );
  const deleteAlbum = client.prepare('DELETE FROM albums WHERE id = ?');
  const deleteEmptyArtist = client.prepare<
    [ArtistId],
    RowOf<typeof artists, 'id'>
  >(`DELETE FROM artists WHERE id = ? AND never_split = 0
    AND NOT EXISTS (SELECT 1 FROM track_artists WHERE artist_id = artists.id)
    AND NOT EXISTS (SELECT 1 FROM albums WHERE artist_id = artists.id) RETURNING id`);

  function attach(id: TrackId, identity: TrackIdentity, resolvedTrack: Resolved): void {
    resolvedTrack.credits.forEach(({ name, ref }, position) => insertCredit.run(id, position, ref.id, name));
    const genreKeys = new Set<string>();
    for (const name of identity.genres) {
      const key = identityKey(name);
      if (key === '' || genreKeys.has(key)) continue;
      insertGenre.run(id, genreKeys.size, resolver.genre(name));
      genreKeys.add(key);
    }
  }

  function setLyrics(id: TrackId, lyrics: Lyrics | null): void {
    if (lyrics) upsertLyrics.run(id, lyrics.synced ? 1 : 0, JSON.stringify(lyrics.lines));
    else deleteLyrics.run(id);
    settleHasLyrics.run({ id });
  }

  function setChapters(id: TrackId, chapters: readonly Chapter[] | null): void {
    if (chapters) upsertChapters.run(id, JSON.stringify(chapters));
    else deleteChapters.run(id);
  }

  function setMore(id: TrackId, moreTags: MoreTags | null): void {
    if (!moreTags) return void deleteMore.run(id);
    const explicit = isExplicit(moreTags);
    upsertMore.run(id, JSON.stringify(moreTags), explicit === null ? null : Number(explicit));
  }

  const namesOf = (id: TrackId, album: AlbumId | null): TrackNames => ({
    album,
    albumArtist: findAlbumArtist.get(album) ?? null,
    artists: findArtistsOf.all(id).map((row) => row.artist_id),
  });

  /** Notes that a track got other names. To be called before empty albums and artists are removed. */
  function noteRename(id: TrackId, previousNames: TrackNames, hadOtherMusic = false): void {
    const currentNames = namesOf(id, findRow.get(id)?.album_id ?? null);
    const artists = [currentNames.albumArtist, ...currentNames.artists];
    if (
      currentNames.album === previousNames.album &&
      [previousNames.albumArtist, ...previousNames.artists].join() === artists.join()
    )
      return;
    for (const artist of artists) if (artist !== null) settleArtistSince.run({ artist, track: id });
    annotations.trackRenamed(id, previousNames, currentNames, hadOtherMusic);
  }

  /** Removes those of the albums and artists that have no tracks left. */
  function sweepEmpty(albumIds: Iterable<AlbumId>, artistIds: Iterable<ArtistId>): void {
    resolver.forget();
    const artists = new Set(artistIds);
    for (const id of new Set(albumIds)) {
      const emptyAlbum = findEmptyAlbum.get(id);
      if (!emptyAlbum) continue;
      if (emptyAlbum.artist_id !== null) artists.add(emptyAlbum.artist_id);
      deleteAlbum.run(id);
      search.delete('album', id);
    }
    for (const id of artists) if (deleteEmptyArtist.all(id).length > 0) search.delete('artist', id);
  }

  const folderAlbums = createFolderAlbums({ client, resolver, sweepEmpty, now });
  const releases = createAlbumReleases({
    client,
    resolver,
    search,
    namesOf,
    noteRename,
    settleAlbum: (id) => void settleAlbum.run(id),
    sweepEmpty,
    now,
  });

  return {
    search,
    sweepEmpty,
    folderAlbums,
    releases,
    /**
     * Writes several tracks inside the caller's transaction. Caches names, and updates spellings and counts at the end.
     */
    batch<T>(write: () => T): T {
      resolver.remember();
      search.startBatch();
      isBatch = true;
      try {
        const result = write();
        resolver.applyUsualSpellings();
        releases.regroupSmallAlbums();
        search.writeBatch();
        counts.settle();
        return result;
      } finally {
        isBatch = false;
        counts.end();
        resolver.stopRemembering();
        search.endBatch();
      }
    },
    applyUsualSpellings: resolver.applyUsualSpellings,
    /** Clears the caches. To be called after rolling back a savepoint inside a batch. */
    forget(): void {
      resolver.forget();
      search.dropNewNames();
      counts.forget();
    },

    /** Inserts a track with status `pending`. The pair of `source` and `source_id` must be new. */
    insert({ source, sourceId, uploadedBy, folder, identity, audio }: NewTrack): TrackId {
      if (isBatch) counts.postpone();
      const resolvedTrack = resolve(identity, folder, audio);
      const time = now().getTime();
      const { lastInsertRowid } = insertRow.run(
        source,
        sourceId,
        uploadedBy ?? null,
        time,
        time,
        ...resolvedTrack.values,
        ...audioValues(audio),
      );
      const id = Number(lastInsertRowid) as TrackId;
      attach(id, identity, resolvedTrack);
      if (identity.lyrics) setLyrics(id, identity.lyrics);
      if (identity.chapters) setChapters(id, identity.chapters);
      if (identity.more) setMore(id, identity.more);
      search.add('track', id, {
        ownNames: [identity.title, resolvedTrack.credit, ...resolvedTrack.credits.map(({ name }) => name)],
        albumId: resolvedTrack.album.id,
      });
      if (audio.hasPicture) touchAlbum.run(time, resolvedTrack.album.id);
      return id;
    },

    /** Sets a catalogue's ids of a track's album and only artist, unless a catalogue has set them already. */
    setRemoteIds(track: TrackId, source: string, ids: { album: string | undefined; artist: string | undefined }): void {
      if (ids.album !== undefined) setAlbumSource.run({ source, sourceId: ids.album, track });
      if (ids.artist !== undefined) setArtistSource.run({ source, sourceId: ids.artist, track });
    },

    /** Replaces the metadata of a track; removes an album and artists left without tracks. */
    setIdentity(id: TrackId, identity: TrackIdentity, folder?: number, hadOtherMusic = false): void {
      const oldRow = findRow.get(id);
      const previousNames = namesOf(id, oldRow?.album_id ?? null);
      deleteCredits.run(id);
      deleteGenres.run(id);
      const resolvedTrack = resolve(identity, folder, { id, durationMs: oldRow?.duration_ms ?? null });
      const time = now().getTime();
      updateIdentityRow.run(...resolvedTrack.values, time, id);
      attach(id, identity, resolvedTrack);
      if (identity.lyrics !== undefined) setLyrics(id, identity.lyrics);
      if (identity.chapters !== undefined) setChapters(id, identity.chapters);
      if (identity.more !== undefined) setMore(id, identity.more);
      search.set('track', id);
      if (resolvedTrack.album.id === previousNames.album && resolvedTrack.album.titleSort !== '' && identity.album)
        resolver.respellAlbum(resolvedTrack.album.id, identity.album);
      settleAlbum.run(resolvedTrack.album.id);
      touchAlbum.run(time, resolvedTrack.album.id);
      resolver.respell(previousNames.artists);
      if (identity.provenance?.[TYPED_RELEASE] !== undefined) resolver.noteAlbum(resolvedTrack.album.id);
      noteRename(id, previousNames, hadOtherMusic);
      sweepEmpty(previousNames.album === null ? [] : [previousNames.album], previousNames.artists);
      if (previousNames.album === null || previousNames.album === resolvedTrack.album.id) return;
      settleAlbum.run(previousNames.album);
      resolver.noteAlbum(previousNames.album);
    },

    namesOf,
    noteRename,
    /** Notes a merge. To be called before a track is merged into another one and its row is deleted. */
    noteMerge(keptId: TrackId, emptiedId: TrackId): void {
      const names = (id: TrackId) => namesOf(id, findRow.get(id)?.album_id ?? null);
      annotations.trackMerged(keptId, emptiedId, names(keptId), names(emptiedId));
    },
    musicDivided: annotations.musicDivided,
    /** Notes that the row of a track was restored; its albums and artists may have other ids by now. */
    noteReturn(id: TrackId, renumbered: readonly Renumbered[]): void {
      annotations.trackReturned(id, namesOf(id, findRow.get(id)?.album_id ?? null), renumbered);
      this.noteAlbumOf(id);
      if (!isBatch) releases.regroupSmallAlbums();
    },
    forgetOldAnnotations: annotations.purgeOld,

    /** Gives an album the name that its tracks will have, so that it stays the same album. */
    renameAlbum(id: AlbumId, identity: TrackIdentity, folder: number | undefined): void {
      const name = albumOf(identity, folder);
      if (!name || findNamed.get(id) === undefined) return;
      const previousNames = listTracksOf.all(id).map((track) => [track, namesOf(track, id)] as const);
      resolver.renameAlbum(id, name);
      for (const [track, names] of previousNames) noteRename(track, names);
    },

    /**
     * Puts a track without an album into the artist's album without a name, after its artist changed or the track was
     * restored.
     */
    joinUnnamedAlbum(id: TrackId): void {
      const { id: albumId, titleSort } = resolver.unnamedAlbum(findArtist.get(id));
      setAlbum.run(albumId, titleSort, id);
    },

    setLyrics,
    /** Updates `has_lyrics` after a change of lyrics that are not from a file. */
    settleHasLyrics: (id: TrackId): void => void settleHasLyrics.run({ id }),
    setChapters,
    setMore(id: TrackId, moreTags: MoreTags | null): void {
      setMore(id, moreTags);
      this.noteAlbumOf(id);
    },
    noteAlbum: resolver.noteAlbum,
    insertAlbumLike: resolver.insertAlbumLike,
    /**
     * Notes that a track may belong to another release now. To be called when its place changed, or tags beside its
     * identity.
     */
    noteAlbumOf(id: TrackId): void {
      const albumId = findRow.get(id)?.album_id;
      if (albumId != null) resolver.noteAlbum(albumId);
    },
    /**
     * Replaces the audio of a track, keeping its id and metadata. A picture in the audio file may become the album's
     * cover.
     */
    setAudio(id: TrackId, audio: TrackAudio): void {
      const time = now().getTime();
      updateAudioRow.run(...audioValues(audio), time, id);
      if (audio.hasPicture) touchAlbumOf.run(time, id);
    },

    /** Returns the metadata status of a track; `manual` tracks keep their metadata. */
    statusOf: (id: TrackId): MetadataStatus | undefined => findRow.get(id)?.metadata_status,
  };
}
