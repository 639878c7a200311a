// Questions for the user: tracks whose match is uncertain or contradicts their tags, duplicates, and albums that the
// current rules would group differently.
import { infiniteQueryOptions, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request, type Reply } from './client.ts';
import { LIBRARY, type Paged } from './library.ts';

const REVIEW_PAGE_SIZE = 50;
const DUPLICATES_PAGE_SIZE = 20;

const nextOf = (lastPage: Paged<unknown>) =>
  lastPage.items.length > 0 && lastPage.offset + lastPage.items.length < lastPage.total
    ? lastPage.offset + lastPage.items.length
    : undefined;

/** Names of the lists of questions, as in their routes. */
type ReviewList = 'review' | 'duplicates' | 'album-changes' | 'album-regroupings' | 'merges';

const pages = <L extends ReviewList>(list: L, limit: number) =>
  infiniteQueryOptions({
    queryKey: [LIBRARY, `/${list}`, 'pages'] as const,
    queryFn: ({ pageParam, signal }): Promise<Reply<`GET /${L}`>> =>
      request<`GET /${L}`>(`GET /${list}`, { query: { limit, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: nextOf,
  });

export const reviewQuery = () => pages('review', REVIEW_PAGE_SIZE);
export const duplicatesQuery = () => pages('duplicates', DUPLICATES_PAGE_SIZE);

export const albumChangesQuery = () => pages('album-changes', REVIEW_PAGE_SIZE);
export const albumChangesDueQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/album-changes', 'due'] as const,
    queryFn: async ({ signal }) => (await request('GET /album-changes', { query: { limit: 1 }, signal })).due_at,
  });
export const regroupingsQuery = () => pages('album-regroupings', REVIEW_PAGE_SIZE);
export const mergesQuery = () => pages('merges', REVIEW_PAGE_SIZE);

const countQuery = (list: ReviewList) =>
  queryOptions({
    queryKey: [LIBRARY, `/${list}`, 'count'] as const,
    queryFn: async ({ signal }) => (await request(`GET /${list}`, { query: { limit: 1 }, signal })).total,
  });

export const useReviewCount = (): number => useQuery(countQuery('review')).data ?? 0;
export const useDuplicateCount = (): number => useQuery(countQuery('duplicates')).data ?? 0;

export const useAlbumChangeCount = (): number => useQuery(countQuery('album-changes')).data ?? 0;
/** Returns the number of album changes that can be undone. */
export const useRegroupingCount = (): number => useQuery(countQuery('album-regroupings')).data ?? 0;

/** Runs a request that changes the library; afterwards, even if it fails, all queries of the library are refreshed. */
function useLibraryMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }) });
}

export const useApplyMatch = () =>
  useLibraryMutation(({ trackId, n }: { trackId: number; n: number }) =>
    request('POST /tracks/{id}/matches/{n}/apply', { path: { id: trackId, n } }),
  );
export const useUndoEnrichment = () =>
  useLibraryMutation((trackId: number) => request('POST /tracks/{id}/metadata/undo', { path: { id: trackId } }));
export const useDismissReview = () =>
  useLibraryMutation((trackId: number) => request('DELETE /review/{id}', { path: { id: trackId } }));

export const useMergeDuplicates = () =>
  useLibraryMutation((body: { keep: number; merge: number[] }) => request('POST /duplicates/merge', { body }));
export const useUndoMerge = () =>
  useLibraryMutation((id: number) => request('POST /merges/{id}/undo', { path: { id } }));
export const useDismissDuplicates = () =>
  useLibraryMutation((body: { track_id: number; other_ids: number[] }) =>
    request('POST /duplicates/dismiss', { body }),
  );

/** Regroups these albums or all albums; the job continues in the background. */
export const useChangeAlbums = () =>
  useLibraryMutation((album_ids: number[] | null) => request('POST /album-changes', { body: { album_ids } }));
export const useUndoRegrouping = () =>
  useLibraryMutation((id: number) => request('POST /album-regroupings/{id}/undo', { path: { id } }));
export const useMergeAlbums = () =>
  useLibraryMutation(({ id, into }: { id: number; into: number }) =>
    request('POST /albums/{id}/merge', { path: { id }, body: { into } }),
  );
