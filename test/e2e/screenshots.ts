// Takes screenshots of every page at 1440 and 390 px, light and dark: node test/e2e/screenshots.ts FOLDER [ADDRESS USER
// PASSWORD]. Without an address a server with a generated collection is started. `npm run screenshots` fills
// docs/screenshots.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { AnalysisOut } from '../../server/analysis/wire.ts';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { LikenessOut } from '../../server/likeness/wire.ts';
import type { AlbumPage, TrackPage } from '../../server/library/wire.ts';
import type { PlaylistOut, PlaylistPage } from '../../server/playlists/wire.ts';
import { startFakeAcoustId } from '../fakes/acoustid.ts';
import { openBrowser, openContext } from '../support/browser.ts';
import { id3, id3FrameV23, silentMp3 } from '../support/audio-bytes.ts';
import { drawCovers } from '../support/drawn-covers.ts';
import { encodeCharset } from '../support/encode-charset.ts';
import { enliven, type Api } from '../support/lively-library.ts';
import { addPodcasts } from '../support/some-podcasts.ts';
import { startSmallCatalogue } from '../support/small-catalogue.ts';
import { DESK_WINDOW, loseFiles, openStage, OWNER_ACCOUNT, PHONE_WINDOW, untilIdle } from './stage.ts';

const [folder, address, username, password] = process.argv.slice(2);
if (!folder) throw new Error('Say which folder the pictures go into.');
mkdirSync(folder, { recursive: true });

// the packaged Chromium has its own fonts, which lack Chinese, Japanese and Korean
process.env['FONTCONFIG_PATH'] ??= '/etc/fonts';

const STATION_ROWS = [
  ['Harbour FM', 'https://radio.example/harbour'],
  ['Night Train', 'https://radio.example/night'],
] as const;

const catalogue = address ? null : await startSmallCatalogue();
const stage = address
  ? null
  : await openStage({
      isScanned: false,
      tracks: 600,
      messy: 0.02,
      seconds: '8',
      art: 'none',
      addMusic: async (dir) => {
        addJapanese(dir);
        await drawCovers(dir);
      },
      env: catalogue!.env,
    });
if (stage) {
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  await loseFiles(stage, 12);
  await enliven(stage.api);
  await makeUnsure(stage.api);
  await listen(stage.api);
  addPodcasts(stage.dataDir);
  for (const [name, streamUrl] of STATION_ROWS)
    await stage.api('/stations', { method: 'POST', body: { name, stream_url: streamUrl } });
}
const url = address ?? stage!.url;
const [from, to] = (await stage?.api<TrackPage>('/tracks?limit=2&sort=random&seed=3'))?.items ?? [];
const browser = stage?.browser ?? (await openBrowser());
const session = await signIn();

type Scene = [name: string, path: string, prepare?: (page: Page) => Promise<void>];
const play = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
const album = await largestAlbum();
const playlists = await makePlaylists();
const charset = await albumWithCharset();
const SCREENSHOT_SCENES: Scene[] = [
  ['home', '/'],
  ['albums', '/albums'],
  ['album', `/albums/${album.id}`],
  ['artist', `/artists/${album.artist_id}`],
  ['artists', '/artists'],
  ['tracks', '/tracks'],
  ['genres', '/genres'],
  ['folders', '/folders'],
  ['explore', '/explore'],
  ['radio', '/radio'],
  ['path', from && to ? `/path?from=${from.id}&to=${to.id}` : '/path'],
  ['map', '/map'],
  ['analysis', '/analysis'],
  ['podcasts', '/podcasts'],
  ['stations', '/stations'],
  ['playlists', '/playlists'],
  ['liked', '/liked'],
  ['playlist', `/playlists/${playlists.ordinary}`],
  ['playlist-versions', `/playlists/${playlists.ordinary}?versions=true`],
  ['smart-rules', `/playlists/${playlists.smart}/rules`],
  ['care', '/care'],
  ['activity', '/activity?job=1'],
  ['missing', '/missing'],
  ['trash', '/trash'],
  ['history', '/history'],
  ['statistics', '/statistics'],
  ['review', '/review'],
  ['duplicates', '/duplicates'],
  ['details', '/tracks?details=1'],
  ['edit', '/tracks?details=1&edit=true'],
  ...['general', 'library', 'storage', 'metadata', 'network', 'playback', 'remote', 'account', 'accounts', 'about'].map(
    (section): Scene => [`settings-${section}`, `/settings#${section}`],
  ),
  ['set-up-folder', '/setup?step=folder'],
  ['set-up-network', '/setup?step=network'],
  ['not-found', '/nowhere'],
  ...(stage
    ? [
        [
          'discover',
          '/discover?q=harbour',
          (page: Page) => page.getByRole('list', { name: 'Results' }).getByRole('listitem').first().waitFor(),
        ] satisfies Scene,
      ]
    : []),
  ['search-page', `/search?q=${encodeURIComponent(album.title.slice(0, 3))}`],
  [
    'search-commands',
    '/',
    async (page) => {
      await page.getByRole('button', { name: 'Search' }).first().click();
      await page.getByRole('combobox').fill('play');
      await page.getByRole('group', { name: 'Pages and commands' }).waitFor();
    },
  ],
  [
    'search',
    '/',
    async (page) => {
      await page.getByRole('button', { name: 'Search' }).first().click();
      await page.getByRole('combobox').fill(album.title.slice(0, 3));
      await page.getByRole('option').first().waitFor();
    },
  ],
  ...(stage
    ? [
        [
          'search-beyond',
          '/',
          async (page: Page) => {
            await page.getByRole('button', { name: 'Search' }).first().click();
            await page.getByRole('combobox').fill('harbour');
            await page.getByRole('group', { name: 'Online sources' }).waitFor();
          },
        ] satisfies Scene,
      ]
    : []),
  [
    'cover',
    `/albums/${album.id}`,
    async (page) => {
      await page.getByRole('button', { name: /^Cover of/ }).click();
      await page.getByText('In the files').waitFor();
      await page.waitForLoadState('networkidle');
    },
  ],
  ...(charset === undefined ? [] : [['charset', `/albums/${charset}`] satisfies Scene]),
  [
    'playing',
    `/albums/${album.id}`,
    async (page) => {
      await play(page);
      if ((page.viewportSize()?.width ?? 0) < 768) await page.getByRole('button', { name: /^Open player/ }).click();
      else {
        await page.getByRole('button', { name: 'Queue', exact: true }).click();
        await page.getByRole('complementary', { name: 'Queue' }).getByRole('listitem').first().waitFor();
      }
    },
  ],
  ['player', '/player'],
  [
    'full-screen',
    `/albums/${album.id}`,
    async (page) => {
      await play(page);
      await page
        .getByRole('button', { name: /^Open player/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
      if ((page.viewportSize()?.width ?? 0) < 768) return;
      await page.getByRole('dialog').getByText('Queue', { exact: true }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    },
  ],
  ['filter', '/albums', (page) => page.getByRole('button', { name: 'Filter' }).click()],
  [
    'menu',
    `/albums/${album.id}`,
    async (page) => {
      await page
        .getByRole('main')
        .getByRole('button', { name: /^More options for/ })
        .nth(2)
        .click();
      await page.getByRole('menu').waitFor();
    },
  ],
  [
    'shortcuts',
    '/albums',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  ],
];

// both sizes run at once; every page is opened once and changes its theme
await Promise.all(
  (
    [
      ['1440', DESK_WINDOW],
      ['390', PHONE_WINDOW],
    ] as const
  ).map(([size, device]) => shoot(browser, size, device)),
);
if (stage) await stage.close().then(() => catalogue!.close());
await browser.close();
for (const scheme of ['light', 'dark']) await drawContactSheet(scheme);

async function shoot(from: Browser, size: string, device: Parameters<Browser['newContext']>[0]): Promise<void> {
  const context = await openContext(from, { ...device, baseURL: url, colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto('/sign-in');
  await page.getByLabel('Username').waitFor();
  await keepBoth(page, `sign-in-${size}`);
  await page.evaluate(([token, user]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user })), [
    session.access_token,
    session.user,
  ] as const);
  for (const [name, path, prepare] of SCREENSHOT_SCENES) {
    if (path.includes('#')) await page.goto('about:blank'); // navigation to another hash alone would load nothing
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    await prepare?.(page);
    await keepBoth(page, `${name}-${size}`);
  }
  await context.close();
}

async function keepBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(
      (scheme) =>
        document.documentElement.dataset['mantineColorScheme'] === scheme &&
        [...document.images].every(
          ({ complete, naturalWidth, loading, dataset, src }) =>
            loading === 'lazy' || (complete && (naturalWidth > 0 || 'broken' in dataset || src.endsWith('.svg'))),
        ),
      colorScheme,
    );
    await page.evaluate(() =>
      Promise.allSettled(
        [...document.images].filter(({ loading }) => loading !== 'lazy').map((image) => image.decode()),
      ),
    );
    await saveScreenshot(page, `${name}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Compresses a screenshot, so that it is small enough for the repository, and saves it. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  await sharp(await page.screenshot())
    .webp({ quality: 78 })
    .toFile(join(folder!, `${name}.webp`));
}

async function signIn(): Promise<TokenResponse> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      username: username ?? OWNER_ACCOUNT.username,
      password: password ?? OWNER_ACCOUNT.password,
    }),
  });
  if (!response.ok) throw new Error(`Signing in failed: ${response.status}`);
  return (await response.json()) as TokenResponse;
}

async function largestAlbum(): Promise<AlbumPage['items'][number]> {
  const response = await fetch(`${url}/api/v1/albums?limit=200`, {
    headers: { Authorization: `Bearer ${session.access_token}` },
  });
  const { items } = (await response.json()) as AlbumPage;
  // the machine may lack fonts for other scripts
  const namedAlbums = items.filter(
    (candidate) => candidate.has_cover && /^[\x20-\x7e]+$/.test(`${candidate.title}${candidate.artist_name ?? ''}`),
  );
  return namedAlbums.reduce((longestAlbum, candidate) =>
    candidate.track_count > longestAlbum.track_count ? candidate : longestAlbum,
  );
}

/** Analyzes all tracks, and waits until their sounds can be compared. */
async function listen(api: Api): Promise<void> {
  await api('/settings', { method: 'PATCH', body: { analysis_enabled: true } });
  // polls rarely, because the analysis pauses for requests
  const isDone = async (): Promise<boolean> =>
    (await api<AnalysisOut>('/analysis')).state === 'done' && (await api<LikenessOut>('/likeness')).by === 'sound';
  while (!(await isDone())) await sleep(5_000);
}

/** Gives three tracks uncertain matches. */
async function makeUnsure(api: Api): Promise<void> {
  await untilIdle(() => api<{ items: JobOut[] }>('/jobs'));
  const service = await startFakeAcoustId();
  await api('/settings', {
    method: 'PATCH',
    body: { fpid_enabled: true, fpid_base_url: service.url, fpid_api_key: 'key' },
  });
  const { items } = await api<TrackPage>('/tracks?limit=40&sort=artist&availability=available');
  for (const { id, title, artist_name, album_title } of items
    .filter((track) => track.has_cover && track.album_title)
    .slice(0, 3)) {
    const artists = [{ id: randomUUID(), name: artist_name ?? 'Unknown' }];
    const recording = {
      id: randomUUID(),
      title: `${title} (Live)`,
      duration: 8,
      sources: 4,
      artists,
      releasegroups: [
        {
          id: randomUUID(),
          title: `${album_title} at the Harbour`,
          type: 'Album',
          artists,
          releases: [{ id: randomUUID(), date: { year: 2009 } }],
        },
      ],
    };
    service.next.push({ results: [{ id: randomUUID(), score: 0.58, recordings: [recording] }] });
    await api(`/tracks/${id}/metadata/enrich`, { method: 'POST' });
    await untilIdle(() => api<{ items: JobOut[] }>('/jobs'));
  }
  await api('/settings', { method: 'PATCH', body: { fpid_enabled: false } });
  await service.close();
}

/** Returns the first playlist of each kind; creates two if there are none. */
async function makePlaylists(): Promise<{ ordinary: number; smart: number }> {
  const headers = { Authorization: `Bearer ${session.access_token}`, 'Content-Type': 'application/json' };
  const callApi = async <T>(path: string, body?: unknown): Promise<T> =>
    (await (
      await fetch(`${url}/api/v1${path}`, {
        headers,
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json()) as T;
  const { items } = await callApi<PlaylistPage>('/playlists');
  const idOf = (smart: boolean) =>
    items.find((playlist) => playlist.is_smart === smart && playlist.track_count > 0)?.id;
  const tracks = await callApi<TrackPage>('/tracks?limit=60&sort=random&seed=7');
  const makePlaylist = async (body: object) => (await callApi<PlaylistOut>('/playlists', body)).id;
  return {
    ordinary:
      idOf(false) ??
      (await makePlaylist({
        name: 'Late evening drive',
        description: 'For the long way home',
        track_ids: tracks.items
          .filter((track) => track.has_cover)
          .slice(0, 24)
          .map(({ id }) => id),
      })),
    smart:
      idOf(true) ??
      (await makePlaylist({
        name: 'Nineties',
        rules: {
          all: [
            { field: 'year', op: 'between', value: [1990, 1999] },
            { field: 'genre', op: 'is_set' },
          ],
          sort: [{ field: 'year' }],
          limit: 50,
        },
      })),
  };
}

/** Adds an album whose tags do not state their charset. */
function addJapanese(dir: string): void {
  const to = join(dir, '山田太郎', '青い海');
  mkdirSync(to, { recursive: true });
  for (const [n, title] of ['夜空', '月の光', '恋', '東京の雨', '夢の中へ', '花火'].entries()) {
    const frames = Object.entries({ TIT2: title, TPE1: '山田太郎', TALB: '青い海', TRCK: String(n + 1) });
    const tag = frames.map(([name, text]) =>
      id3FrameV23(name, Buffer.concat([Buffer.alloc(1), encodeCharset(text, 'shift_jis')!])),
    );
    writeFileSync(join(to, `${n + 1}.mp3`), Buffer.concat([id3(tag, 3), silentMp3(40 + n)]));
  }
}

async function albumWithCharset(): Promise<number | undefined> {
  if (!stage) return undefined;
  const { items } = await stage.api<AlbumPage>(`/albums?q=${encodeURIComponent('青い海')}`);
  return items[0]?.id;
}

/** Draws all pages of a theme in one picture, wide ones first. */
async function drawContactSheet(scheme: string): Promise<void> {
  const [columns, width, gap] = [6, 320, 12];
  const names = readdirSync(folder!).filter((name) => name.endsWith(`-${scheme}.webp`) && !name.startsWith('all-'));
  const ofSize = (size: string) => names.filter((name) => name.endsWith(`-${size}-${scheme}.webp`)).toSorted();
  const parts: { input: Buffer; left: number; top: number }[] = [];
  let top = gap;
  for (const { size, across, height } of [
    { size: '1440', across: columns, height: 200 },
    { size: '390', across: columns * 2, height: 336 },
  ]) {
    const cell = Math.floor((columns * (width + gap)) / across) - gap;
    for (const [n, name] of ofSize(size).entries()) {
      if (n > 0 && n % across === 0) top += height + gap;
      const input = await sharp(join(folder!, name))
        .resize({ width: cell, height, fit: 'cover', position: 'top' })
        .toBuffer();
      parts.push({ input, left: gap + (n % across) * (cell + gap), top });
    }
    top += height + gap;
  }
  const background = scheme === 'dark' ? '#000000' : '#d8d6d2';
  await sharp({ create: { width: gap + columns * (width + gap), height: top, channels: 3, background } })
    .composite(parts)
    .webp({ quality: 80 })
    .toFile(join(folder!, `all-${scheme}.webp`));
}
