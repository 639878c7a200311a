// Reads AIFF and AIFC: big-endian chunks, with the sample rate as an 80-bit float.
// http://www-mmsp.ece.mcgill.ca/Documents/AudioFormats/AIFF
import { fourCc, u16be, u32be, u64be } from '../integers.ts';
import { MAX_CHUNKS, MAX_VALUE_BYTES } from '../limits.ts';
import { fillGaps, TagBuilder, type EmbeddedPicture, type TextField, type FileRead } from '../tag-builder.ts';
import { decodeUtf8 } from '../text.ts';
import { UnreadableAudio, type AudioFacts, type Tags } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { findChunk, isDamaged, MAX_SEARCHES, readId3Chunk } from './damaged-chunks.ts';

const COMM = fourCc('COMM');
const SSND = fourCc('SSND');
const ID3 = fourCc('ID3 ');
const ID3_LOWER = fourCc('id3 ');
const TEXT_FIELDS = new Map<number, TextField>([
  [fourCc('NAME'), 'title'],
  [fourCc('AUTH'), 'artist'],
  [fourCc('ANNO'), 'comment'],
]);
/** Chunks that are searched for after a damaged chunk. */
const SEARCHED_CHUNKS = {
  names: new Set([COMM, SSND, ID3, ID3_LOWER, ...TEXT_FIELDS.keys()]),
  audioName: SSND,
  sizeAt: u32be,
};
/** Compression types that are PCM, of any byte order or size. */
const PCM = new Set(['NONE', 'twos', 'sowt', 'raw ', 'in24', 'in32', '42ni', '23ni', 'fl32', 'FL32', 'fl64', 'FL64']);
const IMA4_SAMPLES_PER_FRAME = 64;
const IMA4_BYTES_PER_FRAME = 34;

interface Common {
  channels: number;
  frames: number;
  bitDepth: number;
  sampleRateHz: number;
  compression: string;
}

export function readAiff(window: Window, start: number, keepPictures: boolean): FileRead {
  let commonChunk: Common | undefined;
  let payload: { start: number; end: number } | undefined;
  let id3: { tags: Tags; pictures: EmbeddedPicture[] } | undefined;
  const builder = new TagBuilder();
  let position = start + 12;
  for (let n = 0, lastChunkAt = position, searches = 0; n < MAX_CHUNKS; n++) {
    const i = window.at(position, 8);
    if (isDamaged(window, position, i) && searches++ < MAX_SEARCHES) {
      position = findChunk(window, lastChunkAt + 8, SEARCHED_CHUNKS); // the previous chunk has a wrong length
      if (position < 0) break;
      continue;
    }
    if (i < 0) break;
    const name = u32be(window.bytes, i);
    const size = u32be(window.bytes, i + 4);
    const body = position + 8;
    lastChunkAt = position;
    if (name === COMM) commonChunk ??= commonAt(window, body, size);
    else if (name === SSND) payload ??= soundAt(window, body, size);
    else if (name === ID3 || name === ID3_LOWER) id3 ??= readId3Chunk(window, body, keepPictures);
    else readText(window, builder, TEXT_FIELDS.get(name), body, size);
    position = body + size + (size & 1);
  }
  if (!commonChunk) throw new UnreadableAudio('the AIFF file has no format information');
  if (!payload || payload.end <= payload.start) throw new UnreadableAudio('the AIFF file has no audio');
  const textTags = builder.finish();
  const tags = id3?.tags ?? textTags;
  if (id3) fillGaps(tags, textTags);
  return { facts: factsOf(commonChunk, payload), tags, pictures: id3?.pictures ?? [] };
}

function commonAt(window: Window, position: number, size: number): Common | undefined {
  const i = window.at(position, 18);
  if (i < 0 || size < 18) return undefined;
  const b = window.bytes;
  const commonChunk = {
    channels: u16be(b, i),
    frames: u32be(b, i + 2),
    bitDepth: u16be(b, i + 6),
    sampleRateHz: readExtended(b, i + 8),
    compression: 'NONE',
  };
  const k = size >= 22 ? window.at(position + 18, 4) : -1;
  if (k >= 0) commonChunk.compression = window.bytes.toString('latin1', k, k + 4);
  return commonChunk.channels > 0 && commonChunk.sampleRateHz >= 1 ? commonChunk : undefined;
}

/**
 * Reads a number in IEEE 754 extended precision: sign and 15 bits of exponent, 64 bits of mantissa with its leading 1.
 */
function readExtended(b: Buffer, i: number): number {
  const exponent = u16be(b, i) & 0x7fff;
  return u64be(b, i + 2) * 2 ** (exponent - 16383 - 63);
}

/** Returns the range of the samples, which follow an offset and a block size. */
function soundAt(window: Window, position: number, size: number): { start: number; end: number } | undefined {
  const i = window.at(position, 8);
  if (i < 0) return undefined;
  const offset = u32be(window.bytes, i);
  return { start: position + 8 + offset, end: Math.min(window.size, position + size) };
}

function readText(
  window: Window,
  builder: TagBuilder,
  field: TextField | undefined,
  position: number,
  size: number,
): void {
  if (field === undefined || size > MAX_VALUE_BYTES) return;
  const i = window.at(position, size);
  if (i >= 0) builder.add(field, decodeUtf8(window.bytes, i, i + size));
}

function factsOf(common: Common, payload: { start: number; end: number }): AudioFacts {
  const { channels, bitDepth, sampleRateHz, compression } = common;
  const isPcm = PCM.has(compression);
  const bytes = payload.end - payload.start;
  const frameBytes = isPcm
    ? channels * Math.ceil(bitDepth / 8)
    : compression === 'ima4'
      ? channels * IMA4_BYTES_PER_FRAME
      : 0;
  // the file may be truncated
  const frames = frameBytes > 0 ? Math.min(common.frames, Math.floor(bytes / frameBytes)) : common.frames;
  const seconds = (frames * (compression === 'ima4' ? IMA4_SAMPLES_PER_FRAME : 1)) / sampleRateHz;
  const facts: AudioFacts = {
    format: 'aiff',
    codec: isPcm ? 'pcm' : compression.trim().toLowerCase(),
    durationMs: seconds * 1000,
    bitrateKbps: Math.round((bytes * 8) / seconds / 1000),
    sampleRateHz,
    channels,
    lossless: isPcm,
    payload,
  };
  if (isPcm && bitDepth > 0) facts.bitDepth = bitDepth;
  return facts;
}
