// Duplicates are found by fingerprint among files of other formats and bit rates, but not among other music. They are
// merged, or marked as different.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type { DuplicateGroupOut } from '../../server/enrichment/duplicate-wire.ts';
import { findFingerprint, storeFingerprint } from '../../server/enrichment/fingerprints.ts';
import type { Paged } from '../../server/http/paging.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { Fingerprinter } from '../../server/media/fingerprint.ts';
import { fingerprinterWith, neverAborted } from '../support/fingerprints.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { encodeMusic, writeMusic, type Encoding } from '../support/music.ts';
import { seededRandom } from '../support/test-random.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { retagMp3 } from '../support/retag.ts';
import { silence } from '../support/silence.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { toolOrWarn } from '../support/tools.ts';

const PIECE_SECONDS = 14;
const ffmpeg = toolOrWarn('ffmpeg', 'duplicates across formats are');

describe.runIf(ffmpeg)('in a library of real files', () => {
  let base: string;
  let fingerprinter: Fingerprinter;
  const openServers: TestServer[] = [];

  /** Makes the file of a piece in an encoding, unless it exists; returns its path. */
  const makeMusicFile = (seed: number, encoding: Encoding): string => {
    const [wav, path] = [join(base, `${seed}.wav`), join(base, `${seed}.${encoding}`)];
    if (!existsSync(wav)) writeMusic(wav, { seed, seconds: PIECE_SECONDS });
    if (!existsSync(path))
      encodeMusic(wav, path, encoding, { title: `Piece ${seed}`, artist: 'The Quays', album: `Album of ${encoding}` });
    return path;
  };

  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-duplicates-'));
    fingerprinter = fingerprinterWith(['fpcalc', 'ffmpeg']);
  });
  afterEach(async () => {
    for (const server of openServers.splice(0)) await server.close();
  });
  afterAll(async () => {
    await fingerprinter.close();
    rmSync(base, { recursive: true, force: true });
  });

  async function scan(server: TestServer): Promise<ScanResult> {
    const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    return (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body.result;
  }

  /** Starts a server with these files in its music folder, scanned and fingerprinted. */
  async function openScannedLibrary(
    mode: 'copy' | 'reference',
    files: Record<string, [seed: number, encoding: Encoding]>,
  ) {
    const folder = mkdtempSync(join(base, 'music-'));
    for (const [path, [seed, encoding]] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      copyFileSync(makeMusicFile(seed, encoding), join(folder, path));
    }
    const server = await startServer({
      env: {
        LOCAL_MEDIA_IMPORT_PATH: folder,
        LOCAL_MEDIA_IMPORT_MODE: mode,
        FPID_ENABLED: 'false',
        MUSICBRAINZ_ENABLED: 'false',
        COVERART_ENABLED: 'false',
      },
    });
    openServers.push(server);
    await scan(server);
    const tracks = await allTracks(server);
    for (const track of tracks) {
      const sound = await fingerprinter.fingerprint(
        {
          path: join(folder, track.source_id),
          format: track.format as string,
          durationMs: track.duration_ms as number,
        },
        neverAborted,
      );
      storeFingerprint(server.app.db, track.id as TrackId, sound, new Date());
    }
    return {
      server,
      folder,
      id: (path: string): number => tracks.find((track) => track.source_id === path)?.id as number,
    };
  }

  const listGroups = async (server: TestServer, query = ''): Promise<Paged<DuplicateGroupOut>> =>
    (await server.api<Paged<DuplicateGroupOut>>(`/duplicates${query}`)).body;
  const groupIds = (page: Paged<DuplicateGroupOut>): number[][] =>
    page.items.map(({ tracks }) => tracks.map(({ id }) => id)).toSorted((a, b) => (a[0] as number) - (b[0] as number));
  const post = (server: TestServer, path: string, body: unknown, token?: string) =>
    server.api<TrackOut & { detail: string }>(path, { method: 'POST', body, ...(token !== undefined && { token }) });

  test('the same music is one group in any format and bit rate, and other music is in none', async () => {
    const { server, id } = await openScannedLibrary('reference', {
      '1.mp3': [1, 'mp3'],
      '1 low.mp3': [1, 'mp3-64'],
      '1.flac': [1, 'flac'],
      '1.ogg': [1, 'ogg'],
      '1.opus': [1, 'opus'],
      '1.m4a': [1, 'm4a'],
      '2.mp3': [2, 'mp3'],
      '2.flac': [2, 'flac'],
      '3.mp3': [3, 'mp3'],
      '4.mp3': [4, 'mp3'],
      '5.flac': [5, 'flac'],
    });
    const page = await listGroups(server);
    expect(page).toMatchObject({ total: 2, limit: 50, offset: 0 });
    expect(groupIds(page).map((ids) => ids.toSorted((a, b) => a - b))).toEqual(
      [
        ['1.mp3', '1 low.mp3', '1.flac', '1.ogg', '1.opus', '1.m4a'].map(id).toSorted((a, b) => a - b),
        ['2.mp3', '2.flac'].map(id).toSorted((a, b) => a - b),
      ].toSorted((a, b) => (a[0] as number) - (b[0] as number)),
    );
    const largestGroup = page.items.find(({ tracks }) => tracks.length === 6) as DuplicateGroupOut;
    expect([largestGroup.keep_id, largestGroup.keep_reason]).toEqual([id('1.flac'), 'lossless']);
    expect(largestGroup.similarity).toBeGreaterThan(0.95);
    expect(new Set(largestGroup.tracks.map(({ format }) => format))).toEqual(
      new Set(['flac', 'm4a', 'mp3', 'ogg', 'opus']),
    );
    expect(largestGroup.spare_bytes).toBe(
      largestGroup.tracks.reduce((sum, track) => sum + (track.format === 'flac' ? 0 : (track.size_bytes ?? 0)), 0),
    );
    expect(groupIds(await listGroups(server, '?limit=1&offset=1'))).toHaveLength(1);
    expect((await listGroups(server, '?limit=1&offset=2')).items).toEqual([]);
  });

  describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
    test('merging keeps one track, with the data of the others, and no scan brings these back', async () => {
      const { server, folder, id } = await openScannedLibrary(mode, {
        'a/1.mp3': [1, 'mp3'],
        'b/1.flac': [1, 'flac'],
        'c/1.opus': [1, 'opus'],
        '2.mp3': [2, 'mp3'],
      });
      const [mp3, flac, opus] = ['a/1.mp3', 'b/1.flac', 'c/1.opus'].map(id) as [number, number, number];
      const listenerToken = await registerUser(server);
      const db = server.app.db.$client;
      expect(
        (await post(server, '/likes', { item_type: 'track', item_id: mp3, liked: true, rating: 4 }, listenerToken))
          .status,
      ).toBe(200);
      for (const [n, track] of [mp3, mp3, opus].entries())
        expect(
          (
            await post(server, '/history', {
              track_id: track,
              played_at: new Date(Date.UTC(2026, 0, n + 1)).toISOString(),
            })
          ).status,
        ).toBe(201);
      db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
      for (const track of [mp3, opus])
        db.prepare('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)').run(
          track,
          track,
        );
      const storedFileCount =
        mode === 'copy'
          ? readdirSync(join(server.dir, 'library', 'audio'), { recursive: true }).filter((name) =>
              String(name).includes('.'),
            ).length
          : 0;

      const refusedResponse = await post(
        server,
        '/duplicates/merge',
        { keep: flac, merge: [mp3, opus] },
        listenerToken,
      );
      expect(refusedResponse.status).toBe(403);
      db.exec('UPDATE users SET can_edit = 1');
      const response = await post(server, '/duplicates/merge', { keep: flac, merge: [mp3, opus] }, listenerToken);
      expect([response.status, response.body.id, response.body.liked, response.body.format]).toEqual([
        200,
        flac,
        true,
        'flac',
      ]);
      expect((await server.api<TrackOut>(`/tracks/${flac}`)).body).toMatchObject({ play_count: 3, liked: false });
      expect(db.prepare('SELECT track_id FROM plays').pluck().all()).toEqual([flac, flac, flac]);
      expect(db.prepare('SELECT track_id FROM playlist_entries').pluck().all()).toEqual([flac, flac]);
      for (const mergedId of [mp3, opus]) expect((await server.api(`/tracks/${mergedId}`)).status).toBe(404);
      expect(await listGroups(server)).toMatchObject({ total: 0, items: [] });
      // the files in the music folder stay
      for (const path of ['a/1.mp3', 'b/1.flac', 'c/1.opus']) expect(existsSync(join(folder, path)), path).toBe(true);
      if (mode === 'copy')
        expect(
          readdirSync(join(server.dir, 'library', 'audio'), { recursive: true }).filter((name) =>
            String(name).includes('.'),
          ),
        ).toHaveLength(storedFileCount); // the audio of the merged tracks is in the trash

      for (let round = 0; round < 2; round++) {
        expect(await scan(server)).toMatchObject({ added: 0, failed: [] });
        expect((await allTracks(server)).map((track) => track.id).toSorted((a, b) => a - b)).toEqual(
          [flac, id('2.mp3')].toSorted((a, b) => a - b),
        );
        expect((await fetch(`${server.url}/stream/${flac}?token=${server.token}`)).status).toBe(200);
      }
    });
  });

  describe.each(['copy', 'reference'] as const)('the file of a merged track, in %s mode', (mode) => {
    async function openMergedLibrary() {
      const library = await openScannedLibrary(mode, {
        'a/1.mp3': [1, 'mp3'],
        'b/1.flac': [1, 'flac'],
        '2.mp3': [2, 'mp3'],
      });
      const { server, folder, id } = library;
      const [mp3, flac] = [id('a/1.mp3'), id('b/1.flac')];
      expect((await post(server, '/duplicates/merge', { keep: flac, merge: [mp3] })).status).toBe(200);
      await scan(server);
      return { ...library, mp3, flac, path: join(folder, 'a/1.mp3') };
    }
    const listStoredObjects = (server: TestServer): string[] => {
      const audio = join(server.dir, 'library', 'audio');
      const names = existsSync(audio) ? readdirSync(audio, { recursive: true }).map(String) : [];
      return names.filter((name) => name.includes('.')).toSorted();
    };
    const listTrackIds = async (server: TestServer): Promise<number[]> =>
      (await allTracks(server)).map((track) => track.id).toSorted((a, b) => a - b);

    test.each([
      ['with other tags', (path: string) => retagMp3(path, { TIT2: 'Another title', TALB: 'Another album' })],
      ['encoded again', (path: string) => copyFileSync(makeMusicFile(1, 'mp3-64'), path)],
    ])('stays merged %s, and the merge can be undone', async (_, change) => {
      const { server, id, mp3, flac, path } = await openMergedLibrary();
      const storedObjects = listStoredObjects(server);
      change(path);
      for (let round = 0; round < 2; round++) {
        expect(await scan(server)).toMatchObject({ added: 0, failed: [] });
        expect(await listTrackIds(server)).toEqual([flac, id('2.mp3')].toSorted((a, b) => a - b));
      }
      expect((await post(server, `/merges/${mp3}/undo`, undefined)).status).toBe(200);
      expect(listStoredObjects(server)).toEqual(storedObjects);
      await scan(server);
      expect(await listTrackIds(server)).toEqual([mp3, flac, id('2.mp3')].toSorted((a, b) => a - b));
      expect((await server.api<TrackOut>(`/tracks/${mp3}`)).body.size_bytes).toBe(statSync(path).size);
      expect((await fetch(`${server.url}/stream/${mp3}?token=${server.token}`)).status).toBe(200);
    });

    test.runIf(mode === 'reference')('is heard while the file of the kept track is gone', async () => {
      const { server, folder, id, mp3, flac } = await openMergedLibrary();
      const getKeptTrack = async (): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${flac}`)).body;
      const getStreamStatus = async (track: number): Promise<number> =>
        (await fetch(`${server.url}/stream/${track}?token=${server.token}`)).status;
      const keptTrackBefore = await getKeptTrack();
      const trackIds = await listTrackIds(server);
      renameSync(join(folder, 'b/1.flac'), join(base, `aside-${flac}.flac`));
      for (let round = 0; round < 2; round++) {
        expect(await scan(server)).toMatchObject({ added: 0, failed: [] });
        expect(await getKeptTrack()).toMatchObject({
          availability: 'available',
          format: 'mp3',
          title: keptTrackBefore.title,
        });
        expect(await getStreamStatus(flac)).toBe(200);
        expect(await listTrackIds(server)).toEqual(trackIds);
      }

      renameSync(join(base, `aside-${flac}.flac`), join(folder, 'b/1.flac'));
      for (let round = 0; round < 2; round++) {
        expect(await scan(server)).toMatchObject({ added: 0, failed: [] });
        expect(await getKeptTrack()).toMatchObject({
          availability: 'available',
          format: 'flac',
          source_id: 'b/1.flac',
        });
        expect(await listTrackIds(server)).toEqual(trackIds);
      }

      rmSync(join(folder, 'b/1.flac'));
      await scan(server);
      expect((await post(server, `/merges/${mp3}/undo`, undefined)).status).toBe(200);
      await scan(server);
      expect(await getKeptTrack()).toMatchObject({ availability: 'missing', format: 'flac' });
      expect((await server.api<TrackOut>(`/tracks/${mp3}`)).body).toMatchObject({
        source_id: 'a/1.mp3',
        format: 'mp3',
      });
      expect(await getStreamStatus(mp3)).toBe(200);
      expect(await listTrackIds(server)).toEqual([mp3, flac, id('2.mp3')].toSorted((a, b) => a - b));
    });

    test('is a new track with other music in it', async () => {
      const { server, path } = await openMergedLibrary();
      copyFileSync(makeMusicFile(3, 'mp3'), path);
      expect(await scan(server)).toMatchObject({ added: 1, failed: [] });
      expect(await listTrackIds(server)).toHaveLength(3);
    });
  });

  test('stored audio that another track uses stays', async () => {
    const { server, id } = await openScannedLibrary('copy', { 'a/1.flac': [1, 'flac'], 'b/1.flac': [1, 'flac'] });
    const [keptId, mergedId] = [id('a/1.flac'), id('b/1.flac')];
    const uris = (await allTracks(server)).map((track) => track.storage_uri);
    expect(new Set(uris).size).toBe(1);
    expect((await post(server, '/duplicates/merge', { keep: keptId, merge: [mergedId] })).status).toBe(200);
    expect((await fetch(`${server.url}/stream/${keptId}?token=${server.token}`)).status).toBe(200);
  });

  test('tracks marked as different are not grouped again, also with a new fingerprint', async () => {
    const { server, folder, id } = await openScannedLibrary('reference', {
      '1.mp3': [1, 'mp3'],
      '1.flac': [1, 'flac'],
      '1.ogg': [1, 'ogg'],
    });
    expect(
      await post(server, '/duplicates/dismiss', { track_id: id('1.ogg'), other_ids: [id('1.mp3'), id('1.flac')] }),
    ).toMatchObject({ status: 204 });
    expect(groupIds(await listGroups(server))).toEqual([[id('1.flac'), id('1.mp3')].toSorted((a, b) => a - b)]);
    const newFingerprint = await fingerprinter.fingerprint(
      { path: join(folder, '1.ogg'), format: 'ogg', durationMs: PIECE_SECONDS * 1_000 },
      neverAborted,
    );
    storeFingerprint(server.app.db, id('1.ogg') as TrackId, newFingerprint, new Date());
    expect(groupIds(await listGroups(server))).toEqual([[id('1.flac'), id('1.mp3')].toSorted((a, b) => a - b)]);
    await post(server, '/duplicates/dismiss', { track_id: id('1.mp3'), other_ids: [id('1.flac')] });
    expect(await listGroups(server)).toMatchObject({ total: 0, items: [] });
  });

  test('tracks that cannot be merged are rejected, and nothing changes', async () => {
    const { server, id } = await openScannedLibrary('reference', {
      '1.mp3': [1, 'mp3'],
      '1.flac': [1, 'flac'],
      '2.mp3': [2, 'mp3'],
    });
    const [mp3Id, flacId, otherId] = ['1.mp3', '1.flac', '2.mp3'].map(id);
    expect(await post(server, '/duplicates/merge', { keep: flacId, merge: [mp3Id, otherId] })).toMatchObject({
      status: 409,
      body: { detail: `Track ${otherId} is not known to be the same recording as track ${flacId}.` },
    });
    expect((await post(server, '/duplicates/merge', { keep: flacId, merge: [flacId] })).status).toBe(409);
    expect((await post(server, '/duplicates/merge', { keep: flacId, merge: [999] })).status).toBe(404);
    expect((await post(server, '/duplicates/merge', { keep: 999, merge: [mp3Id] })).status).toBe(404);
    expect((await post(server, '/duplicates/merge', { keep: flacId, merge: [] })).status).toBe(422);
    expect((await post(server, '/duplicates/dismiss', { track_id: flacId, other_ids: [999] })).status).toBe(404);
    server.app.db.$client.prepare("UPDATE tracks SET availability = 'missing' WHERE id = ?").run(flacId);
    expect(await post(server, '/duplicates/merge', { keep: flacId, merge: [mp3Id] })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has no audio, and one') as string },
    });
    expect((await listGroups(server)).items[0]).toMatchObject({ keep_id: mp3Id, keep_reason: 'available' });
    expect(await allTracks(server)).toHaveLength(3);
  });

  test('new audio of a track removes its fingerprint, and the track from its group', async () => {
    const { server, folder, id } = await openScannedLibrary('reference', {
      '1.mp3': [1, 'mp3'],
      '1.flac': [1, 'flac'],
    });
    copyFileSync(makeMusicFile(4, 'mp3'), join(folder, '1.mp3'));
    expect(await scan(server)).toMatchObject({ updated: 1 });
    expect(findFingerprint(server.app.db, id('1.mp3') as TrackId)?.raw).not.toEqual(
      (
        await fingerprinter.fingerprint(
          { path: makeMusicFile(1, 'mp3'), format: 'mp3', durationMs: PIECE_SECONDS * 1_000 },
          neverAborted,
        )
      ).raw,
    );
    expect(await listGroups(server)).toMatchObject({ total: 0, items: [] });
  });
});

describe('the index', () => {
  let temp: TempDatabase;
  let addTrack: (durationMs?: number) => TrackId;
  beforeAll(() => {
    temp = openTempDatabase();
    const services = openLibraryServices(temp.db);
    let n = 0;
    addTrack = (durationMs = 60_000) =>
      services.tracks.insert({
        source: 'upload',
        sourceId: `${++n}`,
        identity: { title: `${n}`, artists: [], genres: [] },
        audio: { ...silence, durationMs },
      });
  });
  afterAll(() => temp.close());

  const randomFingerprint = (seed: number): Uint32Array => {
    const next = seededRandom(seed);
    return Uint32Array.from({ length: 200 }, () => Math.floor(next() * 2 ** 32));
  };
  const storeRawFingerprint = (id: TrackId, raw: Uint32Array, durationMs = 60_000): boolean =>
    storeFingerprint(temp.db, id, { raw, durationMs }, new Date(5));
  const listGroupMembers = (): number[][] =>
    Object.values(
      Object.groupBy(
        temp.db.$client
          .prepare<[], { track_id: number; group_id: number }>('SELECT * FROM duplicate_members ORDER BY track_id')
          .all(),
        (row) => row.group_id,
      ),
    ).map((rows) => (rows ?? []).map((row) => row.track_id));

  test('stores fingerprints, and returns false if the track no longer exists', () => {
    const id = addTrack();
    expect(storeRawFingerprint(id, randomFingerprint(1), 59_999.6)).toBe(true);
    expect(findFingerprint(temp.db, id)).toEqual({ raw: randomFingerprint(1), durationMs: 60_000 });
    expect(storeRawFingerprint(id, randomFingerprint(2))).toBe(true);
    expect(findFingerprint(temp.db, id)?.raw).toEqual(randomFingerprint(2));
    expect(temp.db.$client.prepare('SELECT count(*) FROM fingerprint_pieces WHERE track_id = ?').pluck().get(id)).toBe(
      20,
    );
    temp.db.$client.prepare('DELETE FROM tracks WHERE id = ?').run(id);
    expect(temp.db.$client.prepare('SELECT count(*) FROM fingerprint_pieces').pluck().get()).toBe(0);
    expect(storeRawFingerprint(id, randomFingerprint(2))).toBe(false);
  });

  test('a group of one is removed, and tracks with different lengths are not grouped', () => {
    const [firstId, secondId, thirdId] = [addTrack(), addTrack(), addTrack()];
    for (const id of [firstId, secondId]) storeRawFingerprint(id, randomFingerprint(3));
    storeRawFingerprint(thirdId, randomFingerprint(3), 67_001);
    expect(listGroupMembers()).toEqual([[firstId, secondId]]);
    storeRawFingerprint(thirdId, randomFingerprint(3), 67_000);
    expect(listGroupMembers()).toEqual([[firstId, secondId, thirdId]]);
    temp.db.$client.prepare('DELETE FROM tracks WHERE id = ?').run(secondId);
    expect(listGroupMembers()).toEqual([[firstId, thirdId]]);
    temp.db.$client.prepare('UPDATE tracks SET duration_ms = 1 WHERE id = ?').run(firstId);
    expect(listGroupMembers()).toEqual([]);
    expect(temp.db.$client.prepare('SELECT count(*) FROM duplicate_pairs').pluck().get()).toBe(0);
  });

  test('a hash that becomes known later keeps the fingerprint, another hash removes it', () => {
    const id = addTrack();
    storeRawFingerprint(id, randomFingerprint(4));
    const setAudioHash = (value: string): void =>
      void temp.db.$client.prepare('UPDATE tracks SET audio_hash = ? WHERE id = ?').run(value, id);
    setAudioHash('v1:a');
    expect(findFingerprint(temp.db, id)?.raw).toEqual(randomFingerprint(4));
    setAudioHash('v1:a');
    expect(findFingerprint(temp.db, id)?.raw).toEqual(randomFingerprint(4));
    setAudioHash('v1:b');
    expect(findFingerprint(temp.db, id)).toBeUndefined();
  });

  test('many copies of one track are a group, though very frequent parts are not looked up', () => {
    const ids = Array.from({ length: 70 }, () => addTrack(300_000));
    for (const id of ids) storeRawFingerprint(id, randomFingerprint(6), 300_000);
    const group = listGroupMembers().find((memberIds) => memberIds.includes(ids[0] as number)) ?? [];
    expect(group.length).toBeGreaterThan(60);
    expect(group.every((id) => ids.includes(id as TrackId))).toBe(true);
    temp.db.$client.prepare('DELETE FROM tracks').run();
  });

  test('every look-up uses an index', () => {
    const explainQuery = (sql: string): string =>
      temp.db.$client
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => row.detail)
        .join('; ');
    const plans = [
      explainQuery('SELECT track_id FROM fingerprint_pieces WHERE piece = 1 AND duration_ms BETWEEN 1 AND 2 LIMIT 65'),
      explainQuery(
        'SELECT group_id FROM duplicate_members GROUP BY group_id ORDER BY group_id DESC LIMIT 50 OFFSET 100',
      ),
      explainQuery('SELECT count(*) FROM (SELECT 1 FROM duplicate_members GROUP BY group_id)'),
      explainQuery('SELECT max(group_id) FROM duplicate_members'),
      explainQuery('SELECT * FROM duplicate_pairs WHERE track_id = 1 OR other_id = 1'),
      explainQuery(
        "SELECT f.track_id FROM source_files f JOIN track_fingerprints p ON p.track_id = f.track_id WHERE f.state = 'gone'",
      ),
    ];
    for (const plan of plans) expect(plan).not.toMatch(/USE TEMP B-TREE/);
    for (const plan of plans.filter((_, i) => i !== 2))
      expect(plan).not.toMatch(
        /SCAN (?!f USING (COVERING )?INDEX source_files_gone|duplicate_members USING COVERING INDEX duplicate_members_group_id)/,
      );
    expect(plans[2]).toMatch(/duplicate_members USING COVERING INDEX duplicate_members_group_id/);
  });
});
