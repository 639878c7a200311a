import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { LibrarySearchResponse } from '../../server/search/wire.ts';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

const HITS_PER_GROUP = 6;

export const librarySearchQuery = (q: string) =>
  queryOptions({
    queryKey: [LIBRARY, 'search', q] as const,
    queryFn: ({ signal }) =>
      request<LibrarySearchResponse>('/search/library', { query: { q, limit: HITS_PER_GROUP }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
