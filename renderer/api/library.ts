// Albums, artists, tracks and genres. Query keys begin with `library`, so one event makes all of them stale.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AlbumCharsetOut, ChosenCharsetOut, TrackOut } from './routes.ts';
import { request, type Input } from './client.ts';
import { PAGE_SIZE } from './pages-ahead.ts';

export type SortOrder = 'asc' | 'desc';

/** The query parameters of a list, without those of the page. */
type FilterOf<R extends 'GET /albums' | 'GET /artists' | 'GET /tracks'> = Omit<
  NonNullable<Input<R>['query']>,
  'limit' | 'offset'
>;
type AlbumFilter = FilterOf<'GET /albums'>;
type ArtistFilter = FilterOf<'GET /artists'>;
export type TrackFilter = FilterOf<'GET /tracks'>;

export interface Paged<T> {
  items: T[];
  total: number;
  limit: number;
  offset: number;
}
export interface PageAt {
  limit: number;
  offset: number;
}

export const LIBRARY = 'library';

/**
 * Returns the query of one page of a list. Events make all queries of a `root` stale; `path` and `filter` distinguish
 * the lists of a root.
 */
export const pageQuery = <T>(
  [root, path, filter, page]: readonly [root: string, path: string, filter: object, at: PageAt],
  fetchPage: (signal: AbortSignal) => Promise<Paged<T>>,
) =>
  queryOptions({
    queryKey: [root, path, filter, page] as const,
    queryFn: ({ signal }) => fetchPage(signal),
  });
export type PageOptions<T> = ReturnType<typeof pageQuery<T>>;

export const albumPage = (filter: AlbumFilter, page: PageAt) =>
  pageQuery([LIBRARY, '/albums', filter, page], (signal) =>
    request('GET /albums', { query: { ...filter, ...page }, signal }),
  );
export const artistPage = (filter: ArtistFilter, page: PageAt) =>
  pageQuery([LIBRARY, '/artists', filter, page], (signal) =>
    request('GET /artists', { query: { ...filter, ...page }, signal }),
  );
export const trackPage = (filter: TrackFilter, page: PageAt) =>
  pageQuery([LIBRARY, '/tracks', filter, page], (signal) =>
    request('GET /tracks', { query: { ...filter, ...page }, signal }),
  );

export const albumQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}`] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}', { path: { id }, signal }),
  });
export const albumCharsetQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/charset`] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/charset', { path: { id }, signal }),
  });
export const chooseCharset = (id: number, charset: AlbumCharsetOut['charsets'][number]): Promise<ChosenCharsetOut> =>
  request('PUT /albums/{id}/charset', { path: { id }, body: { charset } });
export const artistQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/artists/${id}`] as const,
    queryFn: ({ signal }) => request('GET /artists/{id}', { path: { id }, signal }),
  });
export const genresQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/genres'] as const,
    queryFn: ({ signal }) => request('GET /genres', { signal }),
  });

/** A list of tracks that match a filter, or of a playlist's entries. */
type TracksQuery = TrackFilter | { playlist: number; q?: string; seed?: string | number };

/** Fetches rows of a list of tracks, at most PAGE_SIZE. */
export async function fetchTracks(query: object, rows: PageAt): Promise<{ items: TrackOut[]; total: number }> {
  const tracksQuery = query as TracksQuery; // the player stores the query without knowing its type
  if (!('playlist' in tracksQuery)) return request('GET /tracks', { query: { ...tracksQuery, ...rows } });
  const { playlist: id, ...order } = tracksQuery;
  const { items, total } = await request('GET /playlists/{id}/tracks', { path: { id }, query: { ...order, ...rows } });
  return { items: items.map(({ track }) => track), total };
}

/** Fetches all pages of a list; even one box set can have several. */
export async function fetchAll<T>(fetchPage: (rows: PageAt) => Promise<{ items: T[]; total: number }>): Promise<T[]> {
  const allItems: T[] = [];
  for (;;) {
    const { items, total } = await fetchPage({ limit: PAGE_SIZE, offset: allItems.length });
    allItems.push(...items);
    if (items.length === 0 || allItems.length >= total) return allItems;
  }
}

export const fetchAlbumTracks = (id: number, query: { best_only?: boolean } = {}, signal?: AbortSignal) =>
  fetchAll((rows) => request('GET /albums/{id}/tracks', { path: { id }, query: { ...query, ...rows }, signal }));
export const fetchArtistTracks = (id: number, signal?: AbortSignal) =>
  fetchAll((rows) => request('GET /artists/{id}/tracks', { path: { id }, query: rows, signal }));
export const fetchFilteredTracks = (filter: TrackFilter) =>
  fetchAll((rows) => request('GET /tracks', { query: { ...filter, ...rows } }));

const albumTracks = (id: number, query: { best_only?: boolean }) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/tracks`, 'all', query] as const,
    queryFn: ({ signal }) => fetchAlbumTracks(id, query, signal),
  });
/** Returns the query of the tracks that the album plays: only the best file of each recording. */
export const albumTracksQuery = (id: number) => albumTracks(id, { best_only: true });
export const albumFilesQuery = (id: number) => albumTracks(id, {});
/** What the last scan did not use of the file, in sentences. */
export const fileNotesQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/file-notes`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/file-notes', { path: { id }, signal }),
  });
export const trackVersionsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/versions`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/versions', { path: { id }, signal }),
  });
export const artistTracksQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/artists/${id}/tracks`, 'all'] as const,
    queryFn: ({ signal }) => fetchArtistTracks(id, signal),
  });
export const albumContradictionsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/contradictions`] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/contradictions', { path: { id }, signal }),
  });
export const albumEditionsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/editions`] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/editions', { path: { id }, signal }),
  });
export const artistAlbumsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/artists/${id}/albums`] as const,
    queryFn: ({ signal }) => request('GET /artists/{id}/albums', { path: { id }, query: { limit: PAGE_SIZE }, signal }),
  });

export const folderSearchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [LIBRARY, 'search', 'folders', q, limit] as const,
    queryFn: ({ signal }) => request('GET /search/folders', { query: { q, limit }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });

/** Returns the query of tracks with these words in their lyrics. */
export const lyricsSearchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [LIBRARY, 'search', 'lyrics', q, limit] as const,
    queryFn: ({ signal }) => request('GET /lyrics/search', { query: { q, limit }, signal }),
    placeholderData: keepPreviousData,
  });

/** Returns the query of a search, with up to `limit` results of each kind. */
export const librarySearchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [LIBRARY, 'search', q, limit] as const,
    queryFn: ({ signal }) => request('GET /search/library', { query: { q, limit }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
