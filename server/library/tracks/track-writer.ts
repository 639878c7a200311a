// Writes tracks with their artists, album, genres, lyrics and search text, for uploads, scans, enrichment and manual
// edits. Runs inside the caller's write transaction. Statements are prepared, since a scan calls this code per file.
import { albumPlace } from '../../db/album-place.ts';
import type { MainDb } from '../../db/client.ts';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../db/ids.ts';
import { isExplicit, type MoreTags } from '../../db/more-tags.ts';
import type { RowOf } from '../../db/rows.ts';
import {
  tracks,
  type albums,
  type artists,
  type FixedBy,
  type MetadataStatus,
  type Origin,
  type trackArtists,
} from '../../db/schema.ts';
import { isNamed } from '../../db/unknown-names.ts';
import type { Lyrics } from '../../media/types.ts';
import { createAlbumReleases } from '../albums/album-releases.ts';
import { createAnnotations, type AnnotationPart, type TrackNames } from './annotations.ts';
import { createCreditWriter } from '../credits/credit-writer.ts';
import { createTagWriter } from '../tags/tag-writer.ts';
import { createFolderAlbums } from '../albums/folder-albums.ts';
import { createNewTrackCounts } from './new-track-counts.ts';
import { createResolver, type ArtistRef } from './resolve.ts';
import { createTagRatings, type TagRatingListener } from './tag-ratings.ts';
import { createSearchIndex } from '../search-index/search-index.ts';
import type { Renumbered } from '../trash/track-snapshot.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import {
  ALBUM_TAGS,
  albumTagsOf,
  AUDIO_COLUMNS,
  audioValues,
  createIdentityResolution,
  IDENTITY_COLUMNS,
  TYPED_RELEASE,
  type AlbumTag,
  type AlbumTags,
  type Chapter,
  type Resolved,
  type TrackAudio,
  type TrackIdentity,
} from './track-values.ts';
import { bindContext } from '../../runtime/bind-context.ts';

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

interface OldRow extends RowOf<typeof tracks, 'albumId' | 'metadataStatus' | 'durationMs'> {
  /** JSON, as it is stored. */
  provenance: string | null;
}

export type TrackWriter = ReturnType<typeof createTrackWriter>;

export interface TrackWriterDeps {
  db: MainDb;
  now: () => Date;
  /** Annotations that follow the tracks of an album or artist to another album or artist. */
  annotationParts?: readonly AnnotationPart[];
  /** As in resolve.ts. */
  onSlashedName?: (id: ArtistId) => void;
  artistSeparators?: () => readonly string[];
  /** Called when the tags of a track have another rating or other counts than before. */
  tagRatingListeners?: readonly TagRatingListener[];
}

export function createTrackWriter(deps: TrackWriterDeps) {
  const context = createContext(deps) as Context;
  context.releases = createAlbumReleases({
    client: context.client,
    resolver: context.resolver,
    search: context.search,
    namesOf: (id, album) => namesOf(context, id, album),
    noteRename: (id, previousNames) => noteRename(context, id, previousNames),
    settleAlbum: (id) => void context.settleAlbum.run(id),
    sweepEmpty: (albumIds, artistIds) => sweepEmpty(context, albumIds, artistIds),
    now: context.now,
  });
  const folderAlbums = createFolderAlbums({
    client: context.client,
    resolver: context.resolver,
    sweepEmpty: (albumIds, artistIds) => sweepEmpty(context, albumIds, artistIds),
    now: context.now,
  });
  return {
    ...bindContext(context, {
      forget,
      insert,
      setRemoteIds,
      setIdentity,
      noteMerge,
      noteReturn,
      renameAlbum,
      joinUnnamedAlbum,
      noteAlbumOf,
      settleAlbumOf,
      setCompilation,
      fixAlbum,
      fixAlbumsOfName,
      setAudio,
      statusOf,
      sweepEmpty,
      namesOf,
      noteRename,
      setLyrics,
      setChapters,
    }),
    setListening: context.tagRatings.set,
    search: context.search,
    folderAlbums,
    releases: context.releases,
    /**
     * Writes several tracks inside the caller's transaction. Caches names, and updates spellings and counts at the end.
     */
    batch<T>(write: () => T): T {
      context.resolver.remember();
      context.search.startBatch();
      context.isBatch = true;
      try {
        const result = write();
        context.resolver.applyUsualSpellings();
        context.releases.regroupSmallAlbums();
        context.search.writeBatch();
        context.counts.settle();
        return result;
      } finally {
        context.isBatch = false;
        context.counts.end();
        context.resolver.stopRemembering();
        context.search.endBatch();
      }
    },
    applyUsualSpellings: context.resolver.applyUsualSpellings,
    musicDivided: context.annotations.musicDivided,
    forgetOldAnnotations: context.annotations.purgeOld,
    /** Updates `has_lyrics` after a change of lyrics that are not from a file. */
    settleHasLyrics: (id: TrackId): void => void context.settleHasLyrics.run({ id }),
    updateCredits: context.people.update,
    /** Derives everything again that follows from the stored tags of a track. */
    updateFromStoredTags(id: TrackId): void {
      context.people.update(id);
      context.tagValues.update(id);
    },
    setMore(id: TrackId, moreTags: MoreTags | null): void {
      setMore(context, id, moreTags);
      context.people.update(id);
      context.search.set('track', id);
      const albumId = context.findRow.get(id)?.album_id;
      if (albumId != null) context.search.set('album', albumId);
      noteAlbumOf(context, id);
    },
    noteAlbum: context.resolver.noteAlbum,
    insertAlbumLike: context.resolver.insertAlbumLike,
  };
}

interface Context extends ReturnType<typeof createContext> {
  releases: ReturnType<typeof createAlbumReleases>;
}

function createContext({
  db,
  now,
  annotationParts = [],
  onSlashedName,
  artistSeparators,
  tagRatingListeners = [],
}: TrackWriterDeps) {
  const client = db.$client;
  const search = createSearchIndex(client);
  const resolver = createResolver({ client, search, now, onSlashedName, artistSeparators });
  const counts = createNewTrackCounts(client);
  const people = createCreditWriter(client);
  const tagValues = createTagWriter(client);
  const annotations = createAnnotations({ client, parts: annotationParts, now });
  const tagRatings = createTagRatings({ client, listeners: tagRatingListeners });
  const { resolve, albumOf } = createIdentityResolution(resolver);
  const insertRow = client.prepare(`INSERT INTO tracks
      (source, source_id, uploaded_by, metadata_status, created_at, updated_at,
        ${columnNames(IDENTITY_COLUMNS)}, ${columnNames(AUDIO_COLUMNS)})
    VALUES (?, ?, ?, 'pending', ?, ?, ${placeholders(IDENTITY_COLUMNS)}, ${placeholders(AUDIO_COLUMNS)})`);
  const updateIdentityRow = client.prepare(
    `UPDATE tracks SET ${assignments(IDENTITY_COLUMNS)}, updated_at = ? WHERE id = ?`,
  );
  const updateAudioRow = client.prepare(`UPDATE tracks SET ${assignments(AUDIO_COLUMNS)}, updated_at = ? WHERE id = ?`);
  const findRow = client.prepare<[TrackId], OldRow>(
    'SELECT album_id, metadata_status, duration_ms, provenance FROM tracks WHERE id = ?',
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
    `INSERT INTO lyrics (track_id, synced, lines, language) VALUES (?, ?, ?, ?)
    ON CONFLICT (track_id) DO UPDATE
      SET synced = excluded.synced, lines = excluded.lines, language = excluded.language`,
  );
  const deleteLyrics = client.prepare('DELETE FROM lyrics WHERE track_id = ?');
  const upsertChapters = client.prepare(
    `INSERT INTO chapters (track_id, list) VALUES (?, ?) ON CONFLICT (track_id) DO UPDATE SET list = excluded.list`,
  );
  const upsertMore = client.prepare(
    `INSERT INTO more_tags (track_id, tags, is_explicit) VALUES (?, ?, ?)
    ON CONFLICT (track_id) DO UPDATE SET tags = excluded.tags, is_explicit = excluded.is_explicit`,
  );
  const findMore = client
    .prepare<[TrackId], string>('SELECT tags FROM more_tags WHERE track_id = ? AND json_valid(tags)')
    .pluck();
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
  const setCompilation = client.prepare<[number, AlbumId]>('UPDATE albums SET is_compilation = ? WHERE id = ?');
  const fixAlbum = client.prepare<[FixedBy | null, AlbumId]>('UPDATE albums SET fixed_by = ? WHERE id = ?');
  const fixAlbumsOfName = client.prepare<[AlbumId]>(`UPDATE albums SET fixed_by = 'person'
    FROM (SELECT artist_id, title_sort FROM albums WHERE id = ?) named
    WHERE albums.artist_id IS named.artist_id AND albums.title_sort = named.title_sort AND ${isNamed('albums')}`);
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
  const findAlbumArtistsOf = client
    .prepare<[TrackId], ArtistId>('SELECT artist_id FROM track_album_artists WHERE track_id = ? ORDER BY position')
    .pluck();
  const insertAlbumArtist = client.prepare<[TrackId, number, ArtistId]>(
    'INSERT INTO track_album_artists (track_id, position, artist_id) VALUES (?, ?, ?)',
  );
  const deleteAlbumArtists = client.prepare<[TrackId]>('DELETE FROM track_album_artists WHERE track_id = ?');
  const countAlbumArtists = client
    .prepare<[AlbumId], number>('SELECT count(*) FROM album_artists WHERE album_id = ?')
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
    AND NOT EXISTS (SELECT 1 FROM track_album_artists WHERE artist_id = artists.id)
    AND NOT EXISTS (SELECT 1 FROM albums WHERE artist_id = artists.id) RETURNING id`);
  return {
    now,
    client,
    search,
    resolver,
    counts,
    people,
    tagValues,
    annotations,
    tagRatings,
    resolve,
    albumOf,
    insertRow,
    updateIdentityRow,
    updateAudioRow,
    findRow,
    findArtistsOf,
    insertCredit,
    deleteCredits,
    insertGenre,
    deleteGenres,
    upsertLyrics,
    deleteLyrics,
    upsertChapters,
    upsertMore,
    findMore,
    deleteMore,
    deleteChapters,
    settleHasLyrics,
    settleAlbum,
    setCompilation,
    fixAlbum,
    fixAlbumsOfName,
    touchAlbum,
    touchAlbumOf,
    findEmptyAlbum,
    findAlbumArtist,
    findAlbumArtistsOf,
    insertAlbumArtist,
    deleteAlbumArtists,
    countAlbumArtists,
    listTracksOf,
    settleArtistSince,
    findNamed,
    setAlbum,
    findArtist,
    setAlbumSource,
    setArtistSource,
    deleteAlbum,
    deleteEmptyArtist,
    isBatch: false,
  };
}

function attach(context: Context, id: TrackId, identity: TrackIdentity, resolvedTrack: Resolved): void {
  resolvedTrack.credits.forEach(({ name, ref }, position) => context.insertCredit.run(id, position, ref.id, name));
  if (resolvedTrack.albumArtists.length > 0) setAlbumArtists(context, id, resolvedTrack);
  const genreKeys = new Set<string>();
  for (const name of identity.genres) {
    const key = identityKey(name);
    if (key === '' || genreKeys.has(key)) continue;
    context.insertGenre.run(id, genreKeys.size, context.resolver.genre(name));
    genreKeys.add(key);
  }
}

/** Stores the album artists of a track, if its tags name several; the search finds the album by all of them. */
function setAlbumArtists(context: Context, id: TrackId, { album, albumArtists }: Resolved): void {
  const artistCount = context.countAlbumArtists.get(album.id);
  albumArtists.forEach((ref, position) => context.insertAlbumArtist.run(id, position, ref.id));
  if (context.countAlbumArtists.get(album.id) !== artistCount) context.search.setAlbum(album.id);
}

function setLyrics(context: Context, id: TrackId, lyrics: Lyrics | null): void {
  if (lyrics)
    context.upsertLyrics.run(id, lyrics.synced ? 1 : 0, JSON.stringify(lyrics.lines), lyrics.language ?? null);
  else context.deleteLyrics.run(id);
  context.settleHasLyrics.run({ id });
}

function setChapters(context: Context, id: TrackId, chapters: readonly Chapter[] | null): void {
  if (chapters) context.upsertChapters.run(id, JSON.stringify(chapters));
  else context.deleteChapters.run(id);
}

function setMore(context: Context, id: TrackId, tagsOfFile: MoreTags | null): void {
  const moreTags = withAlbumTags(tagsOfFile, typedAlbumTags(context, id));
  context.tagValues.set(id, moreTags);
  if (moreTags) writeMore(context, id, moreTags);
  else context.deleteMore.run(id);
}

const storedMore = ({ findMore }: Context, id: TrackId): MoreTags | null => {
  const json = findMore.get(id);
  return json === undefined ? null : (JSON.parse(json) as MoreTags);
};

const isTyped = (provenance: string | null | undefined, tag: AlbumTag): boolean =>
  provenance != null && (JSON.parse(provenance) as Record<string, Origin>)[tag] === 'manual';

/** Returns the values of the album that a person set on this track. */
function typedAlbumTags(context: Context, id: TrackId): AlbumTags {
  const provenance = context.findRow.get(id)?.provenance;
  const typedTags = ALBUM_TAGS.filter((tag) => isTyped(provenance, tag));
  if (typedTags.length === 0) return {};
  const storedTags = albumTagsOf(storedMore(context, id));
  return Object.fromEntries(typedTags.map((tag) => [tag, storedTags[tag]]));
}

/** Writes the values of the album that a person set, or whose former values come back. */
function setAlbumTags(context: Context, id: TrackId, identity: TrackIdentity, oldProvenance: string | null): void {
  const changedTags = ALBUM_TAGS.filter(
    (tag) => identity[tag] !== undefined && (identity.provenance?.[tag] === 'manual' || isTyped(oldProvenance, tag)),
  );
  if (changedTags.length === 0) return;
  const moreTags = withAlbumTags(
    storedMore(context, id),
    Object.fromEntries(changedTags.map((tag) => [tag, identity[tag]])),
  );
  if (moreTags) writeMore(context, id, moreTags);
  else context.deleteMore.run(id);
}

/** Returns the tags with these values of the album; null removes a value. Returns null if no tag is left. */
function withAlbumTags(moreTags: MoreTags | null, albumTags: AlbumTags): MoreTags | null {
  const entries = Object.entries({ ...moreTags, ...albumTags }).filter(([, value]) => value != null);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as MoreTags);
}

function writeMore(context: Context, id: TrackId, moreTags: MoreTags): void {
  const explicit = isExplicit(moreTags);
  context.upsertMore.run(id, JSON.stringify(moreTags), explicit === null ? null : Number(explicit));
}

const namesOf = (
  { findAlbumArtist, findAlbumArtistsOf, findArtistsOf }: Context,
  id: TrackId,
  album: AlbumId | null,
): TrackNames => ({
  album,
  albumArtists: [
    ...new Set([findAlbumArtist.get(album) ?? null, ...findAlbumArtistsOf.all(id)].filter((artist) => artist !== null)),
  ],
  artists: findArtistsOf.all(id).map((row) => row.artist_id),
});

/** Notes that a track got other names. To be called before empty albums and artists are removed. */
function noteRename(context: Context, id: TrackId, previousNames: TrackNames, hadOtherMusic = false): void {
  const currentNames = namesOf(context, id, context.findRow.get(id)?.album_id ?? null);
  const artists = [...currentNames.albumArtists, ...currentNames.artists];
  if (
    currentNames.album === previousNames.album &&
    [...previousNames.albumArtists, ...previousNames.artists].join() === artists.join()
  )
    return;
  for (const artist of artists) context.settleArtistSince.run({ artist, track: id });
  context.annotations.trackRenamed(id, previousNames, currentNames, hadOtherMusic);
}

/** Removes those of the albums and artists that have no tracks left. */
function sweepEmpty(context: Context, albumIds: Iterable<AlbumId>, artistIds: Iterable<ArtistId>): void {
  context.resolver.forget();
  const artists = new Set(artistIds);
  for (const id of new Set(albumIds)) {
    const emptyAlbum = context.findEmptyAlbum.get(id);
    if (!emptyAlbum) continue;
    if (emptyAlbum.artist_id !== null) artists.add(emptyAlbum.artist_id);
    context.deleteAlbum.run(id);
    context.search.delete('album', id);
  }
  for (const id of artists) if (context.deleteEmptyArtist.all(id).length > 0) context.search.delete('artist', id);
}

/** Clears the caches. To be called after rolling back a savepoint inside a batch. */
function forget({ resolver, search, counts }: Context): void {
  resolver.forget();
  search.dropNewNames();
  counts.forget();
}

/** Inserts a track with status `pending`. The pair of `source` and `source_id` must be new. */
function insert(context: Context, { source, sourceId, uploadedBy, folder, identity, audio }: NewTrack): TrackId {
  if (context.isBatch) context.counts.postpone();
  const resolvedTrack = context.resolve(identity, folder, audio);
  const time = context.now().getTime();
  const { lastInsertRowid } = context.insertRow.run(
    source,
    sourceId,
    uploadedBy ?? null,
    time,
    time,
    ...resolvedTrack.values,
    ...audioValues(audio),
  );
  const id = Number(lastInsertRowid) as TrackId;
  attach(context, id, identity, resolvedTrack);
  if (identity.lyrics) setLyrics(context, id, identity.lyrics);
  if (identity.chapters) setChapters(context, id, identity.chapters);
  if (identity.more) {
    context.tagValues.add(id, identity.more);
    writeMore(context, id, identity.more);
  }
  if (identity.composer != null || identity.more) context.people.add(id, identity.composer, identity.more);
  if (identity.listening) context.tagRatings.set(id, identity.listening);
  context.search.add('track', id, {
    ownNames: [
      identity.title,
      resolvedTrack.credit,
      ...resolvedTrack.credits.map(({ name }) => name),
      identity.composer ?? null,
      identity.more?.titleSort ?? null,
      ...(identity.more?.composerSort ?? []),
    ],
    albumId: resolvedTrack.album.id,
  });
  if (identity.more?.albumSort !== undefined) context.search.set('album', resolvedTrack.album.id);
  if (audio.hasPicture) context.touchAlbum.run(time, resolvedTrack.album.id);
  return id;
}

/** Sets a catalogue's ids of a track's album and only artist, unless a catalogue has set them already. */
function setRemoteIds(
  { setAlbumSource, setArtistSource }: Context,
  track: TrackId,
  source: string,
  ids: { album: string | undefined; artist: string | undefined },
): void {
  if (ids.album !== undefined) setAlbumSource.run({ source, sourceId: ids.album, track });
  if (ids.artist !== undefined) setArtistSource.run({ source, sourceId: ids.artist, track });
}

/** Replaces the metadata of a track; removes an album and artists left without tracks. */
function setIdentity(
  context: Context,
  id: TrackId,
  identity: TrackIdentity,
  folder?: number,
  hadOtherMusic = false,
): void {
  const oldRow = context.findRow.get(id);
  const previousNames = namesOf(context, id, oldRow?.album_id ?? null);
  context.deleteCredits.run(id);
  context.deleteAlbumArtists.run(id);
  context.deleteGenres.run(id);
  const resolvedTrack = context.resolve(identity, folder, { id, durationMs: oldRow?.duration_ms ?? null });
  const time = context.now().getTime();
  context.updateIdentityRow.run(...resolvedTrack.values, time, id);
  attach(context, id, identity, resolvedTrack);
  if (identity.lyrics !== undefined) setLyrics(context, id, identity.lyrics);
  if (identity.chapters !== undefined) setChapters(context, id, identity.chapters);
  if (identity.more !== undefined) setMore(context, id, identity.more);
  setAlbumTags(context, id, identity, oldRow?.provenance ?? null);
  context.people.update(id);
  if (identity.listening !== undefined) context.tagRatings.set(id, identity.listening);
  context.search.set('track', id);
  if (identity.more !== undefined || identity.albumSort !== undefined)
    context.search.set('album', resolvedTrack.album.id);
  if (resolvedTrack.album.id === previousNames.album && resolvedTrack.album.titleSort !== '' && identity.album)
    context.resolver.respellAlbum(resolvedTrack.album.id, identity.album);
  context.settleAlbum.run(resolvedTrack.album.id);
  context.touchAlbum.run(time, resolvedTrack.album.id);
  context.resolver.respell(previousNames.artists);
  if (identity.provenance?.[TYPED_RELEASE] !== undefined) context.resolver.noteAlbum(resolvedTrack.album.id);
  noteRename(context, id, previousNames, hadOtherMusic);
  sweepEmpty(context, previousNames.album === null ? [] : [previousNames.album], [
    ...previousNames.albumArtists,
    ...previousNames.artists,
  ]);
  if (previousNames.album === null || previousNames.album === resolvedTrack.album.id) return;
  context.settleAlbum.run(previousNames.album);
  context.resolver.noteAlbum(previousNames.album);
}

/** Notes a merge. To be called before a track is merged into another one and its row is deleted. */
function noteMerge(context: Context, keptId: TrackId, emptiedId: TrackId): void {
  const names = (id: TrackId) => namesOf(context, id, context.findRow.get(id)?.album_id ?? null);
  context.annotations.trackMerged(keptId, emptiedId, names(keptId), names(emptiedId));
}

/** Notes that the row of a track was restored; its albums and artists may have other ids by now. */
function noteReturn(context: Context, id: TrackId, renumbered: readonly Renumbered[]): void {
  context.annotations.trackReturned(id, namesOf(context, id, context.findRow.get(id)?.album_id ?? null), renumbered);
  context.people.complete(id);
  context.tagValues.complete(id);
  noteAlbumOf(context, id);
  if (!context.isBatch) context.releases.regroupSmallAlbums();
}

/** Gives an album the name that its tracks will have, so that it stays the same album. */
function renameAlbum(context: Context, id: AlbumId, identity: TrackIdentity, folder: number | undefined): void {
  const name = context.albumOf(identity, folder);
  if (!name || context.findNamed.get(id) === undefined) return;
  const previousNames = context.listTracksOf.all(id).map((track) => [track, namesOf(context, track, id)] as const);
  context.resolver.renameAlbum(id, name);
  for (const [track, names] of previousNames) noteRename(context, track, names);
}

/**
 * Puts a track without an album into the artist's album without a name, after its artist changed or the track was
 * restored.
 */
function joinUnnamedAlbum({ resolver, findArtist, setAlbum }: Context, id: TrackId): void {
  const { id: albumId, titleSort } = resolver.unnamedAlbum(findArtist.get(id));
  setAlbum.run(albumId, titleSort, id);
}

/**
 * Notes that a track may belong to another release now. To be called when its place changed, or tags beside its
 * identity.
 */
function noteAlbumOf({ findRow, resolver }: Context, id: TrackId): void {
  const albumId = findRow.get(id)?.album_id;
  if (albumId != null) resolver.noteAlbum(albumId);
}

/** Derives the year and the genre of a track's album anew. To be called after one of them changed on the track. */
function settleAlbumOf({ findRow, settleAlbum, touchAlbum, now }: Context, id: TrackId): void {
  const albumId = findRow.get(id)?.album_id;
  if (albumId == null) return;
  settleAlbum.run(albumId);
  touchAlbum.run(now().getTime(), albumId);
}

/** Says whether an album is a compilation. Scans leave an album as it is; only people change it. */
const setCompilation = (context: Context, id: AlbumId, isCompilation: boolean): void =>
  void context.setCompilation.run(Number(isCompilation), id);

/** Says that the tracks of an album stay one album, as long as they have its name. */
const fixAlbum = (context: Context, id: AlbumId, by: FixedBy | null): void => void context.fixAlbum.run(by, id);

/** Says that this album and each other one of its name stay as they are. */
const fixAlbumsOfName = (context: Context, id: AlbumId): void => void context.fixAlbumsOfName.run(id);

/**
 * Replaces the audio of a track, keeping its id and metadata. A picture in the audio file may become the album's
 * cover.
 */
function setAudio({ now, updateAudioRow, touchAlbumOf }: Context, id: TrackId, audio: TrackAudio): void {
  const time = now().getTime();
  updateAudioRow.run(...audioValues(audio), time, id);
  if (audio.hasPicture) touchAlbumOf.run(time, id);
}

/** Returns the metadata status of a track; `manual` tracks keep their metadata. */
const statusOf = ({ findRow }: Context, id: TrackId): MetadataStatus | undefined => findRow.get(id)?.metadata_status;
