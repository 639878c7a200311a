// Reads sequentially from a position in a file. Tags are not always contiguous: ID3 may be unsynchronised, and Ogg
// packets span pages. A ByteReader hides that from the tag parsers.
import type { Window } from './buffered-source.ts';

export interface ByteReader {
  /** The buffer that the indexes returned by `take` refer to. */
  bytes: Buffer;
  /** Consumes `length` bytes. Returns their index in `bytes`, valid until the next call, or -1 if fewer remain. */
  take(length: number): number;
  /** Skips bytes; returns false if fewer remain. */
  skip(length: number): boolean;
  /** Number of remaining bytes; 0 if unknown. */
  remaining(): number;
  /** Position of the next byte in the file, or -1 if the bytes are stored encoded. */
  position(): number;
}

/** Reads `[start, end)` of a file as stored. */
export class PlainReader implements ByteReader {
  bytes: Buffer;
  readonly #window: Window;
  #at: number;
  readonly #end: number;

  constructor(window: Window, start: number, end: number) {
    this.#window = window;
    this.bytes = window.bytes;
    this.#at = start;
    this.#end = Math.min(end, window.size);
  }

  take(length: number): number {
    if (this.#at + length > this.#end) return -1;
    const index = this.#window.at(this.#at, length);
    if (index < 0) return -1;
    this.bytes = this.#window.bytes;
    this.#at += length;
    return index;
  }

  skip(length: number): boolean {
    if (this.#at + length > this.#end) return false;
    this.#at += length;
    return true;
  }

  remaining(): number {
    return this.#end - this.#at;
  }

  position(): number {
    return this.#at;
  }
}
