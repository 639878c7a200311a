// Reads FLAC: metadata blocks, then frames. https://xiph.org/flac/format.html
import { PlainReader } from '../byte-reader.ts';
import { u24be } from '../integers.ts';
import { MAX_SHEET_BYTES } from '../cue-sheet.ts';
import { MAX_CHUNKS, MAX_COMMENT_BYTES, refuseOver } from '../limits.ts';
import { TagBuilder, type FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts, type Tags } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { findLastFlacSample, findFirstFlacFrame } from './flac-frames.ts';
import { streamInfoAt, type StreamInfo } from './flac-stream-info.ts';
import { readCueBlock } from './flac-cue-block.ts';
import { readPictureBlock } from './picture-block.ts';
import { readVorbisComment } from './vorbis-comment.ts';

const STREAMINFO = 0;
const VORBIS_COMMENT = 4;
const CUESHEET = 5;
const PICTURE = 6;
/** The highest defined block type. */
const MAX_TYPE = PICTURE;
/** The number of bytes of a PICTURE block that suffice to locate the picture. */
const PICTURE_HEAD_BYTES = 1024;

/** Reads a file; `marker` is the position of `fLaC`, which ID3 tags may precede. */
export function readFlac(window: Window, marker: number, keepPictures: boolean): FileRead {
  const builder = new TagBuilder();
  let info: StreamInfo | undefined;
  let cueBlock: { position: number; length: number } | undefined;
  let position = marker + 4;
  for (let n = 0, isLast = false; !isLast; n++) {
    const i = window.at(position, 4);
    if (i < 0 || n >= MAX_CHUNKS) throw new UnreadableAudio('the FLAC metadata is cut off');
    const type = window.bytes[i] as number;
    if (type === 0xff) {
      if (!info) throw new UnreadableAudio('the FLAC metadata is damaged');
      break; // the previous block has a wrong length; the first frame is searched for
    }
    const length = u24be(window.bytes, i + 1);
    isLast = (type & 0x80) !== 0;
    if ((type & 0x7f) === STREAMINFO) info ??= streamInfoAt(window, position + 4);
    if ((type & 0x7f) === CUESHEET) cueBlock ??= { position: position + 4, length };
    position = readBlock(window, type & 0x7f, position + 4, length, builder, keepPictures);
  }
  if (!info) throw new UnreadableAudio('the FLAC file has no stream information');
  const tags = builder.finish();
  const sheet = cueBlock && cueSheetOf(window, cueBlock, info.sampleRateHz);
  if (sheet) tags.cueSheet ??= sheet; // a sheet in the comments has precedence, because its tracks have names
  return { facts: flacFacts(window, info, position), tags, pictures: builder.bestPictures() };
}

function cueSheetOf(
  window: Window,
  { position, length }: { position: number; length: number },
  rateHz: number,
): Tags['cueSheet'] {
  const i = length > MAX_SHEET_BYTES ? -1 : window.at(position, length);
  return i < 0 ? undefined : readCueBlock(window.bytes, i, length, rateHz);
}

/** Reads a block, and returns its end. */
function readBlock(
  window: Window,
  type: number,
  position: number,
  length: number,
  builder: TagBuilder,
  keepPictures: boolean,
): number {
  if (type === VORBIS_COMMENT) return readComments(window, position, length, builder, keepPictures);
  if (type === PICTURE) {
    const head = Math.min(length, PICTURE_HEAD_BYTES);
    const i = window.at(position, head);
    if (i >= 0) readPictureBlock(window.bytes, i, i + head, position, builder);
  }
  return position + length;
}

/**
 * Reads comments, and returns the end of the block: by its length if a block or a frame follows, or by the comments.
 */
function readComments(
  window: Window,
  position: number,
  length: number,
  builder: TagBuilder,
  keepPictures: boolean,
): number {
  const end = position + length;
  const isEnd = isBlockOrFrameStart(window, end);
  if (isEnd) refuseOver('the comment block', length, MAX_COMMENT_BYTES);
  const reader = new PlainReader(window, position, end);
  const isComplete = readVorbisComment(reader, builder, keepPictures);
  if (isComplete) return isEnd || !isBlockOrFrameStart(window, reader.position()) ? end : reader.position();
  const longerReader = new PlainReader(window, position, Math.min(window.size, position + MAX_COMMENT_BYTES));
  const isLonger =
    readVorbisComment(longerReader, new TagBuilder(), false) && isBlockOrFrameStart(window, longerReader.position());
  if (!isLonger) return end;
  readVorbisComment(new PlainReader(window, position, longerReader.position()), builder, keepPictures);
  return longerReader.position();
}

/** Returns whether another metadata block that fits into the file, or a frame, begins at `at`. */
function isBlockOrFrameStart(window: Window, position: number): boolean {
  const i = window.at(position, 4);
  if (i < 0) return false;
  if (isFrameSync(window.bytes, i)) return true;
  const type = (window.bytes[i] as number) & 0x7f;
  return type > STREAMINFO && type <= MAX_TYPE && position + 4 + u24be(window.bytes, i + 1) < window.size;
}

function flacFacts(window: Window, info: StreamInfo, metadataEnd: number): AudioFacts {
  const end = window.size;
  if (metadataEnd >= end) throw new UnreadableAudio('there is no audio after the tags');
  const start = getFirstFrame(window, info, metadataEnd, end);
  const samples =
    info.samples === 0 || isCutOff(info, end - start) ? findLastFlacSample(window, info, start, end) : info.samples;
  const { sampleRateHz, channels, bitDepth } = info;
  return {
    format: 'flac',
    codec: 'flac',
    durationMs: (samples * 1000) / sampleRateHz,
    bitrateKbps: Math.round(((end - start) * 8 * sampleRateHz) / samples / 1000),
    sampleRateHz,
    bitDepth,
    channels,
    lossless: true,
    payload: { start, end },
  };
}

function getFirstFrame(window: Window, info: StreamInfo, metadataEnd: number, end: number): number {
  const i = window.at(metadataEnd, 2);
  const start =
    i < 0 || isFrameSync(window.bytes, i) ? metadataEnd : findFirstFlacFrame(window, info, metadataEnd, end);
  if (start === undefined) throw new UnreadableAudio('there is no FLAC frame after the tags');
  return start;
}

/** Returns whether the samples need more bytes than the file has, even in the smallest frames. */
const isCutOff = (info: StreamInfo, bytes: number): boolean =>
  info.minFrameBytes > 0 && info.maxBlock > 0 && Math.floor(info.samples / info.maxBlock) * info.minFrameBytes > bytes;

const isFrameSync = (b: Uint8Array, i: number): boolean => b[i] === 0xff && ((b[i + 1] as number) & 0xfc) === 0xf8;
