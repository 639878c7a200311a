// A track is edited by keyboard: the server's message is shown at the invalid field, and afterwards every field shows
// its origin.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let track: TrackOut;

beforeAll(async () => {
  stage = await openStage({ tracks: 12, messy: 0, seconds: '2' });
  page = await stage.openAsOwner(DESK_WINDOW);
  track = (await stage.api<TrackPage>('/tracks?limit=1')).items[0]!;
});
afterAll(() => stage?.close());

const drawer = () => page.getByRole('dialog', { name: 'Track details' });
const form = () => drawer().getByRole('form');
const fieldOf = (name: string) =>
  drawer()
    .getByRole('region', { name: 'Fields' })
    .locator('div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('definition');

test('E on a row opens its details for editing', async () => {
  await page.goto(`/albums/${track.album_id}`);
  await page
    .getByRole('button', { name: `Play ${track.title}`, exact: true })
    .first()
    .focus();
  await page.keyboard.press('e');
  await form().waitFor();
  expect(await form().getByLabel('Title').inputValue()).toBe(track.title);
  expect(new URL(page.url()).searchParams.get('details')).toBe(String(track.id));
});

test('an invalid value is reported at its field, with the server’s message', async () => {
  await form().getByLabel('Title').fill('');
  await form().getByLabel('Year', { exact: true }).fill('long ago');
  await page.keyboard.press('Enter');
  await expect.poll(() => form().getByLabel('Title').getAttribute('aria-invalid')).toBe('true');
  expect(await form().getByLabel('Year', { exact: true }).getAttribute('aria-invalid')).toBe('true');
});

test('a new value is shown, marked as edited, and visible in the list', async () => {
  await form().getByLabel('Title').fill('Quite Another Name');
  await form().getByLabel('Year', { exact: true }).fill('1987');
  await page.keyboard.press('Enter');
  await form().waitFor({ state: 'detached' });
  await expect.poll(() => fieldOf('Title').textContent()).toBe('Quite Another NameEdited');
  await expect.poll(() => fieldOf('Year').textContent()).toBe('1987Edited');
  await drawer().getByText('Edited manually').first().waitFor();
  await page.keyboard.press('Escape');
  await drawer().waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.has('details')).toBe(false);
  await page.getByRole('button', { name: 'Play Quite Another Name' }).first().waitFor();
  const editedTrack = await stage.api<TrackOut>(`/tracks/${track.id}`);
  expect(editedTrack).toMatchObject({ title: 'Quite Another Name', year: 1987, metadata_status: 'manual' });
});

test('a deleted track disappears at once and comes back with Undo', async () => {
  await page.goto(`/albums/${track.album_id}?details=${track.id}`);
  await drawer().getByRole('button', { name: 'Delete' }).click();
  await drawer().waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('button', { name: 'Play Quite Another Name' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Play Quite Another Name' }).first().waitFor();
  expect((await stage.api<TrackOut>(`/tracks/${track.id}`)).title).toBe('Quite Another Name');
  expect(stage.problems.filter((problem) => !problem.includes('422'))).toEqual([]);
});
