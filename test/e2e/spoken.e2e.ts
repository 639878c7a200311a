// Ten tasks as a screen reader announces them: each control has its own name, in words.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStageOfPages, pageOpener } from './pages.ts';
import { DESK_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let open: (path: string) => Promise<void>;
beforeAll(async () => {
  stage = await openStageOfPages();
  page = await stage.openAsOwner(DESK_WINDOW);
  open = pageOpener(page);
});
afterAll(() => stage?.close());

const play = () => page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
const SPOKEN_JOURNEYS: [name: string, path: string, prepare?: () => Promise<unknown>][] = [
  ['finding a page', '/'],
  ['playing an album', '/albums/1', play],
  [
    'reading the queue',
    '/albums/1',
    async () => {
      await page.getByRole('button', { name: 'Queue', exact: true }).click();
      await page.getByRole('complementary', { name: 'Queue' }).getByRole('listitem').first().waitFor();
    },
  ],
  ['going through tracks', '/tracks'],
  [
    'acting on a track',
    '/tracks',
    async () => {
      await page.getByRole('grid').locator('[data-index="1"][data-track]').focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menu').waitFor();
    },
  ],
  ['looking into a track', '/tracks?details=1'],
  ['arranging a playlist', '/playlists/1'],
  ['looking back at the year', '/review'],
  ['hearing a podcast', '/podcasts'],
  ['searching', '/search?q=a'],
];

/** Returns role and name of all controls on the page, such as `button` and `Play Iron`. */
const controlsOf = async (): Promise<{ role: string; name: string }[]> =>
  [
    ...(await page.locator('body').ariaSnapshot()).matchAll(
      /^\s*- '?(button|link|searchbox|textbox|combobox|slider|checkbox|menuitem|columnheader)(?: "((?:[^"\\]|\\.)*)")?/gm,
    ),
  ].map(([, role = '', name = '']) => ({ role, name }));

const NAME_FAULTS: [fault: string, isFaulty: (name: string, role: string) => boolean][] = [
  ['has no name', (name) => name.trim() === ''],
  ['is a word of the program', (name) => /undefined|null|NaN|\[object|\{\{|^[a-z]+\.[a-z]+$/.test(name)],
  ['ends as if more came', (name) => /[:,·-]$/.test(name)],
  ['says how it is used where its name belongs', (name, role) => role !== 'slider' && /arrow keys/.test(name)],
  ['has words that run into each other', (name) => /\p{Ll}…?\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+…$/u.test(name)],
];

test.each(SPOKEN_JOURNEYS)('%s', async (_, path, prepare) => {
  await open(path);
  await prepare?.();
  const controls = await controlsOf();
  expect(controls.length).toBeGreaterThan(10);
  expect(
    controls.flatMap(({ role, name }) =>
      NAME_FAULTS.filter(([, isFaulty]) => isFaulty(name, role)).map(([fault]) => `${role} "${name}" ${fault}`),
    ),
  ).toEqual([]);
  expect(await page.locator('h1').count()).toBe(1);
  await page.keyboard.press('Escape');
});
