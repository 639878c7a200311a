// Reads headers of AC-3 and E-AC-3 frames. ETSI TS 102 366, 4.3 and E.1.2
import type { FrameKind } from './frame-walk.ts';

const RATES = [48000, 44100, 32000];
const KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
/** Number of channels by `acmod`, without the low-frequency channel. */
const CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5];
const BLOCKS = [1, 2, 3, 6];
const SAMPLES_PER_BLOCK = 256;
/** Value of `strmtyp` for a frame that adds channels to the frame before it. */
const DEPENDENT = 1;

const isSync = (b: Uint8Array, i: number): boolean => b[i] === 0x0b && b[i + 1] === 0x77;
const idOf = (b: Uint8Array, i: number): number => (b[i + 5] as number) >> 3;
/** Returns whether an E-AC-3 frame is a dependent one. */
const isDependent = (b: Uint8Array, i: number): boolean => (b[i + 2] as number) >> 6 === DEPENDENT;
const isEnhanced = (b: Uint8Array, i: number): boolean => idOf(b, i) > 10;

/** Returns whether an E-AC-3 frame is at `i`. Needs six bytes. */
export const isEac3 = (b: Uint8Array, i: number): boolean => isSync(b, i) && isEnhanced(b, i);

function frameBytes(b: Uint8Array, i: number): number {
  if (!isSync(b, i) || idOf(b, i) > 16 || rateOf(b, i) === 0) return 0;
  if (isEnhanced(b, i)) return (((((b[i + 2] as number) & 7) << 8) | (b[i + 3] as number)) + 1) * 2;
  const rate = (b[i + 4] as number) >> 6;
  const code = (b[i + 4] as number) & 0x3f;
  const kbps = KBPS[code >> 1] ?? 0;
  return rate === 0 ? kbps * 4 : rate === 2 ? kbps * 6 : 2 * (Math.floor((kbps * 320) / 147) + (code & 1));
}

function rateOf(b: Uint8Array, i: number): number {
  const code = (b[i + 4] as number) >> 6;
  const id = idOf(b, i);
  if (id > 10 && code === 3) return (RATES[((b[i + 4] as number) >> 4) & 3] ?? 0) / 2;
  return (RATES[code] ?? 0) / (id === 9 ? 2 : id === 10 ? 4 : 1);
}

/**
 * Returns the samples of a frame; 0 for dependent and further independent substreams, which belong to the frame before
 * them.
 */
function samplesOf(b: Uint8Array, i: number): number {
  if (!isEnhanced(b, i)) return 6 * SAMPLES_PER_BLOCK;
  if (isDependent(b, i) || ((b[i + 2] as number) >> 3) & 7) return 0;
  const head = b[i + 4] as number;
  return (head >> 6 === 3 ? 6 : (BLOCKS[(head >> 4) & 3] as number)) * SAMPLES_PER_BLOCK;
}

export const AC3_FRAMES: FrameKind = { headerBytes: 8, sync: 0x0b, frameBytes, streamOf: rateOf, samplesOf };

export function ac3Frame(b: Uint8Array, i: number): { sampleRateHz: number; channels: number; codec: string } {
  const isEac3Frame = isEnhanced(b, i);
  const mode = isEac3Frame ? ((b[i + 4] as number) >> 1) & 7 : (b[i + 6] as number) >> 5;
  // three optional pairs of bits precede the flag of the low-frequency channel
  const optionalBits = (mode & 1 && mode !== 1 ? 2 : 0) + (mode & 4 ? 2 : 0) + (mode === 2 ? 2 : 0);
  const lfeChannels = isEac3Frame
    ? (b[i + 4] as number) & 1
    : ((((b[i + 6] as number) << 8) | (b[i + 7] as number)) >> (12 - optionalBits)) & 1;
  return {
    sampleRateHz: rateOf(b, i),
    channels: (CHANNELS[mode] as number) + lfeChannels,
    codec: isEac3Frame ? 'eac3' : 'ac3',
  };
}
