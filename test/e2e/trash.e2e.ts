// Deleted tracks are restored and permanently deleted, by keyboard and many at once, and edits are undone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { TrackOut, TrackPage, TrashPage } from '../../server/library/wire.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let tracks: TrackOut[];
beforeAll(async () => {
  stage = await openStage({ tracks: 30 });
  page = await stage.openAsOwner(DESK_WINDOW);
  tracks = (await stage.api<TrackPage>('/tracks?limit=30')).items;
});
afterAll(() => stage?.close());

const table = (window = page) => window.getByRole('grid', { name: 'Deleted tracks' });
const row = ({ title }: TrackOut) => table().getByRole('row').filter({ hasText: title }).first();
const inTrash = async (): Promise<number> => (await stage.api<TrashPage>('/trash')).total;
const remove = async (...tracksToRemove: TrackOut[]): Promise<void> => {
  for (const { id } of tracksToRemove) await stage.api(`/tracks/${id}`, { method: 'DELETE' });
};

test('the trash shows who deleted what, and gives tracks back by keyboard', async () => {
  const [firstTrack, secondTrack, thirdTrack] = tracks as [TrackOut, TrackOut, TrackOut];
  // the event stream begins with the changes since the page's last response
  const lastEvent = (): Promise<number> =>
    page.evaluate(async () => {
      const { token } = JSON.parse(localStorage.getItem('tonearm.session') ?? '{}') as { token?: string };
      const answer = await fetch('/api/v1/users/me', { headers: { Authorization: `Bearer ${token}` } });
      return Number(answer.headers.get('X-Last-Event-Id'));
    });
  const uploadsOpened = Promise.withResolvers<void>();
  await page.route('**/api/v1/events?*', async (route) => {
    await uploadsOpened.promise;
    await route.continue();
  });
  const trashAnswer = page.waitForResponse((response) => response.url().includes('/api/v1/trash'));
  await page.goto('/care'); // this page requests no cover of the tracks that will be deleted
  await trashAnswer;
  const link = page.getByRole('list', { name: 'Library care' }).getByRole('link', { name: /^Trash/ });
  expect(await link.textContent()).not.toMatch(/3$/);
  const previousEvent = await lastEvent();
  await remove(firstTrack, secondTrack, thirdTrack);
  await expect.poll(lastEvent).toBeGreaterThan(previousEvent);
  uploadsOpened.resolve();
  await expect.poll(() => link.textContent()).toMatch(/3$/);
  await link.click();
  await row(secondTrack).getByText('owner', { exact: true }).waitFor();
  await row(secondTrack).focus();
  await page.keyboard.press('Enter');
  await page.getByText(`“${secondTrack.title}” is back.`).waitFor();
  await row(secondTrack).waitFor({ state: 'detached' });
  await row(firstTrack).focus();
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete permanently' });
  await dialog.getByText(`Delete “${firstTrack.title}” and its stored audio permanently`).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('1 track deleted permanently.').waitFor();
  expect(await inTrash()).toBe(1);
});

test('several tracks are selected and restored, and the rest is deleted after a question', async () => {
  await remove(...tracks.slice(3, 12));
  await page.goto('/trash');
  await row(tracks[5]!).focus();
  await page.keyboard.press(' ');
  await page.keyboard.press('Control+a');
  await page.getByText('10 selected').waitFor();
  await row(tracks[5]!).focus();
  await page.keyboard.press(' ');
  await page.getByText('9 selected').waitFor();
  await page.getByRole('button', { name: 'Restore', exact: true }).first().click();
  await page.getByText('9 tracks are back.').waitFor();
  await expect.poll(inTrash).toBe(1);
  await page.getByRole('button', { name: 'Empty trash' }).click();
  await page.getByRole('dialog', { name: 'Empty trash' }).getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('The trash is empty').waitFor();
  expect(await inTrash()).toBe(0);
});

test('an edit of several tracks is undone in the details of one of them', async () => {
  const [firstTrack, secondTrack] = [tracks[20]!, tracks[21]!];
  for (const { id } of [firstTrack, secondTrack])
    await stage.api(`/tracks/${id}?batch=together`, { method: 'PATCH', body: { genre: 'Changed' } });
  await page.goto(`/tracks?details=${firstTrack.id}`);
  const edits = page.getByRole('region', { name: 'Edits in the last 30 days' });
  await edits.getByText('Changed').first().waitFor();
  await edits.getByRole('button', { name: 'Undo for all 2 tracks' }).click();
  await expect.poll(async () => (await stage.api<TrackOut>(`/tracks/${secondTrack.id}`)).genre).toBe(secondTrack.genre);
});

test('on a narrow screen a track is restored by its button', async () => {
  await remove(tracks[25]!);
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto('/trash');
  await table(phone)
    .getByRole('button', { name: `Restore ${tracks[25]!.title}` })
    .click();
  await phone.getByText('The trash is empty').waitFor();
  await phone.context().close();
  expect(stage.problems).toEqual([]);
});

test('the page of an album without tracks says so, leads to the trash, and is whole again after an undo', async () => {
  const albumId = (await stage.api<TrackPage>('/tracks?limit=1')).items[0]!.album_id!;
  await page.goto(`/albums/${albumId}`);
  const main = page.getByRole('main');
  await main
    .getByRole('button', { name: /^More options for/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu').first().waitFor();
  await page.keyboard.press('Delete');
  await main.getByRole('heading', { name: 'This album has no tracks' }).waitFor();
  expect(await main.getByRole('button', { name: 'Play', exact: true }).count()).toBe(0);
  expect(await main.getByRole('link', { name: 'Open trash' }).getAttribute('href')).toBe('/trash');
  await page.keyboard.press('Control+z');
  await main.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await main.getByRole('heading', { name: 'This album has no tracks' }).waitFor({ state: 'detached' });
});
