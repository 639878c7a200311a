// Reads formats that consist of frames and have no header with the duration, so the frames are counted: ADTS, LOAS,
// AC-3, E-AC-3, DTS.
import type { FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { ac3Frame, AC3_FRAMES } from './ac3-header.ts';
import { dtsFrames, dtsStreamAt } from './dts-header.ts';
import { readEnclosed } from './enclosing-tags.ts';
import { findFirstFrame, walkFrames, type FrameKind } from './frame-walk.ts';
import { loasConfiguration, LOAS_FRAMES } from './loas-header.ts';
import { adtsChannels, adtsFrameBytes, adtsRate, adtsStreamOf } from './mpeg-header.ts';

const ADTS_FRAMES: FrameKind = {
  headerBytes: 7,
  sync: 0xff,
  frameBytes: adtsFrameBytes,
  streamOf: adtsStreamOf,
  samplesOf: () => 1024,
};

interface Stream {
  sampleRateHz: number;
  channels: number;
  /** Sample rate of the frames, if it differs from that of the output. */
  coreRateHz?: number;
  codec?: string;
}

export const readAdts = (window: Window, keepPictures: boolean): FileRead =>
  readFrames(window, keepPictures, 'aac', ADTS_FRAMES, (b, i) => ({
    sampleRateHz: adtsRate(b, i),
    channels: adtsChannels(b, i),
  }));

export const readLoas = (window: Window, keepPictures: boolean): FileRead =>
  readFrames(window, keepPictures, 'loas', LOAS_FRAMES, (b, i) => {
    const { sampleRateHz, coreRateHz, channels } = loasConfiguration(b, i);
    return { sampleRateHz, coreRateHz, channels: channels || 2, codec: 'aac' };
  });

export const readAc3 = (window: Window, keepPictures: boolean): FileRead =>
  readFrames(window, keepPictures, 'ac3', AC3_FRAMES, ac3Frame);

/** Reads AC-3 or E-AC-3: an E-AC-3 stream may also begin with an AC-3 frame, so the first frame decides. */
export const readEac3 = (window: Window, keepPictures: boolean): FileRead =>
  readFrames(window, keepPictures, 'eac3', AC3_FRAMES, ac3Frame);

export function readDts(window: Window, start: number, keepPictures: boolean): FileRead {
  const i = window.at(start, 1);
  const kind = dtsFrames(window.bytes[i] as number);
  return readFrames(window, keepPictures, 'dts', kind, dtsStreamAt);
}

function readFrames(
  window: Window,
  keepPictures: boolean,
  format: AudioFacts['format'],
  kind: FrameKind,
  streamAt: (b: Buffer, i: number) => Stream,
): FileRead {
  return readEnclosed(window, keepPictures, (from, end) => {
    const firstFrameAt = findFirstFrame(window, kind, from, end);
    if (firstFrameAt < 0) throw new UnreadableAudio('there is no audio frame in the first megabyte');
    const walk = walkFrames(window, kind, firstFrameAt, end);
    const i = window.at(firstFrameAt, kind.headerBytes);
    const { sampleRateHz, channels, coreRateHz = sampleRateHz, codec = format } = streamAt(window.bytes, i);
    const seconds = walk.samples / coreRateHz;
    return {
      format,
      codec,
      durationMs: seconds * 1000,
      bitrateKbps: Math.round((walk.bytes * 8) / seconds / 1000),
      sampleRateHz,
      channels,
      lossless: false,
      payload: { start: firstFrameAt, end: walk.end },
    };
  });
}
