// An export: files by name, playlists that refer to them, and the data of all users.
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
let folder: string;
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
  folder = join(base, 'export');
  mkdirSync(folder);
  await awkwardNames();
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
  result = (await exported(folder)).result as ExportResult;
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

/** Two tracks with the same name on one album, and one with names that are invalid on every system. */
async function awkwardNames(): Promise<void> {
  const [one, two, three] = await allTracks(server);
  const same = { title: 'Same: "Song"?', artist: 'CON', album: '..', year: 2001, track_number: 1 };
  for (const track of [one, two]) await server.api(`/tracks/${track?.id}/metadata`, { method: 'PUT', body: same });
  await server.api(`/tracks/${three?.id}/metadata`, {
    method: 'PUT',
    body: { ...same, title: 'same: "song"?', album: '../../../etc' },
  });
}

async function exported(to: string): Promise<JobOut> {
  const { body } = await server.api<JobOut>('/exports', { method: 'POST', body: { folder: to } });
  await server.app.drain();
  return (await server.api<JobOut>(`/jobs/${body.id}`)).body;
}

const json = (name: string): Record<string, unknown>[] =>
  JSON.parse(readFileSync(join(folder, 'data', name), 'utf8')) as Record<string, unknown>[];

describe('an export', () => {
  it('has every track with audio once, byte for byte, under a name that is valid on every system', () => {
    expect(result).toMatchObject({ tracks: tracks.length, written: tracks.length, without_audio: 0, problems: [] });
    const listed = json('tracks.json');
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(tracks.map(({ id }) => id)));
    const hashes = filesIn(folder);
    for (const { path, content_hash: hash } of listed) {
      expect(hashes[String(path)]).toBe(hash);
      for (const part of String(path).split('/'))
        expect(part).toMatch(
          /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))(?![. ])[^<>:"/\\|?*\u0000-\u001f]{1,130}(?<![. ])$/i,
        );
    }
    expect(Object.keys(hashes).filter((name) => name.startsWith('Music/'))).toHaveLength(tracks.length);
    expect(new Set(listed.map(({ path }) => String(path).toLowerCase())).size).toBe(tracks.length);
    const pair = readdirSync(join(folder, 'Music', '_CON')).flatMap((album) =>
      readdirSync(join(folder, 'Music', '_CON', album)),
    );
    expect(pair.map((name) => name.replace(/\.\w+$/, '')).sort()).toEqual([
      '01 Same_ _Song__',
      '01 Same_ _Song__ (2)',
      '01 same_ _song__',
    ]);
  });

  it('has playlists that refer to the files, including smart ones', () => {
    const list = join(folder, 'Playlists', 'admin', 'Road_ _1_2_.m3u8');
    const lines = readFileSync(list, 'utf8').split('\n');
    expect(lines.slice(0, 2)).toEqual(['#EXTM3U', '#PLAYLIST:Road: "1/2"']);
    const places = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(places).toHaveLength(8);
    for (const place of places) expect(statSync(join(dirname(list), place)).isFile()).toBe(true);
    expect(readdirSync(join(folder, 'Playlists', 'listener'))).toEqual(['Loud.m3u8']);
    expect(result.playlists).toBe(2);
  });

  it('has the data of users as JSON: likes, ratings, plays, playlists with every version', () => {
    expect(json('users.json').map(({ username }) => username)).toEqual(['admin', 'listener']);
    expect(json('likes.json')).toHaveLength(12);
    expect(json('ratings.json').filter(({ rating }) => rating === 5)).toHaveLength(2);
    expect(json('plays.json')[0]).toMatchObject({
      username: 'listener',
      played_at: '2026-01-01T00:00:00.000Z',
      played_ms: 200_000,
    });
    const [road = {}, loud, gone] = json('playlists.json');
    expect(road).toMatchObject({ owner: 'admin', name: 'Road: "1/2"', version: 3, deleted_at: null });
    expect((road['versions'] as { change: string }[]).map(({ change }) => change)).toEqual(['create', 'add', 'remove']);
    expect([
      (road['entries'] as unknown[]).length,
      (road['past_entries'] as { until_version: number }[]).map(({ until_version }) => until_version),
    ]).toEqual([8, [3]]);
    expect(loud).toMatchObject({ owner: 'listener', rules: { all: [{ field: 'year' }] } });
    expect(gone?.['deleted_at']).not.toBeNull();
    const albums = new Map(json('albums.json').map((album) => [album['id'], album]));
    for (const track of json('tracks.json'))
      expect(albums.get(track['album_id'])?.['title'] ?? null).toBe(track['album_title']);
    expect(json('artists.json').map(({ name }) => name)).toContain('CON');
    expect(json('bookmarks.json')).toMatchObject([
      { track_id: tracks[0]?.id, bookmarks: [{ username: 'admin', position_ms: 61_000, comment: 'here' }] },
    ]);
    expect(json('radio.json')).toMatchObject([{ name: 'Night waves', stream_url: 'https://radio.example/night' }]);
    expect(readFileSync(join(folder, 'data', 'users.json'), 'utf8')).not.toMatch(/password|argon/);
  });

  it('writes only missing and changed files when it is repeated', async () => {
    const [first = '', second = ''] = Object.keys(filesIn(join(folder, 'Music')));
    rmSync(join(folder, 'Music', first));
    truncateSync(join(folder, 'Music', second), 10);
    writeFileSync(join(folder, 'Music', 'mine.txt'), 'stays');
    const before = readFileSync(join(folder, 'data', 'tracks.json'), 'utf8');
    expect((await exported(folder)).result).toMatchObject({ tracks: tracks.length, written: 2 });
    expect(readFileSync(join(folder, 'data', 'tracks.json'), 'utf8')).toBe(before);
    const hashes = filesIn(folder);
    for (const { path, content_hash: hash } of json('tracks.json')) expect(hashes[String(path)]).toBe(hash);
    expect(readFileSync(join(folder, 'Music', 'mine.txt'), 'utf8')).toBe('stays');
    expect(Object.keys(hashes).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is for administrators, and not possible into a folder on a missing disk or the library itself', async () => {
    const listener = await registerUser(server, 'another');
    expect((await server.api('/exports', { method: 'POST', body: { folder }, token: listener })).status).toBe(403);
    const relative = await server.api('/exports', { method: 'POST', body: { folder: 'nowhere' } });
    expect([relative.status, relative.text]).toEqual([422, expect.stringContaining('must be an absolute path')]);
    expect(
      (await server.api('/exports', { method: 'POST', body: { folder: join(base, 'no disk', 'music') } })).text,
    ).toMatch(/no disk\/music does not exist. Create it, or connect its disk/);
    writeFileSync(join(base, 'a file'), '');
    expect((await server.api('/exports', { method: 'POST', body: { folder: join(base, 'a file') } })).text).toMatch(
      /a file is a file, not a folder/,
    );
    for (const own of ['data', 'data/library', 'data/new', 'music'].map((name) => join(base, name)))
      expect((await server.api('/exports', { method: 'POST', body: { folder: own } })).status).toBe(409);
  });

  it('works from the command line, and makes the folder', async () => {
    const place = join(base, 'from-the-command-line');
    await server.close();
    const { code, stdout } = await runServer(['export', place, '--data-dir', join(base, 'data')]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Exported ${tracks.length} tracks and 2 playlists`)]);
    const files = filesIn(folder);
    for (const [name, hash] of Object.entries(filesIn(place)))
      if (name.startsWith('Music/')) expect(files[name]).toBe(hash);
    server = await startServer({ dir: join(base, 'data') });
  });
});
