// Folder mode of the Subsonic API: every call that accepts the id of an album or an artist accepts the id of its
// folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawCover } from '../support/drawn-covers.ts';
import { FOLDER_LIBRARY, writeFolderLibrary } from '../support/folder-library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { startServer, type TestServer } from '../support/server.ts';

type ListItem = Record<string, unknown> & { id: string; title: string; isDir: boolean };
type Directory = Record<string, unknown> & { name: string; child: ListItem[] };
let server: TestServer;
let dir: string;
let phone: Phone;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-folders-'));
  writeFolderLibrary(join(dir, 'music'));
  writeFileSync(join(dir, 'music', 'Mora Lind', 'Alone', 'cover.jpg'), await drawCover('Alone', 'Mora Lind'));
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  phone = await openPhone(server);
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const directory = (id: string): Promise<Directory> => phone.ask('getMusicDirectory', { id }, 'directory');
const childOf = async (id: string, title: string): Promise<ListItem> => {
  const child = (await directory(id)).child.find((entry) => entry.title === title);
  if (!child) throw new Error(`${title} is not in ${id}`);
  return child;
};
/** Returns the folder at a path below the music folder. */
async function folderAt(path: string): Promise<ListItem> {
  let foundFolder: ListItem | undefined;
  for (const name of path.split('/')) foundFolder = await childOf(foundFolder?.id ?? '1', name);
  return foundFolder as ListItem;
}

/** Returns the ids of all songs that a client finds when it walks through the folders. */
async function walk(): Promise<string[]> {
  type Indexes = { index: { artist: ListItem[] }[]; child: ListItem[] };
  const { index, child } = await phone.ask<Indexes>('getIndexes', {}, 'indexes');
  const songs = child.map(({ id }) => id);
  const folders = index.flatMap(({ artist }) => artist.map(({ id }) => id));
  for (let id = folders.shift(); id !== undefined; id = folders.shift())
    for (const entry of (await directory(id)).child) (entry.isDir ? folders : songs).push(entry.id);
  return songs;
}

describe('a folder in a list', () => {
  it('of an album says what albums say', async () => {
    const nets = await folderAt('The Quays/Nets');
    expect(nets).toMatchObject({ isDir: true, album: 'Nets', artist: 'The Quays', year: 2003, genre: 'Jazz' });
    expect(nets).toMatchObject({ playCount: 0, songCount: 1, mediaType: 'album' });
    expect(nets['coverArt']).toMatch(/^al-\d+/);
    expect(nets['created']).toMatch(/^\d{4}-/);
  });
  it('of discs is the album, and so is each disc', async () => {
    expect(await folderAt('The Quays/Harbour')).toMatchObject({ album: 'Harbour', songCount: 3 });
    expect(await folderAt('The Quays/Harbour/CD2')).toMatchObject({ album: 'Harbour', title: 'CD2' });
  });
  it('of an artist is the artist, also with one album in it', async () => {
    for (const [folder, artist] of [
      ['The Quays', 'The Quays'],
      ['Mora Lind', 'Mora Lind'],
    ] as const) {
      const listedFolder = await folderAt(folder);
      expect(listedFolder).toMatchObject({ artist, mediaType: 'artist' });
      expect(listedFolder['coverArt']).toMatch(/^ar-\d+/);
      expect(listedFolder).not.toHaveProperty('album');
    }
  });
  it('of many artists has a picture of its own and no artist', async () => {
    const mixedFolder = await folderAt('Mixed');
    expect(mixedFolder['coverArt']).toBe(mixedFolder.id);
    expect(mixedFolder).not.toHaveProperty('artist');
  });
});

describe('the id of a folder', () => {
  it('is starred, rated and unstarred like its album or artist', async () => {
    const [album, artist] = [await folderAt('The Quays/Nets'), await folderAt('The Quays')];
    await phone.ask('star', { id: [album.id, artist.id] }, '');
    await phone.ask('setRating', { id: album.id, rating: 4 }, '');
    const { album: albums, artist: artists } = await phone.ask<{ album: ListItem[]; artist: ListItem[] }>(
      'getStarred2',
      {},
      'starred2',
    );
    expect([albums.map(({ name }) => name), artists.map(({ name }) => name)]).toEqual([['Nets'], ['The Quays']]);
    expect(await folderAt('The Quays/Nets')).toMatchObject({ userRating: 4, starred: expect.any(String) });
    expect(await directory(album.id)).toMatchObject({ userRating: 4, starred: expect.any(String) });
    await phone.ask('unstar', { albumId: album.id, artistId: artist.id }, '');
    expect(await phone.ask('getStarred2', {}, 'starred2')).toMatchObject({ album: [], artist: [] });
  });
  it('has the infos and the similar songs of its album or artist', async () => {
    for (const path of ['The Quays', 'The Quays/Nets', 'Mora Lind/Alone']) {
      const { id } = await folderAt(path);
      for (const endpoint of ['getArtistInfo', 'getArtistInfo2', 'getAlbumInfo', 'getAlbumInfo2'])
        expect((await phone.get(endpoint, { id })).body.status, `${endpoint} ${path}`).toBe('ok');
      for (const endpoint of ['getSimilarSongs', 'getSimilarSongs2', 'getTopSongs'])
        expect((await phone.get(endpoint, { id })).body.status, `${endpoint} ${path}`).toBe('ok');
    }
    expect(await phone.ask('getAlbum', { id: (await folderAt('The Quays/Harbour')).id }, 'album')).toMatchObject({
      name: 'Harbour',
      songCount: 3,
    });
  });
  it('is shared and put into a playlist as the songs in it', async () => {
    const { id } = await folderAt('The Quays/Harbour');
    const { share } = await phone.ask<{ share: { entry: ListItem[] }[] }>('createShare', { id }, 'shares');
    const titles = ['Low Tide', 'High Tide', 'Ebb'];
    expect(share[0]?.entry.map(({ title }) => title)).toEqual(titles);
    const mixedFolderId = (await folderAt('Mixed')).id;
    const params = { name: 'From folders', songId: [id, mixedFolderId] };
    const { entry } = await phone.ask<{ entry: ListItem[] }>('createPlaylist', params, 'playlist');
    expect(entry.map(({ title }) => title)).toEqual([...titles, 'One', 'Two']);
  });
  it('of nothing is not found', async () => {
    for (const endpoint of ['star', 'getSimilarSongs', 'getArtistInfo', 'getMusicDirectory', 'createShare'])
      expect((await phone.get(endpoint, { id: 'dir-99999' })).body.error?.code, endpoint).toBe(70);
  });
});

it('a walk through the folders finds every track, those of files that are gone too', async () => {
  const songCount = Object.keys(FOLDER_LIBRARY).length;
  expect(new Set(await walk()).size).toBe(songCount);
  rmSync(join(dir, 'music', 'Samplers'), { recursive: true });
  rmSync(join(dir, 'music', 'The Quays', 'Nets', '01 Mesh.flac'));
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  expect((await server.api<{ total: number }>('/tracks?limit=1')).body.total).toBe(songCount);
  expect(new Set(await walk()).size).toBe(songCount);
});

it('pictures of infos have signed addresses that open them alone, without credentials', async () => {
  const { id } = await folderAt('Mora Lind/Alone');
  for (const [endpoint, key] of [
    ['getAlbumInfo2', 'albumInfo'],
    ['getArtistInfo2', 'artistInfo2'],
  ] as const) {
    const info = await phone.ask<Record<string, string>>(endpoint, { id, count: 0 }, key);
    const url = info['smallImageUrl'] as string;
    expect(url).not.toMatch(/[?&](u|t|s|p|apiKey)=/);
    const picture = await fetch(url);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await fetch(url.replace(/-160-/, '-300-'))).status).toBe(404);
    expect((await fetch(url.slice(0, -1))).status).toBe(404);
  }
});
