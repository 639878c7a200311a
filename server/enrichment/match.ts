// What an identification service says a track is, in one shape, whichever service said it.
import { z } from 'zod';

const names = z.array(z.string());

/** One recording that may be this track. Kept as JSON with the track, so it is parsed again when it is read. */
export const Match = z.object({
  /** 0..1; null when nobody heard the track: its own tags name the recording. */
  score: z.number().nullable(),
  acoustidId: z.string().optional(),
  recordingMbid: z.string().optional(),
  title: z.string().optional(),
  artists: names,
  /** The credit as written, when it is more than one name. */
  artist: z.string().optional(),
  artistMbids: names.optional(),
  album: z.string().optional(),
  albumArtists: names.optional(),
  albumArtist: z.string().optional(),
  albumArtistMbids: names.optional(),
  releaseGroupMbid: z.string().optional(),
  compilation: z.boolean().optional(),
  year: z.number().optional(),
  trackNumber: z.number().optional(),
  discNumber: z.number().optional(),
  genres: names,
});
export type Match = z.output<typeof Match>;
