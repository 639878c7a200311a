// Reads headers of DTS core frames, in 16-bit or 14-bit words of either byte order. ETSI TS 102 114, 5.3
import { BitReader } from '../bit-reader.ts';
import type { FrameKind } from './frame-walk.ts';

const RATES = [0, 8000, 16000, 32000, 0, 0, 11025, 22050, 44100, 0, 0, 12000, 24000, 48000, 96000, 192000];
/** Number of channels by `AMODE`. */
const CHANNELS = [1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 8];
const HEADER_BYTES = 16;
const SYNC_BYTES = 4;
const SAMPLES_PER_BLOCK = 32;
/** The sync words, by their first byte. */
const SYNCS: Record<number, { words: readonly number[]; is14Bit: boolean; isLittleEndian: boolean }> = {
  0x7f: { words: [0x7f, 0xfe, 0x80, 0x01], is14Bit: false, isLittleEndian: false },
  0xfe: { words: [0xfe, 0x7f, 0x01, 0x80], is14Bit: false, isLittleEndian: true },
  0x1f: { words: [0x1f, 0xff, 0xe8, 0x00], is14Bit: true, isLittleEndian: false },
  0xff: { words: [0xff, 0x1f, 0x00, 0xe8], is14Bit: true, isLittleEndian: true },
};

/** Returns whether a DTS frame is at `i`. Needs sixteen bytes. */
export const isDts = (b: Uint8Array, i: number): boolean => frameBytes(b, i) > 0;

function syncAt(b: Uint8Array, i: number) {
  const sync = SYNCS[b[i] as number];
  return sync?.words.every((byte, n) => b[i + n] === byte) ? sync : undefined;
}

/** Returns the header as 16-bit big-endian words, without the sync word. */
function headerAt(b: Uint8Array, i: number): BitReader | undefined {
  const sync = syncAt(b, i);
  if (!sync) return undefined;
  const bytes: number[] = [];
  const wordBits = sync.is14Bit ? 14 : 16;
  let [bitBuffer, count] = [0, 0];
  for (let k = i; k + 1 < i + HEADER_BYTES; k += 2) {
    const [high, low] = sync.isLittleEndian ? [b[k + 1] ?? 0, b[k] ?? 0] : [b[k] ?? 0, b[k + 1] ?? 0];
    bitBuffer = (bitBuffer << wordBits) | (((high << 8) | low) & ((1 << wordBits) - 1));
    for (count += wordBits; count >= 8; count -= 8) bytes.push((bitBuffer >> (count - 8)) & 0xff);
    bitBuffer &= (1 << count) - 1;
  }
  return new BitReader(Uint8Array.from(bytes), SYNC_BYTES, bytes.length);
}

interface Header {
  blocks: number;
  frameBytes: number;
  mode: number;
  rate: number;
  lfeChannels: number;
}

function parse(b: Uint8Array, i: number): Header | undefined {
  const bits = headerAt(b, i);
  if (!bits) return undefined;
  bits.read(7); // skips frame type, samples of a short frame, checksum
  const blocks = bits.read(7) + 1;
  const size = bits.read(14) + 1;
  const mode = bits.read(6);
  const rate = RATES[bits.read(4)] as number;
  bits.read(15); // skips bit rate and flags, up to the synchronization flag
  const lfeChannels = bits.read(2) > 0 ? 1 : 0;
  if (blocks < 6 || size < 96 || rate === 0) return undefined;
  return { blocks, frameBytes: size, mode, rate, lfeChannels };
}

function frameBytes(b: Uint8Array, i: number): number {
  const header = parse(b, i);
  if (!header) return 0;
  return syncAt(b, i)?.is14Bit ? Math.ceil((header.frameBytes * 8) / 14) * 2 : header.frameBytes;
}

export const dtsFrames = (sync: number): FrameKind => ({
  headerBytes: HEADER_BYTES,
  sync,
  frameBytes,
  streamOf: (b, i) => parse(b, i)?.rate ?? 0,
  samplesOf: (b, i) => (parse(b, i)?.blocks ?? 0) * SAMPLES_PER_BLOCK,
});

export function dtsStreamAt(b: Uint8Array, i: number): { sampleRateHz: number; channels: number } {
  const { rate = 0, mode = 0, lfeChannels = 0 } = parse(b, i) ?? {};
  return { sampleRateHz: rate, channels: (CHANNELS[mode] ?? 2) + lfeChannels };
}
