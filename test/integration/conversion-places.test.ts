// Ranges of tracks that are still being converted: probes, places that are not converted yet, and resumed downloads.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import { headLength } from '../../server/media/stream-heads.ts';
import type { ProfileName } from '../../server/media/transcode.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { toolOrWarn } from '../support/tools.ts';
import { children, openConvertingServer, readBytes, SAMPLE_RATE, type ConvertingServer } from './converting-server.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'converting audio is');
const SONG_SECONDS = 600;
const LOSSY = ['mp3', 'aac', 'opus', 'ogg', 'm4a'] as const satisfies ProfileName[];
const SHORT_SECONDS = 20;
const HOURS_SECONDS = 36 * 3_600;
/** Two frames of MP3 at 32 kHz: of the encoder’s delay and of the decoder’s. */
const FRAME_SECONDS = 0.08;

let server: ConvertingServer;
let song: TrackId;
const requests: ClientRequest[] = [];

/** Noise that is nowhere like elsewhere, and which encoders keep. */
const NOISE = (() => {
  const random = seededRandom(1);
  const samples = new Int16Array(SONG_SECONDS * SAMPLE_RATE);
  let level = 0;
  for (let n = 0; n < samples.length; n++) {
    level = 0.85 * level + 4_000 * (random() - 0.5);
    samples[n] = level;
  }
  return samples;
})();

beforeEach(async () => {
  server = await openConvertingServer(ffmpeg);
  song = server.addFile('song.wav', { samples: NOISE });
});
afterEach(async () => {
  for (const request of requests.splice(0)) request.on('error', () => undefined).destroy();
  await server.close();
});

const getRange = (id: TrackId, query: string, range: string, headers: Record<string, string> = {}) =>
  server.getStream(id, query, { range: `bytes=${range}`, ...headers });
const sizeOf = (response: Response): number =>
  Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]);
const etagOf = (response: Response): string => response.headers.get('etag') ?? '';

/** Opens a stream whose bytes are not read. */
async function keepOpen(id: TrackId, query: string, headers: Record<string, string> = {}): Promise<ClientRequest> {
  const request = await server.listen(id, query, headers);
  requests.push(request);
  return request;
}

/** Reads so many bytes of a response, and closes the connection. */
async function readFirst(response: Response, count: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    chunks.push(chunk);
    if ((size += chunk.length) >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}

function decode(bytes: Buffer, extension: string): Int16Array {
  const path = join(server.dir, `decoded.${extension}`);
  writeFileSync(path, bytes);
  const args = ['-v', 'quiet', '-i', path, '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', '-'];
  const { stdout } = spawnSync(ffmpeg ?? '', args, { maxBuffer: 1e9 });
  return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
}

/** Returns the place in the song, in samples, that sounds most like the part, near the place where it should be. */
function placeInSong(part: Int16Array, expected: number): number {
  const WINDOW = 2_000;
  const start = 4_000; // decoders need the first frames to settle
  let [best, bestSum] = [0, -Infinity];
  for (let place = expected - 4_000; place <= expected + 4_000; place++) {
    let sum = 0;
    for (let n = 0; n < WINDOW; n++) sum += (part[start + n] ?? 0) * (NOISE[place + start + n] ?? 0);
    if (sum > bestSum) [best, bestSum] = [place, sum];
  }
  return best;
}

describe.runIf(ffmpeg)('a track that is being converted', () => {
  it.each(LOSSY)('answers a probe for two bytes of %s at once, with a length that it keeps', async (format) => {
    const hours = server.addFile('hours.wav', { silentSeconds: HOURS_SECONDS });
    const probe = await getRange(hours, `format=${format}`, '0-1');
    expect(probe.status).toBe(206);
    expect((await readBytes(probe)).length).toBe(2);
    expect(server.conversions.running()).toBe(1);
    const short = server.addFile('short.wav', { samples: NOISE.slice(0, SHORT_SECONDS * SAMPLE_RATE) });
    const whole = await getRange(short, `format=${format}`, '0-');
    expect(whole.headers.get('content-length')).toBe(String(sizeOf(whole)));
    const bytes = await readBytes(whole);
    expect(bytes.length).toBe(sizeOf(whole));
    // players look for the last page of Ogg to tell the duration
    if (format === 'opus' || format === 'ogg')
      expect(bytes.toString('latin1', bytes.length - 27).slice(0, 4)).toBe('OggS');
    const tail = await getRange(short, `format=${format}`, '-128');
    expect([tail.status, sizeOf(tail), (await readBytes(tail)).length]).toEqual([206, sizeOf(whole), 128]);
  });

  it('answers a probe of a lossless format without a total, because none is known', async () => {
    const hours = server.addFile('hours.wav', { silentSeconds: HOURS_SECONDS });
    const probe = await getRange(hours, 'format=flac', '0-1');
    expect([probe.status, probe.headers.get('content-range')]).toEqual([206, 'bytes 0-1/*']);
    expect((await readBytes(probe)).toString()).toBe('fL');
    expect(server.conversions.running()).toBe(1);
  });

  it.each(LOSSY)('begins %s at a place that is not converted yet, to the frame', async (format) => {
    const query = `format=${format}&max_bitrate=64`;
    const beginning = await readFirst(await getRange(song, query, '0-'), 20_000);
    const probe = await getRange(song, query, '0-1');
    const size = sizeOf(probe);
    const byte = Math.round(size * 0.9);
    const seek = await getRange(song, query, `${byte}-`);
    expect(server.conversions.running()).toBe(2);
    expect([seek.status, seek.headers.get('content-range')]).toEqual([206, `bytes ${byte}-${size - 1}/${size}`]);
    expect(etagOf(seek)).toBe(`"${etagOf(probe).slice(1, -1)}-${byte}"`);
    expect(seek.headers.get('last-modified')).toBeNull();
    const part = await readBytes(seek);
    expect(part.length).toBe(size - byte);

    const head = beginning.subarray(0, headLength(format, beginning));
    const seconds = format === 'mp3' ? (byte * 8) / 64_000 : 0.9 * SONG_SECONDS;
    const place = placeInSong(decode(Buffer.concat([head, part]), format), Math.round(seconds * SAMPLE_RATE));
    expect(Math.abs(place / SAMPLE_RATE - seconds)).toBeLessThan(FRAME_SECONDS);
  });

  it('begins at a far place of an MP3 file, to the frame', async () => {
    const samples = new Int16Array(3 * NOISE.length);
    for (let n = 0; n < 3; n++) samples.set(NOISE, n * NOISE.length);
    server.addFile('long.wav', { samples });
    const [wav, mp3] = ['long.wav', 'long.mp3'].map((name) => join(server.dir, 'music', name)) as [string, string];
    spawnSync(ffmpeg ?? '', ['-v', 'error', '-i', wav, '-c:a', 'libmp3lame', '-b:a', '64k', mp3]);
    const values = { storageUri: 'file:long.mp3', format: 'mp3', durationMs: 3 * SONG_SECONDS * 1_000 };
    const long = server.addFile('empty.wav', { silentSeconds: 1 }, values);
    const stream = await server.getStream(long, 'format=mp3&max_bitrate=32&start_ms=1500000');
    const place = placeInSong(decode(await readBytes(stream), 'mp3'), 300 * SAMPLE_RATE);
    const SOURCE_FRAME_SECONDS = 576 / SAMPLE_RATE;
    expect(Math.abs(place / SAMPLE_RATE - 300)).toBeLessThan(FRAME_SECONDS + SOURCE_FRAME_SECONDS);
  });

  it('begins at a place for a web page that loads the same track in another element', async () => {
    const hours = server.addFile('hours.wav', { silentSeconds: HOURS_SECONDS });
    const loading = await getRange(hours, 'format=mp3', '0-');
    const reader = (loading.body as ReadableStream<Uint8Array>).getReader();
    const isLoaded = (async () => {
      while (!(await reader.read()).done);
    })();
    const byte = Math.round(sizeOf(loading) * 0.9);
    const seek = await getRange(hours, 'format=mp3', `${byte}-`, { 'sec-fetch-dest': 'audio' });
    expect(etagOf(seek)).toBe(`"${etagOf(loading).slice(1, -1)}-${byte}"`);
    await Promise.all([seek.body?.cancel(), reader.cancel(), isLoaded]);
  });

  it('is not stored by browsers, which would ask for other places with If-Range', async () => {
    const playing = await getRange(song, 'format=opus', '0-1');
    expect(playing.headers.get('cache-control')).toBe('no-store');
    const seek = await getRange(song, 'format=opus', `${Math.round(sizeOf(playing) * 0.9)}-`);
    expect(seek.headers.get('cache-control')).toBe('no-store');
    await seek.body?.cancel();
  });

  it('goes on for the cache while somebody listens at another place, and is given up when nobody does', async () => {
    const query = 'format=mp3&max_bitrate=320';
    const size = sizeOf(await getRange(song, query, '0-1'));
    // what follows is too long for the buffers of a connection
    const seek = await keepOpen(song, query, { range: `bytes=${Math.round(size * 0.3)}-` });
    expect(server.conversions.running()).toBe(2);
    const isCached = (): boolean => server.cacheFiles().some((name) => name.endsWith('.mp3'));
    await expect.poll(isCached, { timeout: 60_000 }).toBe(true);
    seek.destroy();
    await expect.poll(() => [server.conversions.running(), children()]).toEqual([0, 0]);
    const longest = server.addFile('longest.wav', { silentSeconds: HOURS_SECONDS });
    const probe = await getRange(longest, 'format=mp3', '0-1');
    await readBytes(probe);
    await expect.poll(() => [server.conversions.running(), children()]).toEqual([0, 0]);
    await expect.poll(() => server.cacheFiles().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('has two programs at most for a listener who goes to many places', async () => {
    const hours = server.addFile('hours.wav', { silentSeconds: HOURS_SECONDS });
    const size = sizeOf(await getRange(hours, 'format=mp3', '0-1'));
    for (const part of [0.9, 0.5, 0.7, 0.3, 0.8])
      await keepOpen(hours, 'format=mp3', { range: `bytes=${Math.round(size * part)}-` });
    await expect.poll(children).toBeLessThanOrEqual(2);
    expect(server.conversions.running()).toBeLessThanOrEqual(2);
  });

  it('gives five listeners their first bytes although two may be converted at a time', async () => {
    for (let n = 0; n < 5; n++) {
      const hours = server.addFile(`hours ${n}.wav`, { silentSeconds: HOURS_SECONDS });
      await keepOpen(hours, 'format=mp3');
    }
    expect(server.conversions.running()).toBe(5);
  });
});

describe.runIf(ffmpeg)('a download of a converted track', () => {
  const query = 'format=opus&max_bitrate=64';
  const addShortSong = () => server.addFile('short.wav', { samples: NOISE.slice(0, 100 * SAMPLE_RATE) });

  it.each([
    ['with its ETag', (first: Response) => ({ 'if-range': etagOf(first) })],
    ['without a condition', () => ({})],
    ['with its date', (first: Response) => ({ 'if-range': first.headers.get('last-modified') ?? '' })],
  ])('is resumed %s with the same bytes, also when the conversion was given up', async (_, conditions) => {
    const short = addShortSong();
    const first = await getRange(short, query, '0-');
    const head = await readFirst(first, 300_000);
    await expect.poll(() => server.conversions.running()).toBe(0);
    expect(server.cacheFiles().filter((name) => name.endsWith('.opus'))).toEqual([]);
    const rest = await getRange(short, query, `${head.length}-`, conditions(first));
    expect([rest.status, etagOf(rest)]).toEqual([206, etagOf(first)]);
    const resumed = Buffer.concat([head, await readBytes(rest)]);
    expect(resumed.length).toBe(sizeOf(first));
    const whole = await readBytes(await getRange(short, query, '0-'));
    expect(resumed.equals(whole)).toBe(true);
  });

  it('in several parts at once, or by somebody who has nothing yet, waits for the bytes of the whole', async () => {
    const size = sizeOf(await getRange(song, query, '0-1', { 'user-agent': 'another device' }));
    const third = Math.ceil(size / 3);
    const parts = await Promise.all(
      [0, 1, 2].map(async (n) => {
        const end = Math.min(size, (n + 1) * third) - 1;
        return readBytes(await getRange(song, query, `${n * third}-${end}`));
      }),
    );
    const whole = await readBytes(await getRange(song, query, '0-'));
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  it('that began at a place is resumed from the same stream, and from no other', async () => {
    const probe = await getRange(song, query, '0-1');
    const size = sizeOf(probe);
    const byte = Math.round(size * 0.8);
    const seek = await getRange(song, query, `${byte}-`);
    const head = await readFirst(seek, 10_000);
    await expect.poll(() => server.conversions.running()).toBe(0);
    const rest = await getRange(song, query, `${byte + 10_000}-`, { 'if-range': etagOf(seek) });
    expect([rest.status, etagOf(rest)]).toEqual([206, etagOf(seek)]);
    const resumed = Buffer.concat([head, await readBytes(rest)]);
    const again = await getRange(song, query, `${byte}-`, { 'if-range': etagOf(seek) });
    expect(resumed.equals(await readBytes(again))).toBe(true);
    const earlierRange = await getRange(song, query, `${byte - 1}-`, { 'if-range': etagOf(seek) });
    expect([earlierRange.status, etagOf(earlierRange)]).toEqual([200, etagOf(probe)]);
    await earlierRange.body?.cancel();
  });

  it('keeps its length when the conversion has finished meanwhile, and others get the exact one', async () => {
    const short = addShortSong();
    const first = await getRange(short, query, '0-1');
    const whole = await readBytes(await getRange(short, query, '0-'));
    await expect.poll(() => server.conversions.running()).toBe(0);
    const later = await getRange(short, query, '100-199');
    expect([sizeOf(later), etagOf(later)]).toEqual([whole.length, etagOf(first)]);
    const other = await getRange(short, query, '100-199', { 'user-agent': 'another device' });
    expect(sizeOf(other)).toBeLessThan(whole.length);
    expect(etagOf(other)).not.toBe(etagOf(first));
    expect((await readBytes(other)).equals(await readBytes(later))).toBe(true);
    const current = await server.getStream(short, query, { 'if-none-match': etagOf(first) });
    expect(current.status).toBe(304);
  });
});

it.runIf(ffmpeg)('a connection that is closed while it waits for its turn costs nothing', async () => {
  const hours = server.addFile('hours.wav', { silentSeconds: HOURS_SECONDS });
  await keepOpen(hours, 'format=mp3');
  const request = await keepOpen(hours, 'format=opus');
  request.destroy();
  await once(request, 'close');
  await expect.poll(() => server.conversions.running()).toBe(1);
});
