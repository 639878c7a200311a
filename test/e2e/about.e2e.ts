// The pages of an artist and of an album with information from online services: it is requested once, shown with credit
// and licence, can be replaced by hand, and is still shown when no service responds any more.
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEncyclopedia, type Encyclopedia } from '../fakes/encyclopedia.ts';
import { openContext } from '../support/browser.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { DESK_WINDOW, sharedBrowser } from './stage.ts';

const BAND_ID = '11111111-1111-4111-8111-111111111111';
const OTHER_BAND_ID = '22222222-2222-4222-8222-222222222222';
const RELEASE_GROUP_ID = '33333333-3333-4333-8333-333333333333';

let services: Encyclopedia;
let server: TestServer;
let page: Page;

beforeAll(async () => {
  services = await startEncyclopedia();
  const picture = (background: string) =>
    sharp({ create: { width: 90, height: 60, channels: 3, background } })
      .jpeg()
      .toBuffer();
  services.add({
    kind: 'artist',
    mbid: BAND_ID,
    name: 'The Quays',
    type: 'Group',
    country: 'GB',
    area: 'Bristol',
    begin: '1991',
    members: [{ mbid: '44444444-4444-4444-8444-444444444444', name: 'Ida Lund', begin: '1991', end: '1999' }],
    links: { 'official homepage': 'https://quays.example/' },
    item: 'Q1',
  });
  services.add({ kind: 'artist', mbid: OTHER_BAND_ID, name: 'The Quays', country: 'FR', disambiguation: 'the duo' });
  services.add({ kind: 'release-group', mbid: RELEASE_GROUP_ID, name: 'Harbour', item: 'Q2' });
  services.items.set('Q1', {
    claims: { P434: [BAND_ID], P18: ['First.jpg'], P373: ['Quays'] },
    sitelinks: { enwiki: 'The Quays' },
  });
  services.items.set('Q2', { claims: { P436: [RELEASE_GROUP_ID] }, sitelinks: { enwiki: 'Harbour' } });
  services.articles.set('en/The Quays', { extract: 'The Quays are a band from Bristol.', item: 'Q1' });
  services.articles.set('en/Harbour', { extract: 'Harbour was recorded in a week.', item: 'Q2' });
  const licence = { licence: 'CC BY-SA 4.0', category: 'Quays' };
  services.files.set('First.jpg', { bytes: await picture('#335577'), artist: 'Ann', ...licence });
  services.files.set('Second.jpg', { bytes: await picture('#aa3311'), artist: 'Bo', ...licence });
  server = await startServer({
    env: services.env,
    musicBrainzPerSecond: 10_000,
    wikimediaPerSecond: 10_000,
  });
  trackMaker(server.app).add({ title: 'One', artistMbids: [BAND_ID], releaseGroupMbid: RELEASE_GROUP_ID });
  const context = await openContext(await sharedBrowser(), { baseURL: server.url, ...DESK_WINDOW });
  page = await context.newPage();
  const user = (await server.api('/users/me')).body;
  await page.addInitScript(
    ([token, owner]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: owner })),
    [server.token, user] as const,
  );
});
afterAll(async () => {
  await page?.context().close();
  await server?.close();
});

test('nothing is requested before the owner agrees; then the text is shown with credit, edited by hand, and stays', async () => {
  const mainRegion = page.getByRole('main');
  const about = page.getByRole('region', { name: 'About this artist' });
  await page.goto('/artists/1');
  await about.getByRole('button', { name: 'Look them up' }).click({ trial: true });
  expect(services.requests).toEqual([]);
  await about.getByRole('button', { name: 'Look them up' }).click();
  await about.getByText('The Quays are a band from Bristol.').waitFor();
  await server.app.drain();
  await page.reload();
  for (const text of ['Bristol, United Kingdom · Since 1991', 'Ida Lund 1991–1999', 'Picture: Ann'])
    await about.getByText(text).waitFor();
  expect(
    await Promise.all(
      ['“The Quays” on Wikipedia', 'Picture: Ann', 'Website'].map((name) =>
        about.getByRole('link', { name, exact: true }).getAttribute('rel'),
      ),
    ),
  ).toEqual(Array(3).fill('noopener noreferrer'));
  expect(await about.getByText('CC BY-SA 4.0').count()).toBe(2);

  await mainRegion.getByRole('button', { name: 'Picture of The Quays' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Use this picture: Second.jpg' }).click();
  await dialog.getByRole('button', { name: 'Use this picture: Second.jpg', pressed: true }).waitFor();
  await page.keyboard.press('Escape');
  await about.getByText('Picture: Bo').waitFor();

  await services.close();
  await page.reload();
  for (const text of ['The Quays are a band from Bristol.', 'Picture: Bo']) await about.getByText(text).waitFor();
  const picture = mainRegion.getByRole('button', { name: 'Picture of The Quays' }).locator('img');
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await page.goto('/albums/1');
  await page.getByRole('region', { name: 'About this album' }).getByText('Harbour was recorded in a week.').waitFor();
});
