// Moods, groupings and the tags that a person named are values that lists and smart playlists filter by.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TagOut, TagValueOut } from '../../server/library/tags/tag-wire.ts';
import type { AlbumPage, TrackOut, TrackPage } from '../../server/library/wire.ts';
import { flac, vorbisComment } from '../support/audio-bytes.ts';
import { OFFLINE } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const COMMENTS: Record<string, string[]> = {
  Ann: ['ALBUM=One', 'MOOD=Calm, Happy', 'GROUPING=Evening', 'OCCASION=Party; Sunday', 'SONGWRITER=Zed'],
  Ben: ['ALBUM=One', 'MOOD=calm', 'occasion=PARTY'],
  Cleo: ['ALBUM=Two', 'OCCASION=Fête', 'GROUPING=Morning; evening'],
  Dan: ['ALBUM=Three'],
};

let base: string;
let server: TestServer;
const start = (): Promise<TestServer> =>
  startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference', ...OFFLINE },
  });
async function scan(query = ''): Promise<void> {
  expect((await server.api(`/sources/local_folder/scan${query}`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-tags-'));
  mkdirSync(join(base, 'data'));
  mkdirSync(join(base, 'music'));
  for (const [title, comments] of Object.entries(COMMENTS))
    writeFileSync(
      join(base, 'music', `${title}.flac`),
      flac([4, vorbisComment(`TITLE=${title}`, 'ARTIST=Somebody', ...comments)]),
    );
  server = await start();
  await scan();
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const get = async <T>(path: string): Promise<T> => {
  const { status, body } = await server.api<T>(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const titles = async (query: string): Promise<string[]> => {
  const { items, total } = await get<TrackPage>(`/tracks?sort=title&${query}`);
  expect(total).toBe(items.length);
  return items.map(({ title }) => title);
};
const albums = async (query: string): Promise<string[]> =>
  (await get<AlbumPage>(`/albums?sort=title&${query}`)).items.map(({ title }) => title);
const tagsOf = async (title: string): Promise<TrackOut['tags'] | undefined> =>
  (await allTracks(server)).find((track) => track.title === title)?.tags;
const values = async (name: string, query = ''): Promise<string[]> =>
  (await get<{ items: TagValueOut[] }>(`/tags/${name}?${query}`)).items.map(
    ({ value, track_count }) => `${value} ${track_count}`,
  );
const smartTitles = async (...rules: object[]): Promise<string[]> => {
  const { status, body } = await server.api<{ tracks: TrackOut[] }>('/playlists/preview', {
    method: 'POST',
    body: { rules: { all: rules, sort: [{ field: 'title' }] } },
  });
  expect(status).toBe(200);
  return body.tracks.map(({ title }) => title);
};

test('moods and groupings are values of tracks without any setting', async () => {
  expect(await tagsOf('Ann')).toEqual({ mood: ['Calm', 'Happy'], grouping: ['Evening'] });
  expect(await tagsOf('Dan')).toEqual({});
  expect(await titles('mood=CALM')).toEqual(['Ann', 'Ben']);
  expect(await titles('grouping=evening')).toEqual(['Ann', 'Cleo']);
  expect(await titles('tag=Mood:calm&tag=mood:happy')).toEqual(['Ann']);
  expect(await albums('mood=calm')).toEqual(['One']);
  expect(await get<TagOut[]>('/tags')).toEqual([
    { name: 'mood', is_custom: false, value_count: 2, track_count: 2 },
    { name: 'grouping', is_custom: false, value_count: 2, track_count: 2 },
  ]);
  expect(await values('mood')).toEqual(['Calm 2', 'Happy 1']);
  expect(await values('Grouping', 'q=morn')).toEqual(['Morning 1']);
  expect((await server.api('/tags/OCCASION')).status).toBe(404);
});

test('a tag that a person names is read from new files, and from all after a complete rescan', async () => {
  const refused = await server.api('/settings', { method: 'PATCH', body: { custom_tags: 'OCCASION, Album' } });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('which Tonearm reads already')]);
  const change = await server.api('/settings', {
    method: 'PATCH',
    body: { custom_tags: 'Occasion, SONGWRITER, none' },
  });
  expect(change.status, change.text).toBe(200);
  expect((await get<TagOut[]>('/tags')).map(({ name, value_count }) => `${name} ${value_count}`)).toEqual([
    'mood 2',
    'grouping 2',
    'OCCASION 0',
    'SONGWRITER 0',
    'NONE 0',
  ]);
  await scan('?reread=true');
  expect(await tagsOf('Ann')).toEqual({
    mood: ['Calm', 'Happy'],
    grouping: ['Evening'],
    OCCASION: ['Party', 'Sunday'],
    SONGWRITER: ['Zed'],
  });
  expect(await titles('tag=occasion:party')).toEqual(['Ann', 'Ben']);
  expect(await titles('tag=OCCASION:party&mood=happy')).toEqual(['Ann']);
  expect(await titles('tag=OCCASION:fete')).toEqual(['Cleo']);
  expect(await albums('tag=OCCASION:Party')).toEqual(['One']);
  expect(await values('occasion')).toEqual(['Fête 1', 'Party 2', 'Sunday 1']);
  expect((await server.api('/tracks?tag=OCCASION')).status).toBe(422);
});

test('smart playlists have rules on tags', async () => {
  expect(await smartTitles({ field: 'tag', tag: 'Occasion', op: 'is', value: 'party' })).toEqual(['Ann', 'Ben']);
  expect(await smartTitles({ field: 'tag', tag: 'mood', op: 'is_not', value: 'Happy' })).toEqual([
    'Ben',
    'Cleo',
    'Dan',
  ]);
  expect(await smartTitles({ field: 'tag', tag: 'grouping', op: 'contains', value: 'ing' })).toEqual(['Ann', 'Cleo']);
  expect(await smartTitles({ field: 'tag', tag: 'OCCASION', op: 'is_not_set' })).toEqual(['Dan']);
  const wrong = await server.api('/playlists/preview', {
    method: 'POST',
    body: { rules: { all: [{ field: 'tag', op: 'is', value: 'x' }] } },
  });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('needs tag with the field tag')]);
});

test('tracks that come back from the trash have their values, also from the trash of an earlier version', async () => {
  const id = (await allTracks(server)).find(({ title }) => title === 'Cleo')?.id;
  const client = server.app.db.$client;
  for (const isEarlier of [false, true]) {
    await server.api(`/tracks/${id}`, { method: 'DELETE' });
    expect(await titles('tag=OCCASION:fete')).toEqual([]);
    if (isEarlier) {
      const text = client.prepare<[], string>('SELECT snapshot FROM trashed_tracks').pluck().get() ?? '';
      const snapshot = JSON.parse(text) as { rows: { table: string }[] };
      snapshot.rows = snapshot.rows.filter(({ table }) => table !== 'track_tags');
      client.prepare('UPDATE trashed_tracks SET snapshot = ?').run(JSON.stringify(snapshot));
    }
    const trash = await get<{ items: { id: number }[] }>('/trash');
    await server.api(`/trash/${trash.items[0]?.id}/restore`, { method: 'POST' });
    expect(await titles('tag=OCCASION:fete')).toEqual(['Cleo']);
  }
});

test('a library of an earlier version gets its values in the background', async () => {
  server.app.db.$client.exec(`DELETE FROM track_tags;
    INSERT INTO credits_fill (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  await server.close();
  server = await start();
  const listProgress = server.app.db.$client.prepare('SELECT * FROM credits_fill');
  await until(
    () => listProgress.all(),
    (rows) => rows.length === 0,
  );
  expect(await titles('mood=calm')).toEqual(['Ann', 'Ben']);
  expect(await titles('tag=occasion:party')).toEqual(['Ann', 'Ben']);
});
