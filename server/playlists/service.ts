// Playlists as the doors see them. Changes are plain functions and give the playlist as it is after them; reading one
// may take a moment, since a smart playlist is worked out. Whoever may not read a playlist does not find it.
import { randomInt } from 'node:crypto';
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import { invalid, notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import { getOwn, getReadable } from './access.ts';
import { createChanges, type Added, type Edited, type Expected } from './changes.ts';
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
import { createEntryReader, type Entry } from './read-entries.ts';
import { membersOf, playlistsIn, type Rules } from './rules.ts';
import type { SmartLists } from './smart.ts';
import type { SongMatcher } from './song-match.ts';
import { createVersions, type MissingTrack } from './versions.ts';
import { playlistEvent } from './wire.ts';

export interface PlaylistDeps {
  db: MainDb;
  now: () => Date;
  library: Pick<LibraryService, 'tracksById'>;
  smart: SmartLists;
  songs: SongMatcher;
  events: Pick<EventHub, 'publish'>;
}

export interface NewList {
  name: string;
  description?: string | null;
  isPublic?: boolean;
  trackIds?: readonly TrackId[];
  rules?: Rules | undefined;
}
export interface ListFields extends Expected {
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

  /** Other windows read the list again; those of other people only when they may, or could until now. */
  function announce({ id, version, isPublic, ownerId, deletedAt }: PlaylistSummary, wasPublic = isPublic): void {
    events.publish(
      playlistEvent,
      { id, version, deleted: deletedAt !== null },
      isPublic || wasPublic ? {} : { audience: { userId: ownerId } },
    );
  }

  /** After a change: as it is now. */
  function changed(userId: UserId, id: PlaylistId, wasPublic?: boolean): PlaylistSummary {
    const playlist = getReadable(db, userId, id);
    announce(playlist, wasPublic);
    return playlist;
  }

  /** A list of rules that asks for another such list could end up asking for itself. */
  function assertRules(userId: UserId, rules: Rules): void {
    const ids = [...new Set(playlistsIn(membersOf(rules)))] as PlaylistId[];
    const usable = new Set(listOrdinary(db, userId, ids));
    const refused = ids.find((id) => !usable.has(id));
    if (refused !== undefined)
      throw invalid([{ field: 'rules', message: `playlist ${refused} is not there, or is a smart playlist itself` }]);
  }

  /** A random order stays the same until its seed is changed. */
  const seeded = (rules: Rules): Rules =>
    rules.sort?.some(({ field }) => field === 'random') && rules.seed === undefined
      ? { ...rules, seed: randomInt(2 ** 32) }
      : rules;

  return {
    /** Own and public ones by name, or the user's deleted ones. Smart ones with their totals. */
    async list(userId: UserId, page: Page, { deleted = false } = {}): Promise<Paged<PlaylistSummary>> {
      const { items, total } = deleted ? listDeleted(db, userId, page) : listReadable(db, userId, page);
      return { items: await Promise.all(items.map(reading.withTotals)), total };
    },
    get: (userId: UserId, id: PlaylistId): Promise<PlaylistSummary> => reading.withTotals(getReadable(db, userId, id)),
    withTotals: reading.withTotals,
    entries: (userId: UserId, id: PlaylistId, page: Page): Promise<Paged<Entry>> =>
      reading.entries(userId, getReadable(db, userId, id), page),
    /** In parts, for lists of any length. */
    allEntries: (userId: UserId, playlist: PlaylistSummary): AsyncGenerator<Entry[]> =>
      reading.allEntries(userId, playlist),

    /** Which of the tracks are in the list. */
    async contained(userId: UserId, id: PlaylistId, trackIds: readonly TrackId[]): Promise<TrackId[]> {
      const playlist = getReadable(db, userId, id);
      if (playlist.rules === null) return [...rows.knownTracks(id, trackIds)];
      const { ids } = await smart.find(playlist.ownerId, playlist.rules);
      const all = new Set<number>(ids);
      return trackIds.filter((trackId) => all.has(trackId));
    },

    /** What rules find, before they are saved. */
    async preview(userId: UserId, rules: Rules, limit: number) {
      assertRules(userId, rules);
      const { ids, durationMs } = await smart.find(userId, rules);
      return {
        trackCount: ids.length,
        durationMs,
        tracks: library.tracksById(userId, Array.from(ids.subarray(0, limit))),
      };
    },

    create(
      userId: UserId,
      { name, description = null, isPublic = false, trackIds = [], rules }: NewList,
      change: 'create' | 'import' = 'create',
    ): PlaylistSummary {
      if (rules && trackIds.length > 0)
        throw invalid([{ field: 'track_ids', message: 'a smart playlist finds its tracks by its rules' }]);
      if (rules) assertRules(userId, rules);
      const id = db.transaction(
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
          changes.begin(userId, playlist, change, trackIds);
          return created;
        },
        { behavior: 'immediate' },
      );
      return changed(userId, id);
    },

    /** Other rules make a new version; the other fields do not. */
    update(userId: UserId, id: PlaylistId, { rules, expectedVersion, ...fields }: ListFields): PlaylistSummary {
      const wasPublic = db.transaction(
        (tx) => {
          const playlist = getOwn(tx, userId, id, expectedVersion);
          if (rules && playlist.rules === null)
            throw invalid([{ field: 'rules', message: 'this is an ordinary playlist; make a new one with rules' }]);
          if (rules) assertRules(userId, rules);
          const next = rules && seeded(rules);
          updatePlaylist(tx, id, { ...fields, ...(next && { rules: next }), updatedAt: now() });
          if (next) changes.note(userId, { ...playlist, rules: next }, 'rules');
          return playlist.isPublic;
        },
        { behavior: 'immediate' },
      );
      return changed(userId, id, wasPublic);
    },

    /** It can be brought back. */
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
    /** Of a deleted one: now it is gone, with all its versions. */
    deleteForever(userId: UserId, id: PlaylistId): void {
      db.transaction(
        (tx) => {
          if (!findDeleted(tx, userId, id)) throw notFound('deleted playlist', id);
          deletePlaylist(tx, id);
        },
        { behavior: 'immediate' },
      );
    },

    addTracks: (userId: UserId, id: PlaylistId, added: Added): PlaylistSummary => (
      changes.add(userId, id, added),
      changed(userId, id)
    ),
    removeEntries: (
      userId: UserId,
      id: PlaylistId,
      entryIds: readonly number[],
      expected?: Expected,
    ): PlaylistSummary => (changes.remove(userId, id, entryIds, expected), changed(userId, id)),
    moveEntries: (
      userId: UserId,
      id: PlaylistId,
      move: Expected & { entryIds: readonly number[]; before: number | null },
    ): PlaylistSummary => (changes.move(userId, id, move), changed(userId, id)),
    reorder: (userId: UserId, id: PlaylistId, entryIds: readonly number[], expected?: Expected): PlaylistSummary => (
      changes.reorder(userId, id, entryIds, expected),
      changed(userId, id)
    ),
    /** All tracks at once, in one version: what a phone sends when it saves a list. */
    replaceTracks: (
      userId: UserId,
      id: PlaylistId,
      trackIds: readonly TrackId[],
      expected?: Expected,
    ): PlaylistSummary => (changes.replace(userId, id, trackIds, expected), changed(userId, id)),
    /**
     * Fields, removals by index and additions at the end together, in one version: what a phone sends when it changes a
     * list.
     */
    edit(userId: UserId, id: PlaylistId, edited: Omit<Edited, 'rules'>): PlaylistSummary {
      const wasPublic = getReadable(db, userId, id).isPublic;
      changes.edit(userId, id, edited);
      return changed(userId, id, wasPublic);
    },

    listVersions: versions.listVersions,
    versionEntries: versions.versionEntries,
    restore(
      userId: UserId,
      id: PlaylistId,
      restored: Expected & { version: number },
    ): { playlist: PlaylistSummary; missing: MissingTrack[] } {
      const missing = versions.restore(userId, id, restored);
      return { playlist: changed(userId, id), missing };
    },
  };
}
