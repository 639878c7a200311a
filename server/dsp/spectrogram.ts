// What the musical steps hear: a mel spectrogram for rhythm and timbre, and the strength of pitch classes for harmony.
// From one channel at 22,050 Hz, whatever the file has, so that encodings of one recording look alike.
import { createPowerSpectrum, hann } from './fft.ts';
import { createResampler } from './resample.ts';

export const SPECTRUM_HZ = 22_050;
const FRAME = 1_024;
const HOP = 256;
export const FRAMES_PER_SECOND = SPECTRUM_HZ / HOP;
/** The middle of the first frame. */
export const FIRST_FRAME_SECONDS = FRAME / 2 / SPECTRUM_HZ;
export const BANDS = 40;
const LOWEST_HZ = 30;
const HIGHEST_HZ = 8_000;

const PITCH_HZ = SPECTRUM_HZ / 4;
const PITCH_FRAME = 4_096;
const PITCH_HOP = 1_024;
export const PITCH_FRAMES_PER_SECOND = PITCH_HZ / PITCH_HOP;
/** Of an octave; the first is C, in a tuning of 440 Hz. */
export const PITCH_BINS = 36;
const LOWEST_PITCH_HZ = 60;
const HIGHEST_PITCH_HZ = 2_000;

/** Longer tracks are judged by this much of them. */
const MOST_SECONDS = 12 * 60;
const BLOCK = 4_096;
const QUIETEST = 1e-12;

export interface Spectrogram {
  /** Decibels of power, `BANDS` for each frame. */
  mel: Float32Array;
  frames: number;
  /** Amplitudes, `PITCH_BINS` for each pitch frame. */
  pitches: Float32Array;
  pitchFrames: number;
}

export function createSpectrograph(rateHz: number) {
  const resampler = createResampler(rateHz, SPECTRUM_HZ, BLOCK);
  const lower = createResampler(4, 1, 2 * BLOCK * Math.ceil(SPECTRUM_HZ / rateHz));
  const mel = createFrames(FRAME, HOP, BANDS, melBands());
  const pitches = createFrames(PITCH_FRAME, PITCH_HOP, PITCH_BINS, pitchPeaks());
  const mono = new Float32Array(BLOCK);
  let left = MOST_SECONDS * rateHz;

  return {
    push(data: readonly Float32Array[], count: number): void {
      for (let at = 0; at < count && left > 0; at += BLOCK) {
        const frames = Math.min(BLOCK, count - at, left);
        left -= frames;
        mono.fill(0, 0, frames);
        for (const channel of data)
          for (let i = 0; i < frames; i++) mono[i] = (mono[i] as number) + (channel[at + i] as number);
        const share = 1 / data.length;
        for (let i = 0; i < frames; i++) mono[i] = (mono[i] as number) * share;
        const samples = resampler.push(mono, frames);
        mel.push(samples, samples.length);
        const low = lower.push(samples, samples.length);
        pitches.push(low, low.length);
      }
    },
    finish(): Spectrogram {
      const [melFrames, pitchFrames] = [mel.finish(), pitches.finish()];
      return {
        mel: melFrames.values,
        frames: melFrames.frames,
        pitches: pitchFrames.values,
        pitchFrames: pitchFrames.frames,
      };
    },
  };
}

type Analyse = (power: Float64Array, into: Float32Array, at: number) => void;

/** Cuts samples into frames that overlap, and keeps what each gives. */
function createFrames(size: number, hop: number, width: number, analyse: Analyse) {
  const spectrum = createPowerSpectrum(size, hann(size));
  const power = new Float64Array(size / 2 + 1);
  let line = new Float32Array(size + BLOCK);
  let values = new Float32Array(width * 1_024);
  let kept = 0;
  let frames = 0;

  return {
    push(samples: Float32Array, count: number): void {
      if (line.length < kept + count) {
        const longer = new Float32Array(kept + count);
        longer.set(line.subarray(0, kept));
        line = longer;
      }
      line.set(samples, kept);
      kept += count;
      let at = 0;
      for (; at + size <= kept; at += hop) {
        spectrum(line, power, at);
        if (values.length < (frames + 1) * width) {
          const longer = new Float32Array(values.length * 2);
          longer.set(values);
          values = longer;
        }
        analyse(power, values, frames * width);
        frames++;
      }
      line.copyWithin(0, at, kept);
      kept -= at;
    },
    finish: () => ({ values: values.subarray(0, frames * width), frames }),
  };
}

/** Triangles of equal width in mel (O'Shaughnessy 1987), no narrower than two bins. */
function melBands(): Analyse {
  const mel = (hz: number): number => 2595 * Math.log10(1 + hz / 700);
  const hz = (m: number): number => 700 * (10 ** (m / 2595) - 1);
  const [low, high] = [mel(LOWEST_HZ), mel(HIGHEST_HZ)];
  const edge = (i: number): number => (hz(low + ((high - low) * i) / (BANDS + 1)) * FRAME) / SPECTRUM_HZ;
  const first = new Int32Array(BANDS);
  const start = new Int32Array(BANDS + 1);
  const weights: number[] = [];
  for (let band = 0; band < BANDS; band++) {
    const centre = edge(band + 1);
    const [from, to] = [Math.min(edge(band), centre - 1), Math.max(edge(band + 2), centre + 1)];
    first[band] = Math.max(1, Math.ceil(from));
    const triangle: number[] = [];
    for (let bin = first[band] as number; bin < to; bin++)
      triangle.push(bin < centre ? (bin - from) / (centre - from) : (to - bin) / (to - centre));
    const sum = triangle.reduce((all, one) => all + one, 0);
    weights.push(...triangle.map((weight) => weight / sum));
    start[band + 1] = weights.length;
  }
  const table = Float64Array.from(weights);
  const scale = 4 / (FRAME * FRAME);
  return (power, into, at) => {
    for (let band = 0; band < BANDS; band++) {
      const from = start[band] as number;
      const to = start[band + 1] as number;
      const offset = (first[band] as number) - from;
      let sum = 0;
      for (let i = from; i < to; i++) sum += (table[i] as number) * (power[i + offset] as number);
      into[at + band] = 10 * Math.log10(sum * scale + QUIETEST);
    }
  };
}

/** Peaks of the spectrum, at the pitch between the bins (a parabola through the logarithms). */
function pitchPeaks(): Analyse {
  const binHz = PITCH_HZ / PITCH_FRAME;
  const [from, to] = [Math.floor(LOWEST_PITCH_HZ / binHz), Math.ceil(HIGHEST_PITCH_HZ / binHz)];
  const scale = 2 / PITCH_FRAME;
  const referenceHz = (440 * 2 ** (-9 / 12)) / 16; // C0
  return (power, into, at) => {
    into.fill(0, at, at + PITCH_BINS);
    let loudest = 0;
    for (let bin = from; bin <= to; bin++) loudest = Math.max(loudest, power[bin] as number);
    const least = Math.max(loudest * 1e-5, 1e-4);
    for (let bin = from; bin <= to; bin++) {
      const here = power[bin] as number;
      if (here < least || here <= (power[bin - 1] as number) || here < (power[bin + 1] as number)) continue;
      const a = Math.log((power[bin - 1] as number) + QUIETEST);
      const b = Math.log(here);
      const c = Math.log((power[bin + 1] as number) + QUIETEST);
      const shift = (0.5 * (a - c)) / (a - 2 * b + c);
      const pitch = PITCH_BINS * Math.log2(((bin + shift) * binHz) / referenceHz);
      const index = at + (((Math.round(pitch) % PITCH_BINS) + PITCH_BINS) % PITCH_BINS);
      into[index] = (into[index] as number) + Math.sqrt(here) * scale;
    }
  };
}
