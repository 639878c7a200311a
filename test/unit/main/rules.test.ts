// Rules of the shell that need no Electron: links, arguments, window bounds, status, tray and menus.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Actions } from '../../../main/actions.ts';
import { appMenu } from '../../../main/app-menu.ts';
import { readCommandLine } from '../../../main/command-line.ts';
import { messageForLink } from '../../../main/deep-link.ts';
import { createSseParser, type ServerEvent } from '../../../main/sse-parser.ts';
import { autostartEntry } from '../../../main/login-item.ts';
import { placeWindow } from '../../../main/window-placement.ts';
import type { Job } from '../../../main/api-schemas.ts';
import {
  initialStatus,
  progressOf,
  underWay,
  withJob,
  withScan,
  type Status,
  type Work,
} from '../../../main/status.ts';
import { sayIn } from '../../../main/texts.ts';
import { pathOfAudio } from '../../../main/track-path.ts';
import { trayMenu, trayToolTip } from '../../../main/tray-menu.ts';
import { windowOf } from '../../../main/window-paths.ts';

describe('a deep link', () => {
  it.each([
    ['tonearm://open', { kind: 'open', path: '/' }],
    ['tonearm://open/', { kind: 'open', path: '/' }],
    ['tonearm://album/7', { kind: 'open', path: '/albums/7' }],
    ['TONEARM://artist/12/', { kind: 'open', path: '/artists/12' }],
    ['tonearm://playlist/3?autoplay=1#x', { kind: 'open', path: '/playlists/3' }],
    ['tonearm://track/999999999999999', { kind: 'open', path: '/tracks?details=999999999999999' }],
    ['tonearm://play/album/7', { kind: 'playItem', item: 'album', id: 7 }],
    ['tonearm://play/playlist/3/', { kind: 'playItem', item: 'playlist', id: 3 }],
    ['tonearm://search?q=dark%20side', { kind: 'search', text: 'dark side' }],
    ['tonearm://search/?q=a%00b%0Ac', { kind: 'search', text: 'a b c' }],
    [`tonearm://search?q=${'é'.repeat(300)}`, { kind: 'search', text: 'é'.repeat(200) }],
  ])('%s is parsed', (link, message) => expect(messageForLink(link)).toEqual(message));

  it.each([
    '',
    'tonearm:',
    'tonearm://',
    'tonearm:///albums/7',
    'album/7',
    'http://album/7',
    'javascript://album/7',
    'file:///etc/passwd',
    'tonearm://album',
    'tonearm://album/0',
    'tonearm://album/-1',
    'tonearm://album/07',
    'tonearm://album/7/tracks',
    'tonearm://album/../../settings',
    'tonearm://album/7%2F..%2Fsettings',
    'tonearm://album/1e3',
    'tonearm://album/9999999999999999',
    'tonearm://settings',
    'tonearm://settings/1',
    'tonearm://constructor/1',
    'tonearm://__proto__/1',
    'tonearm://me:secret@album/7',
    'tonearm://search',
    'tonearm://search?q=',
    'tonearm://search?q=%20%0A',
    'tonearm://quit',
    'tonearm://play/7',
    'tonearm://play/album',
    'tonearm://play/album/07',
    'tonearm://play/settings/1',
    'tonearm://play/play/1',
    'tonearm://play/__proto__/1',
    `tonearm://search?q=${'x'.repeat(3_000)}`,
  ])('%s is ignored', (link) => expect(messageForLink(link)).toBeUndefined());
});

describe('arguments', () => {
  const locations = { workingDirectory: resolve('/home/me'), appPath: resolve('/src/tonearm') };
  it.each([
    [['tonearm'], { links: [], paths: [], isHidden: false }],
    [['tonearm', '--hidden'], { links: [], paths: [], isHidden: true }],
    [['electron', resolve('/src/tonearm')], { links: [], paths: [], isHidden: false }],
    [['electron', '../../src/tonearm', 'a.m3u8'], { links: [], paths: [resolve('/home/me/a.m3u8')], isHidden: false }],
    [
      ['tonearm', '--allow-file-access-from-files', '--original-process-start-time=13', 'tonearm://album/7'],
      { links: ['tonearm://album/7'], paths: [], isHidden: false },
    ],
    [
      ['tonearm', 'list.m3u8', resolve('/music/a b.flac'), ''],
      { links: [], paths: [resolve('/home/me/list.m3u8'), resolve('/music/a b.flac')], isHidden: false },
    ],
    ...['tonearm:x/../../../../etc', 'tonearm:/etc', 'file:..', 'data:,x', 'a.b-c+d:x'].map(
      (word): [string[], object] => [['tonearm', word], { links: [word], paths: [], isHidden: false }],
    ),
    [['tonearm', 'a\0b.mp3'], { links: [], paths: [], isHidden: false }],
    [
      ['tonearm', pathToFileURL(resolve('/music/100 % ö.flac')).href, 'FILE:///%00.mp3', 'file:///a%2Fb.mp3'],
      { links: [], paths: [resolve('/music/100 % ö.flac')], isHidden: false },
    ],
  ])('%j', (argv, expected) => expect(readCommandLine(argv, locations)).toEqual(expected));

  it('are limited in number', () => {
    expect(
      readCommandLine(['tonearm', ...Array.from({ length: 2_000 }, (_, i) => `${i}.mp3`)], locations).paths,
    ).toHaveLength(500);
  });
});

describe('the bounds of a window', () => {
  const mainScreen = { x: 0, y: 25, width: 1_920, height: 1_055 };
  const rightScreen = { x: 1_920, y: 0, width: 1_280, height: 1_024 };
  const usualSize = { width: 1_280, height: 840 };
  const boundsAt = (x: number, y: number, width: number, height: number) => ({
    x,
    y,
    width,
    height,
    isMaximized: false,
  });
  it.each([
    ['the first time', [mainScreen], undefined, { width: 1_280, height: 840 }],
    [
      'on a small screen the first time',
      [{ x: 0, y: 0, width: 1_024, height: 600 }],
      undefined,
      { width: 1_024, height: 600 },
    ],
    ['without any screen', [], undefined, { width: 1_280, height: 840 }],
    ['as it was', [mainScreen, rightScreen], boundsAt(100, 100, 900, 700), { x: 100, y: 100, width: 900, height: 700 }],
    [
      'on the second screen',
      [mainScreen, rightScreen],
      boundsAt(2_000, 50, 900, 700),
      { x: 2_000, y: 50, width: 900, height: 700 },
    ],
    ['of a screen that is gone', [mainScreen], boundsAt(2_000, 50, 900, 700), { width: 900, height: 700 }],
    [
      'with its title bar above the screen',
      [mainScreen],
      boundsAt(100, -20, 900, 700),
      { x: 100, y: 25, width: 900, height: 700 },
    ],
    ['half over the edge', [mainScreen], boundsAt(1_700, 600, 900, 700), { x: 1_700, y: 600, width: 900, height: 700 }],
    [
      'almost over the edge',
      [mainScreen],
      boundsAt(1_835, 900, 900, 700),
      { x: 1_835, y: 900, width: 900, height: 700 },
    ],
    [
      'larger than its screen',
      [mainScreen],
      boundsAt(-10, 30, 4_000, 3_000),
      { x: -10, y: 30, width: 1_920, height: 1_055 },
    ],
    ['below the screen', [mainScreen], boundsAt(100, 1_400, 900, 700), { width: 900, height: 700 }],
  ])('%s', (_title, screens, savedBounds, expected) =>
    expect(placeWindow(screens, savedBounds, usualSize)).toEqual(expected),
  );
});

it.each<[string | null, string | undefined]>([
  ['file:Pink Floyd/Money.flac', '/music/Pink Floyd/Money.flac'],
  ['local:audio/ab/abc.mp3', '/data/library/audio/ab/abc.mp3'],
  ['s3:audio/ab/abc.mp3', undefined],
  ['file:../secret', undefined],
  ['file:a/../../secret', undefined],
  ['file:', undefined],
  ['file:.', undefined],
  ['local:..', undefined],
  ['file:a\0b', undefined],
  ['file:/etc/passwd', '/music/etc/passwd'],
  ['file:vinyl:/Artist/a.mp3', '/disk/Artist/a.mp3'],
  ['file:vinyl:/../a.mp3', undefined],
  ['/etc/passwd', undefined],
  ['', undefined],
  [null, undefined],
])('the file of %j is %s', (uri, path) => {
  const music = [
    { key: '', path: resolve('/music') },
    { key: 'vinyl', path: resolve('/disk') },
  ];
  const folders = { data: resolve('/data'), storageRoot: undefined, music };
  expect(pathOfAudio(uri, folders)).toBe(path && resolve(path));
  expect(pathOfAudio(uri, { data: '', storageRoot: undefined, music: [] })).toBeUndefined();
});

it('every page is in the window it belongs to', () => {
  const places = [
    '/',
    '/albums/7',
    '/tracks?details=1',
    '/player',
    '/settings',
    '/settings#network',
    '/sign-in?back=/x',
    '/setup',
    '/api/v1/docs',
    '/share/abc',
    '/stream/1',
    '/playerish',
  ];
  expect(places.map(windowOf)).toEqual([
    'library',
    'library',
    'library',
    'player',
    'settings',
    'settings',
    'any',
    'any',
    undefined,
    undefined,
    undefined,
    'library',
  ]);
});

describe('server-sent events', () => {
  const parseEvents = (...pieces: string[]): ServerEvent[] => {
    const events: ServerEvent[] = [];
    const parseChunk = createSseParser((event) => events.push(event));
    pieces.forEach(parseChunk);
    return events;
  };
  it.each<[string, string[], ServerEvent[]]>([
    ['one', ['id: 5\nevent: job\ndata: {"a":1}\n\n'], [{ name: 'job', data: '{"a":1}', id: '5' }]],
    ['in pieces', ['id: 5\neve', 'nt: job\nda', 'ta: x\n', '\n'], [{ name: 'job', data: 'x', id: '5' }]],
    ['with a line end cut in two', ['data: x\r', '\n\r', '\n'], [{ name: 'message', data: 'x', id: undefined }]],
    ['of several lines', ['data: a\ndata:b\ndata\n\n'], [{ name: 'message', data: 'a\nb\n', id: undefined }]],
    [
      'after heartbeats and a pause',
      ['retry: 2000\n\n:\n\n: hello\ndata: x\n\n'],
      [{ name: 'message', data: 'x', id: undefined }],
    ],
    ['that is not whole', ['data: x\n'], []],
    [
      'that keep the last id',
      ['id: 1\ndata: a\n\ndata: b\n\n'],
      [
        { name: 'message', data: 'a', id: '1' },
        { name: 'message', data: 'b', id: '1' },
      ],
    ],
  ])('%s', (_title, pieces, events) => expect(parseEvents(...pieces)).toEqual(events));

  it('without an end are discarded', () => {
    const parseChunk = createSseParser(() => undefined);
    expect(() => {
      for (let i = 0; i < 10; i += 1) parseChunk('x'.repeat(1_000_000));
    }).toThrow('without an end');
  });
});

const job = (id: number, change: Partial<Job> = {}): Job => ({
  id,
  task: 'scan_local_folder',
  status: 'running',
  progress: null,
  error: null,
  ...change,
});
const toWork = (done: number, total: number | null, change: Partial<Work> = {}): Work => ({
  id: 1,
  task: 'scan_local_folder',
  done,
  total,
  ...change,
});

const NO_WORK: readonly Work[] = [];

describe('running work', () => {
  it('follows scans, imports and the like', () => {
    let now = withJob([], job(1, { status: 'queued' }));
    now = withJob(now, job(2, { task: 'enrich_task' }));
    now = withJob(now, job(3, { task: 'enrich_library', progress: { done: 4, total: 9 } }));
    expect(now).toEqual([toWork(0, null), toWork(4, 9, { id: 3, task: 'enrich_library' })]);
    now = withScan(now, { job_id: 1, phase: 'reading', files_done: 30, files_total: 90 });
    now = withJob(now, job(1)); // a job without progress keeps the progress of the scan
    expect(now[0]).toEqual(toWork(30, 90));
    now = withScan(now, { job_id: 1, phase: 'done', files_done: 90, files_total: 90 });
    now = withJob(now, job(1, { status: 'succeeded' }));
    expect(underWay(now)).toEqual([toWork(4, 9, { id: 3, task: 'enrich_library' })]);
    expect(withJob(now, job(3, { task: 'enrich_library', status: 'failed' }))).toEqual([]);
    expect(withScan([], { job_id: 5, phase: 'walking', files_done: 1, files_total: null })).toEqual([
      toWork(1, null, { id: 5 }),
    ]);
  });

  it.each<[Work[], number | null | undefined]>([
    [[], undefined],
    [[toWork(5, null)], null],
    [[toWork(0, 0)], null],
    [[toWork(5, 10)], 0.5],
    [[toWork(5, 10), toWork(0, 10)], 0.25],
    [[toWork(5, 10), toWork(0, null)], 0.5], // one job waits
    [[toWork(5, null), toWork(0, null)], null],
    [[toWork(11, 10)], 1],
    [[toWork(5, 10), toWork(1_000, 4_000, { task: 'check_backup' })], 0.375], // one job counts files, the other bytes
    [[toWork(5, 10), toWork(0, null, { task: 'download_task' })], 0.25], // most downloads are still queued
  ])('%j is at %s', (works, progress) => expect(progressOf(works)).toBe(progress));
});

it('downloads that end do not turn the progress back, and are forgotten with the last one', () => {
  const download = (id: number, change: Partial<Job>) => job(id, { task: 'download_task', ...change });
  let now = [1, 2, 3, 4].reduce((works, id) => withJob(works, download(id, { status: 'queued' })), NO_WORK);
  const parts = [progressOf(now)];
  for (const id of [1, 2, 3, 4]) {
    now = withJob(now, download(id, { progress: { done: 5_000, total: 10_000 } }));
    parts.push(progressOf(now));
    now = withJob(now, download(id, { status: id === 2 ? 'failed' : 'succeeded' }));
    now = withJob(now, download(id, { status: 'succeeded' })); // the event comes twice
    parts.push(progressOf(now));
  }
  expect(parts).toEqual([0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, undefined]);
});

const calls: string[] = [];
const actions: Actions = {
  open: () => void calls.push('open'),
  openPlayer: () => void calls.push('player'),
  keepPlayerOnTop: (isOnTop) => void calls.push(`on top ${isOnTop}`),
  openSettings: () => void calls.push('settings'),
  player: (command) => void calls.push(command),
  sleep: (minutes) => void calls.push(`sleep ${minutes}`),
  rescan: () => void calls.push('rescan'),
  identify: () => void calls.push('identify'),
  share: (enabled) => void calls.push(`share ${enabled}`),
  chooseImports: (importKind) => void calls.push(importKind),
  lookForUpdate: undefined,
  quit: () => void calls.push('quit'),
};
const runningStatus: Status = {
  ...initialStatus,
  server: 'running',
  isSignedIn: true,
  sharing: { isOn: false, isLocked: false },
};
const say = sayIn(['en']);

const episodeDownload = (share: number): Work => toWork(share * 1e6, 1e6, { task: 'download_episode' });

describe('the tray', () => {
  const listTrayLines = (status: Status) =>
    trayMenu(status, say, actions)
      .filter(({ type }) => type !== 'separator')
      .map(({ label, enabled, checked }) => `${label}${enabled === false ? ' -' : ''}${checked ? ' +' : ''}`);
  const playingState = {
    status: 'playing',
    title: 'Money',
    artist: 'Pink Floyd',
    album: null,
    cover: null,
    isLiked: false,
    isSleeping: false,
  } as const;

  it.each<[string, Status, string[]]>([
    [
      'while the server starts',
      initialStatus,
      [
        'Not playing -',
        'Play -',
        'Next track -',
        'Previous track -',
        'Like -',
        'Sleep timer -',
        'Starting… -',
        'Rescan library -',
        'Identify new tracks -',
        'Share on my network -',
        'Open Tonearm',
        'Player window -',
        'Keep player on top',
        'Settings… -',
        'Quit Tonearm',
      ],
    ],
    [
      'before there is an account',
      { ...runningStatus, isSignedIn: false, sharing: null },
      [
        'Not playing -',
        'Play',
        'Next track -',
        'Previous track -',
        'Like -',
        'Sleep timer -',
        'Rescan library -',
        'Identify new tracks -',
        'Share on my network -',
        'Open Tonearm',
        'Player window -',
        'Keep player on top',
        'Settings… -',
        'Quit Tonearm',
      ],
    ],
    [
      'at rest',
      runningStatus,
      [
        'Not playing -',
        'Play',
        'Next track -',
        'Previous track -',
        'Like -',
        'Sleep timer -',
        'Rescan library',
        'Identify new tracks',
        'Share on my network',
        'Open Tonearm',
        'Player window',
        'Keep player on top',
        'Settings…',
        'Quit Tonearm',
      ],
    ],
    [
      'while music plays and the library is shared',
      { ...runningStatus, sharing: { isOn: true, isLocked: false }, player: playingState },
      [
        'Money · Pink Floyd -',
        'Pause',
        'Next track',
        'Previous track',
        'Like',
        'Sleep timer',
        'Rescan library',
        'Identify new tracks',
        'Share on my network +',
        'Open Tonearm',
        'Player window',
        'Keep player on top',
        'Settings…',
        'Quit Tonearm',
      ],
    ],
    [
      'where the network is decided elsewhere',
      { ...runningStatus, sharing: { isOn: true, isLocked: true } },
      [
        'Not playing -',
        'Play',
        'Next track -',
        'Previous track -',
        'Like -',
        'Sleep timer -',
        'Rescan library',
        'Identify new tracks',
        'Share on my network - +',
        'Open Tonearm',
        'Player window',
        'Keep player on top',
        'Settings…',
        'Quit Tonearm',
      ],
    ],
    [
      'during a scan',
      { ...runningStatus, work: [toWork(1_234, 5_000)] },
      [
        'Not playing -',
        'Play',
        'Next track -',
        'Previous track -',
        'Like -',
        'Sleep timer -',
        'Scanning your music: 1,234 of 5,000 -',
        'Rescan library -',
        'Identify new tracks',
        'Share on my network',
        'Open Tonearm',
        'Player window',
        'Keep player on top',
        'Settings…',
        'Quit Tonearm',
      ],
    ],
    [
      'after a crash',
      { ...runningStatus, server: 'restarting', sharing: null, player: playingState },
      [
        'Money · Pink Floyd -',
        'Pause -',
        'Next track',
        'Previous track',
        'Like',
        'Sleep timer',
        'The server stopped and is restarting… -',
        'Rescan library -',
        'Identify new tracks -',
        'Share on my network -',
        'Open Tonearm',
        'Player window -',
        'Keep player on top',
        'Settings… -',
        'Quit Tonearm',
      ],
    ],
  ])('%s', (_title, status, lines) => expect(listTrayLines(status)).toEqual(lines));

  it.each<[Work[], string[]]>([
    [[episodeDownload(0.25)], ['Downloading episodes 25 % -']],
    [
      [{ ...episodeDownload(1), isOver: true }, episodeDownload(0.5), episodeDownload(0)],
      ['Downloading episodes: 1 of 3 -'],
    ],
    [
      [toWork(1, null), episodeDownload(0)],
      ['Scanning your music: 1 -', 'Downloading episodes 0 % -'],
    ],
  ])('has a line for each kind of work: %#', (works, lines) =>
    expect(listTrayLines({ ...runningStatus, work: works }).filter((line) => /Downl|Scanning/.test(line))).toEqual(
      lines,
    ),
  );

  it('shows a title on one line, truncated, with its own &', () => {
    expect(
      listTrayLines({
        ...runningStatus,
        player: {
          status: 'paused',
          title: 'Rock\n& Roll\u202E',
          artist: null,
          album: null,
          cover: null,
          isLiked: null,
          isSleeping: false,
        },
      })[0],
    ).toBe('Rock && Roll -');
    expect(
      listTrayLines({
        ...runningStatus,
        player: {
          status: 'paused',
          title: 'x'.repeat(500),
          artist: 'y'.repeat(500),
          album: null,
          cover: null,
          isLiked: null,
          isSleeping: false,
        },
      })[0],
    ).toHaveLength(125);
  });

  it.each<[Status, string]>([
    [initialStatus, 'Tonearm: Starting…'],
    [runningStatus, 'Tonearm'],
    [{ ...runningStatus, player: playingState }, 'Tonearm: Money · Pink Floyd'],
    [{ ...runningStatus, player: { ...playingState, status: 'paused' } }, 'Tonearm'],
    [{ ...runningStatus, player: playingState, work: [toWork(45, 99)] }, 'Tonearm: Scanning your music 45 %'],
    [{ ...runningStatus, work: [toWork(45, null)] }, 'Tonearm: Scanning your music'],
    [{ ...runningStatus, work: [episodeDownload(1), episodeDownload(0)] }, 'Tonearm: Downloading episodes 50 %'],
  ])('says in a line what is running: %#', (status, line) => expect(trayToolTip(status, say)).toBe(line));
});

describe.each<NodeJS.Platform>(['linux', 'darwin', 'win32'])('the menu on %s', (platform) => {
  const menus = (status: Status, changedActions: Partial<Actions> = {}) =>
    appMenu(status, say, { ...actions, ...changedActions }, platform);
  const listMenuItems = (status: Status, changedActions?: Partial<Actions>) =>
    menus(status, changedActions).flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));

  it('has every shortcut once; those of pages are only displayed, where possible', () => {
    const keys = listMenuItems(runningStatus).flatMap(({ accelerator }) => accelerator ?? []);
    expect(new Set(keys).size).toBe(keys.length);
    const pageShortcuts = ['Space', 'CmdOrCtrl+Left', 'CmdOrCtrl+Right'];
    expect(
      listMenuItems(runningStatus).flatMap(({ accelerator, registerAccelerator }) =>
        pageShortcuts.includes(String(accelerator)) ? registerAccelerator : [],
      ),
    ).toEqual(platform === 'darwin' ? [] : [false, false, false]);
    expect(keys).toEqual(expect.arrayContaining(['CmdOrCtrl+,', 'CmdOrCtrl+O', 'CmdOrCtrl+Shift+R']));
  });

  it('offers items that need a server only with a server, and updates only where they can be installed', () => {
    const listDisabledItems = (status: Status) =>
      listMenuItems(status)
        .filter(({ enabled }) => enabled === false)
        .map(({ label }) => label);
    expect(listDisabledItems(runningStatus)).toEqual([]);
    expect(listDisabledItems(initialStatus)).toEqual(
      expect.arrayContaining(['Settings…', 'Import files…', 'Rescan library', 'Identify new tracks', 'Player window']),
    );
    const update = 'Check for updates…';
    expect(listMenuItems(runningStatus).map(({ label }) => label)).not.toContain(update);
    expect(listMenuItems(runningStatus, { lookForUpdate: () => undefined }).map(({ label }) => label)).toContain(
      update,
    );
  });

  it('can quit', () => {
    const canQuit = listMenuItems(runningStatus).some(({ role, label }) => role === 'quit' || label === 'Quit Tonearm');
    expect(canQuit).toBe(true);
  });
});

describe('the texts of the shell', () => {
  it.each([
    [['de-DE', 'en'], '1.234'],
    [['de-CH', 'en'], (1_234).toLocaleString('de-CH')],
    [['en-GB', 'de'], '1,234'],
    [['fr', 'en'], '1,234'],
    [[], '1,234'],
    [['__proto__'], '1,234'],
  ])('are in the first available of %j', (languages, expected) => {
    expect(sayIn(languages)('tray.work', { name: 'x', done: 1_234, total: 5 })).toContain(expected);
  });
});

it('the autostart file of Linux supports any path', () => {
  const exec = (program: string) => /^Exec=(.*)$/m.exec(autostartEntry(program))?.[1];
  expect(exec('/opt/Tonearm/tonearm')).toBe('"/opt/Tonearm/tonearm" --hidden');
  expect(exec('/home/me/100% "new"/$x\\`.AppImage')).toBe(
    String.raw`"/home/me/100%% \\"new\\"/\\$x\\\\\\` + '`.AppImage" --hidden',
  );
});
