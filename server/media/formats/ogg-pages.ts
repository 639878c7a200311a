// Reads Ogg pages: headers, the last page of a stream, and packets as contiguous bytes.
// https://www.rfc-editor.org/rfc/rfc3533
import type { ByteReader } from '../byte-reader.ts';
import { u32le } from '../integers.ts';
import { matches } from '../picture-mime.ts';
import type { ByteSource } from '../types.ts';
import { Window } from '../buffered-source.ts';

const HEADER_BYTES = 27;
export const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;
/** Maximum number of damaged bytes between two pages. */
const MAX_DAMAGED_BYTES = 2 * MAX_PAGE_BYTES;

export interface OggPage {
  position: number;
  /** Flags of the page: 1 continued packet, 2 first page of a stream, 4 last page. */
  flags: number;
  /**
   * Position in the stream at the end of the last packet that ends on this page, -1 if no packet ends here. Not exact
   * above 2^53.
   */
  granule: number;
  serial: number;
  segments: number;
  bodyAt: number;
  end: number;
}

/** Reads the page at `at`; undefined if there is no page or it is truncated. */
export function oggPageAt(window: Window, position: number): OggPage | undefined {
  const i = window.at(position, HEADER_BYTES);
  if (i < 0 || !matches(window.bytes, i, 'OggS') || window.bytes[i + 4] !== 0) return undefined;
  const segments = window.bytes[i + 26] as number;
  const k = window.at(position, HEADER_BYTES + segments);
  if (k < 0) return undefined;
  const b = window.bytes;
  let body = 0;
  for (let n = 0; n < segments; n++) body += b[k + HEADER_BYTES + n] as number;
  const bodyAt = position + HEADER_BYTES + segments;
  if (bodyAt + body > window.size) return undefined;
  const high = u32le(b, k + 10);
  const low = u32le(b, k + 6);
  return {
    position,
    flags: b[k + 5] as number,
    granule: high === 0xffffffff && low === 0xffffffff ? -1 : high * 4294967296 + low,
    serial: u32le(b, k + 14),
    segments,
    bodyAt,
    end: bodyAt + body,
  };
}

/** Reads the page at `at`, or the next one after damaged bytes. */
export function oggPageFrom(window: Window, position: number): OggPage | undefined {
  return oggPageAt(window, position) ?? searchPage(window, position);
}

function searchPage(window: Window, position: number): OggPage | undefined {
  const length = Math.min(MAX_DAMAGED_BYTES, window.size - position);
  let i = length > 0 ? window.at(position, length) : -1;
  for (let from = 1; i >= 0 && from < length;) {
    const index = window.bytes.subarray(i, i + length).indexOf('OggS\0', from, 'latin1');
    if (index < 0) return undefined;
    const page = oggPageAt(window, position + index);
    if (page) return page;
    from = index + 1;
    i = window.at(position, length);
  }
  return undefined;
}

/** Finds the next page of the stream `serial` from `at` on, within `maxPages` pages. */
export function findNextPage(window: Window, serial: number, position: number, maxPages = 64): OggPage | undefined {
  let page = oggPageFrom(window, position);
  for (let n = 0; page && page.serial !== serial; n++) page = n < maxPages ? oggPageFrom(window, page.end) : undefined;
  return page;
}

/** Finds the last complete page, of any stream, on which a packet ends. Searches the maximum size of two pages. */
export function findLastPage(window: Window, from: number): OggPage | undefined {
  const start = Math.max(from, window.size - 2 * MAX_PAGE_BYTES);
  const length = window.size - start;
  let i = window.at(start, length);
  if (i < 0) return undefined;
  for (let search = i + length - HEADER_BYTES; search >= i;) {
    const index = window.bytes.lastIndexOf('OggS', search, 'latin1');
    if (index < i) return undefined;
    const page = oggPageAt(window, start + index - i);
    if (page && page.granule >= 0 && page.granule < 2 ** 53) return page;
    search = index - 1;
    i = window.at(start, length);
  }
  return undefined;
}

/** Reads the packets of one stream. `take` and `skip` stay within the packet that `next` has started. */
export class OggPackets implements ByteReader {
  bytes: Buffer;
  /** The current page. */
  page: OggPage | undefined;
  readonly #window: Window;
  #segment = 0;
  #at = 0;
  /** Unread bytes of the current packet on the current page. */
  #left = 0;
  /** True if the packet continues on another page. */
  #isContinued = false;
  #hasStarted = false;

  constructor(window: Window, firstPage: OggPage) {
    this.#window = window;
    this.bytes = window.bytes;
    this.page = firstPage;
    this.#at = firstPage.bodyAt;
  }

  /** Starts the next packet, skipping the rest of the current one; returns false at the end of the stream. */
  next(): boolean {
    if (this.#hasStarted) while (this.#left > 0 || this.#isContinued) if (!this.#leavePage()) return false;
    this.#hasStarted = true;
    return this.#page(false);
  }

  /** Skips the rest of the current packet; returns the end of the page on which it ends, 0 if the file ends before. */
  pageEnd(): number {
    while ((this.#left > 0 || this.#isContinued) && this.#leavePage());
    return this.page?.end ?? 0;
  }

  /** Number of unread bytes of the current packet on this page. */
  get bytesOnPage(): number {
    return this.#left;
  }

  /** Moves to the next page if the packet continues there; returns whether it does. */
  continueOnNextPage(): boolean {
    return this.#left === 0 && this.#isContinued && this.#page(true);
  }

  take(length: number): number {
    if (length <= this.#left) {
      const i = this.#window.at(this.#at, length);
      if (i < 0) return -1;
      this.bytes = this.#window.bytes;
      this.#pass(length);
      return i;
    }
    return this.#gather(length);
  }

  skip(length: number): boolean {
    let remaining = length;
    while (remaining > this.#left) {
      remaining -= this.#left;
      this.#pass(this.#left);
      if (!this.#isContinued || !this.#page(true)) return false;
    }
    this.#pass(remaining);
    return true;
  }

  remaining(): number {
    return 0;
  }

  position(): number {
    return -1;
  }

  /** Joins bytes that span pages. Allocates memory only for bytes that exist. */
  #gather(length: number): number {
    const parts: Buffer[] = [];
    for (let remaining = length; remaining > 0;) {
      if (this.#left === 0 && !(this.#isContinued && this.#page(true))) return -1;
      const partLength = Math.min(remaining, this.#left);
      const i = this.#window.at(this.#at, partLength);
      if (i < 0) return -1;
      parts.push(Buffer.from(this.#window.bytes.subarray(i, i + partLength)));
      this.#pass(partLength);
      remaining -= partLength;
    }
    this.bytes = Buffer.concat(parts);
    return 0;
  }

  #pass(length: number): void {
    this.#at += length;
    this.#left -= length;
  }

  #leavePage(): boolean {
    this.#pass(this.#left);
    return !this.#isContinued || this.#page(true);
  }

  /**
   * Finds the next segments: on this page, or on the next page of the stream. They may be empty for a continued packet.
   */
  #page(isContinuation: boolean): boolean {
    let page = this.page;
    if (page && this.#segment >= page.segments) {
      page = findNextPage(this.#window, page.serial, page.end);
      while (page && page.segments === 0) page = findNextPage(this.#window, page.serial, page.end);
      if (page && isContinuation && !(page.flags & 1)) return false; // the rest of the packet is lost
      this.page = page;
      this.#segment = 0;
      this.#at = page?.bodyAt ?? 0;
    }
    if (!page) return false;
    const i = this.#window.at(page.position + HEADER_BYTES, page.segments);
    if (i < 0) return false;
    const b = this.#window.bytes;
    let lacingValue = 255;
    while (lacingValue === 255 && this.#segment < page.segments) {
      lacingValue = b[i + this.#segment++] as number;
      this.#left += lacingValue;
    }
    this.#isContinued = lacingValue === 255;
    return true;
  }
}

/** Calls `each` with the body of every page in `[from, end)`. The view is valid only during the call. */
export function forEachPageBody(
  source: ByteSource,
  from: number,
  end: number,
  handleBody: (body: Uint8Array) => void,
): void {
  const window = new Window(source);
  for (let page = oggPageFrom(window, from); page && page.position < end; page = oggPageFrom(window, page.end)) {
    const i = window.at(page.bodyAt, page.end - page.bodyAt);
    if (i < 0) return;
    handleBody(window.bytes.subarray(i, i + page.end - page.bodyAt));
  }
}
