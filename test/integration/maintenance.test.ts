// Verification of the storage, and garbage collection.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { albumCovers, orphanedCovers } from '../../server/db/schema.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import { verifyDays } from '../../server/maintenance/daily-verify.ts';
import { createAudioRepair } from '../../server/maintenance/audio-repair.ts';
import { createVerify, type VerifyDeps } from '../../server/maintenance/verify.ts';
import { prepareIsUsed, prepareListTracks } from '../../server/maintenance/queries.ts';
import type { GarbageResult } from '../../server/maintenance/wire.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import type { Backend } from '../../server/storage/backend.ts';
import { createLocalStorage, local } from '../../server/storage/local.ts';
import { s3 } from '../../server/storage/s3-backend.ts';
import { makeBackup } from '../support/backups.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

const DAY_MS = 86_400_000;

let base: string;
let manifest: Manifest;
let music: string;
let server: TestServer;
let clock: number;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-upkeep-'));
  manifest = makeLibrary(
    { tracks: 12, messy: 0, seed: 'upkeep', art: 'embedded', formats: ['mp3', 'flac'] },
    join(base, 'music'),
  );
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeEach(() => {
  clock = Date.now();
  music = mkdtempSync(join(base, 'own-'));
  cpSync(manifest.dir, music, { recursive: true, preserveTimestamps: true });
});
afterEach(() => server.close());

async function open(mode: 'copy' | 'reference', env: Record<string, string> = {}): Promise<TrackOut[]> {
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: mode, ACCESS_TOKEN_TTL: '60d', ...env },
    now: () => new Date(clock),
    verifyPace: { checkEveryMs: 1, maxChecks: 2 },
  });
  await runJob('/sources/local_folder/scan');
  return allTracks(server);
}

async function runJob<R>(path: string, body?: object): Promise<JobOut & { result: R }> {
  const { body: job, status } = await server.api<JobOut>(path, { method: 'POST', ...(body && { body }) });
  expect(status).toBe(202);
  await server.app.drain();
  return (await server.api<JobOut & { result: R }>(`/jobs/${job.id}`)).body;
}

const verify = async (): Promise<VerifyReport> => (await runJob<VerifyReport>('/jobs/verify', {})).result;
const collect = async (dryRun: boolean): Promise<GarbageResult> =>
  (await runJob<GarbageResult>('/jobs/gc', { dry_run: dryRun })).result;
const storedPath = (key: string): string => join(server.dir, 'library', key);
const coversNow = (): string[] =>
  server.app.db
    .select()
    .from(albumCovers)
    .orderBy(albumCovers.albumId)
    .all()
    .map(({ key }) => key)
    .filter((key) => key !== null);
const pathOf = ({ storage_uri: uri }: TrackOut): string =>
  join(server.dir, 'library', (uri ?? '').slice('local:'.length));
const availability = async ({ id }: TrackOut): Promise<string> =>
  (await server.api<TrackOut>(`/tracks/${id}`)).body.availability;

/** Changes a byte in the middle of a file, but not the size and time of the file. */
function flip(path: string): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

/** Verifies everything, with some dependencies replaced. */
async function verifyWith(parts: Partial<VerifyDeps>): Promise<VerifyReport> {
  const storage = createLocalStorage({ root: join(server.dir, 'library') });
  const { verify: handler } = createVerify({
    db: server.app.db,
    now: () => new Date(clock),
    settings: server.app.settings,
    storage,
    musicRoots: () => music,
    audioStore: createAudioStore({ storage, musicRoots: () => music }),
    reader: { read: () => Promise.reject(new Error('not asked')) },
    proveCover: () => Promise.resolve('good'),
    provePicture: () => Promise.resolve('good'),
    isBusy: () => false,
    onMissing: () => undefined,
    onReturned: () => undefined,
    listMissing: () => [],
    recheckAudio: () => Promise.resolve(false),
    repair: createAudioRepair({ db: server.app.db, musicRoots: () => music, storage, cachedCopy: () => undefined }),
    ...parts,
  });
  return (await handler(
    { scope: 'all' },
    {
      jobId: 999 as never,
      attempt: 1,
      signal: new AbortController().signal,
      progress: () => undefined,
    },
  )) as VerifyReport;
}

describe('verify', () => {
  it('finds everything intact', async () => {
    const tracks = await open('copy');
    const tally = await verify();
    expect(tally).toMatchObject({
      checked: tracks.length,
      damaged: 0,
      missing: 0,
      unreadable: 0,
      healed: 0,
      findings: [],
    });
    expect(tally.bytes).toBe(tracks.reduce((sum, track) => sum + (track.size_bytes ?? 0), 0));
  });

  it('repairs a flipped byte and a lost object from the backup', async () => {
    const backup = mkdtempSync(join(base, 'backup-'));
    const [damagedTrack, lostTrack] = (await open('copy', { BACKUP_TARGET: backup })) as [TrackOut, TrackOut];
    expect((await makeBackup(server)).status).toBe('succeeded');
    const bytesBefore = [damagedTrack, lostTrack].map((track) => readFileSync(pathOf(track)));
    flip(pathOf(damagedTrack));
    rmSync(pathOf(lostTrack));
    expect(await verify()).toMatchObject({ damaged: 0, missing: 0, healed: 2 });
    expect([damagedTrack, lostTrack].map((track) => readFileSync(pathOf(track)))).toEqual(bytesBefore);
    expect(await Promise.all([damagedTrack, lostTrack].map(availability))).toEqual(['available', 'available']);
    expect(await verify()).toMatchObject({ damaged: 0, missing: 0, healed: 0 });
  });

  it('compares covers too, and repairs them from the backup', async () => {
    const backup = mkdtempSync(join(base, 'backup-'));
    await open('copy', { BACKUP_TARGET: backup });
    const covers = coversNow();
    expect(covers.length).toBeGreaterThan(0);
    expect((await makeBackup(server)).status).toBe('succeeded');
    const [cover = ''] = covers;
    const bytesBefore = readFileSync(storedPath(cover));
    for (const harm of [flip, rmSync]) {
      harm(storedPath(cover));
      expect(await verify()).toMatchObject({ covers: covers.length, damaged: 0, missing: 0, healed: 1 });
      expect(readFileSync(storedPath(cover))).toEqual(bytesBefore);
    }
  });

  it('restores a cover from the embedded image or the folder without a backup', async () => {
    await open('copy');
    const covers = coversNow();
    const bytesBefore = covers.map((key) => readFileSync(storedPath(key)));
    for (const key of covers.slice(1)) flip(storedPath(key));
    rmSync(storedPath(covers[0] ?? ''));
    const tally = await verify();
    expect(tally).toMatchObject({ covers: covers.length, damaged: 0, missing: 0, healed: covers.length });
    expect(tally.findings.map(({ track_id, album_id, healed }) => [track_id, typeof album_id, healed])).toEqual(
      covers.map(() => [null, 'number', true]),
    );
    expect(covers.map((key) => readFileSync(storedPath(key)))).toEqual(bytesBefore);
  });

  it('keeps a cover that a user chose, and reports it when it cannot be restored', async () => {
    await open('copy');
    const [row] = server.app.db.select().from(albumCovers).all();
    const form = new FormData();
    form.append(
      'file',
      new Blob([
        await sharp({ create: { width: 300, height: 300, channels: 3, background: 'teal' } })
          .png()
          .toBuffer(),
      ]),
      'mine.png',
    );
    expect((await server.api(`/albums/${row?.albumId}/cover`, { method: 'PUT', body: form })).status).toBeLessThan(300);
    const key = coversNow().find((coverKey) => coverKey.startsWith(`covers/${row?.albumId}.`)) ?? '';
    flip(storedPath(key));
    const damagedBytes = readFileSync(storedPath(key));
    const tally = await verify();
    expect(tally).toMatchObject({ damaged: 1, healed: 0 });
    expect(tally.findings).toMatchObject([
      {
        kind: 'damaged',
        album_id: row?.albumId,
        track_id: null,
        reason: expect.stringMatching(/the backup cannot be read \(No backup location is set/) as string,
      },
    ]);
    expect(readFileSync(storedPath(key))).toEqual(damagedBytes);
  });

  it('finds a flipped byte and a lost object; the track of the lost one is missing until it is back', async () => {
    const [damagedTrack, lostTrack] = (await open('copy')) as [TrackOut, TrackOut];
    rmSync(music, { recursive: true });
    flip(pathOf(damagedTrack));
    const lostBytes = readFileSync(pathOf(lostTrack));
    rmSync(pathOf(lostTrack));
    const tally = await verify();
    expect(tally).toMatchObject({ damaged: 1, missing: 1 });
    expect(Object.fromEntries(tally.findings.map(({ kind, track_id }) => [kind, track_id]))).toEqual({
      damaged: damagedTrack.id,
      missing: lostTrack.id,
    });
    expect([await availability(damagedTrack), await availability(lostTrack)]).toEqual(['available', 'missing']);
    writeFileSync(pathOf(lostTrack), lostBytes);
    expect(await verify()).toMatchObject({ damaged: 1, missing: 0, returned: 1 });
    expect(await availability(lostTrack)).toBe('available');
  });

  describe('audio that is back', () => {
    const play = async ({ id }: TrackOut): Promise<number> => {
      const response = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
      await response.arrayBuffer();
      return response.status;
    };

    it('is played at once, and its track is available', async () => {
      const [track] = (await open('copy')) as [TrackOut];
      rmSync(music, { recursive: true });
      renameSync(pathOf(track), join(server.dir, 'away'));
      expect([await play(track), await play(track), await availability(track)]).toEqual([410, 410, 'missing']);
      writeFileSync(pathOf(track), 'a part of it');
      expect([await play(track), await availability(track)]).toEqual([410, 'missing']);
      renameSync(join(server.dir, 'away'), pathOf(track));
      expect([await play(track), await availability(track)]).toEqual([200, 'available']);
    });

    it.each(['when it was played', 'by a scan'])(
      'in a music folder is played at once after it was lost %s',
      async (discovery) => {
        const [track] = (await open('reference')) as [TrackOut];
        const file = join(music, track.source_id);
        const awayPath = join(base, 'away');
        renameSync(file, awayPath);
        if (discovery === 'by a scan') await runJob('/sources/local_folder/scan');
        expect([await play(track), await availability(track)]).toEqual([410, 'missing']);
        cpSync(join(music, (await allTracks(server))[1]?.source_id ?? ''), file);
        expect([await play(track), await availability(track)]).toEqual([410, 'missing']);
        renameSync(awayPath, file);
        expect([await play(track), await availability(track)]).toEqual([200, 'available']);
        renameSync(file, awayPath);
        await runJob('/sources/local_folder/scan');
        expect(await availability(track)).toBe('missing');
        renameSync(awayPath, file);
      },
    );

    it('is found by the daily part of the verification, whichever tracks it verifies that day', async () => {
      const tracks = await open('copy', { VERIFY_DAYS: '1000' });
      const track = tracks.at(-1) as TrackOut;
      rmSync(music, { recursive: true });
      renameSync(pathOf(track), join(server.dir, 'away'));
      expect([await play(track), await availability(track)]).toEqual([410, 'missing']);
      await server.app.drain();
      renameSync(join(server.dir, 'away'), pathOf(track));
      await server.app.dailyVerify.startIfDue();
      await server.app.drain();
      expect(await availability(track)).toBe('available');
    });
  });

  it('compares the payload of files in the music folder, and leaves edited files to the scan', async () => {
    const tracks = await open('reference');
    const pathOfTrack = (n: number): string => join(music, tracks[n]?.source_id ?? '');
    flip(pathOfTrack(0));
    appendFileSync(pathOfTrack(1), 'x');
    rmSync(pathOfTrack(2));
    expect(await verify()).toMatchObject({ checked: tracks.length, damaged: 1, changed: 1, missing: 1 });
    expect(await availability(tracks[2] as TrackOut)).toBe('missing');
  });

  it('compares all of a file in the music folder with what it was at the first verify, and writes nothing there', async () => {
    const [track] = (await open('reference')) as [TrackOut];
    expect(await verify()).toMatchObject({ damaged: 0, changed: 0 });
    const path = join(music, track.source_id ?? '');
    const { atime, mtime } = statSync(path);
    const rottenBytes = readFileSync(path);
    const titleOffset = rottenBytes.indexOf(track.title); // the title is a tag, which the payload hash ignores
    rottenBytes.writeUInt8(rottenBytes.readUInt8(titleOffset) ^ 1, titleOffset);
    writeFileSync(path, rottenBytes);
    utimesSync(path, atime, mtime);
    const report = await verify();
    expect(report).toMatchObject({ damaged: 1, healed: 0, changed: 0 });
    expect(report.findings).toMatchObject([{ kind: 'damaged', track_id: track.id, storage_uri: track.storage_uri }]);
    expect(readFileSync(path).equals(rottenBytes)).toBe(true);
    utimesSync(path, atime, new Date(clock + 60_000)); // simulates a file that a user edited
    await runJob('/sources/local_folder/scan');
    expect(await verify()).toMatchObject({ damaged: 0, changed: 0 });
  });

  it('stores no checksum of a file that is edited while it is read', async () => {
    const tracks = await open('reference');
    const hashes = server.app.db.$client.prepare('SELECT audio_hash FROM tracks WHERE source_id = ?').pluck();
    const read: VerifyDeps['reader']['read'] = ({ paths }) => {
      const { path } = paths[0] as { path: string };
      appendFileSync(join(music, path), 'x');
      return Promise.resolve([{ ok: true, audioHash: hashes.get(path) }] as never);
    };
    expect(await verifyWith({ reader: { read } })).toMatchObject({ damaged: 0, changed: tracks.length });
    expect(server.app.db.$client.prepare('SELECT count(*) FROM file_sums').pluck().get()).toBe(0);
  });

  it('repairs what the backup has, and says why not for the rest', async () => {
    const [firstTrack, secondTrack, thirdTrack] = (await open('copy')) as [TrackOut, TrackOut, TrackOut];
    rmSync(music, { recursive: true });
    const intactBytes = readFileSync(pathOf(firstTrack));
    for (const track of [firstTrack, secondTrack, thirdTrack]) flip(pathOf(track));
    const storage = createLocalStorage({ root: join(server.dir, 'library') });
    const repair = createAudioRepair({
      db: server.app.db,
      musicRoots: () => join(base, 'not there'),
      storage,
      cachedCopy: () => undefined,
      async heal(key) {
        if (key.includes(pathOf(secondTrack).slice(-20))) return 'not_in_backup';
        if (key.includes(pathOf(thirdTrack).slice(-20))) throw new Error('no such folder');
        await storage.put(key, intactBytes);
        return 'healed';
      },
    });
    const tally = await verifyWith({ storage, repair });
    expect(tally).toMatchObject({ healed: 1, damaged: 2 });
    expect(Object.fromEntries(tally.findings.map(({ track_id, reason }) => [track_id, reason]))).toMatchObject({
      [firstTrack.id]: null,
      [secondTrack.id]: 'the backup does not have it',
      [thirdTrack.id]: 'the backup cannot be read (no such folder)',
    });
    expect(await verify()).toMatchObject({ damaged: 2 });
  });

  it('verifies a part each day if set, and all of it in turn', async () => {
    const tracks = await open('copy', { VERIFY_DAYS: '2' });
    const days: number[] = [];
    const parts = async (): Promise<JobOut[]> =>
      (await server.api<{ items: JobOut[] }>('/jobs?task=verify_storage')).body.items;
    for (let day = 0; day < 3; day++) {
      await server.app.dailyVerify.startIfDue();
      await server.app.dailyVerify.startIfDue(); // the part is verified once a day
      await server.app.drain();
      days.push((await parts()).reduce((sum, { result }) => sum + (result as VerifyReport).checked, 0));
      clock += DAY_MS + 1;
    }
    const halfCount = Math.ceil(tracks.length / 2);
    expect(days.slice(0, 2)).toEqual([halfCount, tracks.length]);
    expect(days.at(2)).toBeGreaterThanOrEqual(tracks.length);
  });

  it('runs once a month on a disk, and never in an object store, unless a setting says otherwise', () => {
    const days = (value: number | undefined, backend: Backend): number =>
      verifyDays({ get: () => value as never }, { backend });
    expect([days(undefined, local), days(undefined, s3), days(7, s3), days(0, local)]).toEqual([30, 0, 7, 0]);
  });

  it('is for administrators', async () => {
    await open('copy');
    const token = await registerUser(server);
    for (const path of ['/jobs/verify', '/jobs/gc'])
      expect((await server.api(path, { method: 'POST', token, body: {} })).status).toBe(403);
  });
});

describe('garbage collection', () => {
  const foreignPath = (name: string): string => join(server.dir, 'library', name);
  const leaveFile = (name: string): string => {
    mkdirSync(dirname(foreignPath(name)), { recursive: true });
    writeFileSync(foreignPath(name), 'left behind');
    return name;
  };

  it('lists first, waits a week, and deletes nothing that is used or unknown', async () => {
    const tracks = await open('copy');
    const garbage = leaveFile(`audio/ab/ab${'0'.repeat(62)}.mp3`);
    leaveFile('audio/ab/notes.txt');
    const cover = leaveFile('covers/77777.jpg');
    expect(await collect(false)).toMatchObject({ unused: 0, young: 2, deleted: 0 });
    clock += 8 * DAY_MS;
    expect(await collect(true)).toMatchObject({ dry_run: true, unused: 2, deleted: 0, keys: [garbage, cover] });
    expect(existsSync(foreignPath(garbage))).toBe(true);
    expect(await collect(false)).toMatchObject({ dry_run: false, unused: 2, deleted: 2, young: 0 });
    expect([
      existsSync(foreignPath(garbage)),
      existsSync(foreignPath(cover)),
      existsSync(foreignPath('audio/ab/notes.txt')),
    ]).toEqual([false, false, true]);
    expect(server.app.db.select().from(orphanedCovers).all()).toEqual([]);
    for (const track of tracks) expect(existsSync(pathOf(track))).toBe(true);
    for (const { key } of server.app.db.select().from(albumCovers).all())
      if (key !== null) expect(existsSync(foreignPath(key))).toBe(true);
  });

  it('finds objects by the hash in their key, and tracks by id, with indexes', async () => {
    await open('copy');
    const { db } = server.app;
    const plan = (sql: string, ...values: unknown[]): string =>
      (db.$client.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[])
        .map(({ detail }) => detail)
        .join('; ');
    expect(
      plan('SELECT 1 FROM tracks WHERE content_hash = ? AND storage_uri IN (?, ?) LIMIT 1', 'a', 'b', 'c'),
    ).toContain('tracks_content_hash');
    expect(
      plan(
        "SELECT DISTINCT storage_uri FROM tracks WHERE content_hash >= ? AND content_hash < ? AND storage_uri LIKE ? || '%'",
        'ab',
        'abg',
        'local:',
      ),
    ).toContain('tracks_content_hash');
    expect(prepareIsUsed(db)('nothing', 'audio/x')).toBe(false);
    expect(prepareListTracks(db)(0, 3).map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});
