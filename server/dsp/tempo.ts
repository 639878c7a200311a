// Tempo: how well onsets repeat at each period, by autocorrelation in windows (a tempogram: Grosche and Müller 2011),
// with multiples of the period (a comb) and a prior for the tempi that people tap (van Noorden and Moelants 1999).
import { createKernels } from './kernels.ts';
import type { Onsets } from './onsets.ts';
import { FRAMES_PER_SECOND } from './spectrogram.ts';

const WINDOW = Math.round(FRAMES_PER_SECOND * 12);
const WINDOW_HOP = WINDOW >> 1;
/** Zeros after a window, since products are taken four at a time. */
const AFTER = 4;
const SLOWEST_BPM = 36;
const FASTEST_BPM = 240;
const COMB = [1, 2, 3, 4];
const MOST_LAG = Math.ceil((FRAMES_PER_SECOND * 60 * COMB.length) / SLOWEST_BPM) + 2;
/** Steps of the search: 0.5 %. */
const STEP = 1.005;
const PRIOR_BPM = 120;
const PRIOR_OCTAVES = 1.3;
/** Onsets between the beats speak against a period: it may be that of half the tempo, or of a third. */
const BETWEEN_SHARE = 0.3;
const BASS_SHARE = 0.5;

export interface Tempo {
  bpm: number;
  /** 0 to 1: how much the best period stands out. */
  confidence: number;
}

/** Undefined where nothing repeats. */
export function findTempo({ all, bass }: Onsets): Tempo | undefined {
  const full = autocorrelation(all);
  const low = autocorrelation(bass);
  const at = (lag: number): number => {
    const i = Math.floor(lag);
    const rest = lag - i;
    const of = (acf: Float64Array): number => (acf[i] as number) * (1 - rest) + (acf[i + 1] as number) * rest;
    return of(full) + BASS_SHARE * of(low);
  };
  let [bestBpm, best, sum, count] = [0, 0, 0, 0];
  for (let bpm = SLOWEST_BPM; bpm <= FASTEST_BPM; bpm *= STEP) {
    const period = (60 * FRAMES_PER_SECOND) / bpm;
    let strength = 0;
    for (const k of COMB) strength += at(period * k) / COMB.length;
    const halves = (at(period / 2) + at(period * 1.5)) / 2;
    const thirds = (at(period / 3) + at((period * 2) / 3) + at((period * 4) / 3)) / 3;
    strength -= BETWEEN_SHARE * Math.max(0, halves, thirds);
    const octaves = Math.log2(bpm / PRIOR_BPM) / PRIOR_OCTAVES;
    const score = Math.max(0, strength) * Math.exp(-0.5 * octaves * octaves);
    sum += score;
    count++;
    if (score > best) [bestBpm, best] = [bpm, score];
  }
  if (best <= 0) return undefined;
  const mean = sum / count;
  return { bpm: bestBpm, confidence: Math.max(0, Math.min(1, (best - mean) / (best + mean))) };
}

/** The mean of windows, each divided by its energy, so that loud parts do not decide alone. */
function autocorrelation(values: Float32Array): Float64Array {
  const sum = new Float64Array(MOST_LAG + 2);
  const { loops, reserve } = createKernels();
  const window = new Float64Array(reserve((WINDOW + AFTER) * 8), 0, WINDOW + AFTER);
  for (let from = 0; from === 0 || from + WINDOW <= values.length; from += WINDOW_HOP) {
    const length = Math.min(WINDOW, values.length - from);
    let mean = 0;
    for (let i = 0; i < length; i++) mean += (values[from + i] as number) / length;
    for (let i = 0; i < length; i++) window[i] = Math.min(8, values[from + i] as number) - Math.min(8, mean);
    let energy = 0;
    for (let i = 0; i < length; i++) energy += (window[i] as number) ** 2;
    if (energy === 0) continue;
    window.fill(0, length, length + AFTER);
    const longest = Math.min(MOST_LAG, length - 1);
    for (let lag = 0; lag <= longest; lag++) {
      const product = loops.product(lag * 8, 0, length - lag);
      // as if every lag had as many products
      sum[lag] = (sum[lag] as number) + (product / energy) * (length / (length - lag));
    }
  }
  const first = sum[0] as number;
  if (first > 0) for (let lag = 0; lag < sum.length; lag++) sum[lag] = (sum[lag] as number) / first;
  return sum;
}
