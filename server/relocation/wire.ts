import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { TrackOut } from '../library/wire.ts';

/** A track that a missing one may be now. `same_name`: same title and artist, folded, and a length within 2 s. */
export const ReplacementOut = z
  .object({ track: TrackOut, why: z.enum(['same_audio', 'same_recording', 'same_name']) })
  .meta({ id: 'ReplacementOut' });
export type ReplacementOut = z.output<typeof ReplacementOut>;
export const Replacements = z.array(ReplacementOut);

/** Body of `POST /tracks/{id}/relocate`: the track whose file it is. */
export const RelocateIn = z.strictObject({ track_id: TrackIdIn }).meta({ id: 'RelocateIn' });
