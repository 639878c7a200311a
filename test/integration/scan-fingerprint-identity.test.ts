// The last test of identity: a file of another format at another path that has the fingerprint of a missing track is
// that track. Every row holds after one scan and after a second one, in both modes.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import { findFingerprint, storeFingerprint } from '../../server/enrichment/fingerprints.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { Fingerprinter } from '../../server/media/fingerprint.ts';
import { fingerprinterWith, neverAborted } from '../support/fingerprints.ts';
import { keptFaults, servedBy } from '../support/identity-library.ts';
import { encodeMusic, writeMusic, type Encoding, type Piece } from '../support/music.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'a file that is replaced by one of another format is');

/**
 * A piece of music as a file: the number of the music, its encoding, the album in its tags, and its duration in
 * seconds.
 */
interface Song {
  seed: number;
  encoding: Encoding;
  album?: string | null;
  title?: string;
  seconds?: number;
}
type Files = Record<string, Song>;

interface Row {
  title: string;
  before: Files;
  /** Paths that are removed before the next scan. */
  removed: string[];
  added: Files;
  /** For each new path the old path whose track it is; null for a new track. */
  places: Record<string, string | null>;
  /** The old paths whose tracks have fingerprints; all by default. */
  heard?: string[];
}

const mp3 = (seed: number, extraFields: Partial<Song> = {}): Song => ({ seed, encoding: 'mp3', ...extraFields });
const flac = (seed: number, extraFields: Partial<Song> = {}): Song => ({ seed, encoding: 'flac', ...extraFields });

const ROWS: Row[] = [
  {
    title: 'an MP3 replaced by a FLAC in its folder',
    before: { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2) },
    removed: ['a/1.mp3'],
    added: { 'a/1.flac': flac(1) },
    places: { 'a/1.flac': 'a/1.mp3' },
  },
  {
    title: 'an album replaced, elsewhere and in other formats',
    before: { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2), 'a/3.mp3': mp3(3) },
    removed: ['a/1.mp3', 'a/2.mp3', 'a/3.mp3'],
    added: { 'b/x.opus': { seed: 1, encoding: 'opus' }, 'b/y.flac': flac(2), 'b/z.ogg': { seed: 3, encoding: 'ogg' } },
    places: { 'b/x.opus': 'a/1.mp3', 'b/y.flac': 'a/2.mp3', 'b/z.ogg': 'a/3.mp3' },
  },
  {
    title: 'an MP3 that is too short to be told by its sound, replaced by a FLAC',
    before: { 'a/1.mp3': mp3(1, { seconds: 5 }) },
    removed: ['a/1.mp3'],
    added: { 'a/1.flac': flac(1, { seconds: 5 }) },
    places: { 'a/1.flac': 'a/1.mp3' },
  },
  {
    title: 'other music that is as short',
    before: { 'a/1.mp3': mp3(1, { seconds: 5 }) },
    removed: ['a/1.mp3'],
    added: { 'a/2.flac': flac(2, { seconds: 5 }) },
    places: { 'a/2.flac': null },
  },
  {
    title: 'a better copy beside the old one',
    before: { 'a/1.mp3': mp3(1) },
    removed: [],
    added: { 'a/1.flac': flac(1) },
    places: { 'a/1.flac': null },
  },
  {
    title: 'other music of the same length',
    before: { 'a/1.mp3': mp3(1) },
    removed: ['a/1.mp3'],
    added: { 'a/2.flac': flac(2) },
    places: { 'a/2.flac': null },
  },
  {
    title: 'the same music, but longer by more than 2 s',
    before: { 'a/1.mp3': mp3(1, { seconds: 10 }) },
    removed: ['a/1.mp3'],
    added: { 'a/1.flac': flac(1, { seconds: 12.5 }) },
    places: { 'a/1.flac': null },
  },
  {
    title: 'the same music with another title, on another album',
    before: { 'a/1.mp3': mp3(1) },
    removed: ['a/1.mp3'],
    added: { 'b/1.flac': flac(1, { album: 'Best of', title: 'Another title' }) },
    places: { 'b/1.flac': 'a/1.mp3' },
  },
  {
    title: 'the same music without an album',
    before: { 'a/1.mp3': mp3(1) },
    removed: ['a/1.mp3'],
    added: { 'b/1.flac': flac(1, { album: null }) },
    places: { 'b/1.flac': 'a/1.mp3' },
  },
  {
    title: 'two missing tracks with matching fingerprints',
    before: { 'a/1.mp3': mp3(1), 'b/1.mp3': mp3(1, { encoding: 'mp3-64' }) },
    removed: ['a/1.mp3', 'b/1.mp3'],
    added: { 'c/1.flac': flac(1) },
    places: { 'c/1.flac': null },
  },
  {
    title: 'two new files with matching fingerprints',
    before: { 'a/1.mp3': mp3(1) },
    removed: ['a/1.mp3'],
    added: { 'b/1.flac': flac(1), 'c/1.opus': { seed: 1, encoding: 'opus' } },
    places: { 'b/1.flac': null, 'c/1.opus': null },
  },
  {
    title: 'a gone track that was never heard, with the same title, artist and album',
    before: { 'a/1.mp3': mp3(1) },
    removed: ['a/1.mp3'],
    added: { 'a/1.flac': flac(1) },
    places: { 'a/1.flac': 'a/1.mp3' },
    heard: [],
  },
];

describe.runIf(ffmpeg)('by fingerprint', () => {
  let base: string;
  let fingerprinter: Fingerprinter;
  const open: TestServer[] = [];

  const file = ({ seed, encoding, album = 'Harbour', title = `Piece ${seed}`, seconds = 10 }: Song): string => {
    const piece: Piece = { seed, seconds };
    const [wav, path] = [
      join(base, `${seed}-${seconds}.wav`),
      join(base, `${seed}-${seconds}-${album}-${title}.${encoding}`),
    ];
    if (!existsSync(wav)) writeMusic(wav, piece);
    if (!existsSync(path))
      encodeMusic(wav, path, encoding, { title, artist: 'The Quays', ...(album !== null && { album }) });
    return path;
  };
  const lay = (folder: string, files: Files): void => {
    for (const [path, song] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      copyFileSync(file(song), join(folder, path));
    }
  };

  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-sound-identity-'));
    fingerprinter = fingerprinterWith(['fpcalc', 'ffmpeg']);
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  afterAll(async () => {
    await fingerprinter.close();
    rmSync(base, { recursive: true, force: true });
  });

  async function library(mode: 'copy' | 'reference', files: Files, heard = Object.keys(files)) {
    const folder = mkdtempSync(join(base, 'music-'));
    lay(folder, files);
    lay(folder, { 'kept/9.mp3': mp3(9) }); // an empty folder would be taken for a disconnected disk
    const server = await startServer({
      env: {
        LOCAL_MEDIA_IMPORT_PATH: folder,
        LOCAL_MEDIA_IMPORT_MODE: mode,
        FPID_ENABLED: 'false',
        MUSICBRAINZ_ENABLED: 'false',
        COVERART_ENABLED: 'false',
      },
    });
    open.push(server);
    const db = server.app.db.$client;
    const scan = async (): Promise<ScanResult> => {
      const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
      await server.app.drain();
      const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
      expect([job.status, job.error]).toEqual(['succeeded', null]);
      return job.result;
    };
    await scan();
    const ids = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        (await allTracks(server))
          .filter(({ source_id }) => !source_id.startsWith('kept/'))
          .map((track) => [track.source_id, track.id]),
      );
    db.exec(
      "INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0); DELETE FROM track_fingerprints",
    );
    for (const [path, id] of Object.entries(await ids())) {
      db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, 'x', 0)").run(id);
      db.prepare(
        "INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', ?, 1, 0)",
      ).run(id);
      db.prepare('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)').run(
        id,
        id,
      );
      if (!heard.includes(path)) continue;
      const { body } = await server.api<TrackOut>(`/tracks/${id}`);
      storeFingerprint(
        server.app.db,
        id as TrackId,
        await fingerprinter.fingerprint(
          { path: join(folder, path), format: body.format as string, durationMs: body.duration_ms as number },
          neverAborted,
        ),
        new Date(),
      );
    }
    return { server, folder, scan, ids };
  }

  describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
    describe('all rows in parallel, a folder each', () => {
      let music: Awaited<ReturnType<typeof library>>;
      let idsBefore: Record<string, number>;
      const scans: ScanResult[] = [];
      const inRow = (row: number, path: string): string => `row ${row}/${path}`;
      /** Returns the files with music that no other row uses. */
      const filesOf = (row: number, files: Files): Files =>
        Object.fromEntries(
          Object.entries(files).map(([path, song]) => [inRow(row, path), { ...song, seed: row * 10 + song.seed }]),
        );
      const foundIn = ({ places }: Row): string[] => Object.values(places).filter((from) => from !== null);
      const sum = (count: (row: Row) => number): number => ROWS.reduce((total, row) => total + count(row), 0);

      beforeAll(async () => {
        const initialFiles = Object.assign({}, ...ROWS.map((row, n) => filesOf(n, row.before))) as Files;
        music = await library(
          mode,
          initialFiles,
          ROWS.flatMap(({ heard, before: files }, n) => (heard ?? Object.keys(files)).map((path) => inRow(n, path))),
        );
        open.splice(open.indexOf(music.server), 1);
        idsBefore = await music.ids();
        ROWS.forEach(({ removed, added }, n) => {
          for (const path of removed) rmSync(join(music.folder, inRow(n, path)));
          lay(music.folder, filesOf(n, added));
        });
        scans.push(await music.scan());
      });
      afterAll(() => music.server.close());

      async function expectRow({ removed, places, before, added }: Row, n: number): Promise<void> {
        const [old, now] = [idsBefore, await music.ids()].map((ids) =>
          Object.fromEntries(
            Object.entries(ids)
              .filter(([path]) => path.startsWith(inRow(n, '')))
              .map(([path, id]) => [path.slice(inRow(n, '').length), id]),
          ),
        ) as [Record<string, number>, Record<string, number>];
        for (const [path, from] of Object.entries(places)) {
          if (from === null)
            expect([path, now[path] === undefined, Object.values(old).includes(now[path] as number)]).toEqual([
              path,
              false,
              false,
            ]);
          else expect([path, now[path]]).toEqual([path, old[from]]);
        }
        const foundPaths = Object.values(places).filter((from) => from !== null);
        expect(Object.values(now)).toEqual(expect.arrayContaining(Object.values(old)));
        expect(Object.keys(now)).toHaveLength(
          Object.keys(before).length + Object.keys(added).length - foundPaths.length,
        );
        const lostIds = removed.filter((path) => !foundPaths.includes(path)).map((path) => old[path] as number);
        const keptIds = Object.values(old).filter((id) => !lostIds.includes(id));
        expect(await keptFaults(servedBy(music.server), keptIds, 'available')).toEqual([]);
        const expectedAvailability = mode === 'reference' ? 'missing' : 'available';
        expect(await keptFaults(servedBy(music.server), lostIds, expectedAvailability)).toEqual([]);
      }

      describe('once', () => {
        test.each(ROWS.map((row, n) => [row.title, n] as const))('%s', (_title, n) => expectRow(ROWS[n] as Row, n));
        test('the result counts the found ones as moved', () => {
          const foundCount = sum((row) => foundIn(row).length);
          const missingCount = mode === 'copy' ? 0 : sum((row) => row.removed.length) - foundCount;
          expect(scans[0]).toMatchObject({
            moved: foundCount,
            added: sum(({ added }) => Object.keys(added).length) - foundCount,
            missing: missingCount,
          });
        });
      });
      describe('twice', () => {
        beforeAll(async () => {
          scans.push(await music.scan());
        });
        test.each(ROWS.map((row, n) => [row.title, n] as const))('%s', (_title, n) => expectRow(ROWS[n] as Row, n));
        test('the result has nothing new', () =>
          expect(scans[1]).toMatchObject({ added: 0, updated: 0, moved: 0, missing: 0 }));
      });
    });

    test('a deleted track is told by its sound, encoded again over the file of another one', async () => {
      const music = await library(mode, { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2) });
      const { 'a/1.mp3': deletedId, 'a/2.mp3': otherId } = await music.ids();
      await music.server.api(`/tracks/${deletedId}`, { method: 'DELETE' });
      rmSync(join(music.folder, 'a/1.mp3'));
      lay(music.folder, { 'a/2.mp3': mp3(1, { encoding: 'mp3-64', title: 'Other tags' }) });
      await music.scan();
      const { 'a/2.mp3': addedId } = await music.ids();
      expect([deletedId, otherId]).not.toContain(addedId);
      const writtenTrack = (await music.server.api<TrackOut>(`/tracks/${otherId}`)).body;
      expect([writtenTrack.title, writtenTrack.availability]).toEqual([
        'Piece 2',
        mode === 'copy' ? 'available' : 'missing',
      ]);
      const heardFile = { path: join(music.folder, 'a/2.mp3'), format: 'mp3', durationMs: 10_000 };
      const sound = await fingerprinter.fingerprint(heardFile, neverAborted);
      storeFingerprint(music.server.app.db, addedId as TrackId, sound, new Date());
      await music.server.api(`/trash/${deletedId}/restore`, { method: 'POST' });
      await music.server.app.drain();
      await music.scan();
      const restoredTrack = (await music.server.api<TrackOut>(`/tracks/${deletedId}`)).body;
      expect(restoredTrack.availability).toBe('available');
      // in copy mode the file in the folder replaces the copy of the deleted track
      const holder = mode === 'copy' ? addedId : deletedId;
      expect(await keptFaults(servedBy(music.server), [holder as number], 'available')).toEqual([]);
    });

    test('the track has the new file’s audio, fingerprint and tags, except for manual edits', async () => {
      const music = await library(mode, { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2) });
      const { 'a/1.mp3': id, 'a/2.mp3': typedId } = await music.ids();
      music.server.app.db.$client
        .prepare("UPDATE tracks SET metadata_status = 'manual', title = 'Typed' WHERE id = ?")
        .run(typedId);
      const oldTrack = (await music.server.api<TrackOut>(`/tracks/${id}`)).body;
      for (const n of [1, 2]) {
        rmSync(join(music.folder, `a/${n}.mp3`));
        lay(music.folder, { [`a/${n}.flac`]: flac(n, { title: 'A better title' }) });
      }
      await music.scan();
      const { body } = await music.server.api<TrackOut>(`/tracks/${id}`);
      expect(body).toMatchObject({
        format: 'flac',
        title: 'A better title',
        source_id: 'a/1.flac',
        availability: 'available',
      });
      expect((await music.server.api<TrackOut>(`/tracks/${typedId}`)).body).toMatchObject({
        format: 'flac',
        title: 'Typed',
        metadata_status: 'manual',
      });
      expect(body.storage_uri).not.toBe(oldTrack.storage_uri);
      expect(findFingerprint(music.server.app.db, id as TrackId)?.durationMs).toBe(body.duration_ms);
      if (mode === 'reference') return;
      const copyPath = join(music.server.dir, 'library', (oldTrack.storage_uri as string).slice('local:'.length));
      expect(existsSync(copyPath)).toBe(true); // the copy stays as long as the change can be undone
      music.server.app.db.$client.prepare('UPDATE trashed_tracks SET deleted_at = 0').run();
      await music.server.app.trash.purgeOld();
      expect(existsSync(copyPath)).toBe(false);
    });
  });

  describe.each(['copy', 'reference'] as const)('the slow upgrade in %s mode', (mode) => {
    /** Adds better copies beside the files and scans, and then removes the original files and scans. */
    async function upgraded(files: Files, betterFiles: Files) {
      const music = await library(mode, files);
      const previousIds = await music.ids();
      lay(music.folder, betterFiles);
      expect(await music.scan()).toMatchObject({ added: Object.keys(betterFiles).length });
      for (const path of Object.keys(files)) rmSync(join(music.folder, path));
      const result = await music.scan();
      return { ...music, was: previousIds, result, served: servedBy(music.server) };
    }
    type Upgraded = Awaited<ReturnType<typeof upgraded>>;
    /** Expects that the tracks of these files have kept likes and plays, either by replacement or by merging. */
    async function expectTaken({ was, result, ids, served, server }: Upgraded, pairs: Record<string, string>) {
      const now = await ids();
      expect(result).toMatchObject({ added: 0, missing: 0, changing_count: 0 });
      const currentIds = Object.keys(pairs).map((path) => now[path] as number);
      expect(await keptFaults(served, currentIds, 'available')).toEqual([]);
      const { items } = (await server.api<{ items: { id: number; reason: string }[] }>('/merges')).body;
      const previousIds = Object.values(pairs).map((path) => was[path] as number);
      if (mode === 'reference') {
        expect(currentIds).toEqual(previousIds);
        expect(items.map(({ reason }) => reason)).toEqual(previousIds.map(() => 'same_music'));
      } else {
        expect(now).toMatchObject(was); // the copies stay separate tracks
        expect(new Set(items.map(({ id }) => id))).toEqual(new Set(previousIds));
        expect(new Set(items.map(({ reason }) => reason))).toEqual(new Set(['replaced']));
      }
    }

    test('gives what people did to the better copy, with other tags or in another folder', async () => {
      const music = await upgraded(
        { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2), 'a/3.mp3': mp3(3) },
        {
          'a/1.flac': flac(1, { title: 'Another title', album: 'Best of' }),
          'b/2.flac': flac(2),
          'c/3.flac': flac(3, { title: 'Third', album: null }),
        },
      );
      await expectTaken(music, { 'a/1.flac': 'a/1.mp3', 'b/2.flac': 'a/2.mp3', 'c/3.flac': 'a/3.mp3' });
    });

    test('goes by names and lengths where the old file was never heard', async () => {
      const music = await library(mode, { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2) }, []);
      const previousIds = await music.ids();
      lay(music.folder, { 'a/1.flac': flac(1), 'a/2.flac': flac(2, { title: 'Another title' }) });
      await music.scan();
      music.server.app.db.$client.exec('DELETE FROM track_fingerprints');
      for (const n of [1, 2]) rmSync(join(music.folder, `a/${n}.mp3`));
      const result = await music.scan();
      const now = await music.ids();
      const fingerprintsServed = servedBy(music.server);
      expect(await keptFaults(fingerprintsServed, [now['a/1.flac'] as number], 'available')).toEqual([]);
      expect(now['a/2.flac']).not.toBe(previousIds['a/2.mp3']);
      expect(result.missing).toBe(mode === 'copy' ? 0 : 1);
    });

    test('takes two files with the same bytes for one, and asks a person between two others', async () => {
      const music = await upgraded(
        { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2) },
        {
          'a/1.flac': flac(1),
          'copy/1.flac': flac(1),
          'a/2.flac': flac(2),
          'a/2.opus': { seed: 2, encoding: 'opus' },
        },
      );
      const now = await music.ids();
      expect(await keptFaults(music.served, [now['a/1.flac'] as number], 'available')).toEqual([]);
      const remainingId = mode === 'copy' ? now['a/2.mp3'] : music.was['a/2.mp3'];
      expect(
        await keptFaults(music.served, [remainingId as number], mode === 'copy' ? 'available' : 'missing'),
      ).toEqual([]);
    });

    test('is found when the better copy is heard later', async () => {
      const music = await library(mode, { 'a/1.mp3': mp3(1) });
      lay(music.folder, { 'b/1.flac': flac(1, { title: 'Another title' }) });
      await music.scan();
      const { app } = music.server;
      const { 'b/1.flac': betterId } = await music.ids();
      app.db.$client.prepare('DELETE FROM track_fingerprints WHERE track_id = ?').run(betterId);
      rmSync(join(music.folder, 'a/1.mp3'));
      await music.scan();
      const fingerprintsServed = servedBy(music.server);
      expect(await keptFaults(fingerprintsServed, [betterId as number], 'available')).not.toEqual([]);
      await app.analysis.runNow(neverAborted);
      await app.drain();
      const { 'b/1.flac': now } = await music.ids();
      expect(await keptFaults(fingerprintsServed, [now as number], 'available')).toEqual([]);
    });

    test.each([
      ['another one', 'ogg', 'a/3.ogg'],
      ['one where the first one was', 'mp3', 'a/1.mp3'],
    ] as const)('and gives it to the next one: %s', async (_title, encoding, path) => {
      const music = await upgraded({ 'a/1.mp3': mp3(1) }, { 'a/2.flac': flac(1) });
      lay(music.folder, { [path]: { seed: 1, encoding, title: 'Again' } });
      await music.scan();
      rmSync(join(music.folder, 'a/2.flac'));
      await music.scan();
      const { [path]: lastId } = await music.ids();
      expect(await keptFaults(music.served, [lastId as number], 'available')).toEqual([]);
    });

    test.each([false, true])('back to the old file, from a backup (with a scan in between: %s)', async (isScanned) => {
      const music = await upgraded({ 'a/1.mp3': mp3(1) }, { 'a/2.flac': flac(1) });
      lay(music.folder, { 'a/1.mp3': mp3(1) });
      if (isScanned) await music.scan();
      rmSync(join(music.folder, 'a/2.flac'));
      await music.scan();
      await music.scan();
      const { 'a/1.mp3': lastId } = await music.ids();
      expect(await keptFaults(music.served, [lastId as number], 'available')).toEqual([]);
    });

    test('also when other music is written over the old file', async () => {
      const music = await library(mode, { 'a/1.mp3': mp3(1) });
      lay(music.folder, { 'b/1.flac': flac(1, { title: 'Another title' }) });
      await music.scan();
      lay(music.folder, { 'a/1.mp3': mp3(2) });
      await music.scan();
      await music.scan();
      const { 'a/1.mp3': otherId, 'b/1.flac': betterId } = await music.ids();
      const fingerprintsServed = servedBy(music.server);
      expect(await keptFaults(fingerprintsServed, [betterId as number], 'available')).toEqual([]);
      expect(await keptFaults(fingerprintsServed, [otherId as number], 'available')).not.toEqual([]);
    });

    test('can be taken back, and is not done again then', async () => {
      const music = await upgraded({ 'a/1.mp3': mp3(1) }, { 'a/1.flac': flac(1) });
      const { items } = (await music.server.api<{ items: { id: number }[] }>('/merges')).body;
      expect(items).toHaveLength(1);
      expect((await music.server.api(`/merges/${items[0]?.id}/undo`, { method: 'POST' })).status).toBe(200);
      for (const n of [2, 3]) {
        const { 'a/1.mp3': oldId, 'a/1.flac': now } = await music.ids();
        expect([oldId === now, oldId]).toEqual([false, music.was['a/1.mp3']]);
        const expectedAvailability = mode === 'copy' ? 'available' : 'missing';
        expect(await keptFaults(music.served, [oldId as number], expectedAvailability)).toEqual([]);
        lay(music.folder, { [`new/${n}.mp3`]: mp3(n) });
        expect(await music.scan()).toMatchObject({ added: 1 });
      }
      expect((await music.server.api<{ total: number }>('/merges')).body.total).toBe(0);
    });
  });

  test('a file that is a track of its own again has the tags that it has by then', async () => {
    const music = await library('reference', { 'a/1.mp3': mp3(1) });
    rmSync(join(music.folder, 'a/1.mp3'));
    lay(music.folder, { 'a/1.flac': flac(1) });
    await music.scan();
    copyFileSync(file(flac(1, { title: 'Retagged' })), join(music.folder, 'a/1.flac'));
    await music.scan();
    const { items } = (await music.server.api<{ items: { id: number }[] }>('/merges')).body;
    expect((await music.server.api(`/merges/${items[0]?.id}/undo`, { method: 'POST' })).status).toBe(200);
    await music.scan();
    const ownTrack = (await music.server.api<TrackOut>(`/tracks/${items[0]?.id}`)).body;
    expect([ownTrack.source_id, ownTrack.title]).toEqual(['a/1.flac', 'Retagged']);
  });

  test('two files that were there beside each other are two tracks again when the one that vanished is back', async () => {
    const music = await library('reference', { 'a/1.mp3': mp3(1) });
    lay(music.folder, { 'b/1.flac': flac(1) });
    await music.scan();
    const previousIds = await music.ids();
    rmSync(join(music.folder, 'a/1.mp3'));
    await music.scan();
    expect(await music.ids()).toEqual({ 'b/1.flac': previousIds['a/1.mp3'] });
    lay(music.folder, { 'a/1.mp3': mp3(1) });
    expect(await music.scan()).toMatchObject({ added: 0, missing: 0, changing_count: 0 });
    expect(await music.ids()).toEqual(previousIds);
    expect(await keptFaults(servedBy(music.server), [previousIds['a/1.mp3'] as number], 'available')).toEqual([]);
  });

  test.each(['copy', 'reference'] as const)(
    'a copy that was heard half written is that copy when it is whole, in %s mode',
    async (mode) => {
      const music = await library(mode, { 'a/1.flac': flac(1, { seconds: 12 }) });
      const flacBytes = readFileSync(join(music.folder, 'a/1.flac'));
      mkdirSync(join(music.folder, 'b'));
      writeFileSync(join(music.folder, 'b/1.flac'), flacBytes.subarray(0, Math.round(flacBytes.length * 0.6)));
      await music.scan();
      const partialIds = await music.ids();
      writeFileSync(join(music.folder, 'b/1.flac'), flacBytes);
      expect(await music.scan()).toMatchObject({ added: 0, missing: 0 });
      expect(await music.ids()).toEqual(partialIds);
    },
  );

  test.each(['copy', 'reference'] as const)(
    'another song in the place of a deleted one is a track of its own, in %s mode',
    async (mode) => {
      const music = await library(mode, { 'a/1.mp3': mp3(1) });
      const { 'a/1.mp3': deletedId } = await music.ids();
      expect((await music.server.api(`/tracks/${deletedId}`, { method: 'DELETE' })).status).toBe(204);
      copyFileSync(file(mp3(5)), join(music.folder, 'a/1.mp3'));
      expect(await music.scan()).toMatchObject({ added: 1 });
      const { 'a/1.mp3': now } = await music.ids();
      expect(now).not.toBe(deletedId);
      expect((await music.server.api<{ total: number }>('/trash')).body.total).toBe(1);
    },
  );

  test('the library’s own copy stays when its music turns up in a folder that is only indexed', async () => {
    const music = await library('copy', { 'a/1.mp3': mp3(1) });
    const { 'a/1.mp3': id } = await music.ids();
    const indexedDir = mkdtempSync(join(base, 'indexed-'));
    lay(indexedDir, { '9.mp3': mp3(8) });
    const body = { path: indexedDir, name: 'Indexed', mode: 'reference' };
    expect((await music.server.api('/music-folders', { method: 'POST', body })).status).toBeLessThan(300);
    await music.scan();
    renameSync(join(music.folder, 'a/1.mp3'), join(base, 'away.mp3'));
    await music.scan();
    copyFileSync(join(base, 'away.mp3'), join(indexedDir, '1.mp3'));
    await music.scan();
    rmSync(join(indexedDir, '1.mp3'));
    await music.scan();
    const track = (await music.server.api<TrackOut>(`/tracks/${id}`)).body;
    expect([track.availability, track.storage_uri?.startsWith('local:')]).toEqual(['available', true]);
  });

  test('a converted file with a copy elsewhere, in one scan, keeps its track', async () => {
    const music = await library('reference', { 'a/1.mp3': mp3(1) });
    const { 'a/1.mp3': id } = await music.ids();
    rmSync(join(music.folder, 'a/1.mp3'));
    lay(music.folder, { 'a/1.flac': flac(1), 'b/1.flac': flac(1) });
    expect(await music.scan()).toMatchObject({ added: 1, moved: 1, missing: 0 });
    expect(Object.values(await music.ids())).toContain(id);
  });

  test('with look-ups off, files that were converted, moved and given other tags are known', async () => {
    const folder = mkdtempSync(join(base, 'music-'));
    lay(folder, { 'a/1.mp3': mp3(1), 'a/2.mp3': mp3(2), 'kept/9.mp3': mp3(9) });
    const env = { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', FPID_ENABLED: 'false' };
    const server = await startServer({ env });
    open.push(server);
    const scan = async () => {
      await server.api('/sources/local_folder/scan', { method: 'POST' });
      await server.app.drain();
      return Object.fromEntries((await allTracks(server)).map((track) => [track.source_id, track.id]));
    };
    const previousIds = await scan();
    for (const n of [1, 2]) rmSync(join(folder, `a/${n}.mp3`));
    for (const n of [1, 2]) lay(folder, { [`b/${n}.flac`]: flac(n, { title: `Other ${n}`, album: 'Else' }) });
    const currentIds = await scan();
    expect([currentIds['b/1.flac'], currentIds['b/2.flac']]).toEqual([previousIds['a/1.mp3'], previousIds['a/2.mp3']]);
  });

  test('a file that appears a scan after the old one disappeared is found too', async () => {
    const music = await library('reference', { 'a/1.mp3': mp3(1) });
    const { 'a/1.mp3': id } = await music.ids();
    rmSync(join(music.folder, 'a/1.mp3'));
    await music.scan();
    lay(music.folder, { 'b/1.flac': flac(1) });
    expect(await music.scan()).toMatchObject({ added: 0, moved: 1 });
    expect(await music.ids()).toEqual({ 'b/1.flac': id });
  });

  test('without missing tracks nothing is fingerprinted', async () => {
    const music = await library('reference', { 'a/1.mp3': mp3(1) });
    music.server.app.db.$client.exec('DELETE FROM track_fingerprints');
    lay(music.folder, { 'b/1.flac': flac(1), 'b/2.flac': flac(2) });
    const { count } = watchStores(music.server);
    expect(await music.scan()).toMatchObject({ added: 2, moved: 0 });
    expect(count()).toBe(0);
  });

  /** Counts fingerprints that are stored while the scan runs, before enrichment. */
  function watchStores({ app }: TestServer): { count: () => number } {
    app.db.$client.exec(`CREATE TEMP TABLE stored (id INTEGER);
      CREATE TEMP TRIGGER seen AFTER INSERT ON track_fingerprints WHEN EXISTS (SELECT 1 FROM jobs WHERE task = 'scan_local_folder' AND status = 'running') BEGIN INSERT INTO stored VALUES (new.track_id); END`);
    return { count: () => app.db.$client.prepare<[], number>('SELECT count(*) FROM stored').pluck().get() ?? -1 };
  }
});
