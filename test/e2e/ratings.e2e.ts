// Ratings in the windows: by stars, by keys, as a column, an order and a filter, and the same in another window.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage, TrackPage } from '../../server/library/wire.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 20 });
});
afterAll(() => stage?.close());

const readRatings = async (): Promise<Record<string, number>> => {
  const { items } = await stage.api<TrackPage>('/tracks?rating_from=0.5&sort=rating');
  return Object.fromEntries(items.map(({ title, rating }) => [title, rating]));
};

test('tracks are rated by stars and keys, sorted and filtered', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/tracks');
  const grid = page.getByRole('grid', { name: 'Tracks' });
  await grid.locator('[data-index="0"]').waitFor();
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Rating' }).click();
  await page.keyboard.press('Escape');

  const stars = (index: number) => grid.locator(`[data-index="${index}"]`).getByRole('slider');
  const nameOf = async (index: number) =>
    ((await stars(index).getAttribute('aria-label')) ?? '').replace('Rating of ', '');
  const names = [await nameOf(0), await nameOf(1)];
  const box = (await stars(0).boundingBox())!;
  await stars(0).click({ position: { x: box.width * 0.65, y: box.height / 2 } });
  await expect.poll(() => stars(0).getAttribute('aria-valuetext')).toBe('3.5 stars');
  await grid.locator('[data-index="1"]').focus();
  await page.keyboard.press('5');
  await expect.poll(readRatings).toEqual({ [names[1]!]: 5, [names[0]!]: 3.5 });

  await page.goto('/tracks?sort=rating');
  await expect.poll(() => nameOf(0)).toBe(names[1]);
  expect(await nameOf(1)).toBe(names[0]);
  await page.goto('/tracks?rating=4');
  await expect.poll(() => grid.locator('[data-index]').count()).toBe(1);

  await stars(0).focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => readRatings()).toEqual({ [names[1]!]: 4.5, [names[0]!]: 3.5 });
  expect(stage.problems).toEqual([]);
});

test('an album is rated on its page, also with a finger, and the same click again removes the rating', async () => {
  const { items } = await stage.api<AlbumPage>('/albums?limit=1');
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto(`/albums/${items[0]!.id}`);
  const stars = phone.getByRole('slider', { name: `Rating of ${items[0]!.title}` });
  await stars.waitFor();
  const box = (await stars.boundingBox())!;
  expect(box.height).toBeGreaterThanOrEqual(40);
  const readRating = async () => (await stage.api<AlbumPage>('/albums?limit=1')).items[0]!.rating;
  await stars.tap({ position: { x: box.width * 0.75, y: box.height / 2 } });
  await expect.poll(readRating).toBe(4);
  await stars.tap({ position: { x: box.width * 0.75, y: box.height / 2 } });
  await expect.poll(readRating).toBe(0);
  expect(stage.problems).toEqual([]);
});
