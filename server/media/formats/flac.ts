// FLAC: metadata blocks, then frames. https://xiph.org/flac/format.html
import { PlainReader } from '../byte-reader.ts';
import { u24be } from '../integers.ts';
import { MAX_CHUNKS, MAX_COMMENT_BYTES, refuseOver } from '../limits.ts';
import { fillGaps, TagBuilder, type FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../window.ts';
import { lastFlacSample, soughtFlacFrame } from './flac-frames.ts';
import { streamInfoAt, type StreamInfo } from './flac-stream-info.ts';
import { readLeadingId3 } from './leading-id3.ts';
import { readPictureBlock } from './picture-block.ts';
import { findTrailingTags } from './trailing-tags.ts';
import { readVorbisComment } from './vorbis-comment.ts';

const STREAMINFO = 0;
const VORBIS_COMMENT = 4;
const PICTURE = 6;
/** Enough of a PICTURE block to locate the picture. */
const PICTURE_HEAD_BYTES = 1024;

/** `marker` is the position of `fLaC`, which ID3 tags may precede. */
export function readFlac(window: Window, marker: number, keepPictures: boolean): FileRead {
  const builder = new TagBuilder();
  let info: StreamInfo | undefined;
  let at = marker + 4;
  for (let n = 0, last = false; !last; n++) {
    const i = window.at(at, 4);
    if (i < 0 || n >= MAX_CHUNKS) throw new UnreadableAudio('the FLAC metadata is cut off');
    const type = window.bytes[i] as number;
    if (type === 0xff) throw new UnreadableAudio('the FLAC metadata is damaged');
    const length = u24be(window.bytes, i + 1);
    last = (type & 0x80) !== 0;
    if ((type & 0x7f) === STREAMINFO) info ??= streamInfoAt(window, at + 4);
    else readBlock(window, type & 0x7f, at + 4, length, builder, keepPictures);
    at += 4 + length;
  }
  if (!info) throw new UnreadableAudio('the FLAC file has no stream information');
  const tags = builder.finish();
  const pictures = builder.bestPictures();
  if (marker > 0) {
    const id3 = readLeadingId3(window, 0, keepPictures);
    fillGaps(tags, id3.tags);
    pictures.push(...id3.pictures);
  }
  return { facts: flacFacts(window, info, at), tags, pictures };
}

function readBlock(
  window: Window,
  type: number,
  at: number,
  length: number,
  builder: TagBuilder,
  keepPictures: boolean,
): void {
  if (type === VORBIS_COMMENT) {
    refuseOver('the comment block', length, MAX_COMMENT_BYTES);
    readVorbisComment(new PlainReader(window, at, at + length), builder, keepPictures);
  } else if (type === PICTURE) {
    const head = Math.min(length, PICTURE_HEAD_BYTES);
    const i = window.at(at, head);
    if (i >= 0) readPictureBlock(window.bytes, i, i + head, at, builder);
  }
}

function flacFacts(window: Window, info: StreamInfo, metadataEnd: number): AudioFacts {
  const end = findTrailingTags(window, metadataEnd).start; // not part of FLAC, but some programs write them
  if (metadataEnd >= end) throw new UnreadableAudio('there is no audio after the tags');
  const start = firstFrame(window, info, metadataEnd, end);
  const samples =
    info.samples === 0 || isCutOff(info, end - start) ? lastFlacSample(window, info, start, end) : info.samples;
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

function firstFrame(window: Window, info: StreamInfo, metadataEnd: number, end: number): number {
  const i = window.at(metadataEnd, 2);
  const start = i < 0 || isFrameSync(window.bytes, i) ? metadataEnd : soughtFlacFrame(window, info, metadataEnd, end);
  if (start === undefined) throw new UnreadableAudio('there is no FLAC frame after the tags');
  return start;
}

/** Whether the samples need more bytes than there are, even in the smallest frames. */
const isCutOff = (info: StreamInfo, bytes: number): boolean =>
  info.minFrameBytes > 0 && info.maxBlock > 0 && Math.floor(info.samples / info.maxBlock) * info.minFrameBytes > bytes;

const isFrameSync = (b: Uint8Array, i: number): boolean => b[i] === 0xff && ((b[i + 1] as number) & 0xfc) === 0xf8;
