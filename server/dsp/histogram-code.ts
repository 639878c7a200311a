// Packs histograms of loudness into few bytes: the first bin, then the counts as variable-length numbers (LEB128).
// After a zero follows the number of further zeros.
import { HISTOGRAM_BINS, type LoudnessHistogram } from './loudness.ts';

export function packHistograms(histograms: readonly LoudnessHistogram[]): Buffer {
  const bytes: number[] = [];
  const write = (value: number): void => {
    for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  };
  for (const histogram of histograms)
    for (let bin = 0; bin < HISTOGRAM_BINS; bin++) {
      const count = histogram[bin] as number;
      write(count);
      if (count > 0) continue;
      const runStart = bin;
      while (bin + 1 < HISTOGRAM_BINS && histogram[bin + 1] === 0) bin++;
      write(bin - runStart);
    }
  return Buffer.from(bytes);
}

/** Unpacks histograms. Damaged bytes give fewer of them. */
export function unpackHistograms(bytes: Uint8Array): LoudnessHistogram[] {
  const histograms: LoudnessHistogram[] = [];
  let position = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let shift = 0; position < bytes.length; shift += 7) {
      const byte = bytes[position++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  };
  while (position < bytes.length) {
    const histogram = new Uint32Array(HISTOGRAM_BINS);
    for (let bin = 0; bin < HISTOGRAM_BINS && position < bytes.length; bin++) {
      const count = readNumber();
      if (count > 0) histogram[bin] = count;
      else bin += readNumber();
    }
    histograms.push(histogram);
  }
  return histograms;
}
