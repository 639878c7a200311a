// Playlists. Query keys begin with `playlists`; an event makes a playlist stale. Entries are loaded in pages, and
// changes of their order are displayed optimistically.
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { VersionEntryOut } from '../../server/playlists/wire.ts';
import type { PlaylistCreate, PlaylistEntryOut, PlaylistOut, PlaylistUpdate, SmartFieldsOut } from './routes.ts';
import type { z } from 'zod';
import { request } from './client.ts';
import { movedEntries, withoutEntries } from './playlist-order.ts';
import { pageQuery, type Paged, type PageAt } from './library.ts';
import { PAGE_SIZE } from './pages-ahead.ts';
import { downloadUrl } from './url-tokens.ts';

const PLAYLISTS = 'playlists';
const BARE = { entries: false };
/** Key of optimistic changes. While one of them is pending, responses are older than the displayed entries. */
const CHANGING = { mutationKey: ['playlist-entries'] };
/** More tracks are added in several requests; the server's limit is 100,000. */
export const MAX_ADDED_TRACKS = 10_000;
const MAX_ASKED_TRACKS = 1_000;

export type SmartFields = SmartFieldsOut;
export type VersionEntry = z.output<typeof VersionEntryOut>;
export type Rules = NonNullable<PlaylistCreate['rules']>;

const pathOf = (id: number) => `/playlists/${id}`;
const entriesPath = (id: number) => `${pathOf(id)}/tracks`;

export const playlistsQuery = () =>
  queryOptions({
    queryKey: [PLAYLISTS, 'list'] as const,
    queryFn: async ({ signal }) => {
      const allPlaylists: PlaylistOut[] = [];
      for (;;) {
        const { items, total } = await request('GET /playlists', {
          query: { limit: PAGE_SIZE, offset: allPlaylists.length },
          signal,
        });
        allPlaylists.push(...items);
        if (items.length === 0 || allPlaylists.length >= total) return allPlaylists;
      }
    },
  });
export const playlistQuery = (id: number) =>
  queryOptions({
    queryKey: [PLAYLISTS, pathOf(id)] as const,
    queryFn: ({ signal }) => request('GET /playlists/{id}', { path: { id }, query: BARE, signal }),
  });
export const entryPage = (id: number, page: PageAt) =>
  pageQuery([PLAYLISTS, entriesPath(id), {}, page], (signal) =>
    request('GET /playlists/{id}/tracks', { path: { id }, query: page, signal }),
  );
/** Returns the query of the entries whose tracks have these words in their names. */
export const matchingEntryPage = (id: number, q: string, page: PageAt) =>
  pageQuery([PLAYLISTS, `${entriesPath(id)}/matching`, { q }, page], (signal) =>
    request('GET /playlists/{id}/tracks', { path: { id }, query: { ...page, q }, signal }),
  );
export const versionsQuery = (id: number) =>
  queryOptions({
    queryKey: [PLAYLISTS, pathOf(id), 'versions'] as const,
    queryFn: ({ signal }) =>
      request('GET /playlists/{id}/versions', { path: { id }, query: { limit: PAGE_SIZE }, signal }),
  });
export const versionEntryPage = (id: number, version: number, page: PageAt) =>
  pageQuery([PLAYLISTS, `${pathOf(id)}/versions/${version}`, {}, page], (signal) =>
    request('GET /playlists/{id}/versions/{version}', { path: { id, version }, query: page, signal }),
  );
export const smartFieldsQuery = () =>
  queryOptions({
    queryKey: ['smart-fields'] as const,
    queryFn: ({ signal }) => request('GET /playlists/smart-fields', { signal }),
    staleTime: Infinity,
  });
export const previewQuery = (rules: Rules) =>
  queryOptions({
    queryKey: [PLAYLISTS, 'preview', rules] as const,
    queryFn: ({ signal }) => request('POST /playlists/preview', { body: { rules, limit: 8 }, signal }),
    retry: false,
    gcTime: 10_000,
  });

export const exportUrl = (id: number): Promise<string> => downloadUrl(`${pathOf(id)}/export.m3u8`);

/** Returns which of these tracks the playlist already contains. */
export async function containedIn(id: number, trackIds: readonly number[]): Promise<number[]> {
  const containedIds: number[] = [];
  for (let i = 0; i < trackIds.length; i += MAX_ASKED_TRACKS) {
    const track_id = trackIds.slice(i, i + MAX_ASKED_TRACKS);
    containedIds.push(...(await request('GET /playlists/{id}/contains', { path: { id }, query: { track_id } })));
  }
  return containedIds;
}

const refresh = (queries: QueryClient) => queries.invalidateQueries({ queryKey: [PLAYLISTS] });

/** Writes the response into the cache and refetches all other playlist queries. */
function took(queries: QueryClient, playlist: PlaylistOut): void {
  queries.setQueryData(playlistQuery(playlist.id).queryKey, playlist);
  void refresh(queries);
}

export function useCreatePlaylist() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: PlaylistCreate) => request('POST /playlists', { query: BARE, body }),
    onSuccess: (playlist) => took(queries, playlist),
  });
}

export function useUpdatePlaylist() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: PlaylistUpdate & { id: number }) =>
      request('PATCH /playlists/{id}', { path: { id }, query: BARE, body }),
    onSuccess: (playlist) => took(queries, playlist),
  });
}

export function useDeletePlaylist() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, back }: { id: number; back?: boolean }): Promise<void> => {
      if (back) await request('POST /playlists/{id}/undelete', { path: { id }, query: BARE });
      else await request('DELETE /playlists/{id}', { path: { id } });
    },
    onMutate: ({ id, back }) => {
      if (!back)
        queries.setQueryData(playlistsQuery().queryKey, (playlists) =>
          playlists?.filter((playlist) => playlist.id !== id),
        );
    },
    onSettled: () => refresh(queries),
  });
}

export function useAddTracks() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({
      id,
      trackIds,
      skipDuplicates = false,
      position,
    }: {
      id: number;
      trackIds: readonly number[];
      skipDuplicates?: boolean;
      position?: number;
    }) =>
      request('POST /playlists/{id}/tracks', {
        path: { id },
        query: BARE,
        body: {
          track_ids: [...trackIds],
          skip_duplicates: skipDuplicates,
          ...(position !== undefined && { position }),
        },
      }),
    // The count in the side bar changes at once; the response corrects it, also after an error.
    onMutate: ({ id, trackIds }) => {
      const count = (playlist: PlaylistOut): PlaylistOut =>
        playlist.id === id ? { ...playlist, track_count: playlist.track_count + trackIds.length } : playlist;
      queries.setQueryData(playlistsQuery().queryKey, (playlists) => playlists?.map(count));
    },
    onSuccess: (playlist) => queries.setQueryData(playlistQuery(playlist.id).queryKey, playlist),
    onSettled: () => refresh(queries),
  });
}

/** Restores the contents of a version. */
export function usePutBack() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: { id: number; version: number }) =>
      request('POST /playlists/{id}/restore', { path: { id }, query: BARE, body: { version } }),
    onSuccess: ({ playlist }) => took(queries, playlist),
  });
}

/** Lets a playlist follow its file in the music folder, or not. */
export function useFollowFile() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isFollowing }: { id: number; isFollowing: boolean }) =>
      isFollowing
        ? request('POST /playlists/{id}/follow-file', { path: { id } })
        : request('DELETE /playlists/{id}/follow-file', { path: { id } }),
    onSuccess: (playlist) => took(queries, playlist),
  });
}

/** The chosen entries (`ids`), or all entries except some (`allBut`), which need not be loaded. */
export type EntryChoice = { ids: number[] } | { allBut: number[] };
type Change = EntryChoice & ({ kind: 'move'; before: number | null } | { kind: 'remove' });

/**
 * Moves or removes entries. The change is displayed at once, and reverted if the server rejects it, as it does after a
 * concurrent change.
 */
export function useChangeEntries(id: number) {
  const queries = useQueryClient();
  return useMutation({
    ...CHANGING,
    scope: { id: `playlist-${id}` }, // changes are sent one at a time, in the order in which they were made
    mutationFn: (change: Change) => send(id, change),
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey: [PLAYLISTS, entriesPath(id)] });
      const previousPages = queries.getQueriesData<Paged<PlaylistEntryOut>>({ queryKey: [PLAYLISTS, entriesPath(id)] });
      rewrite(queries, id, previousPages, change);
      return previousPages;
    },
    onError: (_, __, previousPages) => {
      for (const [key, page] of previousPages ?? []) queries.setQueryData(key, page);
    },
    onSuccess: (playlist) => queries.setQueryData(playlistQuery(id).queryKey, playlist),
    onSettled: () => {
      if (queries.isMutating(CHANGING) === 1) void refresh(queries);
    },
  });
}

/** Refetches playlists after a change in this or another window. */
export async function notePlaylist(queries: QueryClient): Promise<void> {
  if (queries.isMutating(CHANGING) === 0) await refresh(queries);
}

async function send(id: number, change: Change): Promise<PlaylistOut> {
  const chosenEntries = 'ids' in change ? { entry_ids: change.ids } : { all_but: change.allBut };
  if (change.kind === 'remove')
    return request('POST /playlists/{id}/tracks/remove', { path: { id }, query: BARE, body: chosenEntries });
  const body = { ...chosenEntries, in_list_order: true, before_entry_id: change.before };
  return request('POST /playlists/{id}/tracks/move', { path: { id }, query: BARE, body });
}

/** Applies the change to the loaded pages. A page with entries that are not loaded waits for the server. */
function rewrite(
  queries: QueryClient,
  id: number,
  pages: readonly (readonly [readonly unknown[], Paged<PlaylistEntryOut> | undefined])[],
  change: Change,
): void {
  const total = pages.find(([, page]) => page)?.[1]?.total ?? 0;
  const entries = Array.from<PlaylistEntryOut | undefined>({ length: total });
  for (const [, page] of pages)
    page?.items.forEach((entry, i) => {
      entries[page.offset + i] = entry;
    });
  const chosenIds = new Set('ids' in change ? change.ids : change.allBut);
  const isGoing = (entry: PlaylistEntryOut) => chosenIds.has(entry.entry_id) === 'ids' in change;
  const next =
    change.kind === 'move' ? movedEntries(entries, isGoing, change.before) : withoutEntries(entries, isGoing);
  for (const [, page] of pages) {
    if (!page) continue;
    const items = next
      .slice(page.offset, page.offset + page.limit)
      .map((entry, i) => entry && { ...entry, position: page.offset + i });
    if (items.some((entry) => entry === undefined)) continue;
    queries.setQueryData(entryPage(id, { limit: page.limit, offset: page.offset }).queryKey, {
      ...page,
      total: next.length,
      items: items as PlaylistEntryOut[],
    });
  }
}

export function useImportPlaylist() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append('file', file, file.name);
      return request('POST /playlists/import', { query: BARE, body: form });
    },
    onSuccess: ({ playlist }) => took(queries, playlist),
  });
}
