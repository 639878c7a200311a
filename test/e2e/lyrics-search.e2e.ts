// A remembered line finds its track, in the palette and on the search page, and plays it from that line on.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    tracks: 20,
    seconds: '20',
    addMusic(dir) {
      const [song = ''] = readdirSync(dir, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:mp3|flac)$/.test(name))
        .toSorted();
      const path = join(dir, song);
      writeFileSync(
        `${path.slice(0, path.lastIndexOf('.'))}.lrc`,
        '[00:00.50]Lanterns on the water\n[00:08.00]We drift until the morning\n[bg: until the morning]\n',
      );
    },
  });
});
afterAll(() => stage?.close());

const positionOf = async (page: Page): Promise<number> =>
  Number(await page.getByRole('slider', { name: 'Position' }).first().inputValue());

test('the search page shows the line, and plays from it', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/search?q=drift%20until%20the');
  const group = page.getByRole('region', { name: 'In lyrics' });
  await group.getByText('“We drift until the morning”').waitFor();
  await group.getByRole('button', { name: /play/i }).first().click();
  await expect.poll(() => positionOf(page)).toBeGreaterThanOrEqual(8_000);
  expect(stage.problems).toEqual([]);
});

test('the palette has it, too, and words that are nowhere find nothing', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/tracks');
  await page.getByRole('heading', { name: 'Tracks' }).waitFor();
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox');
  await input.fill('lanterns on the wat');
  await page.getByRole('option').getByText('“Lanterns on the water”').waitFor();
  await input.fill('lanterns nobody lit');
  await page.getByText('No results for “lanterns nobody lit”').waitFor();
  expect(stage.problems).toEqual([]);
});
