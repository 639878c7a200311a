// People who are credited on tracks, credits of tracks and albums, and works.
import { queryOptions } from '@tanstack/react-query';
import { request, type Input } from './client.ts';
import { LIBRARY, pageQuery, type PageAt } from './library.ts';

type PeopleFilter = Omit<NonNullable<Input<'GET /people'>['query']>, 'limit' | 'offset'>;

export const peoplePage = (filter: PeopleFilter, page: PageAt) =>
  pageQuery([LIBRARY, '/people', filter, page], (signal) =>
    request('GET /people', { query: { ...filter, ...page }, signal }),
  );
export const rolesQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/people/roles'] as const,
    queryFn: ({ signal }) => request('GET /people/roles', { signal }),
  });
export const personQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/people/${id}`] as const,
    queryFn: ({ signal }) => request('GET /people/{id}', { path: { id }, signal }),
  });
export const artistCreditsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/artists/${id}/credits`] as const,
    queryFn: ({ signal }) => request('GET /artists/{id}/credits', { path: { id }, signal }),
  });
export const trackCreditsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/credits`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/credits', { path: { id }, signal }),
  });
export const albumCreditsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/credits`] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/credits', { path: { id }, signal }),
  });
export const albumWorksQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/works`] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/works', { path: { id }, signal }),
  });
