// A library and its backup in a real object store: every promise is checked. Failures between server and store are
// tested in store-faults.test.ts. Run by `npm run test:stores`.
import { randomBytes, randomUUID } from 'node:crypto';
import dns from 'node:dns';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openExport } from '../../server/backup/export-source.ts';
import type { BackupCheckResult, BackupResult, BackupsOut, ExportResult } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { GarbageResult } from '../../server/maintenance/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import { hashInKey } from '../../server/storage/local-paths.ts';
import { startFakeS3 } from '../fakes/s3.ts';
import { openBackup, restoreFolder, restoreFrom } from '../support/backup-folders.ts';
import { filesIn, rowsIn } from '../support/backups.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { makeLibrary } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type ServerOptions, type TestServer } from '../support/server.ts';
import { rawStore, runJob, STORE_LIMITS, storeLibraryEnv, TESTED, testedEndpoint } from '../support/tested-store.ts';
import { until } from '../support/until.ts';
import { unzip } from '../support/unzip.ts';
import { sayLeftOut } from '../support/left-out.ts';

const TRACK_COUNT = 12;
const DAY_MS = 86_400_000;

const endpoint = testedEndpoint;
if (endpoint !== undefined)
  describe(`a library in the store at ${endpoint}`, () => {
    if (TESTED.virtualHost === undefined) sayLeftOut('addresses by host name are NOT tested at this store.');
    const raw = rawStore(endpoint);
    let base: string;
    let original: string;
    let music: string;
    let proxy: FaultProxy;
    let prefix: string;
    let env: Record<string, string>;
    let clock: number;
    let servers: TestServer[];

    beforeAll(() => {
      base = mkdtempSync(join(tmpdir(), 'tonearm-store-library-'));
      const options = { tracks: TRACK_COUNT, messy: 0, seed: 'store', seconds: '1', formats: ['mp3'] };
      original = makeLibrary({ ...options, art: 'folder' }, join(base, 'music')).dir;
    });
    beforeEach(async () => {
      music = join(mkdtempSync(join(base, 'own-')), 'music');
      cpSync(original, music, { recursive: true, preserveTimestamps: true });
      proxy = await startFaultProxy(endpoint);
      prefix = `library-${randomUUID()}`;
      [clock, servers] = [0, []];
      env = { ...storeLibraryEnv(proxy.url, prefix, music), ACCESS_TOKEN_TTL: '900d' };
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      for (const server of servers) await server.close();
      await proxy.close();
    });
    afterAll(() => rmSync(base, { recursive: true, force: true }));

    async function open(extraEnv: Record<string, string> = {}, options: ServerOptions = {}): Promise<TestServer> {
      const server = await startServer({
        env: { ...env, ...extraEnv },
        storeLimits: STORE_LIMITS,
        now: () => new Date(Date.now() + clock),
        ...options,
      });
      servers.push(server);
      return server;
    }
    async function openScanned(
      extraEnv: Record<string, string> = {},
    ): Promise<{ server: TestServer; tracks: TrackOut[] }> {
      const server = await open(extraEnv);
      expect((await scan(server)).result).toMatchObject({ failed_count: 0 });
      return { server, tracks: await allTracks(server) };
    }
    const scan = (server: TestServer) => runJob<ScanResult>(server, '/sources/local_folder/scan');
    const backUp = async (server: TestServer): Promise<BackupResult> => {
      const { status, error, result } = await runJob<BackupResult>(server, '/backups');
      expect([status, error]).toEqual(['succeeded', null]);
      return result;
    };
    const check = async (server: TestServer): Promise<BackupCheckResult> =>
      (await runJob<BackupCheckResult>(server, '/backups/check', { percent: 100 })).result;
    const verify = async (server: TestServer): Promise<VerifyReport> =>
      (await runJob<VerifyReport>(server, '/jobs/verify')).result;
    const keyOf = ({ storage_uri: uri }: TrackOut): string => (uri ?? '').replace(/^s3:/, '');
    const toObjectKey = (track: TrackOut): string => `${prefix}/library/${keyOf(track)}`;
    const originalOf = (track: TrackOut): string => join(music, track.source_id ?? '');
    const play = (server: TestServer, { id }: TrackOut): Promise<Response> =>
      fetch(`${server.url}/stream/${id}`, { headers: { Authorization: `Bearer ${server.token}` } });
    const fetchAudio = async (server: TestServer, track: TrackOut): Promise<Buffer> =>
      Buffer.from(await (await play(server, track)).arrayBuffer());
    /** Flips one byte of an object in the store. */
    async function flip(key: string): Promise<void> {
      const bytes = await raw.read(key);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      await raw.write(key, bytes);
    }
    const place = (): string => join(mkdtempSync(join(base, 'restored-')), 'data');
    async function expectRestored(dir: string, tracks: readonly TrackOut[]): Promise<void> {
      const files = filesIn(join(dir, 'library'));
      for (const track of tracks) expect(files[keyOf(track)]).toBe(hashInKey(keyOf(track)));
      const rows = rowsIn(dir)['tracks'] as { id: number }[];
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(tracks.map(({ id }) => id)));
    }

    it('a byte that changes anywhere in its backup is found by a check, and mended from the library', async () => {
      const { server, tracks } = await openScanned();
      await backUp(server);
      const keys = (await raw.keys(`${prefix}/backup/`)).filter((key) => !/\/(?:lease|checks|unused)/.test(key));
      expect(keys.length).toBeGreaterThan(5);
      const newest = async (): Promise<string | undefined> =>
        (await server.api<BackupsOut>('/backups')).body.items[0]?.id;
      for (const key of keys) {
        await flip(key);
        // an earlier state of the database exists nowhere else: the check names it, and the newest snapshot is complete
        for (const isAgain of [false, true]) {
          const { faults, lost_items } = await check(server);
          expect([key, faults > 0]).toEqual([key, !isAgain || lost_items.length > 0]);
          expect(lost_items.filter((item) => !item.startsWith('the database of '))).toEqual([]);
          expect(lost_items.join()).not.toContain((await newest()) ?? '');
        }
      }
      const dir = place();
      await restoreFrom(await openBackup('s3', { env }), dir);
      await expectRestored(dir, tracks);
    });

    it('damaged and lost objects stop no backup: it has the database and all others, and names them', async () => {
      const { server, tracks } = await openScanned();
      const [damagedTrack, lostTrack] = tracks as [TrackOut, TrackOut];
      await flip(toObjectKey(damagedTrack));
      await raw.delete(toObjectKey(lostTrack));
      const result = await backUp(server);
      expect(result).toMatchObject({ absent: 2 });
      for (const track of [damagedTrack, lostTrack])
        expect(result.problems.join('\n')).toContain(hashInKey(keyOf(track)));
      expect(await verify(server)).toMatchObject({ healed: 2 });
      expect(await backUp(server)).toMatchObject({ absent: 0 });
    });

    it('is used without checksums where the store refuses them, and says what the store says', async () => {
      proxy.fault = ({ hasChecksum }) => (hasChecksum ? { status: 501, code: 'NotImplemented' } : undefined);
      const { tracks } = await openScanned();
      expect(tracks).toHaveLength(TRACK_COUNT);
      expect((await raw.keys(`${prefix}/library/audio/`)).length).toBe(new Set(tracks.map(keyOf)).size);
      const strict = open({ S3_CHECKSUMS: 'always', S3_PREFIX: `${prefix}/strict` });
      await expect(strict).rejects.toThrow(/S3_CHECKSUMS.*501 NotImplemented/);
    });

    it('gets lost and damaged objects back from the music folder, the backup or the cache', async () => {
      const { server, tracks } = await openScanned();
      const [byVerify, byPlay, byBackup] = tracks as [TrackOut, TrackOut, TrackOut];
      const originalsByTrack = new Map(tracks.map((track) => [track, readFileSync(originalOf(track))]));
      const isIntact = async (track: TrackOut): Promise<boolean> =>
        (await raw.read(toObjectKey(track)).catch(() => undefined))?.equals(originalsByTrack.get(track) as Buffer) ===
        true;
      await flip(toObjectKey(byVerify));
      expect(await verify(server)).toMatchObject({ healed: 1, damaged: 0 });
      expect(await isIntact(byVerify)).toBe(true);

      await flip(toObjectKey(byPlay));
      await expect(fetchAudio(server, byPlay)).rejects.toThrow();
      await until(() => isIntact(byPlay));
      await server.app.drain();

      await backUp(server);
      rmSync(originalOf(byBackup));
      await raw.delete(toObjectKey(byBackup));
      expect(await verify(server)).toMatchObject({ healed: 1, missing: 0 });
      expect(await isIntact(byBackup)).toBe(true);

      const { BACKUP_TARGET: _, ...envWithoutBackup } = env;
      env = { ...envWithoutBackup, S3_PREFIX: `${prefix}/other` };
      const otherLibrary = await openScanned();
      const [byCache, byScan] = otherLibrary.tracks as [TrackOut, TrackOut];
      const objectKeyOf = (track: TrackOut): string => `${prefix}/other/${keyOf(track)}`;
      const [cachedOriginal, otherOriginal] = [readFileSync(originalOf(byCache)), readFileSync(originalOf(byScan))];
      expect((await fetchAudio(otherLibrary.server, byCache)).equals(cachedOriginal)).toBe(true);
      await until(() => existsSync(join(otherLibrary.server.dir, 'cache', 'objects', hashInKey(keyOf(byCache)))));
      for (const track of [byCache, byScan]) {
        rmSync(originalOf(track));
        await raw.delete(objectKeyOf(track));
      }
      expect(await verify(otherLibrary.server)).toMatchObject({ healed: 1, missing: 1 });
      expect((await raw.read(objectKeyOf(byCache))).equals(cachedOriginal)).toBe(true);
      writeFileSync(originalOf(byScan), otherOriginal);
      await scan(otherLibrary.server);
      expect((await raw.read(objectKeyOf(byScan))).equals(otherOriginal)).toBe(true);
    });

    it('is another place at another address, also with a bucket and a prefix of the same names', async () => {
      const dir = place();
      mkdirSync(dir);
      const server = await open({}, { dir });
      await scan(server);
      await backUp(server);
      await server.close();
      servers = [];
      const otherStore = await startFakeS3();
      try {
        otherStore.bucket = TESTED.bucket;
        const { BACKUP_S3_ENDPOINT = '', ...otherBackupEnv } = otherStore.backupSettings;
        const elsewhere = {
          ...otherBackupEnv,
          BACKUP_S3_ENDPOINT,
          BACKUP_S3_BUCKET: TESTED.bucket,
          BACKUP_S3_PREFIX: `${prefix}/backup`,
        };
        expect((await backUp(await open(elsewhere, { dir }))).target).toContain(new URL(BACKUP_S3_ENDPOINT).host);
      } finally {
        await otherStore.close();
      }
    });

    it('keeps its backup in a bucket of its own, with few requests, and little for a change of one row', async () => {
      const bucket = `${TESTED.bucket}-backups`;
      // an earlier run may have created the bucket
      await raw.client.send(new CreateBucketCommand({ Bucket: bucket })).catch(() => undefined);
      env['BACKUP_S3_BUCKET'] = bucket;
      const { server, tracks } = await openScanned();
      const previousKeys = (await raw.keys(prefix)).sort();
      await backUp(server);
      expect((await raw.keys(prefix)).sort()).toEqual(previousKeys);
      const [requests, bytes] = [proxy.requests, proxy.bytesSent];
      await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: tracks[0]?.id, liked: true } });
      await backUp(server);
      expect(proxy.requests - requests).toBeLessThan(30);
      expect(proxy.bytesSent - bytes).toBeLessThan(100_000);
    });

    it('is saved as a zip, whole and by ranges, with one request for each file', async () => {
      const { server, tracks } = await openScanned({ STORE_CACHE_BYTES: '0' });
      const url = `${server.url}/api/v1/zip?track_ids=${tracks.map(({ id }) => id).join(',')}`;
      const headers = { Authorization: `Bearer ${server.token}` };
      const requests = proxy.requests;
      const zipBytes = Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
      const zipFiles = (await unzip(zipBytes)).map(({ bytes }) => bytes);
      for (const track of tracks)
        expect(zipFiles.some((bytes) => bytes.equals(readFileSync(originalOf(track))))).toBe(true);
      // one request for the checksum, one to send the file
      expect(proxy.requests - requests).toBeLessThanOrEqual(2 * TRACK_COUNT);
      const rangeResponse = await fetch(url, { headers: { ...headers, Range: 'bytes=1000-' } });
      expect(Buffer.from(await rangeResponse.arrayBuffer()).equals(zipBytes.subarray(1_000))).toBe(true);
    });

    it.runIf(TESTED.virtualHost)('is reached by its bucket’s own host name', async () => {
      const { virtualHost = '' } = TESTED;
      const { lookup } = dns;
      vi.spyOn(dns, 'lookup').mockImplementation((name: string, ...rest: unknown[]) =>
        (lookup as (...given: unknown[]) => void)(name.endsWith(virtualHost) ? '127.0.0.1' : name, ...rest),
      );
      const byHost = `http://${virtualHost}:${new URL(endpoint).port}`;
      const { server, tracks } = await openScanned({ S3_ENDPOINT: byHost, S3_FORCE_PATH_STYLE: 'false' });
      const [track] = tracks as [TrackOut];
      expect((await raw.read(toObjectKey(track))).equals(readFileSync(originalOf(track)))).toBe(true);
      expect((await fetchAudio(server, track)).equals(readFileSync(originalOf(track)))).toBe(true);
    });

    it('finds its clock again after the store has said that it is wrong', async () => {
      let remainingFaults = 1;
      const date = new Date(Date.now() + DAY_MS);
      proxy.fault = () => (remainingFaults-- > 0 ? { status: 403, code: 'RequestTimeTooSkewed', date } : undefined);
      expect((await openScanned()).tracks).toHaveLength(TRACK_COUNT);
    });

    it('waits for a store that is down at the start, and is whole when it is back', async () => {
      proxy.fault = () => 'refuse';
      const server = await open();
      expect((await server.api('/health')).body).toMatchObject({ storage: 'down' });
      expect((await scan(server)).result ?? { added: 0 }).toMatchObject({ added: 0 });
      proxy.fault = () => undefined;
      expect((await scan(server)).result).toMatchObject({ added: TRACK_COUNT });
      expect(await verify(server)).toMatchObject({ damaged: 0, missing: 0, checked: TRACK_COUNT });
    });

    it('has a large file whole or not at all when the store goes away in the middle of its parts', async () => {
      const server = await open();
      const [anyPath = ''] = readdirSync(music, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.mp3'),
      );
      // 20 MB after the last frame, like a tag, so that the object is sent in three parts
      const bytes = Buffer.concat([readFileSync(join(music, anyPath)), randomBytes(20 << 20)]);
      const upload = async (): Promise<number> => {
        const form = new FormData();
        form.append('files', new Blob([bytes]), 'large.mp3');
        const answer = await server.api('/tracks/upload', { method: 'POST', body: form });
        await server.app.drain();
        return answer.status;
      };
      for (const partNumber of [1, 2, 3]) {
        let isDown = false;
        proxy.fault = ({ url }) => {
          if (isDown) return 'refuse';
          isDown = url.includes(`partNumber=${partNumber}&`);
          return isDown ? 'cut request' : undefined;
        };
        expect([partNumber, await upload()]).toEqual([partNumber, 503]);
        expect([partNumber, isDown]).toEqual([partNumber, true]);
        expect(await raw.keys(`${prefix}/library/audio/`)).toEqual([]);
      }
      proxy.fault = () => undefined;
      expect(await upload()).toBe(201);
      const [key = ''] = await raw.keys(`${prefix}/library/audio/`);
      expect((await raw.read(key)).equals(bytes)).toBe(true);
      clock = 8 * DAY_MS;
      const { result } = await runJob<GarbageResult>(server, '/jobs/gc', { dry_run: false });
      expect(result).toMatchObject({ unused: 0 });
      expect(await raw.keys(`${prefix}/library/audio/`)).toEqual([key]);
    });

    it('shares a bucket with another library by its prefix, and is refused to another library otherwise', async () => {
      const { tracks } = await openScanned();
      const ownKeys = (await raw.keys(`${prefix}/library/`)).sort();
      const otherServer = await open({ S3_PREFIX: `${prefix}/other`, LOCAL_MEDIA_IMPORT_PATH: base });
      clock = 30 * DAY_MS;
      await runJob<GarbageResult>(otherServer, '/jobs/gc', { dry_run: false });
      expect((await raw.keys(`${prefix}/library/`)).sort()).toEqual(ownKeys);
      expect(tracks.length).toBe(TRACK_COUNT);
      clock = 0;
      await expect(open()).rejects.toThrow(/--new-library/);
    });

    it('loses what was deleted for good, and what nothing refers to after a week, and nothing else', async () => {
      const { server, tracks } = await openScanned();
      const [deletedTrack, ...otherTracks] = tracks as [TrackOut, ...TrackOut[]];
      await server.api(`/tracks/${deletedTrack.id}`, { method: 'DELETE' });
      expect(await raw.keys(toObjectKey(deletedTrack))).toHaveLength(1);
      await server.api(`/trash/${deletedTrack.id}`, { method: 'DELETE' });
      await server.app.drain();
      expect(await raw.keys(toObjectKey(deletedTrack))).toEqual([]);
      const orphanKey = `${prefix}/library/audio/aa/${'aa'.repeat(32)}.mp3`;
      await raw.write(orphanKey, Buffer.from('left behind by a crash'));
      const gc = async () => (await runJob<GarbageResult>(server, '/jobs/gc', { dry_run: false })).result;
      expect(await gc()).toMatchObject({ young: 1, deleted: 0 });
      clock = 8 * DAY_MS;
      expect(await gc()).toMatchObject({ deleted: 1 });
      expect(await raw.keys(orphanKey)).toEqual([]);
      expect(await raw.keys(`${prefix}/library/audio/`)).toHaveLength(new Set(otherTracks.map(keyOf)).size);
    });

    it('is backed up by its schedule, which deletes old snapshots and then what only they needed', async () => {
      const daily = { BACKUP_SCHEDULE: '03:30', BACKUP_KEEP_DAILY: '2', BACKUP_KEEP_WEEKLY: '0' };
      const { server, tracks } = await openScanned(daily);
      const packs = async (): Promise<string[]> => raw.keys(`${prefix}/backup/packs/`);
      const next = async (): Promise<void> => {
        clock += DAY_MS;
        server.app.backups.checkSchedule();
        await server.app.drain();
      };
      await next();
      const firstPacks = await packs();
      const [, ...goneTracks] = tracks;
      for (const { id } of goneTracks) {
        await server.api(`/tracks/${id}`, { method: 'DELETE' });
        await server.api(`/trash/${id}`, { method: 'DELETE' });
      }
      for (let day = 0; day < 7; day++) await next();
      expect((await server.api<BackupsOut>('/backups')).body.items).toHaveLength(2);
      const remainingPacks = await packs();
      expect(firstPacks.filter((key) => remainingPacks.includes(key)).length).toBeLessThan(firstPacks.length);
      expect(await check(server)).toMatchObject({ faults: 0, lost: 0 });
      const dir = place();
      await restoreFrom(await openBackup('s3', { env }), dir);
      await expectRestored(dir, tracks.slice(0, 1));
    });

    it('is backed up while it is scanned, whole as of one moment, and an older snapshot is restored as it was', async () => {
      const { server, tracks } = await openScanned();
      const { snapshot } = await backUp(server);
      clock = DAY_MS; // only the newest snapshot of a day is kept
      makeLibrary({ tracks: TRACK_COUNT, messy: 0, seed: 'more', seconds: '1', formats: ['mp3'] }, join(music, 'more'));
      const [duringResult] = await Promise.all([
        server.api<JobOut>('/backups', { method: 'POST', body: {} }),
        server.api('/sources/local_folder/scan', { method: 'POST' }),
      ]);
      await server.app.drain();
      expect((await server.api<JobOut>(`/jobs/${duringResult.body.id}`)).body.status).toBe('succeeded');
      expect(await check(server)).toMatchObject({ faults: 0, lost: 0 });
      await backUp(server);
      const [older, newest] = [place(), place()];
      const repo = await openBackup('s3', { env });
      for (const id of await repo.snapshotIds())
        expect((await restoreFrom(repo, place(), { snapshot: id })).lost).toEqual([]);
      await restoreFrom(repo, older, { snapshot });
      await expectRestored(older, tracks);
      await restoreFrom(repo, newest);
      await expectRestored(newest, await allTracks(server));
    });

    it('comes back from a plain copy of the bucket, and from an export, into a fresh folder', async () => {
      const { server, tracks } = await openScanned();
      await backUp(server);
      const copy = place();
      for (const key of await raw.keys(`${prefix}/backup/`)) {
        const path = join(copy, key.slice(`${prefix}/backup/`.length));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, await raw.read(key));
      }
      const restoredPlace = place();
      await restoreFolder(copy, restoredPlace);
      await expectRestored(restoredPlace, tracks);

      const exportedPlace = place();
      mkdirSync(exportedPlace);
      const { status } = await runJob<ExportResult>(server, '/exports', { folder: exportedPlace });
      expect(status).toBe('succeeded');
      const importedPlace = place();
      await restoreFrom(await openExport(exportedPlace), importedPlace);
      await expectRestored(importedPlace, tracks);
    });
  });
else sayLeftOut('S3_TEST_ENDPOINT is not set: a library in a real object store is NOT tested.');

it('is run by npm run test:stores', () => {
  expect(readFileSync(join(import.meta.dirname, '../../scripts/test-stores.ts'), 'utf8')).toContain(
    'store-library.test.ts',
  );
});
