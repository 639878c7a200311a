// What the readers look through: an index into a buffer instead of a view per field, so that a small file costs one
// read and no allocation. Files that are larger than the first read are followed forward in growing steps.
import type { ByteSource } from './types.ts';

const WHOLE_FILE_BYTES = 1 << 20;
const FIRST_STEP = 32 << 10;
const LARGEST_STEP = 256 << 10;

export class Window {
  /** Bytes of the file from `start` on. Indexes from `at` are valid until the next call of `at`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  readonly size: number;
  readonly source: ByteSource;
  #step = FIRST_STEP;

  constructor(source: ByteSource) {
    this.source = source;
    this.size = source.size;
  }

  /** Index in `bytes` from which `length` bytes of the file at `position` lie, or -1 when the file ends before. */
  at(position: number, length: number): number {
    const index = position - this.start;
    return index >= 0 && index + length <= this.bytes.length ? index : this.#load(position, length);
  }

  #load(position: number, length: number): number {
    if (!(position >= 0 && length >= 0 && position + length <= this.size)) return -1;
    const end = this.start + this.bytes.length;
    const onward = position >= this.start && position <= end && end > 0;
    this.#step = onward ? Math.min(LARGEST_STEP, this.#step * 2) : FIRST_STEP;
    this.start = this.size <= WHOLE_FILE_BYTES ? 0 : position;
    const view = this.source.read(this.start, this.size <= WHOLE_FILE_BYTES ? this.size : Math.max(length, this.#step));
    this.bytes = Buffer.isBuffer(view) ? view : Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    const index = position - this.start;
    return index + length <= this.bytes.length ? index : -1;
  }
}
