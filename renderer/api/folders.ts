// The folders on disk. Query keys begin with the library's, so one event makes all of them stale.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY, pageQuery, type PageAt, type TrackFilter } from './library.ts';

/** Returns the query parameters; without a path the server lists the music folders. */
const query = (path: string | undefined) => (path === undefined ? {} : { path });

export const folderPage = (path: string | undefined, page: PageAt) =>
  pageQuery([LIBRARY, '/folders', query(path), page], (signal) =>
    request('GET /folders', { query: { ...query(path), ...page }, signal }),
  );
/** Returns the query of a folder's place and content. */
export const folderQuery = (path: string | undefined) =>
  queryOptions({
    queryKey: [LIBRARY, '/folders', 'head', path] as const,
    queryFn: ({ signal }) => request('GET /folders', { query: { ...query(path), limit: 1 }, signal }),
  });
/** Returns the filter for tracks whose files are directly in the folder, by file name. */
export const tracksOfFolder = (path: string): TrackFilter => ({ folder: path, below: false, sort: 'path' });
