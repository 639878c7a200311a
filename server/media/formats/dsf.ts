// DSD in DSF: three little-endian chunks of known order, and an ID3 tag behind them. What a chunk says of its length,
// of the file or of the tag's place is believed only if it is true. music-metadata refuses files where it is not.
// https://dsd-guide.com/sites/default/files/white-papers/DSFFileFormatSpec_E.pdf
import { fourCc, u32be, u32le, u64le } from '../integers.ts';
import { TagBuilder, type FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readId3Chunk } from './damaged-chunks.ts';

const HEAD_BYTES = 28;
const FMT = fourCc('fmt ');
const FMT_BYTES = 52;
const DATA = fourCc('data');
/** Name and length. */
const CHUNK_HEAD = 12;
/** Where a chunk is looked for that is not in its place. */
const SEARCHED_BYTES = 4_096;

export function readDsf(window: Window, start: number, keepPictures: boolean): FileRead {
  const format = findChunk(window, start + HEAD_BYTES, FMT, FMT_BYTES);
  if (format < 0) throw new UnreadableAudio('the DSF file has no format information');
  const data = findChunk(window, format + FMT_BYTES, DATA, CHUNK_HEAD);
  if (data < 0) throw new UnreadableAudio('the DSF file has no audio');
  const size = u64le(window.bytes, window.at(data, CHUNK_HEAD) + 4) - CHUNK_HEAD;
  const pointer = u64le(window.bytes, window.at(start, HEAD_BYTES) + 20);

  const from = data + CHUNK_HEAD;
  const fits = size > 0 && from + size <= window.size;
  const places = [...(pointer > 0 ? [start + pointer] : []), ...(fits ? [from + size] : [])];
  const tagAt = places.find((at) => at >= from && isId3(window, at));
  const tag = tagAt === undefined ? undefined : readId3Chunk(window, tagAt, keepPictures);
  const end = fits ? from + size : (tagAt ?? window.size);
  return {
    facts: factsOf(window, format, { start: from, end }),
    tags: tag?.tags ?? new TagBuilder().finish(),
    pictures: tag?.pictures ?? [],
  };
}

function findChunk(window: Window, at: number, name: number, length: number): number {
  for (let k = at; k <= at + SEARCHED_BYTES; k++) {
    const i = window.at(k, length);
    if (i < 0) return -1;
    if (u32be(window.bytes, i) === name) return k;
  }
  return -1;
}

function isId3(window: Window, at: number): boolean {
  const i = window.at(at, 3);
  return i >= 0 && window.bytes.toString('latin1', i, i + 3) === 'ID3';
}

function factsOf(window: Window, format: number, payload: { start: number; end: number }): AudioFacts {
  const i = window.at(format, FMT_BYTES);
  const b = window.bytes;
  const [channels, sampleRateHz, samples] = [u32le(b, i + 24), u32le(b, i + 28), u64le(b, i + 36)];
  const stored = ((payload.end - payload.start) * 8) / channels;
  return {
    format: 'dsf',
    codec: 'dsd',
    // the last block may be filled up, and the file may be cut off
    durationMs: ((samples > 0 && samples <= stored ? samples : stored) / sampleRateHz) * 1000,
    bitrateKbps: Math.round((sampleRateHz * channels) / 1000),
    sampleRateHz,
    bitDepth: 1,
    channels,
    lossless: true,
    payload,
  };
}
