// Caring for albums, by mouse, keyboard and touch, in English and German: the year of a whole album is corrected, and
// two albums are merged, in at most three actions each; an album is matched with MusicBrainz.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumOut, AlbumPage, TrackPage } from '../../../server/library/wire.ts';
import { startFakeMusicBrainz, type FakeMusicBrainz } from '../../fakes/musicbrainz.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../../support/audio-bytes.ts';
import { until } from '../../support/until.ts';
import { violations } from '../axe.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from '../stage.ts';
import { handOf, type InputMethod } from './hand.ts';

const MOST_ACTIONS = 3;
const MILL_YEARS = ['2013', '2013', '2012', undefined, '2013', '2013', '2013', '2013', '2013', '2013', '2013'];

let stage: Stage;
let mb: FakeMusicBrainz;

async function addAlbum(dir: string, title: string, years: readonly (string | undefined)[], background: string) {
  const folder = join(dir, title);
  mkdirSync(folder, { recursive: true });
  const png = await sharp({ create: { width: 300, height: 300, channels: 3, background } })
    .png()
    .toBuffer();
  writeFileSync(join(folder, 'cover.png'), png);
  for (const [i, year] of years.entries()) {
    const texts = { TIT2: `${title} ${i + 1}`, TPE1: 'The Quays', TALB: title, TRCK: String(i + 1) };
    const tag = id3(
      Object.entries({ ...texts, ...(year !== undefined && { TDRC: year }) }).map(([name, value]) =>
        id3Frame(name, utf8Text(value)),
      ),
    );
    const frames = 40 + title.length * 20 + i;
    writeFileSync(join(folder, `${i + 1}.mp3`), Buffer.concat([tag, silentMp3(frames)]));
  }
}

beforeAll(async () => {
  mb = await startFakeMusicBrainz();
  stage = await openStage({
    tracks: 4,
    messy: 0,
    async addMusic(dir) {
      await addAlbum(dir, 'Live at the Mill', MILL_YEARS, '#aa3322');
      await addAlbum(dir, 'Ocean', Array<string>(9).fill('2001'), '#2233aa');
      await addAlbum(dir, 'Ocean, Disc 2', Array<string>(7).fill('2001'), '#22aa33');
    },
  });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
});
afterAll(async () => {
  await stage?.close();
  await mb?.close();
});

const albumCalled = async (title: string): Promise<AlbumOut> =>
  (await stage.api<AlbumPage>('/albums?limit=200')).items.find((album) => album.title === title)!;
const yearsOf = async ({ id }: AlbumOut) =>
  (await stage.api<TrackPage>(`/albums/${id}/tracks`)).items.map(({ year }) => year);

interface Words {
  more: string;
  edit: string;
  manage: string;
  merge: string;
  year: string;
  save: string;
  find: string;
  undo: string;
  changed: string;
  merged: string;
  tracks: (count: number) => string;
}
const ENGLISH: Words = {
  more: 'More options for',
  edit: 'Edit…',
  manage: 'Manage',
  merge: 'Merge into another album…',
  year: 'Year',
  save: 'Save',
  find: 'Find an album',
  undo: 'Undo',
  changed: '“Live at the Mill” was changed.',
  merged: '“Ocean, Disc 2” was merged into “Ocean”.',
  tracks: (count) => `${count} tracks`,
};
const GERMAN: Words = {
  more: 'Weitere Optionen für',
  edit: 'Bearbeiten…',
  manage: 'Verwalten',
  merge: 'Mit anderem Album zusammenführen…',
  year: 'Jahr',
  save: 'Speichern',
  find: 'Album suchen',
  undo: 'Rückgängig',
  changed: '„Live at the Mill“ wurde geändert.',
  merged: '„Ocean, Disc 2“ wurde mit „Ocean“ zusammengeführt.',
  tracks: (count) => `${count} Titel`,
};
const WAYS: [string, InputMethod, Words, string][] = [
  ['mouse', 'mouse', ENGLISH, 'en-US'],
  ['keyboard', 'keyboard', ENGLISH, 'en-US'],
  ['touch, in German', 'touch', GERMAN, 'de-DE'],
];

async function openAlbum(inputMethod: InputMethod, { id, title }: AlbumOut, locale: string): Promise<Page> {
  const window = inputMethod === 'touch' ? PHONE_WINDOW : DESK_WINDOW;
  const page = await stage.openAsOwner({ ...window, locale });
  await page.goto('/albums');
  await page.goto(`/albums/${id}`);
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  if (inputMethod === 'keyboard') await page.locator('#main header button').first().focus();
  return page;
}
const fact = (page: Page, text: string) => page.locator('#main header').getByText(text, { exact: true });

test.each(WAYS)('the year of an album is corrected and undone by %s', async (_, inputMethod, words, locale) => {
  const album = await albumCalled('Live at the Mill');
  const page = await openAlbum(inputMethod, album, locale);
  await fact(page, '2013').waitFor();
  const hand = handOf(inputMethod, page);
  const dialog = page.getByRole('dialog');
  if (inputMethod === 'keyboard') await hand.key('e');
  else {
    await hand.press(page.locator('#main header').getByRole('button', { name: `${words.more} ${album.title}` }));
    await hand.press(page.getByRole('menuitem', { name: words.edit }));
  }
  const field = dialog.getByRole('textbox', { name: words.year, exact: true });
  await field.waitFor();
  expect(await field.getAttribute('placeholder')).toContain('2013');
  expect(await violations(page, 'edit')).toEqual([]);

  // a year that is none is refused beside the field, and what was typed stays
  await field.fill('19977');
  await field.press('Enter');
  await until(async () => (await field.getAttribute('aria-invalid')) === 'true');
  await field.fill('1997');
  if (inputMethod === 'keyboard') await hand.key('Enter');
  else await hand.press(dialog.getByRole('button', { name: words.save }));
  await dialog.waitFor({ state: 'detached' });
  expect(await fact(page, '1997').count()).toBe(1);
  expect(hand.count()).toBeLessThanOrEqual(MOST_ACTIONS);
  expect(new Set(await yearsOf(album))).toEqual(new Set([1997]));

  const notice = page.getByRole('alert').filter({ hasText: words.changed });
  await notice.getByRole('button', { name: words.undo }).click();
  await fact(page, '2013').waitFor();
  expect(await yearsOf(album)).toEqual(MILL_YEARS.map((year) => (year === undefined ? null : Number(year))));
  expect(new URL(page.url()).pathname).toBe(`/albums/${album.id}`);
  await page.context().close();
});

test.each(WAYS)('two albums are merged and restored by %s', async (_, inputMethod, words, locale) => {
  const [ocean, discTwo] = [await albumCalled('Ocean'), await albumCalled('Ocean, Disc 2')];
  const coverOf = ({ id }: AlbumOut) => stage.api<AlbumOut>(`/albums/${id}`).then(({ has_cover }) => has_cover);
  const page = await openAlbum(inputMethod, discTwo, locale);
  const hand = handOf(inputMethod, page);
  if (inputMethod === 'keyboard') {
    await hand.key('Shift+F10');
    await page.getByRole('menu').waitFor();
    await hand.key('m');
  } else {
    await hand.press(page.locator('#main header').getByRole('button', { name: `${words.more} ${discTwo.title}` }));
    await hand.chooseIn(words.manage, words.merge);
  }
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('searchbox', { name: words.find }).fill('Ocean');
  const hit = dialog.getByRole('button').filter({ hasText: words.tracks(9) });
  await hit.waitFor();
  if (inputMethod === 'keyboard') await hand.key('Enter');
  else await hand.press(hit);
  expect(hand.count()).toBeLessThanOrEqual(MOST_ACTIONS);

  await page.getByRole('heading', { name: 'Ocean', exact: true }).waitFor();
  const notice = page.getByRole('alert').filter({ hasText: words.merged });
  await notice.waitFor();
  await fact(page, words.tracks(16)).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/albums/${ocean.id}`);
  const places = (await stage.api<TrackPage>(`/albums/${ocean.id}/tracks`)).items.map(
    ({ disc_number, track_number }) => `${disc_number ?? 1}.${track_number}`,
  );
  expect(places).toEqual([
    ...Array.from({ length: 9 }, (__, i) => `1.${i + 1}`),
    ...Array.from({ length: 7 }, (__, i) => `2.${i + 1}`),
  ]);

  // the old address leads to the album
  const other = await stage.openAsOwner(DESK_WINDOW);
  await other.goto(`/albums/${discTwo.id}`);
  await other.waitForURL(`**/albums/${ocean.id}`);
  await other.context().close();

  await notice.getByRole('button', { name: words.undo }).click();
  await fact(page, words.tracks(9)).waitFor();
  expect([await coverOf(ocean), await until(() => coverOf(discTwo))]).toEqual([true, true]);
  await page.goto(`/albums/${discTwo.id}`);
  await fact(page, words.tracks(7)).waitFor();
  await page.context().close();
});

test('a pasted list names the tracks, and the form asks before it throws changes away', async () => {
  const album = await albumCalled('Ocean, Disc 2');
  const page = await openAlbum('keyboard', album, 'en-US');
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Paste titles…' }).click();
  await dialog.getByRole('textbox', { name: 'One title per line' }).fill('1. Tide 3:10\n2. Shore\n');
  await dialog.getByRole('button', { name: 'Use 2 titles' }).click();
  expect(await dialog.getByRole('textbox', { name: 'Title of track 2' }).inputValue()).toBe('Shore');
  await page.keyboard.press('Escape');
  await dialog.getByText('Discard your changes?').waitFor();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Play Tide', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Play Shore', exact: true }).waitFor();
  await page.context().close();
});

test('an album is matched with a release at MusicBrainz, field by field', async () => {
  await stage.api('/settings', { method: 'PATCH', body: { musicbrainz_enabled: true, musicbrainz_base_url: mb.url } });
  const album = await albumCalled('Live at the Mill');
  const tracks = (await stage.api<TrackPage>(`/albums/${album.id}/tracks`)).items;
  const mbid = '00000000-0000-4000-8000-000000000001';
  const release = {
    id: mbid,
    title: 'Live at the Mill',
    date: '1997',
    country: 'DE',
    'artist-credit': [{ name: 'The Quays' }],
    'label-info': [{ label: { name: 'Mole Records' } }],
    media: [
      {
        position: 1,
        format: 'CD',
        'track-count': tracks.length,
        tracks: tracks.map(({ duration_ms }, i) => ({
          position: i + 1,
          title: `Song ${i + 1}`,
          length: (duration_ms ?? 0) + (i === 2 ? 60_000 : 0),
        })),
      },
    ],
  };
  mb.releases = [{ ...release, media: [{ format: 'CD', 'track-count': tracks.length }] }];
  mb.entities.set(`/ws/2/release/${mbid}`, release);

  const page = await openAlbum('mouse', album, 'en-US');
  await page
    .locator('#main header')
    .getByRole('button', { name: `More options for ${album.title}` })
    .click();
  await page.getByRole('menuitem', { name: 'Manage' }).hover();
  await page.getByRole('menuitem', { name: 'Match with MusicBrainz…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /Live at the Mill.*1997.*Mole Records/ }).click();
  await dialog.getByRole('table').waitFor();
  expect(await dialog.getByTitle('The lengths differ').count()).toBe(1);
  expect(await violations(page, 'match')).toEqual([]);
  await dialog.getByRole('checkbox', { name: 'Label' }).uncheck();
  await dialog.getByRole('button', { name: 'Take 2 fields' }).click();
  await dialog.waitFor({ state: 'detached' });
  await fact(page, '1997').waitFor();
  await page.getByRole('button', { name: 'Play Song 3', exact: true }).waitFor();
  const matched = await stage.api<TrackPage>(`/albums/${album.id}/tracks`);
  expect(matched.items.map(({ title, label }) => [title, label])).toEqual(
    tracks.map((__, i) => [`Song ${i + 1}`, null]),
  );
  await page.context().close();
  expect(stage.problems).toEqual([]);
});
