// Audio for tracks whose content does not matter.
import type { TrackAudio } from '../../server/library/track-writer.ts';

export const silence: TrackAudio = {
  durationMs: 1_000,
  sizeBytes: 100,
  format: 'mp3',
  codec: null,
  bitrateKbps: null,
  sampleRateHz: null,
  bitDepth: null,
  channels: 2,
  encoderDelay: null,
  encoderPadding: null,
  trackGainDb: null,
  trackPeak: null,
  albumGainDb: null,
  albumPeak: null,
  hasPicture: false,
  storageUri: null,
  contentHash: null,
  audioHash: null,
  availability: 'available',
};
