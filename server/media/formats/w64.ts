// Reads Sony Wave64: the chunks of a WAV file with 128-bit names and 64-bit sizes.
// https://exiftool.org/TagNames/RIFF.html and libavformat/w64.c for the names
import { u32be, u32le, u64le, fourCc } from '../integers.ts';
import { MAX_CHUNKS, MAX_COMMENTS, MAX_VALUE_BYTES } from '../limits.ts';
import { TagBuilder, type FileRead } from '../tag-builder.ts';
import { decodeUtf16 } from '../text.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { infoFieldOf } from './riff-info.ts';
import { waveFacts, waveFormatAt, type WaveFormat } from './riff.ts';

const HEADER_BYTES = 24;
/** The first four bytes of the chunks' names. */
const FMT = fourCc('fmt ');
const DATA = fourCc('data');
const FACT = fourCc('fact');
const SUMMARY = 0xbc945f92;

export function readW64(window: Window, start: number): FileRead {
  let format: WaveFormat | undefined;
  let payload: { start: number; end: number } | undefined;
  let factSamples = 0;
  const builder = new TagBuilder();
  let position = start + HEADER_BYTES + 16;
  for (let n = 0; n < MAX_CHUNKS; n++) {
    const i = window.at(position, HEADER_BYTES);
    if (i < 0) break;
    const name = u32be(window.bytes, i);
    const size = u64le(window.bytes, i + 16) - HEADER_BYTES;
    const body = position + HEADER_BYTES;
    if (size < 0) break;
    if (name === FMT) format ??= waveFormatAt(window, body, size);
    else if (name === DATA) payload ??= { start: body, end: Math.min(window.size, body + size) };
    else if (name === FACT) {
      const k = window.at(body, 8);
      if (k >= 0) factSamples ||= u64le(window.bytes, k);
    } else if (name === SUMMARY) readSummary(window, body, Math.min(window.size, body + size), builder);
    position = body + Math.ceil(size / 8) * 8;
  }
  if (!format) throw new UnreadableAudio('the Wave64 file has no format information');
  if (!payload || payload.end <= payload.start) throw new UnreadableAudio('the Wave64 file has no audio');
  return { facts: { ...waveFacts(format, payload, factSamples), format: 'w64' }, tags: builder.finish(), pictures: [] };
}

/** Reads fields of LIST INFO with UTF-16 text. */
function readSummary(window: Window, start: number, end: number, builder: TagBuilder): void {
  let position = start + 4;
  for (let n = 0; n < MAX_COMMENTS && position + 8 <= end; n++) {
    const i = window.at(position, 8);
    if (i < 0) return;
    const field = infoFieldOf(u32be(window.bytes, i));
    const size = u32le(window.bytes, i + 4);
    const k =
      field !== undefined && size <= MAX_VALUE_BYTES && position + 8 + size <= end ? window.at(position + 8, size) : -1;
    if (field !== undefined && k >= 0) builder.add(field, decodeUtf16(window.bytes, k, k + size, false));
    position += 8 + size;
  }
}
