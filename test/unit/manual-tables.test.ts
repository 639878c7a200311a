// Checks that lists and tables of the manuals are complete: settings, stores, systems, formats, languages, tools.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defaultDataDir, SETTINGS } from '../../server/config/settings.ts';
import { IGNORE_FILES } from '../../server/files/ignore-rules.ts';
import { FORMATS } from '../../server/media/audio-formats.ts';
import { BACKENDS } from '../../server/storage/backends.ts';
import { addressOf, PROVIDER_NAMES } from '../../server/storage/s3-providers.ts';
import { root } from '../support/product.ts';
import { codeIn, figureOn, readSource, rowsOf, sectionOf, sentencesOf } from '../support/manual.ts';

const INSTALL_PAGE = join('docs', 'INSTALL.md');
const STORAGE_PAGE = join('docs', 'STORAGE.md');

/** Returns the values in the table of a setting, and the value that the table calls the default. */
function parseValueTable(
  page: string,
  setting: string,
): { values: (string | undefined)[]; byDefault: string | undefined } {
  const [, tableText = ''] = readSource(page).split(new RegExp(`^(?=\\| \`${setting}\` \\|)`, 'm'));
  const cells = rowsOf(tableText.split('\n\n')[0] ?? '').map(([cell = '']) => cell);
  const byDefault = cells.find((cell) => cell.endsWith(' (default)'));
  return { values: cells.map((cell) => codeIn(cell)[0]), byDefault: codeIn(byDefault ?? '')[0] };
}

it.each<[string, string, readonly string[]]>([
  [INSTALL_PAGE, 'LOCAL_MEDIA_IMPORT_MODE', ['copy', 'reference']],
  [STORAGE_PAGE, 'STORAGE_BACKEND', BACKENDS.map(({ name }) => name)],
  [STORAGE_PAGE, 'S3_PROVIDER', PROVIDER_NAMES],
])('%s has all values of %s', (page, setting, values) => {
  const { schema } = (SETTINGS as Record<string, { schema: z.ZodType }>)[setting] ?? { schema: z.never() };
  expect(parseValueTable(page, setting)).toEqual({ values, byDefault: schema.safeParse(undefined).data });
  for (const value of values) expect(schema.safeParse(value).success, value).toBe(true);
});

it('docs/STORAGE.md says of each store what has to be set, and what is known of it', () => {
  for (const [name = '', , requirements = '', note = ''] of rowsOf(sectionOf(STORAGE_PAGE, 'Object stores'))) {
    const provider = codeIn(name)[0] as (typeof PROVIDER_NAMES)[number];
    const defaultAddress = addressOf({ provider, endpoint: undefined, region: undefined, pathStyle: false });
    const regionAddress = addressOf({ provider, endpoint: undefined, region: 'REGION', pathStyle: false });
    const namedSettings = codeIn(requirements).map((code) => code.split('=')[0]);
    if (provider !== 'aws')
      expect([provider, namedSettings.includes('S3_ENDPOINT')]).toEqual([
        provider,
        regionAddress.endpoint === undefined,
      ]);
    expect([provider, note.includes('path-style')]).toEqual([provider, defaultAddress.pathStyle]);
    const namedRegion = /the region is `(\w+)`/.exec(note)?.[1] ?? /unless `([\w-]+)`/.exec(requirements)?.[1];
    if (namedRegion !== undefined) expect([provider, defaultAddress.region]).toEqual([provider, namedRegion]);
  }
});

it('docs/INSTALL.md says where the data folder is on each system', () => {
  const rows = rowsOf(sectionOf(INSTALL_PAGE, 'Where your data are')).slice(0, 3);
  const places = Object.fromEntries(rows.map(([system = '', place = '']) => [system, codeIn(place)]));
  const unix = (dir: string): string => dir.replaceAll('\\', '/');
  const describeDataDir = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string =>
    unix(defaultDataDir(env, platform, '~'));
  expect(places).toEqual({
    Linux: [describeDataDir('linux', { XDG_DATA_HOME: '$XDG_DATA_HOME' }), describeDataDir('linux', {})],
    macOS: [describeDataDir('darwin', {})],
    Windows: [describeDataDir('win32', { APPDATA: '%APPDATA%' }).replaceAll('/', '\\')],
  });
});

it('docs/INSTALL.md names the profile of the desktop app, the entries of the keychain, and the marks of folders', () => {
  const page = sentencesOf(INSTALL_PAGE);
  const [, profile = ''] = /getPath\('appData'\), '([^']+)'/.exec(readSource('main/desktop.ts')) ?? [];
  for (const place of [`~/.config/${profile}`, `~/Library/Application Support/${profile}`, `%APPDATA%\\${profile}`])
    expect(page).toContain(`\`${place}\``);
  const [, service] = /SERVICE = '([^']+)'/.exec(readSource('server/config/keychain.ts')) ?? [];
  expect(page).toContain(`delete its entries named \`${service}\``);
  for (const name of IGNORE_FILES) expect(page).toContain(`\`${name}\``);
});

it('docs/INSTALL.md has the values of SECRET_STORE, and the tools that are looked for', () => {
  const namedValues = /set `SECRET_STORE` to ([^;.]+)/.exec(sentencesOf(INSTALL_PAGE))?.[1] ?? '';
  for (const value of codeIn(namedValues))
    expect(SETTINGS.SECRET_STORE.schema.safeParse(value).success, value).toBe(true);
  const tools = rowsOf(sectionOf(INSTALL_PAGE, 'Optional tools')).flatMap(([cell = '']) => codeIn(cell));
  const [, names = ''] = /type ToolName = ([^;]+);/.exec(readSource('server/media/tools.ts')) ?? [];
  expect(tools).toEqual(names.split(' | ').map((name) => name.slice(1, -1)));
});

it('the installers are those of the build', () => {
  const builds = readSource('electron-builder.yml');
  const targets = [...builds.matchAll(/^ {2}target:(?: (\w+)|((?:\n {4}- \w+.*)+))/gm)].flatMap(
    ([, target, targetList = '']) =>
      target === undefined ? [...targetList.matchAll(/- (\w+)/g)].map(([, name]) => name) : [target],
  );
  const installerNames = { AppImage: 'AppImage', deb: 'deb', dmg: 'dmg', nsis: 'set-up program' };
  expect(targets.filter((name) => name !== 'zip')).toEqual(Object.keys(installerNames));
  for (const page of ['README.md', INSTALL_PAGE])
    for (const word of Object.values(installerNames)) expect(sentencesOf(page)).toContain(word);
  const [, folder] = /^ {2}output: (\w+)/m.exec(builds) ?? [];
  expect(sentencesOf(INSTALL_PAGE)).toContain(
    `builds installers for the current system and processor into \`${folder}/\``,
  );
  const machines = readSource('.github/workflows/release.yml').match(/- \{ os: /g) ?? [];
  expect(figureOn(INSTALL_PAGE, /builds all of them on (\w+) machines/)).toBe(machines.length);
});

it('README.md has every language, every audio format, and every service that plays are sent to', () => {
  const rows = new Map(
    rowsOf(sectionOf('README.md', 'What it runs on')).map(([subject, text = '']) => [subject, text]),
  );
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const languages = globSync('resources/languages/*.json', { cwd: root }).map((file) =>
    String(names.of(/(\w+)\.json$/.exec(file)?.[1] ?? '')),
  );
  expect(rows.get('languages')?.split(', ').toSorted()).toEqual(languages.toSorted());
  const audio = rows.get('audio') ?? '';
  expect(FORMATS.filter(([format]) => !audio.includes(DISPLAY_NAMES[format])).map(([format]) => format)).toEqual([]);
});

/** The names of formats that people use. */
const DISPLAY_NAMES: Record<(typeof FORMATS)[number][0], string> = {
  mp3: 'MP3 (and MP1, MP2)',
  flac: 'FLAC',
  ogg: 'Ogg (Vorbis',
  opus: 'Opus',
  spx: 'Speex',
  m4a: 'M4A (AAC, ALAC)',
  wav: 'WAV',
  aiff: 'AIFF',
  aac: 'AAC (ADTS',
  wma: 'WMA',
  ape: 'APE',
  wv: 'WavPack',
  mpc: 'Musepack',
  dsf: 'DSD',
  dff: 'DSD',
  mka: 'Matroska',
  tta: 'TTA',
  tak: 'TAK',
  w64: 'Wave64',
  caf: 'CAF',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  dts: 'DTS',
  loas: 'LOAS',
};

it('README.md names the clients whose requests are replayed', () => {
  const [, clientList = ''] = /replay the requests of ([^.]+?) when they connect/.exec(sentencesOf('README.md')) ?? [];
  const clients = clientList.split(/, | and /);
  expect(clients.length).toBeGreaterThan(5);
  const stories = ['clients', 'stories', 'sync']
    .map((name) => readSource(`test/integration/subsonic-${name}.test.ts`))
    .join('');
  expect(clients.filter((client) => !stories.includes(client))).toEqual([]);
});
