// Layout of the PCM samples in a WAV or AIFF file, and their conversion to 16 bits.
import { fourCc, u16le, u32be, u32le } from './integers.ts';
import { MAX_CHUNKS } from './limits.ts';
import type { AudioFacts, ByteSource } from './types.ts';

export interface PcmLayout {
  bytes: number;
  isFloat: boolean;
  isBigEndian: boolean;
  isUnsigned: boolean;
}

const FMT = fourCc('fmt ');
const COMM = fourCc('COMM');
const WAVE_FLOAT = 3;
const WAVE_EXTENSIBLE = 0xfffe;
const CHUNK_BYTES = 40;
const LITTLE_ENDIAN = new Set(['sowt', '42ni', '23ni']);

/** Undefined for unsupported sample sizes. */
export function pcmLayout(source: ByteSource, { format, bitDepth }: AudioFacts): PcmLayout | undefined {
  const layout =
    format === 'wav' ? wavLayout(source) : format === 'aiff' ? aiffLayout(source, bitDepth ?? 16) : undefined;
  return layout && (layout.isFloat ? [4, 8] : [1, 2, 3, 4]).includes(layout.bytes) ? layout : undefined;
}

function wavLayout(source: ByteSource): PcmLayout | undefined {
  const b = findChunk(source, FMT, u32le);
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
  const b = findChunk(source, COMM, u32be);
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

/** The start of a chunk's content. */
function findChunk(
  source: ByteSource,
  name: number,
  sizeAt: (b: Uint8Array, i: number) => number,
): Uint8Array | undefined {
  let at = source.read(0, 4)[0] === 0x49 ? -1 : 12; // PCM after an ID3 tag is not supported
  for (let n = 0; at > 0 && n < MAX_CHUNKS; n++) {
    const head = source.read(at, 8);
    if (head.length < 8) return undefined;
    const size = sizeAt(head, 4);
    if (u32be(head, 0) === name) return Uint8Array.from(source.read(at + 8, Math.min(size, CHUNK_BYTES)));
    at += 8 + size + (size & 1);
  }
  return undefined;
}

/** `bytes` has complete samples only. */
export function toInt16(bytes: Uint8Array, { bytes: size, isFloat, isBigEndian, isUnsigned }: PcmLayout): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const samples = new Int16Array(Math.floor(bytes.length / size));
  for (let i = 0; i < samples.length; i++) {
    const at = i * size;
    if (isFloat)
      samples[i] = fromFloat(size === 4 ? view.getFloat32(at, !isBigEndian) : view.getFloat64(at, !isBigEndian));
    else if (size === 1) samples[i] = (isUnsigned ? view.getUint8(at) - 128 : view.getInt8(at)) << 8;
    else samples[i] = view.getInt16(isBigEndian ? at : at + size - 2, !isBigEndian); // the two most significant bytes
  }
  return samples;
}

/** Converts -1 to 1; clips values outside. */
export const fromFloat = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)));
