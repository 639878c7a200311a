// How loud a voice is: ReplayGain with peak protection, and the curves of a crossfade. Pure.
import type { QueueTrack, ReplayGainMode } from './types.ts';

/**
 * Factor for a track. Without a value for the album the track's is taken, and the other way round; without any the
 * track is left as it is. Never so loud that its peak is cut off; where the peak is not known, never louder than the
 * file.
 */
export function replayGain(values: QueueTrack['replay_gain'], mode: ReplayGainMode, preampDb: number): number {
  if (mode === 'off' || !values) return 1;
  const ofTrack = { gain: values.track_gain_db, peak: values.track_peak };
  const ofAlbum = { gain: values.album_gain_db, peak: values.album_peak };
  const [first, second] = mode === 'album' ? [ofAlbum, ofTrack] : [ofTrack, ofAlbum];
  const { gain, peak } = first.gain === null ? second : first;
  if (gain === null) return 1;
  return Math.min(10 ** ((gain + preampDb) / 20), peak !== null && peak > 0 ? 1 / peak : 1);
}

const POINTS = 65;
const quarter = (point: number): number => (point / (POINTS - 1)) * (Math.PI / 2);

/** Equal power: two different pieces of music stay as loud together as each was. */
export const FADE_IN = Float32Array.from({ length: POINTS }, (_, point) => Math.sin(quarter(point)));
export const FADE_OUT = Float32Array.from({ length: POINTS }, (_, point) => Math.cos(quarter(point)));

/** Loudness is felt by powers: a cubic curve makes the lower half of the slider useful. */
export const volumeFactor = (volume: number, muted: boolean): number => (muted ? 0 : volume ** 3);

/** Neighbours of one album belong together and are never faded, unless they are neighbours by chance. */
export const crossfadeBetween = (before: QueueTrack, after: QueueTrack, seconds: number, shuffled: boolean): number =>
  !shuffled && before.album_id !== null && before.album_id === after.album_id ? 0 : seconds;
