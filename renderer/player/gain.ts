// The gain of a track from ReplayGain, and the curves of a crossfade. Pure.
import type { QueueTrack, ReplayGainMode } from './player.ts';

interface Normalization {
  mode: ReplayGainMode;
  preampDb: number;
  hasLimiter: boolean;
}

/**
 * Returns the linear gain of a track. Album and track gain replace each other if one is missing; the gain is 1 without
 * both. Without a limiter the gain is limited by the track's peak, and to 1 if the peak is unknown.
 */
export function replayGain(values: QueueTrack['replay_gain'], { mode, preampDb, hasLimiter }: Normalization): number {
  if (mode === 'off' || !values) return 1;
  const ofTrack = { gain: values.track_gain_db, peak: values.track_peak };
  const ofAlbum = { gain: values.album_gain_db, peak: values.album_peak };
  const [first, second] = mode === 'album' ? [ofAlbum, ofTrack] : [ofTrack, ofAlbum];
  const { gain, peak } = first.gain === null ? second : first;
  if (gain === null) return 1;
  const factor = 10 ** ((gain + preampDb) / 20);
  return hasLimiter ? factor : Math.min(factor, peak !== null && peak > 0 ? 1 / peak : 1);
}

const CURVE_POINTS = 65;
const quarter = (point: number): number => (point / (CURVE_POINTS - 1)) * (Math.PI / 2);

/** Equal-power curves, for two uncorrelated signals. */
export const FADE_IN = Float32Array.from({ length: CURVE_POINTS }, (_, point) => Math.sin(quarter(point)));
export const FADE_OUT = Float32Array.from({ length: CURVE_POINTS }, (_, point) => Math.cos(quarter(point)));

/**
 * Returns the gain for a volume. Loudness is perceived as a power law: a cubic curve makes the lower half of the
 * slider useful.
 */
export const volumeFactor = (volume: number, muted: boolean): number => (muted ? 0 : volume ** 3);
