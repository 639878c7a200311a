// All errors of an object store, during everything that uses it: a 503 or a retry, never a row without its object,
// never a lost object; everything continues when the store recovers. One server runs all the time.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthOut } from '../../server/http/health.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { BackupResult } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { HELD_LIMITS, startFakeS3, type FakeS3, type S3Ask, type S3Fault } from '../fakes/s3.ts';
import { openBackup, restoreFrom } from '../support/backup-folders.ts';
import { rowsIn } from '../support/backups.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';
import { makeLibrary } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

/** Ways in which the store fails: `uploadFault` for uploads, `requestFault` for other requests. */
const STORAGE_FAULTS: [string, { uploadFault: S3Fault; requestFault: S3Fault }][] = [
  ['errors', inBothDirections({ status: 500, code: 'InternalError' })],
  ['silence', inBothDirections('silent')],
  ['cut connections', inBothDirections('cut')],
  ['wrong checksums', { uploadFault: { status: 400, code: 'BadDigest' }, requestFault: 'damaged' }],
  ['refusals', inBothDirections({ status: 403, code: 'AccessDenied' })],
  ['a wrong clock', inBothDirections({ status: 403, code: 'RequestTimeTooSkewed' })],
  ['no bucket', inBothDirections({ status: 404, code: 'NoSuchBucket' })],
];
function inBothDirections(fault: S3Fault): { uploadFault: S3Fault; requestFault: S3Fault } {
  return { uploadFault: fault, requestFault: fault };
}

let base: string;
let music: string;
let freshFiles: string[];
let fake: FakeS3;
let server: TestServer;
let clock: number;
let silence: HeldLimit;
let connectLimit: HeldLimit;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-faults-'));
  const manifest = makeLibrary(
    { tracks: 8 * STORAGE_FAULTS.length, messy: 0, seed: 'faults', art: 'none', seconds: '1', formats: ['mp3'] },
    join(base, 'files'),
  );
  freshFiles = manifest.files.filter((file) => !file.duplicateOf).map(({ path }) => join(manifest.dir, path));
  music = join(base, 'music');
  mkdirSync(music);
  silence = holdLimit(HELD_LIMITS.silenceMs);
  connectLimit = holdLimit(HELD_LIMITS.connectMs);
  fake = await startFakeS3();
  fake.onSilence = () => void silence.runOut();
  clock = Date.now();
  server = await startServer({
    env: {
      STORAGE_BACKEND: 's3',
      STORE_CACHE_BYTES: '0',
      S3_PREFIX: 'tonearm',
      BACKUP_TARGET: 's3',
      LOCAL_MEDIA_IMPORT_PATH: music,
      ACCESS_TOKEN_TTL: '900d',
      ...fake.settings,
      ...fake.backupSettings,
      BACKUP_S3_PREFIX: 'tonearm/backups',
    },
    storeLimits: HELD_LIMITS,
    now: () => new Date(clock),
  });
});
afterAll(async () => {
  await server.close();
  await fake.close();
  connectLimit.release();
  silence.release();
  rmSync(base, { recursive: true, force: true });
});

const takeFreshFile = (): string => freshFiles.pop() ?? '';
const readStoredObject = (track: TrackOut): Buffer | undefined =>
  fake.objects.get(`tonearm/${track.storage_uri?.slice('s3:'.length)}`)?.bytes;
const isOfBackup = ({ key }: S3Ask): boolean => key.startsWith('tonearm/backups/');
const jobOf = async <R>(id: number): Promise<JobOut & { result: R }> =>
  (await server.api<JobOut & { result: R }>(`/jobs/${id}`)).body;

async function begin(path: string): Promise<JobOut> {
  const { body } = await server.api<JobOut>(path, { method: 'POST', body: {} });
  await server.app.drain();
  return jobOf(body.id);
}

/** Lets the store recover, and retries pending jobs. */
async function recover<R>(id: number): Promise<JobOut & { result: R }> {
  fake.fault = () => undefined;
  clock += HOUR_MS;
  await server.app.drain();
  return jobOf<R>(id);
}

async function upload(path: string) {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(readFileSync(path))]), path.split('/').at(-1));
  return server.api<{ items: TrackOut[]; detail?: string }>('/tracks/upload', { method: 'POST', body: form });
}

/** Waits for this state in /health, which reuses the result of a check for a second. */
const health = (storage: HealthOut['storage']): Promise<HealthOut> =>
  until(
    async () => (await server.api<HealthOut>('/health')).body,
    (row) => row.storage === storage,
  );

async function expectNoRowWithoutObject(): Promise<void> {
  const tracksWithoutCover = (await allTracks(server)).filter(
    (track) => track.availability !== 'available' || readStoredObject(track)?.length !== track.size_bytes,
  );
  expect(tracksWithoutCover.map(({ title }) => title)).toEqual([]);
}

interface Fault {
  uploadFault: S3Fault;
  requestFault: S3Fault;
}

const ACTIVITIES: [string, (fault: Fault) => Promise<void>][] = [
  [
    'uploading: refused with 503, and taken later',
    async ({ uploadFault }) => {
      const path = takeFreshFile();
      const count = (await allTracks(server)).length;
      fake.fault = ({ method }) => (method === 'PUT' ? uploadFault : undefined);
      const refusedUpload = await upload(path);
      expect([refusedUpload.status, refusedUpload.headers.get('retry-after') !== null]).toEqual([503, true]);
      expect(await allTracks(server)).toHaveLength(count);
      fake.fault = () => undefined;
      const { status, body } = await upload(path);
      expect([status, readStoredObject(body.items[0] as TrackOut)?.equals(readFileSync(path))]).toEqual([201, true]);
    },
  ],

  [
    'scanning: the scan waits, and ends later with everything',
    async ({ uploadFault }) => {
      const names = [takeFreshFile(), takeFreshFile(), takeFreshFile()].map((path) => {
        const to = join(music, `${freshFiles.length}`, path.split('/').at(-1) ?? '');
        mkdirSync(dirname(to), { recursive: true });
        cpSync(path, to);
        return to.slice(music.length + 1);
      });
      let sentSoFar = 0;
      fake.fault = ({ method }) => (method === 'PUT' && ++sentSoFar > 1 ? uploadFault : undefined);
      const scan = await begin('/sources/local_folder/scan');
      expect([scan.status, typeof scan.error]).toEqual(['waiting', 'string']);
      await expectNoRowWithoutObject();
      expect(await recover<ScanResult>(scan.id)).toMatchObject({ status: 'succeeded', result: { failed_count: 0 } });
      expect((await allTracks(server)).map((track) => track.source_id)).toEqual(expect.arrayContaining(names));
    },
  ],

  [
    'streaming: refused with 503, or ended before a wrong byte; the track stays, and plays later',
    async ({ requestFault }) => {
      const [track] = (await allTracks(server)) as [TrackOut];
      const listen = (): Promise<Response> =>
        fetch(`${server.url}/stream/${track.id}`, { headers: { Authorization: `Bearer ${server.token}` } });
      fake.fault = () => requestFault;
      // damage is detected only at the end, so the last bytes are never sent
      if (requestFault === 'damaged') await expect(listen().then((answer) => answer.arrayBuffer())).rejects.toThrow();
      else {
        const answer = await listen();
        expect([answer.status, answer.headers.get('retry-after') !== null]).toEqual([503, true]);
        expect(await health('down')).toMatchObject({ status: 'degraded', storage: 'down', database: 'ok' });
      }
      fake.fault = () => undefined;
      await health('ok');
      expect(Buffer.from(await (await listen()).arrayBuffer()).equals(readStoredObject(track) as Buffer)).toBe(true);
      expect((await server.api<TrackOut>(`/tracks/${track.id}`)).body.availability).toBe('available');
    },
  ],

  [
    'backing up, at the place for backups: it waits, earlier snapshots stay, and it ends later with everything',
    async ({ uploadFault }) => {
      await upload(takeFreshFile());
      const previousBackups = new Map([...fake.objects].filter(([key]) => key.includes('/backups/')));
      fake.fault = (ask) => (ask.method === 'PUT' && isOfBackup(ask) ? uploadFault : undefined);
      const backup = await begin('/backups');
      expect([backup.status, backup.error]).toEqual([
        'waiting',
        expect.stringMatching(
          /The backup in the bucket tonearm-test\/tonearm\/backups at \S+ cannot be reached or written/,
        ),
      ]);
      for (const [key, { etag }] of previousBackups) expect([key, fake.objects.get(key)?.etag]).toEqual([key, etag]);
      expect(
        [...fake.objects.keys()].filter((key) => key.includes('/snapshots/') && !previousBackups.has(key)),
      ).toEqual([]);
      expect(await recover<BackupResult>(backup.id)).toMatchObject({
        status: 'succeeded',
        result: { absent: 0, tidy_problem: null },
      });
    },
  ],

  [
    'backing up, at the library: the snapshot names what could not be read, and the next one has it',
    async ({ requestFault }) => {
      const { body } = await upload(takeFreshFile());
      await server.app.drain();
      const key = `tonearm/${body.items[0]?.storage_uri?.slice('s3:'.length)}`;
      fake.fault = (ask) => (ask.key === key && ask.operation === 'GetObject' ? requestFault : undefined);
      const { status, result } = (await begin('/backups')) as JobOut & { result: BackupResult };
      expect([status, result.absent, result.problems]).toEqual([
        'succeeded',
        1,
        [expect.stringContaining(key.slice('tonearm/'.length)) as string],
      ]);
      fake.fault = () => undefined;
      expect((await begin('/backups')).result).toMatchObject({ absent: 0, added: 1 });
    },
  ],
];

describe.each(STORAGE_FAULTS)('a store with %s', (_, fault) => {
  it.each(ACTIVITIES)('while %s', async (_activity, live) => {
    try {
      await live(fault);
    } finally {
      fake.fault = () => undefined;
    }
    await expectNoRowWithoutObject();
    const tmp = join(server.dir, 'tmp');
    // /health writes a temporary file to check the disk
    await until(
      () =>
        existsSync(tmp)
          ? readdirSync(tmp, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
          : [],
      (objects) => objects.length === 0,
    );
  });
});

it('while all of the library cannot be read, a backup makes a snapshot with the database, and ends later with everything', async () => {
  await upload(takeFreshFile());
  await server.app.drain();
  const snapshots = (): number => [...fake.objects.keys()].filter((key) => key.includes('/snapshots/')).length;
  const previousSnapshots = snapshots();
  fake.fault = (ask) =>
    ask.key.startsWith('tonearm/audio/') || ask.operation === 'HeadBucket'
      ? { status: 500, code: 'InternalError' }
      : undefined;
  const backup = await begin('/backups');
  fake.fault = () => undefined;
  expect([backup.status, backup.error]).toEqual([
    'waiting',
    expect.stringMatching(/storage cannot be reached. Snapshot .* has everything but 1 files/) as string,
  ]);
  expect(snapshots()).toBeGreaterThanOrEqual(Math.max(1, previousSnapshots));
  expect(await recover<BackupResult>(backup.id)).toMatchObject({ status: 'succeeded', result: { absent: 0 } });
});

it('after all that, the backup restores every row and every byte', async () => {
  const tracks = await allTracks(server);
  const place = join(base, 'restored');
  await restoreFrom(await openBackup('s3', { env: { ...fake.settings, S3_PREFIX: 'tonearm' } }), place);
  expect(rowsIn(place)['tracks']).toHaveLength(tracks.length);
  for (const track of tracks)
    expect(
      readFileSync(join(place, 'library', track.storage_uri?.slice('s3:'.length) ?? '')).equals(
        readStoredObject(track) as Buffer,
      ),
    ).toBe(true);
});
