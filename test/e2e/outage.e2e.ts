// The network fails at a random moment while music plays: playback resumes by itself, with the same track at the same
// position.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { toolOrWarn } from '../support/tools.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let network: CDPSession;
/** Tracks for each test that the browser has not loaded before. */
let lists: TrackOut[][];
const ffmpeg = toolOrWarn('ffmpeg', 'audio that the browser cannot decode is');
/** Writes a WAV file of 64-bit numbers, which no browser decodes. */
function writeFloats(dir: string): void {
  if (!ffmpeg) return;
  const sine = [
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=440:duration=20',
    '-c:a',
    'pcm_f64le',
    '-metadata',
    'title=Floats',
  ];
  execFileSync(ffmpeg, ['-v', 'error', ...sine, join(dir, 'Floats.wav')]);
}
beforeAll(async () => {
  stage = await openStage({ tracks: 24, seconds: '30', messy: 0, formats: ['flac'], addMusic: writeFloats });
  page = await stage.openAsOwner(DESK_WINDOW);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: false } });
  });
  network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const { items } = await stage.api<{ items: TrackOut[] }>('/tracks?limit=200');
  lists = [items.slice(0, 5), items.slice(5, 10), items.slice(10, 15), items.slice(15, 20)];
});
afterEach(() => setNetwork(UNLIMITED));
afterAll(() => stage?.close());

/** The throughput that Chromium treats as unlimited; 0 simulates a network outage. */
const UNLIMITED = -1;
const setNetwork = (bytesPerSecond: typeof UNLIMITED | 0): Promise<unknown> =>
  network.send('Network.emulateNetworkConditions', {
    offline: bytesPerSecond === 0,
    latency: 0,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
const player = () => page.getByRole('region', { name: 'Player' });
const nowPlaying = () => player().getByRole('link').first().textContent();
const position = async (): Promise<number> =>
  Number(await player().getByRole('slider', { name: 'Position' }).inputValue());
const seek = (ms: number) => player().getByRole('slider', { name: 'Position' }).fill(String(ms));
const connectionNotice = () => player().getByText('No connection to the server.');
const playsOf = async (): Promise<number[]> =>
  (await stage.api<{ items: { track: TrackOut }[] }>('/history')).items.map(({ track }) => track.id);

async function play(tracks: TrackOut[]): Promise<void> {
  const body = { name: 'Long evening', track_ids: tracks.map(({ id }) => id) };
  const { id } = await stage.api<{ id: number }>('/playlists', { method: 'POST', body });
  await page.goto(`${stage.url}/playlists/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0);
}

test('at a change of tracks two tracks are loaded already, and the next plays when the network is back', async () => {
  const [tracks = []] = lists;
  const fetchedIds = new Set<string>();
  page.on('requestfinished', (request) => {
    const id = /\/stream\/(\d+)/.exec(request.url())?.[1];
    if (id) fetchedIds.add(id);
  });
  await play(tracks);
  await expect
    .poll(() => [...fetchedIds].sort())
    .toEqual(
      tracks
        .slice(0, 3)
        .map(({ id }) => String(id))
        .sort(),
    );
  await setNetwork(0);
  for (const track of tracks.slice(1, 3)) {
    await seek(28_000);
    await expect.poll(nowPlaying).toBe(track.title);
    await expect.poll(() => currentTime(page)).toBeGreaterThan(0);
  }
  expect(await connectionNotice().isVisible()).toBe(false);
  await seek(28_000);
  await connectionNotice().waitFor();
  expect(await nowPlaying()).toBe(tracks[3]?.title);
  await setNetwork(UNLIMITED);
  await connectionNotice().waitFor({ state: 'hidden' });
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0);
  expect(await nowPlaying()).toBe(tracks[3]?.title);
});

/** Runs in the page: breaks the track's first download off after a quarter. */
function breakOff(trackId: number): void {
  const { fetch: load } = globalThis;
  let isFirst = true;
  globalThis.fetch = async (input, init) => {
    const response = await load(input, init);
    const address = input instanceof Request ? input.url : input.toString();
    if (!isFirst || !address.includes(`/stream/${trackId}?`)) return response;
    isFirst = false;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.slice(0, bytes.length / 4)),
      pull: (controller) =>
        new Promise((resolve) => {
          addEventListener('offline', () => resolve(controller.error(new TypeError('network error'))));
        }),
    });
    return new Response(body, { headers: response.headers });
  };
}

test('after a broken download the part that has arrived plays, then the rest', async () => {
  const [, tracks = []] = lists;
  await page.addInitScript(breakOff, tracks[0]?.id ?? 0);
  await play(tracks);
  await setNetwork(0);
  await connectionNotice().waitFor();
  const stoppedAt = await position();
  expect(stoppedAt).toBeGreaterThan(3_000);
  expect(stoppedAt).toBeLessThan(12_000);
  await setNetwork(UNLIMITED);
  await connectionNotice().waitFor({ state: 'hidden' });
  await expect.poll(position).toBeGreaterThan(stoppedAt);
  expect(await nowPlaying()).toBe(tracks[0]?.title);
});

/** Runs in the page: lets the first probe of the track's audio fail as if its connection were lost. */
function loseFirstProbe(trackId: number): void {
  const { fetch: load } = globalThis;
  const page = globalThis as typeof globalThis & { isProbeLost?: true };
  globalThis.fetch = (input, init) => {
    const address = input instanceof Request ? input.url : input.toString();
    const isProbe = address.endsWith(`/stream/${trackId}`) && new Headers(init?.headers).has('Range');
    if (page.isProbeLost || !isProbe) return load(input, init);
    page.isProbeLost = true;
    return new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new DOMException('lost', 'AbortError')));
    });
  };
}

test('a request that is never answered does not end the wait', async () => {
  const [, , , tracks = []] = lists;
  await page.addInitScript(loseFirstProbe, tracks[3]?.id ?? 0);
  await play(tracks);
  await setNetwork(0);
  for (let n = 0; n < 3; n++) await player().getByRole('button', { name: 'Next track' }).click();
  await expect.poll(() => page.evaluate(() => 'isProbeLost' in globalThis)).toBe(true);
  await setNetwork(UNLIMITED);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.5);
  expect(await nowPlaying()).toBe(tracks[3]?.title);
});

test('a pause during the outage stays a pause, and one listen counts as one play', async () => {
  const [, , tracks = []] = lists;
  const playsOfFourth = async () => (await playsOf()).filter((id) => id === tracks[3]?.id).length;
  await play(tracks);
  await setNetwork(0);
  for (let n = 0; n < 3; n++) await player().getByRole('button', { name: 'Next track' }).click();
  await connectionNotice().waitFor();
  await player().getByRole('button', { name: 'Pause' }).click();
  await connectionNotice().waitFor({ state: 'hidden' });
  await setNetwork(UNLIMITED);
  await player().getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(8);
  await setNetwork(0);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(16);
  await setNetwork(UNLIMITED);
  await expect.poll(playsOfFourth).toBe(1);
});

test.runIf(ffmpeg)('what the browser cannot decode is converted, and then plays', async () => {
  const { items } = await stage.api<{ items: TrackOut[] }>('/tracks?q=Floats');
  await play(items);
  await expect.poll(position).toBeGreaterThan(1_000);
  expect(await nowPlaying()).toBe('Floats');
});
