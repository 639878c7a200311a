// Albums, artists, tracks and genres. Keys begin with `library`, so one event makes all of them stale.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AlbumCharsetOut, ChosenCharsetOut } from '../../server/enrichment/charset-wire.ts';
import type { PlaylistEntryPage } from '../../server/playlists/wire.ts';
import type { FolderHits, LibrarySearchResponse } from '../../server/search/wire.ts';
import { type QueryValue, request } from './client.ts';
import { PAGE_SIZE } from './pages-ahead.ts';
import type {
  AlbumOut,
  AlbumPage,
  AlbumSort,
  ArtistOut,
  ArtistPage,
  ArtistSort,
  ContradictionOut,
  GenreOut,
  TrackOut,
  TrackPage,
  TrackSort,
} from '../../server/library/wire.ts';

export type SortOrder = 'asc' | 'desc';

interface LibraryFilter {
  q?: string | undefined;
  format?: string | undefined;
  genre?: string | undefined;
  year_from?: number | undefined;
  year_to?: number | undefined;
  liked?: boolean | undefined;
  order?: SortOrder | undefined;
  /** Fixes the order of sort=random across pages. */
  seed?: number | undefined;
}
interface AlbumFilter extends LibraryFilter {
  artist_id?: number;
  /** True: only albums without a name; false: only others. */
  unnamed?: boolean;
  sort?: AlbumSort | undefined;
}
interface ArtistFilter extends LibraryFilter {
  sort?: ArtistSort | undefined;
}
export interface TrackFilter extends LibraryFilter {
  artist_id?: number;
  album_id?: number;
  availability?: TrackOut['availability'];
  /** A folder on disk; with `below` false, without the folders in it. */
  folder?: string;
  below?: boolean;
  sort?: TrackSort | undefined;
}

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

export type PageOptions<T> = ReturnType<typeof pageQuery<T>>;

/** One page of a list; events invalidate by `root`. */
export const pageQuery = <T>(root: string, path: string, filter: object, at: PageAt) =>
  queryOptions({
    queryKey: [root, path, filter, at] as const,
    queryFn: ({ signal }) =>
      request<Paged<T>>(path, { query: { ...(filter as Record<string, QueryValue>), ...at }, signal }),
  });

const page = <T>(path: string, filter: object, at: PageAt) => pageQuery<T>(LIBRARY, path, filter, at);

export const albumPage = (filter: AlbumFilter, at: PageAt) => page<AlbumPage['items'][number]>('/albums', filter, at);
export const artistPage = (filter: ArtistFilter, at: PageAt) =>
  page<ArtistPage['items'][number]>('/artists', filter, at);
export const trackPage = (filter: TrackFilter, at: PageAt) => page<TrackPage['items'][number]>('/tracks', filter, at);

const libraryQuery = <T>(path: string) =>
  queryOptions({ queryKey: [LIBRARY, path] as const, queryFn: ({ signal }) => request<T>(path, { signal }) });

export const albumQuery = (id: number) => libraryQuery<AlbumOut>(`/albums/${id}`);
export const albumCharsetQuery = (id: number) => libraryQuery<AlbumCharsetOut>(`/albums/${id}/charset`);
export const chooseCharset = (id: number, charset: AlbumCharsetOut['charsets'][number]): Promise<ChosenCharsetOut> =>
  request<ChosenCharsetOut>(`/albums/${id}/charset`, { method: 'PUT', body: { charset } });
export const artistQuery = (id: number) => libraryQuery<ArtistOut>(`/artists/${id}`);
export const genresQuery = () => libraryQuery<GenreOut[]>('/genres');

/** Rows of a list of tracks, at most PAGE_SIZE. */
export async function fetchTracks(query: object, rows: PageAt): Promise<Pick<TrackPage, 'items' | 'total'>> {
  const { playlist, seed, ...others } = query as Record<string, QueryValue>;
  if (playlist === undefined) return request<TrackPage>('/tracks', { query: { ...others, seed, ...rows } });
  const path = `/playlists/${String(playlist)}/tracks`;
  const { items, total } = await request<PlaylistEntryPage>(path, { query: { seed, ...rows } });
  return { items: items.map(({ track }) => track), total };
}

/** All tracks of an album or artist; a box set can have more than one page. */
export async function fetchAllTracks(
  path: string,
  signal?: AbortSignal,
  filter: TrackFilter & { best_only?: boolean } = {},
): Promise<TrackOut[]> {
  const tracks: TrackOut[] = [];
  for (;;) {
    const { items, total } = await request<TrackPage>(path, {
      query: { ...filter, limit: PAGE_SIZE, offset: tracks.length },
      signal,
    });
    tracks.push(...items);
    if (items.length === 0 || tracks.length >= total) return tracks;
  }
}

const allTracks = (path: string, filter: TrackFilter & { best_only?: boolean } = {}) =>
  queryOptions({
    queryKey: [LIBRARY, path, 'all', filter] as const,
    queryFn: ({ signal }) => fetchAllTracks(path, signal, filter),
  });
/** What the album plays: of a recording that it has several files of only the best one. */
export const albumTracksQuery = (id: number) => allTracks(`/albums/${id}/tracks`, { best_only: true });
export const albumFilesQuery = (id: number) => allTracks(`/albums/${id}/tracks`);
export const trackVersionsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/versions`] as const,
    queryFn: ({ signal }) => request<TrackOut[]>(`/tracks/${id}/versions`, { signal }),
  });
export const artistTracksQuery = (id: number) => allTracks(`/artists/${id}/tracks`);
export const albumContradictionsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/contradictions`] as const,
    queryFn: ({ signal }) => request<ContradictionOut[]>(`/albums/${id}/contradictions`, { signal }),
  });
export const albumEditionsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/editions`] as const,
    queryFn: ({ signal }) => request<AlbumOut[]>(`/albums/${id}/editions`, { signal }),
  });
export const artistAlbumsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/artists/${id}/albums`] as const,
    queryFn: ({ signal }) => request<AlbumPage>(`/artists/${id}/albums`, { query: { limit: PAGE_SIZE }, signal }),
  });

export const folderSearchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [LIBRARY, 'search', 'folders', q, limit] as const,
    queryFn: ({ signal }) => request<FolderHits>('/search/folders', { query: { q, limit }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });

/** `limit` results of each kind. */
export const librarySearchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [LIBRARY, 'search', q, limit] as const,
    queryFn: ({ signal }) => request<LibrarySearchResponse>('/search/library', { query: { q, limit }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
