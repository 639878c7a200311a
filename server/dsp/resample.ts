// Resamples one channel by a rational factor, with a low-pass filter (a sinc under a Kaiser window). Each output sample
// uses one phase of the filter (Crochiere and Rabiner, Multirate Digital Signal Processing, 1983).
import { createKernels } from './kernels.ts';

/** Number of zero crossings of the sinc on each side, at the lower of the two rates. */
const ZERO_CROSSINGS = 8;
const KAISER_BETA = 6;
/** The filter attenuates frequencies above this share of the lower Nyquist frequency. */
const PASS_BAND_SHARE = 0.92;

/** `maxFrames` is the largest number of frames that are pushed at a time. */
export function createResampler(fromHz: number, toHz: number, maxFrames: number) {
  const divisor = gcd(fromHz, toHz);
  const [phases, step] = [toHz / divisor, fromHz / divisor];
  const [wholeStep, stepRemainder] = [Math.floor(step / phases), step % phases];
  const ratio = Math.max(1, fromHz / toHz);
  const taps = 4 * Math.ceil((ZERO_CROSSINGS * ratio) / 2);
  const { loops, reserve } = createKernels();
  const lineAt = phases * taps * 4;
  const outAt = lineAt + (taps + maxFrames) * 4;
  const maxOutputs = Math.ceil(((taps + maxFrames) * phases) / step) + 1;
  const memory = reserve(outAt + maxOutputs * 4);
  const line = new Float32Array(memory, lineAt, taps + maxFrames);
  const output = new Float32Array(memory, outAt, maxOutputs);
  fillTable(new Float32Array(memory, 0, phases * taps), { phases, taps, cutoff: PASS_BAND_SHARE / ratio });
  let keptSamples = taps / 2 - 1; // the line begins with zeros, in place of samples before the first one

  return {
    /** Adds input samples and returns the output samples that can be computed; they are valid until the next call. */
    push(input: Float32Array, frames: number): Float32Array {
      line.set(frames === input.length ? input : input.subarray(0, frames), keptSamples);
      const sampleCount = keptSamples + frames;
      const outputCount = loops.resample(lineAt, sampleCount, 0, taps, phases, wholeStep, stepRemainder, outAt);
      const inputPosition = loops.at.value;
      line.copyWithin(0, inputPosition, sampleCount);
      keptSamples = sampleCount - inputPosition;
      return output.subarray(0, outputCount);
    },
  };
}

function fillTable(
  table: Float32Array,
  { phases, taps, cutoff }: { phases: number; taps: number; cutoff: number },
): void {
  const row = new Float64Array(taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let k = 0; k < taps; k++) {
      const x = taps / 2 - 1 - k + phase / phases;
      row[k] = sinc(cutoff * x) * kaiser((2 * x) / taps);
      sum += row[k] as number;
    }
    for (let k = 0; k < taps; k++) table[phase * taps + k] = (row[k] as number) / sum;
  }
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
/** Returns the Kaiser window at a position from -1 to 1. */
const kaiser = (x: number): number =>
  Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
/** Returns the modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; k < 30; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
