// A whole library in an object store: scanned, uploaded to, played. Failures of the store are tested in
// storage-faults.test.ts.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumPage, TrackOut } from '../../server/library/wire.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { allTracks, differences } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';
import { PATIENCE_MS } from '../support/until.ts';

const S3_LIMITS = { connectMs: PATIENCE_MS, healthCheckMs: PATIENCE_MS, silenceMs: PATIENCE_MS, attempts: 2 };

let base: string;
let manifest: Manifest;
let fake: FakeS3;
let server: TestServer;
let clock: number;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-s3-server-'));
  manifest = makeLibrary({ tracks: 24, messy: 0, seed: 's3', art: 'folder' }, join(base, 'music'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeEach(async () => {
  fake = await startFakeS3();
  clock = Date.now();
  server = await startServer({
    env: { STORAGE_BACKEND: 's3', S3_PREFIX: 'tonearm', LOCAL_MEDIA_IMPORT_PATH: manifest.dir, ...fake.settings },
    storeLimits: S3_LIMITS,
    now: () => new Date(clock),
  });
});
afterEach(async () => {
  await server.close();
  await fake.close();
});

const fileNo = (n: number): { name: string; bytes: Buffer } => {
  const { path } = manifest.files.filter((file) => !file.duplicateOf)[n] as { path: string };
  return { name: path.split('/').at(-1) ?? '', bytes: readFileSync(join(manifest.dir, path)) };
};

async function upload(...numbers: number[]) {
  const form = new FormData();
  for (const n of numbers) form.append('files', new Blob([new Uint8Array(fileNo(n).bytes)]), fileNo(n).name);
  return server.api<{ items: TrackOut[] }>('/tracks/upload', { method: 'POST', body: form });
}

async function uploadOne(n: number): Promise<TrackOut> {
  const {
    body: {
      items: [track],
    },
  } = await upload(n);
  await server.app.drain();
  if (!track) throw new Error('nothing was uploaded');
  return track;
}

async function scan(): Promise<JobOut & { result: ScanResult }> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  return (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
}

const objectOf = (track: TrackOut): Buffer | undefined =>
  fake.objects.get(`tonearm/${track.storage_uri?.slice('s3:'.length)}`)?.bytes;

/** Returns rows without their object, and objects whose hash differs from their key. */
async function orphans(): Promise<string[]> {
  const tracks = await allTracks(server);
  return tracks
    .filter((track) => !track.storage_uri?.startsWith('s3:audio/') || objectOf(track)?.length !== track.size_bytes)
    .map((track) => track.title);
}

const stream = (id: number, headers: Record<string, string> = {}, method = 'GET', query = ''): Promise<Response> =>
  fetch(`${server.url}/stream/${id}${query}`, {
    method,
    headers: { Authorization: `Bearer ${server.token}`, ...headers },
  });
const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

describe('a library in an object store', () => {
  it('is scanned, shown with covers, and played in ranges, with nothing of it on the local disk', async () => {
    const { status, result } = await scan();
    expect([status, result.failed_count]).toEqual(['succeeded', 0]);
    const tracks = await allTracks(server);
    expect(differences(tracks, manifest)).toEqual([]);
    expect(await orphans()).toEqual([]);
    expect(() => readdirSync(join(server.dir, 'library'))).toThrow('ENOENT');

    expect(tracks.filter((track) => track.metadata_status !== 'enriched')).toEqual([]);
    expect(existsSync(join(server.dir, 'tmp')) ? readdirSync(join(server.dir, 'tmp')) : []).toEqual([]);

    const [track] = tracks as [TrackOut];
    const audio = objectOf(track) as Buffer;
    const wholeAnswer = await stream(track.id);
    expect([wholeAnswer.status, wholeAnswer.headers.get('content-length')]).toEqual([200, String(audio.length)]);
    expect((await readBytes(wholeAnswer)).equals(audio)).toBe(true);
    const range = await stream(track.id, { Range: 'bytes=100-4999' });
    expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 100-4999/${audio.length}`]);
    expect((await readBytes(range)).equals(audio.subarray(100, 5_000))).toBe(true);
    const tail = await stream(track.id, { Range: 'bytes=-7' });
    expect((await readBytes(tail)).equals(audio.subarray(-7))).toBe(true);
    const head = await stream(track.id, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), (await readBytes(head)).length]).toEqual([
      200,
      String(audio.length),
      0,
    ]);
    expect((await stream(track.id, { 'If-None-Match': wholeAnswer.headers.get('etag') ?? '' })).status).toBe(304);
    expect((await stream(track.id, { Range: 'bytes=999999999-' })).status).toBe(416);

    const { body: albums } = await server.api<AlbumPage>('/albums?limit=200');
    const coveredAlbums = albums.items.filter((album) => album.has_cover);
    expect(coveredAlbums.length).toBeGreaterThan(0);
    for (const size of ['', '?size=160']) {
      const cover = await fetch(`${server.url}/api/v1/albums/${coveredAlbums[0]?.id}/cover${size}`, {
        headers: { Authorization: `Bearer ${server.token}` },
      });
      expect([cover.status, (await sharp(await readBytes(cover)).metadata()).width]).toEqual([200, expect.any(Number)]);
    }
    if (toolOrWarn('ffmpeg', 'converting audio from an object store is')) {
      const convertedResponse = await stream(track.id, { Accept: '*/*' }, 'GET', '?format=opus');
      expect([convertedResponse.status, convertedResponse.headers.get('content-type')]).toEqual([
        200,
        'audio/ogg; codecs=opus',
      ]);
      expect((await readBytes(convertedResponse)).toString('latin1', 0, 4)).toBe('OggS');
    }
    const { body: stats } = await server.api<{ disk: unknown }>('/storage');
    expect(stats.disk).toBeNull();
    expect((await scan()).result).toMatchObject({ added: 0, unchanged: result.files });
  });

  it('accepts uploads, sends the same content once, and deletes the object with its last track', async () => {
    const { status, body } = await upload(0, 1);
    expect([status, body.items.length]).toEqual([201, 2]);
    expect(await orphans()).toEqual([]);
    fake.requests.length = 0;
    expect((await upload(0)).status).toBe(200);
    expect(fake.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
    await server.app.drain();
    const [track] = body.items as [TrackOut, TrackOut];
    await server.api(`/tracks/${track.id}`, { method: 'DELETE' });
    expect(objectOf(track)).toBeDefined(); // the object of a track in the trash stays
    await server.api(`/trash/${track.id}`, { method: 'DELETE' });
    expect(objectOf(track)).toBeUndefined();
    expect(fake.objects.size).toBeGreaterThan(0);
  });
});

describe('while somebody listens', () => {
  it('a broken connection to the store is not noticed', async () => {
    const track = await uploadOne(3);
    let cuts = 2;
    fake.fault = ({ operation }) => (operation === 'GetObject' && cuts-- > 0 ? 'cut' : undefined);
    expect((await readBytes(await stream(track.id))).equals(fileNo(3).bytes)).toBe(true);
    expect(cuts).toBeLessThan(1);
  });

  it('a deleted object makes its track missing', async () => {
    const track = await uploadOne(4);
    fake.objects.delete(`tonearm/${track.storage_uri?.slice(3)}`);
    expect((await stream(track.id)).status).toBe(410);
    expect((await server.api<TrackOut>(`/tracks/${track.id}`)).body.availability).toBe('missing');
    expect((await upload(4)).status).toBe(200);
    expect((await readBytes(await stream(track.id))).equals(fileNo(4).bytes)).toBe(true);
  });
});
