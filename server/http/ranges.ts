// Handles range requests (RFC 9110, section 14) and conditional requests (section 13), without I/O.
import { trimBoth } from '../runtime/trim-text.ts';

/** A range of bytes that includes both ends. */
export interface ByteRange {
  start: number;
  end: number;
}

const BYTES_UNIT = /^bytes=(.*)$/is;
const RANGE_SPEC = /^(\d*)-(\d*)$/;

/**
 * Returns the range to send; `whole` when the header is absent, malformed, in another unit, or asks for several ranges
 * (a server may ignore those); `unsatisfiable` when it asks only for bytes past the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const list = BYTES_UNIT.exec(header ?? '')?.[1];
  if (list === undefined) return 'whole';
  const specs = list
    .split(',')
    .map((spec) => trimBoth(spec, /[ \t]/))
    .filter((spec) => spec !== '');
  if (specs.length === 0) return 'whole';
  const ranges = specs.map((spec) => parseSpec(spec, size));
  if (ranges.includes('malformed')) return 'whole';
  if (ranges.every((range) => range === 'unsatisfiable')) return 'unsatisfiable';
  const [range] = ranges;
  return ranges.length === 1 && typeof range === 'object' ? range : 'whole';
}

function parseSpec(spec: string, size: number): ByteRange | 'whole' | 'unsatisfiable' | 'malformed' {
  const [, firstText = '', lastText = ''] = RANGE_SPEC.exec(spec) ?? [];
  if (firstText === '' && lastText === '') return 'malformed';
  if (firstText === '') return lastBytes(Number(lastText), size);
  const [start, end] = [Number(firstText), lastText === '' ? Infinity : Number(lastText)];
  if (end < start) return 'malformed';
  return start < size ? { start, end: Math.min(end, size - 1) } : 'unsatisfiable';
}

/** Returns the last `length` bytes. An empty body is sent whole, because no Content-Range can describe it. */
function lastBytes(length: number, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) return 'unsatisfiable';
  return size === 0 ? 'whole' : { start: Math.max(0, size - length), end: size - 1 };
}

/** The values that conditions are compared with. The ETag is strong and quoted. */
export interface Validators {
  etag: string;
  modifiedAt: Date;
}

export interface ConditionHeaders {
  'if-match'?: string | undefined;
  'if-unmodified-since'?: string | undefined;
  'if-none-match'?: string | undefined;
  'if-modified-since'?: string | undefined;
}

/** Evaluates the conditions of GET and HEAD in the order of section 13.2.2. */
export function checkConditions(
  headers: ConditionHeaders,
  { etag, modifiedAt }: Validators,
): 'send' | 'not_modified' | 'precondition_failed' {
  const ifMatch = headers['if-match'];
  const unmodifiedSince = parseHttpDate(headers['if-unmodified-since']);
  if (
    ifMatch !== undefined
      ? !listsTag(ifMatch, etag, 'strong')
      : unmodifiedSince !== undefined && inSeconds(modifiedAt) > unmodifiedSince
  ) {
    return 'precondition_failed';
  }
  if (headers['if-none-match'] !== undefined)
    return listsTag(headers['if-none-match'], etag, 'weak') ? 'not_modified' : 'send';
  const modifiedSince = parseHttpDate(headers['if-modified-since']);
  return modifiedSince !== undefined && inSeconds(modifiedAt) <= modifiedSince ? 'not_modified' : 'send';
}

/** Returns true when If-None-Match alone decides that the response is 304, so that the file need not be opened. */
export const hasCurrentCopy = (headers: ConditionHeaders, etag: string): boolean =>
  headers['if-match'] === undefined &&
  headers['if-unmodified-since'] === undefined &&
  headers['if-none-match'] !== undefined &&
  headers['if-none-match'].trim() !== '*' &&
  listsTag(headers['if-none-match'], etag, 'weak');

/**
 * Returns true when a range may be sent (section 13.1.5): there is no If-Range, or it has the same strong ETag, or
 * exactly the same date.
 */
export function ifRangeHolds(header: string | undefined, { etag, modifiedAt }: Validators): boolean {
  if (header === undefined) return true;
  const value = header.trim();
  if (value.startsWith('"') || value.startsWith('W/')) return value === etag;
  return parseHttpDate(value) === inSeconds(modifiedAt);
}

/**
 * Returns whether a header lists the ETag. Weak comparison ignores `W/`; strong comparison never matches a weak tag.
 */
function listsTag(header: string, etag: string, comparison: 'weak' | 'strong'): boolean {
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag);
}

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Returns an HTTP date in any of its three formats (section 5.6.7) in seconds since 1970; undefined for anything else.
 */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const dateText = ASCTIME.test(text) ? `${text} GMT` : IMF_FIXDATE.test(text) || RFC_850.test(text) ? text : undefined;
  const ms = dateText === undefined ? NaN : Date.parse(dateText);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

/** Returns seconds since 1970. Milliseconds are dropped, because HTTP dates have none. */
const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);
