// Questions for the user: tracks whose match is uncertain or contradicts their tags, duplicates, and albums that would
// be others now.
import { infiniteQueryOptions, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DuplicateGroupOut } from '../../server/enrichment/duplicate-wire.ts';
import type { ReviewOut } from '../../server/enrichment/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { MergeOut } from '../../server/library/merges/merge-wire.ts';
import type { AlbumChangeOut, AlbumChangePage, RegroupingOut } from '../../server/library/albums/regrouping-wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { LIBRARY, type Paged } from './library.ts';

const REVIEW_PAGE_SIZE = 50;
const DUPLICATES_PAGE_SIZE = 20;

const nextOf = (last: Paged<unknown>) =>
  last.items.length > 0 && last.offset + last.items.length < last.total ? last.offset + last.items.length : undefined;

const pages = <T>(path: string, limit: number) =>
  infiniteQueryOptions({
    queryKey: [LIBRARY, path, 'pages'] as const,
    queryFn: ({ pageParam, signal }) => request<Paged<T>>(path, { query: { limit, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: nextOf,
  });

export const reviewQuery = () => pages<ReviewOut>('/review', REVIEW_PAGE_SIZE);
export const duplicatesQuery = () => pages<DuplicateGroupOut>('/duplicates', DUPLICATES_PAGE_SIZE);

export const albumChangesQuery = () => pages<AlbumChangeOut>('/album-changes', REVIEW_PAGE_SIZE);
export const albumChangesDueQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/album-changes', 'due'] as const,
    queryFn: async ({ signal }) =>
      (await request<AlbumChangePage>('/album-changes', { query: { limit: 1 }, signal })).due_at,
  });
export const regroupingsQuery = () => pages<RegroupingOut>('/album-regroupings', REVIEW_PAGE_SIZE);
export const mergesQuery = () => pages<MergeOut>('/merges', REVIEW_PAGE_SIZE);

const countQuery = (path: string) =>
  queryOptions({
    queryKey: [LIBRARY, path, 'count'] as const,
    queryFn: async ({ signal }) => (await request<Paged<unknown>>(path, { query: { limit: 1 }, signal })).total,
  });

export const useReviewCount = (): number => useQuery(countQuery('/review')).data ?? 0;
export const useDuplicateCount = (): number => useQuery(countQuery('/duplicates')).data ?? 0;

export const useAlbumChangeCount = (): number => useQuery(countQuery('/album-changes')).data ?? 0;
/** Changes of albums that can be undone. */
export const useRegroupingCount = (): number => useQuery(countQuery('/album-regroupings')).data ?? 0;

/** After a change of the library the lists are refetched. */
function useLibraryMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }) });
}

export const useApplyMatch = () =>
  useLibraryMutation(({ trackId, n }: { trackId: number; n: number }) =>
    request<TrackOut>(`/tracks/${trackId}/matches/${n}/apply`, { method: 'POST' }),
  );
export const useUndoEnrichment = () =>
  useLibraryMutation((trackId: number) => request<TrackOut>(`/tracks/${trackId}/metadata/undo`, { method: 'POST' }));
export const useDismissReview = () =>
  useLibraryMutation((trackId: number) => request<void>(`/review/${trackId}`, { method: 'DELETE' }));

export const useMergeDuplicates = () =>
  useLibraryMutation((body: { keep: number; merge: number[] }) =>
    request<TrackOut>('/duplicates/merge', { method: 'POST', body }),
  );
export const useUndoMerge = () =>
  useLibraryMutation((id: number) => request<TrackOut>(`/merges/${id}/undo`, { method: 'POST' }));
export const useDismissDuplicates = () =>
  useLibraryMutation((body: { track_id: number; other_ids: number[] }) =>
    request<void>('/duplicates/dismiss', { method: 'POST', body }),
  );

/** Of these albums, or all; goes on in the background. */
export const useChangeAlbums = () =>
  useLibraryMutation((album_ids: number[] | null) =>
    request<JobOut>('/album-changes', { method: 'POST', body: { album_ids } }),
  );
export const useUndoRegrouping = () =>
  useLibraryMutation((id: number) => request<void>(`/album-regroupings/${id}/undo`, { method: 'POST' }));
export const useMergeAlbums = () =>
  useLibraryMutation(({ id, into }: { id: number; into: number }) =>
    request<RegroupingOut>(`/albums/${id}/merge`, { method: 'POST', body: { into } }),
  );
