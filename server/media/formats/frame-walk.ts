// Walks through streams of frames (MP3, ADTS, AC-3, DTS): finds the first frame and counts all frames. The walk only
// moves forward, and skips other bytes by searching for the first byte of the next frame.
import { MAX_FIRST_FRAME_OFFSET } from '../limits.ts';
import type { Window } from '../buffered-source.ts';

/** How frames of one kind are recognized. */
export interface FrameKind {
  headerBytes: number;
  /** First byte of a frame. */
  sync: number;
  /** Returns the size of the frame at `i`, 0 if there is none. */
  frameBytes(bytes: Uint8Array, i: number): number;
  /** Returns a number that is the same for all frames of a stream. */
  streamOf(bytes: Uint8Array, i: number): number;
  /** Returns the samples per channel in the frame at `i`. */
  samplesOf(bytes: Uint8Array, i: number): number;
}

/** Number of consecutive headers that make a stream. */
const MIN_CHAIN_FRAMES = 4;
/** Limits of bytes without a frame, in one gap and in total; beyond them the walk ends. */
const MAX_GAP_BYTES = 4 << 20;
const MAX_TOTAL_GAP_BYTES = 64 << 20;

/** Finds the first frame in `[from, end)` that other frames follow, or -1. Searches one megabyte at most. */
export function findFirstFrame(window: Window, kind: FrameKind, from: number, end: number): number {
  const lastPosition = Math.min(end, from + MAX_FIRST_FRAME_OFFSET) - kind.headerBytes;
  for (let position = from; position <= lastPosition;) {
    const sync = findNextSync(window, kind.sync, position, lastPosition);
    if (sync < 0) return -1;
    if (isChain(window, kind, sync, end)) return sync;
    position = sync + 1;
  }
  return -1;
}

function isChain(window: Window, kind: FrameKind, from: number, end: number): boolean {
  let position = from;
  let stream = 0;
  for (let n = 0; n < MIN_CHAIN_FRAMES; n++) {
    if (n > 0 && position === end) return true; // a file with very few frames may end earlier
    if (position + kind.headerBytes > end) return n > 1;
    const i = window.at(position, kind.headerBytes);
    const length = i < 0 ? 0 : kind.frameBytes(window.bytes, i);
    if (length === 0) return false;
    const frameStream = kind.streamOf(window.bytes, i);
    if (n === 0) stream = frameStream;
    else if (frameStream !== stream) return false;
    position += length;
  }
  return true;
}

/** Finds the next `sync` byte in `[from, last]`, or -1. */
function findNextSync(window: Window, sync: number, from: number, lastPosition: number): number {
  for (let position = from; position <= lastPosition;) {
    const i = window.at(position, 1);
    if (i < 0) return -1;
    const index = window.bytes.indexOf(sync, i);
    if (index >= 0) return position + index - i <= lastPosition ? position + index - i : -1;
    position += window.bytes.length - i;
  }
  return -1;
}

interface Walk {
  frames: number;
  samples: number;
  /** Total size of the frames. */
  bytes: number;
  /** End of the last frame. */
  end: number;
}

/** Counts the frames of the stream that starts at `first`, without a truncated last frame. */
export function walkFrames(window: Window, kind: FrameKind, firstFrameAt: number, end: number): Walk {
  const walk: Walk = { frames: 0, samples: 0, bytes: 0, end: firstFrameAt };
  const start = window.at(firstFrameAt, kind.headerBytes);
  if (start < 0) return walk;
  const stream = kind.streamOf(window.bytes, start);
  const { headerBytes } = kind;
  let gaps = 0;
  for (let position = firstFrameAt; position + headerBytes <= end;) {
    const i = window.at(position, headerBytes);
    if (i < 0) break;
    const length = kind.frameBytes(window.bytes, i);
    if (length > 0 && kind.streamOf(window.bytes, i) === stream) {
      if (position + length > end) break;
      walk.frames++;
      walk.samples += kind.samplesOf(window.bytes, i);
      walk.bytes += length;
      position += length;
      walk.end = position;
      continue;
    }
    const next = findNextFrame(window, kind, position + 1, Math.min(end, position + MAX_GAP_BYTES), end, stream);
    gaps += next - position;
    if (next < 0 || gaps > MAX_TOTAL_GAP_BYTES) break;
    position = next;
  }
  return walk;
}

/** Finds the next frame of the same stream that another frame or the end follows. */
function findNextFrame(
  window: Window,
  kind: FrameKind,
  from: number,
  lastPosition: number,
  end: number,
  stream: number,
): number {
  for (let position = from; position <= lastPosition;) {
    const sync = findNextSync(window, kind.sync, position, lastPosition - kind.headerBytes);
    if (sync < 0) return -1;
    const i = window.at(sync, kind.headerBytes);
    if (i < 0) return -1;
    const length = kind.frameBytes(window.bytes, i);
    if (length > 0 && kind.streamOf(window.bytes, i) === stream) {
      const next = sync + length;
      if (next === end) return sync;
      const k = window.at(next, kind.headerBytes);
      if (
        k >= 0 &&
        next + kind.headerBytes <= end &&
        kind.frameBytes(window.bytes, k) > 0 &&
        kind.streamOf(window.bytes, k) === stream
      )
        return sync;
    }
    position = sync + 1;
  }
  return -1;
}
