// Search in the library on the wire.
import { z } from 'zod';
import { pageQuery } from '../http/paging.ts';
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
      'Best first: exact, beginning, beginning of words, inside; then by name. Each total counts at most 1,000.',
  });
export type LibrarySearchResponse = z.output<typeof LibrarySearchResponse>;
