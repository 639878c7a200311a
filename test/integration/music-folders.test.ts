// Several music folders form one library, in which tracks keep their identity from folder to folder, and nothing is
// lost when a folder is unreachable, or is removed and restored.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UserId } from '../../server/db/ids.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { FolderPage } from '../../server/library/folders/folder-wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import type {
  FolderContentsOut,
  MusicFolderOut,
  MusicFoldersOut,
  RemovalOut,
  ServerFolderOut,
} from '../../server/music-folders/wire.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { FolderHits } from '../../server/search/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { openPhone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { runServer } from '../support/process.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;
let base: string;
let frames = 20;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-folders-'));
  for (const name of ['first', 'vinyl', 'tapes']) mkdirSync(join(base, name));
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'first'), LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const song = (title: string): Buffer =>
  Buffer.concat([
    id3([
      id3Frame('TIT2', utf8Text(title)),
      id3Frame('TPE1', utf8Text(`${title} Band`)),
      id3Frame('TALB', utf8Text(`${title} Album`)),
    ]),
    silentMp3(++frames),
  ]);

/** Writes a song at a path below the base folder. */
function writeSong(path: string, title: string): string {
  mkdirSync(join(base, dirname(path)), { recursive: true });
  writeFileSync(join(base, path), song(title));
  return path;
}
function move(from: string, to: string): void {
  mkdirSync(join(base, dirname(to)), { recursive: true });
  renameSync(join(base, from), join(base, to));
}

const post = <T>(path: string, body?: unknown): Promise<Answer<T>> => server.api<T>(path, { method: 'POST', body });
const patch = <T>(path: string, body: unknown): Promise<Answer<T>> => server.api<T>(path, { method: 'PATCH', body });
const folders = async (): Promise<MusicFolderOut[]> => (await server.api<MusicFoldersOut>('/music-folders')).body.items;
const folderNamed = async (name: string): Promise<MusicFolderOut> => {
  const folder = (await folders()).find((folder) => folder.name === name);
  if (!folder) throw new Error(`no music folder ${name}`);
  return folder;
};

async function scan(query = ''): Promise<ScanResult> {
  const { body } = await post<JobOut>(`/sources/local_folder/scan${query}`);
  await server.app.drain();
  const { body: job } = await server.api<JobOut>(`/jobs/${body.id}`);
  if (job.status !== 'succeeded') throw new Error(job.error ?? job.status);
  return job.result as ScanResult;
}

async function trackCalled(title: string): Promise<TrackOut> {
  const matchingTracks = (await allTracks(server)).filter((track) => track.title === title);
  expect(matchingTracks.map(({ source_id }) => source_id)).toHaveLength(1);
  return matchingTracks[0] as TrackOut;
}
const like = (track: TrackOut): Promise<Answer> =>
  post('/likes', { item_type: 'track', item_id: track.id, liked: true });

/** Makes the server check its music folders, which it otherwise does from time to time. */
const checkFolders = (): Promise<Answer> => patch('/music-folders/1', { name: 'Music' });

describe('two folders', () => {
  test('the first keeps its source ids, and another puts its key before them', async () => {
    writeSong('first/Ash/one.mp3', 'Ash');
    writeSong('vinyl/Birch/two.mp3', 'Birch');
    await scan();
    const addResponse = await post<MusicFolderOut>('/music-folders', {
      name: 'Vinyl rips',
      path: join(base, 'vinyl'),
      mode: 'reference',
    });
    expect(addResponse.status).toBe(201);
    await server.app.drain(); // the new folder is scanned at once
    expect(await trackCalled('Ash')).toMatchObject({ source_id: 'Ash/one.mp3', storage_uri: 'file:Ash/one.mp3' });
    expect(await trackCalled('Birch')).toMatchObject({
      source_id: 'vinyl-rips:/Birch/two.mp3',
      storage_uri: 'file:vinyl-rips:/Birch/two.mp3',
      availability: 'available',
    });
    expect(await folders()).toMatchObject([
      { id: 1, name: 'Music', source_id_prefix: '', state: 'ready', tracks: 1, indexed_tracks: 1 },
      { name: 'Vinyl rips', source_id_prefix: 'vinyl-rips:/', path: join(base, 'vinyl'), state: 'ready', tracks: 1 },
    ]);
    const { status } = await server.api(`/stream/${(await trackCalled('Birch')).id}`);
    expect(status).toBe(200);
  });

  test('each has its own mode', async () => {
    writeSong('tapes/Cedar/three.mp3', 'Cedar');
    await post('/music-folders', { name: 'Tapes', path: join(base, 'tapes'), mode: 'copy' });
    await server.app.drain();
    const cedar = await trackCalled('Cedar');
    expect(cedar.source_id).toBe('tapes:/Cedar/three.mp3');
    expect(cedar.storage_uri).toMatch(/^local:audio\//);
    expect(await folderNamed('Tapes')).toMatchObject({ mode: 'copy', tracks: 1, indexed_tracks: 0 });
  });

  test.each([
    ['from the first into another', 'first/Elm/e.mp3', 'vinyl/New/e.mp3', 'file:vinyl-rips:/New/e.mp3'],
    ['from another into the first', 'vinyl/Fir/f.mp3', 'first/New/f.mp3', 'file:New/f.mp3'],
    ['into one whose files are copied', 'vinyl/Gorse/g.mp3', 'tapes/g.mp3', /^local:audio\//],
    ['out of one whose files are copied', 'tapes/Hazel/h.mp3', 'first/h.mp3', /^local:audio\//],
  ])('a file that moves %s stays the same track', async (_title, from, to, uri) => {
    const title = from.split('/')[1] as string;
    writeSong(from, title);
    await scan();
    const trackBefore = await trackCalled(title);
    await like(trackBefore);
    move(from, to);
    expect(await scan()).toMatchObject({ added: 0, moved: 1, missing: 0 });
    const trackAfter = await trackCalled(title);
    expect(trackAfter).toMatchObject({ id: trackBefore.id, liked: true, availability: 'available' });
    expect(trackAfter.storage_uri).toEqual(typeof uri === 'string' ? uri : expect.stringMatching(uri));
  });

  test('a scan of one of them leaves the others alone, and a part of one is scanned by its source id', async () => {
    const [inFirst, inVinyl] = [writeSong('first/Ivy/i.mp3', 'Ivy'), writeSong('vinyl/Juniper/j.mp3', 'Juniper')];
    await scan();
    unlinkSync(join(base, inFirst));
    unlinkSync(join(base, inVinyl));
    writeSong('vinyl/Kelp/k.mp3', 'Kelp');
    expect(await scan(`?path=${encodeURIComponent(':')}`)).toMatchObject({ missing: 1, added: 0 });
    expect((await trackCalled('Ivy')).availability).toBe('missing');
    expect((await trackCalled('Juniper')).availability).toBe('available');
    expect(await scan(`?path=${encodeURIComponent('vinyl-rips:/Kelp')}`)).toMatchObject({ missing: 0, added: 1 });
    expect(await scan(`?path=${encodeURIComponent('vinyl-rips:')}`)).toMatchObject({ missing: 1, added: 0 });
  });

  test('a dry run lists what would change in each of them', async () => {
    writeSong('first/Larch/l.mp3', 'Larch');
    writeSong('vinyl/Maple/m.mp3', 'Maple');
    const { changes } = await scan('?dry_run=true');
    expect(changes?.added.toSorted()).toEqual(['Larch/l.mp3', 'vinyl-rips:/Maple/m.mp3']);
    await scan();
  });

  test('a folder of the first that is called like the prefix of another is left out, and says why', async () => {
    writeSong('first/vinyl-rips:/Nettle.mp3', 'Nettle');
    const { skipped, added } = await scan();
    expect(added).toBe(0);
    expect(skipped).toContainEqual({
      source_id: 'vinyl-rips:',
      reason: 'paths in another music folder begin like this',
    });
    rmSync(join(base, 'first/vinyl-rips:'), { recursive: true });
  });

  test('a new name changes no track', async () => {
    const trackBefore = await trackCalled('Birch');
    const { id } = await folderNamed('Vinyl rips');
    expect((await patch<MusicFolderOut>(`/music-folders/${id}`, { name: 'Records' })).body.name).toBe('Records');
    expect(await trackCalled('Birch')).toEqual(trackBefore);
  });

  test('a folder that overlaps another one, or is no folder, is refused with an explanation', async () => {
    const add = (path: string, name = 'Other'): Promise<Answer> => post('/music-folders', { name, path });
    expect((await add(join(base, 'vinyl/Birch'))).text).toContain('is inside the music folder “Records”');
    expect((await add(base)).text).toContain('contains the music folder “Music”');
    expect((await add(join(base, 'nowhere'))).text).toContain('does not exist or is not a folder');
    expect((await add(server.dir)).text).toContain('data folder');
    mkdirSync(join(base, 'fourth'));
    expect((await add(join(base, 'fourth'), 'records')).text).toContain('is the name of another music folder');
    expect((await folders()).map(({ name }) => name)).toEqual(['Music', 'Records', 'Tapes']);
  });
});

describe('the page of folders', () => {
  const folder = async (path?: string, query = 'limit=200'): Promise<FolderPage> =>
    (await server.api<FolderPage>(`/folders?${query}${path === undefined ? '' : `&path=${encodeURIComponent(path)}`}`))
      .body;
  const titlesIn = async (path: string, below = false): Promise<string[]> =>
    (
      await server.api<TrackPage>(`/tracks?folder=${encodeURIComponent(path)}&below=${below}&sort=path&limit=200`)
    ).body.items.map(({ title }) => title);

  test('begins with the music folders, and gives the folders of each by name, in pages', async () => {
    for (const name of ['b Low', 'B High', 'a', 'b', 'b/c', 'b-c', 'Ä'])
      writeSong(`tapes/deep/${name}/x.mp3`, `In ${name}`);
    await scan();
    expect((await folder()).items).toEqual([
      { path: ':', name: 'Music', is_offline: false },
      { path: 'vinyl-rips:', name: 'Records', is_offline: false },
      { path: 'tapes:', name: 'Tapes', is_offline: false },
    ]);
    expect((await folder(':')).items.map(({ path }) => path)).toContain('Ash');
    expect((await folder(':')).items.map(({ path }) => path)).not.toContain('tapes:');
    const deepFolder = await folder('tapes:/deep');
    expect(deepFolder.items.map(({ name }) => name)).toEqual(
      ['a', 'b', 'b High', 'b Low', 'b-c', 'Ä'].map((name) => (name === 'b High' ? 'B High' : name)),
    );
    expect(deepFolder.parents.map(({ name }) => name)).toEqual(['Tapes', 'deep']);
    const page = await folder('tapes:/deep', 'limit=2&offset=2');
    expect(page).toMatchObject({ total: 6, items: [{ path: 'tapes:/deep/B High' }, { path: 'tapes:/deep/b Low' }] });
    expect(await titlesIn('tapes:/deep/b')).toEqual(['In b']);
    expect(await titlesIn('tapes:/deep/b', true)).toEqual(['In b/c', 'In b']);
    expect(await titlesIn('tapes:/deep')).toEqual([]);
    expect((await titlesIn('tapes:', true)).length).toBeGreaterThan(7);
    expect(await titlesIn(':', true)).not.toContain('In b');
    expect((await server.api('/folders?path=nowhere')).status).toBe(404);
    expect(await titlesIn('nowhere', true)).toEqual([]);
    const listShuffledTitles = async (seed: number): Promise<string[]> =>
      (await server.api<TrackPage>(`/tracks?folder=tapes:/deep&sort=random&seed=${seed}&limit=200`)).body.items.map(
        ({ title }) => title,
      );
    expect(await listShuffledTitles(1)).not.toEqual(await listShuffledTitles(2));
    expect((await listShuffledTitles(1)).toSorted()).toEqual((await titlesIn('tapes:/deep', true)).toSorted());
    const searchTitles = async (query: string): Promise<string[]> =>
      (await server.api<FolderHits>(`/search/folders?q=${encodeURIComponent(query)}`)).body.items.map(
        ({ path }) => path,
      );
    expect(await searchTitles('b')).toEqual(expect.arrayContaining(['tapes:/deep/b', 'tapes:/deep/B High']));
    expect(await searchTitles('HIGH b')).toEqual(['tapes:/deep/B High']);
    expect(await searchTitles('a')).toEqual(expect.arrayContaining(['tapes:/deep/Ä']));
    expect(await searchTitles('tapes')).toEqual([]);
    rmSync(join(base, 'tapes/deep'), { recursive: true });
    for (const track of (await allTracks(server)).filter(({ source_id }) => source_id?.startsWith('tapes:/deep/')))
      await server.api(`/tracks/${track.id}`, { method: 'DELETE' });
    await scan();
  });
});

test('the disk of the server is walked by names of folders, without files, hidden ones and those of Tonearm', async () => {
  for (const name of ['disk/Music/One', 'disk/Music/.hidden']) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, 'disk/Music/private.txt'), '');
  const listFolders = (path: string): Promise<Answer<ServerFolderOut>> =>
    server.api<ServerFolderOut>(`/server-folders?path=${encodeURIComponent(path)}`);
  const { body } = await listFolders(join(base, 'disk/Music'));
  expect(body).toMatchObject({ folders: [{ name: 'One' }], fault: null, is_complete: true });
  expect(body.parent?.endsWith('disk')).toBe(true);
  expect(body.free_bytes).toBeGreaterThan(0);
  expect((await listFolders(join(base, 'nowhere'))).text).toContain('does not exist or is not a folder');
  for (const path of [server.dir, '/etc', '/proc/self', 'relative'])
    expect((await listFolders(path)).status, path).toBe(422);
  expect((await listFolders('/')).body.folders.map(({ name }) => name)).not.toContain('etc');
  expect((await listFolders('/')).body.fault).not.toBeNull();
  const { status } = await server.api('/server-folders', { token: await registerUser(server, 'curious') });
  expect(status).toBe(403);
});

test('a folder of the server is counted by the names that scans go by', async () => {
  const folder = join(base, 'counted');
  for (const name of ['Album/CD 1', 'Album/.hidden', 'Talks', '@eaDir', 'Papers'])
    mkdirSync(join(folder, name), { recursive: true });
  const [shownSong, hiddenSong] = ['Album/CD 1/song.flac', 'Album/.hidden/song.flac'];
  for (const name of [shownSong, hiddenSong, '@eaDir/preview.mp3', 'Talks/.nomedia', 'Talks/talk.mp3', 'Papers/a.pdf'])
    writeFileSync(join(folder, name), 'x'.repeat(1_000));
  for (const name of ['b.pdf', 'c.m4p', 'cover.jpg']) writeFileSync(join(folder, 'Papers', name), '');
  symlinkSync(join(folder, shownSong), join(folder, 'linked.flac'));
  const count = (path: string) =>
    server.api<FolderContentsOut>(`/server-folders/contents?path=${encodeURIComponent(path)}`);

  const { path, library_free_bytes, ...counts } = (await count(folder)).body;
  expect(path.endsWith('counted')).toBe(true);
  expect(library_free_bytes).toBeGreaterThan(0);
  expect(counts).toEqual({
    audio_files: 1,
    audio_bytes: 1_000,
    folders: 4, // Album, CD 1, Talks and Papers
    other_files: 4,
    protected_files: 1,
    other_kinds: [
      { extension: 'pdf', files: 2 },
      { extension: 'm4p', files: 1 },
      { extension: 'jpg', files: 1 },
    ],
    ignored: 3, // .hidden, @eaDir and talk.mp3
    unreadable_folders: 0,
    is_complete: true,
  });
  const inPart = await server.api<FolderContentsOut>(
    `/server-folders/contents?limit=2&path=${encodeURIComponent(join(folder, 'Papers'))}`,
  );
  expect(inPart.body).toMatchObject({ other_files: 2, is_complete: false });
  expect((await count(join(folder, 'nowhere'))).body).toMatchObject({ audio_files: 0, unreadable_folders: 1 });
  for (const forbiddenPath of [server.dir, '/etc', 'relative'])
    expect((await count(forbiddenPath)).status, forbiddenPath).toBe(422);
  const { status } = await server.api(`/server-folders/contents?path=/srv`, {
    token: await registerUser(server, 'nosy'),
  });
  expect(status).toBe(403);
});

describe('Subsonic', () => {
  const names = (items: unknown): (string | undefined)[] =>
    ((items as { name?: string; title?: string }[] | undefined) ?? [])
      .map(({ name, title }) => title ?? name)
      .toSorted((a = '', b = '') => (a < b ? -1 : 1));

  test('lists the folders, and restricts each list and search to the requested folder', async () => {
    const phone = await openPhone(server);
    const { musicFolder } = await phone.ask<{ musicFolder: { id: number; name: string }[] }>(
      'getMusicFolders',
      {},
      'musicFolders',
    );
    expect(musicFolder.map(({ name }) => name)).toEqual(['Music', 'Records', 'Tapes']);
    const records = musicFolder[1]?.id as number;
    await like(await trackCalled('Ash'));
    await like(await trackCalled('Birch'));
    const birch = { musicFolderId: records };
    const songsOf = async (params: { musicFolderId?: number }, query: string): Promise<(string | undefined)[]> =>
      names(
        (await phone.ask<{ song?: unknown }>('search3', { ...params, query, songCount: 100 }, 'searchResult3')).song,
      );

    const inRecords = await songsOf(birch, '');
    expect(inRecords).toContain('Birch');
    expect(inRecords).not.toContain('Ash');
    const [allSongs, inFirst, inTapes] = await Promise.all(
      [{}, { musicFolderId: 1 }, { musicFolderId: musicFolder[2]?.id }].map((params) => songsOf(params as object, '')),
    );
    expect(new Set([...inRecords, ...(inFirst ?? []), ...(inTapes ?? [])])).toEqual(new Set(allSongs));
    expect(await songsOf(birch, 'Band')).toEqual(inRecords);

    const albums = async (type: string, otherParams = {}): Promise<(string | undefined)[]> =>
      names(
        (
          await phone.ask<{ album?: unknown }>(
            'getAlbumList2',
            { ...birch, type, size: 100, ...otherParams },
            'albumList2',
          )
        ).album,
      );
    const expected = inRecords.map((title) => `${title} Album`);
    for (const type of ['newest', 'random', 'alphabeticalByName', 'alphabeticalByArtist'])
      expect(await albums(type), type).toEqual(expected);
    const starredItems = await phone.ask<{ song?: unknown }>('getStarred2', birch, 'starred2');
    expect(names(starredItems.song)).toContain('Birch');
    expect(names(starredItems.song)).not.toContain('Ash');
    const random = await phone.ask<{ song?: unknown }>('getRandomSongs', { ...birch, size: 100 }, 'randomSongs');
    expect(names(random.song)).toEqual(inRecords);
    const { index } = await phone.ask<{ index: { artist: unknown[] }[] }>('getArtists', birch, 'artists');
    expect(names(index.flatMap(({ artist }) => artist))).toEqual(inRecords.map((title) => `${title} Band`));
    const tree = await phone.ask<{ index: { artist: unknown[] }[] }>('getIndexes', birch, 'indexes');
    expect(names(tree.index.flatMap(({ artist }) => artist))).toContain('Birch');
    expect(names(tree.index.flatMap(({ artist }) => artist))).not.toContain('Ash');
    const directory = await phone.ask<{ name: string; child?: unknown }>(
      'getMusicDirectory',
      { id: records },
      'directory',
    );
    expect(directory.name).toBe('Records');
    expect(names(directory.child)).toContain('Birch');
    expect((await phone.get('getIndexes', { musicFolderId: 99 })).body.error?.code).toBe(70);
  });
});

describe('a folder that is unreachable', () => {
  test.each([
    ['gone', (): void => renameSync(join(base, 'vinyl'), join(base, 'away'))],
    [
      'an empty mount point',
      (): void => {
        renameSync(join(base, 'vinyl'), join(base, 'away'));
        mkdirSync(join(base, 'vinyl'));
      },
    ],
  ])('%s: its tracks are offline, not missing, and available again when the folder is back', async (_title, unplug) => {
    await scan();
    const tracksBefore = await allTracks(server);
    unplug();
    await checkFolders();
    expect(await folderNamed('Records')).toMatchObject({ state: 'offline', reason: expect.stringContaining('disk') });
    const { items } = (await server.api<FolderPage>('/folders?limit=200')).body;
    expect(items.filter(({ is_offline }) => is_offline).map(({ name }) => name)).toEqual(['Records']);
    const birch = await trackCalled('Birch');
    expect(birch.availability).toBe('offline');
    expect((await trackCalled('Ash')).availability).toBe('available');
    expect((await server.api(`/stream/${birch.id}`)).status).toBe(503);
    writeSong('first/Oak/o.mp3', 'Oak');
    const result = await scan();
    expect(result).toMatchObject({ added: 1, missing: 0, offline: [{ name: 'Records' }] });
    expect((await scan(`?path=${encodeURIComponent(':')}`)).missing).toBe(0);
    rmSync(join(base, 'first/Oak'), { recursive: true });
    rmSync(join(base, 'vinyl'), { recursive: true, force: true });
    renameSync(join(base, 'away'), join(base, 'vinyl'));
    await checkFolders();
    await scan();
    const oak = await trackCalled('Oak');
    expect(oak.availability).toBe('missing');
    await server.api(`/tracks/${oak.id}`, { method: 'DELETE' });
    expect(await allTracks(server)).toEqual(tracksBefore);
  });

  test('a listener who asks for a track in it finds out, without waiting for the next check', async () => {
    const birch = await trackCalled('Birch');
    expect(birch.availability).toBe('available');
    renameSync(join(base, 'vinyl'), join(base, 'away'));
    expect((await server.api(`/stream/${birch.id}`)).status).toBe(503);
    expect((await trackCalled('Birch')).availability).toBe('offline');
    renameSync(join(base, 'away'), join(base, 'vinyl'));
    await checkFolders();
  });

  test('an open window is told by itself', async () => {
    const stop = server.app.events.subscribe({ id: 1 as UserId, isSuperuser: true }, undefined, () => undefined);
    renameSync(join(base, 'vinyl'), join(base, 'away'));
    await expect.poll(async () => (await trackCalled('Birch')).availability).toBe('offline');
    renameSync(join(base, 'away'), join(base, 'vinyl'));
    await expect.poll(async () => (await trackCalled('Birch')).availability).toBe('available');
    stop();
  });

  test('a scan of this folder alone fails with the reason', async () => {
    renameSync(join(base, 'vinyl'), join(base, 'away'));
    const { status, body } = await post<JobOut>(`/sources/local_folder/scan?path=${encodeURIComponent('vinyl-rips:')}`);
    await server.app.drain();
    const text = status === 202 ? (await server.api(`/jobs/${body.id}`)).text : JSON.stringify(body);
    expect(text).toContain('cannot be read');
    renameSync(join(base, 'away'), join(base, 'vinyl'));
    await checkFolders();
  });
});

describe('removing a folder', () => {
  test('announces what happens, moves tracks that are only there into the trash, and can be undone', async () => {
    const { id } = await folderNamed('Records');
    const birch = await trackCalled('Birch');
    await like(birch);
    const deletedTrack = await trackCalled('Maple');
    await server.api(`/tracks/${deletedTrack.id}`, { method: 'DELETE' });
    const tracksBefore = await allTracks(server);
    const inVinyl = tracksBefore.filter(({ source_id }) => source_id?.startsWith('vinyl-rips:/')).length;

    const removalResponse = await server.api<RemovalOut>(`/music-folders/${id}?dry_run=true`, { method: 'DELETE' });
    expect(removalResponse.body).toMatchObject({ to_trash: inVinyl, kept: 0 });
    expect(removalResponse.body.detail).toContain('to the trash for 30 days');
    expect(await allTracks(server)).toHaveLength(tracksBefore.length);

    expect((await server.api<RemovalOut>(`/music-folders/${id}`, { method: 'DELETE' })).body).toEqual(
      removalResponse.body,
    );
    await server.app.drain();
    expect(await allTracks(server)).toHaveLength(tracksBefore.length - inVinyl);
    expect(await folderNamed('Records')).toMatchObject({ state: 'removed', tracks: 0 });
    expect(await scan()).toMatchObject({ added: 0, missing: 0 });

    expect((await post(`/music-folders/${id}/restore`)).status).toBe(200);
    await server.app.drain();
    const shape = ({ id: trackId, title, source_id, availability, liked }: TrackOut) => ({
      trackId,
      title,
      source_id,
      availability,
      liked,
    });
    const byId = (play: { trackId: number }, otherPlay: { trackId: number }): number =>
      play.trackId - otherPlay.trackId;
    const currentShapes = (await allTracks(server)).map(shape).sort(byId);
    expect(currentShapes.filter(({ trackId }) => trackId !== birch.id)).toEqual(
      tracksBefore
        .map(shape)
        .filter(({ trackId }) => trackId !== birch.id)
        .sort(byId),
    );
    expect(await trackCalled('Birch')).toMatchObject({ id: birch.id, liked: true, availability: 'available' });
  });

  test('tracks whose files were copied stay, and are found again when their files come up elsewhere', async () => {
    const { id } = await folderNamed('Tapes');
    const cedar = await trackCalled('Cedar');
    await like(cedar);
    const { body } = await server.api<RemovalOut>(`/music-folders/${id}`, { method: 'DELETE' });
    expect(body).toMatchObject({ to_trash: 0 });
    await server.app.drain();
    expect(await trackCalled('Cedar')).toMatchObject({ id: cedar.id, availability: 'available' });
    move('tapes/Cedar/three.mp3', 'first/Cedar/three.mp3');
    await scan();
    expect(await trackCalled('Cedar')).toMatchObject({ id: cedar.id, liked: true, source_id: 'Cedar/three.mp3' });
  });

  test('tracks that were merged since stay merged when the folder is restored', async () => {
    writeSong('shellac/one.mp3', 'Hornbeam');
    writeSong('shellac/two.mp3', 'Whitebeam');
    const folder = { name: 'Shellac', path: join(base, 'shellac'), mode: 'reference' };
    const { id } = (await post<MusicFolderOut>('/music-folders', folder)).body;
    await server.app.drain();
    const [keptTrack, otherTrack] = [await trackCalled('Hornbeam'), await trackCalled('Whitebeam')];
    await server.api(`/music-folders/${id}`, { method: 'DELETE' });
    await server.app.drain();
    server.app.db.$client
      .prepare('UPDATE trashed_tracks SET merged_into = ? WHERE id = ?')
      .run(keptTrack.id, otherTrack.id);
    expect((await post(`/music-folders/${id}/restore`)).status).toBe(200);
    await server.app.drain();
    const ids = (await allTracks(server)).map((track) => track.id);
    expect([ids.includes(keptTrack.id), ids.includes(otherTrack.id)]).toEqual([true, false]);
    await server.api(`/music-folders/${id}`, { method: 'DELETE' });
    await server.app.drain();
  });
});

describe.each(['reference', 'copy'] as const)('a change while a folder was removed, in %s mode', (mode) => {
  const titleInMode = (title: string): string => `${mode} ${title}`;
  const pathInMode = (path: string): string => `${mode} shelf/${path}`;
  async function addShelf(): Promise<number> {
    const folder = { name: titleInMode('Shelf'), path: join(base, pathInMode('.')), mode };
    const { id } = (await post<MusicFolderOut>('/music-folders', folder)).body;
    await server.app.drain();
    return id;
  }
  async function remove(id: number): Promise<void> {
    await server.api(`/music-folders/${id}`, { method: 'DELETE' });
    await server.app.drain();
  }

  test('is noticed when the folder is restored', async () => {
    for (const title of ['Gone', 'Moved out', 'Renamed', 'Same'])
      writeSong(pathInMode(`${title}.mp3`), titleInMode(title));
    const id = await addShelf();
    const tracksBefore = new Map<string, TrackOut>();
    for (const title of ['Gone', 'Moved out', 'Renamed', 'Same']) {
      const track = await trackCalled(titleInMode(title));
      tracksBefore.set(title, track);
      await like(track);
    }
    await remove(id);
    unlinkSync(join(base, pathInMode('Gone.mp3')));
    move(pathInMode('Moved out.mp3'), `first/${mode}/Moved out.mp3`);
    await scan();
    move(pathInMode('Renamed.mp3'), pathInMode('deeper/New name.mp3'));
    expect((await post(`/music-folders/${id}/restore`)).status).toBe(200);
    await server.app.drain();
    const summarizeTrack = async (title: string): Promise<(string | boolean | number | null)[]> => {
      const { id: track, liked, availability, source_id } = await trackCalled(titleInMode(title));
      return [track === tracksBefore.get(title)?.id, liked, availability, source_id];
    };
    const prefix = (await folderNamed(titleInMode('Shelf'))).source_id_prefix;
    expect(await summarizeTrack('Same')).toEqual([true, true, 'available', `${prefix}Same.mp3`]);
    expect(await summarizeTrack('Renamed')).toEqual([true, true, 'available', `${prefix}deeper/New name.mp3`]);
    expect((await summarizeTrack('Gone')).slice(0, 3)).toEqual([true, true, mode === 'copy' ? 'available' : 'missing']);
    expect((await summarizeTrack('Moved out')).slice(1)).toEqual([true, 'available', `${mode}/Moved out.mp3`]);
    await remove(id);
  });

  test('a scan reports at once that a folder is unreachable, and that it is back', async () => {
    writeSong(pathInMode('Away.mp3'), titleInMode('Away'));
    const id = await addShelf();
    renameSync(join(base, `${mode} shelf`), join(base, `${mode} unplugged`));
    await scan();
    expect(await folderNamed(titleInMode('Shelf'))).toMatchObject({ state: 'offline' });
    expect((await trackCalled(titleInMode('Away'))).availability).toBe(mode === 'copy' ? 'available' : 'offline');
    renameSync(join(base, `${mode} unplugged`), join(base, `${mode} shelf`));
    await scan();
    expect(await folderNamed(titleInMode('Shelf'))).toMatchObject({ state: 'ready' });
    expect((await trackCalled(titleInMode('Away'))).availability).toBe('available');
    await remove(id);
  });

  test('the same folder, added again, has its tracks again', async () => {
    writeSong(pathInMode('Again.mp3'), titleInMode('Again'));
    const id = await addShelf();
    const track = await trackCalled(titleInMode('Again'));
    await like(track);
    await remove(id);
    expect(await addShelf()).toBe(id);
    expect(await trackCalled(titleInMode('Again'))).toMatchObject({
      id: track.id,
      liked: true,
      availability: 'available',
    });
    await remove(id);
  });
});

test('removing the first folder leaves the others alone', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-first-folder-'));
  const paths = [join(dir, 'first'), join(dir, 'second')] as const;
  for (const path of paths) mkdirSync(join(path, 'x'), { recursive: true });
  writeFileSync(join(paths[0], 'x', '1.mp3'), song('Rowan'));
  for (const name of ['a.mp3', 'x/b.mp3', 'x/c.mp3']) writeFileSync(join(paths[1], name), song(`Sorb ${name}`));
  const otherServer = await startServer();
  for (const [n, mode] of ['copy', 'reference'].entries())
    await otherServer.api('/music-folders', { method: 'POST', body: { name: `Folder ${n}`, path: paths[n], mode } });
  await otherServer.app.drain();
  expect((await otherServer.api('/music-folders/1', { method: 'DELETE' })).status).toBe(200);
  await otherServer.app.drain();
  rmSync(join(paths[1], 'x', 'b.mp3'));
  const { body } = await otherServer.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await otherServer.app.drain();
  const { body: job } = await otherServer.api<JobOut>(`/jobs/${body.id}`);
  expect(job.result).toMatchObject({ added: 0, moved: 0, missing: 1, unchanged: 2 });
  await otherServer.close();
  rmSync(dir, { recursive: true, force: true });
});

test('an ordinary account sees names and states, and no paths of the server', async () => {
  const token = await registerUser(server);
  const { body } = await server.api<MusicFoldersOut>('/music-folders', { token });
  expect(body.items.map(({ name, path, reason }) => ({ name, path, reason }))).toEqual([
    { name: 'Music', path: null, reason: null },
    { name: 'Records', path: null, reason: null },
  ]);
  for (const [path, method] of [
    ['/music-folders', 'POST'],
    ['/music-folders/1', 'PATCH'],
    ['/music-folders/1', 'DELETE'],
    ['/music-folders/1/restore', 'POST'],
  ] as const)
    expect((await server.api(path, { method, token, body: {} })).status).toBe(403);
});

test('the first folder cannot be set inside or around another one, also in the settings', async () => {
  const ownServer = await startServer();
  try {
    mkdirSync(join(base, 'here/inside'), { recursive: true });
    const setImportPath = async (path: string): Promise<[number, string]> => {
      const body = { local_media_import_path: path };
      const { status, text } = await ownServer.api('/settings', { method: 'PATCH', body });
      return [status, text.slice(0, 500)];
    };
    expect(await setImportPath(join(base, 'tapes'))).toEqual([200, expect.anything()]);
    const folder = { name: 'Here', path: join(base, 'here'), mode: 'reference' };
    expect((await ownServer.api('/music-folders', { method: 'POST', body: folder })).status).toBe(201);
    expect(await setImportPath(join(base, 'here/inside'))).toEqual([
      422,
      expect.stringContaining('is inside the music folder “Here”'),
    ]);
  } finally {
    await ownServer.close();
  }
});

test('the command line lists, adds, renames, removes and restores music folders', async () => {
  const [data, firstFolder, secondFolder] = ['cli-data', 'cli-one', 'cli-two'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const [dir, title] of [
    [firstFolder, 'Larch'],
    [secondFolder, 'Spruce'],
  ] as const) {
    mkdirSync(dir);
    writeFileSync(join(dir, 'song.mp3'), Buffer.concat([id3([id3Frame('TIT2', utf8Text(title))]), silentMp3(50)]));
  }
  const runFolderCommand = async (...args: string[]) => {
    const { code, stdout, stderr } = await runServer(['folder', ...args, '--data-dir', data]);
    return { code, stderr, folders: stdout.split('\n').filter((line) => /^\d+ {2}/.test(line)) };
  };
  expect((await runFolderCommand('add', firstFolder, 'First', 'reference')).code).toBe(0);
  expect((await runFolderCommand('add', secondFolder, 'Second', 'copy')).folders).toEqual([
    `1  First  ${firstFolder}  reference`,
    `2  Second  ${secondFolder}  copy`,
  ]);
  expect((await runFolderCommand('rename', 'second', 'Other')).folders[1]).toBe(`2  Other  ${secondFolder}  copy`);
  expect((await runFolderCommand('remove', 'First')).folders[0]).toBe(`1  First  ${firstFolder}  reference  (removed)`);
  expect((await runFolderCommand('restore', '1')).folders[0]).toBe(`1  First  ${firstFolder}  reference`);
  expect((await runFolderCommand('remove', 'Nowhere')).stderr).toContain('There is no music folder "Nowhere"');
  const database = new Database(join(data, 'tonearm.db'), { readonly: true });
  expect(database.prepare('SELECT title FROM tracks ORDER BY title').pluck().all()).toEqual(['Larch', 'Spruce']);
  database.close();
});
