// Tables of the values that `tonearm user set NAME WHAT=VALUE` accepts and rejects.
import { expect, test } from 'vitest';
import { parseTerms } from '../../../server/cli/account-terms.ts';

test.each([
  ['quota_bytes=5GB', { quotaBytes: 5e9 }],
  ['quota_bytes=5 GiB', { quotaBytes: 5_368_709_120 }],
  ['quota_bytes=0', { quotaBytes: 0 }],
  ['quota_bytes=None', { quotaBytes: null }],
  ['max_bitrate_kbps=192k', { maxBitrateKbps: 192 }],
  ['can_edit=yes', { canEdit: true }],
  ['can_edit=off', { canEdit: false }],
])('%s', (argument, terms) => {
  expect(parseTerms([argument])).toEqual(terms);
});

test.each([
  ['quota_bytes=1e9', /quota_bytes takes a number of bytes, or one with a unit such as 500MB.*none, not "1e9"/],
  ['quota_bytes=5XB', /not "5XB"/],
  ['quota_bytes=-1', /not "-1"/],
  ['quota_bytes=', /not ""/],
  ['quota_bytes=5=3', /not "5=3"/],
  ['max_bitrate_kbps=16', /from 32 to 10000/],
  ['max_bitrate_kbps=320000', /from 32 to 10000/],
  ['can_edit=maybe', /can_edit takes yes or no, not "maybe"/],
  ['can_fly=yes', /no "can_fly".*can_edit,.*quota_bytes/],
  ['is_superuser=yes', /no "is_superuser"/],
  ['can_edit', /"can_edit" is not WHAT=VALUE/],
])('%s is refused, and the message says what is accepted', (argument, message) => {
  expect(() => parseTerms([argument])).toThrow(message);
});
