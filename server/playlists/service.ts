// Playlists for the REST and Subsonic APIs. Changes return the changed playlist. Reading is asynchronous, since a smart
// playlist is evaluated in a thread. All methods throw `not_found` for playlists that the user may not read.
import { randomInt } from 'node:crypto';
import type { Db, MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import { invalid, notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import { assertOrdinary, getOwn, getReadable } from './access.ts';
import { createChanges, type NewTracks, type EntrySelection, type PlaylistEdit, type VersionCheck } from './changes.ts';
import { createEntryRows } from './entry-rows.ts';
import {
  deletePlaylist,
  findDeleted,
  insertPlaylist,
  listDeleted,
  listOrdinary,
  listReadable,
  listUnmatchedLines,
  updatePlaylist,
  type PlaylistSummary,
} from './queries.ts';
import { createEntryReader, type Entry, type EntryPage } from './read-entries.ts';
import { membersOf, playlistsIn, type Rules } from './rules.ts';
import type { SmartLists } from './smart.ts';
import type { SongMatcher } from './song-match.ts';
import type { UnmatchedLine } from './file-match.ts';
import { createVersions, type MissingTrack } from './versions.ts';
import { playlistEvent } from './wire.ts';
import { bindContext } from '../runtime/bind-context.ts';
import { createListeners } from '../runtime/listeners.ts';

interface PlaylistDeps {
  db: MainDb;
  now: () => Date;
  library: Pick<LibraryService, 'tracksById' | 'findExistingTracks' | 'listIds'>;
  smart: SmartLists;
  songs: SongMatcher;
  events: Pick<EventHub, 'publish'>;
}

interface NewList {
  name: string;
  description?: string | null;
  isPublic?: boolean;
  trackIds?: readonly TrackId[];
  rules?: Rules | undefined;
}
/** What a playlist file says: the tracks of an ordinary playlist, or the rules of a smart one. */
interface FileContents {
  /** A new name; undefined if the name stays. */
  name: string | undefined;
  trackIds: readonly TrackId[];
  rules: Rules | undefined;
}
interface ListFields extends VersionCheck {
  name?: string | undefined;
  description?: string | null | undefined;
  isPublic?: boolean | undefined;
  rules?: Rules | undefined;
}

export type PlaylistService = ReturnType<typeof createPlaylistService>;

export function createPlaylistService(deps: PlaylistDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      list,
      get,
      entries,
      allEntries,
      listContained,
      listUnmatched,
      preview,
      create,
      update,
      undelete,
      deleteForever,
      addTracks,
      removeEntries,
      removeTracks,
      moveEntries,
      reorder,
      replaceTracks,
      edit,
      restore,
      applyFile,
    }),
    /** Calls listeners after each change of a playlist. */
    onChange: context.changeListeners.add,
    withTotals: context.entryReader.withTotals,
    /** Deletes a playlist; `undelete` restores it. */
    delete(userId: UserId, id: PlaylistId): void {
      const playlist = context.db.transaction(
        (tx) => {
          const ownPlaylist = getOwn(tx, userId, id);
          const deletedAt = context.now();
          updatePlaylist(tx, id, { deletedAt, updatedAt: deletedAt });
          return { ...ownPlaylist, deletedAt };
        },
        { behavior: 'immediate' },
      );
      announce(context, playlist);
    },
    listVersions: context.versions.listVersions,
    versionEntries: context.versions.versionEntries,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, now, library, smart, songs, events }: PlaylistDeps) {
  const rows = createEntryRows(db.$client);
  const changes = createChanges({ db, now, rows });
  const versions = createVersions({ db, now, rows, changes, songs });
  const entryReader = createEntryReader({ library, rows, smart });
  return {
    db,
    now,
    library,
    smart,
    events,
    rows,
    changes,
    versions,
    entryReader,
    changeListeners: createListeners<[]>(),
  };
}

/** Makes clients reload the playlist; clients of other users only if the playlist is or was public. */
function announce(
  context: Context,
  { id, version, isPublic, ownerId, deletedAt }: PlaylistSummary,
  wasPublic = isPublic,
): void {
  context.changeListeners.notify();
  context.events.publish(
    playlistEvent,
    { id, version, deleted: deletedAt !== null },
    isPublic || wasPublic ? {} : { audience: { userId: ownerId } },
  );
}

function announceChange(context: Context, userId: UserId, id: PlaylistId, wasPublic?: boolean): PlaylistSummary {
  const playlist = getReadable(context.db, userId, id);
  announce(context, playlist, wasPublic);
  return playlist;
}

/** Throws `not_found` for a track that is not in the library. */
async function assertTracksExist(context: Context, trackIds: readonly TrackId[]): Promise<void> {
  const existingIds = await context.library.findExistingTracks(trackIds);
  const missingId = existingIds.size === 0 ? trackIds[0] : trackIds.find((id) => !existingIds.has(id));
  if (missingId !== undefined) throw notFound('track', missingId);
}

/** Throws `invalid` for rules that refer to a smart playlist, which could refer back. */
function assertRules(context: Context, userId: UserId, rules: Rules): void {
  const ids = [...new Set(playlistsIn(membersOf(rules)))] as PlaylistId[];
  const usableIds = new Set(listOrdinary(context.db, userId, ids));
  const refusedId = ids.find((id) => !usableIds.has(id));
  if (refusedId !== undefined)
    throw invalid([{ field: 'rules', message: `playlist ${refusedId} does not exist or is a smart playlist` }]);
}

/** Adds a seed to a random order, so that it stays the same. */
const withSeed = (rules: Rules): Rules =>
  rules.sort?.some(({ field }) => field === 'random') && rules.seed === undefined
    ? { ...rules, seed: randomInt(2 ** 32) }
    : rules;

/**
 * Lists the user's own and public playlists by name, or the user's deleted ones; smart playlists with their totals.
 */
async function list(
  { db, entryReader }: Context,
  userId: UserId,
  page: Page,
  { deleted = false } = {},
): Promise<Paged<PlaylistSummary>> {
  const { items, total } = deleted ? listDeleted(db, userId, page) : listReadable(db, userId, page);
  return { items: await Promise.all(items.map(entryReader.withTotals)), total };
}

const get = ({ entryReader, db }: Context, userId: UserId, id: PlaylistId): Promise<PlaylistSummary> =>
  entryReader.withTotals(getReadable(db, userId, id));

const entries = (
  { entryReader, db }: Context,
  userId: UserId,
  id: PlaylistId,
  page: EntryPage,
): Promise<Paged<Entry>> => entryReader.entries(userId, getReadable(db, userId, id), page);

/** Yields the entries in chunks, for lists of any length. */
const allEntries = ({ entryReader }: Context, userId: UserId, playlist: PlaylistSummary): AsyncGenerator<Entry[]> =>
  entryReader.allEntries(userId, playlist);

/**
 * Lists the lines of the playlist's file that have no track; none for a playlist without a file. Only its owner sees
 * them, because they may contain paths of other computers.
 */
function listUnmatched({ db }: Context, userId: UserId, id: PlaylistId, page: Page): Paged<UnmatchedLine> {
  const { file, ownerId } = getReadable(db, userId, id);
  return file && ownerId === userId ? listUnmatchedLines(db, file.id, page) : { items: [], total: 0 };
}

/** Returns those of the tracks that are in the list. */
async function listContained(
  { db, rows, smart }: Context,
  userId: UserId,
  id: PlaylistId,
  trackIds: readonly TrackId[],
): Promise<TrackId[]> {
  const playlist = getReadable(db, userId, id);
  if (playlist.rules === null) return [...rows.listKnownTracks(id, trackIds)];
  const { ids } = await smart.find(playlist.ownerId, playlist.rules);
  const listedIds = new Set<number>(ids);
  return trackIds.filter((trackId) => listedIds.has(trackId));
}

/** Evaluates rules without saving them. */
async function preview(context: Context, userId: UserId, rules: Rules, limit: number) {
  assertRules(context, userId, rules);
  const { ids, durationMs } = await context.smart.find(userId, rules);
  return {
    trackCount: ids.length,
    durationMs,
    tracks: context.library.tracksById(userId, Array.from(ids.subarray(0, limit))),
  };
}

async function create(
  context: Context,
  userId: UserId,
  { name, description = null, isPublic = false, trackIds = [], rules }: NewList,
  change: 'create' | 'import' | 'file' = 'create',
  alsoWrite: (tx: Db, playlistId: PlaylistId) => void = () => {},
): Promise<PlaylistSummary> {
  if (rules && trackIds.length > 0)
    throw invalid([{ field: 'track_ids', message: 'a smart playlist takes rules, not tracks' }]);
  if (rules) assertRules(context, userId, rules);
  await assertTracksExist(context, trackIds);
  const remainingParts = context.db.transaction(
    (tx) => {
      const createdAt = context.now();
      const playlistId = insertPlaylist(tx, {
        ownerId: userId,
        name,
        description,
        isPublic,
        rules: rules ? withSeed(rules) : null,
        createdAt,
      });
      const playlist = getOwn(tx, userId, playlistId);
      alsoWrite(tx, playlistId);
      return context.changes.begin(userId, playlist, change, trackIds);
    },
    { behavior: 'immediate' },
  );
  await context.changes.finish(remainingParts);
  return announceChange(context, userId, remainingParts.id);
}

/** Changes a playlist. Changed rules make a new version; other fields do not. */
function update(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  { rules, expectedVersion, ...fields }: ListFields,
): PlaylistSummary {
  const wasPublic = context.db.transaction(
    (tx) => {
      const playlist = getOwn(tx, userId, id, expectedVersion);
      if (rules && playlist.rules === null)
        throw invalid([{ field: 'rules', message: 'an ordinary playlist has no rules; create a smart playlist' }]);
      if (rules) assertRules(context, userId, rules);
      const newRules = rules && withSeed(rules);
      if (newRules) context.changes.recordVersion(userId, { ...playlist, rules: newRules }, 'rules');
      updatePlaylist(tx, id, { ...fields, ...(newRules && { rules: newRules }), updatedAt: context.now() });
      return playlist.isPublic;
    },
    { behavior: 'immediate' },
  );
  return announceChange(context, userId, id, wasPublic);
}

function undelete(context: Context, userId: UserId, id: PlaylistId): PlaylistSummary {
  context.db.transaction(
    (tx) => {
      if (!findDeleted(tx, userId, id)) throw notFound('deleted playlist', id);
      updatePlaylist(tx, id, { deletedAt: null, updatedAt: context.now() });
    },
    { behavior: 'immediate' },
  );
  return announceChange(context, userId, id);
}

/** Removes a deleted playlist with all its versions. */
function deleteForever({ db }: Context, userId: UserId, id: PlaylistId): void {
  db.transaction(
    (tx) => {
      if (!findDeleted(tx, userId, id)) throw notFound('deleted playlist', id);
      deletePlaylist(tx, id);
    },
    { behavior: 'immediate' },
  );
}

async function addTracks(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  newTracks: NewTracks,
): Promise<PlaylistSummary> {
  getOwn(context.db, userId, id, newTracks.expectedVersion);
  await assertTracksExist(context, newTracks.trackIds);
  await context.changes.add(userId, id, newTracks);
  return announceChange(context, userId, id);
}

async function removeEntries(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  selection: EntrySelection,
  versionCheck?: VersionCheck,
): Promise<PlaylistSummary> {
  await context.changes.remove(userId, id, selection, versionCheck);
  return announceChange(context, userId, id);
}

/** Removes all entries of these tracks. Throws `not_found` for a track that is not in the list. */
async function removeTracks(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  trackIds: readonly TrackId[],
  versionCheck?: VersionCheck,
): Promise<PlaylistSummary> {
  assertOrdinary(getOwn(context.db, userId, id, versionCheck?.expectedVersion));
  const entries = context.rows.entriesOf(id, trackIds);
  const listedIds = new Set(entries.map(({ trackId }) => trackId));
  const missingId = trackIds.find((trackId) => !listedIds.has(trackId));
  if (missingId !== undefined) throw notFound('track in the playlist', missingId);
  return removeEntries(context, userId, id, { entryIds: entries.map((entry) => entry.id) }, versionCheck);
}

async function moveEntries(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  move: VersionCheck & EntrySelection & { before: number | null },
): Promise<PlaylistSummary> {
  await context.changes.move(userId, id, move);
  return announceChange(context, userId, id);
}

async function reorder(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  entryIds: readonly number[],
  versionCheck?: VersionCheck,
): Promise<PlaylistSummary> {
  await context.changes.reorder(userId, id, entryIds, versionCheck);
  return announceChange(context, userId, id);
}

/** Replaces all tracks at once, in one version: phones send this when they save a list. */
async function replaceTracks(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  trackIds: readonly TrackId[],
  versionCheck?: VersionCheck,
): Promise<PlaylistSummary> {
  getOwn(context.db, userId, id, versionCheck?.expectedVersion);
  await assertTracksExist(context, trackIds);
  await context.changes.replace(userId, id, trackIds, versionCheck);
  return announceChange(context, userId, id);
}

/**
 * Changes fields, removes tracks by index and adds tracks at the end, all in one version: phones send this when
 * they change a list.
 */
async function edit(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  edit: Omit<PlaylistEdit, 'rules'>,
): Promise<PlaylistSummary> {
  const wasPublic = getReadable(context.db, userId, id).isPublic;
  await assertTracksExist(context, edit.addTrackIds ?? []);
  await context.changes.edit(userId, id, edit);
  return announceChange(context, userId, id, wasPublic);
}

/**
 * Gives a playlist the contents of its file, in a version that no person made. `alsoWrite` runs in the transaction of
 * that version. Throws `conflict` if the playlist is not at the expected version.
 */
async function applyFile(
  context: Context,
  { id, ownerId, version, rules: previousRules }: PlaylistSummary,
  { name, trackIds, rules }: FileContents,
  alsoWrite: (tx: Db) => void,
): Promise<void> {
  if (rules) {
    await context.changes.withLock(id, async () =>
      context.db.transaction(
        (tx) => {
          const playlist = getOwn(tx, ownerId, id, version);
          const newRules = withSeed({ ...rules, seed: rules.seed ?? previousRules?.seed });
          if (JSON.stringify(newRules) !== JSON.stringify(previousRules)) {
            updatePlaylist(tx, id, { rules: newRules, updatedAt: context.now() });
            context.changes.recordVersion(ownerId, { ...playlist, rules: newRules }, 'file');
          }
          alsoWrite(tx);
        },
        { behavior: 'immediate' },
      ),
    );
  } else await context.changes.replace(ownerId, id, trackIds, { expectedVersion: version, kind: 'file', alsoWrite });
  if (name !== undefined) updatePlaylist(context.db, id, { name, updatedAt: context.now() });
  announceChange(context, ownerId, id);
}

async function restore(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  target: VersionCheck & { version: number },
): Promise<{ playlist: PlaylistSummary; missing: MissingTrack[] }> {
  const missingTracks = await context.versions.restore(userId, id, target);
  return { playlist: announceChange(context, userId, id), missing: missingTracks };
}
