import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { TrackOut } from '../library/wire.ts';

export const ReplacementOut = z
  .object({
    track: TrackOut,
    why: z.enum(['same_audio', 'same_sound', 'same_recording', 'same_place', 'same_name']).meta({
      description:
        'same_audio: the same bytes but for the tags; same_sound: the same recording by its fingerprint; ' +
        'same_recording: the same recording mbid; same_place: its file is where the missing one was; ' +
        'same_name: the same title and artist, and a length within 2 s',
    }),
    is_certain: z.boolean().meta({ description: 'nothing else fits either of the two tracks' }),
  })
  .meta({ id: 'ReplacementOut' });
export type ReplacementOut = z.output<typeof ReplacementOut>;
export const Replacements = z.array(ReplacementOut);

/** The number of missing tracks whose replacement is certain, or that were relocated to such a replacement. */
export const CertainOut = z.object({ total: z.int() }).meta({ id: 'CertainOut' });
export type CertainOut = z.output<typeof CertainOut>;

/** Body of `POST /tracks/{id}/relocate`: the track whose file is taken over. */
export const RelocateIn = z.strictObject({ track_id: TrackIdIn }).meta({ id: 'RelocateIn' });
