// A library for the tasks, and the pages that they start from.
import type { Page } from 'playwright-core';
import type { AlbumPage, GenreOut, TrackPage } from '../../../server/library/wire.ts';
import type { PlaylistOut } from '../../../server/playlists/wire.ts';
import { until } from '../../support/until.ts';
import { DESK_WINDOW, openStage, type Stage } from '../stage.ts';
import { tasksOf, type Task } from './tasks.ts';

/** The pages at which tasks begin. Consecutive tasks begin at the same page, so that it need not be drawn again. */
export const STARTS = [
  '/',
  '/statistics',
  '/artists/1',
  '/history',
  '/genres',
  '/albums?sort=year',
  '/playlists/1',
  '/nowhere',
];

export async function openJourneys(): Promise<{ stage: Stage; tasks: Task[] }> {
  const stage = await openStage({ tracks: 60, messy: 0 });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  const { items: albums } = await stage.api<AlbumPage>('/albums?limit=200');
  const { items: tracks } = await stage.api<TrackPage>('/tracks?limit=200');
  const genres = await stage.api<GenreOut[]>('/genres');
  const names = [...albums.flatMap((item) => [item.title, item.artist_name ?? '']), ...tracks.map((one) => one.title)];
  /** Returns whether a search for the name finds nothing else. */
  const isAlone = (name: string) =>
    /^[\w ]{5,}$/.test(name) &&
    names.filter((otherName) => otherName.toLowerCase().includes(name.toLowerCase())).length === 1;
  const album = albums.find((item) => isAlone(item.title))!;
  const track = tracks.find((item) => isAlone(item.title))!;
  const byArtist = albums.find((item) => item.artist_id !== null && item.artist_name !== null && item.id !== album.id)!;
  const playlist = await stage.api<PlaylistOut>('/playlists', {
    method: 'POST',
    body: { name: 'Zither evenings', track_ids: tracks.slice(0, 5).map(({ id }) => id) },
  });
  const tasks = tasksOf(stage, {
    album,
    track,
    playlist,
    artist: { id: byArtist.artist_id!, name: byArtist.artist_name! },
    genre: genres[0]!.name,
  });
  return { stage, tasks };
}

/** Navigates within the window, without loading it again. */
export async function start(page: Page, path: string): Promise<void> {
  await page.keyboard.press('Escape');
  for (const role of ['dialog', 'menu'] as const) await page.getByRole(role).first().waitFor({ state: 'detached' });
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  for (const button of await pause.all()) if (await button.isVisible()) await page.keyboard.press('Space');
  await page.evaluate((to) => history.pushState({}, '', to), path);
  await until(async () => (await page.evaluate(() => location.pathname + location.search)) === path);
  await page.locator('#main').focus();
}
