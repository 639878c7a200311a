// Entries of ordinary and smart playlists, in one shape. A smart playlist is evaluated for its owner; the tracks' likes
// and plays are those of the requesting user.
import type { UserId } from '../db/ids.ts';
import type { TrackId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { turn } from '../runtime/turns.ts';
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

/** Tracks read before yielding to requests. */
const AT_ONCE = 200;

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
    if (playlist.rules === null) {
      const found = rows
        .page(playlist.id, page)
        .map(({ id, trackId, addedAt }) => ({ id, trackId, addedAt: new Date(addedAt) }));
      return { items: withTracks(userId, found, page.offset), total: playlist.trackCount };
    }
    const { ids } = await smart.find(playlist.ownerId, playlist.rules);
    const found = Array.from(ids.subarray(page.offset, page.offset + page.limit), (id) => ({
      id,
      trackId: id as TrackId,
      addedAt: undefined,
    }));
    return { items: withTracks(userId, found, page.offset), total: ids.length };
  }

  function withTracks(
    userId: UserId,
    found: readonly { id: number; trackId: TrackId; addedAt: Date | undefined }[],
    offset: number,
  ): Entry[] {
    const tracks = new Map(
      library.tracksById(userId, [...new Set(found.map(({ trackId }) => trackId))]).map((track) => [track.id, track]),
    );
    return found.flatMap(({ id, trackId, addedAt }, n) => {
      const track = tracks.get(trackId);
      return track ? [{ id, position: offset + n, addedAt: addedAt ?? track.createdAt, track }] : [];
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
      for (let offset = 0; ; offset += AT_ONCE) {
        const { items, total } = await entries(userId, playlist, { limit: AT_ONCE, offset });
        if (items.length > 0) yield items;
        if (offset + AT_ONCE >= total) return;
        await turn();
      }
    },
  };
}
