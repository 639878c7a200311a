// Buffers a file for the readers, which get an index into the buffer instead of a view per field, so that a small file
// costs one read and no allocation. Larger files are read forward in growing steps.
import type { ByteSource } from './types.ts';

const MAX_SINGLE_READ_BYTES = 1 << 20;
const FIRST_READ_BYTES = 32 << 10;
const MAX_READ_BYTES = 256 << 10;

export class Window {
  /** Bytes of the file from `start` on. An index that `at` returned is valid until the next call of `at`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  readonly size: number;
  readonly source: ByteSource;
  #step = FIRST_READ_BYTES;

  constructor(source: ByteSource) {
    this.source = source;
    this.size = source.size;
  }

  /** Returns the index in `bytes` of the `length` bytes at `position` of the file, or -1 if the file ends earlier. */
  at(position: number, length: number): number {
    const index = position - this.start;
    return index >= 0 && index + length <= this.bytes.length ? index : this.#load(position, length);
  }

  #load(position: number, length: number): number {
    if (!(position >= 0 && length >= 0 && position + length <= this.size)) return -1;
    const end = this.start + this.bytes.length;
    const onward = position >= this.start && position <= end && end > 0;
    this.#step = onward ? Math.min(MAX_READ_BYTES, this.#step * 2) : FIRST_READ_BYTES;
    this.start = this.size <= MAX_SINGLE_READ_BYTES ? 0 : position;
    const view = this.source.read(
      this.start,
      this.size <= MAX_SINGLE_READ_BYTES ? this.size : Math.max(length, this.#step),
    );
    this.bytes = Buffer.isBuffer(view) ? view : Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    const index = position - this.start;
    return index + length <= this.bytes.length ? index : -1;
  }
}
