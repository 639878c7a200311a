// Layout of the PCM samples in a WAV or AIFF file, and their conversion to floats.
import { fourCc, u16le, u32be, u32le } from './integers.ts';
import { MAX_CHUNKS } from './limits.ts';
import type { AudioFacts, ByteSource } from './types.ts';

interface PcmLayout {
  bytes: number;
  isFloat: boolean;
  isBigEndian: boolean;
  isUnsigned: boolean;
}

const FMT_CHUNK = fourCc('fmt ');
const COMM_CHUNK = fourCc('COMM');
const WAVE_FLOAT = 3;
const WAVE_EXTENSIBLE = 0xfffe;
const CHUNK_BYTES = 40;
const LITTLE_ENDIAN = new Set(['sowt', '42ni', '23ni']);

/** Returns the layout; undefined for unsupported sample sizes. */
export function pcmLayout(source: ByteSource, { format, bitDepth }: AudioFacts): PcmLayout | undefined {
  const layout =
    format === 'wav' ? wavLayout(source) : format === 'aiff' ? aiffLayout(source, bitDepth ?? 16) : undefined;
  return layout && (layout.isFloat ? [4, 8] : [1, 2, 3, 4]).includes(layout.bytes) ? layout : undefined;
}

function wavLayout(source: ByteSource): PcmLayout | undefined {
  const b = findChunk(source, FMT_CHUNK, u32le);
  if (!b || b.length < 16) return undefined;
  const [tag, channels, blockBytes] = [u16le(b, 0), u16le(b, 2), u16le(b, 12)];
  const bytes = Math.floor(blockBytes / channels);
  return {
    bytes,
    isFloat: (tag === WAVE_EXTENSIBLE ? u16le(b, 24) : tag) === WAVE_FLOAT,
    isBigEndian: false,
    isUnsigned: bytes === 1,
  };
}

function aiffLayout(source: ByteSource, bitDepth: number): PcmLayout | undefined {
  const b = findChunk(source, COMM_CHUNK, u32be);
  if (!b || b.length < 18) return undefined;
  const compression =
    b.length >= 22 ? Buffer.from(b.buffer, b.byteOffset, b.length).toString('latin1', 18, 22) : 'NONE';
  return {
    bytes: Math.ceil(bitDepth / 8),
    isFloat: /^fl/i.test(compression),
    isBigEndian: !LITTLE_ENDIAN.has(compression),
    isUnsigned: compression === 'raw ',
  };
}

/** Returns the start of a chunk's content. */
function findChunk(
  source: ByteSource,
  name: number,
  sizeAt: (b: Uint8Array, i: number) => number,
): Uint8Array | undefined {
  let position = source.read(0, 4)[0] === 0x49 ? -1 : 12; // PCM after an ID3 tag (`I`) is not supported
  for (let n = 0; position > 0 && n < MAX_CHUNKS; n++) {
    const head = source.read(position, 8);
    if (head.length < 8) return undefined;
    const size = sizeAt(head, 4);
    if (u32be(head, 0) === name) return Uint8Array.from(source.read(position + 8, Math.min(size, CHUNK_BYTES)));
    position += 8 + size + (size & 1);
  }
  return undefined;
}

/** Converts `bytes`, which must contain complete frames only. */
export function toChannels(
  bytes: Uint8Array,
  { bytes: size, isFloat, isBigEndian, isUnsigned }: PcmLayout,
  count: number,
): Float32Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const frames = Math.floor(bytes.length / (size * count));
  const little = !isBigEndian;
  const readSample = (offset: number): number => {
    if (isFloat) return size === 4 ? view.getFloat32(offset, little) : view.getFloat64(offset, little);
    if (size === 1) return (isUnsigned ? view.getUint8(offset) - 128 : view.getInt8(offset)) / 0x80;
    if (size === 2) return view.getInt16(offset, little) / 0x8000;
    if (size === 4) return view.getInt32(offset, little) / 0x8000_0000;
    const highBits = view.getInt16(little ? offset + 1 : offset, little);
    return (highBits * 0x100 + view.getUint8(little ? offset : offset + 2)) / 0x80_0000;
  };
  return Array.from({ length: count }, (_, channel) => {
    const data = new Float32Array(frames);
    for (let i = 0; i < frames; i++) data[i] = readSample((i * count + channel) * size);
    return data;
  });
}
