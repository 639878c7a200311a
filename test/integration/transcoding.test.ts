// Transcoding with ffmpeg in /stream, with real audio and the real program.
import { spawnSync } from 'node:child_process';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import { fittingBitrate } from '../../server/media/transcode.ts';
import { promisedBytes } from '../../server/streaming/promised-length.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { toolOrWarn } from '../support/tools.ts';
import {
  children,
  killChildren,
  openConvertingServer,
  readBytes,
  SAMPLE_RATE,
  type ConvertingServer,
} from './converting-server.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'converting audio is');
const AUDIO_SECONDS = 8;

let server: ConvertingServer;
let song: TrackId;

beforeEach(async () => {
  server = await openConvertingServer(ffmpeg);
  const tone = Int16Array.from(
    { length: AUDIO_SECONDS * SAMPLE_RATE },
    (_, n) => 9_000 * Math.sin((n * 440 * 2 * Math.PI) / SAMPLE_RATE),
  );
  song = server.addFile('song.wav', { samples: tone });
});
afterEach(() => server.close());

const getStream: ConvertingServer['getStream'] = (...args) => server.getStream(...args);
const listen: ConvertingServer['listen'] = (...args) => server.listen(...args);
const cacheFiles = (): string[] => server.cacheFiles();

function durationOf(bytes: Buffer, extension: string): number {
  const file = join(server.dir, `out.${extension}`);
  writeFileSync(file, bytes);
  const { stderr } = spawnSync(ffmpeg ?? '', ['-hide_banner', '-i', file, '-f', 'null', '-'], { encoding: 'utf8' });
  const [, h = '', m = '', s = ''] = /.*time=(\d+):(\d+):([\d.]+)/s.exec(stderr) ?? [];
  return Number(h) * 3600 + Number(m) * 60 + Number(s);
}

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
    await expect.poll(() => server.conversions.running()).toBe(0);
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

  it('has the promised length for a range of the whole', async () => {
    const response = await getStream(song, 'format=mp3', { range: 'bytes=0-' });
    expect(response.status).toBe(206);
    const size = promisedBytes({ profile: 'mp3', bitrateKbps: 128, startMs: 0 }, AUDIO_SECONDS * 1_000) ?? 0;
    expect(response.headers.get('content-range')).toBe(`bytes 0-${size - 1}/${size}`);
    const bytes = await readBytes(response);
    expect(bytes.length).toBe(size);
    expect(durationOf(bytes, 'mp3')).toBeGreaterThan(AUDIO_SECONDS - 0.3);
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
    expect(server.conversions.running()).toBe(0);
    expect((await getStream(song, 'format=mp3', {}, 'HEAD')).status).toBe(200);
    await readBytes(await getStream(song, 'format=mp3'));
    await expect.poll(() => server.conversions.running()).toBe(0);
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
    server.options.program = undefined;
    const response = await getStream(song, 'format=mp3');
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect((await readBytes(response)).length).toBe(44 + AUDIO_SECONDS * 16_000);
  });

  it('is made once for two requests at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => readBytes(await getStream(song, 'format=opus'))),
    );
    for (const answer of answers) expect(answer.equals(answers[0] as Buffer)).toBe(true);
    await expect.poll(() => server.conversions.running()).toBe(0);
    expect(cacheFiles()).toHaveLength(1);
  });

  it('is made again when the file has changed', async () => {
    await readBytes(await getStream(song, 'format=mp3'));
    await expect.poll(() => server.conversions.running()).toBe(0);
    utimesSync(join(server.dir, 'music', 'song.wav'), new Date(0), new Date(1_000));
    expect((await getStream(song, 'format=mp3')).headers.get('accept-ranges')).toBe('none');
  });

  it('is an error with a reason when the file is not audio', async () => {
    writeFileSync(join(server.dir, 'music', 'song.wav'), 'ffconcat version 1.0\nfile /etc/hostname\n');
    const response = await getStream(song, 'format=mp3');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ detail: 'This track could not be converted. Try the original.' });
    await expect.poll(() => cacheFiles()).toEqual([]);
  });

  it('is sent but not cached when the audio is shorter than declared', async () => {
    const shortTrackId = server.addFile('cut.wav', { silentSeconds: AUDIO_SECONDS }, { durationMs: 60_000 });
    expect(durationOf(await readBytes(await getStream(shortTrackId, 'format=mp3')), 'mp3')).toBeGreaterThan(
      AUDIO_SECONDS - 0.3,
    );
    await expect.poll(() => cacheFiles()).toEqual([]);
  });

  it('replaces the least recently used in the cache', async () => {
    for (const format of ['mp3', 'opus', 'aac']) {
      await readBytes(await getStream(song, `format=${format}`));
      await expect.poll(() => server.conversions.running()).toBe(0);
    }
    const [mp3] = cacheFiles().filter((name) => name.endsWith('.mp3'));
    utimesSync(join(server.dir, 'cache', 'transcodes', mp3 as string), new Date(0), new Date(0));
    server.options.cacheBytes = cacheFiles().reduce(
      (sum, name) => sum + statSync(join(server.dir, 'cache', 'transcodes', name)).size,
      0,
    );
    await readBytes(await getStream(song, 'format=ogg&max_bitrate=48'));
    await server.conversions.close();
    expect(
      cacheFiles()
        .map((name) => name.replace(/.*\./, ''))
        .sort(),
    ).toEqual(['aac', 'ogg', 'opus']);
  });
});

describe.runIf(ffmpeg && process.platform === 'linux')('many transcodes', () => {
  it('never start more than four programs for each that may work for twenty requests at once, and all are answered', async () => {
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
    expect(maxRunning).toBeLessThanOrEqual(8);
    await expect.poll(() => [children(), cacheFiles().filter((name) => name.endsWith('.part'))]).toEqual([0, []]);
  });

  it('leave no program and no file behind when all listeners disconnect', async () => {
    const hours = server.addFile('hours.wav', { silentSeconds: 4 * 3_600 });
    const [first, second] = [await listen(hours, 'format=opus'), await listen(hours, 'format=opus&max_bitrate=32')];
    const pendingResponses = Array.from({ length: 10 }, (_, n) =>
      httpGet(server.address(hours, `format=mp3&start_ms=${n + 1}`), {
        headers: { authorization: 'Bearer good' },
        agent: false,
      }).on('error', () => undefined),
    );
    await expect.poll(() => server.conversions.running()).toBe(12);
    await expect.poll(children, { timeout: 20_000 }).toBe(8);
    for (const request of [first, second, ...pendingResponses]) request.destroy();
    await expect.poll(() => [server.conversions.running(), children(), cacheFiles()]).toEqual([0, 0, []]);
  });

  it('continue while one of two listeners is connected', async () => {
    const hours = server.addFile('hours.wav', { silentSeconds: 4 * 3_600 });
    const [first, second] = [await listen(hours, 'format=opus'), await listen(hours, 'format=opus')];
    expect(server.conversions.running()).toBe(1);
    first.destroy();
    await new Promise((resolve) => {
      first.once('close', resolve);
    });
    expect([server.conversions.running(), children()]).toEqual([1, 1]);
    second.destroy();
    await expect.poll(() => [server.conversions.running(), children()]).toEqual([0, 0]);
  });

  it.each([undefined, 'bytes=0-'])(
    'are cut and not taken for complete when their program is killed: %s',
    async (range) => {
      const hours = server.addFile('hours.wav', { silentSeconds: 4 * 3_600 });
      const response = await getStream(hours, 'format=mp3', range === undefined ? {} : { range });
      killChildren();
      await expect(readBytes(response)).rejects.toThrow();
      await expect.poll(() => [server.conversions.running(), children(), cacheFiles()]).toEqual([0, 0, []]);
    },
  );

  it.each([undefined, 'bytes=0-'])('are cut and leave nothing behind when the disk is full: %s', async (range) => {
    const disk = mountSmallDisk(join(server.dir, 'cache', 'transcodes'), 2);
    if (!disk) return; // the warning says that this is not tested
    try {
      const hour = server.addFile('hour.wav', { silentSeconds: 3_600 });
      const response = await getStream(hour, 'format=mp3', range === undefined ? {} : { range });
      await expect(readBytes(response)).rejects.toThrow();
      await expect.poll(() => [server.conversions.running(), children(), cacheFiles()]).toEqual([0, 0, []]);
    } finally {
      disk.unmount();
    }
  });

  it('end with the server', async () => {
    const hours = server.addFile('hours.wav', { silentSeconds: 4 * 3_600 });
    const listener = await listen(hours, 'format=opus');
    listener.on('error', () => undefined);
    await server.conversions.close();
    expect(children()).toBe(0);
    expect(cacheFiles()).toEqual([]);
  });
});
