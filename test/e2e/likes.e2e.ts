// A like in one window appears in another without a reload.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 20 });
});
afterAll(() => stage?.close());

test('a like in one window appears in another', async () => {
  const thisWindow = await stage.openAsOwner(DESK_WINDOW);
  const otherWindow = await stage.openAsOwner(DESK_WINDOW);
  await Promise.all([thisWindow.goto('/tracks'), otherWindow.goto('/tracks')]);
  const firstRow = thisWindow.getByRole('grid', { name: 'Tracks' }).locator('[data-index="0"]');
  const heart = firstRow.getByRole('button', { name: /^Like / });
  const name = (await heart.getAttribute('aria-label'))!;
  const otherButton = otherWindow.getByRole('grid', { name: 'Tracks' }).getByRole('button', { name, exact: true });
  expect(await otherButton.getAttribute('aria-pressed')).toBe('false');

  await heart.click();
  await expect.poll(() => heart.getAttribute('aria-pressed')).toBe('true');
  await expect.poll(() => otherButton.getAttribute('aria-pressed')).toBe('true');

  await otherWindow.getByRole('link', { name: 'Liked', exact: true }).click();
  const likedGrid = otherWindow.getByRole('grid', { name: 'Liked' });
  await expect.poll(() => likedGrid.locator('[data-index]').count()).toBe(1);

  await firstRow.focus();
  await thisWindow.keyboard.press('l');
  await otherWindow.getByRole('heading', { name: 'No liked tracks yet' }).waitFor();
  expect(stage.problems).toEqual([]);
});
