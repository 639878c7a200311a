// Describes how a track sounds, in numbers that do not change with its volume, key or encoding: timbre (MFCC: Davis and
// Mermelstein 1980), rhythm (modulation of bands: Pampalk's fluctuation patterns, 2002), harmony (the Fourier transform
// of pitch classes, whose magnitudes are the same in every key: Quinn 2006) and dynamics. Segments of 6 s are measured.
// A track is described by the means of its segments and by how much they differ.
import { createPowerSpectra, hann, LANES } from './fft.ts';
import type { Onsets } from './onsets.ts';
import { BANDS, FRAMES_PER_SECOND, PITCH_BINS, PITCH_FRAMES_PER_SECOND, type Spectrogram } from './spectrogram.ts';

const MFCC_COUNT = 13;
const SEGMENT_FRAMES = 512;
const HALF_BANDS = BANDS / 2;
/** Factor from decibels of power to nepers, because `exp` is faster than a power of 10. */
const NEPERS_PER_DECIBEL = Math.LN10 / 10;
/** Levels that are further below the loudest band, in decibels, are raised to this depth. */
const MAX_DEPTH_DB = 70;
/** The first band of each group; the groups begin at about 0 Hz, 200 Hz, 1 kHz and 3 kHz. */
const BAND_GROUPS = [0, 5, 16, 27, BANDS] as const;
/** Edges of octaves in the modulation spectrum, from 0.5 to 16 Hz, in bins of 0.17 Hz. */
const MODULATION_EDGES = [3, 6, 12, 24, 48, 96] as const;

const MFCC_MEANS_INDEX = 0;
const MFCC_SPREADS_INDEX = MFCC_MEANS_INDEX + MFCC_COUNT - 1;
const DELTA_SPREADS_INDEX = MFCC_SPREADS_INDEX + MFCC_COUNT - 1;
const RHYTHM_INDEX = DELTA_SPREADS_INDEX + 6;
const HARMONY_INDEX = RHYTHM_INDEX + (BAND_GROUPS.length - 1) * (MODULATION_EDGES.length - 1);
const DYNAMICS_INDEX = HARMONY_INDEX + 8;
/** The number of values that describe a segment. */
export const DIMENSIONS = DYNAMICS_INDEX + 5;

export interface Character {
  /** The means over all segments, one for each of the `DIMENSIONS`. */
  mean: Float64Array;
  spread: Float64Array;
}

/** Returns the character of a track; undefined if the track is shorter than a segment, or silent. */
export function characterize(spectrogram: Spectrogram, { allBands: onsets }: Onsets): Character | undefined {
  const { frames, loudest } = spectrogram;
  if (frames < SEGMENT_FRAMES || loudest < -90) return undefined;
  const level = createLevels(spectrogram, onsets);
  const sum = new Float64Array(DIMENSIONS);
  const squares = new Float64Array(DIMENSIONS);
  const segment = new Float64Array(DIMENSIONS);
  let count = 0;
  for (let from = 0; from + SEGMENT_FRAMES <= frames; from += SEGMENT_FRAMES) {
    if (!level.describe(from, segment)) continue;
    count++;
    for (let i = 0; i < DIMENSIONS; i++) {
      sum[i] = (sum[i] as number) + (segment[i] as number);
      squares[i] = (squares[i] as number) + (segment[i] as number) ** 2;
    }
  }
  if (count === 0) return undefined;
  return {
    mean: sum.map((value) => value / count),
    spread: squares.map((square, i) => Math.sqrt(Math.max(0, square / count - ((sum[i] as number) / count) ** 2))),
  };
}

function createLevels(spectrogram: Spectrogram, onsets: Float32Array) {
  const { mel, loudest, pitches, pitchFrames } = spectrogram;
  const floor = loudest - MAX_DEPTH_DB;
  const cosines = Float64Array.from(
    { length: MFCC_COUNT * BANDS },
    (_, i) => Math.cos((Math.PI * Math.floor(i / BANDS) * ((i % BANDS) + 0.5)) / BANDS) * Math.sqrt(2 / BANDS),
  );
  const cepstra = new Float64Array(SEGMENT_FRAMES * MFCC_COUNT);
  const levels = new Float64Array(SEGMENT_FRAMES);
  const layout = { size: SEGMENT_FRAMES, hop: SEGMENT_FRAMES, lineCapacity: LANES * SEGMENT_FRAMES };
  const { line: envelopes, power: modulation, transform } = createPowerSpectra(layout, hann(SEGMENT_FRAMES));
  const bands = new Float64Array(BANDS);

  function readFrames(from: number): number {
    let audible = 0;
    for (let frame = 0; frame < SEGMENT_FRAMES; frame++) {
      const bandIndex = (from + frame) * BANDS;
      let power = 0;
      for (let band = 0; band < BANDS; band++) {
        const value = Math.max(floor, mel[bandIndex + band] as number);
        bands[band] = value;
        power += Math.exp(value * NEPERS_PER_DECIBEL);
      }
      levels[frame] = 10 * Math.log10(power);
      if ((levels[frame] as number) > floor + 25) audible++;
      // A cosine is symmetric for even coefficients and antisymmetric for odd ones, so the two halves can be added and
      // subtracted first.
      for (let band = 0; band < HALF_BANDS; band++) {
        const lowBand = bands[band] as number;
        const highBand = bands[BANDS - 1 - band] as number;
        bands[band] = lowBand + highBand;
        bands[BANDS - 1 - band] = lowBand - highBand;
      }
      for (let c = 1; c < MFCC_COUNT; c++) {
        const cosineOffset = c * BANDS;
        let sum = 0;
        if (c & 1)
          for (let band = 0; band < HALF_BANDS; band++)
            sum += (bands[BANDS - 1 - band] as number) * (cosines[cosineOffset + band] as number);
        else
          for (let band = 0; band < HALF_BANDS; band++)
            sum += (bands[band] as number) * (cosines[cosineOffset + band] as number);
        cepstra[frame * MFCC_COUNT + c] = sum;
      }
    }
    return audible / SEGMENT_FRAMES;
  }

  function describeTimbre(values: Float64Array): void {
    for (let c = 1; c < MFCC_COUNT; c++) {
      let [sum, squares, changes] = [0, 0, 0];
      for (let frame = 0; frame < SEGMENT_FRAMES; frame++) {
        const value = cepstra[frame * MFCC_COUNT + c] as number;
        sum += value;
        squares += value * value;
        if (frame >= 4) changes += (value - (cepstra[(frame - 4) * MFCC_COUNT + c] as number)) ** 2;
      }
      const mean = sum / SEGMENT_FRAMES;
      values[MFCC_MEANS_INDEX + c - 1] = mean;
      values[MFCC_SPREADS_INDEX + c - 1] = Math.sqrt(Math.max(0, squares / SEGMENT_FRAMES - mean * mean));
      if (c <= 6) values[DELTA_SPREADS_INDEX + c - 1] = Math.sqrt(changes / SEGMENT_FRAMES);
    }
  }

  function describeRhythm(from: number, values: Float64Array): void {
    const groups = BAND_GROUPS.length - 1; // there are as many groups as frames that are transformed together
    for (let group = 0; group < groups; group++) {
      const [lowBand, highBand] = [BAND_GROUPS[group] as number, BAND_GROUPS[group + 1] as number];
      const envelope = envelopes.subarray(group * SEGMENT_FRAMES, (group + 1) * SEGMENT_FRAMES);
      let mean = 0;
      for (let frame = 0; frame < SEGMENT_FRAMES; frame++) {
        let sum = 0;
        for (let band = lowBand; band < highBand; band++)
          sum += Math.max(floor, mel[(from + frame) * BANDS + band] as number);
        envelope[frame] = sum / (highBand - lowBand);
        mean += sum / (highBand - lowBand) / SEGMENT_FRAMES;
      }
      for (let frame = 0; frame < SEGMENT_FRAMES; frame++) envelope[frame] = (envelope[frame] as number) - mean;
    }
    transform(0);
    let valueIndex = RHYTHM_INDEX;
    for (let group = 0; group < groups; group++)
      for (let edge = 0; edge + 1 < MODULATION_EDGES.length; edge++) {
        let power = 0;
        const [firstBin, endBin] = [MODULATION_EDGES[edge] as number, MODULATION_EDGES[edge + 1] as number];
        for (let bin = firstBin; bin < endBin; bin++) power += modulation[bin * LANES + group] as number;
        values[valueIndex++] = 3 * Math.log10(power + 10);
      }
  }

  function describeHarmony(from: number, values: Float64Array): void {
    const perFrame = PITCH_FRAMES_PER_SECOND / FRAMES_PER_SECOND;
    const [firstFrame, endFrame] = [
      Math.floor(from * perFrame),
      Math.min(pitchFrames, Math.ceil((from + SEGMENT_FRAMES) * perFrame)),
    ];
    const chroma = new Float64Array(12);
    const previousClasses = new Float64Array(12);
    let [change, total, frames] = [0, 0, 0];
    for (let frame = firstFrame; frame < endFrame; frame++) {
      const classes = new Float64Array(12);
      let sum = 0;
      for (let bin = 0; bin < PITCH_BINS; bin++) {
        const value = Math.sqrt(pitches[frame * PITCH_BINS + bin] as number);
        const semitone = Math.round(bin / 3) % 12;
        classes[semitone] = (classes[semitone] as number) + value;
        sum += value;
      }
      if (sum === 0) continue;
      for (let i = 0; i < 12; i++) {
        const value = (classes[i] as number) / sum;
        chroma[i] = (chroma[i] as number) + value;
        if (frames > 0) change += Math.abs(value - (previousClasses[i] as number));
        previousClasses[i] = value;
      }
      total++;
      frames++;
    }
    values.fill(0, HARMONY_INDEX, HARMONY_INDEX + 8);
    if (total === 0) return;
    let entropy = 0;
    for (let i = 0; i < 12; i++) {
      const share = (chroma[i] as number) / total;
      chroma[i] = share;
      if (share > 0) entropy -= share * Math.log2(share);
    }
    for (let k = 1; k <= 6; k++) {
      let [re, im] = [0, 0];
      for (let i = 0; i < 12; i++) {
        re += (chroma[i] as number) * Math.cos((2 * Math.PI * k * i) / 12);
        im += (chroma[i] as number) * Math.sin((2 * Math.PI * k * i) / 12);
      }
      values[HARMONY_INDEX + k - 1] = 10 * Math.hypot(re, im);
    }
    values[HARMONY_INDEX + 6] = 5 * entropy;
    values[HARMONY_INDEX + 7] = (10 * change) / Math.max(1, frames - 1);
  }

  function describeDynamics(from: number, values: Float64Array): void {
    let [sum, squares] = [0, 0];
    for (const level of levels) {
      sum += level;
      squares += level * level;
    }
    const mean = sum / SEGMENT_FRAMES;
    const sortedLevels = levels.toSorted();
    const quantile = (share: number): number => sortedLevels[Math.floor(share * (SEGMENT_FRAMES - 1))] as number;
    values[DYNAMICS_INDEX] = Math.sqrt(Math.max(0, squares / SEGMENT_FRAMES - mean * mean));
    values[DYNAMICS_INDEX + 1] = (quantile(0.95) - quantile(0.05)) / 4;
    values[DYNAMICS_INDEX + 2] = (quantile(1) - mean) / 2;
    values[DYNAMICS_INDEX + 3] = (loudest - mean) / 4;
    let peaks = 0;
    for (let frame = from + 2; frame < from + SEGMENT_FRAMES - 2; frame++) {
      const value = onsets[frame] as number;
      if (value > 1.5 && value >= (onsets[frame - 1] as number) && value > (onsets[frame + 1] as number)) peaks++;
    }
    values[DYNAMICS_INDEX + 4] = peaks / 3;
  }

  return {
    /** Writes the description of a segment into `out`. Returns false for a segment that is mostly silent. */
    describe(from: number, values: Float64Array): boolean {
      if (readFrames(from) < 0.2) return false;
      describeTimbre(values);
      describeRhythm(from, values);
      describeHarmony(from, values);
      describeDynamics(from, values);
      return true;
    },
  };
}

/** Factors for storing a `Character` as integers: 16 bits for means, 8 bits for spreads. */
const MEAN_SCALE = 100;
const SPREAD_SCALE = 5;
export const CHARACTER_BYTES = DIMENSIONS * 3;

export function packCharacter({ mean, spread }: Character): Buffer {
  const bytes = Buffer.alloc(CHARACTER_BYTES);
  const clamp = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, Math.round(value)));
  mean.forEach((value, i) => bytes.writeInt16LE(clamp(value * MEAN_SCALE, 32_767), i * 2));
  spread.forEach((value, i) => bytes.writeUInt8(Math.max(0, clamp(value * SPREAD_SCALE, 255)), DIMENSIONS * 2 + i));
  return bytes;
}

/** Returns undefined if the bytes have another length. */
export function unpackCharacter(bytes: Uint8Array): Character | undefined {
  if (bytes.length !== CHARACTER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    mean: Float64Array.from({ length: DIMENSIONS }, (_, i) => view.getInt16(i * 2, true) / MEAN_SCALE),
    spread: Float64Array.from({ length: DIMENSIONS }, (_, i) => view.getUint8(DIMENSIONS * 2 + i) / SPREAD_SCALE),
  };
}
