// Errors while audio is fetched, each with the final state, the number of attempts, the waits
// between them, and the message. With a simulated clock.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DownloadJobOut } from '../../server/downloads/wire.ts';
import { startFakeArchive, type DownloadFault, type FakeArchive } from '../fakes/internet-archive.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';
import { HASTE, itemOf, makeAudio, remoteUser } from '../support/remote.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let dir: string;
let archive: FakeArchive;
let server: TestServer;
let user: ReturnType<typeof remoteUser>;
let audio: Buffer[];
let limit: HeldLimit;
let clock = new Date('2026-03-01T12:00:00Z').getTime();
let usedCount = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-faults-'));
  audio = makeAudio(join(dir, 'audio'), 24);
  limit = holdLimit(HASTE.stallMs);
  archive = await startFakeArchive();
  server = await startServer({
    env: { STREAMSRC_ENABLED: 'true', STREAMSRC_BASE_URL: archive.url, MAX_UPLOAD_BYTES: '300000' },
    cataloguePace: HASTE,
    now: () => new Date(clock),
  });
  user = remoteUser(server);
});
afterAll(async () => {
  await server.close();
  await archive.close();
  limit.release();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  archive.faults.length = 0;
  archive.ranges.length = 0;
});

interface Story {
  trackId: number;
  bytes: Buffer;
  attempts: number;
  waits: number[];
  errors: (string | null)[];
  end: DownloadJobOut;
}

/** Saves a new item of one track, and returns the id of the track. */
async function saveItem(
  bytes = audio[usedCount] as Buffer,
  files?: Record<string, string>,
): Promise<{ trackId: number; identifier: string; bytes: Buffer }> {
  const identifier = `item-${++usedCount}`;
  const item = itemOf(identifier, `Album ${usedCount}`, 'Faulty', [['Song', bytes]]);
  if (files) for (const file of item.files ?? []) file.fields = { ...file.fields, ...files };
  archive.items.set(identifier, item);
  const { body } = await server.api<{ id: number }>('/tracks/remote', {
    method: 'POST',
    body: { source: 'streamsrc', source_id: `ia:${identifier}/01 Song.mp3`, title: 'Song', artist_name: 'Faulty' },
  });
  return { trackId: body.id, identifier, bytes };
}

/** Fetches a track, advancing the clock to each next attempt; `betweenAttempts` is called after each failed attempt. */
async function fetched(
  trackId: number,
  betweenAttempts: (attempt: number, download: DownloadJobOut) => void = () => undefined,
): Promise<Omit<Story, 'bytes'>> {
  const {
    body: { id },
  } = await user.materialize(trackId);
  const [waitsMs, errors]: [number[], (string | null)[]] = [[], []];
  for (;;) {
    await server.app.drain();
    const end = await user.download(id);
    if (end.status !== 'waiting') return { trackId, attempts: end.attempts, waits: waitsMs, errors, end };
    expect((await user.track(trackId)).availability).toBe('fetching');
    const due = new Date(end.next_attempt_at ?? '').getTime();
    waitsMs.push(due - clock);
    errors.push(end.error);
    betweenAttempts(end.attempts, end);
    clock = due - 1;
    await server.app.drain(); // nothing happens just before the attempt is due
    expect((await user.download(id)).attempts).toBe(end.attempts);
    clock = due;
  }
}

/** Makes the connection of a download exceed the idle limit after this number of bytes. */
async function runOutAt(bytes: number): Promise<void> {
  const requestCount = archive.ranges.length;
  await until(() => archive.ranges.length > requestCount);
  if (bytes > 0) await expect.poll(newestBytes).toBe(bytes);
  await limit.runOut();
}

const newestBytes = async (): Promise<number | undefined> =>
  (await server.api<{ items: DownloadJobOut[] }>('/downloads?limit=1')).body.items[0]?.bytes_done;

const expectWaits = (waits: number[], seconds: number[]): void => {
  expect(waits).toHaveLength(seconds.length);
  waits.forEach((ms, i) => {
    expect(ms).toBeGreaterThanOrEqual((seconds[i] as number) * 800);
    expect(ms).toBeLessThanOrEqual((seconds[i] as number) * 1_200);
  });
};

const BACKOFF_SECONDS = [2, 4, 8, 16];
const HOST_PATTERN = String.raw`127\.0\.0\.1:\d+`;
const HTML_PAGE = Buffer.from(`<!DOCTYPE html><html><title>Please wait</title>${'<p>x</p>'.repeat(2_000)}</html>`);
const repeat = (fault: DownloadFault, times: number): DownloadFault[] => Array.from({ length: times }, () => fault);

describe('permanent errors fail at once:', () => {
  it.each<[string, DownloadFault, RegExp]>([
    ['404', { status: 404 }, new RegExp(`^The catalogue no longer has it \\(${HOST_PATTERN} answered 404\\)\\.$`)],
    ['410', { status: 410 }, /answered 410/],
    ['403', { status: 403 }, new RegExp(`^The catalogue denies access \\(${HOST_PATTERN} answered 403\\)\\.$`)],
    [
      'a redirect into the private network',
      { redirect: 'http://10.1.2.3/song.mp3' },
      /^The catalogue could not be read: 10\.1\.2\.3 is an address of this machine or inside a private network\.$/,
    ],
    [
      'a redirect to another protocol',
      { redirect: 'file:///etc/passwd' },
      /^The catalogue could not be read: file: addresses are not fetched/,
    ],
  ])('%s', async (_, fault, sentence) => {
    const { trackId } = await saveItem();
    archive.faults.push(fault);
    const { end, waits } = await fetched(trackId);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      error: expect.stringMatching(sentence),
    });
    expect(waits).toEqual([]);
    expect(await user.track(trackId)).toMatchObject({ availability: 'remote', storage_uri: null });
  });

  it('a web page instead of the audio, whatever its name', async () => {
    const { trackId } = await saveItem(HTML_PAGE, { md5: '', size: '' });
    const { end } = await fetched(trackId);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringMatching(/^This is not readable audio: .+\.$/),
    });
  });

  it('a file over the size limit, before a byte is read', async () => {
    const { trackId } = await saveItem(Buffer.alloc(300_001, 1));
    const { end } = await fetched(trackId);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'The file is larger than 300000 bytes, the limit of downloads (MAX_UPLOAD_BYTES).',
    });
    expect(archive.ranges).toEqual([]);
  });

  it('a file that is larger than announced', async () => {
    const { trackId } = await saveItem(Buffer.alloc(400_000, 1), { size: '1000', md5: '' });
    const { end } = await fetched(trackId);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringContaining('larger than 300000 bytes'),
    });
  });

  it('a withdrawn item, a missing one, and one that can only be streamed there', async () => {
    const dark = await saveItem();
    archive.items.set(dark.identifier, { identifier: dark.identifier, isDark: true });
    expect((await fetched(dark.trackId)).end).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'The Internet Archive has removed it.',
    });
    const goneTrack = await saveItem();
    archive.items.delete(goneTrack.identifier);
    expect((await fetched(goneTrack.trackId)).end).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'The Internet Archive no longer has it.',
    });
    const privateTrack = await saveItem(audio[usedCount], { private: 'true' });
    expect((await fetched(privateTrack.trackId)).end).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'The Internet Archive only allows it to be played on its own site.',
    });
  });

  it('a track that was deleted meanwhile', async () => {
    const { trackId } = await saveItem();
    archive.faults.push({ status: 500 });
    const {
      body: { id },
    } = await user.materialize(trackId);
    await server.app.drain();
    await server.api(`/tracks/${trackId}`, { method: 'DELETE' });
    clock += 300_000;
    await server.app.drain();
    expect(await user.download(id)).toMatchObject({
      status: 'failed',
      track_id: null,
      attempts: 2,
      error: 'The track was deleted.',
    });
  });
});

describe('temporary errors are retried four times, after 2, 4, 8 and 16 s:', () => {
  it.each<[string, DownloadFault, RegExp]>([
    [
      '500',
      { status: 500 },
      new RegExp(`^The catalogue is temporarily unavailable \\(${HOST_PATTERN} answered 500\\)\\.$`),
    ],
    [
      'a line that is silent',
      { stall: 0 },
      new RegExp(`^The catalogue could not be read: ${HOST_PATTERN} sent nothing for 600\\.004 s\\.$`),
    ],
    [
      'less than was announced',
      { bytes: Buffer.alloc(5_000, 1) },
      new RegExp(`^${HOST_PATTERN} sent 5000 bytes instead of \\d+\\.$`),
    ],
  ])('%s', async (_, fault, sentence) => {
    const { trackId } = await saveItem();
    archive.faults.push(...repeat(fault, 5));
    const silences = async (): Promise<void> => {
      for (let n = 0; n < 5 && 'stall' in fault; n++) await runOutAt(0);
    };
    const [{ end, waits, errors }] = await Promise.all([fetched(trackId), silences()]);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 5,
      max_attempts: 5,
      next_attempt_at: null,
      error: expect.stringMatching(sentence),
    });
    for (const error of errors) expect(error).toMatch(sentence);
    expectWaits(waits, BACKOFF_SECONDS);
    expect((await user.track(trackId)).availability).toBe('remote');
  });

  it('other bytes than in the catalogue', async () => {
    const { trackId, bytes } = await saveItem();
    archive.faults.push(...repeat({ bytes: Buffer.alloc(bytes.length, 7) }, 5));
    const { end, waits } = await fetched(trackId);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 5,
      error: 'The checksum of the download is wrong; it is restarted.',
    });
    expectWaits(waits, BACKOFF_SECONDS);
  });

  it('a catalogue that is unreachable', async () => {
    const { trackId } = await saveItem();
    await archive.close();
    const { end, waits } = await fetched(trackId);
    archive = Object.assign(await startFakeArchive(Number(new URL(archive.url).port)), { items: archive.items });
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 5,
      error: expect.stringMatching(
        new RegExp(`^The catalogue could not be read: ${HOST_PATTERN} refused the connection\\.$`),
      ),
    });
    expectWaits(waits, BACKOFF_SECONDS);
  });
});

describe('succeeds in the end after:', () => {
  const expectDownloaded = async ({ trackId, bytes }: { trackId: number; bytes: Buffer }): Promise<void> => {
    expect((await user.track(trackId)).availability).toBe('available');
    expect((await user.bytesOf(trackId)).equals(bytes)).toBe(true);
  };

  it('500 twice', async () => {
    const track = await saveItem();
    archive.faults.push({ status: 500 }, { status: 502 });
    const { end, waits } = await fetched(track.trackId);
    expect(end).toMatchObject({ status: 'succeeded', attempts: 3, error: null });
    expectWaits(waits, [2, 4]);
    await expectDownloaded(track);
  });

  it('429, after the Retry-After, five minutes at most', async () => {
    const track = await saveItem();
    archive.faults.push({ status: 429, retryAfter: 60 }, { status: 429 }, { status: 429, retryAfter: 86_400 });
    const { end, waits, errors } = await fetched(track.trackId);
    expect(end).toMatchObject({ status: 'succeeded', attempts: 4 });
    expect([waits[0], waits[2]]).toEqual([60_000, 300_000]);
    expectWaits([waits[1] as number], [4]);
    expect(errors[0]).toMatch(new RegExp(`^Too many requests to the catalogue \\(${HOST_PATTERN} answered 429\\)\\.$`));
    await expectDownloaded(track);
  });

  it('a connection that was cut twice, each time from where it stopped', async () => {
    const track = await saveItem();
    archive.faults.push({ cutAfterBytes: 3_000 }, { cutAfterBytes: 2_000 });
    const cutting = (async () => {
      for (const bytes of [3_000, 5_000]) {
        await expect.poll(newestBytes).toBe(bytes);
        archive.lines.pop()?.destroy();
      }
    })();
    const [{ end, waits, errors }] = await Promise.all([fetched(track.trackId), cutting]);
    for (const error of errors)
      expect(error).toMatch(new RegExp(`^The catalogue could not be read: ${HOST_PATTERN} closed the connection\\.$`));
    expect(end).toMatchObject({ status: 'succeeded', attempts: 3, bytes_done: track.bytes.length });
    expectWaits(waits, [2, 4]);
    expect(archive.ranges).toEqual([null, 'bytes=3000-', 'bytes=5000-']);
    await expectDownloaded(track);
  });

  it('a connection that stalled, and a file that changed meanwhile', async () => {
    const track = await saveItem();
    archive.faults.push({ stall: 4_000 });
    const another = (): void => {
      track.bytes = audio[23] as Buffer;
      archive.items.set(track.identifier, itemOf(track.identifier, 'Album', 'Faulty', [['Song', track.bytes]]));
    };
    const [{ end }] = await Promise.all([fetched(track.trackId, another), runOutAt(4_000)]);
    expect(end).toMatchObject({ status: 'succeeded' });
    expect(archive.ranges.slice(0, 2)).toEqual([null, 'bytes=4000-']);
    await expectDownloaded(track);
  });

  it.runIf(existsSync('/dev/full'))('a full disk', async () => {
    const track = await saveItem();
    archive.faults.push({ status: 500 });
    const { end, errors, waits } = await fetched(track.trackId, (attempt, { id }) => {
      const item = join(server.dir, 'downloads', String(id), 'item');
      mkdirSync(join(item, '..'), { recursive: true });
      rmSync(item, { force: true });
      if (attempt === 1) symlinkSync('/dev/full', item);
    });
    expect(end).toMatchObject({ status: 'succeeded', attempts: 3 });
    expect(errors[1]).toBe('The disk is full. Free some space and try again; what was done so far is kept.');
    expectWaits(waits, [2, 4]);
    await expectDownloaded(track);
  });

  it('a failed download that a user retries, with the part that was fetched', async () => {
    const track = await saveItem();
    archive.faults.push({ stall: 3_000 }, ...repeat({ status: 503 }, 4));
    const [{ end }] = await Promise.all([fetched(track.trackId), runOutAt(3_000)]);
    expect(end).toMatchObject({ status: 'failed', attempts: 5 });
    archive.ranges.length = 0;
    expect((await server.api(`/downloads/${end.id}/retry`, { method: 'POST' })).status).toBe(202);
    await server.app.drain();
    expect(await user.download(end.id)).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(archive.ranges).toEqual(['bytes=3000-']);
    await expectDownloaded(track);
  });
});

it('partial files are kept only for downloads that can be retried', async () => {
  const { body } = await server.api<{ items: DownloadJobOut[] }>('/downloads?limit=200');
  const failedDownloads = new Set(
    body.items.filter(({ status, attempts }) => status === 'failed' && attempts === 5).map(({ id }) => String(id)),
  );
  expect(readdirSync(join(server.dir, 'downloads')).filter((name) => !failedDownloads.has(name))).toEqual([]);
});
