// Undoes ID3v2 unsynchronisation, which inserts a zero after every 0xff, so that nothing in a tag looks like an MPEG
// frame.
import type { ByteReader } from '../byte-reader.ts';
import type { Window } from '../buffered-source.ts';

/** Returns `bytes` without the zeros that follow 0xff. */
export function undoUnsync(bytes: Uint8Array): Buffer {
  const decodedBytes = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    decodedBytes[length++] = byte;
    if (byte === 0xff && bytes[i + 1] === 0) i++;
  }
  return decodedBytes.subarray(0, length);
}

/** Reads a tag that is unsynchronised as a whole (v2.2, v2.3): lengths in the tag refer to the decoded bytes. */
export class UnsyncedReader implements ByteReader {
  bytes: Buffer = Buffer.alloc(0);
  readonly #window: Window;
  #at: number;
  readonly #end: number;

  constructor(window: Window, start: number, end: number) {
    this.#window = window;
    this.#at = start;
    this.#end = Math.min(end, window.size);
  }

  take(length: number): number {
    if (length > this.#end - this.#at) return -1;
    const decodedBytes = Buffer.allocUnsafe(length);
    if (this.#pass(length, decodedBytes) < length) return -1;
    this.bytes = decodedBytes;
    return 0;
  }

  skip(length: number): boolean {
    return length <= this.#end - this.#at && this.#pass(length, undefined) === length;
  }

  remaining(): number {
    return 0;
  }

  position(): number {
    return -1;
  }

  /** Skips `length` bytes, or copies them to `decoded`; returns how many bytes there were. */
  #pass(length: number, decodedBytes: Buffer | undefined): number {
    let count = 0;
    while (count < length && this.#at < this.#end) {
      const index = this.#window.at(this.#at, 1);
      if (index < 0) break;
      const { bytes } = this.#window;
      const viewEnd = Math.min(bytes.length, index + this.#end - this.#at);
      let i = index;
      let isZeroPending = false;
      for (; i < viewEnd && count < length; i++) {
        const byte = bytes[i] as number;
        if (decodedBytes) decodedBytes[count] = byte;
        count++;
        if (byte !== 0xff) continue;
        isZeroPending = i + 1 === viewEnd; // the zero may be in the next view
        if (!isZeroPending && bytes[i + 1] === 0) i++;
      }
      this.#at += i - index;
      if (isZeroPending && this.#at < this.#end) {
        const next = this.#window.at(this.#at, 1);
        if (next >= 0 && this.#window.bytes[next] === 0) this.#at++;
      }
    }
    return count;
  }
}
