import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type { tracks } from '../../server/db/schema.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import type { Storage } from '../../server/storage/storage.ts';
import { streamingRoutes } from '../../server/streaming/routes.ts';
import { trackDisposition } from '../../server/streaming/service.ts';
import { SILENT_FRAME_BYTES, silentMp3 } from '../support/audio-bytes.ts';
import { openFilesBelow } from '../support/open-files.ts';
import { inPieces } from './storage-conformance.ts';
import { openLibrary, serveRoutes, type OpenLibrary, type Served } from './storage-server.ts';

const AUDIO_BYTES = randomBytes(1_500_123); // the size exceeds several send buffers and is not a multiple of their size
const onLinux = it.skipIf(process.platform !== 'linux');

let dir: string;
let music: string;
let library: OpenLibrary;
let storage: Storage;
let streamServer: Served;
let goneIds: TrackId[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tonearm-streaming-'));
  music = join(dir, 'music');
  fs.mkdirSync(music);
  library = openLibrary(join(dir, 'tonearm.db'));
  storage = createLocalStorage({ root: join(dir, 'library') });
  goneIds = [];
  const audioStore = createAudioStore({ storage, musicRoots: () => music });
  streamServer = await serveRoutes(streamingRoutes({ db: library.db, audioStore, onGone: (id) => goneIds.push(id) }));
});
afterEach(async () => {
  await streamServer.close();
  library.db.$client.close();
  await rm(dir, { recursive: true, force: true });
});

const storeTrack = async (values: Partial<typeof tracks.$inferInsert> = {}): Promise<TrackId> => {
  const { key, sha256, size } = await storage.putAudio(inPieces(AUDIO_BYTES), 'flac');
  return library.addTrack({
    storageUri: `local:${key}`,
    contentHash: sha256,
    sizeBytes: size,
    format: 'flac',
    title: 'Song',
    artistName: 'Band',
    ...values,
  });
};
const getStream = (id: number, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(`${streamServer.url}/stream/${id}`, { method, headers: { authorization: 'Bearer good', ...headers } });
const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const jsonOf = async (response: Response): Promise<{ detail: string; status: number }> =>
  (await response.json()) as never;

describe('streaming', () => {
  it('sends the whole file byte for byte, with all headers', async () => {
    const response = await getStream(await storeTrack());
    expect(response.status).toBe(200);
    expect((await readBytes(response)).equals(AUDIO_BYTES)).toBe(true);
    expect(response.headers.get('content-length')).toBe(String(AUDIO_BYTES.length));
    expect(response.headers.get('content-type')).toBe('audio/flac');
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/);
    expect(Date.parse(response.headers.get('last-modified') ?? '')).toBeGreaterThan(0);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(response.headers.get('content-disposition')).toBe(
      `inline; filename="Band - Song.flac"; filename*=UTF-8''Band%20-%20Song.flac`,
    );
  });

  const size = AUDIO_BYTES.length;
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-1', 0, 1],
    ['bytes=0-', 0, size - 1],
    ['bytes=-500', size - 500, size - 1],
    ['bytes=-99999999', 0, size - 1],
    ['bytes=262143-262144', 262_143, 262_144],
    ['bytes=1000-1400000', 1000, 1_400_000],
    [`bytes=${size - 1}-`, size - 1, size - 1],
    [`bytes=100-${size + 50}`, 100, size - 1],
  ])('answers %s with exactly those bytes', async (range, start, end) => {
    const response = await getStream(await storeTrack(), { range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`);
    expect(response.headers.get('content-length')).toBe(String(end - start + 1));
    expect((await readBytes(response)).equals(AUDIO_BYTES.subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=0-1,5-9', 'bytes=9-5', 'items=0-1', 'bytes=x'])('answers %s with the whole file', async (range) => {
    const response = await getStream(await storeTrack(), { range });
    expect(response.status).toBe(200);
    expect((await readBytes(response)).equals(AUDIO_BYTES)).toBe(true);
  });

  it.each([`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0'])(
    'rejects %s, with the size',
    async (range) => {
      const response = await getStream(await storeTrack(), { range });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${size}`);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect((await jsonOf(response)).status).toBe(416);
    },
  );

  it('answers a range only when If-Range still holds', async () => {
    const id = await storeTrack();
    const headResponse = await getStream(id, {}, 'HEAD');
    const [etag, modified] = [headResponse.headers.get('etag') ?? '', headResponse.headers.get('last-modified') ?? ''];
    for (const currentValidator of [etag, modified])
      expect((await getStream(id, { range: 'bytes=5-9', 'if-range': currentValidator })).status).toBe(206);
    for (const staleValidator of ['"other"', `W/${etag}`, 'Sun, 06 Nov 1994 08:49:37 GMT']) {
      const response = await getStream(id, { range: 'bytes=5-9', 'if-range': staleValidator });
      expect(response.status).toBe(200);
      expect((await readBytes(response)).length).toBe(size);
    }
    expect((await getStream(id, { range: `bytes=${size}-`, 'if-range': '"other"' })).status).toBe(200);
  });

  it('answers HEAD like GET without the bytes, and without ranges', async () => {
    const id = await storeTrack();
    const response = await getStream(id, { range: 'bytes=0-9' }, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(size));
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(await readBytes(response)).toHaveLength(0);
  });

  it('answers conditions with 304 and 412', async () => {
    const id = await storeTrack();
    const headResponse = await getStream(id, {}, 'HEAD');
    const [etag, modified] = [headResponse.headers.get('etag') ?? '', headResponse.headers.get('last-modified') ?? ''];
    const freshResponse = await getStream(id, { 'if-none-match': etag, range: 'bytes=0-9' });
    expect([freshResponse.status, freshResponse.headers.get('etag'), await freshResponse.text()]).toEqual([
      304,
      etag,
      '',
    ]);
    expect((await getStream(id, { 'if-modified-since': modified })).status).toBe(304);
    expect((await getStream(id, { 'if-none-match': '"x"', 'if-modified-since': modified })).status).toBe(200);
    expect((await getStream(id, { 'if-match': '"x"' })).status).toBe(412);
    expect((await getStream(id, { 'if-match': etag })).status).toBe(200);
  });

  it('sends an empty file, and refuses ranges of it', async () => {
    fs.writeFileSync(join(music, 'empty.mp3'), '');
    const id = library.addTrack({ storageUri: 'file:empty.mp3' });
    const response = await getStream(id);
    expect([response.status, response.headers.get('content-length'), (await readBytes(response)).length]).toEqual([
      200,
      '0',
      0,
    ]);
    expect((await getStream(id, { range: 'bytes=0-' })).status).toBe(416);
  });

  it('serves many listeners of one file at once', async () => {
    const id = await storeTrack();
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const start = i * 30_000;
        return (await readBytes(await getStream(id, { range: `bytes=${start}-` }))).equals(AUDIO_BYTES.subarray(start));
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
  });

  it('accepts the token as a query parameter, and requires one', async () => {
    const id = await storeTrack();
    expect((await fetch(`${streamServer.url}/stream/${id}?token=good`)).status).toBe(200);
    expect((await fetch(`${streamServer.url}/stream/${id}?token=bad`)).status).toBe(401);
    expect((await fetch(`${streamServer.url}/stream/${id}`)).status).toBe(401);
  });
});

describe('streaming unavailable audio', () => {
  it('answers 404 for an unknown track and 422 for an invalid id', async () => {
    expect((await getStream(999)).status).toBe(404);
    expect((await fetch(`${streamServer.url}/stream/abc?token=good`)).status).toBe(422);
  });

  it('answers 409 for a placeholder, and how to fetch it', async () => {
    for (const availability of ['remote', 'fetching'] as const) {
      const id = library.addTrack({ availability, storageUri: null });
      const response = await getStream(id);
      expect(response.status).toBe(409);
      expect((await jsonOf(response)).detail).toContain(`POST /api/v1/tracks/${id}/materialize`);
    }
    expect(goneIds).toEqual([]);
  });

  it('answers 410 for a missing track', async () => {
    expect((await getStream(library.addTrack({ availability: 'missing', storageUri: 'file:x.mp3' }))).status).toBe(410);
  });

  it('answers 410 when the audio no longer exists, and marks the track', async () => {
    const id = await storeTrack();
    await rm(join(dir, 'library', 'audio'), { recursive: true });
    fs.writeFileSync(join(music, 'another.mp3'), ''); // the server takes an empty folder for a disconnected disk
    const otherTrackId = library.addTrack({ storageUri: 'file:gone.mp3' });
    for (const trackId of [id, otherTrackId]) expect((await getStream(trackId)).status).toBe(410);
    expect(goneIds).toEqual([id, otherTrackId]);
  });

  it('answers 503 when the music folder is not connected, and marks nothing', async () => {
    await rm(music, { recursive: true });
    const response = await getStream(library.addTrack({ storageUri: 'file:a.mp3' }));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
    expect(goneIds).toEqual([]);
  });

  it('checks the parameters of a transcode, and sends the original without ffmpeg', async () => {
    const id = await storeTrack();
    const requestStatus = async (query: string): Promise<number> =>
      (await fetch(`${streamServer.url}/stream/${id}?token=good&${query}`, { method: 'HEAD' })).status;
    for (const query of [
      'format=mp3',
      'format=raw',
      'max_bitrate=128',
      'start_ms=0',
      'start_ms=30000&format=opus&max_bitrate=96',
    ])
      expect(await requestStatus(query)).toBe(200);
    for (const query of [
      'format=exe',
      'format=',
      'max_bitrate=0',
      'max_bitrate=-5',
      'max_bitrate=lots',
      'start_ms=-1',
      'start_ms=1e9',
      'start_ms=999999999999',
    ])
      expect(await requestStatus(query)).toBe(422);
  });
});

describe('an MP3 from a time on', () => {
  it('is sent from the frame that is heard then, without ffmpeg', async () => {
    fs.writeFileSync(join(music, 'long.mp3'), silentMp3(1_000));
    const id = library.addTrack({ storageUri: 'file:long.mp3', format: 'mp3', durationMs: 26_000 });
    const requestStream = (query: string, headers = {}) =>
      fetch(`${streamServer.url}/stream/${id}?token=good&${query}`, { headers });
    const partialResponse = await requestStream('start_ms=10000');
    const from = Math.floor((441_000 + 1_105) / 1_152) * SILENT_FRAME_BYTES;
    const size = 1_000 * SILENT_FRAME_BYTES - from;
    expect([
      partialResponse.status,
      (await readBytes(partialResponse)).length,
      partialResponse.headers.get('content-type'),
    ]).toEqual([200, size, 'audio/mpeg']);
    const range = await requestStream('start_ms=10000', { range: 'bytes=100-199' });
    expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 100-199/${size}`]);
    expect(await readBytes(range)).toEqual(silentMp3(1_000).subarray(from + 100, from + 200));
    const tags = await Promise.all(['', 'start_ms=10000', 'start_ms=11000'].map((query) => requestStream(query)));
    expect(new Set(tags.map(({ headers }) => headers.get('etag'))).size).toBe(3);
    // a start after the end still returns audio that can be decoded
    expect((await readBytes(await requestStream('start_ms=3600000'))).length).toBe(2 * SILENT_FRAME_BYTES);
    expect((await readBytes(await requestStream('start_ms=10000&format=raw'))).length).toBe(1_000 * SILENT_FRAME_BYTES);
  });

  it('is the whole file when it has no frames and there is no ffmpeg', async () => {
    fs.writeFileSync(join(music, 'no-frames.mp3'), Buffer.alloc(100_000, 0xff));
    const id = library.addTrack({ storageUri: 'file:no-frames.mp3', format: 'mp3', durationMs: 26_000 });
    const response = await fetch(`${streamServer.url}/stream/${id}?token=good&start_ms=10000`);
    expect([response.status, (await readBytes(response)).length]).toEqual([200, 100_000]);
  });
});

describe('streaming from the music folder', () => {
  it('has a new ETag when the file changes', async () => {
    fs.writeFileSync(join(music, 'a.ogg'), 'first');
    const id = library.addTrack({ storageUri: 'file:a.ogg', format: 'ogg', contentHash: 'ab'.repeat(32) });
    const firstResponse = await getStream(id);
    const etag = firstResponse.headers.get('etag') ?? '';
    expect([await firstResponse.text(), firstResponse.headers.get('content-type')]).toEqual(['first', 'audio/ogg']);
    fs.writeFileSync(join(music, 'a.ogg'), 'second');
    const secondResponse = await getStream(id, { 'if-none-match': etag });
    expect([secondResponse.status, await secondResponse.text()]).toEqual([200, 'second']);
  });

  it.skipIf(process.platform === 'win32')('opens names that are not UTF-8', async () => {
    fs.writeFileSync(Buffer.concat([Buffer.from(`${music}/`), Buffer.from([0xe9, 0x2e, 0x6d, 0x70, 0x33])]), 'audio');
    expect(await (await getStream(library.addTrack({ storageUri: 'file:\\xe9.mp3' }))).text()).toBe('audio');
  });

  onLinux('does not wait for a named pipe', async () => {
    (await import('node:child_process')).execFileSync('mkfifo', [join(music, 'pipe.mp3')]);
    expect((await getStream(library.addTrack({ storageUri: 'file:pipe.mp3' }))).status).toBe(503);
  });
});

describe('streaming from a storage without files', () => {
  it('sends the same bytes, whole and in ranges', async () => {
    const id = await storeTrack();
    const remote = createAudioStore({ storage: { ...storage, localPath: () => undefined }, musicRoots: () => music });
    const otherServer = await serveRoutes(
      streamingRoutes({ db: library.db, audioStore: remote, onGone: (track) => goneIds.push(track) }),
    );
    const requestStream = (headers: Record<string, string>, method = 'GET') =>
      fetch(`${otherServer.url}/stream/${id}?token=good`, { headers, method });
    try {
      const wholeAnswer = await requestStream({});
      expect([wholeAnswer.status, wholeAnswer.headers.get('content-length')]).toEqual([
        200,
        String(AUDIO_BYTES.length),
      ]);
      expect((await readBytes(wholeAnswer)).equals(AUDIO_BYTES)).toBe(true);
      const partialResponse = await requestStream({ range: 'bytes=300000-900000' });
      expect([partialResponse.status, partialResponse.headers.get('content-range')]).toEqual([
        206,
        `bytes 300000-900000/${AUDIO_BYTES.length}`,
      ]);
      expect((await readBytes(partialResponse)).equals(AUDIO_BYTES.subarray(300_000, 900_001))).toBe(true);
      expect((await requestStream({}, 'HEAD')).headers.get('content-length')).toBe(String(AUDIO_BYTES.length));
      expect((await requestStream({ range: `bytes=${AUDIO_BYTES.length}-` })).status).toBe(416);
      await rm(join(dir, 'library', 'audio'), { recursive: true });
      expect((await requestStream({})).status).toBe(410);
      expect(goneIds).toEqual([id]);
    } finally {
      await otherServer.close();
    }
  });
});

describe('clients that disconnect', () => {
  const openFiles = (): number => openFilesBelow(dir).length;

  onLinux('leave no open file behind', async () => {
    fs.writeFileSync(join(music, 'long.wav'), Buffer.alloc(64 << 20));
    const id = library.addTrack({ storageUri: 'file:long.wav', format: 'wav' });
    const previousOpenFiles = openFiles();
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(new URL(streamServer.url).port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`GET /stream/${id}?token=good HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await once(socket, 'data');
        socket.pause(); // the client stops reading, so that the connection fills up
        return socket;
      }),
    );
    expect(openFiles()).toBe(previousOpenFiles + 20);
    for (const socket of sockets) socket.destroy();
    await expect.poll(openFiles).toBe(previousOpenFiles);
    expect((await getStream(id, { range: 'bytes=-10' })).status).toBe(206);
  });

  it('end the search for a time in an MP3', async () => {
    const id = await storeTrack({ format: 'mp3' });
    const audioReader = new EventEmitter();
    const endless = new Readable({
      read() {
        audioReader.emit('read');
        setImmediate(() => this.push(Buffer.alloc(4_096)));
      },
    });
    const remote = createAudioStore({
      storage: { ...storage, localPath: () => undefined, open: async () => ({ stream: endless, size: 1e9 }) },
      musicRoots: () => music,
    });
    const otherServer = await serveRoutes(
      streamingRoutes({ db: library.db, audioStore: remote, onGone: () => undefined }),
    );
    try {
      const clientAbort = new AbortController();
      const answer = fetch(`${otherServer.url}/stream/${id}?token=good&start_ms=10000`, { signal: clientAbort.signal });
      await once(audioReader, 'read');
      clientAbort.abort();
      await expect(answer).rejects.toThrow('aborted');
      await expect.poll(() => endless.destroyed).toBe(true);
    } finally {
      endless.destroy();
      await otherServer.close();
    }
  });

  onLinux('get a broken connection, not a short answer, when the file shrinks under them', async () => {
    fs.writeFileSync(join(music, 'shrinks.wav'), Buffer.alloc(64 << 20));
    const id = library.addTrack({ storageUri: 'file:shrinks.wav', format: 'wav' });
    const response = await getStream(id);
    fs.truncateSync(join(music, 'shrinks.wav'), 1000);
    await expect(readBytes(response)).rejects.toThrow();
  });
});

describe('file names in Content-Disposition', () => {
  const rows: [title: string, artistName: string | null, expected: string][] = [
    ['Song', null, `inline; filename="Song.mp3"; filename*=UTF-8''Song.mp3`],
    [
      'A/B\\C:D*E?F"G<H>I|J',
      null,
      `inline; filename="A_B_C_D_E_F_G_H_I_J.mp3"; filename*=UTF-8''A_B_C_D_E_F_G_H_I_J.mp3`,
    ],
    ['Straße', 'Björk', `inline; filename="Bjork - Stra_e.mp3"; filename*=UTF-8''Bj%C3%B6rk%20-%20Stra%C3%9Fe.mp3`],
    ["It's (a) *test*", null, `inline; filename="It's (a) _test_.mp3"; filename*=UTF-8''It%27s%20%28a%29%20_test_.mp3`],
    ['a\r\nSet-Cookie: x', null, `inline; filename="a__Set-Cookie_ x.mp3"; filename*=UTF-8''a__Set-Cookie_%20x.mp3`],
    ['..', null, `inline; filename="track.mp3"; filename*=UTF-8''track.mp3`],
    ['\ud800', null, `inline; filename="_.mp3"; filename*=UTF-8''%EF%BF%BD.mp3`],
    ['東京', null, `inline; filename="__.mp3"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC.mp3`],
  ];
  it.each(rows)('%j by %j', (title, artistName, expectedName) => {
    expect(trackDisposition('inline', { title, artistName, format: 'mp3' })).toBe(expectedName);
  });

  it('are truncated', () => {
    expect(
      trackDisposition('inline', { title: 'x'.repeat(5000), artistName: null, format: 'mp3' }).length,
    ).toBeLessThan(400);
  });
});
