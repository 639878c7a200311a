// A match from AcoustID or MusicBrainz.
import { z } from 'zod';

const Names = z.array(z.string());

/** A recording that may be this track. It is stored as JSON with the track, and validated when it is read. */
export const Match = z.object({
  /** 0..1; null if the tags name the recording and no fingerprint was looked up. */
  score: z.number().nullable(),
  acoustidId: z.string().optional(),
  recordingMbid: z.string().optional(),
  title: z.string().optional(),
  artists: Names,
  /** The credit as written, if it names several artists. */
  artist: z.string().optional(),
  artistMbids: Names.optional(),
  album: z.string().optional(),
  albumArtists: Names.optional(),
  albumArtist: z.string().optional(),
  albumArtistMbids: Names.optional(),
  releaseGroupMbid: z.string().optional(),
  compilation: z.boolean().optional(),
  year: z.number().optional(),
  trackNumber: z.number().optional(),
  discNumber: z.number().optional(),
  genres: Names,
});
export type Match = z.output<typeof Match>;
