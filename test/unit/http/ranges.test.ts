import { describe, expect, it } from 'vitest';
import {
  checkConditions,
  hasCurrentCopy,
  ifRangeHolds,
  parseHttpDate,
  parseRange,
  type ConditionHeaders,
} from '../../../server/http/ranges.ts';

describe('parseRange', () => {
  const rows: [header: string | undefined, size: number, expected: ReturnType<typeof parseRange>][] = [
    [undefined, 1000, 'whole'],
    ['bytes=0-0', 1000, { start: 0, end: 0 }],
    ['bytes=0-499', 1000, { start: 0, end: 499 }],
    ['bytes=500-999', 1000, { start: 500, end: 999 }],
    ['bytes=999-999', 1000, { start: 999, end: 999 }],
    ['bytes=500-', 1000, { start: 500, end: 999 }],
    ['bytes=0-', 1000, { start: 0, end: 999 }],
    ['bytes=0-1', 2, { start: 0, end: 1 }],
    ['bytes=900-5000', 1000, { start: 900, end: 999 }],
    ['bytes=900-99999999999999999999', 1000, { start: 900, end: 999 }],
    ['bytes=-500', 1000, { start: 500, end: 999 }],
    ['bytes=-1', 1000, { start: 999, end: 999 }],
    ['bytes=-5000', 1000, { start: 0, end: 999 }],
    ['bytes=-0', 1000, 'unsatisfiable'],
    ['bytes=1000-', 1000, 'unsatisfiable'],
    ['bytes=1000-1001', 1000, 'unsatisfiable'],
    ['bytes=99999999999999999999-', 1000, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-5', 0, 'whole'],
    ['bytes=5-2', 1000, 'whole'],
    ['BYTES=1-2', 1000, { start: 1, end: 2 }],
    ['bytes= 1-2 ', 1000, { start: 1, end: 2 }],
    ['bytes=1-2,', 1000, { start: 1, end: 2 }],
    ['bytes=0-1,5-6', 1000, 'whole'],
    ['bytes=0-1, -5', 1000, 'whole'],
    ['bytes=0-1, 2000-', 1000, 'whole'],
    ['bytes=1000-1001, 2000-', 1000, 'unsatisfiable'],
    ['bytes=0-1,x', 1000, 'whole'],
    ['bytes=', 1000, 'whole'],
    ['bytes=,', 1000, 'whole'],
    ['bytes=-', 1000, 'whole'],
    ['bytes=a-b', 1000, 'whole'],
    ['bytes=1.5-2', 1000, 'whole'],
    ['bytes=--5', 1000, 'whole'],
    ['bytes=+1-2', 1000, 'whole'],
    ['bytes 0-1', 1000, 'whole'],
    ['bytes', 1000, 'whole'],
    ['items=0-1', 1000, 'whole'],
    ['', 1000, 'whole'],
  ];
  it.each(rows)('%s of %i bytes', (header, size, expected) => {
    expect(parseRange(header, size)).toEqual(expected);
  });
});

const modifiedAt = new Date('2024-03-05T10:20:30.678Z');
const validators = { etag: '"abc"', modifiedAt };
const LAST_MODIFIED = 'Tue, 05 Mar 2024 10:20:30 GMT';
const SECOND_BEFORE = 'Tue, 05 Mar 2024 10:20:29 GMT';
const SECOND_AFTER = 'Tue, 05 Mar 2024 10:20:31 GMT';

describe('checkConditions', () => {
  const rows: [title: string, headers: ConditionHeaders, expected: ReturnType<typeof checkConditions>][] = [
    ['no condition', {}, 'send'],
    ['If-None-Match with the tag', { 'if-none-match': '"abc"' }, 'not_modified'],
    ['If-None-Match with the weak tag', { 'if-none-match': 'W/"abc"' }, 'not_modified'],
    ['If-None-Match with a list', { 'if-none-match': '"x", W/"y,z", "abc"' }, 'not_modified'],
    ['If-None-Match with *', { 'if-none-match': '*' }, 'not_modified'],
    ['If-None-Match with another tag', { 'if-none-match': '"abcd"' }, 'send'],
    ['If-None-Match without quotes', { 'if-none-match': 'abc' }, 'send'],
    [
      'If-None-Match goes before If-Modified-Since',
      { 'if-none-match': '"x"', 'if-modified-since': SECOND_AFTER },
      'send',
    ],
    ['If-Modified-Since at the same second', { 'if-modified-since': LAST_MODIFIED }, 'not_modified'],
    ['If-Modified-Since later', { 'if-modified-since': SECOND_AFTER }, 'not_modified'],
    ['If-Modified-Since earlier', { 'if-modified-since': SECOND_BEFORE }, 'send'],
    ['If-Modified-Since that is not a date', { 'if-modified-since': 'yesterday' }, 'send'],
    ['If-Modified-Since in another form of time', { 'if-modified-since': '2030-01-01T00:00:00Z' }, 'send'],
    ['If-Match with the tag', { 'if-match': '"abc"' }, 'send'],
    ['If-Match with *', { 'if-match': '*' }, 'send'],
    ['If-Match with the weak tag', { 'if-match': 'W/"abc"' }, 'precondition_failed'],
    ['If-Match with another tag', { 'if-match': '"x"' }, 'precondition_failed'],
    ['If-Match goes before If-Unmodified-Since', { 'if-match': '"abc"', 'if-unmodified-since': SECOND_BEFORE }, 'send'],
    ['If-Unmodified-Since at the same second', { 'if-unmodified-since': LAST_MODIFIED }, 'send'],
    ['If-Unmodified-Since earlier', { 'if-unmodified-since': SECOND_BEFORE }, 'precondition_failed'],
    ['If-Unmodified-Since that is not a date', { 'if-unmodified-since': 'soon' }, 'send'],
    ['If-Match goes before If-None-Match', { 'if-match': '"x"', 'if-none-match': '"abc"' }, 'precondition_failed'],
  ];
  it.each(rows)('%s', (_title, headers, expected) => {
    expect(checkConditions(headers, validators)).toBe(expected);
  });
});

describe('ifRangeHolds', () => {
  const rows: [header: string | undefined, expected: boolean][] = [
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"abcd"', false],
    ['"x", "abc"', false],
    [LAST_MODIFIED, true],
    [SECOND_BEFORE, false],
    [SECOND_AFTER, false],
    ['nonsense', false],
    ['', false],
  ];
  it.each(rows)('%s', (header, expected) => {
    expect(ifRangeHolds(header, validators)).toBe(expected);
  });
});

describe('hasCurrentCopy', () => {
  it('is true only for a listed tag, without other conditions', () => {
    expect(hasCurrentCopy({ 'if-none-match': 'W/"abc"' }, '"abc"')).toBe(true);
    expect(hasCurrentCopy({ 'if-none-match': '*' }, '"abc"')).toBe(false);
    expect(hasCurrentCopy({ 'if-none-match': '"abc"', 'if-match': '"x"' }, '"abc"')).toBe(false);
    expect(hasCurrentCopy({}, '"abc"')).toBe(false);
  });
});

describe('parseHttpDate', () => {
  it('reads the three formats and nothing else', () => {
    const seconds = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(seconds);
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(seconds);
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994')).toBe(seconds);
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 +0200')).toBeUndefined();
    expect(parseHttpDate('784111777')).toBeUndefined();
  });
});
