// Radio, path and map with the keyboard alone, in a library with generated sounds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContext } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { addSoundLibrary, analyzeSoundLibrary } from '../support/sound-library.ts';
import { violations } from './axe.ts';
import { DESK_WINDOW, sharedBrowser } from './stage.ts';

let server: TestServer;
let page: Page;
let tracks: number[];
const radioRequests: { more: number[]; less: number[] }[] = [];

beforeAll(async () => {
  server = await startServer();
  const byGenre = addSoundLibrary(server.app.db, { artists: 4, albums: 2, tracks: 5 });
  tracks = byGenre.flat();
  analyzeSoundLibrary(server.app.db, byGenre);
  await server.app.likeness.sounds.refresh();
  const context = await openContext(await sharedBrowser(), { baseURL: server.url, ...DESK_WINDOW });
  page = await context.newPage();
  const user = (await server.api('/users/me')).body;
  await page.addInitScript(
    ([token, owner]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: owner })),
    [server.token, user] as const,
  );
  // the generated tracks have no files
  const silence = readFileSync(join(import.meta.dirname, '..', '..', 'renderer', 'public', 'silence.flac'));
  await page.route(/\/api\/v1\/stream\//, (route) => route.fulfill({ contentType: 'audio/flac', body: silence }));
  page.on('request', (request) => {
    if (request.url().endsWith('/radio/next'))
      radioRequests.push(request.postDataJSON() as (typeof radioRequests)[number]);
  });
});
afterAll(async () => {
  await page?.context().close();
  await server?.close();
});

const main = () => page.getByRole('main');
const player = () => page.getByRole('region', { name: 'Player' });
const nowPlaying = () => player().getByRole('link').first().textContent();

test('a radio starts from a mood, says why it plays what it plays, and is steered', async () => {
  await page.goto('/radio');
  await main()
    .getByRole('button', { name: /^Gentle/ })
    .press('Enter');
  await expect.poll(nowPlaying).toMatch(/^Song /);
  await page.keyboard.press('q');
  const queue = page.getByRole('complementary', { name: 'Queue' });
  await queue.getByText('Tracks are chosen by their sound.').waitFor();
  await queue
    .getByText(/^Mood: Gentle/)
    .first()
    .waitFor();
  const playingTitle = await nowPlaying();
  const steeredCount = radioRequests.length;
  await queue.getByRole('button', { name: 'More like this' }).press('Enter');
  await page.getByText(`More like “${playingTitle}” from now on.`).waitFor();
  await expect.poll(() => radioRequests.length).toBeGreaterThan(steeredCount);
  await expect.poll(() => radioRequests.at(-1)!.more).toHaveLength(1);
  await queue.getByRole('button', { name: 'Less like this', exact: true }).press('Enter');
  await expect.poll(nowPlaying).not.toBe(playingTitle);
  await expect.poll(() => radioRequests.at(-1)).toMatchObject({ more: [], less: [expect.any(Number)] });
  await queue.getByText(`Less like “${playingTitle}”`).first().waitFor();

  // a restarted radio keeps its steering
  await page.reload();
  const { less } = radioRequests.at(-1)!;
  const steeredSoFar = radioRequests.length;
  await main()
    .getByRole('button', { name: /^Gentle/ })
    .press('Enter');
  await expect.poll(() => radioRequests.length).toBeGreaterThan(steeredSoFar);
  expect(radioRequests.at(-1)).toMatchObject({ less });
  await player().getByRole('button', { name: 'Pause' }).waitFor(); // the new radio plays, not the previous radio
  await page.keyboard.press('q');
  await queue.getByRole('button', { name: 'Reset' }).press('Enter');
  await page.getByText('The radio was reset.').waitFor();
  await expect.poll(() => radioRequests.at(-1)).toMatchObject({ more: [], less: [] });

  const secondTitle = await nowPlaying();
  await queue.getByRole('button', { name: 'Never', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Never play this track' }).press('Enter');
  await expect.poll(nowPlaying).not.toBe(secondTitle);
  await main()
    .getByRole('button', { name: `Allow ${secondTitle} again` })
    .press('Enter');
  await main().getByText('Nothing is excluded.').waitFor();
  expect(await violations(page, page.url())).toEqual([]);
  await page.keyboard.press('q');
});

test('a path leads from one track to another, plays, and becomes a playlist', async () => {
  await page.goto('/path');
  const choose = async (label: string, text: string) => {
    await main()
      .getByRole('combobox', { name: label })
      .or(main().getByLabel(label, { exact: true }))
      .first()
      .focus();
    await page.keyboard.type(text);
    await page
      .getByRole('option', { name: new RegExp(`^Song ${text}`) })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  await choose('From', 'Ambient 0.0.0');
  await choose('To', 'Garage 0.0.0');
  const steps = main().getByRole('list', { name: 'From Song Ambient 0.0.0 to Song Garage 0.0.0' });
  await expect.poll(() => steps.getByRole('listitem').count()).toBe(10);
  expect(await steps.getByRole('listitem').first().textContent()).toContain('Song Ambient 0.0.0');
  expect(await steps.getByRole('listitem').last().textContent()).toContain('Song Garage 0.0.0');
  expect(await violations(page, page.url())).toEqual([]);
  await main().getByRole('button', { name: 'Play', exact: true }).press('Enter');
  await expect.poll(nowPlaying).toBe('Song Ambient 0.0.0');
  await main().getByRole('button', { name: 'Save as playlist' }).press('Enter');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).press('Enter');
  await page.waitForURL(/\/playlists\/\d+/);
  await main().getByRole('heading', { name: 'From Song Ambient 0.0.0 to Song Garage 0.0.0' }).waitFor();
});

test('a user moves on the map, zooms, and plays along a line', async () => {
  await page.goto('/map');
  const tracksInView = main().getByRole('region', { name: 'Tracks in view' });
  await tracksInView.getByText(`${tracks.length} tracks`).waitFor();
  const map = main().getByRole('application', { name: 'Map' });
  await map.focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('+');
  await page.keyboard.press('ArrowLeft');
  await tracksInView.getByText(`${tracks.length} tracks`).waitFor({ state: 'detached' });
  const shownCount = Number.parseInt((await tracksInView.getByText(/^\d+ tracks?$/).textContent()) ?? '', 10);
  expect(shownCount).toBeLessThan(tracks.length);
  await page.keyboard.press('Enter');
  await main()
    .getByRole('region', { name: 'Selected track' })
    .getByRole('button', { name: /^Play / })
    .waitFor();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('-');

  await main().getByRole('radio', { name: 'Draw a line' }).press(' ');
  await map.focus();
  await page.keyboard.press(' ');
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press(' ');
  await page.keyboard.press('Enter');
  const lineTracks = main().getByRole('region', { name: 'Along the line' });
  await lineTracks.getByRole('button', { name: 'Play', exact: true }).press('Enter');
  await expect.poll(nowPlaying).toMatch(/^Song /);
  expect(await violations(page, page.url())).toEqual([]);
});

test('mixes of the day are on Home, and a track says what sounds like it', async () => {
  await page.goto('/');
  await main().getByRole('region', { name: 'Mixed for you' }).getByRole('link').first().press('Enter');
  await main().getByRole('button', { name: 'Save as playlist' }).waitFor();
  expect(await violations(page, page.url())).toEqual([]);
  await page.goto(`/tracks?details=${tracks[0]}`);
  const drawer = page.getByRole('dialog');
  await drawer
    .getByRole('list', { name: 'Similar tracks' })
    .getByText(/Sounds like “/)
    .first()
    .waitFor();
});

test('path and map say how far the analysis is before anybody chooses a track', async () => {
  const laterTracks = addSoundLibrary(server.app.db, { genres: ['Later'], artists: 4, albums: 2, tracks: 5 }).flat();
  await server.app.likeness.sounds.refresh();
  const total = tracks.length + laterTracks.length;
  const progress = `${tracks.length} of ${total} tracks are analyzed.`;
  await page.goto('/path');
  await main().getByRole('heading', { name: 'No paths yet' }).waitFor();
  await main().getByText(progress).waitFor();
  await main().getByRole('progressbar', { name: 'Audio analysis' }).waitFor();
  expect(await main().getByRole('combobox').count()).toBe(0);
  await main().getByRole('link', { name: 'Audio analysis' }).waitFor();
  expect(await violations(page, page.url())).toEqual([]);
  await page.goto('/map');
  await main().getByText(`The map shows ${tracks.length} of ${total} tracks. The others appear once`).waitFor();
  expect(await violations(page, page.url())).toEqual([]);
});
