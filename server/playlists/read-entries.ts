// Entries of ordinary and smart playlists, in one shape. A smart playlist is evaluated for its owner; the tracks' likes
// and plays are those of the requesting user.
import type { TrackId, UserId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import { seededOrder } from '../library/seeded-order.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { inSlices, partsOf, turn } from '../runtime/time-slices.ts';
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

/** With a seed: of the random order that it stands for. */
export interface EntryPage extends Page {
  seed?: number | undefined;
}

interface Found {
  id: number;
  trackId: TrackId;
  addedAt?: number;
}

/** Entries that are read at once: later ones are found by counting, and more would be kept longer than needed. */
const ENTRIES = 300;
/** Tracks read before yielding to requests: 1 ms, and a text of 40 KB (see http/streamed-lists.ts). */
const TRACKS = 30;
/** Random orders kept for their next pages, four bytes per entry. */
const KEEP = 2;

export function createEntryReader({
  library,
  rows,
  smart,
}: {
  library: Pick<LibraryService, 'tracksById'>;
  rows: EntryRows;
  smart: SmartLists;
}) {
  let kept: { key: string; ids: Promise<Int32Array> }[] = [];

  /** The ids of all entries in the random order; each has its own place, so the others stay when one is removed. */
  function shuffled({ id, version }: PlaylistSummary, seed: number): Promise<Int32Array> {
    const key = `${id} ${version} ${seed}`;
    const known = kept.find((one) => one.key === key);
    if (known) return known.ids;
    const made = { key, ids: inRandomOrder(Int32Array.from(rows.ids(id)), seed) };
    kept = [made, ...kept].slice(0, KEEP);
    made.ids.catch(() => {
      kept = kept.filter((one) => one !== made);
    });
    return made.ids;
  }

  async function entries(userId: UserId, playlist: PlaylistSummary, page: EntryPage): Promise<Paged<Entry>> {
    const { items, total } = await find(playlist, page);
    return { items: withTracks(userId, items, page.offset), total };
  }

  async function find(playlist: PlaylistSummary, { seed, ...page }: EntryPage): Promise<Paged<Found>> {
    const part = (ids: Int32Array): number[] => Array.from(ids.subarray(page.offset, page.offset + page.limit));
    if (playlist.rules === null) {
      const { id, trackCount: total } = playlist;
      if (seed === undefined) return { items: rows.page(id, page), total };
      return { items: rows.some(id, part(await shuffled(playlist, seed))), total };
    }
    const { ids } = await smart.find(playlist.ownerId, playlist.rules);
    const some = part(seed === undefined ? ids : await inRandomOrder(ids, seed));
    return { items: some.map((id) => ({ id, trackId: id as TrackId })), total: ids.length };
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

/** In slices: a list may have hundreds of thousands of entries. */
async function inRandomOrder(ids: Int32Array, seed: number): Promise<Int32Array> {
  const highest = ids.reduce((most, id) => Math.max(most, id), 0);
  const { placeOf, idAt } = seededOrder(seed, highest);
  const places = new Float64Array(ids.length);
  await inSlices(ids.keys(), (at) => (places[at] = placeOf(ids[at] ?? 0)));
  places.sort();
  const sorted = new Int32Array(ids.length);
  await inSlices(places.keys(), (at) => (sorted[at] = idAt(places[at] ?? 0)));
  return sorted;
}
