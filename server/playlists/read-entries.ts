// Reads entries of ordinary and smart playlists, in one shape. A smart playlist is evaluated for its owner; the tracks'
// likes and plays are those of the requesting user.
import { MAX_ID, type TrackId, type UserId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import { seededOrder } from '../library/lists/seeded-order.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { inSlices, partsOf, waitForTurn } from '../runtime/time-slices.ts';
import type { EntryRows } from './entry-rows.ts';
import type { PlaylistSummary } from './queries.ts';
import type { SmartLists } from './smart.ts';

/** An entry; `position` is its index from 0. In a smart playlist, the entry id is the track id. */
export interface Entry {
  id: number;
  position: number;
  addedAt: Date;
  track: TrackSummary;
}

/** A page of the list, or of its random order with this seed. */
export interface EntryPage extends Page {
  seed?: number | undefined;
  /** Words in the names of the tracks; entries of other tracks are left out. */
  q?: string | undefined;
}

interface ListedTrack {
  id: number;
  trackId: TrackId;
  addedAt?: number;
}
/** An entry and its index in the whole list. */
interface PlacedTrack extends ListedTrack {
  index: number;
}

/** The number of entries that are read at a time. */
const ENTRIES_PER_READ = 300;
/** The number of tracks read before yielding to requests: 1 ms, and a text of 40 KB (see http/streamed-lists.ts). */
const TRACKS_PER_YIELD = 30;
/** The number of random orders kept for their next pages, four bytes per entry. */
const MAX_CACHED_ORDERS = 2;

export function createEntryReader({
  library,
  rows,
  smart,
}: {
  library: Pick<LibraryService, 'tracksById' | 'listIds'>;
  rows: EntryRows;
  smart: SmartLists;
}) {
  let cachedOrders: { key: string; ids: Promise<Int32Array> }[] = [];

  /**
   * Returns all entry ids in the random order. The place of each id depends only on the id and the seed, so the others
   * keep their order when one is removed.
   */
  function shuffledIds({ id, version }: PlaylistSummary, seed: number): Promise<Int32Array> {
    const key = `${id} ${version} ${seed}`;
    const cachedOrder = cachedOrders.find((order) => order.key === key);
    if (cachedOrder) return cachedOrder.ids;
    const newOrder = { key, ids: inRandomOrder(Int32Array.from(rows.ids(id)), seed) };
    cachedOrders = [newOrder, ...cachedOrders].slice(0, MAX_CACHED_ORDERS);
    newOrder.ids.catch(() => {
      cachedOrders = cachedOrders.filter((order) => order !== newOrder);
    });
    return newOrder.ids;
  }

  async function entries(userId: UserId, playlist: PlaylistSummary, page: EntryPage): Promise<Paged<Entry>> {
    const { items, total } = await (page.q ? findMatches(userId, playlist, page, page.q) : findPage(playlist, page));
    return { items: withTracks(userId, items), total };
  }

  async function findPage(playlist: PlaylistSummary, { seed, ...page }: EntryPage): Promise<Paged<PlacedTrack>> {
    const { id, rules, trackCount: total } = playlist;
    if (rules === null && seed === undefined) return { items: placed(rows.page(id, page), page.offset), total };
    const ids = await allIds(playlist, seed);
    const pageIds = Array.from(ids.subarray(page.offset, page.offset + page.limit));
    return { items: placed(tracksOf(playlist, pageIds), page.offset), total: ids.length };
  }

  /** Returns the ids of all entries, in the order of the list or in a random order. */
  async function allIds(playlist: PlaylistSummary, seed: number | undefined): Promise<Int32Array> {
    if (playlist.rules === null)
      return seed === undefined ? Int32Array.from(rows.ids(playlist.id)) : shuffledIds(playlist, seed);
    const { ids } = await smart.find(playlist.ownerId, playlist.rules);
    return seed === undefined ? ids : inRandomOrder(ids, seed);
  }

  const tracksOf = ({ id, rules }: PlaylistSummary, entryIds: readonly number[]): ListedTrack[] =>
    rules === null
      ? rows.listSelected(id, entryIds)
      : entryIds.map((entryId) => ({ id: entryId, trackId: entryId as TrackId }));

  /** Finds the entries whose tracks match the words, with their indexes in the whole list. */
  async function findMatches(
    userId: UserId,
    playlist: PlaylistSummary,
    { seed, limit, offset }: EntryPage,
    q: string,
  ): Promise<Paged<PlacedTrack>> {
    const everything = { limit: MAX_ID, offset: 0 };
    const { ids } = await library.listIds.track(userId, { q }, { sort: 'title', order: 'asc' }, everything);
    const matchingIds = new Set<number>(ids);
    const matches = placed(tracksOf(playlist, Array.from(await allIds(playlist, seed))), 0).filter(({ trackId }) =>
      matchingIds.has(trackId),
    );
    return { items: matches.slice(offset, offset + limit), total: matches.length };
  }

  const placed = (tracks: readonly ListedTrack[], firstIndex: number): PlacedTrack[] =>
    tracks.map((track, n) => ({ ...track, index: firstIndex + n }));

  function withTracks(userId: UserId, listedTracks: readonly PlacedTrack[]): Entry[] {
    const tracks = new Map(
      library
        .tracksById(userId, [...new Set(listedTracks.map(({ trackId }) => trackId))])
        .map((track) => [track.id, track]),
    );
    return listedTracks.flatMap(({ id, trackId, addedAt, index }) => {
      const track = tracks.get(trackId);
      return track
        ? [{ id, position: index, addedAt: addedAt === undefined ? track.createdAt : new Date(addedAt), track }]
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

    /** Yields all entries in chunks, so that a long list does not block other requests. */
    async *allEntries(userId: UserId, playlist: PlaylistSummary): AsyncGenerator<Entry[]> {
      for (let [offset, total] = [0, 1]; offset < total; offset += ENTRIES_PER_READ) {
        const listedPage = await findPage(playlist, { limit: ENTRIES_PER_READ, offset });
        ({ total } = listedPage);
        for (const chunk of partsOf(listedPage.items, TRACKS_PER_YIELD)) {
          const items = withTracks(userId, chunk);
          if (items.length > 0) yield items;
          await waitForTurn();
        }
      }
    },
  };
}

/** Sorts in slices: a list may have hundreds of thousands of entries. */
async function inRandomOrder(ids: Int32Array, seed: number): Promise<Int32Array> {
  const highestId = ids.reduce((maxId, id) => Math.max(maxId, id), 0);
  const { placeOf, idAt } = seededOrder(seed, highestId);
  const places = new Float64Array(ids.length);
  await inSlices(ids.keys(), (index) => (places[index] = placeOf(ids[index] ?? 0)));
  places.sort();
  const sortedIds = new Int32Array(ids.length);
  await inSlices(places.keys(), (index) => (sortedIds[index] = idAt(places[index] ?? 0)));
  return sortedIds;
}
