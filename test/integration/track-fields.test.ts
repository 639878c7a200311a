// Every field of the table is carried from a file's tags to everything that displays, finds, changes or exports it, in
// every format. If a field is lost on the way, the test names the field.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  FIELD_LIST,
  foldedName,
  LISTED_NAMES,
  LISTED_NUMBERS,
  LISTED_TEXTS,
  TAGGED_FIELDS,
  TRACK_FIELDS,
  type FieldKind,
  type TrackField,
} from '../../server/db/track-fields.ts';
import type { MatchesOut } from '../../server/enrichment/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { taggedFiles, taggedValue } from '../support/tagged-files.ts';

let base: string;
let server: TestServer;
let phone: Phone;
let tracks: TrackOut[];

const findByTitle = (name: string): TrackOut => tracks.find(({ title }) => title === name) as TrackOut;
const [firstTagged] = taggedFiles;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-fields-'));
  const music = join(base, 'music');
  mkdirSync(music);
  for (const { name, bytes } of taggedFiles) writeFileSync(join(music, name), bytes);
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference', ...OFFLINE },
  });
  phone = await openPhone(server);
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  tracks = await allTracks(server);
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const total = async (query: string): Promise<number> => (await server.api<TrackPage>(`/tracks?${query}`)).body.total;

const CHANGED_VALUES: Record<FieldKind, string | number> = {
  year: 2003,
  position: 12,
  tempo: 140.5,
  level: 9,
  text: 'Ålborg; Other',
  note: 'typed\nby hand',
};

test('a library from before the fields gets them from its files, except for cleared ones', async () => {
  const dir = join(base, 'older');
  const env = { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference', ...OFFLINE };
  mkdirSync(dir);
  const firstServer = await startServer({ dir, env });
  await firstServer.api('/sources/local_folder/scan', { method: 'POST' });
  await firstServer.app.drain();
  const scannedTracks = await allTracks(firstServer);
  const columns = [...TAGGED_FIELDS.map(({ name }) => name), ...LISTED_TEXTS.map(foldedName)];
  const client = firstServer.app.db.$client;
  client.exec(`UPDATE tracks SET ${columns.map((name) => `${name} = NULL`).join(', ')};
    UPDATE tracks SET provenance = '{"bpm":"manual"}' WHERE id = 1;
    INSERT INTO tags_again (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  await firstServer.close();

  const secondServer = await startServer({ dir, env });
  const selectProgress = secondServer.app.db.$client.prepare<[], number>('SELECT last_id FROM tags_again').pluck();
  await until(
    () => selectProgress.all(),
    (rows) => rows.length === 0,
  );
  const restoredTracks = await allTracks(secondServer);
  const [search] = LISTED_TEXTS.map((field) => TRACK_FIELDS[field].name);
  const foundTotal = (await secondServer.api<TrackPage>(`/tracks?${search}=erik`)).body.total;
  await secondServer.close();
  expect(restoredTracks).toEqual(scannedTracks.map((track) => ({ ...track, ...(track.id === 1 && { bpm: null }) })));
  expect(foundTotal).toBe(scannedTracks.length);
});

test.each(taggedFiles)('$name is listed with its fields', ({ name, hasLists }) => {
  for (const spec of TAGGED_FIELDS)
    expect([spec.name, findByTitle(name)[spec.name]]).toEqual([spec.name, taggedValue(spec, hasLists)]);
});

describe('lists', () => {
  test.each(LISTED_NUMBERS.filter((field) => field !== 'year'))('are filtered by %s', async (field) => {
    const { name, kind } = TRACK_FIELDS[field];
    const value = Number(taggedValue({ kind }));
    expect([
      await total(`${name}_from=${value}&${name}_to=${value}`),
      await total(`${name}_from=${value + 1}`),
      await total(`${name}_to=${value - 1}`),
    ]).toEqual([tracks.length, 0, 0]);
  });

  test.each(LISTED_TEXTS)('are filtered by a part of %s, whatever its case and accents', async (field) => {
    const { name } = TRACK_FIELDS[field];
    expect([await total(`${name}=erik`), await total(`${name}=${encodeURIComponent('ÉRIK O')}`)]).toEqual([
      tracks.length,
      tracks.length,
    ]);
    expect(await total(`${name}=nobody`)).toBe(0);
  });

  test.each(LISTED_NAMES)('are sorted by %s', async (name) => {
    for (const order of ['asc', 'desc']) expect(await total(`sort=${name}&order=${order}`), order).toBe(tracks.length);
  });
});

test.each(TAGGED_FIELDS)('smart playlists find tracks by $name', async ({ name }) => {
  const rules = { all: [{ field: name, op: 'is_set' }], sort: [{ field: name }] };
  const { status, body } = await server.api<{ track_count: number }>('/playlists/preview', {
    method: 'POST',
    body: { rules },
  });
  expect([status, body.track_count]).toEqual([200, tracks.length]);
});

test('phones get them', async () => {
  const { id, album_id } = findByTitle(firstTagged?.name ?? '');
  const song = await phone.ask('getSong', { id: `tr-${id}` }, 'song');
  expect(song).toMatchObject({
    bpm: 98,
    comment: 'first line\nsecond line',
    isrc: ['Érik one', 'two'],
    displayComposer: 'Érik one; two',
  });
  const album = await phone.ask('getAlbum', { id: `al-${album_id}` }, 'album');
  expect(album).toMatchObject({
    recordLabels: [{ name: 'Érik one' }, { name: 'two' }],
    originalReleaseDate: { year: 1971, month: 5, day: 2 },
  });
});

test('exports have them', async () => {
  const folder = join(base, 'export');
  mkdirSync(folder);
  await server.api<JobOut>('/exports', { method: 'POST', body: { folder } });
  await server.app.drain();
  const rows = JSON.parse(readFileSync(join(folder, 'data', 'tracks.json'), 'utf8')) as Record<string, unknown>[];
  for (const row of rows)
    for (const field of FIELD_LIST) {
      const { name } = TRACK_FIELDS[field];
      expect([name, row[name]]).toEqual([name, tracks.find(({ id }) => id === row['id'])?.[name]]);
    }
});

describe('a person', () => {
  const changes = (fields: readonly TrackField[]) =>
    Object.fromEntries(fields.map((field) => [TRACK_FIELDS[field].name, CHANGED_VALUES[TRACK_FIELDS[field].kind]]));
  const origins = async (id: number) => (await server.api<MatchesOut>(`/tracks/${id}/matches`)).body.origins;

  test.each(FIELD_LIST)('changes %s alone, and it is said who did', async (field) => {
    const { name } = TRACK_FIELDS[field];
    const { id } = findByTitle('vorbis.flac');
    const previousTrack = await server.api<TrackOut>(`/tracks/${id}`);
    const { status, body } = await server.api<TrackOut>(`/tracks/${id}`, { method: 'PATCH', body: changes([field]) });
    expect([status, body]).toEqual([200, { ...previousTrack.body, ...changes([field]), updated_at: body.updated_at }]);
    expect((await origins(id))[name]).toBe('manual');
    expect((await server.api<TrackOut>(`/tracks/${id}`, { method: 'PATCH', body: { [name]: null } })).body[name]).toBe(
      null,
    );
  });

  test.each(LISTED_TEXTS)('finds %s as it was typed', async (field) => {
    const { name } = TRACK_FIELDS[field];
    const { id } = findByTitle('atoms.m4a');
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: changes([field]) });
    expect(await total(`${name}=alborg`)).toBe(1);
  });

  test('says with all its names what a track is', async () => {
    const { id } = findByTitle('chunk.aiff');
    const names = { title: 'Named', artist: 'Somebody', album: 'Fields' };
    const putMetadata = (body: object) => server.api<TrackOut>(`/tracks/${id}/metadata`, { method: 'PUT', body });
    expect((await putMetadata({ ...names, ...changes(FIELD_LIST) })).body).toMatchObject(changes(FIELD_LIST));
    expect((await putMetadata(names)).body).toMatchObject(changes(FIELD_LIST));
    const foundOrigins = await origins(id);
    for (const field of FIELD_LIST) expect([field, foundOrigins[TRACK_FIELDS[field].name]]).toEqual([field, 'manual']);
  });

  test('says which number is invalid', async () => {
    const { id } = findByTitle('chunk.wav');
    const { status } = await server.api(`/tracks/${id}`, { method: 'PATCH', body: { bpm: 0 } });
    expect(status).toBe(422);
  });
});
