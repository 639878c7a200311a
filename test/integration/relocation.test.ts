// Missing tracks: a user relocates or deletes them, and later scans respect that.
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ReplacementOut } from '../../server/relocation/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { LikeState } from '../../server/likes/wire.ts';
import { openMusicFolder, type MusicFolder } from '../support/music-folder.ts';
import { makeLibrary, type ExpectedFile, type Manifest } from '../support/library.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks, totalOf } from '../support/served-library.ts';
import { registerUser, type Answer, type TestServer } from '../support/server.ts';

let base: string;
let manifest: Manifest;
let mp3s: ExpectedFile[];
const open: TestServer[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-relocate-'));
  manifest = makeLibrary({ tracks: 160, seed: 'relocate', seconds: '2', reencoded: 0.5 }, join(base, 'all'));
  mp3s = manifest.files.filter(
    (file) => file.format === 'mp3' && !file.duplicateOf && !file.sameAudioAs && file.tags?.title,
  );
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Library extends MusicFolder {
  getTrack: (id: number) => Promise<Answer<TrackOut>>;
  candidates: (id: number) => Promise<{ why: string; path: string }[]>;
  relocate: (id: number, track_id: unknown) => Promise<Answer<TrackOut>>;
}

async function library(
  files: Record<string, ExpectedFile>,
  mode: 'copy' | 'reference' = 'reference',
): Promise<Library> {
  const folder = await openMusicFolder(mkdtempSync(join(base, 'music-')), mode, manifest, files);
  const { server } = folder;
  open.push(server);
  return {
    ...folder,
    getTrack: (id) => server.api<TrackOut>(`/tracks/${id}`),
    candidates: async (id) =>
      (await server.api<ReplacementOut[]>(`/tracks/${id}/replacements`)).body.map(({ track, why }) => ({
        why,
        path: track.source_id,
      })),
    relocate: (id, track_id) => server.api<TrackOut>(`/tracks/${id}/relocate`, { method: 'POST', body: { track_id } }),
  };
}

const [SAME, OTHER] = [0, 1].map((index) => () => mp3s[index] as ExpectedFile) as [
  () => ExpectedFile,
  () => ExpectedFile,
];

/** Opens a library with two missing encodings of one recording, and one new file that could be either. */
async function openAmbiguous(): Promise<Library & { a: TrackOut; b: TrackOut; newTrack: TrackOut }> {
  const music = await library({ 'One/a.mp3': SAME(), 'One/b.mp3': SAME(), 'One/c.mp3': OTHER() });
  const [a, b] = [await music.track('One/a.mp3'), await music.track('One/b.mp3')];
  // the files now look as if they had had other bytes
  music.server.app.db.$client.prepare("UPDATE tracks SET audio_hash = 'p1:' || id WHERE id IN (?, ?)").run(a.id, b.id);
  copyFileSync(music.at('One/a.mp3'), music.at('found.mp3'));
  rmSync(music.at('One/a.mp3'));
  rmSync(music.at('One/b.mp3'));
  await music.scan();
  return { ...music, a, b, newTrack: await music.track('found.mp3') };
}

const sounds = async ({ server }: Library, id: number): Promise<number> => {
  const answer = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
  return (await answer.arrayBuffer(), answer.status);
};
const paths = async ({ server }: Library): Promise<string[]> =>
  (await allTracks(server)).map((track) => `${track.source_id} ${track.availability}`).sort();

describe('a case that scans do not decide', () => {
  test('is decided by hand, permanently', async () => {
    const music = await openAmbiguous();
    const { a, b, newTrack, scan } = music;
    expect(await music.candidates(a.id)).toEqual([{ why: 'same_recording', path: 'found.mp3' }]);
    const { status, body } = await music.relocate(a.id, newTrack.id);
    expect([status, body]).toMatchObject([
      200,
      {
        id: a.id,
        source: 'local_folder',
        source_id: 'found.mp3',
        storage_uri: 'file:found.mp3',
        availability: 'available',
        title: a.title,
      },
    ]);
    expect([await sounds(music, a.id), await sounds(music, b.id)]).toEqual([200, 410]);
    expect((await music.getTrack(newTrack.id)).status).toBe(404);
    for (let round = 0; round < 2; round++) {
      expect(await scan()).toMatchObject({ added: 0, updated: 0, moved: 0, missing: 0, failed: [] });
      expect(await paths(music)).toEqual(['One/b.mp3 missing', 'One/c.mp3 available', 'found.mp3 available']);
      expect((await music.track('found.mp3')).id).toBe(a.id);
    }
  });

  test('the track follows its file from then on: rename, retag, deletion and return', async () => {
    const music = await openAmbiguous();
    const { a, newTrack, scan, at } = music;
    await music.relocate(a.id, newTrack.id);
    renameSync(at('found.mp3'), at('One/renamed.mp3'));
    await scan();
    expect(await music.track('One/renamed.mp3')).toMatchObject({ id: a.id, availability: 'available' });
    retagMp3(at('One/renamed.mp3'), { TIT2: 'New name', TPE1: 'New artist' });
    await scan();
    expect((await music.getTrack(a.id)).body).toMatchObject({ title: 'New name', artist_name: 'New artist' });
    renameSync(at('One/renamed.mp3'), `${at('')}-away`);
    await scan();
    expect((await music.getTrack(a.id)).body.availability).toBe('missing');
    renameSync(`${at('')}-away`, at('One/renamed.mp3'));
    await scan();
    expect((await music.getTrack(a.id)).body).toMatchObject({
      availability: 'available',
      source_id: 'One/renamed.mp3',
    });
  });

  test('a file that reappears at the track’s old path is a new track', async () => {
    const music = await openAmbiguous();
    const { a, b, newTrack, scan } = music;
    await music.relocate(a.id, newTrack.id);
    music.put('One/a.mp3', OTHER());
    expect(await scan()).toMatchObject({ added: 1 });
    await scan();
    expect(await paths(music)).toEqual([
      'One/a.mp3 available',
      'One/b.mp3 missing',
      'One/c.mp3 available',
      'found.mp3 available',
    ]);
    expect([a.id, b.id]).not.toContain((await music.track('One/a.mp3')).id);
  });

  test('manual edits stay', async () => {
    const music = await openAmbiguous();
    music.server.app.db.$client
      .prepare("UPDATE tracks SET metadata_status = 'manual', title = 'Typed' WHERE id = ?")
      .run(music.a.id);
    await music.relocate(music.a.id, music.newTrack.id);
    await music.scan();
    expect((await music.getTrack(music.a.id)).body).toMatchObject({
      title: 'Typed',
      metadata_status: 'manual',
      availability: 'available',
    });
  });
});

test('the data of both is on the track, for every account', async () => {
  const music = await openAmbiguous();
  const { server, a, newTrack } = music;
  const listener = await registerUser(server);
  const like = (item_id: number, token: string, rating: number) =>
    server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id, liked: true, rating }, token });
  await like(a.id, server.token, 2);
  await like(newTrack.id, server.token, 4);
  await like(newTrack.id, listener, 5);
  const db = server.app.db.$client;
  db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  for (const [user, id, at] of [
    [1, a.id, 10],
    [1, newTrack.id, 20],
    [2, newTrack.id, 30],
  ]) {
    db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (?, ?, 'x', ?)").run(user, id, at);
  }
  for (const [position, id] of [a.id, newTrack.id].entries())
    db.prepare('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)').run(
      position,
      id,
    );

  expect((await music.relocate(a.id, newTrack.id)).body).toMatchObject({
    liked: true,
    play_count: 2,
    last_played_at: new Date(20).toISOString(),
  });
  const listenerTrack = await server.api<TrackOut>(`/tracks/${a.id}`, { token: listener });
  expect(listenerTrack.body).toMatchObject({ liked: true, play_count: 1, last_played_at: new Date(30).toISOString() });
  const ratings = await Promise.all(
    [server.token, listener].map(
      async (token) =>
        (await server.api<LikeState[]>(`/likes/state?item_type=track&item_id=${a.id}`, { token })).body[0]?.rating,
    ),
  );
  expect(ratings).toEqual([2, 5]);
  expect(db.prepare('SELECT position, track_id FROM playlist_entries ORDER BY id').all()).toEqual([
    { position: 0, track_id: a.id },
    { position: 1, track_id: a.id },
  ]);
  expect(db.prepare('SELECT DISTINCT track_id FROM plays').all()).toEqual([{ track_id: a.id }]);
});

describe('candidates', () => {
  test('are sorted by quality: the same audio, the same recording, the same name', async () => {
    const otherFile = manifest.files.find((file) => file.sameAudioAs && file.tags?.mb?.recording) as ExpectedFile;
    const original = manifest.files.find((file) => file.path === otherFile.sameAudioAs) as ExpectedFile;
    const [from, betterPath] = [`song.${original.format}`, `better.${otherFile.format}`];
    const music = await library({
      [from]: original,
      [`twin.${original.format}`]: original,
      [betterPath]: otherFile,
      'other.mp3': OTHER(),
      'named.mp3': OTHER(),
    });
    const id = (await music.track(from)).id;
    const db = music.server.app.db.$client;
    const { title, artist_name } = await music.track(from);
    retagMp3(music.at('named.mp3'), { TIT2: title.toUpperCase(), TPE1: artist_name as string });
    await music.scan();
    rmSync(music.at(from));
    expect(await sounds(music, id)).toBe(410); // the scan that merges tracks with the same audio comes later
    expect(await music.candidates(id)).toEqual([
      { why: 'same_audio', path: `twin.${original.format}` },
      { why: 'same_recording', path: betterPath },
      { why: 'same_name', path: 'named.mp3' },
    ]);
    db.prepare("UPDATE tracks SET duration_ms = duration_ms + 60000 WHERE source_id = 'named.mp3'").run();
    expect((await music.candidates(id)).map(({ why }) => why)).toEqual(['same_audio', 'same_recording']);
    expect((await music.relocate(id, (await music.track(betterPath)).id)).body).toMatchObject({
      id,
      format: otherFile.format,
      title,
      source_id: betterPath,
    });
    await music.scan();
    expect(await music.track(betterPath)).toMatchObject({ id, availability: 'available' });
  });

  test('are only playable tracks, and at most twenty', async () => {
    const music = await library(Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`${i}.mp3`, SAME()])));
    const id = (await music.track('0.mp3')).id;
    for (const path of ['0.mp3', '1.mp3', '2.mp3']) {
      const { id: missingId } = await music.track(path);
      rmSync(music.at(path));
      expect(await sounds(music, missingId)).toBe(410);
    }
    const candidates = await music.candidates(id);
    expect(candidates).toHaveLength(20);
    expect(candidates.map(({ path }) => path)).not.toContain('1.mp3');
  });

  test('there may be none', async () => {
    const music = await library({ 'a.mp3': SAME(), 'b.mp3': OTHER() });
    const { id } = await music.track('a.mp3');
    rmSync(music.at('a.mp3'));
    await music.scan();
    expect(await music.candidates(id)).toEqual([]);
  });
});

describe('rejected requests change nothing', () => {
  test.each([
    ['a track that is not missing', 409, ({ newTrack, b }) => [newTrack.id, b.id]],
    ['a track with itself', 409, ({ a }) => [a.id, a.id]],
    ['another one that is missing too', 409, ({ a, b }) => [a.id, b.id]],
    ['a track that is not there', 404, ({ newTrack }) => [9_999, newTrack.id]],
    ['another one that is not there', 404, ({ a }) => [a.id, 9_999]],
    ['no id', 422, ({ a }) => [a.id, 'x']],
  ] satisfies [string, number, (tracks: { a: TrackOut; b: TrackOut; newTrack: TrackOut }) => [number, unknown]][])(
    '%s',
    async (_, status, pick) => {
      const music = await openAmbiguous();
      const previousPaths = await paths(music);
      expect((await music.relocate(...(pick(music) as [number, number]))).status).toBe(status);
      expect(await paths(music)).toEqual(previousPaths);
    },
  );

  test('candidates for a track that is not missing, or unknown', async () => {
    const music = await library({ 'a.mp3': SAME() });
    const { id } = await music.track('a.mp3');
    expect((await music.server.api(`/tracks/${id}/replacements`)).body).toEqual([]);
    expect((await music.server.api('/tracks/9999/replacements')).status).toBe(404);
  });
});

test('in copy mode a track whose stored audio is lost gets another object, which is kept', async () => {
  const music = await library({ 'a.mp3': SAME(), 'b.mp3': OTHER() }, 'copy');
  const [a, b] = [await music.track('a.mp3'), await music.track('b.mp3')];
  rmSync(music.at('a.mp3')); // otherwise the track would be repaired from this file
  rmSync(join(music.server.dir, 'library', (a.storage_uri as string).slice('local:'.length)));
  expect(await sounds(music, a.id)).toBe(410);
  expect((await music.getTrack(a.id)).body.availability).toBe('missing');
  expect((await music.relocate(a.id, b.id)).body).toMatchObject({
    id: a.id,
    title: a.title,
    storage_uri: b.storage_uri,
    availability: 'available',
  });
  expect(await sounds(music, a.id)).toBe(200);
  await music.scan();
  expect(await sounds(music, a.id)).toBe(200);
});

test('a file that was missing when it was played is back with the next scan', async () => {
  const music = await library({ 'One/a.mp3': SAME(), 'One/b.mp3': OTHER() });
  const { id } = await music.track('One/a.mp3');
  renameSync(music.at('One/a.mp3'), `${music.at('')}-away`);
  expect(await sounds(music, id)).toBe(410);
  expect((await music.getTrack(id)).body.availability).toBe('missing');
  renameSync(`${music.at('')}-away`, music.at('One/a.mp3'));
  expect(await music.scan()).toMatchObject({ added: 0, restored: 1 });
  expect((await music.getTrack(id)).body.availability).toBe('available');
});

describe('a missing track that a user deletes', () => {
  test('is deleted with its empty album and artist, and stays deleted when its file is back', async () => {
    const music = await library({ 'One/a.mp3': SAME(), 'One/b.mp3': OTHER() });
    const { id } = await music.track('One/a.mp3');
    renameSync(music.at('One/a.mp3'), `${music.at('')}-away`);
    await music.scan();
    expect((await music.server.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
    for (let round = 0; round < 2; round++) {
      await music.scan();
      expect(await paths(music)).toEqual(['One/b.mp3 available']);
    }
    renameSync(`${music.at('')}-away`, music.at('One/a.mp3'));
    for (let round = 0; round < 2; round++) {
      expect(await music.scan()).toMatchObject({ added: 0, restored: 0 });
      expect(await paths(music)).toEqual(['One/b.mp3 available']);
    }
    expect(await totalOf(music.server, '/artists')).toBeLessThanOrEqual(2);
  });

  test('comes back only when the user asks for it', async () => {
    const music = await library({ 'One/a.mp3': SAME(), 'One/b.mp3': OTHER() });
    const { id } = await music.track('One/a.mp3');
    renameSync(music.at('One/a.mp3'), `${music.at('')}-away`);
    await music.scan();
    await music.server.api(`/tracks/${id}`, { method: 'DELETE' });
    renameSync(`${music.at('')}-away`, music.at('One/a.mp3'));
    await music.server.api('/sources/local_folder/scan?restore=true', { method: 'POST' });
    await music.server.app.drain();
    expect(await paths(music)).toEqual(['One/a.mp3 available', 'One/b.mp3 available']);
  });
});
