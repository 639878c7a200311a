// The network fails at random moments while albums play, for half a second to two minutes: playback resumes by itself,
// with every track in its order. One window for each format, all at the same time. --runs N sets the number of outages
// for each.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { TrackOut } from '../../server/library/wire.ts';
import { DESK_WINDOW, openStage, type Stage } from '../e2e/stage.ts';
import { seededRandom } from '../support/test-random.ts';
import { toolOrWarn } from '../support/tools.ts';

const OUTAGE_COUNT = 30;
const ALBUM_COUNT = 3;
const TRACKS_PER_ALBUM = 6;
const TRACK_SECONDS = 20;
const [SHORTEST_SECONDS, LONGEST_SECONDS] = [0.5, 120];
const ENCODER_ARGS: Record<string, string[]> = {
  flac: ['-c:a', 'flac'],
  wav: ['-c:a', 'pcm_s16le'],
  ogg: ['-c:a', 'libvorbis', '-q:a', '6'],
  opus: ['-c:a', 'libopus', '-b:a', '160k'],
  mp3: ['-c:a', 'libmp3lame', '-q:a', '2'],
  m4a: ['-c:a', 'aac', '-b:a', '192k'],
};
/** Maximum time until playback resumes; the player asks the server every 15 seconds. */
const BACK_WITHIN_MS = 40_000;

function writeAlbums(ffmpeg: string, dir: string): void {
  for (const [format, encoder] of Object.entries(ENCODER_ARGS))
    for (let album = 1; album <= ALBUM_COUNT; album++) {
      const folder = join(dir, `${format} ${album}`);
      mkdirSync(folder, { recursive: true });
      for (let track = 1; track <= TRACKS_PER_ALBUM; track++) {
        const hz = 200 + 100 * album + 15 * track;
        const tags = { title: titleOf(format, album, track), album: `${format} ${album}`, artist: format, track };
        const metadata = Object.entries(tags).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]);
        const sine = ['-f', 'lavfi', '-i', `sine=f=${hz}:d=${TRACK_SECONDS}`];
        execFileSync(ffmpeg, ['-v', 'error', ...sine, ...encoder, ...metadata, join(folder, `${track}.${format}`)]);
      }
    }
}

const titleOf = (format: string, album: number, track: number): string => `${format} ${album}.${track}`;
const makeTitles = (format: string): string[] =>
  Array.from({ length: ALBUM_COUNT * TRACKS_PER_ALBUM }, (_, n) =>
    titleOf(format, 1 + Math.floor(n / TRACKS_PER_ALBUM), 1 + (n % TRACKS_PER_ALBUM)),
  );

/** Runs in the page: notes the titles that play, in their order. */
function noteTitles(): void {
  const titles: string[] = Object.assign(globalThis, { titles: [] as string[] }).titles;
  const checkTime = () => {
    const title = document.querySelector('section[aria-label="Player"] a')?.textContent;
    if (title && titles.at(-1) !== title) titles.push(title);
  };
  new MutationObserver(checkTime).observe(document, { subtree: true, childList: true, characterData: true });
}

/** Takes the browser offline, or makes the server unreachable while the browser believes to be online. */
async function outage(page: Page, seconds: number, isTold: boolean): Promise<void> {
  const network = await page.context().newCDPSession(page);
  const emulate = (offline: boolean) =>
    network.send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: offline ? 0 : -1,
      uploadThroughput: offline ? 0 : -1,
    });
  if (isTold) await emulate(true);
  else await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await wait(seconds * 1_000);
  if (isTold) await emulate(false);
  else await page.unroute('**/api/**');
  await network.detach();
}

interface ListeningResult {
  outages: number;
  faults: string[];
}

async function listen(stage: Stage, format: string, outages: number, random: () => number): Promise<ListeningResult> {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: false } });
  });
  const { items } = await stage.api<{ items: TrackOut[] }>(`/tracks?format=${format}&limit=200`);
  const titles = makeTitles(format);
  const byTitle = new Map(items.map((track) => [track.title, track.id]));
  const body = { name: format, track_ids: titles.map((title) => byTitle.get(title)) };
  const { id } = await stage.api<{ id: number }>('/playlists', { method: 'POST', body });
  await page.goto(`${stage.url}/playlists/${id}`);
  const player = page.getByRole('region', { name: 'Player' });
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await page.evaluate(noteTitles);
  await player.getByRole('button', { name: /repeat/i }).click(); // repeats the whole list
  const slider = player.getByRole('slider', { name: 'Position' });
  const moment = async (): Promise<string> =>
    `${await player.getByRole('link').first().textContent()} ${await slider.inputValue()}`;

  const result: ListeningResult = { outages: 0, faults: [] };
  for (; result.outages < outages; result.outages++) {
    await wait((1 + random() * TRACK_SECONDS) * 1_000);
    const seconds = SHORTEST_SECONDS * (LONGEST_SECONDS / SHORTEST_SECONDS) ** random();
    const startedAt = await moment();
    await outage(page, seconds, random() < 0.5);
    const endedAt = await moment();
    const deadline = performance.now() + BACK_WITHIN_MS;
    while ((await moment()) === endedAt && performance.now() < deadline) await wait(100);
    if ((await moment()) === endedAt) {
      result.faults.push(`silent after ${seconds.toFixed(1)} s away from ${startedAt} on, at ${endedAt}`);
      await player.getByRole('button', { name: 'Play', exact: true }).click();
    }
    console.log(`${format}: ${result.outages + 1} of ${outages}, ${seconds.toFixed(1)} s at ${startedAt}`);
  }
  const playedTitles = await page.evaluate(() => (globalThis as unknown as { titles: string[] }).titles);
  const firstIndex = titles.indexOf(playedTitles[0] ?? '');
  playedTitles.forEach((title, n) => {
    const expectedTitle = titles[(firstIndex + n) % titles.length];
    if (title !== expectedTitle) result.faults.push(`${title} was heard in place of ${expectedTitle}`);
  });
  await page.context().close();
  return result;
}

/** Plays albums through `runs` outages and prints the results. */
export async function proveOutages({ seed, runs = OUTAGE_COUNT }: { seed: number; runs?: number | undefined }) {
  const ffmpeg = toolOrWarn('ffmpeg', 'music during outages is');
  if (!ffmpeg) return false;
  const stage = await openStage({ tracks: 1, messy: 0, addMusic: (dir) => writeAlbums(ffmpeg, dir) });
  try {
    await stage.openAsOwner(DESK_WINDOW).then((page) => page.context().close());
    const formats = Object.keys(ENCODER_ARGS);
    const results = await Promise.all(formats.map((format, n) => listen(stage, format, runs, seededRandom(seed + n))));
    results.forEach(({ outages, faults }, n) =>
      console.log([`${formats[n]}: ${outages} outages, ${faults.length} faults`, ...faults].join('\n  ')),
    );
    return results.every(({ faults }) => faults.length === 0);
  } finally {
    await stage.close();
  }
}
