import { describe, expect, it } from 'vitest';
import { fillTemplate, toFault, toHit } from '../../../server/sources/extractor-items.ts';

describe('an entry of the extractor', () => {
  it('is identified by its site and id, with the best of its names', () => {
    expect(
      toHit({
        id: 'abc',
        extractor_key: 'Bandcamp',
        title: 'The Quays - Lights (live)',
        track: 'Lights',
        artists: ['The Quays', 'Ann'],
        uploader: 'quays',
        album: 'Low Water',
        track_number: 3,
        duration: 214.05,
        release_year: 2009,
        webpage_url: 'https://site.test/abc#__youtubedl_smuggle=%7B%7D',
        thumbnail: 'https://site.test/abc.jpg',
      }),
    ).toEqual({
      id: 'Bandcamp:abc',
      title: 'Lights',
      artist: 'The Quays; Ann',
      album: 'Low Water',
      trackNumber: 3,
      durationMs: 214_050,
      year: 2009,
      pageUrl: 'https://site.test/abc',
      coverUrl: 'https://site.test/abc.jpg',
    });
  });

  it('of a generic page is identified by its URL', () => {
    const firstHit = toHit({ id: '1', title: 'A', url: 'http://site.test/a/1', extractor_key: 'Generic' });
    const secondHit = toHit({ id: '1', title: 'A', url: 'http://site.test/b/1' });
    expect([firstHit?.id, secondHit?.id]).toEqual([
      expect.stringMatching(/^Generic:[0-9a-f]{32}$/),
      expect.stringMatching(/^Generic:[0-9a-f]{32}$/),
    ]);
    expect(firstHit?.id).not.toBe(secondHit?.id);
  });

  it('has the year of the upload, the channel as artist, the largest image', () => {
    expect(
      toHit({
        id: 'a',
        ie_key: 'Tube',
        url: 'https://t.test/a',
        title: 'T',
        channel: 'C',
        upload_date: '20240102',
        thumbnails: [{ url: 'https://t.test/s.jpg' }, { url: 'https://t.test/l.jpg' }],
      }),
    ).toMatchObject({ id: 'Tube:a', artist: 'C', year: 2024, coverUrl: 'https://t.test/l.jpg' });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a live one', { id: 'a', title: 'T', webpage_url: 'https://t.test/a', is_live: true }],
    ['one without an address', { id: 'a', title: 'T' }],
    ['one of another protocol', { id: 'a', title: 'T', url: 'file:///etc/passwd' }],
    ['text', 'x'],
  ])('that is %s is left out', (_, entry) => expect(toHit(entry)).toBeUndefined());
});

it.each<[string, string, string]>([
  ['ytsearch{limit}:{query}', 'a & b', 'ytsearch7:a & b'],
  ['http://site.test/find?q={query}&n={limit}', 'a & b', 'http://site.test/find?q=a%20%26%20b&n=7'],
  ['x{query}', '{limit}$&', 'x{limit}$&'],
])('a template %s with %s is %s', (template, query, expected) =>
  expect(fillTemplate(template, query, 7)).toBe(expected),
);

it.each<[string, number, string, RegExp]>([
  [
    'ERROR: [generic] Unable to download webpage: HTTP Error 404: Not Found (caused by ...)',
    1,
    'not_found',
    /no longer has it/,
  ],
  ['ERROR: [youtube] abc: Sign in to confirm your age', 1, 'forbidden', /denies access/],
  ['ERROR: HTTP Error 429: Too Many Requests', 1, 'rate_limited', /Too many requests to the site/],
  ['ERROR: Unsupported URL: https://a.test/secret?token=1', 1, 'invalid_media', /Unsupported URL: …/],
  ['ERROR: unable to write: [Errno 28] No space left on device: /home/ann/x', 1, 'unavailable', /^The disk is full/],
  ['ERROR: The read operation timed out', 1, 'timeout', /in time/],
  ['usage: yt-dlp [OPTIONS]\nyt-dlp: error: no such option: --x', 2, 'misconfigured', /try another version/],
  ['', 1, 'unavailable', /exit code 1/],
  ['ERROR: first\nERROR: Something new', 1, 'unavailable', /Something new/],
])('%j is recognized', (stderr, code, fault, sentence) => {
  const error = toFault(stderr, code);
  expect([error.fault, error.message]).toEqual([fault, expect.stringMatching(sentence)]);
  expect(error.message).toMatch(/^[A-Z].*\.$/s);
  expect(error.message).not.toMatch(/https?:|\/home/);
});
