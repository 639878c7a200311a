// Requests of a developer who knows the resources of the API but guesses names, forms and spellings. Each request
// works, or its response names the correct form. Requests run in order, against one server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { startServer, type ApiInit, type TestServer } from '../support/server.ts';

let server: TestServer;

function song(length: number, title: string, artist: string, album: string, year: string): Buffer {
  const text = (name: string, value: string) => id3Frame(name, utf8Text(value));
  const frames = [text('TIT2', title), text('TPE1', artist), text('TALB', album), text('TDRC', year)];
  return Buffer.concat([id3(frames), silentMp3(length)]);
}
const form = (field: string, ...files: [name: string, bytes: Buffer][]): FormData => {
  const data = new FormData();
  for (const [name, bytes] of files) data.append(field, new Blob([new Uint8Array(bytes)]), name);
  return data;
};

/** The tags of tracks 1 to 4. */
const SONGS: [title: string, artist: string, album: string, year: string][] = [
  ['First', 'Ann', 'Alpha', '1999'],
  ['Second', 'Ann', 'Alpha', '1999'],
  ['Third', 'Ben', 'Beta', '2005'],
  ['Fourth', 'Ben', 'Beta', '2005'],
];

beforeAll(async () => {
  server = await startServer({ env: { STREAMSRC_ENABLED: 'true' } });
  for (const [i, [title, artist, album, year]] of SONGS.entries())
    await server.api('/tracks/upload', {
      method: 'POST',
      body: form('file', [`${i}.mp3`, song(60 + i, title, artist, album, year)]),
    });
  await server.app.drain();
});
afterAll(() => server.close());

type Request = Pick<ApiInit, 'body' | 'headers'>;
type Line = [method: string, path: string, request: Request | object | undefined, status: number, answer?: unknown];

const raw = (body: unknown, headers: Record<string, string>): Request => ({ body, headers });
const titles = (...names: string[]) => ({ items: names.map((title) => ({ title })), total: names.length });
const NEW_SONG = song(90, 'Raw', 'Cy', 'Gamma', '2010');
const NEWER_SONG = song(91, 'Named', 'Cy', 'Gamma', '2010');

const TABLE: Record<string, Line[]> = {
  'lists: names of the search': [
    ['GET', '/tracks?q=first', undefined, 200, titles('First')],
    ['GET', '/tracks?query=first', undefined, 200, titles('First')],
    ['GET', '/tracks?search=first', undefined, 200, titles('First')],
    ['GET', '/albums?search=alpha', undefined, 200, titles('Alpha')],
    ['GET', '/artists?query=ann', undefined, 200, { total: 1 }],
    ['GET', '/search/library?query=first', undefined, 200, { tracks: { total: 1 } }],
    ['GET', '/search/library?search=first', undefined, 200, { tracks: { total: 1 } }],
    ['GET', '/search?query=first', undefined, 200, { items: [{ title: 'First', in_library: true, track_id: 1 }] }],
  ],
  'lists: order': [
    ['GET', '/tracks?sort=title', undefined, 200, titles('First', 'Fourth', 'Second', 'Third')],
    ['GET', '/tracks?sort_by=title&order=desc', undefined, 200, titles('Third', 'Second', 'Fourth', 'First')],
    ['GET', '/tracks?sort=-title', undefined, 200, titles('Third', 'Second', 'Fourth', 'First')],
    ['GET', '/tracks?sort=title:desc', undefined, 200, titles('Third', 'Second', 'Fourth', 'First')],
    ['GET', '/tracks?sort=title&sort_order=desc', undefined, 200, titles('Third', 'Second', 'Fourth', 'First')],
    ['GET', '/tracks?order_by=title', undefined, 200, titles('First', 'Fourth', 'Second', 'Third')],
    ['GET', '/tracks?sort=name', undefined, 200, titles('First', 'Fourth', 'Second', 'Third')],
    ['GET', '/tracks?sort=TITLE&order=DESC', undefined, 200, titles('Third', 'Second', 'Fourth', 'First')],
    ['GET', '/tracks?sort=newest', undefined, 200, titles('Fourth', 'Third', 'Second', 'First')],
    ['GET', '/tracks?sort=created_at', undefined, 200, titles('Fourth', 'Third', 'Second', 'First')],
    ['GET', '/tracks?sort=-created_at', undefined, 200, titles('Fourth', 'Third', 'Second', 'First')],
    ['GET', '/tracks?sort=oldest', undefined, 200, titles('First', 'Second', 'Third', 'Fourth')],
    ['GET', '/albums?sort=-year', undefined, 200, titles('Beta', 'Alpha')],
    ['GET', '/artists?sort=title', undefined, 200, { items: [{ name: 'Ann' }, { name: 'Ben' }] }],
    ['GET', '/tracks?sort=-title&order=asc', undefined, 422, /order.*says asc/],
    ['GET', '/tracks?sort=loudness', undefined, 422, /sort.*title.*artist/],
  ],
  'lists: pages': [
    ['GET', '/tracks?limit=1&offset=1', undefined, 200, { items: [{ title: 'Fourth' }], limit: 1, offset: 1 }],
    ['GET', '/tracks?page=2&page_size=1', undefined, 200, { items: [{ title: 'Fourth' }], limit: 1, offset: 1 }],
    ['GET', '/tracks?page=2&per_page=1', undefined, 200, { items: [{ title: 'Fourth' }], limit: 1, offset: 1 }],
    ['GET', '/tracks?page=1', undefined, 200, { total: 4, limit: 50, offset: 0 }],
    ['GET', '/tracks?page=0', undefined, 422, /"page"/],
    ['GET', '/tracks?page=x', undefined, 422, /"page"/],
    ['GET', '/tracks?page=2&offset=1', undefined, 422, /page.*offset/],
    ['GET', '/tracks?per_page=201', undefined, 422, /"per_page"/],
    ['GET', '/tracks?limit=201', undefined, 422, /"limit"/],
    ['GET', '/playlists?page=1&per_page=5', undefined, 200, { limit: 5 }],
    ['GET', '/history?page=1', undefined, 200, { offset: 0 }],
  ],
  'lists: filters': [
    ['GET', '/tracks?artist=ann', undefined, 200, { total: 2 }],
    ['GET', '/tracks?artist=An', undefined, 200, { total: 0 }],
    ['GET', '/tracks?album=BETA', undefined, 200, { total: 2 }],
    ['GET', '/tracks?year=1999', undefined, 200, { total: 2 }],
    ['GET', '/albums?year=2005', undefined, 200, titles('Beta')],
    ['GET', '/albums?artist=Ben', undefined, 200, titles('Beta')],
    ['GET', '/tracks?has_cover=false', undefined, 200, { total: 4 }],
    ['GET', '/tracks?has_cover=true', undefined, 200, { total: 0 }],
    ['GET', '/albums?has_cover=0', undefined, 200, { total: 2 }],
    ['GET', '/tracks?availability=available', undefined, 200, { total: 4 }],
    ['GET', '/tracks?format=MP3', undefined, 200, { total: 4 }],
    ['GET', '/tracks?source=upload', undefined, 200, { total: 4 }],
    ['GET', '/tracks?source=bogus', undefined, 422, /"source".*upload, local_folder, streamsrc.*bogus/],
    ['GET', '/tracks?format=bogus', undefined, 422, /"format".*mp3.*bogus/],
    ['GET', '/albums?format=bogus', undefined, 422, /"format".*mp3.*bogus/],
    ['GET', '/albums?format=Mp3', undefined, 200, { total: 2 }],
    ['GET', '/tracks?format=unknown', undefined, 200, { total: 0 }],
    ['GET', '/albums?format=unknown', undefined, 200, { total: 0 }],
    ['GET', '/jobs?task=bogus', undefined, 422, /"task".*enrich_task.*bogus/],
    ['GET', '/jobs?task=enrich_task', undefined, 200],
    ['GET', '/tracks?status=nonsense', undefined, 422, /"status".*pending/],
    ['GET', '/tracks?metadata_status=manual', undefined, 200, { total: 0 }],
    ['GET', '/tracks?status=manual', undefined, 200, { total: 0 }],
    ['GET', '/tracks?year=soon', undefined, 422, /"year"/],
    ['GET', '/tracks?artist_id=1', undefined, 200, { total: 2 }],
    ['GET', '/tracks?colour=red', undefined, 200, { total: 4 }],
  ],
  upload: [
    [
      'POST',
      '/tracks/upload',
      raw(form('file', ['a.mp3', NEW_SONG]), {}),
      201,
      { id: 5, title: 'Raw', source: 'upload' },
    ],
    ['POST', '/tracks/upload', raw(form('file', ['a.mp3', NEW_SONG]), {}), 200, { id: 5 }],
    ['POST', '/upload', raw(form('file', ['a.mp3', NEW_SONG]), {}), 200, { id: 5 }],
    ['POST', '/tracks', raw(form('file', ['a.mp3', NEW_SONG]), {}), 200, { id: 5 }],
    ['POST', '/tracks/upload', raw(form('files', ['a.mp3', NEW_SONG]), {}), 200, { items: [{ id: 5 }], errors: [] }],
    ['POST', '/tracks/upload', raw(form('upload', ['a.mp3', NEW_SONG]), {}), 200, { items: [{ id: 5 }], errors: [] }],
    ['POST', '/tracks', raw(NEWER_SONG, { 'Content-Type': 'audio/mpeg' }), 201, { id: 6, title: 'Named' }],
    ['POST', '/tracks/upload?filename=x.mp3', raw(NEWER_SONG, { 'Content-Type': 'audio/mpeg' }), 200, { id: 6 }],
    ['POST', '/upload', raw(NEWER_SONG, { 'Content-Type': 'application/octet-stream' }), 200, { id: 6 }],
    ['POST', '/upload', raw(Buffer.alloc(0), { 'Content-Type': 'audio/mpeg' }), 422, /empty/],
    ['POST', '/tracks', { title: 'x' }, 415],
    ['POST', '/tracks/upload', raw(form('file', ['a.mp3', Buffer.from('no music')]), {}), 422, /a\.mp3/],
    ['DELETE', '/tracks/6', undefined, 204],
    ['DELETE', '/tracks/5', undefined, 204],
  ],
  playlists: [
    ['POST', '/playlists', { title: 'By title' }, 201, { id: 1, name: 'By title' }],
    ['POST', '/playlists', { name: 'Named', colour: 'red' }, 201, { id: 2, name: 'Named' }],
    ['POST', '/playlists', { colour: 'red' }, 422, /colour/],
    [
      'POST',
      '/playlists',
      { name: 'Public', is_public: 'true', track_ids: [1] },
      201,
      { is_public: true, track_count: 1 },
    ],
    ['POST', '/playlists/1/tracks', { track_id: 1 }, 200, { track_count: 1 }],
    ['POST', '/playlists/1/tracks', { track_id: '2', position: 0 }, 200, { track_count: 2 }],
    ['POST', '/playlists/1/tracks', { track_ids: [3, 3] }, 200, { track_count: 4 }],
    ['POST', '/playlists/1/tracks/4', undefined, 200, { track_count: 5 }],
    ['POST', '/playlists/1/tracks', { track_ids: [99] }, 404],
    ['DELETE', '/playlists/1/tracks/3', undefined, 200, { track_count: 3 }],
    ['DELETE', '/playlists/1/tracks/3', undefined, 404, /3/],
    ['DELETE', '/playlists/1/tracks?track_id=4', undefined, 200, { track_count: 2 }],
    ['DELETE', '/playlists/1/tracks', { track_ids: [2] }, 200, { track_count: 1 }],
    ['DELETE', '/playlists/1/tracks', { track_id: 1 }, 200, { track_count: 0 }],
    ['DELETE', '/playlists/1/tracks', undefined, 422, /track_ids/],
    ['POST', '/playlists/1/tracks', { track_ids: [1, 1] }, 200, { track_count: 2, entries: [{ entry_id: 7 }, {}] }],
    ['DELETE', '/playlists/1/entries/7', undefined, 200, { track_count: 1 }],
    ['DELETE', '/playlists/1/tracks?entry_id=8', undefined, 200, { track_count: 0 }],
    ['PUT', '/playlists/1', { name: 'Put' }, 200, { name: 'Put' }],
    ['PATCH', '/playlists/1', { title: 'Patched', description: null }, 200, { name: 'Patched' }],
    ['POST', '/playlists/1/tracks', { tracks: [1] }, 200, { track_count: 1 }],
    ['POST', '/playlists/1/tracks', { ids: [2, 3] }, 200, { track_count: 3 }],
    ['POST', '/playlists/1/tracks', { id: 4 }, 200, { track_count: 4 }],
    ['DELETE', '/playlists/1/tracks', { ids: [4] }, 422, /ids.*not a known field/],
  ],
  likes: [
    ['POST', '/likes', { item_type: 'track', item_id: 1, liked: true }, 200, { liked: true }],
    ['POST', '/likes', { track_id: 2 }, 200, { item_type: 'track', item_id: 2, liked: true }],
    ['POST', '/likes', { album_id: 1 }, 200, { item_type: 'album', item_id: 1, liked: true }],
    ['POST', '/likes', { artist_id: '1' }, 200, { item_type: 'artist', item_id: 1, liked: true }],
    ['POST', '/likes', { track_id: 2, liked: false }, 200, { liked: false }],
    ['POST', '/likes', { track_id: 2, liked: 'true' }, 200, { liked: true }],
    ['POST', '/likes', { track_id: 2, action: 'unlike' }, 200, { liked: false }],
    ['POST', '/likes', { item_type: 'track', item_id: 2, action: 'like' }, 200, { liked: true }],
    ['POST', '/likes', { type: 'track', id: 2, liked: false }, 200, { liked: false }],
    ['POST', '/likes', { item_type: 'track', item_id: 3 }, 200, { liked: true }],
    ['POST', '/likes', { item_type: 'song', item_id: 3 }, 422, /item_type.*track/],
    ['POST', '/likes', { track_id: 3, action: 'love' }, 422, /action.*like or unlike/],
    ...['like', 'is_liked', 'value'].map((name): Line => [
      'POST',
      '/likes',
      { track_id: 2, [name]: false },
      200,
      { liked: false },
    ]),
    ...['event', 'event_type', 'state'].map((name): Line => [
      'POST',
      '/likes',
      { track_id: 2, [name]: 'unlike' },
      200,
      { liked: false },
    ]),
    // the field may have the opposite meaning
    ['POST', '/likes', { track_id: 2, unlike: true }, 422, /unlike.*not a known field/],
    ['POST', '/likes', { track_id: 2, liked: false, since: null }, 200, { liked: false }],
    ['POST', '/likes', { item: 3 }, 422, /item/],
    ['POST', '/likes', { track_id: 99 }, 404],
    ['GET', '/likes/state?item_type=track&item_id=1&item_id=2', undefined, 200, [{ liked: true }, { liked: false }]],
    ['GET', '/likes/state?item_type=track&item_id=1,2', undefined, 200, [{ liked: true }, { liked: false }]],
    ['GET', '/likes/state?item_type=track&item_ids=1,2', undefined, 200, [{ liked: true }, { liked: false }]],
    ['GET', '/likes/state?track_id=1', undefined, 200, [{ item_id: 1, liked: true }]],
    ['GET', '/likes/state?track_ids=2,1', undefined, 200, [{ item_id: 2 }, { item_id: 1 }]],
    ['GET', '/likes/state?album_id=1', undefined, 200, [{ item_type: 'album', liked: true }]],
    [
      'GET',
      '/likes/state',
      undefined,
      200,
      [{ item_type: 'album' }, { item_type: 'artist' }, { item_id: 1 }, { item_id: 3 }],
    ],
    ['GET', '/likes/state?item_type=track&limit=1', undefined, 200, [{ item_id: 1 }]],
    ['GET', '/likes/state?item_id=1', undefined, 422, /item_type/],
    ['GET', '/tracks?liked=true', undefined, 200, { total: 2 }],
  ],
  history: [
    ['POST', '/history', { track_id: 1 }, 201, { track_id: 1, track: { id: 1 } }],
    ['POST', '/history', { track_id: 1 }, 201, { track_id: 1 }],
    [
      'POST',
      '/history',
      { track_id: '1', played_at: '2026-01-02T03:04:05' },
      201,
      { played_at: '2026-01-02T03:04:05.000Z' },
    ],
    ['POST', '/history', { track_id: 1, played_at: '2026-01-02T03:04:05Z' }, 200],
    ['POST', '/history', { track_id: 1, played_at: '2026-01-02T03:04:05.700Z' }, 200],
    ['POST', '/history', { track_id: 1, played_at: '2026-01-02 03:04:06' }, 201],
    ['POST', '/history', { track_id: 1, played_at: 1_767_000_000 }, 201, { played_at: '2025-12-29T09:20:00.000Z' }],
    ['POST', '/history', { track_id: 1, played_at: 1_767_000_000_000 }, 200],
    ['POST', '/history', { track_id: 1, timestamp: 1_767_000_100 }, 201, { played_at: '2025-12-29T09:21:40.000Z' }],
    [
      'POST',
      '/history',
      { track_id: 1, played_at: '2025-06-01T12:00:00+02:00' },
      201,
      { played_at: '2025-06-01T10:00:00.000Z' },
    ],
    ['POST', '/history', { track_id: 2, duration_ms: 1500 }, 201, { played_ms: 1500 }],
    ['POST', '/history', { track_id: 2, duration_played: 2 }, 201, { played_ms: 2000 }],
    ['POST', '/history', { track_id: 4, started_at: 1_767_000_300 }, 201, { played_at: '2025-12-29T09:25:00.000Z' }],
    ['POST', '/history', { track_id: 4, duration_seconds: 3 }, 201, { played_ms: 3000 }],
    ['POST', '/history', { track_id: 3, play_id: 'one-listening' }, 201],
    ['POST', '/history', { track_id: 3, play_id: 'one-listening' }, 200],
    ['POST', '/history', { track_id: 3, played_at: 'yesterday' }, 422, /played_at/],
    ['POST', '/history', { items: [{ track_id: 4, timestamp: 1_767_000_500 }] }, 201, { recorded: 1 }],
    ['POST', '/history', { items: Array.from({ length: 5_000 }, () => ({ track_id: 4 })) }, 201, { recorded: 5_000 }],
    ['POST', '/history', { song: 4 }, 422],
    ['GET', '/history?from=2026-01-02&to=2026-01-03', undefined, 200, { total: 2 }],
    ['GET', '/history?since=2026-01-02T03:04:06', undefined, 200],
    ['GET', '/history?from=1767000000&until=1767000001', undefined, 200, { total: 1 }],
    ['GET', '/history?from=soon', undefined, 422, /from/],
    ['GET', '/history?track_id=2', undefined, 200, { total: 2, items: [{ track_id: 2 }, { track_id: 2 }] }],
  ],
  metadata: [
    ['PATCH', '/tracks/1', { year: '2001' }, 200, { year: 2001, metadata_status: 'enriched' }],
    ['PATCH', '/tracks/1', { artist: 'Zoe' }, 200, { artist_name: 'Zoe', title: 'First', metadata_status: 'enriched' }],
    [
      'PATCH',
      '/tracks/1',
      { album_title: 'Omega', artist_name: 'Ann' },
      200,
      { album_title: 'Omega', artist_name: 'Ann' },
    ],
    [
      'PUT',
      '/tracks/1/metadata',
      { title: 'Only' },
      200,
      { title: 'Only', artist_name: 'Ann', metadata_status: 'manual' },
    ],
    [
      'PUT',
      '/tracks/1/metadata',
      { artist: 'X', album: 'Y' },
      200,
      { title: 'Only', artist_name: 'X', album_title: 'Y' },
    ],
    [
      'PUT',
      '/tracks/1/metadata',
      { artist_name: 'Ann', album_title: 'Alpha' },
      200,
      { artist_name: 'Ann', album_title: 'Alpha' },
    ],
    ['PATCH', '/tracks/1', { album_name: 'Alpha' }, 200, { album_title: 'Alpha' }],
    ['PUT', '/tracks/1/metadata', { year: null }, 200, { year: null }],
    ['PUT', '/tracks/1', { year: 1999 }, 200, { year: 1999 }],
    ['PATCH', '/tracks/1/metadata', { genre: 'Folk', bitrate: 3 }, 200, { genre: 'Folk' }],
    ['PUT', '/tracks/1/metadata', { bitrate: 3 }, 422, /bitrate/],
    ['PATCH', '/tracks/1', { year: 'soon' }, 422, /year/],
    ['PATCH', '/tracks/1', { title: '' }, 422, /title/],
    ['GET', '/tracks?status=manual', undefined, 200, { total: 1 }],
    ['POST', '/tracks/1/metadata/enrich', undefined, 202],
  ],
  search: [
    ['GET', '/search?q=second', undefined, 200, { items: [{ title: 'Second', source: 'upload', track_id: 2 }] }],
    ['GET', '/search?q=second&sources=upload', undefined, 200, { items: [{ track_id: 2 }], errors: [] }],
    ['GET', '/search?q=second&sources=local_folder,upload&limit=1', undefined, 200, { items: [{ track_id: 2 }] }],
    ['GET', '/search?q=second&sources=local_folder', undefined, 200, { items: [], errors: [] }],
    ['GET', '/sources/upload/search?q=second', undefined, 200, { items: [{ track_id: 2, availability: 'available' }] }],
    ['GET', '/sources/upload/search?query=second', undefined, 200, { items: [{ track_id: 2 }] }],
    ['GET', '/sources/local_folder/search?q=second', undefined, 200, { items: [] }],
    ['GET', '/sources/nowhere/search?q=second', undefined, 404],
  ],
  remote: [
    [
      'POST',
      '/tracks/remote',
      { source_id: 'abc', title: 'Saved', in_library: false, kind: 'track' },
      201,
      { title: 'Saved', availability: 'remote' },
    ],
    ['POST', '/tracks/remote', { source: 'streamsrc', source_id: 'abc', title: 'Saved' }, 200],
    [
      'POST',
      '/tracks/remote',
      { source_id: 'some:thing/last', artist: 'Someone' },
      201,
      { title: 'last', artist_name: 'Someone' },
    ],
    ['POST', '/tracks/remote', { title: 'No id' }, 422, /source_id/],
    ['POST', '/tracks/remote', { id: 'def', title: 'Other', duration: 200.5 }, 201, { duration_ms: 200_500 }],
    ['POST', '/tracks/7/materialize', undefined, 409],
    ['POST', '/downloads', { track_id: 7 }, 409],
    ['POST', '/downloads', { source_id: 'abc' }, 409],
    ['POST', '/downloads', { track_id: 1 }, 200, { track_id: 1 }],
    ['POST', '/downloads', { colour: 'red' }, 422],
  ],
  'accounts and paths': [
    ['GET', '/me', undefined, 200, { username: 'admin' }],
    ['GET', '/auth/me', undefined, 200, { username: 'admin' }],
    ['GET', '/users/me', undefined, 200, { username: 'admin' }],
    ['GET', '/users/me/subsonic-password', undefined, 200],
    ['POST', '/admin/users/admin/subsonic-password', undefined, 200],
    ['GET', '/track', undefined, 404, /GET.*\/tracks/],
    ['GET', '/tracks/1/audio', undefined, 404, /\/tracks/],
    ['POST', '/playlist', { name: 'x' }, 404, /\/playlists/],
    ['DELETE', '/genres', undefined, 405],
    ['POST', '/likes', raw('track_id=1', { 'Content-Type': 'text/plain' }), 415],
    ['POST', '/likes', raw('{"track_id":', { 'Content-Type': 'application/json' }), 400],
    ['GET', '/docs', undefined, 200],
    ['GET', '/openapi.json', undefined, 200],
    ['GET', '/health', undefined, 200],
  ],
};

describe.each(Object.keys(TABLE))('%s', (group) => {
  const lines = (TABLE[group] as Line[]).map(([method, path, request, ...rest]): [string, Line] => [
    `${method} ${path} ${request && !('headers' in request) ? JSON.stringify(request).slice(0, 100) : ''}`,
    [method, path, request, ...rest],
  ]);
  test.each(lines)('%s', async (_, [method, path, request, status, expectedBody]) => {
    const init: ApiInit =
      request === undefined ? { method } : { method, ...('headers' in request ? request : { body: request }) };
    const response = await server.api(path, init);
    expect({ status: response.status, ...(response.status === status ? {} : { text: response.text }) }).toEqual({
      status,
    });
    if (expectedBody instanceof RegExp) expect(response.text).toMatch(expectedBody);
    else if (Array.isArray(expectedBody))
      expect(response.body).toEqual(expectedBody.map((expectedItem: object) => expect.objectContaining(expectedItem)));
    else if (expectedBody !== undefined) expect(response.body).toMatchObject(expectedBody as object);
  });
});
