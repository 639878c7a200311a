// Finds the tempo: how well onsets repeat at each period, by autocorrelation in windows (a tempogram: Grosche and
// Müller 2011), including multiples of the period (a comb) and a prior for the tempi that people tap (van Noorden and
// Moelants 1999). Two logistic models then decide which octave of the best period is tapped, and whether there is a
// beat at all.
import { createKernels } from './kernels.ts';
import { onsetsPerSecond, type Onsets } from './onsets.ts';
import { FRAMES_PER_SECOND } from './spectrogram.ts';

const WINDOW_FRAMES = Math.round(FRAMES_PER_SECOND * 12);
const WINDOW_HOP = WINDOW_FRAMES >> 1;
/** Number of zeros after a window, since products are computed four at a time. */
const PADDING = 4;
/** Onsets are limited to this multiple of the mean strength. */
const MAX_ONSET = 8;
const MIN_BPM = 36;
const MAX_BPM = 240;
const COMB_MULTIPLES = [1, 2, 3, 4];
const MAX_LAG = Math.ceil((FRAMES_PER_SECOND * 60 * COMB_MULTIPLES.length) / MIN_BPM) + 2;
/** Ratio of two tempi that are compared in the search: 0.5 %. */
const SEARCH_STEP = 1.005;
const PRIOR_BPM = 120;
const PRIOR_OCTAVES = 1.3;
/**
 * Weight of onsets between the beats, which count against a period: it may belong to a half or a third of the real
 * tempo. Without this, a period of five or seven notes would win in continuous quick notes.
 */
const BETWEEN_SHARE = 0.3;
const BASS_SHARE = 0.5;

/** Fewer onsets per second are counted as this many. */
const MIN_ONSET_RATE = 0.1;

const OCTAVES = [1 / 3, 1 / 2, 1, 2, 3];
const MIN_OCTAVE_BPM = 40;
const MAX_OCTAVE_BPM = 220;
/**
 * How likely people are to tap an octave: the weights of a softmax over the octaves. They were fitted with a ridge of 5
 * to the half of `test/bench/ear/held-out.json` that is for fitting, to 60 pieces of `test/support/score.ts`, and to 81
 * written scores that a synthesizer played, which count three times.
 */
const OCTAVE_WEIGHTS = {
  tempo: -0.98,
  tempoSquared: -2.01,
  beat: 0.74,
  halfBeat: 0.56,
  twoBeats: -1.3,
  thirdOfBeat: -3.35,
  bassOfTwoBeats: 0.39,
  bassOfFourBeats: 0.8,
  fourBeats: 1.13,
  threeBeats: 2.02,
  threeQuarters: -1.86,
  beatAndHalf: -2.17,
  onsetsPerBeat: 0.47,
  onsetsPerBeatSquared: -0.26,
  bassOnsetsPerBeat: 0.38,
  bassOnsetsPerBeatSquared: -0.16,
};
/**
 * Weights of the model for whether there is a beat. They were fitted to the same pieces, and to the sounds of
 * `test/support/beatless.ts`.
 */
const PULSE_WEIGHTS = { strength: 6.88, timesNoise: 11.09, constant: -12.84 };
const MIN_TIMES_NOISE = 0.01;
/** The lags at which windows are compared, 0.23 to 6 s. */
const NOISE_LAGS = [20, 520] as const;
/** Standard deviation of the autocorrelation in one window of a sound without a beat. */
const WINDOW_NOISE = 0.07;
/** A track with a lower probability of a beat gets no tempo. */
const MIN_PULSE = 0.3;

export interface Tempo {
  bpm: number;
  /** The probability that there is a beat and that this is its tempo, not another octave of it. */
  confidence: number;
}

/** Returns the tempo; undefined if nothing repeats. */
export function findTempo({ allBands, bass }: Onsets): Tempo | undefined {
  const [spreadOnsets, spreadBass] = [spread(allBands), spread(bass)];
  const [windows, bassWindows] = [autocorrelations(spreadOnsets), autocorrelations(spreadBass)];
  const [fullBand, bassBand] = [meanOf(windows), meanOf(bassWindows)];
  const combined = withBass(fullBand, bassBand);
  const strongest = strongestTempo(combined);
  if (!strongest) return undefined;
  const pulse = pulseProbability(strongest.strength, noiseOf(windows, bassWindows));
  if (pulse < MIN_PULSE) return undefined;
  const rates = { all: onsetsPerSecond(spreadOnsets), bass: onsetsPerSecond(spreadBass) };
  const octaves = OCTAVES.map((factor) => strongest.bpm * factor)
    .filter((bpm) => bpm >= MIN_OCTAVE_BPM && bpm <= MAX_OCTAVE_BPM)
    .map((bpm) => ({ bpm, weight: Math.exp(octaveScore(bpm, { fullBand, bassBand, combined }, rates)) }));
  const total = octaves.reduce((sum, { weight }) => sum + weight, 0);
  const { bpm, weight } = octaves.reduce((best, octave) => (octave.weight > best.weight ? octave : best));
  return { bpm, confidence: (pulse * weight) / total };
}

/**
 * Smooths onsets over neighbouring frames. Bowed and blown notes take some frames to begin, each differently; spread
 * rises still overlap in the autocorrelation.
 */
const spread = (values: Float32Array): Float32Array =>
  values.map((value, i) => value / 2 + ((values[i - 1] ?? 0) + (values[i + 1] ?? 0)) / 4);

function strongestTempo(combined: Float64Array): { bpm: number; strength: number } | undefined {
  let bestTempo: { bpm: number; strength: number } | undefined;
  let bestScore = 0;
  for (let bpm = MIN_BPM; bpm <= MAX_BPM; bpm *= SEARCH_STEP) {
    const period = (60 * FRAMES_PER_SECOND) / bpm;
    let strength = 0;
    for (const k of COMB_MULTIPLES) strength += valueAt(combined, period * k) / COMB_MULTIPLES.length;
    const halves = (valueAt(combined, period / 2) + valueAt(combined, period * 1.5)) / 2;
    const thirdsMean =
      (valueAt(combined, period / 3) + valueAt(combined, (period * 2) / 3) + valueAt(combined, (period * 4) / 3)) / 3;
    const between = Math.max(
      0,
      halves,
      thirdsMean,
      betweenParts(combined, period, 5),
      betweenParts(combined, period, 7),
    );
    strength -= BETWEEN_SHARE * between;
    const octaves = Math.log2(bpm / PRIOR_BPM) / PRIOR_OCTAVES;
    const score = Math.max(0, strength) * Math.exp(-0.5 * octaves * octaves);
    if (score <= bestScore) continue;
    bestScore = score;
    bestTempo = { bpm, strength };
  }
  return bestTempo;
}

/** Returns the mean at the points that divide a period into equal parts. */
function betweenParts(combined: Float64Array, period: number, parts: number): number {
  let sum = 0;
  for (let k = 1; k < parts; k++) sum += valueAt(combined, (period * k) / parts);
  return sum / (parts - 1);
}

function octaveScore(
  bpm: number,
  { fullBand, bassBand, combined }: Record<'fullBand' | 'bassBand' | 'combined', Float64Array>,
  rates: { all: number; bass: number },
): number {
  const period = (60 * FRAMES_PER_SECOND) / bpm;
  const octavesFromPrior = Math.log2(bpm / PRIOR_BPM);
  const perBeat = (rate: number): number => Math.log2((Math.max(MIN_ONSET_RATE, rate) * 60) / bpm);
  const features: typeof OCTAVE_WEIGHTS = {
    tempo: octavesFromPrior,
    tempoSquared: octavesFromPrior ** 2,
    beat: valueAt(combined, period),
    halfBeat: valueAt(fullBand, period / 2),
    twoBeats: valueAt(fullBand, period * 2),
    thirdOfBeat: Math.max(valueAt(fullBand, period / 3), valueAt(fullBand, (period * 2) / 3)),
    bassOfTwoBeats: valueAt(bassBand, period * 2),
    bassOfFourBeats: valueAt(bassBand, period * 4),
    fourBeats: valueAt(fullBand, period * 4),
    threeBeats: valueAt(fullBand, period * 3),
    threeQuarters: valueAt(combined, period * 0.75),
    beatAndHalf: valueAt(combined, period * 1.5),
    onsetsPerBeat: perBeat(rates.all),
    onsetsPerBeatSquared: perBeat(rates.all) ** 2,
    bassOnsetsPerBeat: perBeat(rates.bass),
    bassOnsetsPerBeatSquared: perBeat(rates.bass) ** 2,
  };
  const names = Object.keys(features) as (keyof typeof features)[];
  return names.reduce((sum, name) => sum + OCTAVE_WEIGHTS[name] * features[name], 0);
}

function pulseProbability(strength: number, noise: number): number {
  const timesNoise = Math.log(Math.max(MIN_TIMES_NOISE, strength / noise));
  const score = PULSE_WEIGHTS.strength * strength + PULSE_WEIGHTS.timesNoise * timesNoise + PULSE_WEIGHTS.constant;
  return 1 / (1 + Math.exp(-score));
}

/**
 * Estimates how much of the mean of all windows is chance: half the standard deviation between the means of even and
 * odd windows. So a faint beat still counts if it stays the same from window to window.
 */
function noiseOf(windows: Float64Array[], bassWindows: Float64Array[]): number {
  if (windows.length < 2) return WINDOW_NOISE;
  const [even, odd] = [0, 1].map((parity) => {
    const everyOther = (allWindows: Float64Array[]): Float64Array =>
      meanOf(allWindows.filter((_, i) => i % 2 === parity));
    return withBass(everyOther(windows), everyOther(bassWindows));
  }) as [Float64Array, Float64Array];
  const differences = even.map((value, lag) => value - (odd[lag] as number)).subarray(...NOISE_LAGS);
  let [sum, squares] = [0, 0];
  for (const difference of differences) {
    sum += difference;
    squares += difference ** 2;
  }
  const mean = sum / differences.length;
  return Math.max(Number.EPSILON, Math.sqrt(Math.max(0, squares / differences.length - mean ** 2)) / 2);
}

const withBass = (fullBand: Float64Array, bassBand: Float64Array): Float64Array =>
  fullBand.map((value, lag) => value + BASS_SHARE * (bassBand[lag] as number));

/** Returns the interpolated value between two lags. */
function valueAt(values: Float64Array, lag: number): number {
  const i = Math.floor(lag);
  const fraction = lag - i;
  return (values[i] as number) * (1 - fraction) + (values[i + 1] as number) * fraction;
}

/**
 * Returns the autocorrelation of each window that is not silent. It is divided by the window's energy, so that loud
 * parts do not dominate.
 */
function autocorrelations(values: Float32Array): Float64Array[] {
  const windows: Float64Array[] = [];
  const { loops, reserve } = createKernels();
  const window = new Float64Array(reserve((WINDOW_FRAMES + PADDING) * 8), 0, WINDOW_FRAMES + PADDING);
  for (let start = 0; start === 0 || start + WINDOW_FRAMES <= values.length; start += WINDOW_HOP) {
    const length = Math.min(WINDOW_FRAMES, values.length - start);
    let mean = 0;
    for (let i = 0; i < length; i++) mean += Math.min(MAX_ONSET, values[start + i] as number) / length;
    for (let i = 0; i < length; i++) window[i] = Math.min(MAX_ONSET, values[start + i] as number) - mean;
    let energy = 0;
    for (let i = 0; i < length; i++) energy += (window[i] as number) ** 2;
    if (energy === 0) continue;
    window.fill(0, length, length + PADDING);
    const result = new Float64Array(MAX_LAG + 2);
    const longest = Math.min(MAX_LAG, length - 1);
    for (let lag = 0; lag <= longest; lag++)
      // longer lags have fewer products, so their sum is scaled up
      result[lag] = (loops.product(lag * 8, 0, length - lag) / energy) * (length / (length - lag));
    windows.push(result);
  }
  return windows;
}

/** Returns the mean of the windows, scaled to 1 at lag 0. */
function meanOf(windows: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(MAX_LAG + 2);
  for (const window of windows)
    for (let lag = 0; lag < sum.length; lag++) sum[lag] = (sum[lag] as number) + (window[lag] as number);
  const zeroLag = sum[0] as number;
  return zeroLag > 0 ? sum.map((value) => value / zeroLag) : sum;
}
