// Tags that tracks are filtered by, and their values.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

export const tagsQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/tags'] as const,
    queryFn: ({ signal }) => request('GET /tags', { signal }),
  });

/** More values than a person looks through; typing finds the others. */
const MAX_VALUES = 200;

/** The first values of a tag that contain a text. */
export const tagValuesQuery = (name: string, q: string) =>
  queryOptions({
    queryKey: [LIBRARY, `/tags/${name}`, q] as const,
    queryFn: ({ signal }) => request('GET /tags/{name}', { path: { name }, query: { q, limit: MAX_VALUES }, signal }),
  });
