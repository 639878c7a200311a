// Reads MP3 (and MPEG layers I and II): tags at both ends and the exact duration. The frame count of a Xing frame is
// used if it matches the file size; otherwise all frames are counted, since an estimate from the bit rate can be wrong
// by a factor of six.
import type { Window } from '../buffered-source.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { FileRead } from '../tag-builder.ts';
import { findFirstFrame, walkFrames, type FrameKind } from './frame-walk.ts';
import { readLeadingId3 } from './leading-id3.ts';
import { mpegFrameBytes, mpegSamplesOf, mpegStreamAt, mpegStreamOf, type MpegStream } from './mpeg-header.ts';
import { addTrailingTags, findTrailingTags } from './trailing-tags.ts';
import { readXingFrame, type XingFrame } from './xing.ts';

const MPEG_FRAMES: FrameKind = {
  headerBytes: 4,
  sync: 0xff,
  frameBytes: mpegFrameBytes,
  streamOf: mpegStreamOf,
  samplesOf: mpegSamplesOf,
};
/** Xing's byte count may be off by two frames: some encoders do not count the first, others truncate the last. */
const BYTES_TOLERANCE = 2 * 1441;

/** Reads a file. Throws UnreadableAudio if there are no MPEG frames. */
export function readMp3(window: Window, keepPictures: boolean): FileRead {
  const leadingTags = readLeadingId3(window, 0, keepPictures);
  const trailingTags = findTrailingTags(window, leadingTags.end);
  const firstFrameAt = findFirstFrame(window, MPEG_FRAMES, leadingTags.end, trailingTags.start);
  if (firstFrameAt < 0) throw new UnreadableAudio('there is no audio frame in the first megabyte');
  const lateId3 =
    firstFrameAt > leadingTags.end && leadingTags.count === 0
      ? findLateId3(window, leadingTags.end, firstFrameAt, keepPictures)
      : undefined;
  const { tags, pictures } = lateId3 ?? leadingTags;
  const facts = mp3Facts(window, firstFrameAt, trailingTags.start);
  addTrailingTags(window, trailingTags, tags, pictures);
  return { facts, tags, pictures };
}

/** Finds an ID3 tag after garbage, before the first frame. */
function findLateId3(window: Window, from: number, firstFrameAt: number, keepPictures: boolean) {
  const length = Math.min(firstFrameAt - from, 64 << 10);
  const i = window.at(from, length);
  if (i < 0) return undefined;
  const position = window.bytes.subarray(i, i + length).indexOf('ID3');
  if (position < 0) return undefined;
  const lateId3 = readLeadingId3(window, from + position, keepPictures);
  return lateId3.count > 0 && lateId3.end <= firstFrameAt ? lateId3 : undefined;
}

function mp3Facts(window: Window, firstFrameAt: number, end: number): AudioFacts {
  const i = window.at(firstFrameAt, 4);
  const stream = mpegStreamAt(window.bytes, i);
  const length = mpegFrameBytes(window.bytes, i);
  const k = window.at(firstFrameAt, Math.min(length, end - firstFrameAt));
  const xingFrame = k < 0 ? undefined : readXingFrame(window.bytes, k, Math.min(length, end - firstFrameAt), stream);
  const start = xingFrame ? firstFrameAt + length : firstFrameAt;
  const frameCount = xingFrame && trustedCount(xingFrame, start, firstFrameAt, end);
  const walk =
    frameCount === undefined
      ? walkFrames(window, MPEG_FRAMES, start, end)
      : { frames: frameCount, bytes: end - start, end };
  if (walk.frames === 0) throw new UnreadableAudio('there is no audio after the first frame');
  return factsOf(stream, walk.frames, walk.bytes, xingFrame, { start, end: walk.end });
}

/** Returns the frame count of the Xing frame, if its byte count matches the file. */
function trustedCount(xingFrame: XingFrame, start: number, firstFrameAt: number, end: number): number | undefined {
  if (xingFrame.frames === undefined || xingFrame.bytes === undefined || end <= start) return undefined;
  return Math.abs(xingFrame.bytes - (end - firstFrameAt)) <= BYTES_TOLERANCE &&
    (end - start) / xingFrame.frames >= 24 &&
    (end - start) / xingFrame.frames <= 1441
    ? xingFrame.frames
    : undefined;
}

function factsOf(
  stream: MpegStream,
  frames: number,
  bytes: number,
  xingFrame: XingFrame | undefined,
  payload: { start: number; end: number },
): AudioFacts {
  const { sampleRateHz, channels, layer } = stream;
  const totalSamples = frames * stream.samplesPerFrame;
  const addedSamples =
    xingFrame && xingFrame.delay + xingFrame.padding < totalSamples ? xingFrame.delay + xingFrame.padding : 0;
  const facts: AudioFacts = {
    format: 'mp3',
    codec: `mp${layer}`,
    durationMs: ((totalSamples - addedSamples) * 1000) / sampleRateHz,
    bitrateKbps: Math.round((bytes * 8 * sampleRateHz) / totalSamples / 1000),
    sampleRateHz,
    channels,
    lossless: false,
    payload,
  };
  if (xingFrame && addedSamples > 0) {
    facts.encoderDelay = xingFrame.delay;
    facts.encoderPadding = xingFrame.padding;
  }
  return facts;
}
