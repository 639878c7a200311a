// Imports of plays from other services are matched, kept without a match, and can be repeated without a change.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MATCH_HISTORY } from '../../server/history/tasks.ts';
import type { HistoryImportOut, HistoryOut } from '../../server/history/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { keptCounts, recountedPlays } from '../support/play-counts.ts';
import { whileQueueIsDown } from '../support/queue-down.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;
let listener: string;
let tracks: ReturnType<typeof trackMaker>;
const PLAYED_AT_SECONDS = 1_700_000_000;
const MBID = '5f0f6a3c-1111-4222-8333-444455556666';

beforeAll(async () => {
  server = await startServer();
  listener = await registerUser(server);
});
afterAll(() => server.close());
beforeEach(() => {
  server.app.db.$client.exec(
    'DELETE FROM plays; DELETE FROM play_counts; DELETE FROM tracks; DELETE FROM albums; DELETE FROM artists; DELETE FROM history_imports',
  );
  tracks = trackMaker(server.app);
});

function upload(
  text: string | Uint8Array<ArrayBuffer>,
  { name = 'export.json', field = 'file', token = server.token } = {},
): Promise<Answer<HistoryImportOut>> {
  const form = new FormData();
  form.append(field, new Blob([text]), name);
  return server.api<HistoryImportOut>('/history/import', { method: 'POST', body: form, token });
}

async function importFile(text: string | Uint8Array<ArrayBuffer>, options = {}): Promise<HistoryImportOut> {
  const { status, body } = await upload(text, options);
  expect(status).toBe(202);
  await server.app.drain();
  return (await server.api<HistoryImportOut>(`/history/imports/${body.id}`)).body;
}

const list = async (token = server.token): Promise<HistoryOut[]> =>
  (await server.api<{ items: HistoryOut[] }>('/history?limit=200', { token })).body.items;
const listen = (
  track_name: string,
  listened_at = PLAYED_AT_SECONDS,
  otherFields: { artist?: string; album?: string; mbid?: string } = {},
) => ({
  listened_at,
  track_metadata: {
    track_name,
    artist_name: otherFields.artist ?? 'The Quays',
    release_name: otherFields.album ?? 'Harbour',
    additional_info: { recording_mbid: otherFields.mbid ?? '' },
  },
});
const jsonl = (entries: object[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');

describe('a file', () => {
  test('of plays is matched by recording, by names, and by album where there are several', async () => {
    const byId = tracks.add({ title: 'Otherwise', artists: ['Somebody'], recordingMbid: MBID });
    const [onHarbour, onBest] = [
      tracks.add({ title: 'Lighthouse' }),
      tracks.add({ title: 'Lighthouse', album: 'Best of' }),
    ];
    const withGuest = tracks.add({ title: 'Ebb (feat. Ida Lund)', artists: ['Björk'] });
    const result = await importFile(
      jsonl([
        listen('Lighthouse', PLAYED_AT_SECONDS, { mbid: MBID }),
        listen('LIGHTHOUSE', PLAYED_AT_SECONDS + 1_000, { album: 'best of' }),
        listen('Lighthouse', PLAYED_AT_SECONDS + 2_000),
        listen('Ebb', PLAYED_AT_SECONDS + 3_000, { artist: 'Bjork ft. Ida Lund' }),
        listen('Unknown', PLAYED_AT_SECONDS + 4_000),
      ]),
    );
    expect(result).toMatchObject({
      status: 'done',
      added: 5,
      known: 0,
      unmatched: 1,
      unreadable: 0,
      unmatched_songs: [{ title: 'Unknown', artist_name: 'The Quays', plays: 1 }],
      error: null,
    });
    expect((await list()).map(({ track, title }) => [track?.id, title])).toEqual([
      [undefined, 'Unknown'],
      [withGuest, 'Ebb'],
      [onHarbour, 'Lighthouse'],
      [onBest, 'LIGHTHOUSE'],
      [byId, 'Lighthouse'],
    ]);
    expect(await list(listener)).toEqual([]);
    expect(keptCounts(server.app.db)).toEqual(recountedPlays(server.app.db));
  });

  test.each([
    ['a JSON array', JSON.stringify([listen('A'), listen('B', PLAYED_AT_SECONDS + 500)])],
    [
      'pages of Last.fm',
      JSON.stringify([
        {
          recenttracks: {
            track: [
              {
                name: 'A',
                artist: { '#text': 'The Quays' },
                album: { '#text': '' },
                date: { uts: `${PLAYED_AT_SECONDS}` },
              },
              {
                name: 'B',
                artist: { '#text': 'The Quays' },
                album: { '#text': '' },
                date: { uts: `${PLAYED_AT_SECONDS + 500}` },
              },
            ],
            '@attr': { page: '1' },
          },
        },
      ]),
    ],
    [
      'a statistics page',
      JSON.stringify({
        username: 'x',
        scrobbles: [
          { track: 'A', artist: 'The Quays', album: '', date: PLAYED_AT_SECONDS * 1_000 },
          { track: 'B', artist: 'The Quays', album: '', date: (PLAYED_AT_SECONDS + 500) * 1_000 },
        ],
      }),
    ],
    [
      'CSV with names',
      `uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid\r\n"${PLAYED_AT_SECONDS}","x","The Quays","","","","A",""\r\n"${PLAYED_AT_SECONDS + 500}","x","The Quays","","","","B",""\r\n`,
    ],
    ['CSV without names', 'The Quays,Harbour,A,14 Nov 2023 22:13\nThe Quays,Harbour,B,14 Nov 2023 22:21\n'],
    [
      'CSV with semicolons and a byte order mark',
      `\ufeffArtist;Album;AlbumId;Track;Date#x\n"The Quays";"";"";"A";"${PLAYED_AT_SECONDS * 1_000}"\n"The Quays";"";"";"B";"${(PLAYED_AT_SECONDS + 500) * 1_000}"\n`,
    ],
  ])('in the format of %s is read', async (_, text) => {
    const trackId = tracks.add({ title: 'A' });
    expect(await importFile(text)).toMatchObject({ status: 'done', added: 2, unmatched: 1, unreadable: 0 });
    expect((await list()).map(({ track, title }) => [title, track?.id])).toEqual([
      ['B', undefined],
      ['A', trackId],
    ]);
  });

  test('that is imported twice changes nothing, nor does another service’s file of the same plays', async () => {
    const trackId = tracks.add({ title: 'A' });
    await server.api('/history', {
      method: 'POST',
      body: { track_id: trackId, played_at: new Date(PLAYED_AT_SECONDS * 1_000 + 700).toISOString(), client: 'phone' },
    }); // Tonearm may have scrobbled these plays
    const text = jsonl([
      listen('A'),
      listen('A', PLAYED_AT_SECONDS + 900),
      listen('B', PLAYED_AT_SECONDS + 2_000),
      listen('B', PLAYED_AT_SECONDS + 2_000),
    ]);
    expect(await importFile(text)).toMatchObject({ added: 2, known: 2, unmatched: 1 });
    const listBefore = await list();
    expect(await importFile(text)).toMatchObject({ added: 0, known: 4, unmatched: 0, unmatched_songs: [] });
    expect(
      await importFile(`The Quays,Harbour,a,${PLAYED_AT_SECONDS + 901}\nthe quays,,B,${PLAYED_AT_SECONDS + 2_001}`, {
        name: 'lastfm.csv',
      }),
    ).toMatchObject({ added: 0, known: 2 });
    expect(await list()).toEqual(listBefore);
    await server.api(`/history/${listBefore[0]?.id}`, { method: 'DELETE' });
    expect(await importFile(text)).toMatchObject({ added: 0 }); // removed plays stay removed
    await server.api(`/tracks/${trackId}`, { method: 'DELETE' });
    expect(await importFile(text)).toMatchObject({ added: 0 });
  });

  test('keeps plays without a track, and matches them when it is added', async () => {
    await importFile(
      jsonl([
        listen('Later', PLAYED_AT_SECONDS),
        listen('Later', PLAYED_AT_SECONDS + 900),
        listen('Never', PLAYED_AT_SECONDS + 2_000),
      ]),
    );
    const id = tracks.add({ title: 'LATER', artists: ['the quays'] });
    await server.app.jobs.enqueue(MATCH_HISTORY, {});
    await server.app.drain();
    expect((await list()).map(({ track }) => track?.id)).toEqual([undefined, id, id]);
    expect((await server.api<{ play_count: number }>(`/tracks/${id}`)).body.play_count).toBe(2);
    expect(keptCounts(server.app.db)).toEqual(recountedPlays(server.app.db));
  });

  test('of many lines is read completely, and invalid lines are counted', async () => {
    for (let i = 0; i < 20; i++) tracks.add({ title: `Song ${i}` });
    const entries = Array.from({ length: 3_000 }, (_, i) =>
      JSON.stringify(listen(`Song ${i % 40}`, PLAYED_AT_SECONDS + i * 300)),
    );
    entries.splice(
      1_000,
      0,
      '{"broken',
      'null',
      JSON.stringify(listen('Song 1', 0)),
      JSON.stringify(listen('Song 1', 99_999_999_999)),
    );
    const result = await importFile(entries.join('\n'));
    expect(result).toMatchObject({ added: 3_000, unmatched: 1_500, unreadable: 4 });
    expect(result.bytes_done).toBe(result.bytes_total);
    expect(result.unmatched_songs).toHaveLength(20);
    expect(result.unmatched_songs[0]?.plays).toBe(75);
  });
});

describe('a file that is not an export', () => {
  test.each([
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])],
    ['nothing', ''],
    ['a letter', 'Dear Sir or Madam'],
    ['an archive', 'PK\u0003\u0004rest'],
    ['JSON of something else', '{"a": [1, 2, {"b": 3}]}'],
    ['a list of cities', 'city,country\nBerlin,Germany\n'],
  ])('is rejected with a reason: %s', async (_, content) => {
    const result = await importFile(content);
    expect(result).toMatchObject({ status: 'failed', added: 0 });
    expect(result.error).toMatch(/^(The file cannot be imported|The file has no plays)/);
    expect(await list()).toEqual([]);
  });

  test('leaves nothing behind on disk, nor does an import', async () => {
    await importFile('Dear Sir or Madam');
    await importFile(jsonl([listen('A')]));
    expect((await whileQueueIsDown(server, () => upload(jsonl([listen('B')])))).status).toBe(503);
    expect((await server.api<{ total: number }>('/history/imports')).body.total).toBe(2);
    const dir = join(server.dir, 'imports');
    expect(existsSync(dir) ? readdirSync(dir) : []).toEqual([]);
  });

  test('is rejected with another field name, without a form, or without a file', async () => {
    expect((await upload('x', { field: 'other' })).status).toBe(400);
    expect((await server.api('/history/import', { method: 'POST', body: new FormData() })).status).toBe(400);
    expect(
      (
        await server.api('/history/import', {
          method: 'POST',
          body: '{}',
          headers: { 'Content-Type': 'application/json' },
        })
      ).status,
    ).toBe(415);
    expect((await server.api<{ total: number }>('/history/imports')).body.total).toBe(0);
  });
});
