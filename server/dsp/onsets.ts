// Finds where notes begin: by how much each band of the mel spectrogram exceeds the loudest of its neighbouring bands a
// moment before, which ignores vibrato (SuperFlux: Böck and Widmer, DAFx 2013).
import { BANDS, FRAMES_PER_SECOND, type Spectrogram } from './spectrogram.ts';

const LAG_FRAMES = 3;
/** Levels that are further below the loudest band, in decibels, are raised to this depth. */
const MAX_DEPTH_DB = 65;
/** Length of the running mean that is subtracted. */
const MEAN_FRAMES = Math.round(FRAMES_PER_SECOND * 0.8);
/** Number of bands below about 200 Hz. */
const BASS_BANDS = 5;

export interface Onsets {
  /**
   * Onset strength in all bands, and in those of the bass: one value for each frame of the spectrogram, 0 or more, 1 on
   * average.
   */
  allBands: Float32Array;
  bass: Float32Array;
}

/** Minimum height of a peak, as a multiple of the mean strength. */
const MIN_PEAK = 1.5;

export function onsetsPerSecond(values: Float32Array): number {
  let peaks = 0;
  for (let i = 1; i + 1 < values.length; i++) {
    const value = values[i] as number;
    if (value > MIN_PEAK && value >= (values[i - 1] as number) && value > (values[i + 1] as number)) peaks++;
  }
  return (peaks * FRAMES_PER_SECOND) / Math.max(1, values.length);
}

export function findOnsets({ mel, frames, loudest }: Spectrogram): Onsets {
  const floor = loudest - MAX_DEPTH_DB;
  const all = new Float32Array(frames);
  const bass = new Float32Array(frames);
  for (let frame = LAG_FRAMES; frame < frames; frame++) {
    const frameStart = frame * BANDS;
    const earlierStart = (frame - LAG_FRAMES) * BANDS;
    let sum = 0;
    let bassSum = 0;
    for (let band = 0; band < BANDS; band++) {
      const value = mel[frameStart + band] as number;
      if (value <= floor || value <= (mel[earlierStart + band] as number)) continue;
      let reference = Math.max(floor, mel[earlierStart + band] as number);
      if (band > 0) reference = Math.max(reference, mel[earlierStart + band - 1] as number);
      if (band < BANDS - 1) reference = Math.max(reference, mel[earlierStart + band + 1] as number);
      const rise = value - reference;
      if (rise <= 0) continue;
      sum += rise;
      if (band < BASS_BANDS) bassSum += rise;
    }
    all[frame] = sum;
    bass[frame] = bassSum;
  }
  return { allBands: subtractMean(all), bass: subtractMean(bass) };
}

function subtractMean(values: Float32Array): Float32Array {
  const result = new Float32Array(values.length);
  const halfWindow = MEAN_FRAMES >> 1;
  let sum = 0;
  let total = 0;
  for (let i = 0; i < Math.min(halfWindow, values.length); i++) sum += values[i] as number;
  for (let i = 0; i < values.length; i++) {
    sum += (values[i + halfWindow] ?? 0) - (values[i - halfWindow - 1] ?? 0);
    const count = Math.min(values.length - 1, i + halfWindow) - Math.max(0, i - halfWindow) + 1;
    result[i] = Math.max(0, (values[i] as number) - sum / count);
    total += result[i] as number;
  }
  const mean = total / values.length;
  if (mean > 0) for (let i = 0; i < result.length; i++) result[i] = (result[i] as number) / mean;
  return result;
}
