// Stations and episodes: audio that is not a track replaces the player on every page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EpisodePage, PodcastOut } from '../../server/podcasts/wire.ts';
import { silentMp3 } from '../support/audio-bytes.ts';
import { addPodcasts } from '../support/some-podcasts.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 6, messy: 0 });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  addPodcasts(stage.dataDir);
  await stage.api('/stations', {
    method: 'POST',
    body: { name: 'Harbour FM', stream_url: 'https://radio.example/harbour' },
  });
});
afterAll(() => stage?.close());

/** Audio of about 50 s, which replaces a station or episode on the internet. */
const AUDIO_BYTES = silentMp3(2_000);

async function openWithSound(device: typeof DESK_WINDOW): Promise<Page> {
  const page = await stage.openAsOwner(device);
  await page.route(/\/(stations|podcast-episodes)\/\d+\/audio/, (route) => {
    const from = Number(/\d+/.exec(route.request().headers()['range'] ?? '')?.[0] ?? 0);
    return route.fulfill({
      status: 206,
      contentType: 'audio/mpeg',
      headers: {
        'Accept-Ranges': 'bytes',
        'Content-Range': `bytes ${from}-${AUDIO_BYTES.length - 1}/${AUDIO_BYTES.length}`,
      },
      body: AUDIO_BYTES.subarray(from),
    });
  });
  return page;
}
const bar = (page: Page) => page.getByRole('region', { name: 'Player' });

test('a station keeps playing from page to page, until music begins', async () => {
  const page = await openWithSound(DESK_WINDOW);
  await page.goto('/stations');
  await page.getByRole('button', { name: 'Play “Harbour FM”' }).click();
  await page.getByRole('button', { name: 'Pause “Harbour FM”' }).waitFor();
  await expect.poll(() => page.title()).toBe('Harbour FM');
  await page.getByRole('link', { name: 'Albums' }).click();
  await page.getByRole('heading', { level: 1, name: 'Albums' }).waitFor();
  await bar(page).getByText('Harbour FM').waitFor();
  await page.keyboard.press('Space');
  await bar(page).getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.keyboard.press('Space');
  await bar(page).getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.getByRole('gridcell').first().getByRole('link').first().click();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await bar(page).getByRole('button', { name: 'Next track' }).waitFor();
  await bar(page).getByText('Harbour FM').waitFor({ state: 'detached' });
  expect(stage.problems).toEqual([]);
  await page.context().close();
});

test('an episode resumes where it was stopped, at the chosen speed', async () => {
  const page = await openWithSound(PHONE_WINDOW);
  const positions = async () => {
    const [podcast] = await stage.api<PodcastOut[]>('/podcasts');
    const { items } = await stage.api<EpisodePage>(`/podcasts/${podcast?.id}/episodes`);
    return items.map(({ position_ms }) => position_ms ?? 0);
  };
  await page.goto('/podcasts');
  await page
    .getByRole('button', { name: /^Play “/ })
    .first()
    .tap();
  await bar(page).getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await bar(page).getByRole('button', { name: 'Forward 30 seconds' }).tap();
  await bar(page).getByRole('button', { name: 'Stop and close' }).tap();
  await bar(page).waitFor({ state: 'detached' });
  await expect.poll(async () => Math.max(...(await positions()))).toBeGreaterThan(25_000);
  await page
    .getByRole('button', { name: /^Play “/ })
    .first()
    .tap();
  await expect.poll(() => bar(page).getByRole('slider').inputValue().then(Number)).toBeGreaterThan(25_000);
  await page.setViewportSize(DESK_WINDOW.viewport);
  await bar(page).getByRole('button', { name: 'Speed: 1×' }).click();
  await bar(page).getByRole('button', { name: 'Speed: 1.25×' }).waitFor();
  expect(stage.problems).toEqual([]);
  await page.context().close();
});
