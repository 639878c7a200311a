// Reads Apple's Core Audio Format: big-endian chunks with 64-bit sizes.
// https://developer.apple.com/library/archive/documentation/MusicAudio/Reference/CAFSpec/CAF_spec/CAF_spec.html
import { fieldOfName } from '../field-names.ts';
import { fourCc, u32be, u64be } from '../integers.ts';
import { MAX_CHUNKS, MAX_COMMENT_BYTES, MAX_COMMENTS, refuseOver } from '../limits.ts';
import { TagBuilder, type FileRead, type TextField } from '../tag-builder.ts';
import { decodeUtf8, indexOfNul } from '../text.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../buffered-source.ts';

const DESC = fourCc('desc');
const DATA = fourCc('data');
const PAKT = fourCc('pakt');
const INFO = fourCc('info');
const HEADER_BYTES = 12;
const DESC_BYTES = 32;
/** A chunk of this size extends to the end of the file: a recording of unknown length. */
const UNKNOWN_SIZE = 2 ** 64;
const CODECS: Record<string, { codec: string; lossless?: boolean }> = {
  lpcm: { codec: 'pcm', lossless: true },
  alac: { codec: 'alac', lossless: true },
  flac: { codec: 'flac', lossless: true },
  'aac ': { codec: 'aac' },
  aach: { codec: 'aac' },
  aacp: { codec: 'aac' },
  opus: { codec: 'opus' },
  '.mp1': { codec: 'mp1' },
  '.mp2': { codec: 'mp2' },
  '.mp3': { codec: 'mp3' },
  'ac-3': { codec: 'ac3' },
  'ec-3': { codec: 'eac3' },
  ima4: { codec: 'ima4' },
  ulaw: { codec: 'ulaw' },
  alaw: { codec: 'alaw' },
};
/** Bit depth of ALAC by the format flags. */
const ALAC_BITS = [0, 16, 20, 24, 32];
/** Fields by Apple's names of tags that have other names elsewhere. */
const FIELDS_BY_NAME: Record<string, TextField> = {
  'track number': 'track',
  'recorded date': 'date',
  comments: 'comment',
};

interface Description {
  sampleRateHz: number;
  format: string;
  flags: number;
  packetBytes: number;
  packetFrames: number;
  channels: number;
  bits: number;
}

export function readCaf(window: Window, start: number): FileRead {
  let description: Description | undefined;
  let payload: { start: number; end: number } | undefined;
  let validFrames = 0;
  const builder = new TagBuilder();
  let position = start + 8;
  for (let n = 0; n < MAX_CHUNKS; n++) {
    const i = window.at(position, HEADER_BYTES);
    if (i < 0) break;
    const name = u32be(window.bytes, i);
    const declaredSize = u64be(window.bytes, i + 4);
    const body = position + HEADER_BYTES;
    const size = declaredSize === UNKNOWN_SIZE ? window.size - body : declaredSize;
    const end = Math.min(window.size, body + size);
    if (name === DESC) description ??= descriptionAt(window, body);
    else if (name === DATA) payload ??= { start: body + 4, end };
    else if (name === PAKT) validFrames ||= validFramesAt(window, body);
    else if (name === INFO) readInfo(window, body, end, builder);
    position = body + size;
  }
  if (!description) throw new UnreadableAudio('the CAF file has no format information');
  if (!payload || payload.end <= payload.start) throw new UnreadableAudio('the CAF file has no audio');
  return { facts: factsOf(description, payload, validFrames), tags: builder.finish(), pictures: [] };
}

function descriptionAt(window: Window, position: number): Description | undefined {
  const i = window.at(position, DESC_BYTES);
  if (i < 0) return undefined;
  const b = window.bytes;
  return {
    sampleRateHz: b.readDoubleBE(i),
    format: b.toString('latin1', i + 8, i + 12),
    flags: u32be(b, i + 12),
    packetBytes: u32be(b, i + 16),
    packetFrames: u32be(b, i + 20),
    channels: u32be(b, i + 24),
    bits: u32be(b, i + 28),
  };
}

/** Returns the number of frames without priming and remainder. */
function validFramesAt(window: Window, position: number): number {
  const i = window.at(position, 16);
  return i < 0 ? 0 : u64be(window.bytes, i + 8);
}

/** Reads tags: a number, then names and values that each end with NUL. */
function readInfo(window: Window, start: number, end: number, builder: TagBuilder): void {
  refuseOver('the information chunk', end - start, MAX_COMMENT_BYTES);
  const i = window.at(start, end - start);
  if (i < 0) return;
  const b = window.bytes;
  const infoEnd = i + end - start;
  let position = i + 4;
  const readText = (): string | undefined => {
    const nul = indexOfNul(b, position, infoEnd);
    if (nul < 0) return undefined;
    const text = decodeUtf8(b, position, nul);
    position = nul + 1;
    return text;
  };
  for (let n = 0; n < MAX_COMMENTS; n++) {
    const name = readText();
    const value = readText();
    if (name === undefined || value === undefined) return;
    const field = FIELDS_BY_NAME[name.toLowerCase()] ?? fieldOfName(name);
    if (field !== undefined) builder.add(field, value);
  }
}

function factsOf(
  { sampleRateHz, format, flags, packetBytes, packetFrames, channels, bits }: Description,
  payload: { start: number; end: number },
  validFrames: number,
): AudioFacts {
  const bytes = payload.end - payload.start;
  const { codec, lossless = false } = CODECS[format] ?? { codec: format.trim().toLowerCase() };
  const frames = packetBytes > 0 ? Math.floor(bytes / packetBytes) * packetFrames : validFrames;
  const seconds = (validFrames > 0 ? Math.min(frames, validFrames) : frames) / sampleRateHz;
  const facts: AudioFacts = {
    format: 'caf',
    codec,
    durationMs: seconds * 1000,
    bitrateKbps: Math.round((bytes * 8) / seconds / 1000),
    sampleRateHz,
    channels,
    lossless,
    payload,
  };
  const bitDepth = codec === 'alac' ? (ALAC_BITS[flags] ?? 0) : bits;
  if (lossless && bitDepth > 0) facts.bitDepth = bitDepth;
  return facts;
}
