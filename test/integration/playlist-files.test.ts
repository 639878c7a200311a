// Playlist files in music folders: scans make playlists of them, which follow their files until a person changes them.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { PlaylistOut, PlaylistPage, PlaylistVersionPage, UnmatchedLinePage } from '../../server/playlists/wire.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let base: string;
let music: string;
let server: TestServer;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-lists-'));
  music = join(base, 'music');
  mkdirSync(music);
  writeFolderLibrary(music);
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(env: Record<string, string> = {}): Promise<void> {
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference', ...env },
  });
}

async function scan(): Promise<ScanResult> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(music, path)), { recursive: true });
  writeFileSync(join(music, path), text);
}

const list = async (token = server.token): Promise<PlaylistOut[]> =>
  (await server.api<PlaylistPage>('/playlists', { token })).body.items;
const get = async (id: number): Promise<PlaylistOut> => (await server.api<PlaylistOut>(`/playlists/${id}`)).body;
const titlesOf = ({ entries = [] }: PlaylistOut): string[] => entries.map(({ track }) => track.title);

/** Returns the only playlist, with its entries. */
async function only(): Promise<PlaylistOut> {
  const playlists = await list();
  expect(playlists.map(({ name }) => name)).toHaveLength(1);
  return get(playlists[0]?.id as number);
}

describe.each(['reference', 'copy'])('in %s mode', (mode) => {
  test('a file makes a playlist, and a changed file makes a new version of it', async () => {
    write('Lists/Evening.m3u', '../The Quays/Nets/01 Mesh.flac\n../Mixed/One.flac\n../Nobody/Nothing.flac\n');
    await open({ LOCAL_MEDIA_IMPORT_MODE: mode });
    expect(await scan()).toMatchObject({ playlists: 1, skipped: [] });
    const playlist = await only();
    expect(playlist).toMatchObject({
      name: 'Evening',
      is_public: true,
      version: 1,
      file: { path: 'Lists/Evening.m3u', state: 'follows', is_gone: false, fault: null, unmatched_count: 1 },
      unmatched: [{ line: 3, text: '../Nobody/Nothing.flac', reason: 'no matching file or title in the library' }],
    });
    expect(titlesOf(playlist)).toEqual(['Mesh', 'One']);
    expect(await scan()).toMatchObject({ playlists: 0 });

    write('Lists/Evening.m3u', '#EXTM3U\n#PLAYLIST:Late\n../Mixed/One.flac\n../Mixed/Two.flac\n');
    expect(await scan()).toMatchObject({ playlists: 1 });
    const changed = await only();
    expect(changed).toMatchObject({ id: playlist.id, name: 'Late', version: 2, unmatched: [] });
    expect(titlesOf(changed)).toEqual(['One', 'Two']);
    const versions = (await server.api<PlaylistVersionPage>(`/playlists/${playlist.id}/versions`)).body.items;
    expect(versions.map(({ change, user_name }) => [change, user_name])).toEqual([
      ['file', null],
      ['file', null],
    ]);

    write('Lists/Evening.m3u', '/home/ann/secret.flac\n');
    await scan();
    const token = await registerUser(server, 'Bela');
    const seen = (await server.api<PlaylistOut>(`/playlists/${playlist.id}`, { token })).body;
    expect([seen.file?.unmatched_count, seen.unmatched]).toEqual([1, []]);
  });
});

test('a line without a track gets it when the music arrives, at its place in the file', async () => {
  write('list.m3u8', 'Mixed/One.flac\nLater/Late.flac\nMixed/Two.flac\n');
  await open();
  await scan();
  const { id } = await only();
  writeFolderLibrary(music, { 'Later/Late.flac': { ARTIST: 'Ada', TITLE: 'Late' } }, 100);
  await scan();
  const playlist = await only();
  expect([playlist.id, titlesOf(playlist), playlist.file?.unmatched_count]).toEqual([id, ['One', 'Late', 'Two'], 0]);
  expect(playlist.file?.state).toBe('follows');
});

test('a change by a person ends following, and the person can choose to follow again', async () => {
  write('list.m3u8', 'Mixed/One.flac\nMixed/Two.flac\n');
  await open();
  await scan();
  const { id, entries = [] } = await only();
  await server.api(`/playlists/${id}`, { method: 'PATCH', body: { name: 'Mine' } });
  expect((await get(id)).file?.state).toBe('follows');
  await server.api(`/playlists/${id}/entries/${entries[0]?.entry_id}`, { method: 'DELETE' });
  expect((await get(id)).file?.state).toBe('edited');
  write('list.m3u8', 'Mixed/Two.flac\nMixed/One.flac\nat the top.flac\n');
  await scan();
  expect(titlesOf(await get(id))).toEqual(['Two']);

  const { status } = await server.api(`/playlists/${id}/follow-file`, { method: 'POST' });
  expect(status).toBe(200);
  const followed = await get(id);
  expect([followed.name, followed.file?.state, titlesOf(followed)]).toEqual(['Mine', 'follows', ['Two', 'One', 'Top']]);

  await server.api(`/playlists/${id}/follow-file`, { method: 'DELETE' });
  write('list.m3u8', 'Mixed/Two.flac\n');
  await scan();
  expect([(await get(id)).file?.state, (await get(id)).track_count]).toEqual(['stopped', 3]);
});

test('a moved file stays the same playlist, and a removed one leaves its playlist', async () => {
  write('list.m3u8', 'Mixed/One.flac\n');
  await open();
  await scan();
  const { id } = await only();
  mkdirSync(join(music, 'Lists'));
  renameSync(join(music, 'list.m3u8'), join(music, 'Lists/renamed.m3u8'));
  await scan();
  expect(await only()).toMatchObject({ id, file: { path: 'Lists/renamed.m3u8', is_gone: false, state: 'follows' } });
  rmSync(join(music, 'Lists/renamed.m3u8'));
  await scan();
  expect(await only()).toMatchObject({ id, track_count: 1, file: { is_gone: true, state: 'follows' } });
  expect((await server.api(`/playlists/${id}/follow-file`, { method: 'POST' })).status).toBe(409);
  write('Lists/renamed.m3u8', 'Mixed/One.flac\nMixed/Two.flac\n');
  await scan();
  expect(await only()).toMatchObject({ id, track_count: 2, file: { is_gone: false } });
});

test('a deleted playlist stays deleted until its file changes', async () => {
  write('list.m3u8', 'Mixed/One.flac\n');
  await open();
  await scan();
  const { id } = await only();
  await server.api(`/playlists/${id}`, { method: 'DELETE' });
  await scan();
  expect(await list()).toEqual([]);
  await server.api(`/playlists/${id}?forever=true`, { method: 'DELETE' });
  await scan();
  expect(await list()).toEqual([]);
  write('list.m3u8', 'Mixed/One.flac\nMixed/Two.flac\n');
  await scan();
  expect(await only()).toMatchObject({ track_count: 2 });
});

test('smart playlists of Navidrome become smart playlists; rules that do not exist here are named', async () => {
  const nsp = (rules: object): string => JSON.stringify({ name: 'Jazz', comment: 'all of it', ...rules });
  write('jazz.nsp', `// made by hand\n${nsp({ all: [{ is: { genre: 'Jazz' } }, { is: { library_id: 2 } }] })}`);
  write('broken.nsp', '{"all": [');
  await open();
  const { skipped } = await scan();
  expect(skipped.map(({ source_id }) => source_id)).toEqual(['jazz.nsp', 'broken.nsp'].sort());
  const playlist = await only();
  expect(playlist).toMatchObject({ name: 'Jazz', description: 'all of it', is_smart: true });
  expect(playlist.file?.fault).toContain('{"is":{"library_id":2}}');
  expect(titlesOf(playlist)).toEqual(['Mesh']);
  expect((await scan()).skipped).toEqual([]);

  write('jazz.nsp', nsp({ all: [{ contains: { title: 't' } }], sort: 'title', limit: 2 }));
  await scan();
  const changed = await get(playlist.id);
  expect([changed.version, changed.file, titlesOf(changed)]).toEqual([
    2,
    expect.objectContaining({ state: 'follows', fault: null }),
    ['High Tide', 'Low Tide'],
  ]);
});

test('settings say whether files are read, whose the playlists are, and who sees them', async () => {
  write('list.m3u8', 'Mixed/One.flac\n');
  await open();
  const otherToken = await registerUser(server, 'Bela');
  const change = async (settings: object) =>
    expect((await server.api('/settings', { method: 'PATCH', body: settings })).status).toBe(200);
  await change({ playlist_files: false });
  expect((await scan()).skipped).toEqual([{ source_id: 'list.m3u8', reason: 'not audio' }]);
  expect(await list()).toEqual([]);
  await change({ playlist_files: true, playlist_files_owner: 'bela', playlist_files_public: false });
  await scan();
  expect(await list()).toEqual([]);
  expect((await list(otherToken)).map(({ name, owner_name }) => [name, owner_name])).toEqual([['list', 'Bela']]);
});

test('files that are ignored, too large, empty or of radio stations make no playlist', async () => {
  write('hidden/list.m3u8', 'x.flac\n');
  write('hidden/.ignore', '');
  write('empty.m3u', '');
  write('header.m3u', '#EXTM3U\n');
  write('radio.pls', '[playlist]\nFile1=http://radio.example/x\n');
  write('Mixed/00-mixed.m3u', 'One.flac\nTwo.flac\n');
  write('Mixed/Various - Mixed.m3u', 'One.flac\nTwo.flac\n');
  write('large.m3u', `#EXTM3U\n${'x'.repeat(11 * 2 ** 20)}`);
  await open();
  const { skipped } = await scan();
  expect(await list()).toEqual([]);
  expect(Object.fromEntries(skipped.map(({ source_id, reason }) => [source_id, reason]))).toEqual({
    'Mixed/00-mixed.m3u': 'the list of the tracks in its own folder',
    'Mixed/Various - Mixed.m3u': 'the list of the tracks in its own folder',
    'empty.m3u': 'the playlist cannot be used: it has no tracks',
    'header.m3u': 'a playlist without tracks',
    'large.m3u': 'the playlist has more than 10 MB',
    'radio.pls': 'a list of web addresses; add them as internet radio stations',
  });
});

test('a deleted track leaves a line without a track, which finds the track when it is restored', async () => {
  write('list.m3u8', 'Mixed/One.flac\nMixed/Two.flac\n');
  await open();
  await scan();
  const { id } = await only();
  const track = (await allTracks(server)).find(({ title }) => title === 'One');
  await server.api(`/tracks/${track?.id}`, { method: 'DELETE' });
  const { body } = await server.api<UnmatchedLinePage>(`/playlists/${id}/unmatched`);
  expect([body.total, body.items[0]?.text]).toEqual([1, 'Mixed/One.flac']);
  expect((await get(id)).file?.state).toBe('follows');
});

test('a line that got another track keeps it when the deleted track is restored', async () => {
  writeFolderLibrary(music, { 'Copies/Mixed/One.flac': { ARTIST: 'Ada', TITLE: 'Copy' } }, 200);
  write('list.m3u8', 'Mixed/One.flac\nMixed/Two.flac\n');
  await open();
  await scan();
  const { id, entries = [] } = await only();
  const track = entries[0]?.track.id;
  await server.api(`/tracks/${track}`, { method: 'DELETE' });
  await server.app.drain();
  writeFolderLibrary(music, { 'Later/Late.flac': { ARTIST: 'Ada', TITLE: 'Late' } }, 100);
  await scan();
  expect(titlesOf(await get(id))).toEqual(['Copy', 'Two']);
  await server.api(`/trash/${track}/restore`, { method: 'POST' });
  await new Promise(setImmediate);
  await server.app.drain();
  expect(await get(id)).toMatchObject({ track_count: 2, file: { state: 'follows' } });
  expect(titlesOf(await get(id))).toEqual(['Copy', 'Two']);
});

test('lines name tracks of other music folders, in other case, with another mount point and extension', async () => {
  const vinyl = join(base, 'vinyl');
  writeFolderLibrary(vinyl, { 'Zoë/Night/01 Moon.flac': { ARTIST: 'Zoë', TITLE: 'Moon' } }, 50);
  write(
    'Lists/all.m3u',
    [
      'THE QUAYS/nets/01 mesh.FLAC',
      '/volume1/music/The Quays/Harbour/CD2/01 Ebb.mp3',
      'D:\\Music\\Mora Lind\\Alone\\02 Together.wma',
      '../Mixed/Two.ogg',
      join(vinyl, 'Zoë/Night/01 Moon.flac'),
      '../../vinyl/Zoë/Night/01 Moon.flac',
      'Zoe\u0308/Night/01 Moon.flac',
      '#EXTINF:10,Ada - Sun',
      'somewhere/track 7.mp3',
    ].join('\n'),
  );
  await open();
  await server.api('/music-folders', { method: 'POST', body: { name: 'Vinyl', path: vinyl, mode: 'reference' } });
  await server.app.drain();
  await scan();
  const playlist = await only();
  expect(playlist.unmatched).toEqual([]);
  expect(titlesOf(playlist)).toEqual(['Mesh', 'Ebb', 'Together', 'Two', 'Moon', 'Moon', 'Moon', 'Sun']);
});

test('an ambiguous line has no track, and says why', async () => {
  writeFolderLibrary(music, { 'Other/Mixed/One.flac': { ARTIST: 'Ada', ALBUM: 'Again', TITLE: 'One' } }, 60);
  write('Lists/list.m3u8', 'x/Mixed/One.flac\n#EXTINF:1,Ada - One\nnothing.mp3\n');
  await open();
  await scan();
  expect((await only()).unmatched?.map(({ line, reason }) => [line, reason])).toEqual([
    [1, 'several files in the library have this name'],
    [3, 'no matching file or title in the library'],
  ]);
});

test('a moved track stays in a playlist whose file still has its former path', async () => {
  write('list.m3u8', 'Mixed/One.flac\nMixed/Two.flac\n');
  await open();
  await scan();
  mkdirSync(join(music, 'Sorted'));
  renameSync(join(music, 'Mixed/One.flac'), join(music, 'Sorted/First.flac'));
  await scan();
  write('list.m3u8', 'at the top.flac\nMixed/One.flac\n');
  await scan();
  expect(titlesOf(await only())).toEqual(['Top', 'One']);
});

describe('a folder for playlists', () => {
  let target: string;
  beforeEach(() => {
    target = join(base, 'lists');
    mkdirSync(target);
  });

  const openWriting = async (): Promise<void> => {
    server = await startServer({
      env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference', PLAYLIST_EXPORT_PATH: target },
      playlistQuietMs: 0,
    });
  };
  const readWritten = (path: string): string | undefined => {
    try {
      return readFileSync(join(target, path), 'utf8');
    } catch {
      return undefined;
    }
  };
  const settled = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });
  const create = async (name: string, titles: string[]): Promise<PlaylistOut> => {
    const tracks = await allTracks(server);
    const track_ids = titles.map((title) => tracks.find((track) => track.title === title)?.id);
    return (await server.api<PlaylistOut>('/playlists', { method: 'POST', body: { name, track_ids } })).body;
  };

  test('holds all playlists with paths that lead to the music, and follows changes', async () => {
    await openWriting();
    await scan();
    const { id } = await create('Evening: late', ['Mesh', 'One']);
    const owner = (await list())[0]?.owner_name ?? '';
    const path = join(owner, 'Evening_ late.m3u8');
    await settled(() => readWritten(path)).toContain('../../music/The Quays/Nets/01 Mesh.flac\n');
    for (const line of (readWritten(path) ?? '').split('\n').filter((text) => text !== '' && !text.startsWith('#')))
      expect(existsSync(join(target, owner, line))).toBe(true);

    await server.api(`/playlists/${id}`, { method: 'PATCH', body: { name: 'Morning' } });
    await settled(() => [readWritten(path), readWritten(join(owner, 'Morning.m3u8'))?.includes('Mesh')]).toEqual([
      undefined,
      true,
    ]);
    await create('Morning', ['Two']);
    await settled(() => readWritten(join(owner, 'Morning (2).m3u8'))).toContain('Two');
    await server.api(`/playlists/${id}`, { method: 'DELETE' });
    await settled(() => readWritten(join(owner, 'Morning.m3u8'))).toBeUndefined();
    expect(readdirSync(join(target, owner))).toEqual(['Morning (2).m3u8']);
  });

  test('holds playlists that are made while others are written', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `List ${n}`);
    names.forEach((name, n) => write(`${name}.m3u8`, 'Mixed/One.flac\n'.repeat(n + 1)));
    await openWriting();
    await scan();
    await settled(() => readdirSync(target, { recursive: true }).length).toBe(names.length + 1);
  });

  test('keeps files that somebody else made or changed, and says so', async () => {
    await openWriting();
    await scan();
    const owner = (await server.api<{ user: { username: string } }>('/auth/me')).body.user?.username ?? 'admin';
    mkdirSync(join(target, owner), { recursive: true });
    writeFileSync(join(target, owner, 'Mine.m3u8'), 'by hand');
    await create('Mine', ['One']);
    const { id } = await create('Ours', ['One']);
    await settled(() => readWritten(join(owner, 'Ours.m3u8'))).toContain('One');
    writeFileSync(join(target, owner, 'Ours.m3u8'), 'changed by hand');
    const track = (await allTracks(server)).find(({ title }) => title === 'Two');
    await server.api(`/playlists/${id}/tracks/${track?.id}`, { method: 'POST' });
    const reasons = async () => {
      await server.app.drain();
      const { items } = (await server.api<{ items: JobOut[] }>('/jobs?task=write_playlists&limit=1')).body;
      return (items[0]?.result as { left?: { path: string; reason: string }[] } | null)?.left
        ?.map(({ reason }) => reason)
        .sort();
    };
    await expect
      .poll(reasons, { timeout: 20_000 })
      .toEqual([
        'a file of somebody else has this name; rename or delete it, and it will be written again',
        'somebody changed the file; rename or delete it, and it will be written again',
      ]);
    expect([readWritten(join(owner, 'Mine.m3u8')), readWritten(join(owner, 'Ours.m3u8'))]).toEqual([
      'by hand',
      'changed by hand',
    ]);
  });

  test('is refused inside a music folder and inside the data folder', async () => {
    await open();
    mkdirSync(join(music, 'lists'));
    const set = async (path: string) =>
      (await server.api('/settings', { method: 'PATCH', body: { playlist_export_path: path } })).text;
    expect(await set(join(music, 'lists'))).toContain('is inside a music folder');
    expect(await set(server.dir)).toContain('is inside Tonearm’s own data folder');
    expect(await set('lists')).toContain('must be an absolute path');
    expect(await set(join(base, 'nothing'))).toContain('does not exist');
    expect((await server.api('/settings', { method: 'PATCH', body: { playlist_export_path: target } })).status).toBe(
      200,
    );
  });

  test('written files are never playlists of their own, by whatever path a scan reaches them', async () => {
    await openWriting();
    await scan();
    const { owner_name: owner } = await create('Evening', ['Mesh']);
    await settled(() => readWritten(join(owner, 'Evening.m3u8'))).toContain('Mesh');
    // as through another mount of the same folder
    write(`lists/${owner}/Evening.m3u8`, readWritten(join(owner, 'Evening.m3u8')) ?? '');
    const { skipped } = await scan();
    expect((await list()).map(({ name }) => name)).toEqual(['Evening']);
    expect(skipped).toMatchObject([{ reason: 'a playlist that Tonearm wrote' }]);
  });

  test('the folder of an account is not written inside a music folder or through a link', async () => {
    target = base;
    await openWriting();
    await scan();
    const token = await registerUser(server, 'music');
    await server.api('/playlists', { method: 'POST', token, body: { name: 'Hidden' } });
    const { owner_name: owner } = await create('Evening', ['Mesh']);
    await settled(() => readWritten(join(owner, 'Evening.m3u8'))).toContain('Mesh');
    expect(readdirSync(music).filter((name) => name.endsWith('.m3u8'))).toEqual([]);
    const { items } = (await server.api<{ items: JobOut[] }>('/jobs?task=write_playlists&limit=1')).body;
    expect(items[0]?.result).toMatchObject({ left: [{ path: 'music/Hidden.m3u8' }] });
  });

  test('paths lead to the music where the folder is a link', async () => {
    const deepFolder = join(base, 'a/b/c');
    mkdirSync(deepFolder, { recursive: true });
    rmdirSync(target);
    symlinkSync(deepFolder, target);
    await openWriting();
    await scan();
    const { owner_name: owner } = await create('Evening', ['Mesh']);
    await settled(() => readWritten(join(owner, 'Evening.m3u8'))).toContain('Mesh');
    const path = (readWritten(join(owner, 'Evening.m3u8')) ?? '').split('\n').find((line) => /^[^#]/.test(line));
    expect(existsSync(join(realpathSync(target), owner, path ?? ''))).toBe(true);
  });
});
