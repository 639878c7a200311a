// True peak by fourfold oversampling (ITU-R BS.1770-4, annex 2) with the interpolator of libebur128 (MIT): a sinc of 49
// taps under a Hann window, whose first phase is the sample itself. From 96 kHz on it is twofold, from 192 kHz on none.
import { createKernels } from './kernels.ts';

const TAPS = 12;
const BLOCK = 8_192;
/** In the memory of the loops: the taps, each four times for each of three phases, then a line for each channel. */
const LINES_AT = TAPS * 3 * 16;
/** The loop looks at some samples after the last. */
const LINE_FLOATS = TAPS + 4 + BLOCK + 28;

export function createTruePeakMeter(rateHz: number, channels: number) {
  const factor = rateHz < 96_000 ? 4 : rateHz < 192_000 ? 2 : 1;
  const { loops, reserve } = createKernels();
  const memory = reserve(LINES_AT + channels * LINE_FLOATS * 4);
  const gain = fillTaps(new Float32Array(memory, 0, TAPS * 12), factor);
  const lines = Array.from(
    { length: channels },
    (_, channel) => new Float32Array(memory, LINES_AT + channel * LINE_FLOATS * 4, LINE_FLOATS),
  );
  let peak = 0;
  let samplePeak = 0;

  let waiting = 0; // the loop takes four positions at a time

  function pushPart(data: Float32Array, channel: number): void {
    const line = lines[channel] as Float32Array;
    const lineAt = line.byteOffset;
    const from = TAPS + waiting;
    line.set(data, from);
    samplePeak = Math.max(samplePeak, loops.peak(lineAt + from * 4, data.length));
    const count = (waiting + data.length) & ~3;
    if (factor > 1) peak = loops.truePeak(lineAt + 4, count, 0, gain, peak);
    line.copyWithin(0, count, from + data.length);
  }

  return {
    push(data: readonly Float32Array[], frames: number): void {
      for (let at = 0; at < frames; at += BLOCK) {
        const to = Math.min(frames, at + BLOCK);
        for (let channel = 0; channel < channels; channel++)
          pushPart((data[channel] as Float32Array).subarray(at, to), channel);
        waiting = (waiting + to - at) & 3;
      }
    },
    /** Linear; 1 is full scale. */
    finish: (): { truePeak: number; samplePeak: number } => ({ truePeak: Math.max(peak, samplePeak), samplePeak }),
  };
}

/** Phases that are not used stay 0. Returns how much higher than samples what is between them can be. */
function fillTaps(table: Float32Array, factor: number): number {
  const tap = (j: number): number => {
    const m = ((j - 24) * Math.PI) / 4;
    return (Math.sin(m) / m) * 0.5 * (1 - Math.cos((2 * Math.PI * j) / 48));
  };
  let gain = 1;
  for (const phase of factor === 4 ? [1, 2, 3] : factor === 2 ? [2] : []) {
    let sum = 0;
    for (let k = 0; k < TAPS; k++) {
      table.fill(tap(phase + 4 * k), k * 12 + (phase - 1) * 4, k * 12 + phase * 4);
      sum += Math.abs(tap(phase + 4 * k));
    }
    gain = Math.max(gain, sum);
  }
  return gain;
}
