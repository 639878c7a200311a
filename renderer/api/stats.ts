// Statistics of listening and of the library.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { HISTORY } from './history.ts';
import { LIBRARY } from './library.ts';

/** Returns the browser's time zone, in which days and hours are counted. */
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** First and last day, inclusive; undefined for all time. */
interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

export const listeningQuery = (range: DayRange) =>
  queryOptions({
    queryKey: [HISTORY, 'listening', range] as const,
    queryFn: ({ signal }) => request('GET /stats/listening', { query: { ...range, tz: zone() }, signal }),
    placeholderData: keepPreviousData,
  });

export const yearQuery = (year: number) =>
  queryOptions({
    queryKey: [HISTORY, 'year', year] as const,
    queryFn: ({ signal }) =>
      request('GET /stats/year/{year}', { path: { year: String(year) }, query: { tz: zone() }, signal }),
    placeholderData: keepPreviousData,
  });

export const storageQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, 'storage'] as const,
    queryFn: ({ signal }) => request('GET /storage', { signal }),
  });
