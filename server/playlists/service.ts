// Playlists for the REST and Subsonic APIs. Changes return the changed playlist. Reading is asynchronous, since a smart
// playlist is evaluated in a thread. Throws `not_found` for playlists that the user may not read.
import { randomInt } from 'node:crypto';
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import { invalid, notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import { assertOrdinary, getOwn, getReadable } from './access.ts';
import { createChanges, type Added, type Chosen, type Edited, type Expected } from './changes.ts';
import { createEntryRows } from './entry-rows.ts';
import {
  deletePlaylist,
  findDeleted,
  insertPlaylist,
  listDeleted,
  listOrdinary,
  listReadable,
  updatePlaylist,
  type PlaylistSummary,
} from './queries.ts';
import { createEntryReader, type Entry, type EntryPage } from './read-entries.ts';
import { membersOf, playlistsIn, type Rules } from './rules.ts';
import type { SmartLists } from './smart.ts';
import type { SongMatcher } from './song-match.ts';
import { createVersions, type MissingTrack } from './versions.ts';
import { playlistEvent } from './wire.ts';

interface PlaylistDeps {
  db: MainDb;
  now: () => Date;
  library: Pick<LibraryService, 'tracksById' | 'tracksThere'>;
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
interface ListFields extends Expected {
  name?: string | undefined;
  description?: string | null | undefined;
  isPublic?: boolean | undefined;
  rules?: Rules | undefined;
}

export type PlaylistService = ReturnType<typeof createPlaylistService>;

export function createPlaylistService({ db, now, library, smart, songs, events }: PlaylistDeps) {
  const rows = createEntryRows(db.$client);
  const changes = createChanges({ db, now, rows });
  const versions = createVersions({ db, now, rows, changes, songs });
  const reading = createEntryReader({ library, rows, smart });

  /** Makes clients reload the playlist; those of other users only if it is or was public. */
  function announce({ id, version, isPublic, ownerId, deletedAt }: PlaylistSummary, wasPublic = isPublic): void {
    events.publish(
      playlistEvent,
      { id, version, deleted: deletedAt !== null },
      isPublic || wasPublic ? {} : { audience: { userId: ownerId } },
    );
  }

  function changed(userId: UserId, id: PlaylistId, wasPublic?: boolean): PlaylistSummary {
    const playlist = getReadable(db, userId, id);
    announce(playlist, wasPublic);
    return playlist;
  }

  /** Throws `not_found` for one that is not in the library. */
  async function assertThere(trackIds: readonly TrackId[]): Promise<void> {
    const there = await library.tracksThere(trackIds);
    const absent = there.size === 0 ? trackIds[0] : trackIds.find((id) => !there.has(id));
    if (absent !== undefined) throw notFound('track', absent);
  }

  /** A list of rules that asks for another such list could end up asking for itself. */
  function assertRules(userId: UserId, rules: Rules): void {
    const ids = [...new Set(playlistsIn(membersOf(rules)))] as PlaylistId[];
    const usable = new Set(listOrdinary(db, userId, ids));
    const refused = ids.find((id) => !usable.has(id));
    if (refused !== undefined)
      throw invalid([{ field: 'rules', message: `playlist ${refused} does not exist or is a smart playlist` }]);
  }

  /** Adds a seed to a random order, so that it stays the same. */
  const seeded = (rules: Rules): Rules =>
    rules.sort?.some(({ field }) => field === 'random') && rules.seed === undefined
      ? { ...rules, seed: randomInt(2 ** 32) }
      : rules;

  return {
    /** Own and public playlists by name, or own deleted ones; smart ones with their totals. */
    async list(userId: UserId, page: Page, { deleted = false } = {}): Promise<Paged<PlaylistSummary>> {
      const { items, total } = deleted ? listDeleted(db, userId, page) : listReadable(db, userId, page);
      return { items: await Promise.all(items.map(reading.withTotals)), total };
    },
    get: (userId: UserId, id: PlaylistId): Promise<PlaylistSummary> => reading.withTotals(getReadable(db, userId, id)),
    withTotals: reading.withTotals,
    entries: (userId: UserId, id: PlaylistId, page: EntryPage): Promise<Paged<Entry>> =>
      reading.entries(userId, getReadable(db, userId, id), page),
    /** In chunks, for lists of any length. */
    allEntries: (userId: UserId, playlist: PlaylistSummary): AsyncGenerator<Entry[]> =>
      reading.allEntries(userId, playlist),

    /** Those of the tracks that are in the list. */
    async contained(userId: UserId, id: PlaylistId, trackIds: readonly TrackId[]): Promise<TrackId[]> {
      const playlist = getReadable(db, userId, id);
      if (playlist.rules === null) return [...rows.knownTracks(id, trackIds)];
      const { ids } = await smart.find(playlist.ownerId, playlist.rules);
      const all = new Set<number>(ids);
      return trackIds.filter((trackId) => all.has(trackId));
    },

    /** Evaluates rules without saving them. */
    async preview(userId: UserId, rules: Rules, limit: number) {
      assertRules(userId, rules);
      const { ids, durationMs } = await smart.find(userId, rules);
      return {
        trackCount: ids.length,
        durationMs,
        tracks: library.tracksById(userId, Array.from(ids.subarray(0, limit))),
      };
    },

    async create(
      userId: UserId,
      { name, description = null, isPublic = false, trackIds = [], rules }: NewList,
      change: 'create' | 'import' = 'create',
    ): Promise<PlaylistSummary> {
      if (rules && trackIds.length > 0)
        throw invalid([{ field: 'track_ids', message: 'a smart playlist takes rules, not tracks' }]);
      if (rules) assertRules(userId, rules);
      await assertThere(trackIds);
      const rest = db.transaction(
        (tx) => {
          const createdAt = now();
          const created = insertPlaylist(tx, {
            ownerId: userId,
            name,
            description,
            isPublic,
            rules: rules ? seeded(rules) : null,
            createdAt,
          });
          const playlist = getOwn(tx, userId, created);
          return changes.begin(userId, playlist, change, trackIds);
        },
        { behavior: 'immediate' },
      );
      await changes.finish(rest);
      return changed(userId, rest.id);
    },

    /** Changed rules make a new version; other fields do not. */
    update(userId: UserId, id: PlaylistId, { rules, expectedVersion, ...fields }: ListFields): PlaylistSummary {
      const wasPublic = db.transaction(
        (tx) => {
          const playlist = getOwn(tx, userId, id, expectedVersion);
          if (rules && playlist.rules === null)
            throw invalid([{ field: 'rules', message: 'an ordinary playlist has no rules; create a smart playlist' }]);
          if (rules) assertRules(userId, rules);
          const next = rules && seeded(rules);
          if (next) changes.note(userId, { ...playlist, rules: next }, 'rules');
          updatePlaylist(tx, id, { ...fields, ...(next && { rules: next }), updatedAt: now() });
          return playlist.isPublic;
        },
        { behavior: 'immediate' },
      );
      return changed(userId, id, wasPublic);
    },

    /** Can be undone. */
    delete(userId: UserId, id: PlaylistId): void {
      const playlist = db.transaction(
        (tx) => {
          const own = getOwn(tx, userId, id);
          const deletedAt = now();
          updatePlaylist(tx, id, { deletedAt, updatedAt: deletedAt });
          return { ...own, deletedAt };
        },
        { behavior: 'immediate' },
      );
      announce(playlist);
    },
    undelete(userId: UserId, id: PlaylistId): PlaylistSummary {
      db.transaction(
        (tx) => {
          if (!findDeleted(tx, userId, id)) throw notFound('deleted playlist', id);
          updatePlaylist(tx, id, { deletedAt: null, updatedAt: now() });
        },
        { behavior: 'immediate' },
      );
      return changed(userId, id);
    },
    /** Removes a deleted playlist with all its versions. */
    deleteForever(userId: UserId, id: PlaylistId): void {
      db.transaction(
        (tx) => {
          if (!findDeleted(tx, userId, id)) throw notFound('deleted playlist', id);
          deletePlaylist(tx, id);
        },
        { behavior: 'immediate' },
      );
    },

    async addTracks(userId: UserId, id: PlaylistId, added: Added): Promise<PlaylistSummary> {
      getOwn(db, userId, id, added.expectedVersion);
      await assertThere(added.trackIds);
      await changes.add(userId, id, added);
      return changed(userId, id);
    },
    async removeEntries(userId: UserId, id: PlaylistId, chosen: Chosen, expected?: Expected): Promise<PlaylistSummary> {
      await changes.remove(userId, id, chosen, expected);
      return changed(userId, id);
    },
    /** All entries of these tracks. Throws `not_found` for a track that is not in the list. */
    async removeTracks(
      userId: UserId,
      id: PlaylistId,
      trackIds: readonly TrackId[],
      expected?: Expected,
    ): Promise<PlaylistSummary> {
      assertOrdinary(getOwn(db, userId, id, expected?.expectedVersion));
      const entries = rows.entriesOf(id, trackIds);
      const listedIds = new Set(entries.map(({ trackId }) => trackId));
      const absent = trackIds.find((trackId) => !listedIds.has(trackId));
      if (absent !== undefined) throw notFound('track in the playlist', absent);
      return this.removeEntries(userId, id, { entryIds: entries.map((entry) => entry.id) }, expected);
    },
    async moveEntries(
      userId: UserId,
      id: PlaylistId,
      move: Expected & Chosen & { before: number | null },
    ): Promise<PlaylistSummary> {
      await changes.move(userId, id, move);
      return changed(userId, id);
    },
    async reorder(
      userId: UserId,
      id: PlaylistId,
      entryIds: readonly number[],
      expected?: Expected,
    ): Promise<PlaylistSummary> {
      await changes.reorder(userId, id, entryIds, expected);
      return changed(userId, id);
    },
    /** All tracks at once, in one version: what a phone sends when it saves a list. */
    async replaceTracks(
      userId: UserId,
      id: PlaylistId,
      trackIds: readonly TrackId[],
      expected?: Expected,
    ): Promise<PlaylistSummary> {
      getOwn(db, userId, id, expected?.expectedVersion);
      await assertThere(trackIds);
      await changes.replace(userId, id, trackIds, expected);
      return changed(userId, id);
    },
    /**
     * Fields, removals by index and additions at the end together, in one version: what a phone sends when it changes a
     * list.
     */
    async edit(userId: UserId, id: PlaylistId, edited: Omit<Edited, 'rules'>): Promise<PlaylistSummary> {
      const wasPublic = getReadable(db, userId, id).isPublic;
      await assertThere(edited.addTrackIds ?? []);
      await changes.edit(userId, id, edited);
      return changed(userId, id, wasPublic);
    },

    listVersions: versions.listVersions,
    versionEntries: versions.versionEntries,
    async restore(
      userId: UserId,
      id: PlaylistId,
      restored: Expected & { version: number },
    ): Promise<{ playlist: PlaylistSummary; missing: MissingTrack[] }> {
      const missing = await versions.restore(userId, id, restored);
      return { playlist: changed(userId, id), missing };
    },
  };
}
