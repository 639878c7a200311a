// The albums of a name as they were before they were grouped anew, as stored in album_regroupings.
import { z } from 'zod';
import { AlbumIdIn, TrackIdIn } from './ids.ts';

/** Fields of an album besides its artist. */
const AlbumFields = z.object({
  title: z.string(),
  year: z.int().nullable(),
  releaseGroupMbid: z.string().nullable(),
  source: z.string().nullable(),
  sourceId: z.string().nullable(),
  isCompilation: z.union([z.literal(0), z.literal(1)]),
});
export type AlbumFields = z.output<typeof AlbumFields>;

/** Each album with its tracks and its fields. Earlier versions stored no fields. */
export const AlbumsBefore = z.array(z.tuple([AlbumIdIn, z.array(TrackIdIn), AlbumFields.optional()]));
export type AlbumsBefore = z.output<typeof AlbumsBefore>;
