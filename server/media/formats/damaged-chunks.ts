// Finds chunks of WAV and AIFF after a chunk with a wrong length.
import { u32be } from '../integers.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readLeadingId3 } from './leading-id3.ts';

/** Limits of the search for a chunk: how often, and how far. */
export const MAX_SEARCHES = 4;
const MAX_SEARCH_BYTES = 1 << 20;

/** Returns whether no chunk is at `at`, because the previous one has a wrong length. `i` comes from `window.at`. */
export const isDamaged = (window: Window, position: number, i: number): boolean =>
  i < 0 ? position > window.size + 1 : !isChunkName(window.bytes, i);

function isChunkName(b: Buffer, i: number): boolean {
  for (let k = i; k < i + 4; k++) if ((b[k] as number) < 0x20 || (b[k] as number) > 0x7e) return false;
  return true;
}

/** Finds the next chunk with one of the names that fits into the file, or is the audio chunk; -1 if none is near. */
export function findChunk(
  window: Window,
  from: number,
  {
    names,
    audioName,
    sizeAt,
  }: { names: ReadonlySet<number>; audioName: number; sizeAt: (b: Buffer, i: number) => number },
): number {
  const length = Math.min(window.size - from, MAX_SEARCH_BYTES);
  const i = length < 8 ? -1 : window.at(from, length);
  if (i < 0) return -1;
  const b = window.bytes;
  for (let k = i; k + 8 <= i + length; k++) {
    const name = u32be(b, k);
    if (!names.has(name)) continue;
    const position = from + k - i;
    if (name === audioName || position + 8 + sizeAt(b, k + 4) <= window.size) return position;
  }
  return -1;
}

/** Reads an ID3 tag; returns undefined for a damaged tag, so that the other tags are still read. */
export function readId3Chunk(window: Window, position: number, keepPictures: boolean) {
  try {
    return readLeadingId3(window, position, keepPictures);
  } catch (error) {
    if (error instanceof UnreadableAudio) return undefined;
    throw error;
  }
}
