// The identity of tracks does not depend on their paths: what happens to a track and its data when its file is renamed,
// moved, retagged, replaced, swapped, copied or lost. Every row holds after one scan and after a second one, in both
// modes. Rows share a server, each in its own folder.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { serverEntry } from '../support/bundle.ts';
import { openIdentityLibrary, type IdentityLibrary, type Mode } from '../support/identity-library.ts';
import { A, ALL, D, makeSongs, ROWS, type Part, type Row, type Songs } from '../support/identity-table.ts';
import { seenOnOtherDisk } from '../support/other-disk.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let songs: Songs;
const open: TestServer[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-identity-'));
  songs = makeSongs(join(base, 'all'));
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A row of the table that changes nothing. */
const PLAIN_ROW: Row = { what: 'nothing', change: () => {}, places: {} };

async function scan(server: TestServer): Promise<ScanResult> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

const openLibrary = (mode: Mode, rows: Row[]): Promise<IdentityLibrary> =>
  openIdentityLibrary({ base, mode, songs, rows, firstScan: async (server) => void (await scan(server)) });

interface Library extends IdentityLibrary {
  at: (path: string) => string;
  track: (path: string) => Promise<TrackOut | undefined>;
  scan: () => Promise<ScanResult>;
}

/** Opens a library whose music folder contains the files of ALL. */
async function library(mode: Mode): Promise<Library> {
  const openedLibrary = await openLibrary(mode, [PLAIN_ROW]);
  open.push(openedLibrary.server);
  return {
    ...openedLibrary,
    at: (openedLibrary.parts[0] as Part).at,
    scan: () => scan(openedLibrary.server),
    track: async (path) => (await allTracks(openedLibrary.server)).find((track) => track.source_id === path),
  };
}

const hasLaterChange = ({ later }: Row): boolean => later !== undefined;

describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
  describe.each([
    ['a change', ROWS.filter((row) => !hasLaterChange(row))],
    ['a change, a scan and another change', ROWS.filter(hasLaterChange)],
  ])('%s', (_, rows) => {
    const namedRows = rows.map((row, part) => [row.what, part] as const);
    let music: IdentityLibrary;
    let tracks: TrackOut[];
    const change = (what: 'change' | 'later'): void => music.parts.forEach((part, n) => (rows[n] as Row)[what]?.(part));

    beforeAll(async () => {
      music = await openLibrary(mode, rows);
      change('change');
      if (rows.some(hasLaterChange)) {
        await scan(music.server);
        change('later');
      }
      await scan(music.server);
      tracks = await music.tracks();
    });
    afterAll(() => music.server.close());

    test.each(namedRows)('%s', async (_title, part) => {
      expect(await music.faultsOf(part, tracks)).toEqual([]);
    });

    describe('after a second scan', () => {
      beforeAll(async () => {
        await scan(music.server);
        tracks = await music.tracks();
      });
      test.each(namedRows)('%s', async (_title, part) => {
        expect(await music.faultsOf(part, tracks)).toEqual([]);
      });
    });
  });

  test('a deleted track stays deleted when its file is renamed', async () => {
    const music = await library(mode);
    const { [A]: id } = await music.ids();
    expect((await music.server.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
    renameSync(music.at(A), music.at('One/First/renamed.mp3'));
    for (let round = 0; round < 2; round++) {
      await music.scan();
      expect(Object.keys(await music.ids())).toHaveLength(ALL.length - 1);
    }
    expect((await music.server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBe(200);
    await music.scan();
    expect(await music.ids()).toMatchObject({ 'One/First/renamed.mp3': id });
    const stream = await fetch(`${music.server.url}/stream/${id}?token=${music.server.token}`);
    expect([stream.status, (await music.track('One/First/renamed.mp3'))?.availability]).toEqual([200, 'available']);
    rmSync(music.at('One/First/renamed.mp3'));
    await music.scan();
    const expectedAvailability = mode === 'copy' ? 'available' : 'missing';
    expect((await music.track('One/First/renamed.mp3'))?.availability).toBe(expectedAvailability);
  });

  test.skipIf(process.platform === 'win32')('a copy of the music on another disk is the same music', async () => {
    const music = await library(mode);
    const ids = await music.ids();
    const folder = music.at('.');
    spawnSync('cp', ['-a', folder, `${folder}.copy`]);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}.copy`, folder);
    copyFileSync(music.at(A), music.at('One/First/again.mp3'));
    seenOnOtherDisk(music.server.app.db.$client);
    expect(await music.scan()).toMatchObject({ added: 1, changing_count: 0, updated: 0, unchanged: ALL.length });
    renameSync(music.at(A), music.at('One/First/renamed.mp3'));
    retagMp3(music.at(D), { TIT2: 'Retagged' });
    expect(await music.scan()).toMatchObject({ added: 0, changing_count: 0, updated: 1, moved: 1, missing: 0 });
    const now = await music.ids();
    expect([now['One/First/renamed.mp3'], now[D]]).toEqual([ids[A], ids[D]]);
    const numbers = music.server.app.db.$client.prepare<[string], { dev: number; ino: number; us: number }>(
      'SELECT dev, ino, ctime_us AS us FROM source_files WHERE name = ?',
    );
    const { dev, ino, ctimeMs } = statSync(music.at(D));
    expect(numbers.get(basename(D))).toEqual({ dev, ino, us: Math.round(ctimeMs * 1000) });
  });

  test('what people do while other music lies in a track’s place goes with that music when the track is back', async () => {
    const music = await library(mode);
    const { server } = music;
    const { [A]: id } = await music.ids();
    const post = (path: string, body: object) => server.api(path, { method: 'POST', body });
    const playlistId = (await server.api<{ id: number }>('/playlists', { method: 'POST', body: { name: 'Later' } }))
      .body.id;
    expect((await post('/likes', { item_type: 'track', item_id: id, liked: false })).status).toBeLessThan(300);
    renameSync(music.at(A), join(base, `${mode}-away.mp3`));
    copyFileSync((music.parts[0] as Part).song(ALL.length), music.at(A));
    await music.scan();
    const inPlace = (await music.ids())[A];
    // in copy mode the library's copy of the removed music stays a track
    expect(inPlace === id).toBe(mode === 'reference');
    await post('/likes', { item_type: 'track', item_id: inPlace, liked: true });
    await post('/history', { track_id: inPlace });
    await post(`/playlists/${playlistId}/tracks`, { track_ids: [inPlace] });
    await server.api(`/tracks/${inPlace}/lyrics`, { method: 'PUT', body: { text: 'La la la' } });
    await server.api(`/radio/never/tracks/${inPlace}`, { method: 'PUT' });
    const db = server.app.db.$client;
    db.prepare("INSERT INTO shares (id, token, user_id, created_at) VALUES (1, 'later', 1, ?)").run(Date.now());
    db.prepare('INSERT INTO share_tracks (share_id, position, track_id) VALUES (1, 0, ?)').run(inPlace);
    renameSync(join(base, `${mode}-away.mp3`), music.at('One/First/again.mp3'));
    await music.scan();
    const { 'One/First/again.mp3': ownId, [A]: otherId } = await music.ids();
    expect(ownId).toBe(id);
    const entries = (await server.api<{ items: { track: TrackOut }[] }>(`/playlists/${playlistId}/tracks`)).body.items;
    expect(entries.map(({ track }) => track.id)).toEqual([otherId]);
    const liked = (await server.api<{ items: { id: number }[] }>('/tracks?liked=true')).body.items;
    expect(liked.filter((track) => [ownId, otherId].includes(track.id)).map((track) => track.id)).toEqual([otherId]);
    const historyItems = (await server.api<{ items: { track: TrackOut }[] }>('/history')).body.items;
    expect(historyItems[0]?.track.id).toBe(otherId);
    // the plays are from before the scan
    expect(historyItems.filter(({ track }) => track.id === ownId)).toHaveLength(1);
    const lyricsOf = async (track: number | undefined) =>
      (await server.api<{ source?: string }>(`/tracks/${track}/lyrics`)).body.source === 'manual';
    expect([await lyricsOf(ownId), await lyricsOf(otherId)]).toEqual([false, true]);
    const nevers = (await server.api<{ tracks: { id: number }[] }>('/radio/never')).body.tracks;
    expect(nevers.map((track) => track.id)).toEqual([otherId]);
    const sharedTrackIds = db.prepare('SELECT track_id FROM share_tracks').pluck().all();
    expect(sharedTrackIds).toEqual([otherId]);
  });

  test('albums and artists whose files are given other names one after the other keep likes and ratings', async () => {
    const music = await library(mode);
    const name = async (TPE1: string, TALB: string) => {
      for (const [n, path] of ALL.entries()) retagMp3(music.at(path), { TIT2: `Track ${n}`, TPE1, TALB });
      await music.scan();
      const track = await music.track(A);
      return { album: track?.album_id, artist: track?.artist_id };
    };
    const firstIds = await name('An Artist', 'A Title');
    for (const item_type of ['album', 'artist'] as const) {
      const body = { item_type, item_id: firstIds[item_type], liked: true, rating: 4 };
      expect((await music.server.api('/likes', { method: 'POST', body })).status).toBe(200);
    }
    const nextIds = [await name('An Artist', 'Another Title'), await name('Another Artist', 'Another Title')];
    expect(new Set([firstIds, ...nextIds].map(({ album }) => album)).size, 'each is another album').toBe(3);
    for (const item_type of ['album', 'artist'] as const) {
      const id = nextIds.at(-1)?.[item_type];
      const { body } = await music.server.api(`/likes/state?item_type=${item_type}&item_id=${id}`);
      expect(body).toMatchObject([{ item_id: id, liked: true, rating: 4 }]);
    }
  });

  test('of files with equal audio, each title and album stays its own track when all get other names', async () => {
    const music = await library(mode);
    const titles = { 'alpha.mp3': 'Alpha', 'beta.mp3': 'Beta', 'gamma.mp3': 'Gamma' };
    for (const [name, title] of Object.entries(titles)) {
      copyFileSync(music.at(A), music.at(name));
      retagMp3(music.at(name), { TIT2: title, TPE1: 'An Artist', TALB: 'An Album' });
    }
    await music.scan();
    const idsBefore = await Promise.all(Object.keys(titles).map(async (name) => (await music.track(name))?.id));
    expect(new Set(idsBefore).size).toBe(3);
    const newNames = ['third.mp3', 'second.mp3', 'first.mp3'];
    for (const [i, name] of Object.keys(titles).entries()) {
      // the inode changes, so that only the content identifies the file
      copyFileSync(music.at(name), music.at(newNames[i] as string));
      rmSync(music.at(name));
    }
    await music.scan();
    const tracks = await Promise.all(newNames.map((name) => music.track(name)));
    expect(tracks.map((track) => [track?.id, track?.title])).toEqual(
      Object.values(titles).map((title, i) => [idsBefore[i], title]),
    );
  });

  test('manual edits survive a move and a retag', async () => {
    const music = await library(mode);
    const { [A]: id } = await music.ids();
    music.server.app.db.$client
      .prepare("UPDATE tracks SET metadata_status = 'manual', title = 'Typed' WHERE id = ?")
      .run(id);
    renameSync(music.at(A), music.at('typed.mp3'));
    retagMp3(music.at('typed.mp3'), { TIT2: 'From the file' });
    await music.scan();
    expect(await music.track('typed.mp3')).toMatchObject({ id, title: 'Typed', metadata_status: 'manual' });
  });
});

/** Scans as another user if the test runs as root, whom permissions do not restrict. Returns the output. */
async function scanWithoutRights(music: Library): Promise<string> {
  if (process.getuid?.() !== 0) return JSON.stringify(await music.scan());
  await music.server.app.close();
  open.splice(open.indexOf(music.server), 1);
  const { dir } = music.server;
  const ownedPaths = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name));
  chmodSync(music.folder, 0o755);
  for (const path of [base, dir, ...ownedPaths]) chownSync(path, 65_534, 65_534);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [serverEntry(), 'scan', music.folder, '--data-dir', dir],
    {
      uid: 65_534,
      gid: 65_534,
      encoding: 'utf8',
      env: { ...process.env, HOME: base, LOCAL_MEDIA_IMPORT_MODE: 'reference', NODE_DISABLE_COMPILE_CACHE: '1' },
    },
  );
  expect([status, stderr.split('\n').filter((line) => line.startsWith('tonearm:'))]).toEqual([0, []]);
  music.server = await startServer({
    dir,
    env: { LOCAL_MEDIA_IMPORT_PATH: music.folder, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
  open.push(music.server);
  return stdout;
}

test('a file that could not be opened is read when it can be, though it did not change', async () => {
  const music = await library('reference');
  const previousIds = await music.ids();
  utimesSync(music.at(A), 1_700_000_000, 1_700_000_000);
  chmodSync(music.at(A), 0o000);
  expect(await scanWithoutRights(music)).toContain('permission denied');
  chmodSync(music.at(A), 0o644);
  await scan(music.server);
  const track = (await allTracks(music.server)).find(({ source_id }) => source_id === A);
  expect(track).toMatchObject({ id: previousIds[A], availability: 'available' });
  const { $client } = music.server.app.db;
  const states = $client.prepare("SELECT DISTINCT state FROM source_files WHERE name LIKE '%.mp3'").pluck().all();
  expect(states).toEqual(['track']);
});

test('tracks in an unreadable folder stay available, and are not taken for moved', async () => {
  const music = await library('reference');
  const previousIds = await music.ids();
  copyFileSync(music.at(D), music.at('copy-of-delta.mp3'));
  const lockedFolder = music.at('Two');
  chmodSync(lockedFolder, 0o000);
  const scanOutput = await scanWithoutRights(music);
  chmodSync(lockedFolder, 0o755);
  if (process.getuid?.() === 0)
    expect(scanOutput).toContain('Two/: the folder cannot be listed (permission denied); its tracks stay as they are');
  const tracks = await allTracks(music.server);
  const laterIds = Object.fromEntries(tracks.map((track) => [track.source_id, track.id]));
  expect(laterIds).toMatchObject(previousIds);
  expect(Object.values(previousIds)).not.toContain(laterIds['copy-of-delta.mp3']);
  expect(new Set(tracks.map((track) => track.availability))).toEqual(new Set(['available']));
});
