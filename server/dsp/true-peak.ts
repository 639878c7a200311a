// Measures the true peak by fourfold oversampling (ITU-R BS.1770-4, annex 2) with the interpolator of libebur128 (MIT):
// a sinc of 49 taps under a Hann window, whose first phase is the sample itself. From 96 kHz on the oversampling is
// twofold, and from 192 kHz on there is none.
import { createKernels } from './kernels.ts';

const TAP_COUNT = 12;
const BLOCK_SAMPLES = 8_192;
/**
 * Offset of the samples in the kernel's memory. Before it are the taps of three phases, each tap four times; after it a
 * line of samples for each channel.
 */
const LINES_OFFSET = TAP_COUNT * 3 * 16;
/** Length of a line, with room for some samples after the last one, which the loop reads, too. */
const LINE_FLOATS = TAP_COUNT + 4 + BLOCK_SAMPLES + 28;

export function createTruePeakMeter(rateHz: number, channels: number) {
  const factor = rateHz < 96_000 ? 4 : rateHz < 192_000 ? 2 : 1;
  const { loops, reserve } = createKernels();
  const memory = reserve(LINES_OFFSET + channels * LINE_FLOATS * 4);
  const gain = fillTaps(new Float32Array(memory, 0, TAP_COUNT * 12), factor);
  const lines = Array.from(
    { length: channels },
    (_, channel) => new Float32Array(memory, LINES_OFFSET + channel * LINE_FLOATS * 4, LINE_FLOATS),
  );
  let peak = 0;
  let samplePeak = 0;

  let waitingSamples = 0; // samples that wait for the next call, because the loop computes four positions at a time

  function pushPart(data: Float32Array, channel: number): void {
    const line = lines[channel] as Float32Array;
    const lineAt = line.byteOffset;
    const start = TAP_COUNT + waitingSamples;
    line.set(data, start);
    samplePeak = Math.max(samplePeak, loops.peak(lineAt + start * 4, data.length));
    const count = (waitingSamples + data.length) & ~3;
    if (factor > 1) peak = loops.truePeak(lineAt + 4, count, 0, gain, peak);
    line.copyWithin(0, count, start + data.length);
  }

  return {
    push(data: readonly Float32Array[], frames: number): void {
      for (let start = 0; start < frames; start += BLOCK_SAMPLES) {
        const end = Math.min(frames, start + BLOCK_SAMPLES);
        for (let channel = 0; channel < channels; channel++)
          pushPart((data[channel] as Float32Array).subarray(start, end), channel);
        waitingSamples = (waitingSamples + end - start) & 3;
      }
    },
    /** Peaks as linear amplitudes; 1 is full scale. */
    finish: (): { truePeak: number; samplePeak: number } => ({ truePeak: Math.max(peak, samplePeak), samplePeak }),
  };
}

/**
 * Fills the table of taps; those of unused phases stay 0. Returns the largest factor by which a value between samples
 * can exceed them.
 */
function fillTaps(table: Float32Array, factor: number): number {
  const tap = (j: number): number => {
    const m = ((j - 24) * Math.PI) / 4;
    return (Math.sin(m) / m) * 0.5 * (1 - Math.cos((2 * Math.PI * j) / 48));
  };
  let gain = 1;
  for (const phase of factor === 4 ? [1, 2, 3] : factor === 2 ? [2] : []) {
    let sum = 0;
    for (let k = 0; k < TAP_COUNT; k++) {
      table.fill(tap(phase + 4 * k), k * 12 + (phase - 1) * 4, k * 12 + phase * 4);
      sum += Math.abs(tap(phase + 4 * k));
    }
    gain = Math.max(gain, sum);
  }
  return gain;
}
