// Measures features of similarity in a library of 50,400 tracks in seven genres with generated sounds, in a browser
// without a graphics card: the similarity of the tracks of ten radios step by step, the time from a click on "Start
// radio" to the first sound, and how evenly the map is drawn while it is panned and zoomed. Runs only when named.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { TokenResponse } from '../../../server/auth/wire.ts';
import { buildSoundIndex, countSounds } from '../../../server/likeness/build-index.ts';
import type { ChosenTrackOut, RadioOut } from '../../../server/likeness/wire.ts';
import type { TrackOut } from '../../../server/library/wire.ts';
import { currentTime, noteSounds } from '../../e2e/stage.ts';
import { openBrowser } from '../../support/browser.ts';
import { addSoundLibrary, analyzeSoundLibrary, GENRES } from '../../support/sound-library.ts';
import { openMigrated } from '../../support/temp-database.ts';
import { atMost, ffmpeg } from '../ear/hear.ts';
import { measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';

const LIBRARY_SIZE = { artists: 60, albums: 12, tracks: 10 };
const TRACK_SECONDS = 20;
const STEP_COUNT = 100;
/** Number of tracks that a window requests from a radio at once. */
const RADIO_COUNT = 10;
const CLICK_COUNT = 20;
const LIMIT_MS = 1_000;
const FRAMES_PER_SECOND = 30;
/** Large enough for the 50,000 points that the map draws at most. */
const WINDOW_SIZE = { width: 2_400, height: 1_300 };
const MOVE_COUNT = 120;

export async function radioSuite(dir: string, { libraries }: { libraries: string }): Promise<Measure[]> {
  const product = await startProduct(await dataFolder(dir, libraries), { ANALYSIS_ENABLED: 'false' });
  try {
    console.log(await radios(product));
    return await inWindow(product);
  } finally {
    await product.stop();
  }
}

/** Returns a copy of the kept library's data folder. */
async function dataFolder(dir: string, libraries: string): Promise<string> {
  const libraryDir = join(libraries, 'radio-library');
  if (!existsSync(libraryDir)) {
    process.stderr.write('a library is being made …\n');
    const unfinishedDir = `${libraryDir}.half`;
    rmSync(unfinishedDir, { recursive: true, force: true });
    mkdirSync(unfinishedDir, { recursive: true });
    await (await startProduct(unfinishedDir, { ANALYSIS_ENABLED: 'false' })).stop(); // creates the account
    fill(unfinishedDir);
    renameSync(unfinishedDir, libraryDir);
  }
  const dataDir = join(dir, 'data');
  cpSync(libraryDir, dataDir, { recursive: true });
  return dataDir;
}

/** Fills the database; all tracks share one file. */
function fill(dataDir: string): void {
  const file = join(dataDir, 'library', 'audio', 'x');
  mkdirSync(dirname(file), { recursive: true });
  ffmpeg('-f', 'lavfi', '-i', `sine=frequency=330:duration=${TRACK_SECONDS}`, '-f', 'flac', file);
  const db = openMigrated(join(dataDir, 'tonearm.db'));
  const byGenre = addSoundLibrary(db, LIBRARY_SIZE);
  analyzeSoundLibrary(db, byGenre);
  const client = db.$client;
  client
    .prepare('UPDATE tracks SET size_bytes = ?, duration_ms = ?, sample_rate_hz = 44100, channels = 1')
    .run(statSync(file).size, 1_000 * TRACK_SECONDS);
  const index = join(dataDir, 'cache', 'likeness', 'sounds.index');
  mkdirSync(dirname(index), { recursive: true });
  buildSoundIndex(client, index, { soundCounts: countSounds(client), nowMs: Date.now() });
  client.close();
}

/**
 * Returns a table: for each radio the mean similarity of ten steps to the tracks they were chosen for, and how many
 * have its genre.
 */
async function radios(product: Product): Promise<string> {
  const ofGenre = LIBRARY_SIZE.artists * LIBRARY_SIZE.albums * LIBRARY_SIZE.tracks;
  const track = (genre: number): Promise<TrackOut> =>
    product.api<TrackOut>(`/tracks/${1 + ofGenre * genre + Math.floor(ofGenre / 3)}`); // ids are consecutive
  const seeds: [name: string, seed: object, genre?: number][] = [
    [`a track of ${GENRES[0]}`, { kind: 'track', id: (await track(0)).id }, 0],
    [`a track of ${GENRES[1]}`, { kind: 'track', id: (await track(1)).id }, 1],
    [`a track of ${GENRES[2]}`, { kind: 'track', id: (await track(2)).id }, 2],
    [`an album of ${GENRES[3]}`, { kind: 'album', id: (await track(3)).album_id }, 3],
    [`an artist of ${GENRES[5]}`, { kind: 'artist', id: (await track(5)).artist_id }, 5],
    [`genre ${GENRES[4]}`, { kind: 'genre', name: GENRES[4] }, 4],
    [`genre ${GENRES[6]}`, { kind: 'genre', name: GENRES[6] }, 6],
    ['mood calm', { kind: 'mood', mood: 'calm' }],
    ['mood driving', { kind: 'mood', mood: 'driving' }],
    ['this hour', { kind: 'moment', hour: 12, utc_offset_minutes: 0 }],
  ];
  const head = [
    'radio of',
    ...Array.from({ length: STEP_COUNT / RADIO_COUNT }, (_, n) => `${n * RADIO_COUNT + 1}–${(n + 1) * RADIO_COUNT}`),
  ];
  const rows = [[...head, 'of the genre'], Array.from({ length: head.length + 1 }, () => '---')];
  for (const [name, seed, genre] of seeds) {
    const chosenTracks: ChosenTrackOut[] = [];
    const means: string[] = [];
    while (chosenTracks.length < STEP_COUNT) {
      const playedIds = chosenTracks.map(({ track }) => track.id);
      const { items } = await product.api<RadioOut>('/radio/next', 'POST', {
        seed,
        count: RADIO_COUNT,
        played: playedIds,
      });
      const likenesses = items.flatMap(({ likeness }) => (likeness === null ? [] : [likeness]));
      means.push(
        likenesses.length === 0
          ? '–'
          : (likenesses.reduce((sum, likeness) => sum + likeness, 0) / likenesses.length).toFixed(2),
      );
      chosenTracks.push(...items);
    }
    const sameGenreTracks = chosenTracks.filter(
      ({ track }) => genre !== undefined && track.genres.includes(GENRES[genre] as string),
    );
    rows.push([name, ...means, genre === undefined ? '–' : `${sameGenreTracks.length} of ${chosenTracks.length}`]);
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function inWindow(product: Product): Promise<Measure[]> {
  const { access_token, user } = await product.api<TokenResponse>('/auth/refresh', 'POST');
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ baseURL: product.url, viewport: WINDOW_SIZE });
    await page.addInitScript(noteSounds);
    await page.addInitScript(
      ([token, owner]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: owner })),
      [access_token, user] as const,
    );
    return [...(await clicks(page)), ...(await map(page))];
  } finally {
    await browser.close();
  }
}

async function clicks(page: Page): Promise<Measure[]> {
  const times: number[] = [];
  for (let n = 0; n < CLICK_COUNT; n++) {
    await page.goto('/tracks');
    await page.evaluate(() => localStorage.removeItem('tonearm.player'));
    await page.reload();
    const row = page.locator('[data-index][data-track]').nth(n);
    await row.click({ button: 'right' });
    const item = page.getByRole('menuitem', { name: /^Start radio/ });
    await item.waitFor();
    const from = performance.now();
    await item.click();
    while ((await currentTime(page)) === 0) await page.waitForTimeout(5);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  console.log(`click to sound: ${times.map((ms) => Math.round(ms)).join(', ')} ms`);
  return [
    atMost(
      `a radio's first sound after the click, 95 of 100 of ${CLICK_COUNT}`,
      'ms',
      times[CLICK_COUNT - 2] ?? NaN,
      LIMIT_MS,
    ),
  ];
}

async function map(page: Page): Promise<Measure[]> {
  const responseFetched = page.waitForResponse(
    async (response) =>
      response.url().includes('/api/v1/map?') &&
      ((await response.json()) as { points: { id: number[] } }).points.id.length > 20_000,
  );
  await page.goto('/map');
  const points = ((await (await responseFetched).json()) as { points: { id: number[] } }).points.id.length;
  const box = await page.getByRole('application', { name: 'Map' }).boundingBox();
  if (!box) throw new Error('there is no map');
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  const movements: [name: string, move: () => Promise<void>][] = [
    [
      'walked',
      async () => {
        await page.mouse.down();
        for (let n = 0; n < MOVE_COUNT; n++)
          await page.mouse.move(middle.x + 200 * Math.sin(n / 8), middle.y + 200 * Math.cos(n / 8));
        await page.mouse.up();
      },
    ],
    [
      'zoomed',
      async () => {
        for (let n = 0; n < MOVE_COUNT; n++) await page.mouse.wheel(0, n % 40 < 20 ? -30 : 30);
      },
    ],
  ];
  const measures: Measure[] = [];
  for (const [name, move] of movements) {
    await page.evaluate(noteFrames);
    await move();
    const frames = await page.evaluate(() => (globalThis as unknown as NotedFrames).frames());
    frames.sort((a, b) => a - b);
    const percentile = (share: number): number =>
      frames[Math.min(frames.length - 1, Math.floor(share * frames.length))] as number;
    console.log(
      `map ${name}: ${frames.length} frames, median ${percentile(0.5).toFixed(1)} ms, p95 ${percentile(0.95).toFixed(1)} ms`,
    );
    const mean = frames.reduce((sum, frame) => sum + frame, 0) / frames.length;
    measures.push(
      measure({
        suite: 'radio',
        name: `the map of ${points.toLocaleString('en')} points while it is ${name}`,
        unit: 'frames/s',
        product: 1_000 / mean,
        bound: { name: 'goal', value: FRAMES_PER_SECOND },
        goal: { op: '>=', value: 1 },
      }),
    );
  }
  return measures;
}

interface NotedFrames {
  frames: () => number[];
}

/** Runs in the page: notes the milliseconds between frames until they are requested. */
function noteFrames(): void {
  const frames: number[] = [];
  let [lastFrameAt, isNoting] = [performance.now(), true];
  const note = (frameTime: number): void => {
    frames.push(frameTime - lastFrameAt);
    lastFrameAt = frameTime;
    if (isNoting) requestAnimationFrame(note);
  };
  requestAnimationFrame((frameTime) => {
    lastFrameAt = frameTime;
    requestAnimationFrame(note);
  });
  Object.assign(globalThis, {
    frames: () => {
      isNoting = false;
      return frames;
    },
  });
}
