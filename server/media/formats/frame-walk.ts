// Streams of nothing but frames (MP3, ADTS, AC-3, DTS): finds the first frame and counts all. Only moves forward, and
// skips anything that is not a frame by searching for the next first byte of one.
import { MAX_FIRST_FRAME_OFFSET } from '../limits.ts';
import type { Window } from '../buffered-source.ts';

/** How frames of one kind are recognized. */
export interface FrameKind {
  headerBytes: number;
  /** First byte of a frame. */
  sync: number;
  /** Size of the frame at `i`, 0 if there is none. */
  frameBytes(bytes: Uint8Array, i: number): number;
  /** A number that is the same for all frames of a stream. */
  streamOf(bytes: Uint8Array, i: number): number;
  /** Samples per channel in the frame at `i`. */
  samplesOf(bytes: Uint8Array, i: number): number;
}

/** Number of consecutive headers that make a stream. */
const CHAIN = 4;
/** Limits for bytes without a frame, in one gap and in total; beyond them the walk ends. */
const LONGEST_GAP = 4 << 20;
const MOST_GAPS = 64 << 20;

/** Position of the first frame in `[from, end)` that others follow, or -1. Searches one megabyte at most. */
export function findFirstFrame(window: Window, kind: FrameKind, from: number, end: number): number {
  const last = Math.min(end, from + MAX_FIRST_FRAME_OFFSET) - kind.headerBytes;
  for (let at = from; at <= last;) {
    const sync = nextSync(window, kind.sync, at, last);
    if (sync < 0) return -1;
    if (isChain(window, kind, sync, end)) return sync;
    at = sync + 1;
  }
  return -1;
}

function isChain(window: Window, kind: FrameKind, from: number, end: number): boolean {
  let at = from;
  let stream = 0;
  for (let n = 0; n < CHAIN; n++) {
    if (n > 0 && at === end) return true; // a file with very few frames
    if (at + kind.headerBytes > end) return n > 1;
    const i = window.at(at, kind.headerBytes);
    const length = i < 0 ? 0 : kind.frameBytes(window.bytes, i);
    if (length === 0) return false;
    const here = kind.streamOf(window.bytes, i);
    if (n === 0) stream = here;
    else if (here !== stream) return false;
    at += length;
  }
  return true;
}

/** Position of the next `sync` byte in `[from, last]`, or -1. */
function nextSync(window: Window, sync: number, from: number, last: number): number {
  for (let at = from; at <= last;) {
    const i = window.at(at, 1);
    if (i < 0) return -1;
    const found = window.bytes.indexOf(sync, i);
    if (found >= 0) return at + found - i <= last ? at + found - i : -1;
    at += window.bytes.length - i;
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

/** Counts the frames of the stream that starts at `first`, without a truncated last one. */
export function walkFrames(window: Window, kind: FrameKind, first: number, end: number): Walk {
  const walk: Walk = { frames: 0, samples: 0, bytes: 0, end: first };
  const start = window.at(first, kind.headerBytes);
  if (start < 0) return walk;
  const stream = kind.streamOf(window.bytes, start);
  const { headerBytes } = kind;
  let gaps = 0;
  for (let at = first; at + headerBytes <= end;) {
    const i = window.at(at, headerBytes);
    if (i < 0) break;
    const length = kind.frameBytes(window.bytes, i);
    if (length > 0 && kind.streamOf(window.bytes, i) === stream) {
      if (at + length > end) break;
      walk.frames++;
      walk.samples += kind.samplesOf(window.bytes, i);
      walk.bytes += length;
      at += length;
      walk.end = at;
      continue;
    }
    const next = resume(window, kind, at + 1, Math.min(end, at + LONGEST_GAP), end, stream);
    gaps += next - at;
    if (next < 0 || gaps > MOST_GAPS) break;
    at = next;
  }
  return walk;
}

/** The next frame of the same stream that is followed by another one or the end. */
function resume(window: Window, kind: FrameKind, from: number, last: number, end: number, stream: number): number {
  for (let at = from; at <= last;) {
    const sync = nextSync(window, kind.sync, at, last - kind.headerBytes);
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
    at = sync + 1;
  }
  return -1;
}
