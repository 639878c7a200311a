// Entries of ordinary and smart playlists, in one shape. A smart playlist is evaluated for its owner; the tracks' likes
// and plays are those of the requesting user.
import type { UserId } from '../db/ids.ts';
import type { TrackId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { partsOf, turn } from '../runtime/turns.ts';
import type { EntryRows } from './entry-rows.ts';
import type { PlaylistSummary } from './queries.ts';
import type { SmartLists } from './smart.ts';

/** `position` is the index from 0. In a smart playlist, the entry id is the track id. */
export interface Entry {
  id: number;
  position: number;
  addedAt: Date;
  track: TrackSummary;
}

interface Found {
  id: number;
  trackId: TrackId;
  addedAt?: number;
}

/** Entries that are read at once: later ones are found by counting, and more would be kept longer than needed. */
const ENTRIES = 300;
/** Tracks read before yielding to requests: 1 ms, and a text of 40 KB (see http/pieces.ts). */
const TRACKS = 30;

export type EntryReader = ReturnType<typeof createEntryReader>;

export function createEntryReader({
  library,
  rows,
  smart,
}: {
  library: Pick<LibraryService, 'tracksById'>;
  rows: EntryRows;
  smart: SmartLists;
}) {
  async function entries(userId: UserId, playlist: PlaylistSummary, page: Page): Promise<Paged<Entry>> {
    const { items, total } = await find(playlist, page);
    return { items: withTracks(userId, items, page.offset), total };
  }

  async function find(playlist: PlaylistSummary, page: Page): Promise<Paged<Found>> {
    if (playlist.rules === null) return { items: rows.page(playlist.id, page), total: playlist.trackCount };
    const { ids } = await smart.find(playlist.ownerId, playlist.rules);
    const items = Array.from(ids.subarray(page.offset, page.offset + page.limit), (id) => ({
      id,
      trackId: id as TrackId,
    }));
    return { items, total: ids.length };
  }

  function withTracks(userId: UserId, found: readonly Found[], offset: number): Entry[] {
    const tracks = new Map(
      library.tracksById(userId, [...new Set(found.map(({ trackId }) => trackId))]).map((track) => [track.id, track]),
    );
    return found.flatMap(({ id, trackId, addedAt }, n) => {
      const track = tracks.get(trackId);
      return track
        ? [{ id, position: offset + n, addedAt: addedAt === undefined ? track.createdAt : new Date(addedAt), track }]
        : [];
    });
  }

  return {
    entries,

    /** Fills in the current track count and duration of a smart playlist. */
    async withTotals(playlist: PlaylistSummary): Promise<PlaylistSummary> {
      if (playlist.rules === null) return playlist;
      const { ids, durationMs } = await smart.find(playlist.ownerId, playlist.rules);
      return { ...playlist, trackCount: ids.length, durationMs };
    },

    /** All entries in chunks, so that a long list does not block other requests. */
    async *allEntries(userId: UserId, playlist: PlaylistSummary): AsyncGenerator<Entry[]> {
      for (let [offset, total] = [0, 1]; offset < total; offset += ENTRIES) {
        const found = await find(playlist, { limit: ENTRIES, offset });
        ({ total } = found);
        let at = offset;
        for (const part of partsOf(found.items, TRACKS)) {
          const items = withTracks(userId, part, at);
          at += part.length;
          if (items.length > 0) yield items;
          await turn();
        }
      }
    },
  };
}
