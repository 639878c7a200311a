// Suggests which of several duplicates to keep. The reason is the first criterion by which the best track differs from
// the next best.
import { QUALITIES, RANKS as QUALITY_RANKS } from '../library/tracks/audio-quality.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';

export const KEEP_REASONS = [...QUALITIES, 'plays', 'name', 'first'] as const;
export type KeepReason = (typeof KEEP_REASONS)[number];

export type Duplicate = Pick<
  TrackSummary,
  'id' | 'availability' | 'format' | 'bitDepth' | 'sampleRateHz' | 'bitrateKbps' | 'playCount' | 'sourceId'
>;

/** File names that file managers give a second copy: "Song (1).mp3", "Song - Copy.mp3", "Song copy 2.mp3". */
const NUMBERED_COPY = /( \(\d{1,2}\)|( -|) copy( \(?\d{1,2}\)?)?)\.[^./\\]+$/i;
const isNumberedCopy = (path: string | null): boolean => path !== null && NUMBERED_COPY.test(path);

/** The criteria in order of importance; a higher value is better. */
const RANKS: Record<KeepReason, (track: Duplicate) => number> = {
  ...QUALITY_RANKS,
  plays: (track) => track.playCount,
  name: ({ sourceId }) => (isNumberedCopy(sourceId) ? 0 : 1),
  first: ({ id }) => -Number(id),
};

export function chooseKeeper(tracks: readonly Duplicate[]): { id: Duplicate['id']; reason: KeepReason } | undefined {
  const [bestTrack, nextTrack] = tracks.toSorted((a, b) => {
    for (const reason of KEEP_REASONS)
      if (RANKS[reason](a) !== RANKS[reason](b)) return RANKS[reason](b) - RANKS[reason](a);
    return 0;
  });
  if (!bestTrack) return undefined;
  return {
    id: bestTrack.id,
    reason: KEEP_REASONS.find((reason) => nextTrack && RANKS[reason](bestTrack) > RANKS[reason](nextTrack)) ?? 'first',
  };
}
