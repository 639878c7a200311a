// Lost or damaged audio in the storage is repaired with exactly the right bytes or not at all; on a disk and in a
// bucket.
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import { hashInKey } from '../../server/storage/local-paths.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let base: string;
let manifest: Manifest;
let music: string;
let server: TestServer;
let fake: FakeS3 | undefined;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-mend-'));
  manifest = makeLibrary({ tracks: 4, messy: 0, seed: 'mend', art: 'none', formats: ['mp3'] }, join(base, 'music'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
afterEach(async () => {
  await server.close();
  await fake?.close();
  fake = undefined;
});

async function open(store?: FakeS3): Promise<TrackOut[]> {
  music = mkdtempSync(join(base, 'own-'));
  cpSync(manifest.dir, music, { recursive: true, preserveTimestamps: true });
  const env = { LOCAL_MEDIA_IMPORT_PATH: music, ...(store && { STORAGE_BACKEND: 's3', ...store.settings }) };
  server = await startServer({ env });
  await scan();
  return allTracks(server);
}

async function runJob<R>(path: string): Promise<R> {
  const { body } = await server.api<JobOut>(path, { method: 'POST', body: {} });
  await server.app.drain();
  return (await server.api<JobOut & { result: R }>(`/jobs/${body.id}`)).body.result;
}
const scan = (): Promise<unknown> => runJob('/sources/local_folder/scan');
const verify = (): Promise<VerifyReport> => runJob<VerifyReport>('/jobs/verify');
const keyOf = ({ storage_uri: uri }: TrackOut): string => (uri ?? '').replace(/^\w+:/, '');
const pathOf = (track: TrackOut): string => join(server.dir, 'library', keyOf(track));
const originalOf = (track: TrackOut): string => join(music, track.source_id ?? '');
const getTrack = async ({ id }: TrackOut): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body;
const play = (track: TrackOut, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/stream/${track.id}`, { headers: { Authorization: `Bearer ${server.token}`, ...headers } });
const fetchAudio = async (track: TrackOut): Promise<Buffer | undefined> => {
  const response = await play(track);
  return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
};

/** Changes a byte in the middle of a file, but not the size and time of the file. */
function flip(path: string): Buffer {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
  return bytes;
}

test('verify brings damaged and lost audio back from the music folder', async () => {
  const [damagedTrack, lostTrack] = (await open()) as [TrackOut, TrackOut];
  flip(pathOf(damagedTrack));
  rmSync(pathOf(lostTrack));
  expect(await verify()).toMatchObject({ damaged: 0, missing: 0, healed: 2 });
  for (const track of [damagedTrack, lostTrack])
    expect(readFileSync(pathOf(track)).equals(readFileSync(originalOf(track)))).toBe(true);
});

test('only matching bytes are copied, and the files in both places stay', async () => {
  const [track] = (await open()) as [TrackOut];
  const [storedBytes, originalBytes] = [flip(pathOf(track)), flip(originalOf(track))];
  expect(await verify()).toMatchObject({ damaged: 1, healed: 0, findings: [{ kind: 'damaged', track_id: track.id }] });
  expect(readFileSync(pathOf(track)).equals(storedBytes)).toBe(true);
  expect(readFileSync(originalOf(track)).equals(originalBytes)).toBe(true);
});

test('a scan brings back what was missing when its file was not there', async () => {
  const [track] = (await open()) as [TrackOut];
  renameSync(originalOf(track), join(base, 'away'));
  rmSync(pathOf(track));
  expect(await verify()).toMatchObject({ missing: 1, healed: 0 });
  expect((await getTrack(track)).availability).toBe('missing');
  renameSync(join(base, 'away'), originalOf(track));
  await scan();
  const mendedTrack = await getTrack(track);
  expect([mendedTrack.availability, mendedTrack.storage_uri]).toEqual(['available', track.storage_uri]);
  expect(readFileSync(pathOf(track)).equals(readFileSync(originalOf(track)))).toBe(true);
});

test('playing lost audio triggers its repair', async () => {
  const [track] = (await open()) as [TrackOut];
  rmSync(pathOf(track));
  expect((await play(track)).status).toBe(410);
  await server.app.drain();
  expect((await fetchAudio(track))?.equals(readFileSync(originalOf(track)))).toBe(true);
  expect((await getTrack(track)).availability).toBe('available');
});

test('in a bucket: audio that verify, a scan or a play finds damaged is restored', async () => {
  fake = await startFakeS3();
  const { objects } = fake;
  const [damagedTrack, lostTrack, playedTrack] = (await open(fake)) as [TrackOut, TrackOut, TrackOut];
  const originalBytes = new Map([...objects].map(([key, { bytes }]) => [key, bytes]));
  const isIntact = (track: TrackOut): boolean =>
    objects.get(keyOf(track))?.bytes.equals(originalBytes.get(keyOf(track)) as Buffer) === true;
  fake.putObject(keyOf(damagedTrack), Buffer.from(originalBytes.get(keyOf(damagedTrack)) as Buffer).fill(7, 100, 101));
  objects.delete(keyOf(lostTrack));
  expect(await verify()).toMatchObject({ damaged: 0, missing: 0, healed: 2 });
  expect([damagedTrack, lostTrack].map(isIntact)).toEqual([true, true]);

  fake.putObject(keyOf(playedTrack), Buffer.from(originalBytes.get(keyOf(playedTrack)) as Buffer).fill(7, 100, 101));
  await expect(fetchAudio(playedTrack)).rejects.toThrow(); // the connection ends before the last byte
  await until(() => isIntact(playedTrack));
  await server.app.drain();
  expect((await fetchAudio(playedTrack))?.equals(originalBytes.get(keyOf(playedTrack)) as Buffer)).toBe(true);
});

test('in a bucket: objects that the store reports as damaged count as damaged', async () => {
  fake = await startFakeS3();
  const [track] = (await open(fake)) as [TrackOut];
  const key = keyOf(track);
  copyFileSync(originalOf(track), join(base, 'kept'));
  flip(originalOf(track));
  fake.fault = (ask) => (ask.key === key && ask.operation === 'GetObject' ? 'damaged' : undefined);
  expect(await verify()).toMatchObject({ damaged: 1, unreadable: 0, healed: 0 });
});

test('in a bucket: a second play and a seek cost no request, and the cache repairs objects that have no other copy', async () => {
  fake = await startFakeS3();
  const [track] = (await open(fake)) as [TrackOut];
  const originalBytes = readFileSync(originalOf(track));
  expect((await fetchAudio(track))?.equals(originalBytes)).toBe(true);
  await until(() => statSync(join(server.dir, 'cache', 'objects', hashInKey(keyOf(track))), { throwIfNoEntry: false }));
  fake.requests.length = 0;
  expect((await fetchAudio(track))?.equals(originalBytes)).toBe(true);
  const receivedRange = Buffer.from(await (await play(track, { Range: 'bytes=1000-1999' })).arrayBuffer());
  expect(receivedRange.equals(originalBytes.subarray(1_000, 2_000))).toBe(true);
  expect(fake.requests).toEqual([]);

  rmSync(originalOf(track));
  fake.objects.delete(keyOf(track));
  expect(await verify()).toMatchObject({ missing: 0, healed: 1 });
  expect(fake.objects.get(keyOf(track))?.bytes.equals(originalBytes)).toBe(true);
});
