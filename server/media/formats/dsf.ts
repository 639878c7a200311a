// Reads DSD in DSF files: three little-endian chunks in fixed order, and an ID3 tag behind them. Sizes and positions in
// the chunks are used only if they fit the file. music-metadata refuses files in which a chunk is not in its place.
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
/** Size of a chunk's name and length. */
const CHUNK_HEAD_BYTES = 12;
/** How far a chunk that is not in its place is searched for. */
const MAX_SEARCH_BYTES = 4_096;

export function readDsf(window: Window, start: number, keepPictures: boolean): FileRead {
  const format = findChunk(window, start + HEAD_BYTES, FMT, FMT_BYTES);
  if (format < 0) throw new UnreadableAudio('the DSF file has no format information');
  const data = findChunk(window, format + FMT_BYTES, DATA, CHUNK_HEAD_BYTES);
  if (data < 0) throw new UnreadableAudio('the DSF file has no audio');
  const size = u64le(window.bytes, window.at(data, CHUNK_HEAD_BYTES) + 4) - CHUNK_HEAD_BYTES;
  const pointer = u64le(window.bytes, window.at(start, HEAD_BYTES) + 20);

  const audioStart = data + CHUNK_HEAD_BYTES;
  const isSizeValid = size > 0 && audioStart + size <= window.size;
  const tagPositions = [...(pointer > 0 ? [start + pointer] : []), ...(isSizeValid ? [audioStart + size] : [])];
  const tagAt = tagPositions.find((position) => position >= audioStart && isId3(window, position));
  const tag = tagAt === undefined ? undefined : readId3Chunk(window, tagAt, keepPictures);
  const end = isSizeValid ? audioStart + size : (tagAt ?? window.size);
  return {
    facts: factsOf(window, format, { start: audioStart, end }),
    tags: tag?.tags ?? new TagBuilder().finish(),
    pictures: tag?.pictures ?? [],
  };
}

function findChunk(window: Window, position: number, name: number, length: number): number {
  for (let k = position; k <= position + MAX_SEARCH_BYTES; k++) {
    const i = window.at(k, length);
    if (i < 0) return -1;
    if (u32be(window.bytes, i) === name) return k;
  }
  return -1;
}

function isId3(window: Window, position: number): boolean {
  const i = window.at(position, 3);
  return i >= 0 && window.bytes.toString('latin1', i, i + 3) === 'ID3';
}

function factsOf(window: Window, format: number, payload: { start: number; end: number }): AudioFacts {
  const i = window.at(format, FMT_BYTES);
  const b = window.bytes;
  const [channels, sampleRateHz, samples] = [u32le(b, i + 24), u32le(b, i + 28), u64le(b, i + 36)];
  const storedSamples = ((payload.end - payload.start) * 8) / channels;
  return {
    format: 'dsf',
    codec: 'dsd',
    // the last block may be padded, and the file may be truncated
    durationMs: ((samples > 0 && samples <= storedSamples ? samples : storedSamples) / sampleRateHz) * 1000,
    bitrateKbps: Math.round((sampleRateHz * channels) / 1000),
    sampleRateHz,
    bitDepth: 1,
    channels,
    lossless: true,
    payload,
  };
}
