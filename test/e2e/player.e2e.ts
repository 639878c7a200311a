// All windows share one player; the queue and plays survive closing the windows; an album plays at double speed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HistoryOut } from '../../server/history/wire.ts';
import type { AlbumOut, ChaptersOut, TrackOut } from '../../server/library/wire.ts';
import type { QueueOut } from '../../server/playback/wire.ts';
import { vorbisComment } from '../support/audio-bytes.ts';
import { makeLibrary, pathOf } from '../support/library.ts';
import { retagMp3 } from '../support/retag.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

const LONG_ALBUM = 'Twenty Songs';
const TRACK_COUNT = 20;
const LYRICS_TEXT = '[00:00.00]First line\n[00:03.00]Second line\n[00:05.00]Third line\n';

let stage: Stage;
let album: AlbumOut;
let songs: TrackOut[];
beforeAll(async () => {
  stage = await openStage({ tracks: 20, seconds: '30', messy: 0, formats: ['mp3'], addMusic: writeSongsAndBook });
  await stage.openAsOwner(DESK_WINDOW).then((page) => page.context().close());
  const albums = (await stage.api<{ items: AlbumOut[] }>('/albums?limit=200')).items;
  album = albums
    .filter(({ title }) => title !== LONG_ALBUM)
    .reduce((longestAlbum, candidate) => (candidate.track_count > longestAlbum.track_count ? candidate : longestAlbum));
  songs = (await stage.api<{ items: TrackOut[] }>(`/albums/${album.id}/tracks`)).items;
});
afterAll(() => stage?.close());

/** Writes an album of 20 one-second tracks. */
function writeTwentySongs(dir: string): void {
  const { files, dir: folder } = makeLibrary(
    { tracks: TRACK_COUNT, formats: ['mp3'], seconds: '1', art: 'none', messy: 0, seed: 'short' },
    join(dir, 'twenty'),
  );
  files.forEach(({ path }, i) =>
    retagMp3(join(folder, path), {
      TIT2: `Song ${i + 1}`,
      TPE1: 'Twenty',
      TPE2: 'Twenty',
      TALB: LONG_ALBUM,
      TRCK: String(i + 1),
    }),
  );
}

const BOOK_TITLE = 'A Long Book';
const CHAPTER_TITLES = ['The Road', 'The Inn', 'The Sea'];

/** Writes a file with a chapter every 20 seconds. */
function writeBook(dir: string): void {
  const book = makeLibrary(
    { tracks: 1, formats: ['flac'], seconds: '60', art: 'none', messy: 0, seed: BOOK_TITLE },
    join(dir, 'book'),
  );
  const path = pathOf(book, book.files[0]!);
  const bytes = readFileSync(path);
  const comments = vorbisComment(
    `TITLE=${BOOK_TITLE}`,
    `ALBUM=${BOOK_TITLE}`,
    'ARTIST=Writer',
    ...CHAPTER_TITLES.flatMap((name, i) => [
      `CHAPTER00${i + 1}=00:00:${i * 20 || '00'}.000`,
      `CHAPTER00${i + 1}NAME=${name}`,
    ]),
  );
  const blocks: Buffer[] = [];
  let offset = 4;
  for (let isLast = false; !isLast;) {
    isLast = bytes.readUInt8(offset) >= 0x80;
    const end = offset + 4 + bytes.readUIntBE(offset + 1, 3);
    // block type 0 is the stream info
    if ((bytes.readUInt8(offset) & 0x7f) === 0) blocks.push(bytes.subarray(offset, end));
    offset = end;
  }
  const head = Buffer.alloc(4);
  head.writeUInt32BE(0x84_000000 + comments.length);
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 4), ...blocks, head, comments, bytes.subarray(offset)]));
}

function writeSongsAndBook(dir: string): void {
  writeTwentySongs(dir);
  writeBook(dir);
}

const player = (page: Page) => page.getByRole('region', { name: 'Player' });
const playingTitle = (page: Page) => player(page).getByRole('link').first().textContent();

async function playAlbum(page: Page, id: number): Promise<void> {
  await page.goto(`/albums/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
}

test('an album of 20 tracks at double speed is played to its end, no track skipped or repeated', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const [twenty] = (await stage.api<{ items: AlbumOut[] }>(`/albums?q=${encodeURIComponent(LONG_ALBUM)}`)).items;
  await page.goto(`/albums/${twenty!.id}`);
  await player(page).getByRole('button', { name: 'Playback settings' }).click();
  await page.getByRole('dialog', { name: 'Playback settings' }).getByRole('button', { name: 'Speed' }).click();
  await page.getByRole('dialog', { name: 'Playback settings' }).getByRole('slider', { name: 'Speed' }).fill('2');
  await page.keyboard.press('Escape');
  const playedTitles = await page.evaluate(() => {
    const titles: string[] = [];
    const checkFrame = () => {
      const title = document.querySelector('section[aria-label="Player"] a')?.textContent;
      if (title && titles.at(-1) !== title) titles.push(title);
    };
    new MutationObserver(checkFrame).observe(document.querySelector('section[aria-label="Player"]')!, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    return Object.assign(globalThis, { titles }).titles;
  });
  expect(playedTitles).toEqual([]);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => playingTitle(page)).toBe(`Song ${TRACK_COUNT}`);
  await player(page).getByRole('button', { name: 'Play', exact: true }).waitFor();
  expect(await page.evaluate(() => (globalThis as unknown as { titles: string[] }).titles)).toEqual(
    Array.from({ length: TRACK_COUNT }, (_, i) => `Song ${i + 1}`),
  );
  const plays = async () =>
    (await stage.api<{ items: HistoryOut[] }>('/history?limit=100')).items.map(({ title }) => title).toReversed();
  await expect.poll(plays).toEqual(Array.from({ length: TRACK_COUNT }, (_, i) => `Song ${i + 1}`));
  await page.context().close();
});

test('the player window shows and controls the same player, and plays on when the other window is closed', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await playAlbum(page, album.id);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.2);
  const smallPage = await page.context().newPage();
  await smallPage.goto(`${stage.url}/player`);
  await smallPage.getByRole('heading', { level: 1, name: songs[0]!.title }).waitFor();
  await smallPage.getByRole('button', { name: 'Next track' }).click();
  await smallPage.getByRole('heading', { level: 1, name: songs[1]!.title }).waitFor();
  await expect.poll(() => playingTitle(page)).toBe(songs[1]!.title);
  await smallPage.getByRole('button', { name: 'Pause' }).click();
  await player(page).getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.close();
  await smallPage.getByRole('button', { name: 'Play', exact: true }).click();
  await smallPage.getByRole('button', { name: 'Pause' }).waitFor();
  await smallPage.getByRole('heading', { level: 1, name: songs[1]!.title }).waitFor();
  await smallPage.getByRole('button', { name: 'Queue' }).click();
  await expect.poll(() => smallPage.getByRole('listitem').count()).toBeGreaterThan(1);
  await smallPage.context().close();
});

test('a queue of another device is offered, and continues at its position', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().waitFor();
  await stage.api('/queue', {
    method: 'PUT',
    body: { track_ids: songs.map(({ id }) => id), current_index: 1, position_ms: 4_000, client: 'Kitchen radio' },
  });
  await player(page).getByText(`${songs[1]!.title} was playing on Kitchen radio.`).waitFor();
  await player(page).getByRole('button', { name: 'Continue here' }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(4);
  expect(await playingTitle(page)).toBe(songs[1]!.title);
  await expect.poll(async () => (await stage.api<QueueOut>('/queue')).changed_by).toMatch(/ on .* #/);

  await page.reload();
  await expect.poll(() => playingTitle(page)).toBe(songs[1]!.title);
  const position = async () => Number(await player(page).getByRole('slider', { name: 'Position' }).inputValue());
  await expect.poll(position).toBeGreaterThan(3_900);
  await page.context().close();
});

test('a listen that continues after a reload counts as one play', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const lastSong = songs.at(-1)!;
  const playsOfIt = async () =>
    (await stage.api<{ items: HistoryOut[] }>(`/history?track_id=${lastSong.id}`)).items.map(
      ({ played_ms }) => played_ms,
    );
  const ofBefore = (await playsOfIt()).length;
  await playAlbum(page, album.id);
  await player(page).getByRole('button', { name: 'Queue' }).click();
  await page.getByRole('complementary', { name: 'Queue' }).getByText(lastSong.title).dblclick();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(10.5);
  await page.reload();
  await player(page).getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(17);
  await expect.poll(async () => (await playsOfIt()).length).toBe(ofBefore + 1);
  await page.context().close();
});

test('tracks of the queue are dragged to another position', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await playAlbum(page, album.id);
  await player(page).getByRole('button', { name: 'Queue' }).click();
  const queue = page.getByRole('complementary', { name: 'Queue' });
  const row = (place: number) => queue.locator(`[aria-posinset="${place}"]`);
  await row(2).getByText(songs[1]!.title).hover();
  await page.mouse.down();
  const target = (await row(4).boundingBox())!;
  await page.mouse.move(target.x + 80, target.y + 10, { steps: 8 });
  await page.mouse.move(target.x + 80, target.y + target.height / 2, { steps: 4 });
  await page.mouse.up();
  await row(4).getByText(songs[1]!.title).waitFor();
  await row(2).getByText(songs[2]!.title).waitFor();
  await expect
    .poll(async () => {
      // clicks are ignored for a moment after a drag
      const clear = queue.getByRole('button', { name: 'Clear queue' });
      if ((await clear.count()) > 0) await clear.click();
      return queue.getByText('The queue is empty.').count();
    })
    .toBe(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(4).getByText(songs[1]!.title).waitFor();
  await page.context().close();
});

test('plays without a connection are counted when it is back', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.route('**/api/v1/history', (route) => route.abort());
  const previousTotal = (await stage.api<{ total: number }>('/history')).total;
  await playAlbum(page, album.id);
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('tonearm.plays'))))
    .toBe(true);
  expect((await stage.api<{ total: number }>('/history')).total).toBe(previousTotal);
  await page.unroute('**/api/v1/history');
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await expect.poll(async () => (await stage.api<{ total: number }>('/history')).total).toBe(previousTotal + 1);
  await page.context().close();
});

test('the current line of the lyrics is highlighted, and a click on a line jumps there', async () => {
  const [firstSong] = songs;
  await stage.openAsOwner(DESK_WINDOW).then(async (page) => {
    await page.route(`**/api/v1/tracks/${firstSong!.id}/lyrics`, (route) =>
      route.fulfill({
        json: {
          synced: true,
          lines: LYRICS_TEXT.trim()
            .split('\n')
            .map((line) => ({ start_ms: Number(line.slice(4, 6)) * 1000, text: line.slice(10) })),
        },
      }),
    );
    await page.route(`**/api/v1/albums/${album.id}/tracks**`, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { items: TrackOut[] };
      await route.fulfill({ json: { ...body, items: body.items.map((track) => ({ ...track, has_lyrics: true })) } });
    });
    await playAlbum(page, album.id);
    await player(page).getByRole('button', { name: 'Lyrics' }).click();
    const lines = page.getByRole('complementary', { name: 'Lyrics' });
    await expect.poll(() => lines.locator('[aria-current]').textContent()).toBe('First line');
    await lines.getByRole('button', { name: 'Third line' }).click();
    await expect.poll(() => lines.locator('[aria-current]').textContent()).toBe('Third line');
    await expect.poll(() => currentTime(page)).toBeGreaterThan(4.9);
    await page.context().close();
  });
  expect(stage.problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
});

test('an audiobook plays from the chosen chapter and resumes where it was stopped', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const [book] = (await stage.api<{ items: AlbumOut[] }>(`/albums?q=${encodeURIComponent(BOOK_TITLE)}`)).items;
  const [track] = (await stage.api<{ items: TrackOut[] }>(`/albums/${book!.id}/tracks`)).items;
  const readPosition = async (): Promise<number> =>
    (await stage.api<ChaptersOut>(`/tracks/${track!.id}/chapters`)).position_ms ?? 0;
  await page.goto(`/albums/${book!.id}`);
  const chapters = page.getByRole('main').getByRole('region', { name: 'Chapters' });
  await chapters.getByRole('button', { name: 'The Inn' }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThanOrEqual(20);
  await chapters.locator('[aria-current]', { hasText: 'The Inn' }).waitFor();
  await player(page).getByRole('button', { name: 'Chapters' }).click();
  const panel = page.getByRole('complementary', { name: 'Chapters' });
  await panel.getByRole('button', { name: 'The Sea' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => currentTime(page)).toBeGreaterThanOrEqual(40);
  await player(page).getByRole('button', { name: 'Pause' }).click();
  await expect.poll(readPosition).toBeGreaterThanOrEqual(40_000);

  await playAlbum(page, album.id);
  await expect.poll(() => playingTitle(page)).toBe(songs[0]!.title);
  await page.goto(`/albums/${book!.id}`);
  await chapters.getByRole('button', { name: /^Continue at 0:[45]/ }).waitFor();
  await playAlbum(page, book!.id);
  await expect.poll(() => playingTitle(page)).toBe(BOOK_TITLE);
  await expect.poll(() => currentTime(page)).toBeGreaterThanOrEqual(40);
  await page.context().close();
});
