// Computes the input of the musical steps: a mel spectrogram for rhythm and timbre, and the strength of pitch classes
// for harmony. It reads one channel at 22,050 Hz, whatever the file has, so that encodings of one recording look alike.
import { createPowerSpectra, hann, LANES, type Band } from './fft.ts';
import { createResampler } from './resample.ts';

const SPECTRUM_HZ = 22_050;
const FRAME_SAMPLES = 1_024;
const HOP_SAMPLES = 256;
export const FRAMES_PER_SECOND = SPECTRUM_HZ / HOP_SAMPLES;
/** The time of the middle of the first frame. */
export const FIRST_FRAME_SECONDS = FRAME_SAMPLES / 2 / SPECTRUM_HZ;
export const BANDS = 40;
const MIN_HZ = 30;
const MAX_HZ = 8_000;

const PITCH_HZ = SPECTRUM_HZ / 4;
const PITCH_FRAME_SAMPLES = 4_096;
const PITCH_HOP_SAMPLES = 1_024;
export const PITCH_FRAMES_PER_SECOND = PITCH_HZ / PITCH_HOP_SAMPLES;
/** Number of pitch bins in an octave. The first bin is C, in a tuning of 440 Hz. */
export const PITCH_BINS = 36;
const MIN_PITCH_HZ = 60;
const MAX_PITCH_HZ = 2_000;

/** Of longer tracks, only the first twelve minutes are analyzed. */
const MAX_ANALYZED_SECONDS = 12 * 60;
const BLOCK_SAMPLES = 4_096;
const MIN_POWER = 1e-12;
/** Factor from natural logarithms of power to decibels; natural ones are faster to compute than decimal ones. */
const DECIBELS_PER_NEPER = 10 / Math.LN10;

export interface Spectrogram {
  /** Power in decibels, `BANDS` values for each frame. */
  mel: Float32Array;
  /** The highest value in `mel`. */
  loudest: number;
  /** Mean power of each band. */
  melPower: Float64Array;
  frames: number;
  /** Amplitudes of pitches, `PITCH_BINS` values for each pitch frame. */
  pitches: Float32Array;
  pitchFrames: number;
}

export function createSpectrograph(rateHz: number) {
  const resampler = createResampler(rateHz, SPECTRUM_HZ, BLOCK_SAMPLES);
  const maxFrames = 2 * BLOCK_SAMPLES * Math.ceil(SPECTRUM_HZ / rateHz);
  const pitchResampler = createResampler(4, 1, maxFrames);
  const bands = melBands();
  const melPower = new Float64Array(BANDS);
  const mel = createFrames(
    { size: FRAME_SAMPLES, hop: HOP_SAMPLES, maxSamples: maxFrames, width: BANDS, bands },
    melLevels(melPower),
  );
  const pitches = createFrames(
    { size: PITCH_FRAME_SAMPLES, hop: PITCH_HOP_SAMPLES, maxSamples: maxFrames, width: PITCH_BINS, bands: [] },
    pitchPeaks(),
  );
  const mono = new Float32Array(BLOCK_SAMPLES);
  let remainingSamples = MAX_ANALYZED_SECONDS * rateHz;

  return {
    push(data: readonly Float32Array[], count: number): void {
      for (let offset = 0; offset < count && remainingSamples > 0; offset += BLOCK_SAMPLES) {
        const frames = Math.min(BLOCK_SAMPLES, count - offset, remainingSamples);
        remainingSamples -= frames;
        mix(data, offset, mono, frames);
        const samples = resampler.push(mono, frames);
        mel.push(samples);
        pitches.push(pitchResampler.push(samples, samples.length));
      }
    },
    finish(): Spectrogram {
      const [melFrames, pitchFrames] = [mel.finish(), pitches.finish()];
      return {
        mel: melFrames.values,
        melPower,
        loudest: loudestOf(melFrames.values),
        frames: melFrames.frames,
        pitches: pitchFrames.values,
        pitchFrames: pitchFrames.frames,
      };
    },
  };
}

function loudestOf(values: Float32Array): number {
  let loudest = -Infinity;
  for (let i = 0; i < values.length; i++) if ((values[i] as number) > loudest) loudest = values[i] as number;
  return loudest;
}

/** Writes the mean of the channels into `into`. */
function mix(data: readonly Float32Array[], from: number, output: Float32Array, count: number): void {
  const [firstChannel, secondChannel] = data as [Float32Array, Float32Array | undefined];
  const share = 1 / data.length;
  if (secondChannel)
    for (let i = 0; i < count; i++)
      output[i] = ((firstChannel[from + i] as number) + (secondChannel[from + i] as number)) * share;
  else output.set(firstChannel.subarray(from, from + count));
  for (const channel of data.slice(2))
    for (let i = 0; i < count; i++) output[i] = (output[i] as number) + (channel[from + i] as number) * share;
}

/**
 * Computes the values of one frame and writes them into `into`. The sums and powers of the frame are at every
 * `LANES`-th position, beginning with `lane`.
 */
type Analyze = (
  frame: { power: Float32Array; sums: Float32Array; lane: number },
  output: Float32Array,
  offset: number,
) => void;

interface FramesOptions {
  size: number;
  hop: number;
  /** Maximum number of samples that are pushed at a time. */
  maxSamples: number;
  /** Number of values that are kept for each frame. */
  width: number;
  bands: Band[];
}

/** Cuts samples into overlapping frames, and keeps the values that `analyze` computes for each. */
function createFrames({ size, hop, maxSamples, width, bands }: FramesOptions, analyze: Analyze) {
  const blockSamples = size + (LANES - 1) * hop;
  const spectra = createPowerSpectra({ size, hop, lineCapacity: blockSamples + maxSamples }, hann(size), bands);
  const { line, power, sums } = spectra;
  let values = new Float32Array(width * 1_024);
  let keptSamples = 0;
  let frames = 0;

  function addSamples(from: number, count: number): void {
    spectra.transform(from);
    if (values.length < (frames + count) * width) {
      const longer = new Float32Array(values.length * 2);
      longer.set(values);
      values = longer;
    }
    for (let lane = 0; lane < count; lane++) analyze({ power, sums, lane }, values, frames++ * width);
  }

  return {
    push(samples: Float32Array): void {
      line.set(samples, keptSamples);
      keptSamples += samples.length;
      let lineOffset = 0;
      for (; lineOffset + blockSamples <= keptSamples; lineOffset += LANES * hop) addSamples(lineOffset, LANES);
      line.copyWithin(0, lineOffset, keptSamples);
      keptSamples -= lineOffset;
    },
    finish() {
      const remainingFrames = Math.floor((keptSamples - size) / hop) + 1;
      if (remainingFrames > 0) addSamples(0, remainingFrames);
      return { values: values.subarray(0, frames * width), frames };
    },
  };
}

/** Returns triangular bands of equal width on the mel scale (O'Shaughnessy 1987), none narrower than two bins. */
function melBands(): Band[] {
  const mel = (hz: number): number => 2595 * Math.log10(1 + hz / 700);
  const hz = (m: number): number => 700 * (10 ** (m / 2595) - 1);
  const [lowMel, highMel] = [mel(MIN_HZ), mel(MAX_HZ)];
  const edge = (i: number): number =>
    (hz(lowMel + ((highMel - lowMel) * i) / (BANDS + 1)) * FRAME_SAMPLES) / SPECTRUM_HZ;
  const scale = 4 / (FRAME_SAMPLES * FRAME_SAMPLES);
  return Array.from({ length: BANDS }, (_, band) => {
    const centre = edge(band + 1);
    const [from, to] = [Math.min(edge(band), centre - 1), Math.max(edge(band + 2), centre + 1)];
    const firstBin = Math.max(1, Math.ceil(from));
    const triangle: number[] = [];
    for (let bin = firstBin; bin < to; bin++)
      triangle.push(bin < centre ? (bin - from) / (centre - from) : (to - bin) / (to - centre));
    const sum = triangle.reduce((total, weight) => total + weight, 0);
    return { firstBin, weights: triangle.map((weight) => (weight * scale) / sum) };
  });
}

/** Returns a function that writes the levels of the bands in decibels, and adds their power to `power`. */
function melLevels(power: Float64Array): Analyze {
  return ({ sums, lane }, output, offset) => {
    for (let band = 0; band < BANDS; band++) {
      const value = (sums[band * LANES + lane] as number) + MIN_POWER;
      power[band] = (power[band] as number) + value;
      output[offset + band] = DECIBELS_PER_NEPER * Math.log(value);
    }
  };
}

/**
 * Returns a function that writes the peaks of the spectrum by pitch. The pitch of a peak is interpolated between bins
 * (a parabola through the logarithms).
 */
function pitchPeaks(): Analyze {
  const binHz = PITCH_HZ / PITCH_FRAME_SAMPLES;
  const [firstBin, lastBin] = [Math.floor(MIN_PITCH_HZ / binHz), Math.ceil(MAX_PITCH_HZ / binHz)];
  const scale = 2 / PITCH_FRAME_SAMPLES;
  const referenceHz = (440 * 2 ** (-9 / 12)) / 16; // the frequency of the note C0
  return ({ power, lane }, output, offset) => {
    output.fill(0, offset, offset + PITCH_BINS);
    const [firstIndex, endIndex] = [firstBin * LANES + lane, (lastBin + 1) * LANES];
    let loudest = 0;
    for (let i = firstIndex; i < endIndex; i += LANES) if ((power[i] as number) > loudest) loudest = power[i] as number;
    const minPower = Math.max(loudest * 1e-5, 1e-4);
    for (let i = firstIndex; i < endIndex; i += LANES) {
      const peakPower = power[i] as number;
      if (peakPower < minPower) continue;
      const previousPower = power[i - LANES] as number;
      const nextPower = power[i + LANES] as number;
      if (peakPower <= previousPower || peakPower < nextPower) continue;
      const lowRatio = (previousPower + MIN_POWER) / peakPower;
      const highRatio = (nextPower + MIN_POWER) / peakPower;
      const shift = (0.5 * Math.log(lowRatio / highRatio)) / Math.log(lowRatio * highRatio);
      const bin = (i - lane) / LANES;
      const pitch = PITCH_BINS * Math.log2(((bin + shift) * binHz) / referenceHz);
      const index = offset + (((Math.round(pitch) % PITCH_BINS) + PITCH_BINS) % PITCH_BINS);
      output[index] = (output[index] as number) + Math.sqrt(peakPower) * scale;
    }
  };
}
