// What people and other programs do while playlist files are read: nothing of it is lost.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlaylistFiles } from '../../server/playlist-files/service.ts';
import { createFileMatcher } from '../../server/playlists/file-match.ts';
import { createPlaylistService } from '../../server/playlists/service.ts';
import { createSongMatcher } from '../../server/playlists/song-match.ts';
import type { PlaylistOut, PlaylistPage } from '../../server/playlists/wire.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let music: string;
let server: TestServer;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-lists-meanwhile-'));
  music = join(base, 'music');
  mkdirSync(music);
  writeFolderLibrary(music);
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const write = (text: string): void => writeFileSync(join(music, 'list.m3u8'), text);
const list = async (): Promise<PlaylistOut[]> => (await server.api<PlaylistPage>('/playlists')).body.items;
const get = async (id: number): Promise<PlaylistOut> => (await server.api<PlaylistOut>(`/playlists/${id}`)).body;
const titlesOf = ({ entries = [] }: PlaylistOut): string[] => entries.map(({ track }) => track.title);
async function scan(): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}
/** Makes the playlist of the file. */
async function makePlaylist(text: string): Promise<PlaylistOut> {
  write(text);
  await scan();
  return get((await list())[0]?.id as number);
}

type Parts = Pick<Parameters<typeof createPlaylistFiles>[0], 'matcher' | 'playlists'>;
/** Reads the changed files as a scan does, with parts of the server that a test changes. */
function followWith(changeParts: (parts: Parts) => Partial<Parts>): Promise<unknown> {
  const { db, settings, musicFolders, library } = server.app;
  const songs = createSongMatcher({ db });
  const matcher = createFileMatcher({ db, songs, folders: musicFolders.list });
  const playlists = createPlaylistService({
    db,
    now: () => new Date(),
    library,
    songs,
    events: { publish: () => {} },
    smart: { find: () => Promise.reject(new Error('there are no smart playlists here')) },
  });
  const parts = { matcher, playlists };
  return createPlaylistFiles({ db, settings, musicFolders, ...parts, ...changeParts(parts) }).follow();
}
/** Reads the changed files; `act` runs when their lines have been matched. */
const followWhile = (act: () => Promise<unknown>): Promise<unknown> =>
  followWith(({ matcher }) => ({
    matcher: {
      ...matcher,
      async matchLines(entries) {
        const matches = await matcher.matchLines(entries);
        await act();
        return matches;
      },
    },
  }));
/** Marks the file as changed, as the walk of a scan does. */
const noteChange = (): unknown => server.app.db.$client.exec('UPDATE playlist_files SET is_pending = 1');

test('a playlist that a person changes while its file is read keeps the change', async () => {
  const { id, entries = [] } = await makePlaylist('Mixed/One.flac\nMixed/Two.flac\n');
  write('Mixed/Two.flac\nMixed/One.flac\nat the top.flac\n');
  noteChange();
  await followWhile(() => server.api(`/playlists/${id}/entries/${entries[0]?.entry_id}`, { method: 'DELETE' }));
  const playlist = await get(id);
  expect([titlesOf(playlist), playlist.file?.state]).toEqual([['Two'], 'edited']);
});

test('a playlist that a person deletes while its file is read stays deleted', async () => {
  const { id } = await makePlaylist('Mixed/One.flac\n');
  write('Mixed/Two.flac\n');
  noteChange();
  await followWhile(() => server.api(`/playlists/${id}`, { method: 'DELETE' }));
  expect(await list()).toEqual([]);
});

test('a playlist that a person stops from following while its file is read stays as it is', async () => {
  const { id } = await makePlaylist('Mixed/One.flac\n');
  write('Mixed/Two.flac\n');
  noteChange();
  await followWhile(() => server.api(`/playlists/${id}/follow-file`, { method: 'DELETE' }));
  expect(titlesOf(await get(id))).toEqual(['One']);
});

/** Notes a new file, as the walk of a scan does. */
function noteNewFile(text: string): void {
  write(text);
  server.app.db.$client.exec(
    "INSERT INTO playlist_files (path, size_bytes, mtime_us, dev, ino) VALUES ('list.m3u8', 1, 1, 1, 1)",
  );
}

test('a file that a scan sees change while it is read is read again', async () => {
  const { id } = await makePlaylist('Mixed/One.flac\n');
  write('Mixed/Two.flac\n');
  noteChange();
  await followWhile(() => {
    write('at the top.flac\n');
    return scan();
  });
  await scan();
  expect(titlesOf(await get(id))).toEqual(['Top']);
});

test('a track that is deleted while the file of a new playlist is read is left out at the next scan', async () => {
  await scan();
  const id = (await allTracks(server)).find(({ title }) => title === 'One')?.id;
  noteNewFile('Mixed/One.flac\nMixed/Two.flac\n');
  await followWhile(() => server.api(`/tracks/${id}`, { method: 'DELETE' }));
  expect(await list()).toEqual([]);
  await followWith(() => ({}));
  expect((await list()).map(({ track_count }) => track_count)).toEqual([1]);
});

test('a new playlist of which a part was written before an interruption is completed', async () => {
  await scan();
  noteNewFile('Mixed/One.flac\nMixed/Two.flac\n');
  const interrupted = followWith(({ playlists }) => ({
    playlists: {
      ...playlists,
      async create(userId, contents, ...rest) {
        await playlists.create(userId, { ...contents, trackIds: contents.trackIds?.slice(0, 1) ?? [] }, ...rest);
        throw new Error('the server stopped');
      },
    },
  }));
  await expect(interrupted).rejects.toThrow('stopped');
  await followWith(() => ({}));
  const playlists = await list();
  expect(playlists.map(({ name }) => name)).toEqual(['list']);
  const playlist = await get(playlists[0]?.id as number);
  expect([titlesOf(playlist), playlist.file?.state]).toEqual([['One', 'Two'], 'follows']);
});
