// Zod schemas of searching the library.
import { z } from 'zod';
import { pagedOf, pageQuery } from '../http/paging.ts';
import { FolderOut } from '../library/folders/folder-wire.ts';
import { AlbumPage, ArtistPage, TrackPage } from '../library/wire.ts';

export const LibrarySearchQuery = z.object({ q: z.string().trim().min(1).max(200), ...pageQuery });
export const LibrarySearchResponse = z
  .object({
    query: z.string(),
    tracks: TrackPage,
    albums: AlbumPage,
    artists: ArtistPage,
  })
  .meta({
    id: 'LibrarySearchResponse',
    description:
      'Best first: exact, prefix, start of words, anywhere; then words with typos, if little else was found. ' +
      'Totals are at most 1,000.',
  });
export type LibrarySearchResponse = z.output<typeof LibrarySearchResponse>;

export const FolderHits = pagedOf(FolderOut).meta({ id: 'PagedFolderHits' });
export type FolderHits = z.output<typeof FolderHits>;
