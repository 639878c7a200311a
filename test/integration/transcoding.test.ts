// Transcoding with ffmpeg in /stream, with real audio and the real program.
import { spawnSync } from 'node:child_process';
import {
  ftruncateSync,
  closeSync,
  openSync,
  writeSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get as httpGet, type ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type { tracks } from '../../server/db/schema.ts';
import { fittingBitrate } from '../../server/media/transcode.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { streamingRoutes } from '../../server/streaming/routes.ts';
import { createTranscodes, type Transcodes } from '../../server/streaming/transcode-cache.ts';
import { quiet } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';
import { openLibrary, serveRoutes, type OpenLibrary, type Served } from './storage-server.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'converting audio is');
const AUDIO_SECONDS = 8;

let dir: string;
let library: OpenLibrary;
let streamServer: Served;
let transcodes: Transcodes;
let song: TrackId;
let cacheBytes: number;
let program: string | undefined;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tonearm-transcoding-'));
  mkdirSync(join(dir, 'music'));
  library = openLibrary(join(dir, 'tonearm.db'));
  program = ffmpeg;
  cacheBytes = 1e9;
  transcodes = createTranscodes({
    log: quiet,
    now: () => new Date(),
    cacheDir: join(dir, 'cache'),
    ffmpeg: async () => program,
    maxRunning: () => 2,
    cacheBytes: () => cacheBytes,
  });
  const audioStore = createAudioStore({
    storage: createLocalStorage({ root: join(dir, 'library') }),
    musicRoots: () => join(dir, 'music'),
  });
  streamServer = await serveRoutes(
    streamingRoutes({ db: library.db, audioStore, onGone: () => undefined, transcodes }),
  );
  song = addFile('song.wav', AUDIO_SECONDS);
});
afterEach(async () => {
  await transcodes.close();
  await streamServer.close();
  library.db.$client.close();
  await rm(dir, { recursive: true, force: true });
});

/** Writes a WAV file of so many seconds, 8 kHz mono; long files are sparse. */
function addFile(name: string, seconds: number, values: Partial<typeof tracks.$inferInsert> = {}): TrackId {
  const data = seconds * 16_000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data, 40);
  const fd = openSync(join(dir, 'music', name), 'w');
  writeSync(fd, head);
  if (seconds <= AUDIO_SECONDS)
    writeSync(
      fd,
      Buffer.from(
        Int16Array.from({ length: seconds * 8_000 }, (_, n) => 9_000 * Math.sin((n * 440 * 2 * Math.PI) / 8_000))
          .buffer,
      ),
    );
  ftruncateSync(fd, 44 + data);
  closeSync(fd);
  return library.addTrack({
    storageUri: `file:${name}`,
    format: 'wav',
    title: name,
    artistName: 'Band',
    durationMs: seconds * 1_000,
    bitrateKbps: 128,
    sourceId: name,
    ...values,
  });
}

const address = (id: number, query: string): string => `${streamServer.url}/stream/${id}?${query}`;
const getStream = (
  id: number,
  query: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> => fetch(address(id, query), { method, headers: { authorization: 'Bearer good', ...headers } });
const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

function durationOf(bytes: Buffer, extension: string): number {
  const file = join(dir, `out.${extension}`);
  writeFileSync(file, bytes);
  const { stderr } = spawnSync(ffmpeg ?? '', ['-hide_banner', '-i', file, '-f', 'null', '-'], { encoding: 'utf8' });
  const [, h = '', m = '', s = ''] = /.*time=(\d+):(\d+):([\d.]+)/s.exec(stderr) ?? [];
  return Number(h) * 3600 + Number(m) * 60 + Number(s);
}

/** Returns the running ffmpeg processes that this process started. */
function children(): number {
  const ownProcesses = readdirSync('/proc/self/task').flatMap((task) =>
    readUnlessEnded(`/proc/self/task/${task}/children`).trim().split(' ').filter(Boolean),
  );
  return ownProcesses.filter(
    (pid) =>
      readUnlessEnded(`/proc/${pid}/comm`).startsWith('ffmpeg') &&
      !/^State:\s+Z/m.test(readUnlessEnded(`/proc/${pid}/status`)),
  ).length;
}

/** Threads and processes may end between listing and reading them. */
function readUnlessEnded(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const cacheFiles = (): string[] => readdirSync(join(dir, 'cache', 'transcodes'));

/** Opens a stream, reads its headers, and then nothing more. */
const listen = (id: number, query: string): Promise<ClientRequest> =>
  new Promise((resolve, reject) => {
    const request = httpGet(
      address(id, query),
      { headers: { authorization: 'Bearer good' }, agent: false },
      (response) => {
        response.pause();
        resolve(request);
      },
    );
    request.on('error', reject);
  });

describe.runIf(ffmpeg)('a track in another format', () => {
  it.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/ogg; codecs=opus'],
    ['ogg', 'audio/ogg'],
    ['aac', 'audio/aac'],
    ['m4a', 'audio/mp4'],
    ['flac', 'audio/flac'],
  ])('%s has the duration of the original', async (format, type) => {
    const response = await getStream(song, `format=${format}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('accept-ranges')).toBe('none');
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.headers.get('content-disposition')).toContain(`song.wav.${format}`);
    expect(Math.abs(durationOf(await readBytes(response), format) - AUDIO_SECONDS)).toBeLessThan(0.3);
  });

  it.each(['mp3', 'opus', 'ogg', 'aac', 'm4a'] as const)(
    '%s keeps to the bit rate that was asked for',
    async (format) => {
      for (const requestedKbps of [64, 256]) {
        const promisedKbps = fittingBitrate(format, requestedKbps);
        const bytes = await readBytes(await getStream(song, `format=${format}&max_bitrate=${requestedKbps}`));
        const kbps = (bytes.length * 8) / 1_000 / AUDIO_SECONDS;
        expect(Math.abs(kbps / promisedKbps - 1), `${promisedKbps}: ${kbps}`).toBeLessThan(0.1);
      }
    },
  );

  it.each(['opus', 'ogg', 'm4a'])('%s is the same bytes each time', async (format) => {
    const [first, second] = [
      await readBytes(await getStream(song, `format=${format}&start_ms=5000`)),
      await readBytes(await getStream(song, `format=${format}&start_ms=5000`)),
    ];
    expect(first.equals(second)).toBe(true);
  });

  it('is a file with ranges once it is complete', async () => {
    const fullBytes = await readBytes(await getStream(song, 'format=mp3'));
    await expect.poll(() => transcodes.running()).toBe(0);
    const wholeAnswer = await getStream(song, 'format=mp3');
    expect(wholeAnswer.headers.get('accept-ranges')).toBe('bytes');
    expect(wholeAnswer.headers.get('content-length')).toBe(String(fullBytes.length));
    expect((await readBytes(wholeAnswer)).equals(fullBytes)).toBe(true);

    const etag = wholeAnswer.headers.get('etag') ?? '';
    const partialResponse = await getStream(song, 'format=mp3', { range: 'bytes=1000-1999', 'if-range': etag });
    expect(partialResponse.status).toBe(206);
    expect(partialResponse.headers.get('content-range')).toBe(`bytes 1000-1999/${fullBytes.length}`);
    expect((await readBytes(partialResponse)).equals(fullBytes.subarray(1000, 2000))).toBe(true);
    expect((await getStream(song, 'format=mp3', { range: `bytes=${fullBytes.length}-` })).status).toBe(416);
    expect((await getStream(song, 'format=mp3', { 'if-none-match': etag })).status).toBe(304);
  });

  it('answers a request for the first two bytes, as iPhones send it, also before it is complete', async () => {
    const response = await getStream(song, 'format=mp3', { range: 'bytes=0-1' });
    expect(response.status).toBe(206);
    const total = Number(/^bytes 0-1\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]);
    const rangeAnswer = await getStream(song, 'format=mp3', { range: `bytes=0-${total - 1}` });
    expect((await readBytes(rangeAnswer)).length).toBe(total);
  });

  it('is sent at once for a range of the whole', async () => {
    const response = await getStream(song, 'format=mp3', { range: 'bytes=0-' });
    expect(response.status).toBe(200);
    expect(response.headers.get('accept-ranges')).toBe('none');
    expect(durationOf(await readBytes(response), 'mp3')).toBeGreaterThan(AUDIO_SECONDS - 0.3);
  });

  it('starts at the requested offset, with its own duration, and is not cached', async () => {
    const response = await getStream(song, 'format=mp3&start_ms=5000');
    expect(Math.abs(durationOf(await readBytes(response), 'mp3') - (AUDIO_SECONDS - 5))).toBeLessThan(0.3);
    await expect.poll(() => cacheFiles()).toEqual([]);
  });

  it('answers HEAD with its type and starts nothing', async () => {
    const response = await getStream(song, 'format=opus', {}, 'HEAD');
    expect([response.status, response.headers.get('content-type'), response.headers.get('accept-ranges')]).toEqual([
      200,
      'audio/ogg; codecs=opus',
      'none',
    ]);
    expect(transcodes.running()).toBe(0);
    expect((await getStream(song, 'format=mp3', {}, 'HEAD')).status).toBe(200);
    await readBytes(await getStream(song, 'format=mp3'));
    await expect.poll(() => transcodes.running()).toBe(0);
    expect(Number((await getStream(song, 'format=mp3', {}, 'HEAD')).headers.get('content-length'))).toBeGreaterThan(
      10_000,
    );
  });

  it('is only transcoded if its bit rate is above the requested one', async () => {
    expect((await getStream(song, 'max_bitrate=128')).headers.get('content-type')).toBe('audio/wav');
    const narrow = await getStream(song, 'max_bitrate=64');
    expect(narrow.headers.get('content-type')).toBe('audio/mpeg');
    expect(((await readBytes(narrow)).length / 1000 / AUDIO_SECONDS) * 8).toBeLessThan(70);
    expect((await getStream(song, 'format=raw&max_bitrate=64')).headers.get('content-type')).toBe('audio/wav');
  });

  it('is the original without ffmpeg', async () => {
    program = undefined;
    const response = await getStream(song, 'format=mp3');
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect((await readBytes(response)).length).toBe(44 + AUDIO_SECONDS * 16_000);
  });

  it('is made once for two requests at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => readBytes(await getStream(song, 'format=opus'))),
    );
    for (const answer of answers) expect(answer.equals(answers[0] as Buffer)).toBe(true);
    await expect.poll(() => transcodes.running()).toBe(0);
    expect(cacheFiles()).toHaveLength(1);
  });

  it('is made again when the file has changed', async () => {
    await readBytes(await getStream(song, 'format=mp3'));
    await expect.poll(() => transcodes.running()).toBe(0);
    utimesSync(join(dir, 'music', 'song.wav'), new Date(0), new Date(1_000));
    expect((await getStream(song, 'format=mp3')).headers.get('accept-ranges')).toBe('none');
  });

  it('is an error with a reason when the file is not audio', async () => {
    writeFileSync(join(dir, 'music', 'song.wav'), 'ffconcat version 1.0\nfile /etc/hostname\n');
    const response = await getStream(song, 'format=mp3');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ detail: 'This track could not be converted. Try the original.' });
    await expect.poll(() => cacheFiles()).toEqual([]);
  });

  it('is sent but not cached when the audio is shorter than declared', async () => {
    const shortTrackId = addFile('cut.wav', AUDIO_SECONDS, { durationMs: 60_000 });
    expect(durationOf(await readBytes(await getStream(shortTrackId, 'format=mp3')), 'mp3')).toBeGreaterThan(
      AUDIO_SECONDS - 0.3,
    );
    await expect.poll(() => cacheFiles()).toEqual([]);
  });

  it('replaces the least recently used in the cache', async () => {
    for (const format of ['mp3', 'opus', 'aac']) {
      await readBytes(await getStream(song, `format=${format}`));
      await expect.poll(() => transcodes.running()).toBe(0);
    }
    const [mp3] = cacheFiles().filter((name) => name.endsWith('.mp3'));
    utimesSync(join(dir, 'cache', 'transcodes', mp3 as string), new Date(0), new Date(0));
    cacheBytes = cacheFiles().reduce((sum, name) => sum + statSync(join(dir, 'cache', 'transcodes', name)).size, 0);
    await readBytes(await getStream(song, 'format=ogg&max_bitrate=48'));
    await transcodes.close();
    expect(
      cacheFiles()
        .map((name) => name.replace(/.*\./, ''))
        .sort(),
    ).toEqual(['aac', 'ogg', 'opus']);
  });
});

describe.runIf(ffmpeg && process.platform === 'linux')('many transcodes', () => {
  it('never run more programs than allowed for twenty requests at once, and all are answered', async () => {
    let maxRunning = 0;
    const watch = setInterval(() => {
      maxRunning = Math.max(maxRunning, children());
    }, 5);
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, n) => (await readBytes(await getStream(song, `format=mp3&start_ms=${n * 100}`))).length,
      ),
    );
    clearInterval(watch);
    expect(answers.every((length) => length > 1_000)).toBe(true);
    expect(maxRunning).toBeGreaterThan(0);
    expect(maxRunning).toBeLessThanOrEqual(2);
    await expect.poll(() => [children(), cacheFiles().filter((name) => name.endsWith('.part'))]).toEqual([0, []]);
  });

  it('leave no program and no file behind when all listeners disconnect', async () => {
    const hours = addFile('hours.wav', 4 * 3_600);
    const [first, second] = [await listen(hours, 'format=opus'), await listen(hours, 'format=opus&max_bitrate=32')];
    const pendingResponses = Array.from({ length: 10 }, (_, n) =>
      httpGet(address(hours, `format=mp3&start_ms=${n + 1}`), {
        headers: { authorization: 'Bearer good' },
        agent: false,
      }).on('error', () => undefined),
    );
    await expect.poll(() => transcodes.running()).toBe(12);
    expect(children()).toBe(2);
    for (const request of [first, second, ...pendingResponses]) request.destroy();
    await expect.poll(() => [transcodes.running(), children(), cacheFiles()]).toEqual([0, 0, []]);
  });

  it('continue while one of two listeners is connected', async () => {
    const hours = addFile('hours.wav', 4 * 3_600);
    const [first, second] = [await listen(hours, 'format=opus'), await listen(hours, 'format=opus')];
    expect(transcodes.running()).toBe(1);
    first.destroy();
    await new Promise((resolve) => {
      first.once('close', resolve);
    });
    expect([transcodes.running(), children()]).toEqual([1, 1]);
    second.destroy();
    await expect.poll(() => [transcodes.running(), children()]).toEqual([0, 0]);
  });

  it('end with the server', async () => {
    const hours = addFile('hours.wav', 4 * 3_600);
    const listener = await listen(hours, 'format=opus');
    listener.on('error', () => undefined);
    await transcodes.close();
    expect(children()).toBe(0);
    expect(cacheFiles()).toEqual([]);
  });
});
