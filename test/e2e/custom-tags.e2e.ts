// Moods, groupings and tags that a person named are columns, filters, details of tracks and rules of smart playlists.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { flac, vorbisComment } from '../support/audio-bytes.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

const TAGS: Record<string, string[]> = {
  'Late Train': ['MOOD=Calm, Warm', 'GROUPING=Evening', 'OCCASION=Dinner'],
  'Paper Boats': ['MOOD=Calm', 'OCCASION=Party; Dinner'],
  'Signal Fire': ['OCCASION=Party', 'GROUPING=Morning'],
  Understudy: [],
};

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    tracks: 10,
    env: { CUSTOM_TAGS: 'OCCASION' },
    addMusic(dir) {
      mkdirSync(join(dir, 'Tagged'), { recursive: true });
      for (const [title, comments] of Object.entries(TAGS))
        writeFileSync(
          join(dir, 'Tagged', `${title}.flac`),
          flac([4, vorbisComment(`TITLE=${title}`, 'ARTIST=Nora Vale', 'ALBUM=Tagged', ...comments)]),
        );
    },
  });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
});
afterAll(() => stage?.close());

const titlesIn = (page: Page): Promise<string[]> =>
  page.getByRole('grid', { name: 'Tracks' }).locator('[data-track] [role=gridcell]:first-child').allTextContents();
const hasTitles = async (page: Page, ...titles: string[]): Promise<void> => {
  await expect.poll(async () => (await titlesIn(page)).length, { timeout: 5_000 }).toBe(titles.length);
  for (const title of titles) await page.getByRole('grid', { name: 'Tracks' }).getByText(title).first().waitFor();
};

test('tracks are filtered by values, which have counts, and the filter is in the address', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/tracks');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'OCCASION' }).click();
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Dinner2', 'Party2']);
  await page.getByRole('combobox', { name: 'OCCASION' }).fill('part');
  await page.getByRole('option', { name: 'Party' }).click();
  await hasTitles(page, 'Paper Boats', 'Signal Fire');
  await page.getByRole('combobox', { name: 'Tagged mood' }).click();
  await page.getByRole('option', { name: 'Calm' }).click();
  await hasTitles(page, 'Paper Boats');
  await page.reload();
  await hasTitles(page, 'Paper Boats');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect.poll(() => page.getByRole('combobox', { name: 'OCCASION' }).inputValue()).toBe('Party');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(async () => (await titlesIn(page)).length).toBeGreaterThan(10);
  expect(stage.problems).toEqual([]);
});

test('columns and details show the values', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/tracks?q=paper');
  await page.getByRole('button', { name: 'View' }).click();
  for (const name of ['Tagged mood', 'Grouping', 'OCCASION'])
    await page.getByRole('menuitemcheckbox', { name }).click();
  await page.keyboard.press('Escape');
  const table = page.getByRole('grid', { name: 'Tracks' });
  await table.getByRole('columnheader', { name: 'OCCASION' }).waitFor();
  await table.getByText('Party, Dinner').waitFor();
  await table.getByText('Paper Boats').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Details' }).click();
  const fields = page.getByRole('region', { name: 'Fields' });
  await fields.getByText('Party, Dinner').waitFor();
  expect(stage.problems).toEqual([]);
});

test('a rule of a smart playlist names a tag, on a phone too', async () => {
  const page = await stage.openAsOwner(PHONE_WINDOW);
  await page.goto('/playlists/new-smart');
  const rule = page.getByRole('group', { name: 'Rule 1' });
  await rule.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'OCCASION' });
  await rule.getByRole('combobox', { name: 'Operator' }).selectOption('contains');
  const value = rule.getByRole('combobox', { name: 'Value' });
  await value.fill('din');
  await expect
    .poll(() => rule.locator('datalist option').evaluateAll((all) => all.map((o) => o.getAttribute('value'))))
    .toEqual(['Dinner']);
  await page.getByText('2 tracks').first().waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('For dinner');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'For dinner' }).waitFor();
  await page.getByText('Late Train').first().waitFor();
  expect(stage.problems).toEqual([]);
});
