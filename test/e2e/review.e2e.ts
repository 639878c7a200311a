// Two tracks with uncertain matches: one match is accepted and undone, the other track is kept as it is, all by
// keyboard.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReviewOut } from '../../server/enrichment/wire.ts';
import type { Paged } from '../../server/http/paging.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { startFakeAcoustId, type FakeAcoustId } from '../fakes/acoustid.ts';
import { DESK_WINDOW, openStage, untilEnded, type Stage } from './stage.ts';

let stage: Stage;
let fake: FakeAcoustId;
let page: Page;
let reviewedTracks: TrackOut[];

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const artist = { id: uuid(3), name: 'The Quays' };
const recording = {
  id: uuid(1),
  title: 'Harbour Lights',
  duration: 12,
  sources: 9,
  artists: [artist],
  releasegroups: [
    {
      id: uuid(2),
      title: 'Low Water',
      type: 'Album',
      artists: [artist],
      releases: [{ id: uuid(4), date: { year: 2009 } }],
    },
  ],
};

beforeAll(async () => {
  fake = await startFakeAcoustId();
  fake.answer = () => ({ results: [{ id: uuid(9), score: 0.6, recordings: [recording] }] });
  stage = await openStage({ tracks: 4, messy: 0, seconds: '12', formats: ['flac'] });
  page = await stage.openAsOwner(DESK_WINDOW);
  await stage.api('/settings', {
    method: 'PATCH',
    body: {
      fpid_enabled: true,
      fpid_base_url: fake.url,
      fpid_api_key: 'key',
      fpid_rate_per_second: 100,
      musicbrainz_enabled: false,
      coverart_enabled: false,
    },
  });
  reviewedTracks = (await stage.api<TrackPage>('/tracks?limit=2')).items;
  for (const { id } of reviewedTracks) {
    await untilEnded(stage, await stage.api<JobOut>(`/tracks/${id}/metadata/enrich`, { method: 'POST' }));
  }
});
afterAll(async () => {
  await stage?.close();
  await fake?.close();
});

const questions = async (): Promise<number> => (await stage.api<Paged<ReviewOut>>('/review')).total;
const items = () => page.getByRole('list', { name: 'Review' }).locator('> li');
const trackOf = (id: number) => stage.api<TrackOut>(`/tracks/${id}`);
const focusedTitle = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');

test('Library care counts the tracks to review and leads to them', async () => {
  await page.goto('/');
  await page
    .getByRole('navigation', { name: 'Library' })
    .getByRole('link', { name: /^Library care/ })
    .click();
  await page
    .getByRole('list', { name: 'Library care' })
    .getByRole('link', { name: /^Review/ })
    .click();
  await expect.poll(() => items().count()).toBe(2);
  const firstItem = items().first();
  await firstItem.getByText('Low confidence: 60%').waitFor();
  await firstItem.getByRole('row', { name: /^Title .+ Harbour Lights$/ }).waitFor();
});

test('Enter accepts the match, U undoes that', async () => {
  const [{ track }] = (await stage.api<Paged<ReviewOut>>('/review')).items as [ReviewOut];
  await items().first().focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => trackOf(track.id))
    .toMatchObject({ title: 'Harbour Lights', artist_name: 'The Quays', album_title: 'Low Water' });
  await expect.poll(() => items().count()).toBe(1);
  await page.keyboard.press('u');
  await expect
    .poll(() => trackOf(track.id))
    .toMatchObject({ title: track.title, artist_name: track.artist_name, album_title: track.album_title });
});

test('D keeps a track as it is, U undoes that', async () => {
  await items().first().focus();
  const label = await focusedTitle();
  await page.keyboard.press('d');
  await expect.poll(() => page.getByRole('listitem', { name: label }).count()).toBe(0);
  await page.keyboard.press('u');
  await page.getByRole('listitem', { name: label }).waitFor();
  expect(await questions()).toBe(1);
  expect(stage.problems).toEqual([]);
});
