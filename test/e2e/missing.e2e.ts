// Missing files: the page appears, a track gets another file, others are removed and restored, all by keyboard.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { DESK_WINDOW, endUndo, openStage, PHONE_WINDOW, scanToTheEnd, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
/**
 * Two missing tracks that match one new file equally well, so that the scan chooses neither. `missingTracks` are three
 * other missing tracks.
 */
let twins: TrackOut[];
let missingTracks: TrackOut[];
let song: string;
const music = (path: string): string => join(stage.library.dir, path);
/** Writes files with equal tags and length but different bytes, since a scan merges tracks with equal audio. */
function writeVariant(path: string, change: number): void {
  const bytes = readFileSync(music(song));
  bytes[bytes.length - 300]! ^= change; // the changed byte is in the last frames, before tags at the end
  writeFileSync(music(path), bytes);
}

beforeAll(async () => {
  stage = await openStage({ isScanned: false, tracks: 40, seconds: '3' });
  song = stage.library.files.find(
    (file) => file.format === 'mp3' && !file.messy && !file.duplicateOf && !file.sameAudioAs,
  )!.path;
  mkdirSync(music('Doubles'));
  writeVariant('Doubles/one.mp3', 1);
  writeVariant('Doubles/two.mp3', 2);
  page = await stage.openAsOwner(DESK_WINDOW);
  await stage.api('/settings', {
    method: 'PATCH',
    body: {
      local_media_import_path: stage.library.dir,
      local_media_import_mode: 'reference',
      local_media_watch: false,
    },
  });
  await scanToTheEnd(stage);
  const tracks = await listTracks('');
  twins = ['one.mp3', 'two.mp3'].map((name) => tracks.find(({ source_id }) => source_id === `Doubles/${name}`)!);
  missingTracks = tracks
    .filter((track) => !track.source_id.startsWith('Doubles/') && track.source_id !== song)
    .slice(0, 3);
});
afterAll(() => stage?.close());

const listTracks = async (query: string): Promise<TrackOut[]> =>
  (await stage.api<TrackPage>(`/tracks?limit=200${query}`)).items;
const listMissingTracks = (): Promise<TrackOut[]> => listTracks('&availability=missing');
const careLink = () => page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: /^Library care/ });
const tab = () => page.getByRole('navigation', { name: 'Related pages' }).getByRole('link', { name: /^Missing/ });
const table = () => page.getByRole('grid', { name: 'Missing tracks' });
const row = (title: string) => table().getByRole('row').filter({ hasText: title });
const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '');

test('Library care counts missing files as soon as a scan finds them', async () => {
  await page.goto('/tracks');
  await page.getByRole('grid', { name: 'Tracks' }).getByRole('row').nth(3).waitFor();
  await careLink().waitFor();
  writeVariant('found again.mp3', 4);
  rmSync(music('Doubles'), { recursive: true });
  for (const { source_id } of missingTracks) {
    mkdirSync(dirname(music(`../away/${source_id}`)), { recursive: true });
    renameSync(music(source_id), music(`../away/${source_id}`));
  }
  await scanToTheEnd(stage);
  await careLink().getByLabel(/need/).waitFor();
  await careLink().click();
  await expect.poll(() => tab().textContent()).toBe('Missing5');
  await tab().click();
  await page.getByRole('heading', { level: 1, name: 'Missing' }).waitFor();
  await row(missingTracks[0]!.title).first().getByText(missingTracks[0]!.source_id.split('/').at(-1)!).waitFor();
  await page.setViewportSize(PHONE_WINDOW.viewport);
  const proposedRow = row(twins[0]!.title).first();
  await expect.poll(() => proposedRow.getByText('Same recording').count()).toBe(1); // not in a column
  await proposedRow.getByText('Same recording').waitFor();
  await proposedRow.getByRole('button', { name: `Find ${twins[0]!.title}` }).waitFor();
  await page.setViewportSize(DESK_WINDOW.viewport);
});

test('a missing track is matched to its new file by keyboard', async () => {
  const [firstTwin, secondTwin] = twins as [TrackOut, TrackOut];
  await stage.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: firstTwin.id, liked: true } });
  await page.goto('/missing?sort=album');
  await row('one.mp3').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Find the missing file' });
  await dialog.getByText('Was at Doubles/one.mp3').waitFor();
  const candidates = dialog.getByRole('list', { name: 'Possible matches' }).getByRole('listitem');
  await candidates.filter({ hasText: 'found again.mp3' }).getByText('Same recording').waitFor();
  const choice = dialog.getByRole('button', { name: /^Use this one: .*found again\.mp3$/ });
  for (let i = 0; i < 4 && !(await choice.evaluate((button) => button === document.activeElement)); i += 1)
    await page.keyboard.press('Tab');
  for (let i = 0; i < 20 && !(await choice.evaluate((button) => button === document.activeElement)); i += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await row('one.mp3').waitFor({ state: 'detached' });
  await expect.poll(() => tab().textContent()).toBe('Missing4');
  expect(await stage.api<TrackOut>(`/tracks/${firstTwin.id}`)).toMatchObject({
    availability: 'available',
    source_id: 'found again.mp3',
    liked: true,
  });
  expect(new Set((await listMissingTracks()).map(({ id }) => id))).toEqual(
    new Set([secondTwin.id, ...missingTracks.map(({ id }) => id)]),
  );
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('row');
});

test('without possible matches, the dialog says what to do', async () => {
  await row(missingTracks[0]!.title)
    .first()
    .getByRole('button', { name: `Find ${missingTracks[0]!.title}` })
    .click();
  await page.getByRole('dialog').getByText('Nothing in your library matches.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('removing a track can be undone, and otherwise it is deleted after a while', async () => {
  const secondTwin = twins[1]!;
  await row('two.mp3').focus();
  await page.keyboard.press('Delete');
  await page.getByText(`“${secondTwin.title}” removed.`).waitFor();
  await row('two.mp3').getByRole('button', { name: 'Undo' }).waitFor();
  await expect.poll(focusedText).toContain(secondTwin.title);
  await page.keyboard.press('Control+z');
  await row('two.mp3')
    .getByRole('button', { name: `Find ${secondTwin.title}` })
    .waitFor();
  await page.getByText(`“${secondTwin.title}” removed.`).waitFor({ state: 'detached' });

  await page.keyboard.press('Delete');
  await page.getByText(`“${secondTwin.title}” removed.`).waitFor();
  await page.getByRole('link', { name: 'Home', exact: true }).click(); // the undo time ends in another window
  expect((await listMissingTracks()).map(({ id }) => id)).toContain(secondTwin.id);
  await endUndo(page);
  await expect.poll(async () => (await listMissingTracks()).map(({ id }) => id)).not.toContain(secondTwin.id);
  await careLink().click();
  await expect.poll(() => tab().textContent()).toBe('Missing3');
});

test('several tracks are selected with Space and Shift, removed at once and restored with one Undo', async () => {
  await page.goto('/missing');
  await row(missingTracks[0]!.title).first().waitFor(); // a blank row cannot be focused
  await table().getByRole('row').nth(1).focus();
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Delete');
  const notice = page.getByRole('alert').filter({ hasText: '3 tracks removed.' });
  await notice.getByRole('button', { name: 'Undo' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect.poll(() => table().getByRole('checkbox', { checked: true }).count()).toBe(0);
});

test('a track whose file comes back before it is deleted stays, and the page becomes empty', async () => {
  await row(missingTracks[0]!.title).first().focus();
  await page.keyboard.press('Delete');
  await page.getByText(`“${missingTracks[0]!.title}” removed.`).waitFor();
  for (const { source_id } of missingTracks) renameSync(music(`../away/${source_id}`), music(source_id));
  await page.getByRole('button', { name: 'Scan again' }).click();
  await page.getByRole('heading', { name: 'Nothing is missing' }).waitFor();
  await expect.poll(() => tab().textContent()).toBe('Missing');
  await endUndo(page);
  await page.getByText(`“${missingTracks[0]!.title}” removed.`).waitFor({ state: 'detached' });
  expect(await stage.api<TrackOut>(`/tracks/${missingTracks[0]!.id}`)).toMatchObject({ availability: 'available' });
  expect(await listMissingTracks()).toEqual([]);
});

test('on a narrow screen the page is in the menu', async () => {
  renameSync(music(missingTracks[0]!.source_id), music('../away/again'));
  await scanToTheEnd(stage);
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto('/');
  await phone.getByRole('button', { name: 'More' }).click();
  await phone.getByRole('menuitem', { name: /^Library care/ }).click();
  await phone
    .getByRole('navigation', { name: 'Related pages' })
    .getByRole('link', { name: /^Missing/ })
    .click();
  await phone
    .getByRole('row')
    .filter({ hasText: missingTracks[0]!.title })
    .getByRole('button', { name: `Find ${missingTracks[0]!.title}` })
    .click();
  await phone.getByRole('dialog', { name: 'Find the missing file' }).waitFor();
  await phone.context().close();
  expect(stage.problems).toEqual([]);
});
