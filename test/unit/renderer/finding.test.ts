// Settings, pages and commands are found by their names and by other words for them, in every language.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import i18next from 'i18next';
import { afterAll, describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../server/config/settings.ts';
import type { SettingOut } from '../../../server/settings/wire.ts';
import { WINDOW_COMMANDS, isInPalette } from '../../../renderer/features/search/window-commands.ts';
import { byteText, separatorOf, serverByteText } from '../../../renderer/features/settings/byte-text.ts';
import { findByWords } from '../../../renderer/ui/find-by-words.ts';

type Texts = { [key: string]: string | Texts };

const languages = join(import.meta.dirname, '..', '..', '..', 'resources', 'languages');
const readTexts = (language: string): Texts =>
  JSON.parse(readFileSync(join(languages, `${language}.json`), 'utf8')) as Texts;

await i18next.init({
  resources: { en: { translation: readTexts('en') }, de: { translation: readTexts('de') } },
  interpolation: { escapeValue: false },
});
// these modules add texts when they are imported
const { synonymsOf } = await import('../../../renderer/i18n/synonyms.ts');
const { PLACES } = await import('../../../renderer/music/places.ts');
const { findableSettings } = await import('../../../renderer/music/setting-places.ts');
afterAll(() => i18next.changeLanguage('en'));

/** Every setting of the server, as GET /settings lists them. */
const SERVER_SETTINGS = Object.entries(SETTINGS).map(([name, { group, secret, unit = null }]): SettingOut => ({
  key: name.toLowerCase(),
  value: null,
  is_set: false,
  origin: 'default',
  group,
  help: '',
  restart_needed: false,
  restart_pending: false,
  secret,
  unit,
  advanced: false,
  is_in_use: true,
}));
const OWNER = { isOwner: true, isApp: true, canJukebox: true };
const LISTENER = { isOwner: false, isApp: false, canJukebox: false };

async function settingsIn(language: string, seeker = OWNER) {
  await i18next.changeLanguage(language);
  return findableSettings(seeker, SERVER_SETTINGS, i18next.t);
}

/** Returns the names of the pages and commands that are found. */
async function findInWindow(language: string, q: string): Promise<string[]> {
  await i18next.changeLanguage(language);
  const translate = i18next.t as (key: string) => string;
  const entries = [
    ...PLACES.map(({ text }) => ({ name: translate(text), synonyms: synonymsOf(text.slice(text.indexOf('.') + 1)) })),
    ...WINDOW_COMMANDS.filter(isInPalette).map(({ name, text }) => ({
      name: translate(text),
      synonyms: synonymsOf(name),
    })),
  ];
  return findByWords(entries, q).map(({ name }) => name);
}

describe.each(['en', 'de'])('in %s', (language) => {
  it('every setting is found by its name, and is the first that is found or has the same beginning', async () => {
    const settings = await settingsIn(language);
    expect(settings.length).toBeGreaterThan(SERVER_SETTINGS.length + 20);
    const notFound = settings.filter((setting) => !findByWords(settings, setting.name).slice(0, 2).includes(setting));
    expect(notFound).toEqual([]);
  });

  it('every setting has a name of its own, and an address in its section', async () => {
    const settings = await settingsIn(language);
    expect(settings.filter(({ name }) => /^(settings?|equalizer|playback|speaker|scheme)\.|_/.test(name))).toEqual([]);
    expect(settings.filter(({ section, address }) => !address.startsWith(`${section}/`))).toEqual([]);
  });

  it('every list of synonyms belongs to a setting, page or command', () => {
    const names = new Set([
      ...SERVER_SETTINGS.map(({ key }) => key),
      ...findableSettings(OWNER, [], i18next.t).map(({ address }) => address.split('/')[1]),
      ...PLACES.map(({ text }) => text.slice(text.indexOf('.') + 1)),
      ...WINDOW_COMMANDS.map(({ name }) => name),
      'scheme-system',
      'scheme-light',
      'scheme-dark',
    ]);
    expect(Object.keys(readTexts(language)['synonyms'] as Texts).filter((name) => !names.has(name))).toEqual([]);
  });
});

it.each([
  ['en', 'crossfade', 'playback/crossfade'],
  ['en', 'cross fade', 'playback/crossfade'],
  ['en', 'fade', 'playback/crossfade'],
  ['en', 'gapless mix', 'playback/crossfade'],
  ['en', 'equalizer', 'playback/equalizer'],
  ['en', 'EQ', 'playback/equalizer'],
  ['en', 'language', 'general/language'],
  ['en', 'Sprache', 'general/language'],
  ['en', 'replaygain', 'playback/replay-gain'],
  ['en', 'volume', 'playback/replay-gain'],
  ['en', 'sleep timer', 'playback/sleep-timer'],
  ['en', 'dark mode', 'general/theme'],
  ['en', 'password', 'account/password'],
  ['en', 'backup', 'storage/backups'],
  ['en', 'last.fm', 'account/scrobbling'],
  ['en', 'lyrics', 'metadata/lyrics-enabled'],
  ['en', 'add folder', 'library/music-folders'],
  ['de', 'überblend', 'playback/crossfade'],
  ['de', 'Überblendung', 'playback/crossfade'],
  ['de', 'ueberblenden', 'playback/crossfade'],
  ['de', 'uberblenden', 'playback/crossfade'],
  ['de', 'Crossfade', 'playback/crossfade'],
  ['de', 'Equalizer', 'playback/equalizer'],
  ['de', 'EQ', 'playback/equalizer'],
  ['de', 'Klangregler', 'playback/equalizer'],
  ['de', 'Sprache', 'general/language'],
  ['de', 'Language', 'general/language'],
  ['de', 'Lautstärke', 'playback/replay-gain'],
  ['de', 'ReplayGain', 'playback/replay-gain'],
  ['de', 'Schlummer', 'playback/sleep-timer'],
  ['de', 'Sleeptimer', 'playback/sleep-timer'],
  ['de', 'dunkel', 'general/theme'],
  ['de', 'Dunkelmodus', 'general/theme'],
  ['de', 'Passwort', 'account/password'],
  ['de', 'Backup', 'storage/backups'],
  ['de', 'Songtexte', 'metadata/lyrics-enabled'],
])('in %s, “%s” finds the setting %s', async (language, q, address) => {
  const found = findByWords(await settingsIn(language), q);
  expect(found.slice(0, 4).map((setting) => setting.address)).toContain(address);
});

it.each([
  ['en', 'recycle bin', 'Trash'],
  ['en', 'songs', 'Tracks'],
  ['en', 'favorites', 'Liked'],
  ['en', 'charts', 'Statistics'],
  ['en', 'recently played', 'History'],
  ['en', 'jobs', 'Activity'],
  ['en', 'preferences', 'Settings'],
  ['en', 'hotkeys', 'Keyboard shortcuts'],
  ['en', 'sidebar', 'Customize side bar'],
  ['de', 'Mülleimer', 'Papierkorb'],
  ['de', 'Lieder', 'Titel'],
  ['de', 'Künstler', 'Interpreten'],
  ['de', 'Muelleimer', 'Papierkorb'],
  ['de', 'zuletzt gehört', 'Verlauf'],
  ['de', 'Kurzbefehle', 'Tastenkürzel'],
])('in %s, “%s” finds %s', async (language, q, name) => {
  expect((await findInWindow(language, q)).slice(0, 3)).toContain(name);
});

it('a listener finds no setting of the server', async () => {
  const settings = await settingsIn('en', LISTENER);
  expect([...new Set(settings.map(({ section }) => section))].toSorted()).toEqual([
    'about',
    'account',
    'general',
    'network',
    'playback',
  ]);
  expect(settings.map(({ address }) => address)).not.toContain('network/share');
  expect(settings.map(({ address }) => address)).not.toContain('network/jukebox');
});

it('an exact name comes before a synonym, and that before a part of a name', () => {
  const items = [
    { name: 'Playback of fade', synonyms: [] },
    { name: 'Crossfade', synonyms: ['fade'] },
    { name: 'Fade', synonyms: [] },
    { name: 'Other', synonyms: ['nothing'] },
  ];
  expect(findByWords(items, 'fade').map(({ name }) => name)).toEqual(['Fade', 'Crossfade', 'Playback of fade']);
  expect(findByWords(items, '  ')).toEqual([]);
});

it.each([
  [0, '0'],
  [999, '999'],
  [1_000_000_000, '1 GB'],
  [10_000_000_000, '10 GB'],
  [1_500_000_000, '1.5 GB'],
  [500_000_000, '500 MB'],
  [1_073_741_824, '1 GiB'],
  [536_870_912, '512 MiB'],
])('%i bytes are %s', (bytes, text) => expect(byteText(bytes)).toBe(text));

it('a size has the decimal separator of the language, and is sent with a point', () => {
  expect(byteText(1_500_000_000, separatorOf('de'))).toBe('1,5 GB');
  expect(serverByteText(' 1,5 GB ')).toBe('1.5 GB');
  expect(serverByteText('2 GiB')).toBe('2 GiB');
});
