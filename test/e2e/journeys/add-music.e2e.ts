// Adding music, by touch on a phone in German and by keyboard on a laptop in English: four files, of which one is in the
// library already and one is no music. The connection breaks meanwhile.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackPage } from '../../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../../support/audio-bytes.ts';
import { inBothThemes } from '../axe.ts';
import { openStage, OWNER_ACCOUNT, PHONE_WINDOW, waitUntilStill, type Stage } from '../stage.ts';
import { handOf, type InputMethod } from './hand.ts';

const LAPTOP_WINDOW = { viewport: { width: 1024, height: 768 } };
const MOST_ACTIONS = 3;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 4, messy: 0 });
});
afterAll(() => stage?.close());

const song = (title: string, album: string, frames: number): Buffer =>
  Buffer.concat([
    id3(
      Object.entries({ TIT2: title, TPE1: 'The Harbors', TALB: album }).map(([name, value]) =>
        id3Frame(name, utf8Text(value)),
      ),
    ),
    silentMp3(frames),
  ]);

interface Words {
  more: string;
  add: string;
  choose: string;
  free: RegExp;
  offline: string;
  added: string;
  existing: string;
  notMusic: string;
  summary: string;
  retry: string;
  goToAlbum: string;
}
const ENGLISH: Words = {
  more: 'More',
  add: 'Add music',
  choose: 'Choose files',
  free: /^\d.* of 5\sGB free$/,
  offline: 'Waiting for the connection',
  added: 'Added',
  existing: 'Already in your library',
  notMusic: 'This is not a music file.',
  summary: '2 added, 1 already there, 1 failed',
  retry: 'Try again',
  goToAlbum: 'Go to album',
};
const GERMAN: Words = {
  more: 'Mehr',
  add: 'Musik hinzufügen',
  choose: 'Dateien auswählen',
  free: /^\d.* von 5\sGB frei$/,
  offline: 'Wartet auf die Verbindung',
  added: 'Hinzugefügt',
  existing: 'Schon in deiner Mediathek',
  notMusic: 'Das ist keine Musikdatei.',
  summary: '2 hinzugefügt, 1 schon vorhanden, 1 fehlgeschlagen',
  retry: 'Erneut versuchen',
  goToAlbum: 'Zum Album',
};
const WAYS: [string, InputMethod, Words, string][] = [
  ['touch, in German', 'touch', GERMAN, 'de-DE'],
  ['keyboard', 'keyboard', ENGLISH, 'en-US'],
];

const isUpload = ({ url, body }: { url: string; body: string }, name: string) =>
  url.endsWith('/tracks/upload') && body.includes(`filename="${name}"`);

test.each(WAYS)('music is added by %s', async (_, inputMethod, words, locale) => {
  const isTouch = inputMethod === 'touch';
  const album = isTouch ? 'Harbor Lights' : 'Evening Ferry';
  const seed = isTouch ? 100 : 200;
  const page = await stage.openAsOwner({ ...(isTouch ? PHONE_WINDOW : LAPTOP_WINDOW), locale });
  const { id } = await stage.api<{ id: number }>('/users/me');
  await stage.api(`/users/${id}`, { method: 'PATCH', body: { quota_bytes: 5_000_000_000 } });
  const { items: libraryTracks } = await stage.api<TrackPage>('/tracks?limit=1');
  const existingTrack = libraryTracks[0]!;
  const { access_token: token } = await stage.api<{ access_token: string }>('/auth/login', {
    method: 'POST',
    body: OWNER_ACCOUNT,
  });
  const original = await fetch(`${stage.url}/api/v1/stream/${existingTrack.id}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(original.status).toBe(200);
  const files = [
    { name: '01.mp3', mimeType: 'audio/mpeg', buffer: song('Quay', album, seed) },
    { name: '02.mp3', mimeType: 'audio/mpeg', buffer: song('Rope', album, seed + 1) },
    { name: 'known.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from(await original.arrayBuffer()) },
    { name: 'holiday.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('Towels and sun cream.') },
  ];
  let isBroken = true;
  await page.route('**/api/v1/{tracks/upload,auth/status}', (route) => {
    const request = { url: route.request().url(), body: route.request().postDataBuffer()?.toString('latin1') ?? '' };
    return isBroken && (request.url.endsWith('/status') || isUpload(request, '02.mp3'))
      ? route.abort('connectionreset')
      : route.continue();
  });

  const chooser = page.waitForEvent('filechooser');
  await page.goto('/artists');
  await page.locator('#main').getByRole('heading').first().waitFor();
  const hand = handOf(inputMethod, page);
  const dialog = page.getByRole('dialog', { name: words.add });
  if (isTouch) {
    await hand.press(page.getByRole('button', { name: words.more, exact: true }));
    await hand.press(page.getByRole('menuitem', { name: words.add }));
  } else {
    // opening the search and typing is one action
    await hand.key('Control+k');
    await page.getByRole('combobox').fill('upload');
    await page.getByRole('option', { name: words.add }).waitFor();
    await hand.key('Enter');
  }
  const choose = dialog.getByRole('button', { name: words.choose });
  await dialog.getByText(words.free).waitFor();
  await waitUntilStill(page);
  expect(await choose.evaluate((button) => button === document.activeElement)).toBe(true);
  expect((await choose.boundingBox())!.height).toBeGreaterThanOrEqual(44);
  expect(await dialog.getByRole('button', { name: /folder|Ordner/ }).count()).toBe(isTouch ? 0 : 1);
  expect(/drag|drop|zieh/i.test((await dialog.textContent())!)).toBe(!isTouch);
  expect(await inBothThemes(page, 'add music')).toEqual([]);
  await (isTouch ? hand.press(choose) : hand.key('Enter'));
  expect(hand.count()).toBeLessThanOrEqual(MOST_ACTIONS);
  await (await chooser).setFiles(files);

  // the file whose connection broke waits, and continues by itself
  const panel = page.getByRole('region', { name: words.add });
  const row = (name: string) => panel.getByRole('listitem').filter({ hasText: name });
  await row('02.mp3').getByText(words.offline).waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
  isBroken = false;
  await panel.getByRole('heading', { name: words.summary }).waitFor();
  expect(await panel.getByRole('status').textContent()).toBe(words.summary);
  for (const name of ['01.mp3', '02.mp3']) await row(name).getByText(words.added, { exact: true }).waitFor();
  await row('known.mp3').getByText(words.existing).waitFor();
  await row('known.mp3').getByRole('link', { name: existingTrack.title, exact: true }).waitFor();
  await row('holiday.mp3').getByText(words.notMusic).waitFor();
  expect(await panel.getByRole('button', { name: words.retry }).count()).toBe(1);
  expect(await inBothThemes(page, 'added music')).toEqual([]);
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(isWide).toBe(false);

  await (isTouch ? panel.getByRole('link', { name: words.goToAlbum }).tap() : page.keyboard.press('Tab'));
  if (!isTouch) await panel.getByRole('link', { name: words.goToAlbum }).press('Enter');
  await page.locator('#main').getByRole('heading', { name: album, exact: true }).waitFor();
  for (const title of ['Quay', 'Rope']) await page.locator('#main').getByText(title, { exact: true }).waitFor();
  const { items } = await stage.api<TrackPage>(`/tracks?limit=50`);
  expect(items.filter(({ album_title: title }) => title === album)).toHaveLength(2);
  expect(items.filter(({ title }) => title === existingTrack.title)).toHaveLength(1);
  await page.context().close();
});
