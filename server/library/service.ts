// The library as other rooms and the doors see it: lists, single items, edits, deletion. `userId` is the person who
// asks; likes and play counts in the answers are theirs.
import type { AlbumId, ArtistId, TrackId, UserId } from '../db/ids.ts';
import type { Availability } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Principal } from '../http/route.ts';
import { albumList, type AlbumFilter } from './album-lists.ts';
import { readAlbums, type AlbumSummary } from './album-rows.ts';
import { artistList, type ArtistFilter } from './artist-lists.ts';
import { readArtists, type ArtistSummary } from './artist-rows.ts';
import { createDeletion, type DeletionDeps } from './track-deletion.ts';
import { createEdits, type ArtistChanges, type TrackChanges } from './edits.ts';
import { createFolderTree } from './folders.ts';
import { identityKey } from './fold.ts';
import { createGenreList } from './genres.ts';
import type { NewIdList } from './id-list.ts';
import { createListing, type ListThread } from './listing.ts';
import { createLyricsReader } from './lyrics.ts';
import { playedIds, type PlayedOrder } from './played-ids.ts';
import { createSimilar } from './similar.ts';
import { createManualEdits, type TypedMetadata } from './manual.ts';
import type { ListOrder } from './sorts.ts';
import { createStatements } from './statements.ts';
import { trackList, type TrackFilter } from './track-lists.ts';
import { readTracks, type TrackSummary } from './track-rows.ts';
import type { TrackWriter } from './track-writer.ts';
import { toTrackOut } from './wire-maps.ts';
import { createNeverSplit } from './never-split.ts';
import type { AlbumSort, ArtistSort, TrackOut, TrackSort } from './wire.ts';

/** Tracks whose credits change in one go: some 10 ms. */
const CREDITS_AT_ONCE = 100;

export interface LibraryDeps extends DeletionDeps {
  now: () => Date;
  tracks: TrackWriter;
  /** Asked to go on with `settleCredits` for an artist of many tracks. */
  settleLater?: (id: ArtistId) => void;
  /** Reads what lists need more than a moment for. Without one they are read at once. */
  listThread?: ListThread;
}

export type LibraryService = ReturnType<typeof createLibraryService>;

export function createLibraryService({
  db,
  tracks: writer,
  storage,
  leases,
  onDeleted,
  settleLater,
  listThread,
  now,
  log,
}: LibraryDeps) {
  const statements = createStatements(db.$client);
  const listing = createListing({ client: db.$client, statements, thread: listThread });
  const listGenres = createGenreList(statements);
  const edits = createEdits({ db, search: writer.search, now });
  const { setMetadata } = createManualEdits({ db, tracks: writer, now });
  const settleSome = createNeverSplit({ db, tracks: writer, now });
  const { deleteTrack, release, releaseAudio } = createDeletion({
    db,
    tracks: writer,
    storage,
    leases,
    onDeleted,
    log,
  });
  const setAvailability = db.$client.prepare<[Availability, number, TrackId, Availability]>(
    'UPDATE tracks SET availability = ?, updated_at = ? WHERE id = ? AND availability = ?',
  );

  const tracksById = (userId: UserId, ids: readonly number[]): TrackSummary[] => readTracks(statements, userId, ids);
  const albumsById = (userId: UserId, ids: readonly number[]): AlbumSummary[] => readAlbums(statements, userId, ids);
  const artistsById = (userId: UserId, ids: readonly number[]): ArtistSummary[] => readArtists(statements, userId, ids);

  async function listOf<T>(
    list: NewIdList,
    page: Page,
    read: (userId: UserId, ids: readonly number[]) => T[],
  ): Promise<Paged<T>> {
    const { ids, total } = await listing.page(list, page);
    return { items: ids.length === 0 ? [] : read(list.userId, ids), total };
  }

  function one<T>(what: string, id: number, found: T[]): T {
    const [item] = found;
    if (item === undefined) throw notFound(what, id);
    return item;
  }

  const getTrack = (userId: UserId, id: TrackId): TrackSummary => one('track', id, tracksById(userId, [id]));
  const getAlbum = (userId: UserId, id: AlbumId): AlbumSummary => one('album', id, albumsById(userId, [id]));
  const getArtist = (userId: UserId, id: ArtistId): ArtistSummary => one('artist', id, artistsById(userId, [id]));

  return {
    getTrack,
    getAlbum,
    getArtist,
    /** The track as rooms put it on the wire that do not know its shape. */
    trackOut: (user: Principal, id: TrackId): TrackOut => toTrackOut(getTrack(user.id, id)),
    /** The ones that exist, in the order of the ids. */
    tracksById,
    albumsById,
    artistsById,

    listTracks: (
      userId: UserId,
      filter: TrackFilter,
      order: ListOrder<TrackSort>,
      page: Page,
    ): Promise<Paged<TrackSummary>> => listOf(trackList(userId, filter, order), page, tracksById),
    listAlbums: (
      userId: UserId,
      filter: AlbumFilter,
      order: ListOrder<AlbumSort>,
      page: Page,
    ): Promise<Paged<AlbumSummary>> => listOf(albumList(userId, filter, order), page, albumsById),
    listArtists: (
      userId: UserId,
      filter: ArtistFilter,
      order: ListOrder<ArtistSort>,
      page: Page,
    ): Promise<Paged<ArtistSummary>> => listOf(artistList(userId, filter, order), page, artistsById),
    listGenres,
    /** Most or last played first, without what was never played. */
    listPlayedAlbums: (userId: UserId, by: PlayedOrder, page: Page): AlbumSummary[] =>
      albumsById(userId, playedIds(statements, userId, 'album', by, page)),
    findArtistByName: (name: string): ArtistId | undefined =>
      statements.column<ArtistId>('SELECT id FROM artists WHERE name_key = @key', { key: identityKey(name) })[0],
    folders: createFolderTree(statements),
    lyrics: createLyricsReader(statements),
    similar: createSimilar({ statements, random: Math.random }),

    /** Over anything that tags and services say, now and later. Throws `not_found`, `invalid`. */
    setMetadata(userId: UserId, id: TrackId, typed: TypedMetadata): TrackSummary {
      setMetadata(id, typed);
      return getTrack(userId, id);
    },
    updateTrack(userId: UserId, id: TrackId, changes: TrackChanges): TrackSummary {
      edits.updateTrack(id, changes);
      return getTrack(userId, id);
    },
    updateArtist(userId: UserId, id: ArtistId, changes: ArtistChanges): ArtistSummary {
      const isMore = db.transaction(
        () => {
          edits.updateArtist(id, changes);
          return changes.neverSplit !== undefined && settleSome(id, CREDITS_AT_ONCE) === CREDITS_AT_ONCE;
        },
        { behavior: 'immediate' },
      );
      if (isMore) settleLater?.(id);
      return getArtist(userId, id);
    },
    /**
     * Goes on with the credits of an artist whose name is kept whole from now on, or no longer. False when they are all
     * as they should be.
     */
    settleCredits: (id: ArtistId): boolean =>
      db.transaction(() => settleSome(id, CREDITS_AT_ONCE) > 0, { behavior: 'immediate' }),
    deleteTrack,
    /** After a merge: deletes the stored objects that nothing uses any more. */
    release,
    releaseAudio,

    countLibrary: (): { tracks: number; albums: number; artists: number } => ({
      tracks: statements.value<number>('SELECT coalesce(sum(tracks), 0) FROM library_totals', {}),
      albums: statements.value<number>('SELECT count(*) FROM albums', {}),
      artists: statements.value<number>('SELECT count(*) FROM artists', {}),
    }),

    /** The row says there is audio, and the storage does not have it. True when that is news. */
    markMissing: (id: TrackId): boolean => setAvailability.run('missing', now().getTime(), id, 'available').changes > 0,
    /** The audio of a missing track is back. True when that is news. */
    markAvailable: (id: TrackId): boolean =>
      setAvailability.run('available', now().getTime(), id, 'missing').changes > 0,
  };
}
