// Finds beats: the sequence of frames that has strong onsets at nearly equal distances, by dynamic programming (Ellis,
// Beat Tracking by Dynamic Programming, 2007). Then finds the bar: the number of beats after which the bass accents
// repeat.
import type { Onsets } from './onsets.ts';
import { FIRST_FRAME_SECONDS, FRAMES_PER_SECOND } from './spectrogram.ts';

/** Weight of deviations from the expected distance between beats. */
const TIGHTNESS = 100;
/** An onset is found this long after the middle of the frame in which it begins, in seconds (measured on clicks). */
const ONSET_DELAY_SECONDS = -0.01;
const METERS = [3, 4];
/** A meter is certain if the first beat of its bars is stronger than the other beats by this share. */
const MIN_ACCENT = 0.35;

export interface Beats {
  /** Times of the beats in seconds from the beginning of the track. */
  times: Float64Array;
  /** The exact tempo, computed from the beats. */
  bpm: number;
  /**
   * The number of beats in a bar, and the index of the first beat that begins a bar; undefined if they are not certain.
   */
  bar: { beats: number; firstDownbeat: number } | undefined;
}

export function findBeats({ allBands, bass }: Onsets, bpm: number): Beats | undefined {
  const period = (60 * FRAMES_PER_SECOND) / bpm;
  const frames = trackBeats(smooth(allBands, period / 32), period);
  if (frames.length < 4) return undefined;
  const times = Float64Array.from(frames, (frame) =>
    Math.max(0, frame / FRAMES_PER_SECOND + FIRST_FRAME_SECONDS + ONSET_DELAY_SECONDS),
  );
  return { times, bpm: exactTempo(times, bpm), bar: findBar(frames, allBands, bass) };
}

function smooth(values: Float32Array, width: number): Float64Array {
  const reach = Math.max(1, Math.ceil(width * 3));
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-0.5 * ((i - reach) / width) ** 2));
  const result = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    let sum = 0;
    const from = Math.max(0, i - reach);
    const to = Math.min(values.length - 1, i + reach);
    for (let j = from; j <= to; j++) sum += (kernel[j - i + reach] as number) * Math.min(8, values[j] as number);
    result[i] = sum;
  }
  return result;
}

function trackBeats(strength: Float64Array, period: number): Int32Array {
  const nearest = Math.max(1, Math.round(period / 2));
  const farthest = Math.round(period * 2);
  const costs = Float64Array.from({ length: farthest + 1 }, (_, distance) =>
    distance < nearest ? Infinity : TIGHTNESS * Math.log(distance / period) ** 2,
  );
  const length = strength.length;
  const score = new Float64Array(length);
  const previousFrames = new Int32Array(length).fill(-1);
  for (let i = 0; i < length; i++) {
    let bestScore = 0; // 0 is the score of a sequence that begins here
    let bestPrevious = -1;
    for (let distance = nearest; distance <= farthest && distance <= i; distance++) {
      const reachedScore = (score[i - distance] as number) - (costs[distance] as number);
      if (reachedScore > bestScore) {
        bestScore = reachedScore;
        bestPrevious = i - distance;
      }
    }
    score[i] = bestScore + (strength[i] as number);
    previousFrames[i] = bestPrevious;
  }
  let lastFrame = length - 1;
  for (let i = Math.max(0, length - Math.round(period)); i < length; i++)
    if ((score[i] as number) > (score[lastFrame] as number)) lastFrame = i;
  const beats: number[] = [];
  for (let i = lastFrame; i >= 0; i = previousFrames[i] as number) beats.push(i);
  return Int32Array.from(beats.reverse());
}

/**
 * Returns the slope of a line through the beats if they are steady, else the mean distance of most of them, as a tempo.
 */
function exactTempo(times: Float64Array, nearBpm: number): number {
  const count = times.length;
  const mean = (count - 1) / 2;
  let [meanTime, numerator, denominator] = [0, 0, 0];
  for (const time of times) meanTime += time / count;
  times.forEach((time, i) => {
    numerator += (i - mean) * (time - meanTime);
    denominator += (i - mean) ** 2;
  });
  const bpm = (60 * denominator) / numerator;
  return Math.abs(bpm / nearBpm - 1) < 0.04 ? bpm : nearBpm;
}

function findBar(frames: Int32Array, allBands: Float32Array, bass: Float32Array): Beats['bar'] {
  const accents = Float64Array.from(frames, (frame) => accentAt(bass, frame) * 2 + accentAt(allBands, frame));
  let bestBar: { beats: number; first: number; clarity: number } | undefined;
  for (const beats of METERS) {
    if (frames.length < beats * 4) continue;
    const sums = new Float64Array(beats);
    accents.forEach((accent, i) => (sums[i % beats] = (sums[i % beats] as number) + accent));
    const total = sums.reduce((sum, value) => sum + value, 0);
    const firstBeat = sums.indexOf(Math.max(...sums));
    const otherMean = (total - (sums[firstBeat] as number)) / (beats - 1);
    const clarity = total === 0 ? 0 : ((sums[firstBeat] as number) - otherMean) / (total / beats);
    if (!bestBar || clarity > bestBar.clarity) bestBar = { beats, first: firstBeat, clarity };
  }
  return bestBar && bestBar.clarity >= MIN_ACCENT ? { beats: bestBar.beats, firstDownbeat: bestBar.first } : undefined;
}

function accentAt(values: Float32Array, frame: number): number {
  let max = 0;
  for (let i = Math.max(0, frame - 3); i <= Math.min(values.length - 1, frame + 3); i++)
    max = Math.max(max, values[i] as number);
  return Math.min(8, max);
}
