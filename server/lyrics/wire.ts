import { z } from 'zod';
import { pagedOf, pageQuery } from '../http/paging.ts';
import { LyricsOut, TrackOut } from '../library/wire.ts';
import { MAX_LYRICS } from '../media/limits.ts';

export const LyricsSearchQuery = z.object({ q: z.string().trim().min(1).max(500).optional() });
export const LyricsWordsQuery = z.object({ q: z.string().trim().min(1).max(200), ...pageQuery });

export const LyricsHitOut = z
  .object({
    track: TrackOut,
    text: z.string().meta({ description: 'the matching line; with `/` if the words continue on the next one' }),
    start_ms: z.int().nullable().meta({ description: 'when the line begins; null if the lyrics are not synced' }),
  })
  .meta({ id: 'LyricsHit' });
export type LyricsHitOut = z.output<typeof LyricsHitOut>;
export const LyricsHitPage = pagedOf(LyricsHitOut).meta({
  id: 'PagedLyricsHits',
  description: 'At most 1,000 results; the most played first.',
});

export const LyricsIn = z
  .union([
    z.strictObject({ text: z.string().min(1).max(MAX_LYRICS) }),
    z.strictObject({ lrclib_id: z.int().positive() }),
  ])
  .meta({ id: 'LyricsIn' });

const LyricsCandidate = z
  .object({
    id: z.int(),
    title: z.string(),
    artist_name: z.string(),
    album_title: z.string().nullable(),
    duration_ms: z.int().nullable(),
    is_instrumental: z.boolean(),
    synced: z.boolean(),
    excerpt: z.string(),
    fits: z.boolean().meta({ description: 'title, artist and length agree with the track' }),
  })
  .meta({ id: 'LyricsCandidate' });
export type LyricsCandidate = z.output<typeof LyricsCandidate>;
export const LyricsCandidates = z.array(LyricsCandidate);

export const LyricsLookupOut = z
  .object({
    outcome: z
      .enum(['found', 'none', 'off', 'unavailable'])
      .meta({ description: 'off: LYRICS_ENABLED; unavailable: the service cannot be asked right now' }),
    lyrics: LyricsOut.nullable(),
  })
  .meta({ id: 'LyricsLookup' });
export type LyricsLookupOut = z.output<typeof LyricsLookupOut>;
