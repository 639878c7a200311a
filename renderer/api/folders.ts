// The folders on disk. Keys begin with those of the library, so one event makes all of them stale.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY, pageQuery, type PageAt, type TrackFilter } from './library.ts';

/** Without a path, the music folders. */
const query = (path: string | undefined) => (path === undefined ? {} : { path });

export const folderPage = (path: string | undefined, at: PageAt) =>
  pageQuery([LIBRARY, '/folders', query(path), at], (signal) =>
    request('GET /folders', { query: { ...query(path), ...at }, signal }),
  );
/** Where a folder is, and what is in it. */
export const folderQuery = (path: string | undefined) =>
  queryOptions({
    queryKey: [LIBRARY, '/folders', 'head', path] as const,
    queryFn: ({ signal }) => request('GET /folders', { query: { ...query(path), limit: 1 }, signal }),
  });
/** Tracks whose files are directly in the folder, by name. */
export const tracksOfFolder = (path: string): TrackFilter => ({ folder: path, below: false, sort: 'path' });
