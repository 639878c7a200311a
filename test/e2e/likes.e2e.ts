// A like in one window appears in another without a reload.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 20 });
});
afterAll(() => stage?.close());

test('a like in one window appears in another', async () => {
  const here = await stage.openAsOwner(DESK);
  const there = await stage.openAsOwner(DESK);
  await Promise.all([here.goto('/tracks'), there.goto('/tracks')]);
  const first = here.getByRole('grid', { name: 'Tracks' }).locator('[data-index="0"]');
  const heart = first.getByRole('button', { name: /^Like / });
  const name = (await heart.getAttribute('aria-label'))!;
  const other = there.getByRole('grid', { name: 'Tracks' }).getByRole('button', { name, exact: true });
  expect(await other.getAttribute('aria-pressed')).toBe('false');

  await heart.click();
  await expect.poll(() => heart.getAttribute('aria-pressed')).toBe('true');
  await expect.poll(() => other.getAttribute('aria-pressed')).toBe('true');

  await there.getByRole('link', { name: 'Liked', exact: true }).click();
  const liked = there.getByRole('grid', { name: 'Liked' });
  await expect.poll(() => liked.locator('[data-index]').count()).toBe(1);

  await first.focus();
  await here.keyboard.press('l');
  await there.getByRole('heading', { name: 'No liked tracks yet' }).waitFor();
  expect(stage.problems).toEqual([]);
});
