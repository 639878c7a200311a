// Audio data for a track whose sound does not matter.
import { NO_AUDIO } from '../../server/downloads/remote-tracks.ts';
import type { TrackAudio } from '../../server/library/tracks/track-values.ts';

export const silence: TrackAudio = {
  ...NO_AUDIO,
  durationMs: 1_000,
  sizeBytes: 100,
  format: 'mp3',
  channels: 2,
  availability: 'available',
};
