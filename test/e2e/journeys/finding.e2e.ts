// Finding a setting by its name and by other words, in the palette and in the settings, in English and German.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrackPage } from '../../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../../support/audio-bytes.ts';
import { violations } from '../axe.ts';
import { currentTime, DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from '../stage.ts';

const INES = { username: 'ines', password: 'long enough password' };
const WORDS = {
  en: {
    search: 'Search',
    palette: 'Search the library',
    field: 'Search settings',
    settings: 'Settings',
    by: 'Settings › Playback · Off',
    crossfade: 'Crossfade',
    section: 'Playback',
    result: '1 result',
    nothing: 'No setting matches “xyz”.',
    typed: 'crossf',
    table: [
      ['equalizer', 'Equalizer'],
      ['EQ', 'Equalizer'],
      ['language', 'Language'],
      ['replaygain', 'Volume normalization (ReplayGain)'],
      ['sleep timer', 'Sleep timer'],
      ['dark mode', 'Appearance'],
      ['cross fade', 'Crossfade'],
      ['fade', 'Crossfade'],
      ['password', 'Password'],
    ],
  },
  de: {
    search: 'Suchen',
    palette: 'Mediathek durchsuchen',
    field: 'Einstellungen durchsuchen',
    settings: 'Einstellungen',
    by: 'Einstellungen › Wiedergabe · Aus',
    crossfade: 'Überblenden',
    section: 'Wiedergabe',
    result: '1 Ergebnis',
    nothing: 'Keine Einstellung passt zu „xyz“.',
    typed: 'überblend',
    table: [
      ['Klangregler', 'Equalizer'],
      ['EQ', 'Equalizer'],
      ['Sprache', 'Sprache'],
      ['Lautstärke', 'Lautstärkeanpassung (ReplayGain)'],
      ['Schlummer', 'Einschlaftimer'],
      ['dunkel', 'Darstellung'],
      ['Überblendung', 'Überblenden'],
      ['ueberblenden', 'Überblenden'],
      ['uberblenden', 'Überblenden'],
      ['Crossfade', 'Überblenden'],
      ['Passwort', 'Passwort'],
    ],
  },
} as const;
type Language = keyof typeof WORDS;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 20, seconds: '30', addMusic: addCrossfade });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  await stage.api('/users', { method: 'POST', body: { ...INES, is_superuser: false } });
});
afterAll(() => stage?.close());

/** Adds an album with a track that has the name of the setting. */
function addCrossfade(dir: string): void {
  mkdirSync(join(dir, 'Mixer'));
  const tags = { TIT2: 'Crossfade', TPE1: 'Mixer', TALB: 'Desk', TRCK: '1' };
  const frames = Object.entries(tags).map(([name, text]) => id3Frame(name, utf8Text(text)));
  writeFileSync(join(dir, 'Mixer', 'one.mp3'), Buffer.concat([id3(frames), silentMp3(600)]));
}

async function openAsInes(language: Language, options: BrowserContextOptions): Promise<Page> {
  const page = await stage.openPage({ baseURL: stage.url, locale: language, ...options });
  await page.goto('/sign-in');
  await page.locator('[name=username]').fill(INES.username);
  await page.locator('[name=password]').fill(INES.password);
  await page.keyboard.press('Enter');
  await page.locator('#main h1').waitFor();
  return page;
}

/** The row of a setting, whose control has the focus. */
const focusedRow = (settings: Page, address: string) =>
  settings.locator(`[data-setting="${address.split('/')[1]}"]:focus-within`);

async function expectAtCrossfade(settings: Page, { crossfade, section }: (typeof WORDS)[Language]): Promise<void> {
  await settings.getByRole('heading', { level: 1, name: section }).waitFor();
  const row = focusedRow(settings, 'playback/crossfade');
  await row.waitFor();
  await row.getByText(crossfade, { exact: true }).first().waitFor();
  await settings.locator('[data-setting="crossfade"][data-marked]').waitFor();
  expect(new URL(settings.url()).hash).toBe('#playback/crossfade');
  const box = (await row.boundingBox())!;
  const { width, height } = settings.viewportSize()!;
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.y + box.height).toBeLessThanOrEqual(height);
  const isOnTop = await settings.evaluate(
    ([x, y]) => document.elementFromPoint(x!, y!)?.closest('[data-setting="crossfade"]') !== null,
    [Math.min(box.x + 20, width - 1), box.y + box.height / 2],
  );
  expect(isOnTop).toBe(true);
}

describe.each(['en', 'de'] as const)('in %s', (language) => {
  const words = WORDS[language];

  test('the palette leads to the setting by keyboard, and the music goes on', async () => {
    const page = await openAsInes(language, DESK_WINDOW);
    const { items } = await stage.api<TrackPage>('/tracks?limit=1&sort=title');
    await page.goto(`/albums/${items[0]!.album_id}`);
    await page.locator('#main h1').waitFor();
    await page.locator('#main').locator('button[class*=primary]').first().click();
    await expect.poll(() => currentTime(page)).toBeGreaterThan(0.1);
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: words.palette });
    await field.fill(words.typed);
    const option = page
      .getByRole('group', { name: new RegExp(`^${words.settings}`) })
      .getByRole('option')
      .first();
    await option.getByText(words.crossfade, { exact: true }).waitFor();
    await option.getByText(words.by, { exact: true }).waitFor();
    await field.fill(words.crossfade);
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain(words.by);
    expect(await page.getByRole('option').filter({ hasText: 'Mixer' }).count()).toBe(language === 'en' ? 1 : 0);
    const popup = page.waitForEvent('popup');
    await page.keyboard.press('Enter');
    const settings = await popup;
    await expectAtCrossfade(settings, words);
    const position = await currentTime(page);
    await expect.poll(() => currentTime(page)).toBeGreaterThan(position);

    await settings.keyboard.press('ArrowRight');
    await settings.getByText(language === 'en' ? '1 second' : '1 Sekunde', { exact: true }).waitFor();
    await settings.keyboard.press('ArrowLeft');
    await settings.locator('[data-marked]').waitFor({ state: 'detached' });
    await page.bringToFront();
    await page.keyboard.press('Control+k');
    await field.fill(words.crossfade);
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain(words.by);
    await page.keyboard.press('Enter');
    await expectAtCrossfade(settings, words);
    await page.context().close();
  });

  test('the search of the settings leads to it by keyboard, and says what it found', async () => {
    const page = await openAsInes(language, DESK_WINDOW);
    await page.goto('/settings');
    const field = page.getByRole('combobox', { name: words.field });
    await field.waitFor();
    await page.keyboard.press('/');
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type(words.crossfade);
    await page.getByRole('option', { name: words.crossfade }).waitFor();
    await page.getByRole('status').getByText(words.result, { exact: true }).waitFor();
    expect(await violations(page, 'search of the settings')).toEqual([]);
    await page.keyboard.press('Enter');
    await expectAtCrossfade(page, words);
    await page.keyboard.press('Control+f');
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type('xyz');
    await page.getByText(words.nothing).waitFor();
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(false);
    await page.keyboard.press('/');
    await page.keyboard.type(words.crossfade);
    await page.keyboard.press('Enter');
    await expectAtCrossfade(page, words); // the same address again

    for (const [typed, name] of words.table) {
      await field.fill(typed);
      await expect
        .poll(() => page.getByRole('listbox').getByRole('option').allTextContents(), { message: typed })
        .toContainEqual(expect.stringMatching(new RegExp(`^${name.replace(/[()]/g, '\\$&')}`)));
    }
    for (const typed of ['MusicBrainz', 'Bucket', 'ffmpeg', 'LYRICS_ENABLED']) {
      await field.fill(typed);
      await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(0);
    }
    await page.context().close();
  });

  test('by touch, in the palette and in the settings', async () => {
    const page = await openAsInes(language, PHONE_WINDOW);
    await page.getByRole('button', { name: words.search }).last().tap();
    const palette = page.getByRole('combobox', { name: words.palette });
    for (const [typed, name] of words.table) {
      await palette.fill(typed);
      await expect
        .poll(() => page.getByRole('option').allTextContents(), { message: typed })
        .toContainEqual(expect.stringMatching(new RegExp(`^${name.replace(/[()]/g, '\\$&')}${words.settings} ›`)));
    }
    await palette.fill(words.typed);
    const popup = page.waitForEvent('popup');
    await page.getByRole('option').filter({ hasText: words.by }).tap();
    await expectAtCrossfade(await popup, words);

    await page.goto('/settings');
    const field = page.getByRole('combobox', { name: words.field });
    const box = (await field.boundingBox())!;
    expect(box.y + box.height).toBeLessThan(844);
    await field.tap();
    await field.fill(words.typed);
    const hit = page.getByRole('option', { name: words.crossfade });
    expect((await hit.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await hit.tap();
    await expectAtCrossfade(page, words);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.context().close();
  });
});

test('the address of a setting ends there also after signing in', async () => {
  const page = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW });
  await page.goto('/settings#playback/crossfade');
  await page.getByLabel('Username').fill(INES.username);
  await page.getByLabel('Password', { exact: true }).fill(INES.password);
  await page.keyboard.press('Enter');
  await expectAtCrossfade(page, WORDS.en);
  await page.context().close();
});

test('an administrator finds the settings of the server, also those that have no effect now, without names of variables', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings');
  const field = page.getByRole('combobox', { name: 'Search settings' });
  await field.fill('backup folder');
  await page.getByRole('option', { name: /^Backup location/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Storage & backup' }).waitFor();
  await focusedRow(page, 'storage/backup-target').waitFor();
  await field.fill('bucket');
  await page.getByRole('option', { name: /^Bucket/ }).click();
  const bucket = focusedRow(page, 'storage/s3-bucket');
  await bucket.getByText('Has no effect with the other settings as they are').waitFor();
  for (const section of ['general', 'library', 'storage', 'metadata', 'network', 'remote', 'accounts']) {
    await page.goto(`/settings#${section}`);
    await page.getByRole('main').locator('input, select').first().waitFor();
    for (const summary of await page.getByRole('main').locator('summary').all()) await summary.click();
    expect(await page.getByRole('main').innerText()).not.toMatch(/\b[A-Z]+_[A-Z_]+\b|\bin bytes\b/i);
  }
  await page.goto('/settings#storage/min-free-bytes');
  await expect.poll(() => focusedRow(page, 'storage/min-free-bytes').getByRole('textbox').inputValue()).toBe('1 GB');
  await page.context().close();
  expect(stage.problems).toEqual([]);
});
