// Lists, single items and edits. `userId` is the requesting user; items come with that user's likes, ratings and plays.
// `getX` and the edits throw `not_found`.
import { ARTIST_SEPARATORS } from '../config/tag-separators.ts';
import type { AlbumId, ArtistId, TrackId, UserId } from '../db/ids.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Principal } from '../http/route.ts';
import { inSlices, partsOf } from '../runtime/time-slices.ts';
import { worksIn, type AlbumWork } from './albums/works.ts';
import { createPeople } from './credits/people.ts';
import { contradictionsIn, findUsualRelease, type Contradiction } from './albums/album-contradictions.ts';
import { albumList, type AlbumFilter } from './lists/album-lists.ts';
import { playedAlbumIds, readAlbums, type AlbumSummary, type PlayedOrder } from './lists/album-rows.ts';
import { artistList, type ArtistFilter } from './lists/artist-lists.ts';
import { readArtists, type ArtistSummary } from './lists/artist-rows.ts';
import { createObjectRelease, type ObjectReleaseDeps } from './tracks/object-release.ts';
import { createEditHistory } from './edits/edit-history.ts';
import { createEdits, type ArtistChanges } from './edits/field-edits.ts';
import { createFolderTree } from './folders/folders.ts';
import { identityKey } from './tracks/sort-and-identity-keys.ts';
import { createGenreList } from './lists/genres.ts';
import type { NewIdList } from './lists/list-definition.ts';
import type { IdPage } from './lists/page-ids.ts';
import { createListing, type ListThread } from './lists/list-pages.ts';
import { createLyricsReader } from './tracks/lyrics.ts';
import { createSimilar } from './lists/similar-tracks.ts';
import { createManualEdits, type AlbumChanges, type TypedMetadata } from './edits/replace-metadata.ts';
import { inMusicFolder, type MusicFolderScope } from './lists/music-folder-filters.ts';
import type { SearchKind } from './search-index/search-names.ts';
import type { ListOrder } from './lists/sorts.ts';
import { createStatements } from './lists/statement-cache.ts';
import { NOT_REMOTE, trackList, type TrackListFilter } from './lists/track-lists.ts';
import { readTracks, type TrackSummary } from './lists/track-rows.ts';
import type { Chapter } from './tracks/track-values.ts';
import { createTrackVersions } from './albums/track-versions.ts';
import type { TrackWriter } from './tracks/track-writer.ts';
import { createTagLists } from './tags/tag-list.ts';
import { prepareListEditions, prepareSetAvailability } from './queries.ts';
import { toTrackOut } from './wire-maps.ts';
import { createNeverSplit } from './albums/never-split.ts';
import type { AlbumSort, ArtistSort, TrackOut, TrackSort } from './wire.ts';
import { bindContext } from '../runtime/bind-context.ts';

const existingIdsSql = (kind: SearchKind): string =>
  `SELECT i.id FROM json_each(@ids) ids CROSS JOIN ${kind}s i ON i.id = ids.value`;
const MAX_IDS_PER_QUERY = 2_000;
/** Ends a chain of merged albums that leads in a circle. */
const MAX_ALBUM_MOVES = 20;
/** The number of tracks whose credits change in one transaction: some 10 ms. */
const CREDITS_PER_STEP = 100;

interface LibraryDeps extends ObjectReleaseDeps {
  now: () => Date;
  tracks: TrackWriter;
  /** Continues `settleCredits` in the background, for an artist with many tracks. */
  settleLater?: (id: ArtistId) => void;
  /** The setting ARTIST_SEPARATORS; the default if absent. */
  artistSeparators?: () => readonly string[];
  /** Returns the names in the setting CUSTOM_TAGS; none if absent. */
  customTags?: () => readonly string[];
  /** Returns whether a file is in a music folder that cannot be reached. */
  isOffline?: (storageUri: string | null) => boolean;
  /** Returns the keys of the music folders. */
  folderKeys?: () => string[];
  /** Runs slow list queries. If absent, they run in the calling thread. */
  listThread?: ListThread;
}

export type LibraryService = ReturnType<typeof createLibraryService>;

export function createLibraryService(deps: LibraryDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      noteUnsaved,
      editionsOf,
      versionsOf,
      trackOut,
      findExistingTracks,
      listTracks,
      listAlbums,
      listArtists,
      filterExistingIds,
      notRemote: withoutPlaceholders,
      listPlayedAlbums,
      listPlayedIds,
      findArtistByName,
      chaptersOf,
      fileNotesOf,
      bookmarkIn,
      updateTrack,
      updateAlbum,
      updateArtist,
      settleCredits,
      listDivisibleArtists,
      countLibrary,
      markMissing,
      markAvailable,
      getTrack,
      getAlbum,
      successorOf,
      getArtist,
      tracksById,
      albumsById,
      artistsById,
    }),
    /** Returns the files of an album whose tags differ from those of most of its files. Throws `not_found`. */
    contradictionsIn(userId: UserId, id: AlbumId): Contradiction[] {
      getAlbum(context, userId, id);
      return contradictionsIn(context.statements, id);
    },
    /** Return the ids of a page of a list, and the list's total. */
    listIds: {
      track: (userId: UserId, filter: TrackListFilter, order: ListOrder<TrackSort>, page: Page): Promise<IdPage> =>
        context.listing.page(tracksOf(context, userId, filter, order), page),
      album: (userId: UserId, filter: AlbumFilter, order: ListOrder<AlbumSort>, page: Page): Promise<IdPage> =>
        context.listing.page(albumList(userId, filter, order), page),
      artist: (userId: UserId, filter: ArtistFilter, order: ListOrder<ArtistSort>, page: Page): Promise<IdPage> =>
        context.listing.page(artistList(userId, filter, order), page),
    },
    listGenres: context.listGenres,
    people: context.people,
    tags: context.tags,
    /** Returns the works of which an album has movements. Throws `not_found`. */
    worksIn(userId: UserId, id: AlbumId): AlbumWork[] {
      getAlbum(context, userId, id);
      return worksIn(context.statements, id);
    },
    /** Returns those of the items that are in the music folder, in their order. */
    inMusicFolder(kind: SearchKind, ids: readonly number[], scope: MusicFolderScope): number[] {
      const { sql, params } = inMusicFolder(kind, scope);
      return context.statements.column<number>(sql, { ...params, ids: JSON.stringify(ids) });
    },
    folders: context.folders,
    lyrics: createLyricsReader(context.statements),
    similar: createSimilar({ statements: context.statements, random: Math.random }),
    /** Sets metadata that takes precedence over tags and services, now and later. Throws `not_found` or `invalid`. */
    setMetadata(userId: UserId, id: TrackId, typedMetadata: TypedMetadata, batch?: string): TrackSummary {
      context.history.record({ by: userId, batch }, id, () =>
        context.setMetadata(id, typedMetadata, { keepsStatus: false }),
      );
      return getTrack(context, userId, id);
    },
    editHistory: context.history,
    /** Deletes stored objects that nothing uses any more, for example after a merge. */
    release: context.release,
    releaseAudio: context.releaseAudio,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({
  db,
  tracks: writer,
  storage,
  leases,
  settleLater,
  artistSeparators = () => ARTIST_SEPARATORS,
  customTags = () => [],
  listThread,
  isOffline = () => false,
  folderKeys,
  now,
  log,
}: LibraryDeps) {
  const statements = createStatements(db.$client);
  const listing = createListing({ statements, thread: listThread });
  const folders = createFolderTree(statements, folderKeys, listThread?.readAside);
  const listGenres = createGenreList(statements);
  const people = createPeople(statements, listThread?.readAside);
  const tags = createTagLists({ statements, customTags, readAside: listThread?.readAside });
  const edits = createEdits({ db, tracks: writer, now });
  const { setMetadata, setAlbumMetadata } = createManualEdits({ db, tracks: writer, now });
  const history = createEditHistory({ db, tracks: writer, now });
  const neverSplit = createNeverSplit({ db, tracks: writer, artistSeparators, now });
  const { release, releaseAudio } = createObjectRelease({ db, storage, leases, log });
  const versions = createTrackVersions(db.$client);
  const setAvailability = prepareSetAvailability(db.$client);
  /** The reason why a track's results are not saved yet; kept in memory, because nothing could be written. */
  const unsavedReasons = new Map<TrackId, string>();
  /** lists editions by year */
  const listEditions = prepareListEditions(db.$client);
  return {
    db,
    settleLater,
    isOffline,
    now,
    statements,
    listing,
    folders,
    listGenres,
    people,
    tags,
    edits,
    setMetadata,
    setAlbumMetadata,
    history,
    neverSplit,
    release,
    releaseAudio,
    versions,
    setAvailability,
    unsavedReasons,
    listEditions,
  };
}

const tracksById = ({ statements, isOffline }: Context, userId: UserId, ids: readonly number[]): TrackSummary[] =>
  readTracks(statements, userId, ids).map((track) =>
    track.availability === 'available' && isOffline(track.storageUri) ? { ...track, availability: 'offline' } : track,
  );

const albumsById = ({ statements }: Context, userId: UserId, ids: readonly number[]): AlbumSummary[] =>
  readAlbums(statements, userId, ids);

const artistsById = ({ statements }: Context, userId: UserId, ids: readonly number[]): ArtistSummary[] =>
  readArtists(statements, userId, ids);

async function listOf<T>(
  context: Context,
  list: NewIdList,
  page: Page,
  read: (userId: UserId, ids: readonly number[]) => T[],
): Promise<Paged<T>> {
  const { ids, total } = await context.listing.page(list, page);
  return { items: ids.length === 0 ? [] : read(list.userId, ids), total };
}

const versionsIn = (context: Context, userId: UserId, album: AlbumId): TrackSummary[][] =>
  context.versions.inAlbum(album, (ids) => tracksById(context, userId, ids));

function tracksOf(
  context: Context,
  userId: UserId,
  { folder, bestOnly, ...filter }: TrackListFilter,
  order: ListOrder<TrackSort>,
): NewIdList {
  const { albumId } = filter;
  const excludedIds =
    bestOnly && albumId !== undefined
      ? versionsIn(context, userId, albumId).flatMap(([, ...otherVersions]) => otherVersions.map(({ id }) => id))
      : undefined;
  return trackList(
    userId,
    { ...filter, excludedIds, folder: folder && { ...folder, otherRoots: context.folders.others() } },
    order,
  );
}

function firstOrThrow<T>(itemKind: string, id: number, items: T[]): T {
  const [item] = items;
  if (item === undefined) throw notFound(itemKind, id);
  return item;
}

function getTrack(context: Context, userId: UserId, id: TrackId): TrackSummary {
  const track = firstOrThrow('track', id, tracksById(context, userId, [id]));
  const reason = context.unsavedReasons.get(id);
  return reason === undefined ? track : { ...track, metadataError: reason };
}

function getAlbum(context: Context, userId: UserId, id: AlbumId): AlbumSummary {
  const album = firstOrThrow('album', id, albumsById(context, userId, [id]));
  return { ...album, releaseMbid: findUsualRelease(context.statements, id) };
}

/**
 * Returns the id of the album into which an album that is gone was merged or renamed; the same id for any other album.
 */
const successorOf = ({ statements }: Context, id: AlbumId): AlbumId =>
  statements.column<AlbumId>(
    `WITH RECURSIVE moves (id, steps) AS (
        SELECT @id, 0 UNION ALL
        SELECT m.to_id, steps + 1 FROM moves CROSS JOIN annotation_moves m
          ON m.item_type = 'album' AND m.from_id = moves.id AND steps < ${MAX_ALBUM_MOVES})
      SELECT a.id FROM moves CROSS JOIN albums a ON a.id = moves.id ORDER BY steps LIMIT 1`,
    { id },
  )[0] ?? id;

const getArtist = (context: Context, userId: UserId, id: ArtistId): ArtistSummary =>
  firstOrThrow('artist', id, artistsById(context, userId, [id]));

/** Notes why results for a track could not be saved; `reason` is undefined when they were saved. */
function noteUnsaved({ unsavedReasons }: Context, id: TrackId, reason: string | undefined): void {
  if (reason === undefined) unsavedReasons.delete(id);
  else unsavedReasons.set(id, reason);
}

/** Returns the other albums of the album's release group, or with its artist and title, by year. Throws `not_found`. */
function editionsOf(context: Context, userId: UserId, id: AlbumId): AlbumSummary[] {
  getAlbum(context, userId, id);
  return albumsById(context, userId, context.listEditions.all({ id }));
}

/**
 * Returns the other files of the track's recording at its place of the album, the best first. Throws `not_found`.
 */
function versionsOf(context: Context, userId: UserId, id: TrackId): TrackSummary[] {
  const { albumId } = getTrack(context, userId, id);
  const versionGroups = albumId === null ? [] : versionsIn(context, userId, albumId);
  return (
    versionGroups.find((group) => group.some((track) => track.id === id))?.filter((track) => track.id !== id) ?? []
  );
}

/** Returns a track in its API shape, for modules that send tracks without knowing that shape. */
const trackOut = (context: Context, user: Principal, id: TrackId): TrackOut =>
  toTrackOut(getTrack(context, user.id, id));

/** Returns which of any number of tracks are in the library. */
async function findExistingTracks({ statements }: Context, ids: readonly TrackId[]): Promise<Set<TrackId>> {
  const existingIds = new Set<TrackId>();
  await inSlices(partsOf(ids, MAX_IDS_PER_QUERY), (chunk) => {
    for (const id of statements.column<TrackId>(existingIdsSql('track'), { ids: JSON.stringify(chunk) }))
      existingIds.add(id);
  });
  return existingIds;
}

const listTracks = (
  context: Context,
  userId: UserId,
  filter: TrackListFilter,
  order: ListOrder<TrackSort>,
  page: Page,
): Promise<Paged<TrackSummary>> =>
  listOf(context, tracksOf(context, userId, filter, order), page, (userId, ids) => tracksById(context, userId, ids));

const listAlbums = (
  context: Context,
  userId: UserId,
  filter: AlbumFilter,
  order: ListOrder<AlbumSort>,
  page: Page,
): Promise<Paged<AlbumSummary>> =>
  listOf(context, albumList(userId, filter, order), page, (userId, ids) => albumsById(context, userId, ids));

const listArtists = (
  context: Context,
  userId: UserId,
  filter: ArtistFilter,
  order: ListOrder<ArtistSort>,
  page: Page,
): Promise<Paged<ArtistSummary>> =>
  listOf(context, artistList(userId, filter, order), page, (userId, ids) => artistsById(context, userId, ids));

/** Returns those of the items that are in the library, in their order. */
const filterExistingIds = ({ statements }: Context, kind: SearchKind, ids: readonly number[]): number[] =>
  statements.column<number>(existingIdsSql(kind), { ids: JSON.stringify(ids) });

/** Returns those of the tracks that are not placeholders, in their order. */
const withoutPlaceholders = ({ statements }: Context, ids: readonly number[]): number[] =>
  statements.column<number>(NOT_REMOTE, { ids: JSON.stringify(ids) });

/** Returns the albums that the user played most, or last. */
const listPlayedAlbums = (context: Context, userId: UserId, by: PlayedOrder, page: Page): AlbumSummary[] =>
  albumsById(context, userId, playedAlbumIds(context.statements, userId, by, page));

const listPlayedIds = ({ statements }: Context, userId: UserId, by: PlayedOrder, page: Page): number[] =>
  playedAlbumIds(statements, userId, by, page);

const findArtistByName = ({ statements }: Context, name: string): ArtistId | undefined =>
  statements.column<ArtistId>('SELECT id FROM artists WHERE name_key = @key', { key: identityKey(name) })[0];

function chaptersOf({ statements }: Context, id: TrackId): Chapter[] {
  const [list] = statements.column<string>('SELECT list FROM chapters WHERE track_id = @id', { id });
  return list === undefined ? [] : (JSON.parse(list) as Chapter[]);
}

/** Returns what the last scan did not use of the track's files, such as a cue sheet that does not fit, and why. */
const fileNotesOf = ({ statements }: Context, id: TrackId): string[] =>
  statements.column<string>(
    "SELECT DISTINCT reason FROM source_files WHERE track_id = @id AND state = 'track' AND reason IS NOT NULL",
    { id },
  );

/** Returns the position of the user's bookmark in a track, in milliseconds. */
function bookmarkIn({ statements }: Context, userId: UserId, id: TrackId): number | null {
  const sql = 'SELECT position_ms FROM bookmarks WHERE user_id = @userId AND track_id = @id';
  return statements.column<number>(sql, { userId, id })[0] ?? null;
}

/** Changes single fields and keeps metadata_status; the changed fields are protected by their origin. */
function updateTrack(
  context: Context,
  userId: UserId,
  id: TrackId,
  changes: TypedMetadata,
  batch?: string,
): TrackSummary {
  const { artist, artists, album, albumArtist, ...fields } = changes;
  const hasNames = [artist, artists, album, albumArtist].some((name) => name !== undefined);
  context.history.record({ by: userId, batch }, id, () =>
    hasNames ? context.setMetadata(id, changes, { keepsStatus: true }) : context.edits.updateTrack(id, fields),
  );
  return getTrack(context, userId, id);
}

/** More tracks are edited one by one: one transaction with all of them would keep others waiting. */
const MAX_TRACKS_IN_ALBUM_EDIT = 1_000;

/**
 * Changes an album as a whole, and keeps the status of its tracks; the changed fields are protected by their origin.
 * Returns the album, which has another id if its tracks have joined another album. Throws `not_found`, `conflict`, and
 * `invalid` for a track of another album.
 */
function updateAlbum(
  context: Context,
  userId: UserId,
  id: AlbumId,
  { album, tracks }: AlbumChanges,
  batch?: string,
): AlbumSummary {
  const { title } = getAlbum(context, userId, id);
  const ids = context.statements.column<TrackId>('SELECT id FROM tracks WHERE album_id = @id ORDER BY id', { id });
  if (ids.length > MAX_TRACKS_IN_ALBUM_EDIT)
    throw conflict(`${title} has more than ${MAX_TRACKS_IN_ALBUM_EDIT} tracks. Edit its tracks instead.`);
  const strangers = [...tracks.keys()].filter((trackId) => !ids.includes(trackId));
  if (strangers.length > 0)
    throw invalid([
      { field: 'tracks', message: `must be tracks of the album; these are not: ${strangers.join(', ')}` },
    ]);
  const changes = new Map(
    ids.map((trackId): [TrackId, TypedMetadata] => [trackId, { ...album, ...tracks.get(trackId) }]),
  );
  context.history.recordAll({ by: userId, batch }, ids, () => context.setAlbumMetadata(id, changes));
  const [firstId] = ids;
  const albumId = firstId === undefined ? id : getTrack(context, userId, firstId).albumId;
  return getAlbum(context, userId, albumId ?? id);
}

function updateArtist(context: Context, userId: UserId, id: ArtistId, changes: ArtistChanges): ArtistSummary {
  const isMore = context.db.transaction(
    () => {
      context.edits.updateArtist(id, changes);
      return changes.neverSplit !== undefined && context.neverSplit.apply(id, CREDITS_PER_STEP) === CREDITS_PER_STEP;
    },
    { behavior: 'immediate' },
  );
  if (isMore) context.settleLater?.(id);
  return getArtist(context, userId, id);
}

/**
 * Runs the next step after a change of an artist's never-split mark. Returns false when no credits are left to
 * change.
 */
const settleCredits = ({ db, neverSplit }: Context, id: ArtistId): boolean =>
  db.transaction(() => neverSplit.apply(id, CREDITS_PER_STEP) > 0, { behavior: 'immediate' });

/** Lists artists whose names ARTIST_SEPARATORS divides, for `settleCredits`. */
const listDivisibleArtists = ({ neverSplit }: Context): ArtistId[] => neverSplit.listDivisible();

const countLibrary = ({ statements }: Context): { tracks: number; albums: number; artists: number } => ({
  tracks: statements.value<number>('SELECT coalesce(sum(tracks), 0) FROM library_totals', {}),
  albums: statements.value<number>('SELECT count(*) FROM albums', {}),
  artists: statements.value<number>('SELECT count(*) FROM artists', {}),
});

/**
 * Marks a track as missing whose audio is not at that URI. Returns true if it was available before, and still has
 * its audio there.
 */
const markMissing = ({ setAvailability, now }: Context, id: TrackId, uri: string): boolean =>
  setAvailability.run('missing', now().getTime(), id, 'available', uri).changes > 0;

/** Marks a track as available whose audio is back at that URI. Returns true if it was missing before. */
const markAvailable = ({ setAvailability, now }: Context, id: TrackId, uri: string): boolean =>
  setAvailability.run('available', now().getTime(), id, 'missing', uri).changes > 0;
