// Two merged tracks can be separated again: each has its previous state, with its likes, plays and playlist entries.
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TRASH_RETENTION_MS } from '../../server/library/trash/trash.ts';
import type { MergeOut, MergePage } from '../../server/library/merges/merge-wire.ts';
import type { LyricsOut, TrackOut } from '../../server/library/wire.ts';
import type { CertainOut, ReplacementOut } from '../../server/relocation/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { openMusicFolder } from '../support/music-folder.ts';
import { makeLibrary, type ExpectedFile, type Manifest } from '../support/library.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks } from '../support/served-library.ts';
import { ADMIN, registerUser, type TestServer } from '../support/server.ts';

let base: string;
let manifest: Manifest;
let songs: ExpectedFile[];
/** The same recording as MP3 and as FLAC, with the recording's id in the tags. */
let recording: { mp3: ExpectedFile; flac: ExpectedFile };
const open: TestServer[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-merges-'));
  manifest = makeLibrary(
    { tracks: 200, formats: ['mp3', 'flac'], seed: 'merges', seconds: '2', reencoded: 0.3 },
    join(base, 'all'),
  );
  const byPath = new Map(manifest.files.map((file) => [file.path, file]));
  songs = manifest.files.filter(
    (file) => file.format === 'mp3' && !file.duplicateOf && !file.sameAudioAs && file.tags?.title && file.tags.album,
  );
  const flac = manifest.files.find(
    (file) =>
      file.format === 'flac' && file.tags?.mb?.recording && byPath.get(file.sameAudioAs ?? '')?.format === 'mp3',
  ) as ExpectedFile;
  recording = { flac, mp3: byPath.get(flac.sameAudioAs as string) as ExpectedFile };
  songs = songs.filter(({ path }) => path !== recording.mp3.path);
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function openMusic(mode: 'copy' | 'reference', files: Record<string, ExpectedFile>) {
  const folder = await openMusicFolder(mkdtempSync(join(base, 'music-')), mode, manifest, files);
  const { server } = folder;
  open.push(server);
  const db = server.app.db.$client;
  const runSql = (sql: string, ...values: unknown[]): void => void db.prepare(sql).run(...values);
  runSql("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  let lastTime = 0;
  return {
    ...folder,
    /** Likes, rates, plays and edits a track. */
    async use(id: number, { rating = 0, plays = 1 } = {}): Promise<void> {
      for (let i = 0; i < plays; i++)
        runSql("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, 'x', ?)", id, ++lastTime);
      const body = { item_type: 'track', item_id: id, liked: true, ...(rating > 0 && { rating }) };
      await server.api('/likes', { method: 'POST', body });
      runSql(
        'INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)',
        ++lastTime,
        id,
      );
      runSql('INSERT OR IGNORE INTO radio_nevers (user_id, track_id, created_at) VALUES (1, ?, ?)', id, lastTime);
      runSql(
        'INSERT OR REPLACE INTO bookmarks (user_id, track_id, position_ms, created_at, updated_at) VALUES (1, ?, ?, 0, ?)',
        id,
        lastTime,
        lastTime,
      );
      await server.api(`/tracks/${id}/lyrics`, { method: 'PUT', body: { text: `Words of ${id}` } });
    },
    /** Returns all rows that a merge may change, without the times of changes. */
    state: (): Record<string, unknown> =>
      Object.fromEntries(
        [
          `SELECT id, title, artist_name, genre, year, track_number, duration_ms, size_bytes, format, source, source_id,
            storage_uri, audio_hash, content_hash, availability FROM tracks`,
          'SELECT t.id, a.title, a.year FROM tracks t JOIN albums a ON a.id = t.album_id',
          'SELECT track_id, position, credit FROM track_artists',
          'SELECT g.name, tg.track_id FROM track_genres tg JOIN genres g ON g.id = tg.genre_id',
          'SELECT id, user_id, track_id FROM plays',
          'SELECT item_id, liked, rating FROM like_states WHERE liked OR rating > 0',
          'SELECT id, playlist_id, position, track_id FROM playlist_entries',
          'SELECT user_id, track_id, position_ms FROM bookmarks',
          "SELECT item_id, plays FROM play_counts WHERE item_type = 'track'",
          'SELECT user_id, track_id, artist_id, created_at FROM radio_nevers',
          'SELECT f.track_id, f.lines, f.updated_at, t.has_lyrics FROM found_lyrics f JOIN tracks t ON t.id = f.track_id',
          'SELECT track_count, duration_ms FROM playlists',
        ].map((sql) => [
          sql,
          db
            .prepare(sql)
            .all()
            .map((row) => JSON.stringify(row))
            .toSorted(),
        ]),
      ),
    merges: async (): Promise<MergeOut[]> => (await server.api<MergePage>('/merges')).body.items,
    undo: (id: number, token?: string) =>
      server.api<TrackOut>(`/merges/${id}/undo`, { method: 'POST', ...(token && { token }) }),
    sounds: async (id: number): Promise<number> => {
      const response = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
      return (await response.arrayBuffer(), response.status);
    },
  };
}

type Music = Awaited<ReturnType<typeof openMusic>>;
const song = (n: number): ExpectedFile => songs[n] as ExpectedFile;
const albumsOf = async (server: TestServer): Promise<string[]> =>
  (await server.api<{ items: { title: string }[] }>('/albums?limit=200')).body.items.map(({ title }) => title).sort();

describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
  test('a copy that outlived its original is separated from it, and stays so', async () => {
    const music = await openMusic(mode, { 'one/a.mp3': song(0), 'two/copy.mp3': song(0), 'b.mp3': song(1) });
    retagMp3(music.at('two/copy.mp3'), { TIT2: 'The copy', TALB: 'Another album' });
    await music.scan();
    const [originalTrack, copy] = [await music.track('one/a.mp3'), await music.track('two/copy.mp3')];
    await music.use(originalTrack.id, { rating: 4, plays: 2 });
    await music.use((await music.track('b.mp3')).id);
    const stateBefore = music.state();
    rmSync(music.at('one/a.mp3'));
    await music.scan();
    expect((await allTracks(music.server)).map(({ id }) => id)).not.toContain(originalTrack.id);
    expect((await music.server.api<TrackOut>(`/tracks/${copy.id}`)).body).toMatchObject({ liked: true, play_count: 2 });
    expect(await music.merges()).toMatchObject([
      {
        id: originalTrack.id,
        title: originalTrack.title,
        reason: 'same_audio',
        merged_by_name: null,
        into: { id: copy.id },
      },
    ]);
    expect((await music.server.api<{ total: number }>('/trash')).body.total).toBe(0);

    expect(await music.undo(originalTrack.id)).toMatchObject({
      status: 200,
      body: { id: originalTrack.id, liked: true, play_count: 2 },
    });
    const stateAfter = music.state();
    for (const [table, rows] of Object.entries(stateBefore))
      expect(
        (stateAfter[table] as string[]).map((row) => row.replace('"missing"', '"available"')),
        table,
      ).toEqual(rows);
    expect(await music.sounds(originalTrack.id)).toBe(mode === 'copy' ? 200 : 410);
    await music.scan();
    await music.scan();
    expect(music.state()).toEqual(stateAfter);
    expect(await music.merges()).toEqual([]);
    expect((await music.undo(originalTrack.id)).status).toBe(404);
  });

  test('a track that took over a file gives it back, and has its own audio and tags again', async () => {
    const music = await openMusic(mode, { 'song.mp3': recording.mp3, 'b.mp3': song(1) });
    const oldTrack = await music.track('song.mp3');
    await music.use(oldTrack.id);
    const albums = await albumsOf(music.server);
    const stateBefore = music.state();
    rmSync(music.at('song.mp3'));
    music.put('better/song.flac', recording.flac);
    await music.scan();
    expect(await music.track('better/song.flac')).toMatchObject({ id: oldTrack.id, format: 'flac' });
    const [merge] = (await music.merges()) as [MergeOut];
    expect(merge).toMatchObject({ reason: 'same_music', source_id: 'better/song.flac', into: { id: oldTrack.id } });
    await music.use(oldTrack.id); // the merged track keeps this id

    const { body: undoBody } = await music.undo(merge.id);
    expect(undoBody).toMatchObject({ source_id: 'better/song.flac', format: 'flac', liked: false, play_count: 0 });
    expect(await music.sounds(undoBody.id)).toBe(200);
    const { body: restoredTrack } = await music.server.api<TrackOut>(`/tracks/${oldTrack.id}`);
    expect(restoredTrack).toMatchObject({
      title: oldTrack.title,
      format: 'mp3',
      source_id: 'song.mp3',
      liked: true,
      play_count: 2,
      availability: mode === 'copy' ? 'available' : 'missing',
    });
    expect(await music.sounds(oldTrack.id)).toBe(mode === 'copy' ? 200 : 410);
    expect(await albumsOf(music.server)).toEqual(expect.arrayContaining(albums));
    const [tracks] = Object.keys(stateBefore);
    const ofOld = (rows: unknown): string =>
      (rows as string[]).find((row) => row.startsWith(`{"id":${oldTrack.id},`))?.replace('"missing"', '"available"') ??
      '';
    expect(ofOld(music.state()[tracks as string])).toBe(ofOld(stateBefore[tracks as string]));

    const separateState = music.state();
    await music.scan();
    expect(music.state()).toEqual(separateState);
    music.put('again/song.mp3', recording.mp3); // the track's own file comes back in another place
    await music.scan();
    expect(await music.track('again/song.mp3')).toMatchObject({ id: oldTrack.id, availability: 'available' });
    expect(await music.track('better/song.flac')).toMatchObject({ id: undoBody.id });
  });

  test('when the track that took over the file is permanently deleted, the other track has existing audio', async () => {
    const music = await openMusic(mode, { 'song.mp3': recording.mp3, 'b.mp3': song(1) });
    const { id } = await music.track('song.mp3');
    rmSync(music.at('song.mp3'));
    music.put('better/song.flac', recording.flac);
    await music.scan();
    const [merge] = (await music.merges()) as [MergeOut];
    await music.server.api(`/tracks/${id}`, { method: 'DELETE' });
    await music.server.api(`/trash/${id}`, { method: 'DELETE' });
    expect((await music.undo(merge.id)).body).toMatchObject({
      id: merge.id,
      format: mode === 'copy' ? 'mp3' : 'flac', // the stored audio is kept as long as the merge can be undone
    });
    expect(await music.sounds(merge.id)).toBe(200);
  });
});

describe.each(['copy', 'reference'] as const)(
  'a separated track whose file came back before that, in %s mode',
  (mode) => {
    /** Undoes the merge of comp/b into al/a when comp/b.mp3 is back as a new track. */
    async function separate(
      back = 'comp/b.mp3',
      change: (music: Music, id: number) => Promise<unknown> = async () => {},
    ) {
      const music = await openMusic(mode, { 'al/a.mp3': song(0), 'comp/b.mp3': song(0), 'c.mp3': song(1) });
      const [a, b] = [await music.track('al/a.mp3'), await music.track('comp/b.mp3')];
      await change(music, b.id);
      await music.use(b.id, { plays: 2 });
      renameSync(music.at('comp'), join(base, `aside-${b.id}`));
      await music.scan();
      expect(await music.merges()).toMatchObject([{ id: b.id, into: { id: a.id } }]);
      rmSync(join(base, `aside-${b.id}`), { recursive: true });
      music.put(back, song(0));
      await music.scan();
      const twin = await music.track(back);
      expect(twin.id).not.toBe(b.id);
      return { music, a, b, twin };
    }
    const edit = (music: Music, id: number) =>
      music.server.api(`/tracks/${id}`, { method: 'PATCH', body: { genre: 'Polka' } });

    test('has its file again after the next scan, with its likes and plays', async () => {
      const { music, a, b, twin } = await separate('comp/b.mp3', edit);
      expect((await music.undo(b.id)).status).toBe(200);
      await music.scan();
      expect(await music.track('comp/b.mp3')).toMatchObject({
        id: b.id,
        genre: 'Polka',
        liked: true,
        play_count: 2,
        availability: 'available',
      });
      expect(await music.sounds(b.id)).toBe(200);
      expect((await allTracks(music.server)).map(({ id }) => id)).not.toContain(twin.id);
      expect(await music.track('al/a.mp3')).toMatchObject({ id: a.id, liked: false, play_count: 0 });
      const settledState = music.state();
      await music.scan();
      expect(music.state()).toEqual(settledState);
    });

    test('is merged into the track in its place if that has likes, plays or edits', async () => {
      const { music, a, b, twin } = await separate();
      await music.use(twin.id);
      expect((await music.undo(b.id)).status).toBe(200);
      await music.scan();
      expect(await music.track('comp/b.mp3')).toMatchObject({ id: twin.id, liked: true, play_count: 3 });
      expect((await allTracks(music.server)).map(({ id }) => id)).not.toContain(b.id);
      expect(await music.track('al/a.mp3')).toMatchObject({ id: a.id, play_count: 0 });
    });

    test.runIf(mode === 'reference')('has its file also when that came back elsewhere', async () => {
      const { music, b, twin } = await separate('other/b.mp3');
      expect((await music.undo(b.id)).status).toBe(200);
      await music.scan();
      expect(await music.track('other/b.mp3')).toMatchObject({ id: b.id, liked: true, play_count: 2 });
      expect((await allTracks(music.server)).map(({ id }) => id)).not.toContain(twin.id);
    });
  },
);

test('single fields edited by hand stay when the file is retagged, go into a copy that is left, and come back', async () => {
  const music = await openMusic('reference', { 'one/a.mp3': song(0), 'two/copy.mp3': song(0), 'b.mp3': song(1) });
  const [originalTrack, copy] = [await music.track('one/a.mp3'), await music.track('two/copy.mp3')];
  const edit = (id: number, body: object) => music.server.api(`/tracks/${id}`, { method: 'PATCH', body });
  const getTrack = async (id: number): Promise<TrackOut> => (await music.server.api<TrackOut>(`/tracks/${id}`)).body;
  await edit(originalTrack.id, { year: 1901, composer: 'Ann' });
  await edit(copy.id, { year: 1950 });
  retagMp3(music.at('one/a.mp3'), { TIT2: 'Another title', TCOM: 'Nobody', TCON: 'Polka' });
  await music.scan();
  const editedFields = { title: 'Another title', year: 1901, composer: 'Ann', genre: 'Polka' };
  expect(await getTrack(originalTrack.id)).toMatchObject(editedFields);

  rmSync(music.at('one/a.mp3'));
  await music.scan();
  expect(await music.merges()).toMatchObject([{ id: originalTrack.id, into: { id: copy.id } }]);
  expect(await getTrack(copy.id)).toMatchObject({ title: copy.title, year: 1950, composer: 'Ann' });
  expect((await music.undo(originalTrack.id)).body).toMatchObject(editedFields);
  expect(await getTrack(copy.id)).toMatchObject({ title: copy.title, year: 1950, composer: copy.composer });
});

describe('lyrics that a person wrote', () => {
  const lyricsOf = async ({ server }: { server: TestServer }, id: number): Promise<string | null> => {
    const { body } = await server.api<LyricsOut>(`/tracks/${id}/lyrics`);
    return body.lines?.map(({ text }) => text).join('/') ?? null;
  };
  const write = ({ server }: { server: TestServer }, id: number, text: string) =>
    server.api(`/tracks/${id}/lyrics`, { method: 'PUT', body: { text } });

  test.each(['a scan', 'a person'])(
    'go to the track that is left when two become one by %s, and come back',
    async (by) => {
      const music = await openMusic('reference', { 'a.mp3': song(0), 'copy.mp3': song(0), 'b.mp3': song(1) });
      const { server } = music;
      const [originalTrack, copy] = [await music.track('a.mp3'), await music.track('copy.mp3')];
      const ofFile = await lyricsOf(music, copy.id);
      expect((await write(music, originalTrack.id, 'La\nla')).status).toBe(200);
      const join = async (): Promise<void> => {
        if (by === 'a scan') {
          rmSync(music.at('a.mp3'));
          await music.scan();
        } else {
          const { $client } = server.app.db;
          $client.pragma('foreign_keys = OFF'); // the rows refer to fingerprints, which the tracks lack
          for (const id of [originalTrack.id, copy.id])
            $client.prepare('INSERT OR REPLACE INTO duplicate_members (group_id, track_id) VALUES (1, ?)').run(id);
          $client.pragma('foreign_keys = ON');
          await server.api('/duplicates/merge', { method: 'POST', body: { keep: copy.id, merge: [originalTrack.id] } });
        }
      };
      await join();
      expect(await music.merges()).toMatchObject([{ id: originalTrack.id, into: { id: copy.id } }]);
      expect(await lyricsOf(music, copy.id)).toBe('La/la');
      expect(await music.track('copy.mp3')).toMatchObject({ has_lyrics: true });
      expect((await music.undo(originalTrack.id)).body).toMatchObject({ has_lyrics: true });
      expect([await lyricsOf(music, originalTrack.id), await lyricsOf(music, copy.id)]).toEqual(['La/la', ofFile]);
      expect((await music.track('copy.mp3')).has_lyrics).toBe(ofFile !== null);
    },
  );

  test('stay where the track that is left has its own, also those that were written since', async () => {
    const music = await openMusic('reference', { 'a.mp3': song(0), 'copy.mp3': song(0), 'b.mp3': song(1) });
    const [originalTrack, copy] = [await music.track('a.mp3'), await music.track('copy.mp3')];
    await write(music, originalTrack.id, 'La');
    await write(music, copy.id, 'Lo');
    rmSync(music.at('a.mp3'));
    await music.scan();
    expect(await lyricsOf(music, copy.id)).toBe('Lo');
    await write(music, copy.id, 'Li');
    await music.undo(originalTrack.id);
    expect([await lyricsOf(music, originalTrack.id), await lyricsOf(music, copy.id)]).toEqual(['La', 'Li']);
  });

  test('that were removed stay removed', async () => {
    const music = await openMusic('reference', { 'a.mp3': song(0), 'copy.mp3': song(0), 'b.mp3': song(1) });
    const [originalTrack, copy] = [await music.track('a.mp3'), await music.track('copy.mp3')];
    const { $client } = music.server.app.db;
    for (const id of [originalTrack.id, copy.id])
      $client
        .prepare(`INSERT OR REPLACE INTO lyrics (track_id, synced, lines) VALUES (?, 0, '[{"text":"Wrong"}]')`)
        .run(id);
    await music.server.api(`/tracks/${originalTrack.id}/lyrics`, { method: 'DELETE' });
    rmSync(music.at('a.mp3'));
    await music.scan();
    expect(await lyricsOf(music, copy.id)).toBe(null);
    await music.undo(originalTrack.id);
    expect([await lyricsOf(music, originalTrack.id), await lyricsOf(music, copy.id)]).toEqual([null, 'Wrong']);
  });
});

test('a separated track says whether its file is there, without a scan', async () => {
  const music = await openMusic('reference', { 'a.mp3': song(0), 'copy.mp3': song(0), 'b.mp3': song(1) });
  const [originalTrack, copy] = [await music.track('a.mp3'), await music.track('copy.mp3')];
  const { $client } = music.server.app.db;
  $client.pragma('foreign_keys = OFF'); // the rows refer to fingerprints, which the tracks lack
  for (const id of [originalTrack.id, copy.id])
    $client.prepare('INSERT INTO duplicate_members (group_id, track_id) VALUES (1, ?)').run(id);
  $client.pragma('foreign_keys = ON');
  await music.server.api('/duplicates/merge', { method: 'POST', body: { keep: copy.id, merge: [originalTrack.id] } });
  rmSync(music.at('a.mp3'));
  expect((await music.undo(originalTrack.id)).body.availability).toBe('missing');
});

test('what a person says of duplicates goes to the track that is left, and back', async () => {
  const files = { 'a.mp3': song(0), 'copy.mp3': song(0), 'b.mp3': song(1), 'c.mp3': song(2) };
  const music = await openMusic('reference', files);
  const [originalTrack, copy, secondTrack, thirdTrack] = await Promise.all(Object.keys(files).map(music.track));
  const dismissals = (): unknown[] =>
    music.server.app.db.$client
      .prepare('SELECT track_id, other_id FROM duplicate_dismissals ORDER BY 1, 2')
      .raw()
      .all();
  const differ = (id = 0, ...otherTracks: (TrackOut | undefined)[]) =>
    music.server.api('/duplicates/dismiss', {
      method: 'POST',
      body: { track_id: id, other_ids: otherTracks.map((otherTrack) => otherTrack?.id) },
    });
  const pair = (...pairTracks: (TrackOut | undefined)[]): number[] =>
    pairTracks.map((pairTrack) => pairTrack?.id ?? 0).toSorted((x, y) => x - y);
  const sortPairs = (...pairs: number[][]): number[][] =>
    pairs.toSorted(([x = 0, y = 0], [z = 0, w = 0]) => x - z || y - w);
  expect((await differ(originalTrack?.id, secondTrack, thirdTrack)).status).toBeLessThan(300);
  await differ(copy?.id, thirdTrack);
  rmSync(music.at('a.mp3'));
  await music.scan();
  expect(dismissals()).toEqual(sortPairs(pair(copy, secondTrack), pair(copy, thirdTrack)));
  await music.undo(originalTrack?.id ?? 0);
  expect(dismissals()).toEqual(
    sortPairs(
      pair(originalTrack, secondTrack),
      pair(originalTrack, thirdTrack),
      pair(copy, thirdTrack),
      pair(originalTrack, copy),
    ),
  );
});

test('undoing the edits of a track that took over a file gives what that file says, and its own after a separation', async () => {
  const music = await openMusic('reference', { 'one/a.mp3': song(0), 'b.mp3': song(1) });
  const originalTrack = await music.track('one/a.mp3');
  const getOriginalTrack = async (): Promise<TrackOut> =>
    (await music.server.api<TrackOut>(`/tracks/${originalTrack.id}`)).body;
  const undoLast = async (): Promise<void> => {
    const edits = (await music.server.api<{ id: number; kind: string }[]>(`/tracks/${originalTrack.id}/edits`)).body;
    const lastEdit = edits.find(({ kind }) => kind === 'edit');
    expect(
      (await music.server.api(`/tracks/${originalTrack.id}/edits/${lastEdit?.id}/undo`, { method: 'POST' })).status,
    ).toBe(200);
  };
  await music.server.api(`/tracks/${originalTrack.id}/metadata`, { method: 'PUT', body: { title: 'Mine' } });
  music.put('two/copy.mp3', song(0));
  retagMp3(music.at('two/copy.mp3'), { TIT2: 'Another title', TPE1: 'Another artist' });
  await music.scan();
  rmSync(music.at('one/a.mp3'));
  await music.scan();
  expect(await getOriginalTrack()).toMatchObject({
    title: 'Mine',
    artist_name: originalTrack.artist_name,
    source_id: 'two/copy.mp3',
  });
  await undoLast();
  expect(await getOriginalTrack()).toMatchObject({
    title: 'Another title',
    artist_name: 'Another artist',
    metadata_status: 'pending',
  });
  await undoLast();
  const [merge] = await music.merges();
  expect((await music.undo(merge?.id ?? 0)).body).toMatchObject({ title: 'Another title' });
  expect(await getOriginalTrack()).toMatchObject({ title: 'Mine', metadata_status: 'manual', source_id: 'one/a.mp3' });
  await undoLast();
  expect(await getOriginalTrack()).toMatchObject({
    title: originalTrack.title,
    artist_name: originalTrack.artist_name,
  });
});

test('a track that took over two files gives them back in the reverse order, and each to its own track', async () => {
  const music = await openMusic('reference', { 'song.mp3': recording.mp3, 'b.mp3': song(1) });
  const { id } = await music.track('song.mp3');
  rmSync(music.at('song.mp3'));
  music.put('better/song.flac', recording.flac);
  await music.scan();
  rmSync(music.at('better/song.flac'));
  music.put('third/song.mp3', recording.mp3);
  await music.scan();
  expect(await music.track('third/song.mp3')).toMatchObject({ id });
  const [secondMerge, firstMerge] = (await music.merges()) as [MergeOut, MergeOut];
  expect([secondMerge.source_id, firstMerge.source_id]).toEqual(['third/song.mp3', 'better/song.flac']);

  const stateBefore = music.state();
  expect((await music.undo(firstMerge.id)).status).toBe(409);
  expect(music.state()).toEqual(stateBefore);
  expect((await music.undo(secondMerge.id)).body).toMatchObject({ source_id: 'third/song.mp3', format: 'mp3' });
  await music.server.app.drain(); // tracks without files are compared again
  expect((await music.undo(firstMerge.id)).body).toMatchObject({ source_id: 'better/song.flac', format: 'flac' });
  expect((await music.server.api<TrackOut>(`/tracks/${id}`)).body.source_id).toBe('song.mp3');
});

test('a merge is undone by those who may edit, while the other track is there, and within 30 days', async () => {
  const music = await openMusic('reference', { 'a.mp3': song(0), 'copy.mp3': song(0), 'b.mp3': song(1) });
  const [originalTrack, copy] = [await music.track('a.mp3'), await music.track('copy.mp3')];
  const listener = await registerUser(music.server);
  rmSync(music.at('a.mp3'));
  await music.scan();
  expect((await music.undo(originalTrack.id, listener)).status).toBe(403);
  expect((await music.server.api(`/trash/${originalTrack.id}/restore`, { method: 'POST' })).status).toBe(404);
  await music.server.api(`/tracks/${copy.id}`, { method: 'DELETE' });
  expect(await music.merges()).toMatchObject([{ id: originalTrack.id, into: null }]);
  expect((await music.undo(originalTrack.id)).status).toBe(409);
  await music.server.api(`/trash/${copy.id}/restore`, { method: 'POST' });
  expect((await music.undo(originalTrack.id)).status).toBe(200);

  const { id } = await music.track('b.mp3');
  music.put('another.mp3', song(1));
  await music.scan();
  rmSync(music.at('b.mp3'));
  await music.scan();
  expect(await music.merges()).toMatchObject([{ id }]);
  const db = music.server.app.db.$client;
  db.prepare('UPDATE trashed_tracks SET deleted_at = deleted_at - ?').run(TRASH_RETENTION_MS + 1);
  await music.server.app.trash.purgeOld();
  expect(await music.merges()).toEqual([]);
  expect((await music.undo(id)).status).toBe(404);
});

test('missing tracks say what they may have become, and those that are certain are found in one go', async () => {
  const files = { 'a.mp3': song(0), 'b.mp3': song(1), 'c.mp3': song(2), 'd.mp3': song(3) };
  const music = await openMusic('reference', files);
  const ids = await Promise.all(Object.keys(files).map(async (path) => (await music.track(path)).id));
  const [firstId, secondId, thirdId, fourthId] = ids as [number, number, number, number];
  for (const id of ids) await music.use(id);
  for (const path of Object.keys(files)) rmSync(music.at(path));
  music.put('keep.mp3', song(4));
  await music.scan();
  // adds files after the scan: the same audio for two tracks, a third track's audio twice, and similar audio
  const uploadedIds: number[] = [];
  for (const [n, name] of [0, 1, 2, 2, 3].entries()) {
    music.put(`.up/${n}.mp3`, song(name));
    retagMp3(music.at(`.up/${n}.mp3`), { COMM: `upload ${n}` });
    const form = new FormData();
    form.append('files', new Blob([readFileSync(music.at(`.up/${n}.mp3`))]), `${n}.mp3`);
    const { body } = await music.server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
    uploadedIds.push((body.items[0] as TrackOut).id);
  }
  const db = music.server.app.db.$client;
  db.prepare("UPDATE tracks SET audio_hash = 'p1:other' WHERE id = ?").run(uploadedIds[4]);
  const replacements = async (id: number) =>
    (await music.server.api<ReplacementOut[]>(`/tracks/${id}/replacements`)).body.map(
      ({ track, why, is_certain }) => [track.id, why, is_certain] as const,
    );
  expect(await replacements(firstId)).toEqual([[uploadedIds[0], 'same_audio', true]]);
  expect((await replacements(thirdId)).map(([, why, isCertain]) => [why, isCertain])).toEqual([
    ['same_audio', false],
    ['same_audio', false],
  ]);
  expect((await replacements(fourthId)).map(([, , isCertain]) => isCertain)).not.toContain(true);
  const requestCertain = (method: 'GET' | 'POST') => music.server.api<CertainOut>('/missing/certain', { method });
  expect((await requestCertain('GET')).body).toEqual({ total: 2 });
  expect((await requestCertain('POST')).body).toEqual({ total: 2 });
  expect((await requestCertain('GET')).body).toEqual({ total: 0 });
  for (const id of [firstId, secondId])
    expect((await music.server.api<TrackOut>(`/tracks/${id}`)).body).toMatchObject({
      availability: 'available',
      source: 'upload',
      liked: true,
    });
  expect((await music.merges()).map(({ reason, merged_by_name }) => [reason, merged_by_name])).toEqual([
    ['chosen', ADMIN.username],
    ['chosen', ADMIN.username],
  ]);
});
