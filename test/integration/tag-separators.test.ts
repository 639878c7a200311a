// Genres, moods and composers that stand in one tag, and libraries whose genres were read before they were separated.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeSongs, type Songs } from '../support/identity-table.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let songs: Songs;
const servers: TestServer[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-separators-'));
  songs = makeSongs(join(base, 'all'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function startWith(
  tags: Record<string, string>[],
  env: Record<string, string> = {},
  version: 3 | 4 = 4,
): Promise<{ server: TestServer; folder: string; dir: string }> {
  const folder = mkdtempSync(join(base, 'music-'));
  mkdirSync(join(folder, 'Album'));
  tags.forEach((frames, i) => {
    const file = join(folder, 'Album', `${i}.mp3`);
    copyFileSync(songs.mp3[i] as string, file);
    retagMp3(file, { TIT2: `Song ${i}`, TALB: 'Album', TPE1: 'Artist', ...frames }, version);
  });
  const dir = mkdtempSync(join(base, 'data-'));
  const server = await startServer({
    dir,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', ...env },
  });
  servers.push(server);
  await scan(server);
  return { server, folder, dir };
}

async function scan(server: TestServer, query = ''): Promise<void> {
  expect((await server.api(`/sources/local_folder/scan${query}`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
}

/** Returns the genres of each song by its title. */
async function genresOf(server: TestServer): Promise<Record<string, string[]>> {
  return Object.fromEntries((await allTracks(server)).map(({ title, genres }) => [title, genres]));
}

test('a scan separates genres, and phones get each of them', async () => {
  const { server } = await startWith([
    { TCON: 'Rock; Pop', TCOM: 'Lennon / McCartney', TMOO: 'calm, dark' },
    { TCON: 'Folk, World, & Country' },
  ]);
  expect(await genresOf(server)).toEqual({ 'Song 0': ['Rock', 'Pop'], 'Song 1': ['Folk, World, & Country'] });
  const [song] = await allTracks(server);
  expect((await server.api(`/tracks/${song?.id}`)).body).toMatchObject({ composer: 'Lennon; McCartney' });
  const { body: genres } = await server.api<{ name: string }[]>('/genres');
  expect(genres.map(({ name }) => name).toSorted()).toEqual(['Folk, World, & Country', 'Pop', 'Rock']);
});

test('genres of an existing library are separated at its next start, except those that a person wrote', async () => {
  const { server, folder, dir } = await startWith([{ TCON: 'Rock; Pop' }, { TCON: 'Rock; Pop' }], {
    GENRE_SEPARATORS: '|',
  });
  expect(await genresOf(server)).toEqual({ 'Song 0': ['Rock; Pop'], 'Song 1': ['Rock; Pop'] });
  const [first] = await allTracks(server);
  await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: first?.id, liked: true } });
  const edited = (await allTracks(server)).at(-1);
  await server.api(`/tracks/${edited?.id}`, { method: 'PATCH', body: { genre: 'Rock; Pop' } });
  await server.close();
  servers.length = 0;
  const restarted = await startServer({
    dir,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
  servers.push(restarted);
  await expect
    .poll(() => genresOf(restarted))
    .toEqual({ 'Song 0': ['Rock', 'Pop'], [edited?.title ?? '']: ['Rock; Pop'] });
  expect((await restarted.api(`/tracks/${first?.id}`)).body).toMatchObject({ liked: true });
});

test('a changed setting separates the genres that are there, and new separators count at once', async () => {
  const { server } = await startWith([{ TCON: 'Rock, Pop' }]);
  expect(await genresOf(server)).toEqual({ 'Song 0': ['Rock, Pop'] });
  await server.api('/settings', { method: 'PATCH', body: { genre_separators: ';|,' } });
  await expect.poll(() => genresOf(server)).toEqual({ 'Song 0': ['Rock', 'Pop'] });
  await server.api('/settings', { method: 'PATCH', body: { genre_separators: '' } });
  await scan(server, '?reread=true');
  expect(await genresOf(server)).toEqual({ 'Song 0': ['Rock, Pop'] });
});

/** Returns the credited artists of each song by its title. */
async function artistsOf(server: TestServer): Promise<Record<string, string[]>> {
  return Object.fromEntries(
    (await allTracks(server)).map(({ title, artists }) => [title, artists.map(({ name }) => name)]),
  );
}

test('slashes of ID3v2.3 separate artists, but not in a name that the library has, in whatever order', async () => {
  const frames = [{ TPE1: 'AC/DC' }, { TPE1: 'Queen/David Bowie' }];
  const { server, folder } = await startWith(frames, {}, 3);
  expect(await artistsOf(server)).toEqual({ 'Song 0': ['AC', 'DC'], 'Song 1': ['Queen', 'David Bowie'] });

  copyFileSync(songs.mp3[2] as string, join(folder, 'Album', '2.mp3'));
  retagMp3(join(folder, 'Album', '2.mp3'), { TIT2: 'Song 2', TALB: 'Album', TPE1: 'AC/DC' }, 4);
  await scan(server);
  copyFileSync(songs.mp3[3] as string, join(folder, 'Album', '3.mp3'));
  retagMp3(join(folder, 'Album', '3.mp3'), { TIT2: 'Song 3', TALB: 'Album', TPE1: 'AC/DC' }, 3);
  await scan(server);
  expect(await artistsOf(server)).toEqual({
    'Song 0': ['AC/DC'],
    'Song 1': ['Queen', 'David Bowie'],
    'Song 2': ['AC/DC'],
    'Song 3': ['AC/DC'],
  });
  const { items } = (await server.api<{ items: { name: string }[] }>('/artists?limit=50')).body;
  const names = items.map(({ name }) => name);
  expect(names).toContain('AC/DC');
  expect(names).not.toContain('DC');
});

test('a separator of artists that is added splits new and stored credits, but no name marked “never split”', async () => {
  const { server, folder } = await startWith([{ TPE1: 'Nick Cave feat. Kylie' }, { TPE1: 'Simon feat. Garfunkel' }]);
  const whole = (await allTracks(server)).find(({ title }) => title === 'Song 1')?.artists[0]?.id;
  const mark = await server.api(`/artists/${whole}`, { method: 'PATCH', body: { never_split: true } });
  expect(mark.status, mark.text).toBe(200);
  const change = await server.api('/settings', { method: 'PATCH', body: { artist_separators: ';| feat. ' } });
  expect(change.status, change.text).toBe(200);
  const both = { 'Song 0': ['Nick Cave', 'Kylie'], 'Song 1': ['Simon feat. Garfunkel'] };
  await expect.poll(() => artistsOf(server), { timeout: 10_000 }).toEqual(both);

  for (const [i, artist] of ['Nick Cave feat. Blixa', 'Simon feat. Garfunkel'].entries()) {
    copyFileSync(songs.mp3[i + 2] as string, join(folder, 'Album', `${i + 2}.mp3`));
    retagMp3(join(folder, 'Album', `${i + 2}.mp3`), { TIT2: `Song ${i + 2}`, TALB: 'Album', TPE1: artist });
  }
  await scan(server);
  expect(await artistsOf(server)).toEqual({
    ...both,
    'Song 2': ['Nick Cave', 'Blixa'],
    'Song 3': ['Simon feat. Garfunkel'],
  });
});
