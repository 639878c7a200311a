// Fifty tasks, by mouse, by keyboard alone and by touch: none takes more than three actions from any page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage, GenreOut, TrackPage } from '../../../server/library/wire.ts';
import type { PlaylistOut } from '../../../server/playlists/wire.ts';
import { DESK, openStage, PHONE, type Stage } from '../stage.ts';
import { handOf, WAYS, type Way } from './hand.ts';
import { tasksOf, type Task } from './tasks.ts';

const MOST_ACTIONS = 3;
/** Where they start, in turn. */
const STARTS = [
  '/',
  '/statistics',
  '/artists/1',
  '/history',
  '/genres',
  '/albums?sort=year',
  '/playlists/1',
  '/nowhere',
];

let stage: Stage;
let tasks: Task[];

beforeAll(async () => {
  stage = await openStage({ tracks: 60, messy: 0 });
  await (await stage.openAsOwner(DESK)).context().close();
  const { items: albums } = await stage.api<AlbumPage>('/albums?limit=200');
  const { items: tracks } = await stage.api<TrackPage>('/tracks?limit=200');
  const genres = await stage.api<GenreOut[]>('/genres');
  const names = [...albums.flatMap((one) => [one.title, one.artist_name ?? '']), ...tracks.map((one) => one.title)];
  /** Found by its name alone. */
  const isAlone = (name: string) =>
    /^[\w ]{5,}$/.test(name) && names.filter((other) => other.toLowerCase().includes(name.toLowerCase())).length === 1;
  const album = albums.find((one) => isAlone(one.title))!;
  const track = tracks.find((one) => isAlone(one.title))!;
  const byArtist = albums.find((one) => one.artist_id !== null && one.artist_name !== null && one.id !== album.id)!;
  const playlist = await stage.api<PlaylistOut>('/playlists', {
    method: 'POST',
    body: { name: 'Zither evenings', track_ids: tracks.slice(0, 5).map(({ id }) => id) },
  });
  tasks = tasksOf(stage, {
    album,
    track,
    playlist,
    artist: { id: byArtist.artist_id!, name: byArtist.artist_name! },
    genre: genres[0]!.name,
  });
});
afterAll(() => stage?.close());

/** Inside the window, without loading it again. */
async function start(page: Page, path: string): Promise<void> {
  await page.keyboard.press('Escape');
  for (const part of ['dialog', 'menu'] as const) await page.getByRole(part).first().waitFor({ state: 'detached' });
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  for (const button of await pause.all()) if (await button.isVisible()) await page.keyboard.press('Space');
  await page.evaluate((to) => history.pushState({}, '', to), path);
  await expect.poll(() => page.evaluate(() => location.pathname + location.search)).toBe(path);
  await page.locator('#main').focus();
}

test.each(WAYS)('fifty tasks by %s', async (way: Way) => {
  const page = await stage.openAsOwner(way === 'touch' ? PHONE : DESK);
  await page.goto('/');
  await page.getByRole('navigation').first().waitFor();
  const taken: Record<string, number> = {};
  const failed: string[] = [];
  for (const [i, task] of tasks.entries()) {
    const from = STARTS[i % STARTS.length]!;
    await start(page, from);
    const hand = handOf(way, page);
    try {
      await task.go(hand);
      await task.isDone(page);
    } catch (error) {
      failed.push(`${task.name}, from ${from}: ${String(error)}`);
    }
    taken[`${task.name}, from ${from}`] = hand.count();
  }
  expect(failed).toEqual([]);
  expect(Object.keys(taken).length).toBeGreaterThanOrEqual(50);
  expect(Object.entries(taken).filter(([, actions]) => actions > MOST_ACTIONS)).toEqual([]);
  expect(stage.problems).toEqual([]);
  await page.context().close();
});
