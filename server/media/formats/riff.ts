// Reads WAV (RIFF, RF64, BW64): chunks with format, audio, and tags as LIST INFO or ID3v2.
// https://www.itu.int/rec/R-REC-BS.2088 for ds64
import { u16le, u32be, u32le, u64le, fourCc } from '../integers.ts';
import { MAX_CHUNKS } from '../limits.ts';
import { matches } from '../picture-mime.ts';
import { fillGaps, TagBuilder, type EmbeddedPicture, type FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts, type Tags } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { findChunk, isDamaged, MAX_SEARCHES, readId3Chunk } from './damaged-chunks.ts';
import { readListInfo } from './riff-info.ts';

const FMT = fourCc('fmt ');
const DATA = fourCc('data');
const FACT = fourCc('fact');
const DS64 = fourCc('ds64');
const LIST = fourCc('LIST');
const ID3 = fourCc('id3 ');
const ID3_UPPER = fourCc('ID3 ');
const BEXT = fourCc('bext');
/** Chunks that are searched for after a damaged chunk. */
const SEARCHED_CHUNKS = { names: new Set([FMT, DATA, LIST, ID3, ID3_UPPER]), audioName: DATA, sizeAt: u32le };
/** Offset of OriginationDate, after description, originator and reference. */
const BEXT_DATE_AT = 320;
const BEXT_DATE_BYTES = 10;
const EXTENSIBLE = 0xfffe;
/** In RF64, this size means that the real size is in `ds64`. Recorded streams of unknown length have it, too. */
const SIZE_ELSEWHERE = 0xffffffff;
const CODECS: Record<number, { codec: string; lossless?: boolean }> = {
  1: { codec: 'pcm', lossless: true },
  2: { codec: 'adpcm' },
  3: { codec: 'pcm', lossless: true },
  6: { codec: 'alaw' },
  7: { codec: 'ulaw' },
  0x11: { codec: 'adpcm' },
  0x31: { codec: 'gsm' },
  0x50: { codec: 'mp2' },
  0x55: { codec: 'mp3' },
  0xff: { codec: 'aac' },
  0x2000: { codec: 'ac3' },
  0x2001: { codec: 'dts' },
  0xf1ac: { codec: 'flac', lossless: true },
};

export interface WaveFormat {
  tag: number;
  channels: number;
  sampleRateHz: number;
  bytesPerSecond: number;
  blockBytes: number;
  bitDepth: number;
}

export function readWav(window: Window, start: number, keepPictures: boolean): FileRead {
  let format: WaveFormat | undefined;
  let payload: { start: number; end: number } | undefined;
  let factSamples = 0;
  let data64Bytes = 0;
  let info: Tags | undefined;
  let id3: { tags: Tags; pictures: EmbeddedPicture[] } | undefined;
  let broadcastDate = '';
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
    let size = u32le(window.bytes, i + 4);
    const body = position + 8;
    lastChunkAt = position;
    if (name === FMT) format ??= waveFormatAt(window, body, size);
    else if (name === DATA) {
      // programs that write to a pipe leave one of these instead of the size, and the audio is the rest of the file
      if (size === SIZE_ELSEWHERE || size === 0) size = data64Bytes || window.size - body;
      payload ??= { start: body, end: Math.min(window.size, body + size) };
    } else if (name === FACT) factSamples ||= numberAt(window, body, 4);
    else if (name === DS64) data64Bytes = numberAt(window, body + 8, 8);
    else if (name === LIST) info = joinTags(info, readInfo(window, body, size));
    else if (name === ID3 || name === ID3_UPPER) id3 ??= readId3Chunk(window, body, keepPictures);
    else if (name === BEXT) broadcastDate ||= textAt(window, body + BEXT_DATE_AT, BEXT_DATE_BYTES);
    position = body + size + (size & 1);
  }
  if (!format) throw new UnreadableAudio('the WAV file has no format information');
  if (!payload || payload.end <= payload.start) throw new UnreadableAudio('the WAV file has no audio');
  const tags = id3?.tags ?? new TagBuilder().finish();
  if (info) fillGaps(tags, info);
  fillGaps(tags, toDateTags(broadcastDate));
  return { facts: waveFacts(format, payload, factSamples), tags, pictures: id3?.pictures ?? [] };
}

/** Completes the tags of the first LIST INFO with those of another one. */
function joinTags(first: Tags | undefined, second: Tags | undefined): Tags | undefined {
  if (first && second) fillGaps(first, second);
  return first ?? second;
}

function toDateTags(text: string): Tags {
  const builder = new TagBuilder();
  builder.add('date', text);
  return builder.finish();
}

function textAt(window: Window, position: number, length: number): string {
  const i = window.at(position, length);
  return i < 0 ? '' : window.bytes.toString('latin1', i, i + length);
}

export function waveFormatAt(window: Window, position: number, size: number): WaveFormat | undefined {
  const i = window.at(position, 16);
  if (i < 0 || size < 16) return undefined;
  const b = window.bytes;
  const format = {
    tag: u16le(b, i),
    channels: u16le(b, i + 2),
    sampleRateHz: u32le(b, i + 4),
    bytesPerSecond: u32le(b, i + 8),
    blockBytes: u16le(b, i + 12),
    bitDepth: u16le(b, i + 14),
  };
  if (format.tag !== EXTENSIBLE || size < 26) return format;
  const k = window.at(position, 26);
  if (k < 0) return format;
  const validBits = u16le(window.bytes, k + 18);
  return {
    ...format,
    tag: u16le(window.bytes, k + 24),
    bitDepth: validBits > 0 && validBits <= format.bitDepth ? validBits : format.bitDepth,
  };
}

function numberAt(window: Window, position: number, length: 4 | 8): number {
  const i = window.at(position, length);
  return i < 0 ? 0 : length === 4 ? u32le(window.bytes, i) : u64le(window.bytes, i);
}

function readInfo(window: Window, position: number, size: number): Tags | undefined {
  const i = window.at(position, 4);
  if (i < 0 || !matches(window.bytes, i, 'INFO')) return undefined;
  return readListInfo(window, position + 4, Math.min(window.size, position + size));
}

export function waveFacts(
  format: WaveFormat,
  payload: { start: number; end: number },
  factSamples: number,
): AudioFacts {
  const { sampleRateHz, channels, blockBytes, bytesPerSecond, bitDepth } = format;
  const { codec, lossless } = CODECS[format.tag] ?? { codec: `wave-${format.tag.toString(16)}` };
  if (sampleRateHz === 0 || channels === 0) throw new UnreadableAudio('the WAV file has no sample rate or no channels');
  const bytes = payload.end - payload.start;
  const pcmBytesPerSecond =
    lossless && codec === 'pcm' ? sampleRateHz * (blockBytes || channels * Math.ceil(bitDepth / 8)) : 0;
  const seconds =
    pcmBytesPerSecond > 0
      ? Math.floor(bytes / (pcmBytesPerSecond / sampleRateHz)) / sampleRateHz
      : factSamples > 0
        ? factSamples / sampleRateHz
        : bytes / bytesPerSecond;
  const facts: AudioFacts = {
    format: 'wav',
    codec,
    durationMs: seconds * 1000,
    bitrateKbps: Math.round((bytes * 8) / seconds / 1000),
    sampleRateHz,
    channels,
    lossless: lossless ?? false,
    payload,
  };
  if (lossless && bitDepth > 0) facts.bitDepth = bitDepth;
  return facts;
}
