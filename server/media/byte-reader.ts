// Reading on from one place of a file. Tags are not always plain bytes in a row: ID3 may be unsynchronised, and an Ogg
// packet runs over pages. A tag's parser asks a ByteReader and need not know.
import type { Window } from './window.ts';

export interface ByteReader {
  /** Where `take` has put the bytes. */
  bytes: Buffer;
  /**
   * Index in `bytes` of the next `length` bytes, which are then passed; -1 when there are not so many left. Valid until
   * the next call.
   */
  take(length: number): number;
  /** Passes over bytes; false when there are not so many left. */
  skip(length: number): boolean;
  /** How many bytes there are still to take; 0 when that is not known. */
  remaining(): number;
  /**
   * Place in the file of the next byte, or -1 when the bytes that follow are not in the file as they are given here.
   */
  position(): number;
}

/** Bytes `[start, end)` of a file as they are. */
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
