// AAC as raw ADTS frames, which have no duration: the frames are counted.
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../window.ts';
import type { FileRead } from '../tag-builder.ts';
import { findFirstFrame, walkFrames, type FrameKind } from './frame-walk.ts';
import { readLeadingId3 } from './leading-id3.ts';
import { adtsChannels, adtsFrameBytes, adtsRate, adtsStreamOf } from './mpeg-header.ts';
import { addTrailingTags, findTrailingTags } from './trailing-tags.ts';

const ADTS_FRAMES: FrameKind = { headerBytes: 7, frameBytes: adtsFrameBytes, streamOf: adtsStreamOf };
const SAMPLES_PER_FRAME = 1024;

export function readAdts(window: Window, keepPictures: boolean): FileRead {
  const { tags, pictures, end } = readLeadingId3(window, 0, keepPictures);
  const trailing = findTrailingTags(window, end);
  const first = findFirstFrame(window, ADTS_FRAMES, end, trailing.start);
  if (first < 0) throw new UnreadableAudio('there is no audio frame in the first megabyte');
  const walk = walkFrames(window, ADTS_FRAMES, first, trailing.start);
  const i = window.at(first, ADTS_FRAMES.headerBytes);
  const sampleRateHz = adtsRate(window.bytes, i);
  const channels = adtsChannels(window.bytes, i);
  const samples = walk.frames * SAMPLES_PER_FRAME;
  addTrailingTags(window, trailing, tags, pictures);
  return {
    facts: {
      format: 'aac',
      codec: 'aac',
      durationMs: (samples * 1000) / sampleRateHz,
      bitrateKbps: Math.round((walk.bytes * 8 * sampleRateHz) / samples / 1000),
      sampleRateHz,
      channels,
      lossless: false,
      payload: { start: first, end: walk.end },
    },
    tags,
    pictures,
  };
}
