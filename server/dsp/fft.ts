// Computes power spectra of real signals, four frames at a time, with the loops of kernels.wat: a radix-4 FFT over half
// as many complex points (Cooley and Tukey 1965; the step from complex to real as in Numerical Recipes, 12.3). Tables
// and buffers are created once.
import { createKernels } from './kernels.ts';

/** Number of frames that are transformed together. */
export const LANES = 4;

interface FrameLayout {
  /** Number of samples in a frame: a power of two, at least 8. */
  size: number;
  /** Distance between the beginnings of two frames, in samples. */
  hop: number;
  /** Maximum number of samples in `line`. */
  lineCapacity: number;
}

/**
 * Creates the buffers and the function that transforms frames. Samples are multiplied by `window`, if there is one.
 * Each of the `bands` is a weighted sum of bins of the spectrum.
 */
export function createPowerSpectra(
  { size, hop, lineCapacity: room }: FrameLayout,
  window?: Float64Array,
  bands: Band[] = [],
) {
  const halfSize = size >> 1;
  const { loops, reserve } = createKernels();
  const powerAt = 2 * halfSize * LANES * 4; // offsets in bytes; the memory begins with the complex numbers
  const sumsAt = powerAt + (halfSize + 1) * LANES * 4;
  const orderAt = sumsAt + bands.length * LANES * 4;
  const twiddlesAt = orderAt + halfSize * 12;
  const lineAt = twiddlesAt + halfSize * 8;
  const bandsAt = lineAt + room * 4;
  const memory = reserve(bandsAt + bands.reduce((sum, { weights }) => sum + 8 + weights.length * 4, 0));
  const floats = (byteOffset: number, length: number): Float32Array => new Float32Array(memory, byteOffset, length);
  const view = new DataView(memory);
  bitReversedIndexes(halfSize).forEach((reversedIndex, i) => {
    view.setUint32(orderAt + i * 12, reversedIndex * 8, true);
    view.setFloat32(orderAt + i * 12 + 4, window?.[2 * reversedIndex] ?? 1, true);
    view.setFloat32(orderAt + i * 12 + 8, window?.[2 * reversedIndex + 1] ?? 1, true);
  });
  floats(twiddlesAt, size).set(
    Float64Array.from({ length: size }, (_, i) => {
      const angle = (2 * Math.PI * (i >> 1)) / size;
      return i & 1 ? -Math.sin(angle) : Math.cos(angle);
    }),
  );
  let bandOffset = bandsAt;
  for (const { firstBin, weights } of bands) {
    view.setUint32(bandOffset, firstBin * LANES * 4, true);
    view.setUint32(bandOffset + 4, weights.length, true);
    floats(bandOffset + 8, weights.length).set(weights);
    bandOffset += 8 + weights.length * 4;
  }

  return {
    /** The input samples. */
    line: floats(lineAt, room),
    /** Power of the bins 0 to `size / 2`; the values of the four frames alternate. */
    power: floats(powerAt, (halfSize + 1) * LANES),
    /** Sum of each band; the values of the four frames alternate. */
    sums: floats(sumsAt, bands.length * LANES),
    /** Transforms four frames, the first of which begins at the sample `from`. */
    transform(from: number): void {
      loops.spectra(lineAt + from * 4, hop * 4, halfSize, orderAt, twiddlesAt, 0, powerAt);
      if (bands.length > 0) loops.bands(powerAt, bandsAt, bands.length, sumsAt);
    },
  };
}

/** The weights of consecutive bins, beginning with bin `firstBin`. */
export interface Band {
  firstBin: number;
  weights: number[];
}

/** Returns the numbers below `count`, each with its bits in reversed order. */
function bitReversedIndexes(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 1; i < count; i++) order[i] = ((order[i >> 1] as number) >> 1) | (i & 1 ? count >> 1 : 0);
  return order;
}

/** Returns a periodic Hann window. */
export const hann = (size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
