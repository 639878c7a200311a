// Playlist files over HTTP: which tracks each file finds, what is reported, and that exported files can be imported
// again.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId } from '../../server/db/ids.ts';
import type { TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import type { ImportOut, PlaylistOut } from '../../server/playlists/wire.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { silence } from '../support/silence.ts';
import { openMigrated } from '../support/temp-database.ts';

type TrackName = Omit<TrackIdentity, 'genres'>;
const TRACKS: [string, TrackName, number][] = [
  ['Quays/Harbour/01 Tide.mp3', { title: 'Tide', artists: ['The Quays'], album: 'Harbour' }, 200_000],
  ['Quays/Harbour/02 Ebb & Flow #2.mp3', { title: 'Ebb & Flow #2', artists: ['The Quays'], album: 'Harbour' }, 100_000],
  ['Björk/Homogenic/01 Jóga.flac', { title: 'Jóga', artists: ['Björk'], album: 'Homogenic' }, 305_000],
  [
    'Die Ärzte/13/03 Männer sind Schweine.mp3',
    { title: 'Männer sind Schweine', artists: ['Die Ärzte'], album: '13' },
    258_000,
  ],
  ['東京/夜/01 雨.flac', { title: '雨', artists: ['東京'], album: '夜' }, 60_000],
  ['Anna/Live/01 Intro.mp3', { title: 'Intro', artists: ['Anna'], album: 'Live' }, 30_000],
  ['Bert/Live/01 Intro.mp3', { title: 'Intro', artists: ['Bert'], album: 'Live' }, 40_000],
  ['100% Hits/50% Off.mp3', { title: '50% Off', artists: ['Various'], album: '100% Hits' }, 90_000],
  ['#1/#Song.mp3', { title: '#Song', artists: ['Sharp'], album: '#1' }, 1_499],
];
const [TIDE, EBB, JOGA, MEN, RAIN, INTRO_A, INTRO_B, OFF, SHARP, UPLOADED] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

let server: TestServer;
let db: MainDb;
let otherToken: string;
let trackIds: TrackId[];

beforeAll(async () => {
  server = await startServer();
  otherToken = await registerUser(server, 'somebody');
  db = openMigrated(join(server.dir, 'tonearm.db'));
  const writer = createTrackWriter({ db, now: () => new Date() });
  const add = (source: string, sourceId: string, identity: TrackName, durationMs: number): TrackId =>
    writer.insert({
      source,
      sourceId,
      identity: { genres: [], ...identity },
      audio: {
        ...silence,
        durationMs,
        sizeBytes: 10,
        storageUri: `local:audio/${sourceId}`,
      },
    });
  trackIds = [
    ...TRACKS.map(([path, identity, ms]) => add('local_folder', path, identity, ms)),
    add('upload', 'abc123', { title: 'Sent In', artists: ['Cleo'] }, 5_000),
  ];
});
afterAll(async () => {
  db.$client.close();
  await server.close();
});

async function send(
  bytes: string | Uint8Array<ArrayBuffer>,
  { query = '', name = 'My list.m3u', token = server.token } = {},
) {
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  return server.api<ImportOut>(`/playlists/import${query}`, { method: 'POST', body: form, token });
}
const listMatchedIds = ({ playlist }: ImportOut): number[] =>
  (playlist.entries ?? []).map(({ track }) => trackIds.indexOf(track.id as TrackId));
const latin1 = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
const utf16 = (text: string) => Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'));

describe('an imported file', () => {
  const IMPORTED_FILES: [string, string | Uint8Array<ArrayBuffer>, number[], number[]?][] = [
    ['with relative paths', 'Quays/Harbour/01 Tide.mp3\n./Björk/Homogenic/01 Jóga.flac\n', [TIDE, JOGA]],
    [
      'with paths from another folder',
      '../Music/Quays/Harbour/01 Tide.mp3\n../../Harbour/02 Ebb & Flow #2.mp3',
      [TIDE, EBB],
    ],
    [
      'with absolute paths of another machine',
      '#EXTM3U\n/home/ann/Music/Quays/Harbour/01 Tide.mp3\n/home/ann/Music/Bert/Live/01 Intro.mp3',
      [TIDE, INTRO_B],
    ],
    [
      'from Windows',
      '#EXTM3U\r\n#EXTINF:200,The Quays - Tide\r\nC:\\Users\\Ann\\Music\\Quays\\Harbour\\01 Tide.mp3\r\n\\\\nas\\m\\Anna\\Live\\01 Intro.mp3\r\n',
      [TIDE, INTRO_A],
    ],
    [
      'with file: addresses',
      'file:///m/Quays/Harbour/02%20Ebb%20&%20Flow%20%232.mp3\nfile:///m/Bj%C3%B6rk/Homogenic/01%20J%C3%B3ga.flac',
      [EBB, JOGA],
    ],
    [
      'with names of a Mac',
      '#EXTM3U\rBjo\u0308rk/Homogenic/01 Jo\u0301ga.flac\rQUAYS/harbour/01 TIDE.MP3',
      [JOGA, TIDE],
    ],
    ['in Latin-1', latin1('#EXTM3U\nDie Ärzte/13/03 Männer sind Schweine.mp3'), [MEN]],
    ['in UTF-16', utf16('#EXTM3U\r\n東京\\夜\\01 雨.flac\r\n'), [RAIN]],
    ['with a byte order mark', '\ufeffQuays/Harbour/01 Tide.mp3', [TIDE]],
    ['with names alone', '01 Tide.mp3\n01 Intro.mp3\n', [TIDE], [2]],
    [
      'with other files of the same songs',
      '#EXTM3U\n#EXTINF:199,The Quays - TIDE\nold/tide (128k).ogg\n#EXTINF:30,anna - intro\nx.mp3\n#EXTINF:5,Cleo - Sent In\ny.mp3',
      [TIDE, INTRO_A, UPLOADED],
    ],
    [
      'with names that tell artist and title',
      'Downloads/Die Aerzte - nothing.mp3\nDownloads/die ärzte - männer sind schweine.ogg\nBert/Other/07 - Intro.ogg',
      [MEN, INTRO_B],
      [1],
    ],
    [
      'with signs that look like codes',
      '100% Hits/50% Off.mp3\n100%25%20Hits/50%25%20Off.mp3\n./#1/#Song.mp3',
      [OFF, OFF, SHARP],
    ],
    [
      'with streams and what is not there',
      '#EXTINF:-1,Radio\nhttp://radio.example/x.mp3\nNobody/Nothing.mp3\nQuays/Harbour/01 Tide.mp3\nhttps://host/Quays/Tide',
      [TIDE],
      [2, 3, 5],
    ],
    [
      'with paths that want to get out',
      '../../../../etc/passwd\n/etc/passwd\nfile:///etc/passwd\nC:\\Windows\\win.ini\n01 Tide.mp3/../../../x',
      [],
      [1, 2, 3, 4, 5],
    ],
    ['as PLS', '[playlist]\nFile1=Quays\\Harbour\\01 Tide.mp3\nFile2=x.mp3\nTitle2=Björk - Joga\n', [TIDE, JOGA]],
    [
      'as XSPF',
      '<?xml version="1.0"?><playlist><trackList><track><location>file:///m/Quays/Harbour/02%20Ebb%20%26%20Flow%20%232.mp3</location></track><track><creator>Björk</creator><title>Jóga</title></track></trackList></playlist>',
      [EBB, JOGA],
    ],
    ['with a track many times', '01 Tide.mp3\n01 Tide.mp3\n', [TIDE, TIDE]],
  ];

  test.each(IMPORTED_FILES)('%s', async (_, bytes, tracks, unmatched = []) => {
    const { status, body } = await send(bytes);
    expect(status).toBe(201);
    expect([listMatchedIds(body), body.matched]).toEqual([tracks, tracks.length]);
    expect(body.unmatched.map(({ line }) => line)).toEqual(unmatched);
    expect(body.playlist).toMatchObject({
      version: 1,
      track_count: tracks.length,
      is_public: false,
      owner_name: 'admin',
    });
  });

  test('reports why a line matches nothing', async () => {
    const { body } = await send('01 Intro.mp3\nhttp://x/y\nNobody/Nothing\u202e.mp3');
    expect(body.unmatched).toEqual([
      { line: 1, text: '01 Intro.mp3', reason: 'several files in the library have this name' },
      { line: 2, text: 'http://x/y', reason: 'this is a web address, and no track has its title' },
      { line: 3, text: 'Nobody/Nothing\ufffd.mp3', reason: 'no matching file or title in the library' },
    ]);
  });

  test('names the playlist: as requested, as in the file, or after the file', async () => {
    const name = async (text: string, query = '', file = 'x/../Road trip.m3u8') =>
      (await send(text, { query, name: file })).body.playlist.name;
    expect(await name('#PLAYLIST:Inside\n01 Tide.mp3', '?name=Asked')).toBe('Asked');
    expect(await name('#PLAYLIST:Inside\n01 Tide.mp3')).toBe('Inside');
    expect(await name('01 Tide.mp3')).toBe('Road trip');
  });

  test('is rejected when it is not a playlist, or too large', async () => {
    expect((await send('')).status).toBe(422);
    expect((await send('#EXTM3U\n# nothing')).status).toBe(422);
    expect((await send('x\n'.repeat(50_001))).status).toBe(413);
    expect((await send('x'.repeat((10 << 20) + 1))).status).toBe(413);
    expect((await server.api('/playlists/import', { method: 'POST', body: { file: 'x' } })).status).toBe(415);
  });

  test('of random bytes becomes a list of unmatched lines', async () => {
    const { status, body } = await send(Uint8Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 256));
    expect([status, body.matched]).toEqual([201, 0]);
    expect(body.unmatched.length).toBeGreaterThan(0);
  });
});

describe('an exported playlist', () => {
  const makePlaylist = async (tracks: number[], name = 'List'): Promise<PlaylistOut> =>
    (
      await server.api<PlaylistOut>('/playlists', {
        method: 'POST',
        body: { name, track_ids: tracks.map((n) => trackIds[n]) },
      })
    ).body;

  test('has a line for every track, and can be imported again unchanged', async () => {
    const tracks = [SHARP, TIDE, JOGA, TIDE, UPLOADED, RAIN, OFF, EBB];
    const playlist = await makePlaylist(tracks, 'Mornings');
    const { text, headers } = await server.api(`/playlists/${playlist.id}/export.m3u8`);
    expect(headers.get('content-type')).toBe('audio/x-mpegurl; charset=utf-8');
    expect(text.split('\n').slice(0, 8)).toEqual([
      '#EXTM3U',
      '#PLAYLIST:Mornings',
      '#EXTINF:1,Sharp - #Song',
      '#EXTALB:#1',
      './#1/#Song.mp3',
      '#EXTINF:200,The Quays - Tide',
      '#EXTALB:Harbour',
      'Quays/Harbour/01 Tide.mp3',
    ]);
    const importedAgain = (await send(text)).body;
    expect([listMatchedIds(importedAgain), importedAgain.unmatched, importedAgain.playlist.name]).toEqual([
      tracks,
      [],
      'Mornings',
    ]);
  });

  test('has a file name that is valid on every system', async () => {
    const playlist = await makePlaylist([TIDE], '../a/b:"c"\u202e ü\r\nX-Evil: 1.');
    const { headers } = await server.api(`/playlists/${playlist.id}/export.m3u8`);
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\x20-\x7e]+\.m3u8"; filename\*=UTF-8''[\w%.~!&+-]+\.m3u8$/,
    );
    expect(headers.get('content-disposition')).not.toMatch(/[/\\:]a|"c"|\.\./);
    expect(headers.get('x-evil')).toBeNull();
  });

  test('cannot inject lines into the file', async () => {
    const playlist = await makePlaylist([TIDE], 'x\n/etc/passwd\r#EXTM3U');
    const { text } = await server.api(`/playlists/${playlist.id}/export.m3u8`);
    expect(text.split('\n')).toHaveLength(6);
  });

  test('shows absolute paths to administrators only, and only when there is a music folder', async () => {
    const playlist = await makePlaylist([TIDE]);
    await server.api(`/playlists/${playlist.id}`, { method: 'PATCH', body: { is_public: true } });
    expect(
      (await server.api(`/playlists/${playlist.id}/export.m3u8?paths=absolute`, { token: otherToken })).status,
    ).toBe(403);
    expect((await server.api(`/playlists/${playlist.id}/export.m3u8?paths=absolute`)).status).toBe(409);
    expect((await server.api(`/playlists/${playlist.id}/export.m3u8`, { token: otherToken })).status).toBe(200);
    expect(
      (await server.api(`/playlists/${playlist.id}/export.m3u8?token=${otherToken}`, { token: null })).status,
    ).toBe(200);
  });
});

describe('a smart playlist', () => {
  const INTRO_RULES = {
    all: [{ field: 'title', op: 'is', value: 'intro' }],
    sort: [{ field: 'artist', order: 'desc' }],
  };
  const post = async (body: object, token = server.token) =>
    server.api<PlaylistOut>('/playlists', { method: 'POST', body, token });
  const listTrackIndexes = (list: PlaylistOut): number[] =>
    (list.entries ?? []).map(({ track }) => trackIds.indexOf(track.id as TrackId));

  test('has the same shape as any other', async () => {
    const { status, body } = await post({ name: 'Intros', rules: INTRO_RULES });
    expect(status).toBe(201);
    expect(body).toMatchObject({ is_smart: true, rules: INTRO_RULES, version: 1, track_count: 2, duration_ms: 70_000 });
    expect([listTrackIndexes(body), body.entries?.map(({ position }) => position)]).toEqual([
      [INTRO_B, INTRO_A],
      [0, 1],
    ]);
    expect((await server.api<PlaylistOut>(`/playlists/${body.id}`)).body).toEqual(body);
    const page = await server.api<{ items: { track: { id: number } }[]; total: number }>(
      `/playlists/${body.id}/tracks?limit=1&offset=1`,
    );
    expect([page.body.total, page.body.items.map(({ track }) => track.id)]).toEqual([2, [trackIds[INTRO_A]]]);
    expect(
      (await server.api<{ items: PlaylistOut[] }>('/playlists?limit=200')).body.items.find(({ id }) => id === body.id),
    ).toMatchObject({ track_count: 2, duration_ms: 70_000 });
    expect(
      (
        await server.api<number[]>(
          `/playlists/${body.id}/contains?track_id=${trackIds[INTRO_A]}&track_id=${trackIds[TIDE]}`,
        )
      ).body,
    ).toEqual([trackIds[INTRO_A]]);
    expect((await server.api(`/playlists/${body.id}/export.m3u8`)).text).toContain('Bert/Live/01 Intro.mp3');
  });

  test('accepts no tracks, and says so', async () => {
    const { body } = await post({ name: 'Intros', rules: INTRO_RULES });
    for (const [path, method, sentBody] of [
      ['/tracks', 'POST', { track_ids: [trackIds[0]] }],
      ['/tracks/1', 'DELETE'],
      ['/tracks', 'PUT', { entry_ids: [1] }],
      ['/tracks/move', 'POST', { entry_ids: [1], before_entry_id: null }],
      ['/tracks/remove', 'POST', { all_but: [] }],
    ] as const) {
      const answer = await server.api<{ detail: string }>(`/playlists/${body.id}${path}`, {
        method,
        ...(sentBody && { body: sentBody }),
      });
      expect([answer.status, answer.body.detail]).toEqual([
        409,
        'The tracks of a smart playlist come from its rules. Change the rules instead.',
      ]);
    }
    expect((await post({ name: 'x', rules: INTRO_RULES, track_ids: [trackIds[0]] })).status).toBe(422);
  });

  test('can get other rules, and the earlier ones can be restored', async () => {
    const { body } = await post({ name: 'Intros', rules: INTRO_RULES });
    const changedResponse = await server.api<PlaylistOut>(`/playlists/${body.id}`, {
      method: 'PATCH',
      body: { rules: { any: [{ field: 'title', op: 'is', value: 'tide' }] } },
    });
    expect([listTrackIndexes(changedResponse.body), changedResponse.body.version]).toEqual([[TIDE], 2]);
    const restoreResponse = await server.api<{ playlist: PlaylistOut }>(`/playlists/${body.id}/restore`, {
      method: 'POST',
      body: { version: 1 },
    });
    expect([
      listTrackIndexes(restoreResponse.body.playlist),
      restoreResponse.body.playlist.version,
      restoreResponse.body.playlist.rules,
    ]).toEqual([[INTRO_B, INTRO_A], 3, INTRO_RULES]);
  });

  test('can be previewed before it is saved', async () => {
    const { status, body } = await server.api<{ track_count: number; duration_ms: number; tracks: { id: number }[] }>(
      '/playlists/preview',
      { method: 'POST', body: { rules: INTRO_RULES, limit: 1 } },
    );
    expect([status, body.track_count, body.duration_ms, body.tracks.map(({ id }) => id)]).toEqual([
      200,
      2,
      70_000,
      [trackIds[INTRO_B]],
    ]);
    expect(
      (
        await server.api('/playlists/preview', {
          method: 'POST',
          body: { rules: { all: [{ field: 'nothing', op: 'is', value: 1 }] } },
        })
      ).status,
    ).toBe(422);
  });

  test('may refer to ordinary playlists that its owner can see, not to smart ones or itself', async () => {
    const ordinary = (await post({ name: 'x', track_ids: [trackIds[TIDE], trackIds[JOGA]] })).body;
    const insidePlaylist = (id: number) => ({ all: [{ field: 'playlist', op: 'is', value: id }] });
    const { body } = await post({ name: 'In x', rules: insidePlaylist(ordinary.id) });
    expect(listTrackIndexes(body)).toEqual([JOGA, TIDE]);
    expect((await post({ name: 'In it', rules: insidePlaylist(body.id) })).status).toBe(422);
    expect(
      (await server.api(`/playlists/${body.id}`, { method: 'PATCH', body: { rules: insidePlaylist(body.id) } })).status,
    ).toBe(422);
    expect((await post({ name: 'Theirs', rules: insidePlaylist(ordinary.id) }, otherToken)).status).toBe(422);
  });

  test('is evaluated for its owner, whoever requests it', async () => {
    await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: trackIds[RAIN], liked: true } });
    const { body } = await post({
      name: 'Liked',
      is_public: true,
      rules: { all: [{ field: 'liked', op: 'is', value: true }] },
    });
    const visiblePlaylist = (await server.api<PlaylistOut>(`/playlists/${body.id}`, { token: otherToken })).body;
    expect([listTrackIndexes(body), listTrackIndexes(visiblePlaylist)]).toEqual([[RAIN], [RAIN]]);
    expect([body.entries?.[0]?.track.liked, visiblePlaylist.entries?.[0]?.track.liked]).toEqual([true, false]);
    await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: trackIds[RAIN], liked: false } });
    expect(listTrackIndexes((await server.api<PlaylistOut>(`/playlists/${body.id}`)).body)).toEqual([]);
  });

  test('in random order keeps its order until it is shuffled', async () => {
    const rules = { all: [{ field: 'title', op: 'is_set' }], sort: [{ field: 'random' }] };
    const { body } = await post({ name: 'Mix', rules });
    expect(listTrackIndexes((await server.api<PlaylistOut>(`/playlists/${body.id}`)).body)).toEqual(
      listTrackIndexes(body),
    );
    const shuffledResponse = await server.api<PlaylistOut>(`/playlists/${body.id}`, {
      method: 'PATCH',
      body: { rules: { ...rules, seed: ((body.rules?.seed ?? 0) + 1) % 2 ** 32 } },
    });
    expect(listTrackIndexes(shuffledResponse.body)).not.toEqual(listTrackIndexes(body));
  });

  test('lists the fields and operators of rules', async () => {
    const { body } = await server.api<{ fields: { field: string; kind: string; operators: string[] }[] }>(
      '/playlists/smart-fields',
    );
    expect(body.fields).toContainEqual({ field: 'liked', kind: 'boolean', operators: ['is'] });
  });
});
