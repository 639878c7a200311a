// Ranks several files of a recording by audio quality. Pure functions.
import { formatFacts } from '../../media/audio-formats.ts';
import type { TrackSummary } from '../lists/track-rows.ts';

export const QUALITIES = ['available', 'lossless', 'resolution', 'bitrate'] as const;
export type Quality = (typeof QUALITIES)[number];

export type AudioFile = Pick<TrackSummary, 'availability' | 'format' | 'bitDepth' | 'sampleRateHz' | 'bitrateKbps'>;

const isLossless = ({ format, bitDepth }: AudioFile): boolean =>
  bitDepth !== null || formatFacts(format)?.lossless === true;

/** Ranks of a file by each quality; higher is better. */
export const RANKS: Record<Quality, (file: AudioFile) => number> = {
  available: ({ availability }) => (availability === 'available' ? 1 : 0),
  lossless: (file) => (isLossless(file) ? 1 : 0),
  resolution: (file) => (isLossless(file) ? (file.bitDepth ?? 1) * (file.sampleRateHz ?? 0) : 0),
  bitrate: (file) => (isLossless(file) ? 0 : (file.bitrateKbps ?? 0) * (formatFacts(file.format)?.efficiency ?? 1)),
};

/** Compares two files; returns a negative number if the first is better. */
export function compareQuality(file: AudioFile, otherFile: AudioFile): number {
  const quality = QUALITIES.find((name) => RANKS[name](file) !== RANKS[name](otherFile));
  return quality === undefined ? 0 : RANKS[quality](otherFile) - RANKS[quality](file);
}
