// Suggests which of several duplicates to keep. The reason is the first criterion by which the best differs from the
// next.
import { formatFacts } from '../media/audio-formats.ts';
import type { TrackSummary } from '../library/track-rows.ts';

export const KEEP_REASONS = ['available', 'lossless', 'resolution', 'bitrate', 'plays', 'first'] as const;
export type KeepReason = (typeof KEEP_REASONS)[number];

export type Duplicate = Pick<
  TrackSummary,
  'id' | 'availability' | 'format' | 'bitDepth' | 'sampleRateHz' | 'bitrateKbps' | 'playCount'
>;

const isLossless = ({ format, bitDepth }: Duplicate): boolean =>
  bitDepth !== null || formatFacts(format)?.lossless === true;

/** Higher is better. */
const RANKS: Record<KeepReason, (track: Duplicate) => number> = {
  available: (track) => (track.availability === 'available' ? 1 : 0),
  lossless: (track) => (isLossless(track) ? 1 : 0),
  resolution: (track) => (isLossless(track) ? (track.bitDepth ?? 1) * (track.sampleRateHz ?? 0) : 0),
  bitrate: (track) => (isLossless(track) ? 0 : (track.bitrateKbps ?? 0) * (formatFacts(track.format)?.efficiency ?? 1)),
  plays: (track) => track.playCount,
  first: ({ id }) => -Number(id),
};

export function chooseKeeper(tracks: readonly Duplicate[]): { id: Duplicate['id']; reason: KeepReason } | undefined {
  const [best, next] = tracks.toSorted((a, b) => {
    for (const reason of KEEP_REASONS)
      if (RANKS[reason](a) !== RANKS[reason](b)) return RANKS[reason](b) - RANKS[reason](a);
    return 0;
  });
  if (!best) return undefined;
  return {
    id: best.id,
    reason: KEEP_REASONS.find((reason) => next && RANKS[reason](best) > RANKS[reason](next)) ?? 'first',
  };
}
