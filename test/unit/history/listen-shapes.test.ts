// Tables of all known formats of plays in exports.
import { describe, expect, test } from 'vitest';
import { jsonItems } from '../../../server/history/json-items.ts';
import { csvHeader, csvListen, toListen } from '../../../server/history/listen-shapes.ts';
import { csvRows, lines } from '../../../server/history/text-rows.ts';

const PLAYED_AT = Date.UTC(2023, 10, 14, 22, 13, 20); // 1,700,000,000 s since 1970
const mbid = '5f0f6a3c-1111-4222-8333-444455556666';
const song = {
  title: 'Harbour Lights',
  artistName: 'The Quays',
  albumTitle: 'Low Water',
  recordingMbid: null,
  playedAt: PLAYED_AT,
  durationMs: null,
};

describe('a play in JSON', () => {
  test.each([
    [
      'of ListenBrainz',
      {
        listened_at: 1_700_000_000,
        track_metadata: { artist_name: 'The Quays', track_name: 'Harbour Lights', release_name: 'Low Water' },
      },
      song,
    ],
    [
      'of ListenBrainz with all fields',
      {
        listened_at: 1_700_000_000,
        recording_msid: 'x',
        track_metadata: {
          artist_name: ' The Quays ',
          track_name: 'Harbour Lights',
          release_name: 'Low Water',
          additional_info: { recording_mbid: mbid.toUpperCase(), duration_ms: 214_000 },
        },
      },
      { ...song, recordingMbid: mbid, durationMs: 214_000 },
    ],
    [
      'of ListenBrainz as it mapped it',
      {
        listened_at: 1_700_000_000,
        track_metadata: {
          artist_name: 'The Quays',
          track_name: 'Harbour Lights',
          release_name: null,
          mbid_mapping: { recording_mbid: mbid },
          additional_info: { duration: 214 },
        },
      },
      { ...song, albumTitle: null, recordingMbid: mbid, durationMs: 214_000 },
    ],
    [
      'of Last.fm',
      {
        name: 'Harbour Lights',
        artist: { '#text': 'The Quays', mbid: '' },
        album: { '#text': 'Low Water' },
        mbid,
        date: { uts: '1700000000', '#text': '14 Nov 2023, 22:13' },
      },
      { ...song, recordingMbid: mbid },
    ],
    [
      'of Last.fm, extended',
      {
        name: 'Harbour Lights',
        artist: { name: 'The Quays', url: 'x' },
        album: { '#text': 'Low Water' },
        date: { uts: 1_700_000_000 },
      },
      song,
    ],
    [
      'of a statistics page',
      { track: 'Harbour Lights', artist: 'The Quays', album: 'Low Water', albumId: '7', date: PLAYED_AT },
      song,
    ],
    [
      'with a text as time',
      { title: 'Harbour Lights', artist: 'The Quays', album: 'Low Water', date: '2023-11-14T22:13:20Z' },
      song,
    ],
  ])('%s', (_, entry, listen) => {
    expect(toListen(entry)).toEqual(listen);
  });

  test.each([
    ['playing just now', { name: 'Harbour Lights', artist: { '#text': 'The Quays' }, '@attr': { nowplaying: 'true' } }],
    ['without a believable time', { name: 'Harbour Lights', artist: 'The Quays', date: { uts: '0' } }],
    ['without a title', { name: ' ', artist: 'The Quays', date: PLAYED_AT }],
    ['without an artist', { name: 'Harbour Lights', date: PLAYED_AT }],
    ['with a name that never ends', { name: 'x'.repeat(1_001), artist: 'The Quays', date: PLAYED_AT }],
    ['that is not an object', ['x']],
    ['that is nothing', null],
    ['with a wrong time', { name: 'x', artist: 'y', date: 'yesterday' }],
    ['with infinity', { listened_at: Infinity, track_metadata: { artist_name: 'a', track_name: 'b' } }],
  ])('%s is not a play', (_, entry) => {
    expect(toListen(entry)).toBeUndefined();
  });
});

describe('a play in a row', () => {
  test.each([
    [
      ['uts', 'utc_time', 'artist', 'artist_mbid', 'album', 'album_mbid', 'track', 'track_mbid'],
      ['1700000000', '14 Nov 2023, 22:13', 'The Quays', '', 'Low Water', '', 'Harbour Lights', mbid],
      { ...song, recordingMbid: mbid },
    ],
    [
      ['Artist', 'Album', 'AlbumId', 'Track', 'Date#somebody'],
      ['The Quays', 'Low Water', '', 'Harbour Lights', `${PLAYED_AT}`],
      song,
    ],
    [['track', 'album', 'artist', 'time'], ['Harbour Lights', 'Low Water', 'The Quays', '2023-11-14 22:13:20'], song],
    [
      ['Track Name', 'Artist Name', 'Timestamp'],
      ['Harbour Lights', 'The Quays', '14 Nov 2023 22:13:20'],
      { ...song, albumTitle: null },
    ],
  ])('under %s', (header, row, listen) => {
    const columns = csvHeader(header);
    expect(csvListen(row, columns)).toEqual(listen);
  });

  test('without a header is artist, album, title, date', () => {
    const row = ['The Quays', 'Low Water', 'Harbour Lights', '14 Nov 2023 22:13'];
    expect(csvHeader(row)).toBeUndefined();
    expect(csvListen(row)).toEqual({ ...song, playedAt: PLAYED_AT - 20_000 });
  });

  test('names of properties that every object inherits are no columns', () => {
    expect(csvHeader(['constructor', '__proto__', 'toString'])).toBeUndefined();
  });
});

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let i = 0; i < text.length; i += size) yield text.slice(i, i + size);
}
const collectAll = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const entries: T[] = [];
  for await (const item of items) entries.push(item);
  return entries;
};

describe.each([1, 3, 1_000])('read in pieces of %i characters', (size) => {
  test.each([
    ['[{"a":1},{"a":{"b":"}"}},\n{"a":"\\"{["}]', ['{"a":1}', '{"a":{"b":"}"}}', '{"a":"\\"{["}']],
    ['{"payload":{"count":2,"listens":[{"a":1},{"artists":[{"x":1}]}]}}', ['{"a":1}', '{"artists":[{"x":1}]}']],
    ['[[{"a":1}],[{"a":2}]]', ['{"a":1}', '{"a":2}']],
    ['[{"recenttracks":{"track":[{"a":1},{"a":2}],"@attr":{"page":"1"}}}]', ['{"a":1}', '{"a":2}']],
    ['[]', []],
    ['', []],
    ['[{"a":1},{"b":', ['{"a":1}']],
  ])('the entries of %s are found', async (text, entries) => {
    expect(await collectAll(jsonItems(pieces(text, size)))).toEqual(entries);
  });

  test('rows keep quotes, separators and line breaks inside their fields', async () => {
    expect(await collectAll(csvRows(pieces('a,"b, ""c""\nd",e\r\n\r\n"",x\nlast', size), ','))).toEqual([
      ['a', 'b, "c"\nd', 'e'],
      ['', 'x'],
      ['last'],
    ]);
  });

  test('lines may end as on Windows, and the last line needs no end', async () => {
    expect(await collectAll(lines(pieces('a\r\n\n b\nc', size)))).toEqual(['a', ' b', 'c']);
  });
});

test('an entry that never ends is skipped, and the next one is found', async () => {
  expect(await collectAll(jsonItems(pieces(`[{"a":"${'x'.repeat(300_000)}"},{"b":1}]`, 50_000)))).toEqual([
    undefined,
    '{"b":1}',
  ]);
});
