// The speaker and what it is to play, on the wire.
import { z } from 'zod';
import { event } from '../events/event.ts';
import type { JukeboxState } from './service.ts';

const place = z.int().min(-1);
const ms = z.int().min(0);
const gain = z.number().min(0).max(1);

export const SpeakerIn = z
  .strictObject({
    speaker_id: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .meta({ description: 'made by the window, the same for as long as it is open' }),
    name: z.string().trim().min(1).max(100),
    report: z
      .strictObject({ version: z.int().min(0), current_index: place, position_ms: ms, playing: z.boolean(), gain })
      .optional()
      .meta({ description: 'where the window is; version is the last one that it followed' }),
  })
  .meta({ id: 'SpeakerIn' });
export type SpeakerIn = z.output<typeof SpeakerIn>;

export const JukeboxOut = z
  .object({
    version: z.int().meta({ description: 'grows with everything that is wanted anew' }),
    speaker: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'the window that plays; null when none has offered itself' }),
    track_ids: z.array(z.int()),
    current_index: place,
    position_ms: ms,
    playing: z.boolean(),
    gain,
  })
  .meta({ id: 'JukeboxOut' });
export type JukeboxOut = z.output<typeof JukeboxOut>;

export const jukeboxEvent = event(
  'jukebox',
  JukeboxOut,
  'A phone wants something else played, or another window became the speaker; to that person alone.',
);

export const toJukeboxOut = ({
  version,
  speaker,
  trackIds,
  currentIndex,
  positionMs,
  isPlaying,
  gain: volume,
}: JukeboxState): JukeboxOut => ({
  version,
  speaker,
  track_ids: trackIds,
  current_index: currentIndex,
  position_ms: positionMs,
  playing: isPlaying,
  gain: volume,
});
