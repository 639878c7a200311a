// An export contains readable file names, playlists that refer to the files, and the data of all users.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportResult } from '../../server/backup/wire.ts';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { bookmarks, radioStations } from '../../server/db/schema.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { filesIn, livelyServer } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let base: string;
let exportDir: string;
let server: TestServer;
let tracks: TrackOut[];
let result: ExportResult;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-export-'));
  const music = makeLibrary(
    { tracks: 30, seed: 'export', messy: 0.1, seconds: '1', art: 'none' },
    join(base, 'music'),
  ).dir;
  server = await livelyServer({ music, dir: join(base, 'data') });
  exportDir = join(base, 'export');
  mkdirSync(exportDir);
  await makeAwkwardNames();
  tracks = await allTracks(server);
  server.app.db
    .insert(bookmarks)
    .values({
      userId: 1 as UserId,
      trackId: tracks[0]?.id as TrackId,
      positionMs: 61_000,
      comment: 'here',
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .run();
  server.app.db
    .insert(radioStations)
    .values({ name: 'Night waves', streamUrl: 'https://radio.example/night', createdAt: new Date() })
    .run();
  result = (await exportTo(exportDir)).result as ExportResult;
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

/** Gives two tracks the same name on one album, and one track names that are invalid on every system. */
async function makeAwkwardNames(): Promise<void> {
  const [firstTrack, secondTrack, thirdTrack] = await allTracks(server);
  const sameNames = { title: 'Same: "Song"?', artist: 'CON', album: '..', year: 2001, track_number: 1 };
  for (const track of [firstTrack, secondTrack])
    await server.api(`/tracks/${track?.id}/metadata`, { method: 'PUT', body: sameNames });
  await server.api(`/tracks/${thirdTrack?.id}/metadata`, {
    method: 'PUT',
    body: { ...sameNames, title: 'same: "song"?', album: '../../../etc' },
  });
}

async function exportTo(targetDir: string): Promise<JobOut> {
  const { body } = await server.api<JobOut>('/exports', { method: 'POST', body: { folder: targetDir } });
  await server.app.drain();
  return (await server.api<JobOut>(`/jobs/${body.id}`)).body;
}

const readExportedJson = (name: string): Record<string, unknown>[] =>
  JSON.parse(readFileSync(join(exportDir, 'data', name), 'utf8')) as Record<string, unknown>[];

describe('an export', () => {
  it('has every track with audio once, byte for byte, under a name that is valid on every system', () => {
    expect(result).toMatchObject({ tracks: tracks.length, written: tracks.length, without_audio: 0, problems: [] });
    const exportedTracks = readExportedJson('tracks.json');
    expect(new Set(exportedTracks.map(({ id }) => id))).toEqual(new Set(tracks.map(({ id }) => id)));
    const hashes = filesIn(exportDir);
    for (const { path, content_hash: hash } of exportedTracks) {
      expect(hashes[String(path)]).toBe(hash);
      for (const part of String(path).split('/'))
        expect(part).toMatch(
          /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))(?![. ])[^<>:"/\\|?*\u0000-\u001f]{1,130}(?<![. ])$/i,
        );
    }
    expect(Object.keys(hashes).filter((name) => name.startsWith('Music/'))).toHaveLength(tracks.length);
    expect(new Set(exportedTracks.map(({ path }) => String(path).toLowerCase())).size).toBe(tracks.length);
    const fileNames = readdirSync(join(exportDir, 'Music', '_CON')).flatMap((album) =>
      readdirSync(join(exportDir, 'Music', '_CON', album)),
    );
    expect(fileNames.map((name) => name.replace(/\.\w+$/, '')).sort()).toEqual([
      '01 Same_ _Song__',
      '01 Same_ _Song__ (2)',
      '01 same_ _song__',
    ]);
  });

  it('has playlists that refer to the files, including smart ones', () => {
    const list = join(exportDir, 'Playlists', 'admin', 'Road_ _1_2_.m3u8');
    const lines = readFileSync(list, 'utf8').split('\n');
    expect(lines.slice(0, 2)).toEqual(['#EXTM3U', '#PLAYLIST:Road: "1/2"']);
    const entries = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(entries).toHaveLength(8);
    for (const entry of entries) expect(statSync(join(dirname(list), entry)).isFile()).toBe(true);
    expect(readdirSync(join(exportDir, 'Playlists', 'listener'))).toEqual(['Loud.m3u8']);
    expect(result.playlists).toBe(2);
  });

  it('has the data of users as JSON: likes, ratings, plays, playlists with every version', () => {
    expect(readExportedJson('users.json').map(({ username }) => username)).toEqual(['admin', 'listener']);
    expect(readExportedJson('likes.json')).toHaveLength(12);
    expect(readExportedJson('ratings.json').filter(({ rating }) => rating === 5)).toHaveLength(2);
    expect(readExportedJson('plays.json')[0]).toMatchObject({
      username: 'listener',
      played_at: '2026-01-01T00:00:00.000Z',
      played_ms: 200_000,
    });
    const [roadPlaylist = {}, loudPlaylist, deletedPlaylist] = readExportedJson('playlists.json');
    expect(roadPlaylist).toMatchObject({ owner: 'admin', name: 'Road: "1/2"', version: 3, deleted_at: null });
    expect((roadPlaylist['versions'] as { change: string }[]).map(({ change }) => change)).toEqual([
      'create',
      'add',
      'remove',
    ]);
    expect([
      (roadPlaylist['entries'] as unknown[]).length,
      (roadPlaylist['past_entries'] as { until_version: number }[]).map(({ until_version }) => until_version),
    ]).toEqual([8, [3]]);
    expect(loudPlaylist).toMatchObject({ owner: 'listener', rules: { all: [{ field: 'year' }] } });
    expect(deletedPlaylist?.['deleted_at']).not.toBeNull();
    const albums = new Map(readExportedJson('albums.json').map((album) => [album['id'], album]));
    for (const track of readExportedJson('tracks.json'))
      expect(albums.get(track['album_id'])?.['title'] ?? null).toBe(track['album_title']);
    expect(readExportedJson('artists.json').map(({ name }) => name)).toContain('CON');
    expect(readExportedJson('bookmarks.json')).toMatchObject([
      { track_id: tracks[0]?.id, bookmarks: [{ username: 'admin', position_ms: 61_000, comment: 'here' }] },
    ]);
    expect(readExportedJson('radio.json')).toMatchObject([
      { name: 'Night waves', stream_url: 'https://radio.example/night' },
    ]);
    expect(readFileSync(join(exportDir, 'data', 'users.json'), 'utf8')).not.toMatch(/password|argon/);
  });

  it('writes only missing and changed files when it is repeated', async () => {
    const [removedName = '', truncatedName = ''] = Object.keys(filesIn(join(exportDir, 'Music')));
    rmSync(join(exportDir, 'Music', removedName));
    truncateSync(join(exportDir, 'Music', truncatedName), 10);
    writeFileSync(join(exportDir, 'Music', 'mine.txt'), 'stays');
    const previousTracks = readFileSync(join(exportDir, 'data', 'tracks.json'), 'utf8');
    expect((await exportTo(exportDir)).result).toMatchObject({ tracks: tracks.length, written: 2 });
    expect(readFileSync(join(exportDir, 'data', 'tracks.json'), 'utf8')).toBe(previousTracks);
    const hashes = filesIn(exportDir);
    for (const { path, content_hash: hash } of readExportedJson('tracks.json')) expect(hashes[String(path)]).toBe(hash);
    expect(readFileSync(join(exportDir, 'Music', 'mine.txt'), 'utf8')).toBe('stays');
    expect(Object.keys(hashes).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is for administrators, and not possible into a folder on a missing disk or the library itself', async () => {
    const listenerToken = await registerUser(server, 'another');
    expect(
      (await server.api('/exports', { method: 'POST', body: { folder: exportDir }, token: listenerToken })).status,
    ).toBe(403);
    const relativeResponse = await server.api('/exports', { method: 'POST', body: { folder: 'nowhere' } });
    expect([relativeResponse.status, relativeResponse.text]).toEqual([
      422,
      expect.stringContaining('must be an absolute path'),
    ]);
    expect(
      (await server.api('/exports', { method: 'POST', body: { folder: join(base, 'no disk', 'music') } })).text,
    ).toMatch(/no disk\/music does not exist. Create it, or connect its disk/);
    writeFileSync(join(base, 'a file'), '');
    expect((await server.api('/exports', { method: 'POST', body: { folder: join(base, 'a file') } })).text).toMatch(
      /a file is a file, not a folder/,
    );
    for (const ownFolder of ['data', 'data/library', 'data/new', 'music'].map((name) => join(base, name)))
      expect((await server.api('/exports', { method: 'POST', body: { folder: ownFolder } })).status).toBe(409);
  });

  it('works from the command line, and makes the folder', async () => {
    const targetDir = join(base, 'from-the-command-line');
    await server.close();
    const { code, stdout } = await runServer(['export', targetDir, '--data-dir', join(base, 'data')]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Exported ${tracks.length} tracks and 2 playlists`)]);
    const files = filesIn(exportDir);
    for (const [name, hash] of Object.entries(filesIn(targetDir)))
      if (name.startsWith('Music/')) expect(files[name]).toBe(hash);
    server = await startServer({ dir: join(base, 'data') });
  });
});
