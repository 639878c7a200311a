// Chunks of WAV and AIFF after one with a wrong length.
import { u32be } from '../integers.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readLeadingId3 } from './leading-id3.ts';

/** How often, and how far, a chunk is looked for. */
export const MOST_SEARCHES = 4;
const SEARCHED_BYTES = 1 << 20;

/** Whether what is at `at` cannot be a chunk, since the one before it has a wrong length; `i`: from `window.at`. */
export const isDamaged = (window: Window, at: number, i: number): boolean =>
  i < 0 ? at > window.size + 1 : !isChunkName(window.bytes, i);

function isChunkName(b: Buffer, i: number): boolean {
  for (let k = i; k < i + 4; k++) if ((b[k] as number) < 0x20 || (b[k] as number) > 0x7e) return false;
  return true;
}

/** Position of the next chunk of those sought that fits into the file, or has the audio; -1 if none is near. */
export function findChunk(
  window: Window,
  from: number,
  { sought, audio, sizeAt }: { sought: ReadonlySet<number>; audio: number; sizeAt: (b: Buffer, i: number) => number },
): number {
  const length = Math.min(window.size - from, SEARCHED_BYTES);
  const i = length < 8 ? -1 : window.at(from, length);
  if (i < 0) return -1;
  const b = window.bytes;
  for (let k = i; k + 8 <= i + length; k++) {
    const name = u32be(b, k);
    if (!sought.has(name)) continue;
    const at = from + k - i;
    if (name === audio || at + 8 + sizeAt(b, k + 4) <= window.size) return at;
  }
  return -1;
}

/** A damaged tag does not cost the others. */
export function readId3Chunk(window: Window, at: number, keepPictures: boolean) {
  try {
    return readLeadingId3(window, at, keepPictures);
  } catch (error) {
    if (error instanceof UnreadableAudio) return undefined;
    throw error;
  }
}
