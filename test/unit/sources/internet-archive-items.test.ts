import { describe, expect, it } from 'vitest';
import { IaItem, isSafeName, lengthMs, searchWords, tracksOf } from '../../../server/sources/internet-archive-items.ts';

const ARCHIVE_URLS = { coverUrl: 'https://archive.test/img', pageUrl: 'https://archive.test/details' };
const tracks = (item: unknown) => tracksOf(IaItem.parse(item), ARCHIVE_URLS);
const metadata = { identifier: 'item', title: 'Low Water', creator: ['The Quays', 'Guests'], date: '2009-05-01' };

it.each<[string | undefined, number | undefined]>([
  ['214.05', 214_050],
  ['03:34', 214_000],
  ['1:02:03', 3_723_000],
  ['0', undefined],
  ['', undefined],
  ['1:2:3:4', undefined],
  ['-5', undefined],
  ['abc', undefined],
  [undefined, undefined],
])('a length of %s is %s ms', (text, ms) => expect(lengthMs(text)).toBe(ms));

it.each<[string, string]>([
  ['plain words', 'plain words'],
  ['a+b (c) [d]', String.raw`a\+b \(c\) \[d\]`],
  ['this AND that OR NOT', 'this and that or not'],
  ['a:b/c\\d"e"', String.raw`a\:b\/c\\d\"e\"`],
  ['*?~^!&|{}-', String.raw`\*\?\~\^\!\&\|\{\}\-`],
])('words %s are searched as %s', (words, escaped) => expect(searchWords(words)).toBe(escaped));

it.each<[string, boolean]>([
  ['a.mp3', true],
  ['disc 1/01 a.mp3', true],
  ['../a.mp3', false],
  ['a/../b.mp3', false],
  ['/a.mp3', false],
  ['a//b.mp3', false],
  ['a/./b', false],
  ['', false],
  ['a\\b', false],
  ['a\nb', false],
  ['x'.repeat(501), false],
])('a file called %j may be fetched: %s', (name, isSafe) => expect(isSafeName(name)).toBe(isSafe));

describe('an item', () => {
  it('has each recording once, in the best format, with the metadata of the original', () => {
    expect(
      tracks({
        metadata,
        files: [
          { name: '03 Lights.mp3', original: '03 Lights.flac', format: 'VBR MP3', length: '03:34', size: '5' },
          {
            name: '03 Lights.flac',
            format: 'Flac',
            length: '214.05',
            title: 'Harbour Lights',
            track: '3/12',
            artist: 'The Quays',
            album: 'Low Water',
            albumId: 'item',
            size: '25',
          },
          { name: '04_Old_Song_64kb.mp3', original: '04_Old_Song.wav', format: '64Kbps MP3' },
          { name: '04_Old_Song.ogg', original: '04_Old_Song.wav', format: 'Ogg Vorbis' },
          { name: '__thumb.jpg', format: 'Item Tile' },
          17,
          null,
          { format: 'Flac' },
        ],
      }),
    ).toEqual([
      {
        id: 'item/03 Lights.flac',
        title: 'Harbour Lights',
        artist: 'The Quays',
        album: 'Low Water',
        albumId: 'item',
        durationMs: 214_050,
        trackNumber: 3,
        year: 2009,
        ...ARCHIVE_URLS,
      },
      {
        id: 'item/04_Old_Song.ogg',
        title: '04 Old Song',
        artist: 'The Quays',
        album: 'Low Water',
        albumId: 'item',
        durationMs: undefined,
        trackNumber: undefined,
        year: 2009,
        ...ARCHIVE_URLS,
      },
    ]);
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['a withdrawn one', { is_dark: true, metadata, files: [{ name: 'a.mp3', format: 'MP3' }] }],
    ['no files', { metadata }],
    ['files that are no list', { metadata, files: 'x' }],
    ['a private file', { metadata, files: [{ name: 'a.mp3', format: 'MP3', private: 'true' }] }],
    ['a file out of the item', { metadata, files: [{ name: '../../a.mp3', format: 'MP3' }] }],
  ])('of %s has no tracks', (_, item) => expect(tracks(item)).toEqual([]));

  it('may have missing or invalid names', () => {
    expect(
      tracks({
        metadata: { identifier: 'x', creator: [], title: 7, date: 'circa 1920' },
        files: [{ name: 'a b.mp3', format: 'MP3', title: ['\u0000'], length: 3 }],
      }),
    ).toMatchObject([
      { id: 'x/a b.mp3', title: 'a b', artist: undefined, album: undefined, year: undefined, durationMs: undefined },
    ]);
  });
});
