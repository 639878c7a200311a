// Playlists over HTTP: their content and permissions, and that no version is ever lost.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { createTrackMerge } from '../../server/library/merges/track-merge.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import type {
  PlaylistEntryPage,
  PlaylistOut,
  PlaylistPage,
  PlaylistVersionPage,
  RestoreOut,
  VersionEntryPage,
} from '../../server/playlists/wire.ts';
import { createEntryMerge } from '../../server/playlists/track-merge.ts';
import { seededRandom } from '../support/test-random.ts';
import { makeSampleLibrary, type SampleLibrary } from '../support/sample-library.ts';
import { registerUser, startServer, type Answer, type ApiInit, type TestServer } from '../support/server.ts';
import { openMigrated } from '../support/temp-database.ts';

let server: TestServer;
let db: MainDb;
let sample: SampleLibrary;
let otherToken: string;

beforeAll(async () => {
  server = await startServer();
  otherToken = await registerUser(server, 'somebody');
  db = openMigrated(join(server.dir, 'tonearm.db'));
  sample = makeSampleLibrary(db, { artists: 20, albums: 25, tracks: 300 }, 4);
});
afterAll(async () => {
  db.$client.close();
  await server.close();
});

const idOf = (n: number): TrackId => sample.tracks[n]?.id as TrackId;
const ids = (...ns: number[]): TrackId[] => ns.map(idOf);
const call = <T = PlaylistOut>(path: string, method = 'GET', body?: unknown, init: ApiInit = {}): Promise<Answer<T>> =>
  server.api<T>(`/playlists${path}`, { method, ...(body !== undefined && { body }), ...init });
const makePlaylist = async (trackIds: TrackId[] = [], extraFields: object = {}): Promise<PlaylistOut> =>
  (await call('', 'POST', { name: 'List', track_ids: trackIds, ...extraFields })).body;
const readPlaylist = async (id: number): Promise<PlaylistOut> => (await call(`/${id}`)).body;
const listTrackIds = (playlist: PlaylistOut): number[] => (playlist.entries ?? []).map(({ track }) => track.id);
const listEntryIds = (playlist: PlaylistOut): number[] => (playlist.entries ?? []).map(({ entry_id }) => entry_id);
const listVersions = async (id: number) => (await call<PlaylistVersionPage>(`/${id}/versions?limit=200`)).body.items;
const heldIn = async (id: number, version: number) =>
  (await call<VersionEntryPage>(`/${id}/versions/${version}?limit=200`)).body.items;

describe('a playlist', () => {
  test.each([
    ['ordinary', () => makePlaylist(ids(...Array.from({ length: 60 }, (_, n) => n % 50)))],
    [
      'smart',
      () => makePlaylist([], { track_ids: undefined, rules: { all: [{ field: 'title', op: 'is_set' }], limit: 60 } }),
    ],
  ])('has a random order for each seed, in pages, where the others stay when one goes: %s', async (kind, create) => {
    const { id } = await create();
    const entries = async (query: string, list = id) =>
      (await call<PlaylistEntryPage>(`/${list}/tracks?${query}`)).body.items.map(({ entry_id }) => entry_id);
    const inOrder = await entries('limit=100');
    const pages = [
      await entries('limit=40&seed=7'),
      await entries('limit=40&offset=40&seed=7'),
      await entries('limit=40&offset=60&seed=7'),
    ].flat();
    expect(pages).not.toEqual(inOrder);
    expect(pages.toSorted((a, b) => a - b)).toEqual(inOrder.toSorted((a, b) => a - b));
    expect(await entries('limit=100&seed=8')).not.toEqual(pages);
    if (kind === 'smart') return;
    await call(`/${id}/tracks/remove`, 'POST', { entry_ids: [pages[3]] });
    expect(await entries('limit=100&seed=7')).toEqual(pages.toSpliced(3, 1));
  });

  test.each([
    ['ordinary', () => makePlaylist(ids(...Array.from({ length: 40 }, (_, n) => n % 30)))],
    [
      'smart',
      () => makePlaylist([], { track_ids: undefined, rules: { all: [{ field: 'title', op: 'is_set' }], limit: 150 } }),
    ],
  ])('is filtered by words, and the entries keep their places: %s', async (_, create) => {
    const { id } = await create();
    const page = async (query: string) => (await call<PlaylistEntryPage>(`/${id}/tracks?limit=200${query}`)).body;
    const { items } = await page('');
    const { title } = items[3]!.track;
    const words = encodeURIComponent(title);
    const expected = items.filter(({ track }) => track.title === title);
    const { items: matches, total } = await page(`&q=${words}`);
    expect(total).toBe(matches.length);
    expect(matches).toEqual(expect.arrayContaining(expected));
    expect(matches.every((entry) => items[entry.position]?.entry_id === entry.entry_id)).toBe(true);
    expect((await page(`&q=${words}&offset=1`)).items).toEqual(matches.slice(1));
    const shuffled = (await page(`&q=${words}&seed=3`)).items;
    expect(new Set(shuffled.map(({ entry_id }) => entry_id))).toEqual(new Set(matches.map(({ entry_id }) => entry_id)));
    expect((await page('&q=no+such+words')).total).toBe(0);
    expect((await page('&q=')).total).toBe(items.length);
  });

  test('is created with tracks', async () => {
    const { status, body } = await call('', 'POST', {
      name: '  Morning ',
      description: 'quiet',
      is_public: true,
      track_ids: ids(3, 1, 3),
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Morning',
      description: 'quiet',
      is_public: true,
      is_smart: false,
      rules: null,
      version: 1,
      track_count: 3,
      owner_name: 'admin',
      deleted_at: null,
    });
    expect(listTrackIds(body)).toEqual(ids(3, 1, 3));
    expect(body.entries?.map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(new Set(listEntryIds(body)).size).toBe(3);
    expect(body.duration_ms).toBe([3, 1, 3].reduce((sum, n) => sum + (sample.tracks[n]?.durationMs ?? 0), 0));
    expect(await readPlaylist(body.id)).toEqual(body);
  });

  test('accepts tracks at the end, the start and in between, each time as one version', async () => {
    const playlist = await makePlaylist(ids(0, 1, 2));
    const add = async (body: object): Promise<PlaylistOut> => (await call(`/${playlist.id}/tracks`, 'POST', body)).body;
    expect(listTrackIds(await add({ track_ids: ids(5, 6) }))).toEqual(ids(0, 1, 2, 5, 6));
    expect(listTrackIds(await add({ track_ids: ids(7), position: 0 }))).toEqual(ids(7, 0, 1, 2, 5, 6));
    expect(listTrackIds(await add({ track_ids: ids(8, 9), position: 2 }))).toEqual(ids(7, 0, 8, 9, 1, 2, 5, 6));
    const lastResponse = await add({ track_ids: ids(4), position: 999 });
    expect(listTrackIds(lastResponse)).toEqual(ids(7, 0, 8, 9, 1, 2, 5, 6, 4));
    expect([lastResponse.version, lastResponse.track_count]).toEqual([5, 9]);
  });

  test('skips duplicates on request, and reports them', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    const addedResponse = await call(`/${playlist.id}/tracks`, 'POST', {
      track_ids: ids(1, 2, 2, 0),
      skip_duplicates: true,
    });
    expect(listTrackIds(addedResponse.body)).toEqual(ids(0, 1, 2));
    const emptyResponse = await call(`/${playlist.id}/tracks`, 'POST', { track_ids: ids(1, 2), skip_duplicates: true });
    expect(emptyResponse.body.version).toBe(2);
    expect((await call<number[]>(`/${playlist.id}/contains?track_id=${idOf(2)}&track_id=${idOf(9)}`)).body).toEqual([
      idOf(2),
    ]);
  });

  test('can lose one or several entries, and keeps the same track elsewhere', async () => {
    const playlist = await makePlaylist(ids(0, 1, 0, 2));
    const [, secondEntry, repeatedEntry, fourthEntry] = listEntryIds(playlist);
    expect(listTrackIds((await call(`/${playlist.id}/entries/${repeatedEntry}`, 'DELETE')).body)).toEqual(ids(0, 1, 2));
    const remainingResponse = await call(
      `/${playlist.id}/tracks?entry_id=${secondEntry}&entry_id=${fourthEntry}`,
      'DELETE',
    );
    expect([listTrackIds(remainingResponse.body), remainingResponse.body.version]).toEqual([ids(0), 3]);
    expect((await call(`/${playlist.id}/entries/${secondEntry}`, 'DELETE')).status).toBe(404);
    expect((await readPlaylist(playlist.id)).version).toBe(3);
  });

  test('is reordered only by a list of all its entries', async () => {
    const playlist = await makePlaylist(ids(0, 1, 2, 3));
    const [a, b, c, d] = listEntryIds(playlist) as [number, number, number, number];
    const order = (entry_ids: number[]) => call(`/${playlist.id}/tracks`, 'PUT', { entry_ids });
    for (const invalidBody of [
      [a, b, c],
      [a, b, c, d, d],
      [a, b, c, c],
      [a, b, c, 99_999],
    ]) {
      const { status, text } = await order(invalidBody);
      expect(status).toBe(409);
      expect(text).toContain('4 entries');
    }
    const { body } = await order([d, a, b, c]);
    expect([listEntryIds(body), listTrackIds(body), body.version]).toEqual([[d, a, b, c], ids(3, 0, 1, 2), 2]);
    expect((await listVersions(playlist.id))[0]).toMatchObject({ change: 'reorder', added: 0, removed: 0, moved: 1 });
    expect((await order([d, a, b, c])).body.version).toBe(2);
  });

  test('moves a block of entries together', async () => {
    const playlist = await makePlaylist(ids(0, 1, 2, 3, 4, 5));
    const [a, b, c, d, e, f] = listEntryIds(playlist) as [number, number, number, number, number, number];
    const move = async (entry_ids: number[], before_entry_id: number | null) =>
      listEntryIds((await call(`/${playlist.id}/tracks/move`, 'POST', { entry_ids, before_entry_id })).body);
    expect(await move([e, b], a)).toEqual([e, b, a, c, d, f]);
    expect(await move([e, b], c)).toEqual([a, e, b, c, d, f]);
    expect(await move([a, f], null)).toEqual([e, b, c, d, a, f]);
    expect(await move([b], c)).toEqual([e, b, c, d, a, f]);
    expect((await call(`/${playlist.id}/tracks/move`, 'POST', { entry_ids: [a], before_entry_id: a })).status).toBe(
      422,
    );
    expect((await call(`/${playlist.id}/tracks/move`, 'POST', { entry_ids: [a, a], before_entry_id: b })).status).toBe(
      422,
    );
    expect(
      (await call(`/${playlist.id}/tracks/move`, 'POST', { entry_ids: [a], before_entry_id: 99_999 })).status,
    ).toBe(404);
  });

  test('moves and removes a selection in the order of the list, also all but some entries', async () => {
    const playlist = await makePlaylist(ids(0, 1, 2, 3, 4, 5));
    const [a, b, c, d, e, f] = listEntryIds(playlist) as [number, number, number, number, number, number];
    const move = (body: object) => call(`/${playlist.id}/tracks/move`, 'POST', { in_list_order: true, ...body });
    const remove = (body: object) => call(`/${playlist.id}/tracks/remove`, 'POST', body);
    expect(listEntryIds((await move({ entry_ids: [e, a, c], before_entry_id: null })).body)).toEqual([
      b,
      d,
      f,
      a,
      c,
      e,
    ]);
    expect(listEntryIds((await move({ entry_ids: [c, d, b], before_entry_id: b })).body)).toEqual([b, d, c, f, a, e]);
    expect(listEntryIds((await move({ all_but: [c, e], before_entry_id: c })).body)).toEqual([b, d, f, a, c, e]);
    const movedAll = await move({ all_but: [], before_entry_id: b });
    expect(listEntryIds(movedAll.body)).toEqual([b, d, f, a, c, e]);
    expect((await move({ entry_ids: [a], all_but: [a], before_entry_id: null })).status).toBe(422);
    expect((await remove({})).status).toBe(422);
    expect((await remove({ entry_ids: [a, 99_999] })).status).toBe(404);
    expect(listEntryIds((await remove({ entry_ids: [c, b] })).body)).toEqual([d, f, a, e]);
    const remaining = (await remove({ all_but: [a, d] })).body;
    expect([listEntryIds(remaining), remaining.version]).toEqual([[d, a], movedAll.body.version + 2]);
  });

  test('is renamed, described and shared without a new version', async () => {
    const playlist = await makePlaylist(ids(0), { description: 'x' });
    const { body } = await call(`/${playlist.id}`, 'PATCH', { name: 'Other', is_public: true });
    expect(body).toMatchObject({ name: 'Other', description: 'x', is_public: true, version: 1 });
    expect((await call(`/${playlist.id}`, 'PATCH', { description: null })).body.description).toBeNull();
    for (const invalidBody of [
      { name: '' },
      { name: '   ' },
      { name: 'x'.repeat(201) },
      { owner_id: 2 },
      { version: 9 },
      { rules: { all: [{ field: 'year', op: 'is', value: 1 }] } },
    ]) {
      expect((await call(`/${playlist.id}`, 'PATCH', invalidBody)).status).toBe(422);
    }
  });

  test('is not changed based on another version', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    const [entry] = listEntryIds(playlist);
    await call(`/${playlist.id}/tracks`, 'POST', { track_ids: ids(2), expected_version: 1 });
    for (const [path, method, body] of [
      ['/tracks', 'POST', { track_ids: ids(3), expected_version: 1 }],
      ['', 'PATCH', { name: 'x', expected_version: 1 }],
      ['/restore', 'POST', { version: 1, expected_version: 1 }],
      ['/tracks', 'PUT', { entry_ids: listEntryIds(playlist), expected_version: 1 }],
      [`/entries/${entry}?expected_version=1`, 'DELETE'],
      [`/tracks/${idOf(0)}?expected_version=1`, 'DELETE'],
    ] as const)
      expect((await call(`/${playlist.id}${path}`, method, body)).status, path).toBe(409);
    expect(await readPlaylist(playlist.id)).toMatchObject({ name: 'List', version: 2, track_count: 3 });
  });

  test('is not changed at all if a track is not in the library', async () => {
    const playlist = await makePlaylist(ids(0));
    expect((await call(`/${playlist.id}/tracks`, 'POST', { track_ids: [idOf(1), 999_999] })).status).toBe(404);
    expect((await call('', 'POST', { name: 'x', track_ids: [999_999] })).status).toBe(404);
    for (const track_ids of [[], [0], ['1'], [1.5], Array.from({ length: 200_001 }, () => idOf(0))])
      expect((await call(`/${playlist.id}/tracks`, 'POST', { track_ids })).status).toBe(422);
    expect(await readPlaylist(playlist.id)).toMatchObject({ version: 1, track_count: 1 });
  });

  test('of many tracks is read in pages', async () => {
    const playlist = await makePlaylist(sample.tracks.map(({ id }) => id));
    expect((await call(`/${playlist.id}?entries=false`)).body.entries).toBeUndefined();
    const page = (await call<PlaylistEntryPage>(`/${playlist.id}/tracks?limit=10&offset=250`)).body;
    expect(page).toMatchObject({ total: 300, limit: 10, offset: 250 });
    expect(page.items.map(({ position, track }) => [position, track.id])).toEqual(
      Array.from({ length: 10 }, (_, n) => [250 + n, idOf(250 + n)]),
    );
    expect(listTrackIds(await readPlaylist(playlist.id))).toEqual(sample.tracks.map(({ id }) => id));
  });
});

describe('two clients that add at once', () => {
  test('both succeed, in consecutive versions', async () => {
    const playlist = await makePlaylist(ids(0));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => call(`/${playlist.id}/tracks`, 'POST', { track_ids: ids(n + 1, n + 101) })),
    );
    expect(answers.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 2),
    );
    const currentPlaylist = await readPlaylist(playlist.id);
    expect(currentPlaylist).toMatchObject({ version: 13, track_count: 25 });
    const byVersion = answers
      .toSorted((a, b) => a.body.version - b.body.version)
      .map((answer) => answers.indexOf(answer));
    expect(listTrackIds(currentPlaylist)).toEqual(ids(0, ...byVersion.flatMap((n) => [n + 1, n + 101])));
  });
});

describe('versions', () => {
  test('say what changed, and each can be read', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    await call(`/${playlist.id}/tracks`, 'POST', { track_ids: ids(2, 3), position: 1 });
    await call(`/${playlist.id}/entries/${listEntryIds(playlist)[0]}`, 'DELETE');
    expect(
      (await listVersions(playlist.id)).map(({ version, change, added, removed, moved, track_count, user_name }) => [
        version,
        change,
        added,
        removed,
        moved,
        track_count,
        user_name,
      ]),
    ).toEqual([
      [3, 'remove', 0, 1, 0, 3, 'admin'],
      [2, 'add', 2, 0, 0, 4, 'admin'],
      [1, 'create', 2, 0, 0, 2, 'admin'],
    ]);
    expect((await heldIn(playlist.id, 1)).map(({ track_id, title }) => [track_id, title])).toEqual(
      [0, 1].map((n) => [idOf(n), sample.tracks[n]?.title]),
    );
    expect((await heldIn(playlist.id, 2)).map(({ track_id }) => track_id)).toEqual(ids(0, 2, 3, 1));
    expect((await heldIn(playlist.id, 3)).map(({ track_id }) => track_id)).toEqual(ids(2, 3, 1));
    expect((await call(`/${playlist.id}/versions/4`)).status).toBe(404);
  });

  test('are restored as new ones, with the same entries', async () => {
    const playlist = await makePlaylist(ids(0, 1, 2));
    const [a, b, c] = listEntryIds(playlist) as [number, number, number];
    await call(`/${playlist.id}/tracks`, 'PUT', { entry_ids: [c, b, a] });
    await call(`/${playlist.id}/tracks?entry_id=${a}&entry_id=${b}`, 'DELETE');
    await call(`/${playlist.id}/tracks`, 'POST', { track_ids: ids(9) });
    const back = (await call<RestoreOut>(`/${playlist.id}/restore`, 'POST', { version: 1 })).body;
    expect(back.missing).toEqual([]);
    expect([listEntryIds(back.playlist), back.playlist.version]).toEqual([[a, b, c], 5]);
    expect(back.playlist.entries).toEqual(playlist.entries);
    const restoredPlaylist = (await call<RestoreOut>(`/${playlist.id}/restore`, 'POST', { version: 2 })).body.playlist;
    expect(listEntryIds(restoredPlaylist)).toEqual([c, b, a]);
    expect((await call(`/${playlist.id}/restore`, 'POST', { version: 99 })).status).toBe(404);
  });

  test('can all be restored after random changes', async () => {
    const random = seededRandom(5);
    const randomBelow = (n: number): number => Math.floor(random() * n);
    const playlist = await makePlaylist(sample.tracks.slice(0, 20).map(({ id }) => id));
    const entriesByVersion = new Map<number, number[]>([[1, listEntryIds(playlist)]]);
    for (let step = 0; step < 40; step++) {
      const entries = listEntryIds(await readPlaylist(playlist.id));
      const someEntries = entries.toSorted(() => random() - 0.5).slice(0, 1 + randomBelow(4));
      const otherEntries = entries.filter((id) => !someEntries.includes(id));
      const kind = entries.length < 5 ? 0 : randomBelow(5);
      const { body, status } =
        kind === 0
          ? await call(`/${playlist.id}/tracks`, 'POST', {
              track_ids: ids(randomBelow(300), randomBelow(300)),
              position: randomBelow(entries.length + 1),
            })
          : kind === 1
            ? await call(`/${playlist.id}/tracks?${someEntries.map((id) => `entry_id=${id}`).join('&')}`, 'DELETE')
            : kind === 2
              ? await call(`/${playlist.id}/tracks`, 'PUT', {
                  entry_ids: [
                    ...otherEntries.slice(randomBelow(otherEntries.length)),
                    ...someEntries,
                    ...entries,
                  ].filter((id, index, all) => all.indexOf(id) === index),
                })
              : kind === 3
                ? await call(`/${playlist.id}/tracks/move`, 'POST', {
                    entry_ids: someEntries,
                    before_entry_id: otherEntries[randomBelow(otherEntries.length)] ?? null,
                  })
                : {
                    body: (
                      await call<RestoreOut>(`/${playlist.id}/restore`, 'POST', {
                        version: 1 + randomBelow(entriesByVersion.size),
                      })
                    ).body.playlist,
                    status: 200,
                  };
      expect(status).toBe(200);
      entriesByVersion.set(body.version, listEntryIds(body));
      expect(body.track_count).toBe(body.entries?.length);
    }
    for (const [version, entries] of entriesByVersion)
      expect(
        (await heldIn(playlist.id, version)).map(({ entry_id }) => entry_id),
        `version ${version}`,
      ).toEqual(entries);
  });

  test('stay correct when there are no positions left between two entries', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    for (let n = 0; n < 40; n++)
      await call(`/${playlist.id}/tracks?entries=false`, 'POST', { track_ids: ids(n + 2), position: 1 });
    const wantedIds = [0, ...Array.from({ length: 40 }, (_, n) => 41 - n), 1];
    expect(listTrackIds(await readPlaylist(playlist.id))).toEqual(ids(...wantedIds));
    expect((await heldIn(playlist.id, 21)).map(({ track_id }) => track_id)).toEqual(
      ids(0, ...Array.from({ length: 20 }, (_, n) => 21 - n), 1),
    );
  });
});

describe('a track that is deleted', () => {
  const insert = (title: string): TrackId => {
    const row = db.$client.prepare('SELECT * FROM tracks WHERE id = ?').get(idOf(0)) as Record<string, unknown>;
    const fields = {
      ...row,
      id: null,
      title,
      title_sort: title.toLowerCase(),
      source_id: `${title} ${randomUUID()}`,
      duration_ms: 1_000,
    };
    const names = Object.keys(fields);
    const id = Number(
      db.$client
        .prepare(`INSERT INTO tracks (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`)
        .run(fields).lastInsertRowid,
    ) as TrackId;
    db.$client
      .prepare(
        'INSERT INTO track_artists (track_id, position, artist_id, credit) SELECT ?, position, artist_id, credit FROM track_artists WHERE track_id = ?',
      )
      .run(id, idOf(0));
    return id;
  };

  test('is removed from its playlists in a new version, and named in the earlier ones', async () => {
    const goneTrack = insert('Going away');
    const playlist = await makePlaylist([idOf(1), goneTrack, idOf(2), goneTrack]);
    expect((await server.api(`/tracks/${goneTrack}`, { method: 'DELETE' })).status).toBe(204);
    const currentPlaylist = await readPlaylist(playlist.id);
    expect([listTrackIds(currentPlaylist), currentPlaylist.version, currentPlaylist.track_count]).toEqual([
      ids(1, 2),
      2,
      2,
    ]);
    expect(currentPlaylist.duration_ms).toBe((sample.tracks[1]?.durationMs ?? 0) + (sample.tracks[2]?.durationMs ?? 0));
    expect((await listVersions(playlist.id))[0]).toMatchObject({
      version: 2,
      change: 'track_deleted',
      removed: 2,
      track_count: 2,
      user_name: null,
    });
    expect((await heldIn(playlist.id, 1)).map(({ track_id, title }) => [track_id, title])).toEqual([
      [idOf(1), sample.tracks[1]?.title],
      [null, 'Going away'],
      [idOf(2), sample.tracks[2]?.title],
      [null, 'Going away'],
    ]);
    const restoredPlaylist = (await call<RestoreOut>(`/${playlist.id}/restore`, 'POST', { version: 1 })).body;
    expect(restoredPlaylist.missing).toEqual([
      { title: 'Going away', artist_name: sample.tracks[0]?.credit },
      { title: 'Going away', artist_name: sample.tracks[0]?.credit },
    ]);
    expect(listTrackIds(restoredPlaylist.playlist)).toEqual(ids(1, 2));
  });

  test('is found again by its names when it is imported again', async () => {
    const goneTrack = insert('Back again');
    const playlist = await makePlaylist([idOf(1), goneTrack]);
    await server.api(`/tracks/${goneTrack}`, { method: 'DELETE' });
    const anew = insert('Back again');
    const restoredPlaylist = (await call<RestoreOut>(`/${playlist.id}/restore`, 'POST', { version: 1 })).body;
    expect([listTrackIds(restoredPlaylist.playlist), restoredPlaylist.missing]).toEqual([[idOf(1), anew], []]);
  });

  test('by a merge is replaced by the kept one in every version', async () => {
    const [keptTrack, emptiedTrack] = [insert('Kept'), insert('Emptied')];
    const playlist = await makePlaylist([emptiedTrack, idOf(1), keptTrack]);
    await call(`/${playlist.id}/entries/${listEntryIds(playlist)[0]}`, 'DELETE');
    await call(`/${playlist.id}/tracks`, 'POST', { track_ids: [emptiedTrack] });
    createTrackMerge({
      db,
      tracks: createTrackWriter({ db, now: () => new Date() }),
      movers: [createEntryMerge({ db, now: () => new Date() })],
    }).mergeInto(keptTrack, emptiedTrack);
    expect(listTrackIds(await readPlaylist(playlist.id))).toEqual([idOf(1), keptTrack, keptTrack]);
    const restoredPlaylist = (await call<RestoreOut>(`/${playlist.id}/restore`, 'POST', { version: 1 })).body;
    expect([listTrackIds(restoredPlaylist.playlist), restoredPlaylist.missing]).toEqual([
      [keptTrack, idOf(1), keptTrack],
      [],
    ]);
  });

  test('and one with a new duration change the duration of a playlist', async () => {
    const track = insert('Growing');
    const playlist = await makePlaylist([track, idOf(1), track]);
    db.$client.prepare('UPDATE tracks SET duration_ms = 5000 WHERE id = ?').run(track);
    expect((await readPlaylist(playlist.id)).duration_ms).toBe(playlist.duration_ms + 8_000);
  });
});

describe('a deleted playlist', () => {
  test('can be restored completely', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    expect((await call(`/${playlist.id}`, 'DELETE')).status).toBe(204);
    for (const [path, method] of [
      ['', 'GET'],
      ['', 'DELETE'],
      ['/tracks', 'GET'],
      ['/versions', 'GET'],
      ['/export.m3u8', 'GET'],
    ] as const)
      expect((await call(`/${playlist.id}${path}`, method)).status, path).toBe(404);
    const isFound = async (query: string) =>
      (await call<PlaylistPage>(`?limit=200${query}`)).body.items.some(({ id }) => id === playlist.id);
    expect([await isFound(''), await isFound('&deleted=true')]).toEqual([false, true]);
    const { body } = await call(`/${playlist.id}/undelete`, 'POST');
    expect(body).toMatchObject({ version: 1, track_count: 2, deleted_at: null, entries: playlist.entries });
    expect((await call(`/${playlist.id}/undelete`, 'POST')).status).toBe(404);
  });

  test('is deleted permanently the second time', async () => {
    const playlist = await makePlaylist(ids(0));
    expect((await call(`/${playlist.id}?forever=true`, 'DELETE')).status).toBe(404);
    await call(`/${playlist.id}`, 'DELETE');
    expect((await call(`/${playlist.id}?forever=true`, 'DELETE')).status).toBe(204);
    expect((await call(`/${playlist.id}/undelete`, 'POST')).status).toBe(404);
    for (const table of ['playlist_entries', 'playlist_past_entries', 'playlist_versions'])
      expect(db.$client.prepare(`SELECT 1 FROM ${table} WHERE playlist_id = ?`).all(playlist.id)).toEqual([]);
  });
});

describe('another user', () => {
  const everyRoute = (playlist: PlaylistOut): [string, string, unknown?][] => {
    const [entry] = listEntryIds(playlist);
    return [
      ['', 'PATCH', { name: 'Mine' }],
      ['', 'DELETE'],
      ['?forever=true', 'DELETE'],
      ['/undelete', 'POST'],
      ['/tracks', 'POST', { track_ids: ids(5) }],
      ['/tracks', 'PUT', { entry_ids: listEntryIds(playlist) }],
      [`/tracks?entry_id=${entry}`, 'DELETE'],
      [`/entries/${entry}`, 'DELETE'],
      [`/tracks/${idOf(0)}`, 'DELETE'],
      [`/tracks/${idOf(0)}`, 'POST'],
      ['/tracks/move', 'POST', { entry_ids: [entry], before_entry_id: null }],
      ['/tracks/remove', 'POST', { entry_ids: [entry] }],
      ['/restore', 'POST', { version: 1 }],
    ];
  };
  const readRoutes = ['', '/tracks', '/versions', '/versions/1', '/export.m3u8', `/contains?track_id=1`];

  test('does not find a private playlist with any route', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    for (const path of readRoutes)
      expect((await call(`/${playlist.id}${path}`, 'GET', undefined, { token: otherToken })).status, path).toBe(404);
    for (const [path, method, body] of everyRoute(playlist))
      expect(
        (await call(`/${playlist.id}${path}`, method, body, { token: otherToken })).status,
        `${method} ${path}`,
      ).toBe(404);
    expect(
      (await call<PlaylistPage>('?limit=200', 'GET', undefined, { token: otherToken })).body.items.map(({ id }) => id),
    ).not.toContain(playlist.id);
    expect(await readPlaylist(playlist.id)).toEqual(playlist);
  });

  test('can read a public playlist, but not change it', async () => {
    const playlist = await makePlaylist(ids(0, 1), { is_public: true });
    for (const path of readRoutes)
      expect((await call(`/${playlist.id}${path}`, 'GET', undefined, { token: otherToken })).status, path).toBe(200);
    for (const [path, method, body] of everyRoute(playlist)) {
      expect([403, 404], `${method} ${path}`).toContain(
        (await call(`/${playlist.id}${path}`, method, body, { token: otherToken })).status,
      );
    }
    expect(await readPlaylist(playlist.id)).toEqual(playlist);
    expect(
      (await call<PlaylistPage>('?limit=200', 'GET', undefined, { token: otherToken })).body.items.map(({ id }) => id),
    ).toContain(playlist.id);
  });

  test('cannot remove entries of another list through their own list', async () => {
    const playlist = await makePlaylist(ids(0, 1));
    const [entry] = listEntryIds(playlist);
    const ownPlaylist = (await call('', 'POST', { name: 'Own', track_ids: ids(3) }, { token: otherToken })).body;
    expect((await call(`/${ownPlaylist.id}/entries/${entry}`, 'DELETE', undefined, { token: otherToken })).status).toBe(
      404,
    );
    expect(
      (
        await call(
          `/${ownPlaylist.id}/tracks/move`,
          'POST',
          { entry_ids: [entry], before_entry_id: null },
          { token: otherToken },
        )
      ).status,
    ).toBe(404);
    expect(await readPlaylist(playlist.id)).toEqual(playlist);
  });

  test('creates only their own lists, whatever owner they send', async () => {
    for (const body of [{ name: 'x', owner_id: 1 }, { name: 'x' }])
      expect((await call('', 'POST', body, { token: otherToken })).body.owner_name).toBe('somebody');
  });
});

test('gets events only of lists that they may see', async () => {
  const events: { to: string; name: string; data: string }[] = [];
  const listen = (to: string, id: number) =>
    server.app.events.subscribe({ id: id as never, isSuperuser: false }, undefined, ({ name, data }) =>
      events.push({ to, name, data }),
    );
  const playlist = await makePlaylist(ids(0));
  const stranger = (await call('', 'POST', { name: 'x' }, { token: otherToken })).body.owner_id;
  const unsubscribers = [listen('owner', playlist.owner_id), listen('other', stranger)];
  const eventsDuring = async (act: () => Promise<unknown>): Promise<string[]> => {
    events.length = 0;
    await act();
    return events
      .filter(({ name }) => name === 'playlist')
      .map(({ to, data }) => `${to} ${JSON.stringify(JSON.parse(data) as { version: number; deleted: boolean })}`);
  };
  const versionEvent = (version: number, deleted = false): string =>
    JSON.stringify({ id: playlist.id, version, deleted });
  expect(await eventsDuring(() => call(`/${playlist.id}/tracks`, 'POST', { track_ids: ids(1) }))).toEqual([
    `owner ${versionEvent(2)}`,
  ]);
  expect(await eventsDuring(() => call(`/${playlist.id}`, 'PATCH', { is_public: true }))).toEqual([
    `owner ${versionEvent(2)}`,
    `other ${versionEvent(2)}`,
  ]);
  expect(await eventsDuring(() => call(`/${playlist.id}`, 'PATCH', { is_public: false }))).toEqual([
    `owner ${versionEvent(2)}`,
    `other ${versionEvent(2)}`,
  ]);
  expect(await eventsDuring(() => call(`/${playlist.id}`, 'DELETE'))).toEqual([`owner ${versionEvent(2, true)}`]);
  for (const end of unsubscribers) end();
});
