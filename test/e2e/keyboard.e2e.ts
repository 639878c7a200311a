// Everything without a mouse: the grid, the player keys, the palette, the queue.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentTime, DESK, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage({ tracks: 120, seconds: '20' });
  page = await stage.openAsOwner(DESK);
});
afterAll(() => stage?.close());

const focusedLabel = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
const player = () => page.getByRole('region', { name: 'Player' });
const nowPlaying = () => player().getByRole('link').first().textContent();

test('arrow keys walk the grid, P plays, Enter opens', async () => {
  await page.goto('/albums');
  const grid = page.getByRole('grid', { name: 'Albums' });
  const cards = grid.getByRole('link', { name: / by / });
  await cards.first().waitFor();
  await cards.first().focus();
  const start = await focusedLabel();
  await page.keyboard.press('ArrowRight');
  await expect.poll(focusedLabel).not.toBe(start);
  const second = await focusedLabel();
  await page.keyboard.press('ArrowDown');
  await expect.poll(focusedLabel).not.toBe(second);
  await page.keyboard.press('ArrowUp');
  await expect.poll(focusedLabel).toBe(second);

  await page.keyboard.press('p');
  await expect.poll(() => currentTime(page), { timeout: 10_000 }).toBeGreaterThan(0.3);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: second.slice(0, second.lastIndexOf(' by ')) }).waitFor();
});

test('Space, arrows and Ctrl+arrows drive the player from anywhere', async () => {
  await page.locator('#main').focus();
  await page.keyboard.press('Space');
  await player().getByRole('button', { name: 'Play', exact: true }).waitFor();
  expect(await currentTime(page)).toBe(0);
  await page.keyboard.press('Space');
  await player().getByRole('button', { name: 'Pause' }).waitFor();

  const position = player().getByRole('slider', { name: 'Position' });
  const before = Number(await position.inputValue());
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => Number(await position.inputValue())).toBeGreaterThan(before + 3_000);

  const volume = player().getByRole('slider', { name: 'Volume' });
  const loud = Number(await volume.inputValue());
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => Number(await volume.inputValue())).toBeLessThan(loud);

  await page.keyboard.press('q');
  await page.getByRole('complementary', { name: 'Queue' }).waitFor();
  await page.keyboard.press('q');
  await page.getByRole('complementary', { name: 'Queue' }).waitFor({ state: 'detached' });

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the palette finds, queues with Shift+Enter and plays with Enter; Ctrl+arrows skip', async () => {
  const { items } = await stage.api<{ items: { title: string; id: number }[] }>('/tracks?limit=2&sort=created_at');
  const [one, other] = items;
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search the library' });
  await field.fill(one!.title);
  const hit = page.getByRole('group', { name: /Tracks/ }).getByRole('option').filter({ hasText: one!.title }).first();
  await hit.waitFor();
  for (let i = 0; i < 20 && (await hit.getAttribute('aria-selected')) !== 'true'; i += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(nowPlaying, { timeout: 10_000 }).toBe(one!.title);

  await page.keyboard.press('Control+k');
  await field.fill(other!.title);
  const second = page.getByRole('group', { name: /Tracks/ }).getByRole('option').filter({ hasText: other!.title }).first();
  await second.waitFor();
  for (let i = 0; i < 20 && (await second.getAttribute('aria-selected')) !== 'true'; i += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+ArrowRight');
  await expect.poll(nowPlaying).toBe(other!.title);
  await page.keyboard.press('Control+ArrowLeft');
  await expect.poll(nowPlaying).toBe(one!.title);
});

test('the queue is reordered and emptied by keyboard', async () => {
  await page.keyboard.press('q');
  const queue = page.getByRole('complementary', { name: 'Queue' });
  const rows = queue.getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(2);
  const first = await rows.first().getByRole('button').first().textContent();
  await rows.first().getByRole('button').first().focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => queue.locator('[aria-posinset="2"]').getByRole('button').first().textContent()).toBe(first);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(first);
  await page.keyboard.press('Delete');
  await expect.poll(() => rows.count()).toBe(1);
  expect(stage.problems).toEqual([]);
});
