// Measures loudness as in ITU-R BS.1770-4 (K-weighting, gating) and EBU R 128, and loudness range as in EBU Tech 3342.
// Filter coefficients for any sample rate and the weights of channels are those of libebur128 (MIT).
import { createKernels } from './kernels.ts';

/**
 * Blocks overlap: one begins with each step of 0.1 s. A block for the integrated loudness has 4 steps, one for the
 * range has 30. EBU Tech 3342 allows blocks for the range to begin once a second, as in libebur128, but for pieces of
 * 25 s that is up to 0.9 LU off (60 pieces).
 */
const STEPS_PER_SECOND = 10;
const BLOCK_STEPS = 4;
const SHORT_TERM_STEPS = 30;
const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;
const RANGE_GATE_LU = -20;
/** Target loudness of ReplayGain 2.0, in LUFS. */
const REPLAY_GAIN_LUFS = -18;

/**
 * Number of blocks for each tenth of a LU, from -70 to 30 LUFS. That is exact enough for the gating of several tracks
 * together.
 */
export type LoudnessHistogram = Uint32Array;
export const HISTOGRAM_BINS = 1_000;

export interface Loudness {
  /** Integrated loudness in LUFS; null for silence. */
  integrated: number | null;
  /** Loudness range in LU. */
  range: number;
  /** Blocks of 400 ms, for the integrated loudness of an album. */
  blocks: LoudnessHistogram;
  /** Blocks of 3 s, for the loudness range of an album. */
  shortTerm: LoudnessHistogram;
}

/** Returns the gain in dB that brings a track to the loudness of ReplayGain 2.0. */
export const gainFor = (lufs: number): number => REPLAY_GAIN_LUFS - lufs;

const loudnessOf = (energy: number): number => -0.691 + 10 * Math.log10(energy);
const energyOf = (lufs: number): number => 10 ** ((lufs + 0.691) / 10);

/**
 * Returns the coefficients for the loop: a shelf filter with `b0 b1 b2 a1 a2`, then a high-pass filter with `c1 c2`,
 * whose numerator is 1 -2 1. Both filters are written so that the next state follows from the last state and the input,
 * and need not wait for the output.
 */
function kWeighting(rateHz: number): number[] {
  const k = Math.tan((Math.PI * 1681.974450955533) / rateHz);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  const k2 = Math.tan((Math.PI * 38.13547087602444) / rateHz);
  const q2 = 0.5003270373238773;
  const a02 = 1 + k2 / q2 + k2 * k2;
  const b0 = (high + (band * k) / q + k * k) / a0;
  const a1 = (2 * (k * k - 1)) / a0;
  const a2 = (1 - k / q + k * k) / a0;
  const c1 = (2 * (k2 * k2 - 1)) / a02;
  const c2 = (1 - k2 / q2 + k2 * k2) / a02;
  const b1 = (2 * (k * k - high)) / a0;
  const b2 = (high - (band * k) / q + k * k) / a0;
  return [b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2, -2 - c1, c1, 1 - c2, c2];
}

/**
 * Returns the weight of each channel for the usual layouts: L R, L R C, L R Ls Rs, L R C Ls Rs, L R C LFE Ls Rs.
 * Further channels do not count.
 */
function channelWeights(channels: number): number[] {
  const weights =
    channels === 4 ? [1, 1, 1.41, 1.41] : channels === 5 ? [1, 1, 1, 1.41, 1.41] : [1, 1, 1, 0, 1.41, 1.41];
  return Array.from({ length: channels }, (_, channel) => weights[channel] ?? 0);
}

/** Layout of the loop's memory: nine coefficients, four state values and a sum, each for two channels. */
const STATE_FLOATS = 2 * 14;
const STATE_OFFSET = 2 * 9;
const SUMS_OFFSET = 2 * 13;

/**
 * Returns a function that filters and squares the channels, and returns their sum. Channels without a weight are left
 * out.
 */
function createFilter(rateHz: number, weights: readonly number[], maxFrames: number) {
  const { loops, reserve } = createKernels();
  const counting = weights.flatMap((weight, channel) => (weight > 0 ? [channel] : []));
  const pairs = Array.from({ length: Math.ceil(counting.length / 2) }, (_, n) => counting.slice(2 * n, 2 * n + 2));
  const linesAt = pairs.length * STATE_FLOATS * 8;
  const memory = reserve(linesAt + 2 * maxFrames * 4);
  const lines = [0, 1].map((n) => new Float32Array(memory, linesAt + n * maxFrames * 4, maxFrames));
  const states = pairs.map((_, n) => new Float64Array(memory, n * STATE_FLOATS * 8, STATE_FLOATS));
  for (const state of states) kWeighting(rateHz).forEach((coefficient, i) => state.fill(coefficient, 2 * i, 2 * i + 2));

  return (data: readonly Float32Array[], from: number, to: number): number => {
    let energy = 0;
    for (const [n, pair] of pairs.entries()) {
      const state = states[n] as Float64Array;
      pair.forEach((channel, i) => lines[i]?.set((data[channel] as Float32Array).subarray(from, to)));
      loops.weighted(linesAt, linesAt + maxFrames * 4, to - from, state.byteOffset);
      pair.forEach((channel, i) => (energy += (weights[channel] as number) * (state[SUMS_OFFSET + i] as number)));
      // very small (denormal) numbers are slow, so they are set to zero
      for (let i = STATE_OFFSET; i < SUMS_OFFSET; i++) if (Math.abs(state[i] as number) < 1e-30) state[i] = 0;
    }
    return energy;
  };
}

export function createLoudnessMeter(rateHz: number, channels: number) {
  const stepFrames = Math.floor((rateHz + STEPS_PER_SECOND / 2) / STEPS_PER_SECOND);
  const filtered = createFilter(rateHz, channelWeights(channels), stepFrames);
  const recentEnergies = new Float64Array(SHORT_TERM_STEPS);
  const blocks: number[] = [];
  const shortTerm: number[] = [];
  let [inStep, energy, steps] = [0, 0, 0];

  function mean(count: number): number {
    let sum = 0;
    for (let i = 1; i <= count; i++) sum += recentEnergies[(steps - i) % SHORT_TERM_STEPS] as number;
    return sum / (count * stepFrames);
  }

  function endStep(): void {
    recentEnergies[steps % SHORT_TERM_STEPS] = energy;
    steps++;
    [inStep, energy] = [0, 0];
    if (steps >= BLOCK_STEPS) blocks.push(mean(BLOCK_STEPS));
    if (steps >= SHORT_TERM_STEPS) shortTerm.push(mean(SHORT_TERM_STEPS));
  }

  return {
    /** Adds frames; `data` has the samples of each channel. */
    push(data: readonly Float32Array[], frames: number): void {
      for (let frame = 0; frame < frames;) {
        const to = Math.min(frames, frame + stepFrames - inStep);
        energy += filtered(data, frame, to);
        inStep += to - frame;
        frame = to;
        if (inStep === stepFrames) endStep();
      }
    },

    finish(): Loudness {
      return {
        integrated: integratedLoudness(blocks),
        range: rangeOf(shortTerm),
        blocks: histogramOf(blocks),
        shortTerm: histogramOf(shortTerm),
      };
    },
  };
}

function integratedLoudness(blocks: readonly number[]): number | null {
  const absoluteGate = energyOf(ABSOLUTE_GATE_LUFS);
  const audible = blocks.filter((block) => block >= absoluteGate);
  if (audible.length === 0) return null;
  const gate = (sumOf(audible) / audible.length) * 10 ** (RELATIVE_GATE_LU / 10);
  const gatedBlocks = audible.filter((block) => block >= gate);
  return loudnessOf(sumOf(gatedBlocks) / gatedBlocks.length);
}

function rangeOf(blocks: readonly number[]): number {
  const absoluteGate = energyOf(ABSOLUTE_GATE_LUFS);
  const audible = blocks.filter((block) => block >= absoluteGate);
  if (audible.length === 0) return 0;
  const gate = (sumOf(audible) / audible.length) * 10 ** (RANGE_GATE_LU / 10);
  const gatedBlocks = Float64Array.from(audible.filter((block) => block >= gate)).toSorted();
  const loudnessAt = (share: number): number =>
    loudnessOf(gatedBlocks[Math.floor((gatedBlocks.length - 1) * share + 0.5)] as number);
  return loudnessAt(0.95) - loudnessAt(0.1);
}

function histogramOf(blocks: readonly number[]): LoudnessHistogram {
  const histogram = new Uint32Array(HISTOGRAM_BINS);
  for (const block of blocks) {
    const bin = Math.floor((loudnessOf(block) - ABSOLUTE_GATE_LUFS) * 10);
    if (bin >= 0) histogram[Math.min(bin, HISTOGRAM_BINS - 1)] = (histogram[bin] ?? 0) + 1;
  }
  return histogram;
}

const BIN_ENERGY = Float64Array.from({ length: HISTOGRAM_BINS }, (_, bin) =>
  energyOf(ABSOLUTE_GATE_LUFS + (bin + 0.5) / 10),
);

/**
 * Returns the loudness of several tracks as if they were one, as EBU R 128 s2 and ReplayGain 2.0 define it for albums;
 * null for silence.
 */
export function albumLoudness(
  histograms: readonly Pick<Loudness, 'blocks' | 'shortTerm'>[],
): { integrated: number; range: number } | null {
  const blocks = addUp(histograms.map((histogram) => histogram.blocks));
  const gate = gateOf(blocks, RELATIVE_GATE_LU);
  if (gate === null) return null;
  const { energy, count } = sumAbove(blocks, gate);
  return {
    integrated: loudnessOf(energy / count),
    range: histogramRange(addUp(histograms.map((histogram) => histogram.shortTerm))),
  };
}

function addUp(histograms: readonly LoudnessHistogram[]): LoudnessHistogram {
  const sum = new Uint32Array(HISTOGRAM_BINS);
  for (const histogram of histograms)
    for (let bin = 0; bin < HISTOGRAM_BINS; bin++) sum[bin] = (sum[bin] as number) + (histogram[bin] ?? 0);
  return sum;
}

function sumAbove(histogram: LoudnessHistogram, gate: number): { energy: number; count: number } {
  let [energy, count] = [0, 0];
  histogram.forEach((blocks, bin) => {
    const blockEnergy = BIN_ENERGY[bin] as number;
    if (blocks === 0 || blockEnergy < gate) return;
    energy += blocks * blockEnergy;
    count += blocks;
  });
  return { energy, count };
}

function gateOf(histogram: LoudnessHistogram, relative: number): number | null {
  const { energy, count } = sumAbove(histogram, 0);
  return count === 0 ? null : (energy / count) * 10 ** (relative / 10);
}

function histogramRange(histogram: LoudnessHistogram): number {
  const gate = gateOf(histogram, RANGE_GATE_LU);
  if (gate === null) return 0;
  const { count } = sumAbove(histogram, gate);
  const loudnessAt = (share: number): number => {
    let remaining = Math.floor((count - 1) * share + 0.5);
    for (let bin = 0; bin < HISTOGRAM_BINS; bin++) {
      if ((BIN_ENERGY[bin] as number) < gate) continue;
      remaining -= histogram[bin] as number;
      if (remaining < 0) return bin / 10;
    }
    return (HISTOGRAM_BINS - 1) / 10;
  };
  return loudnessAt(0.95) - loudnessAt(0.1);
}

const sumOf = (values: readonly number[]): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};
