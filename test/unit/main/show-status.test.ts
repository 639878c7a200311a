// Tests the status that tray, dock and task bar display, and notifications.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Actions } from '../../../main/actions.ts';
import { createAskedJobs } from '../../../main/notifications.ts';
import { kindOf } from '../../../main/opened-files.ts';
import type { Job } from '../../../main/api-schemas.ts';
import { createStatusView } from '../../../main/tray-and-dock.ts';
import { initialStatus, type Status } from '../../../main/status.ts';
import { sayIn } from '../../../main/texts.ts';
import { app, BrowserWindow, fake } from '../../fakes/electron.ts';
import { createManualClock } from './scripted-server.ts';

const doNothing = (): void => undefined;
const actions: Actions = {
  open: doNothing,
  openPlayer: doNothing,
  keepPlayerOnTop: doNothing,
  openSettings: doNothing,
  player: doNothing,
  sleep: doNothing,
  rescan: doNothing,
  identify: doNothing,
  share: doNothing,
  chooseImports: doNothing,
  lookForUpdate: undefined,
  quit: doNothing,
};
const say = sayIn(['en']);
const runningStatus: Status = { ...initialStatus, server: 'running', isSignedIn: true };
const toScanStatus = (done: number, total: number | null): Status => ({
  ...runningStatus,
  work: [{ id: 1, task: 'scan_local_folder', done, total }],
});

let time: ReturnType<typeof createManualClock>;
const createView = (platform: NodeJS.Platform) =>
  createStatusView({ platform, icons: '/app/tray', actions, clock: time.clock });

beforeEach(() => {
  fake.reset();
  app.becomeReady();
  time = createManualClock();
});

describe('a scan', () => {
  it.each<[NodeJS.Platform, (number | string)[]]>([
    ['linux', [0, 1, 0]],
    ['darwin', ['', '…', '25 %', '']],
    ['win32', []],
  ])('is shown on every window, and on the icon if %s supports it', async (platform, badges) => {
    const [firstWindow, secondWindow] = [new BrowserWindow(), new BrowserWindow()];
    const view = createView(platform);
    const progressValues: number[] = [];
    for (const status of [runningStatus, toScanStatus(3, null), toScanStatus(25, 100), runningStatus]) {
      view.show(status, say);
      await time.advance(1_000);
      progressValues.push(firstWindow.progress);
      expect(secondWindow.progress).toBe(firstWindow.progress);
    }
    expect(progressValues).toEqual([-1, 2, 0.25, -1]);
    expect(app.badges).toEqual(badges);
  });

  it('with progress is drawn once a second, and ends with the last number', async () => {
    const view = createView('linux');
    const menus = new Set<unknown>();
    for (let done = 1; done <= 100; done += 1) {
      view.show(toScanStatus(done, 100), say);
      menus.add(fake.tray?.menu);
    }
    expect(menus.size).toBe(1);
    await time.advance(1_000);
    expect(fake.tray?.menu?.labels).toContain('Scanning your music: 100 of 100');
  });

  it('without progress does not redraw an open menu', async () => {
    const view = createView('linux');
    view.show(toScanStatus(1, 100), say);
    const menu = fake.tray?.menu;
    await time.advance(1_000);
    view.show(toScanStatus(1, 100), say);
    await time.advance(1_000);
    expect(fake.tray?.menu).toBe(menu);
    view.redrawTray();
    expect(fake.tray?.menu).not.toBe(menu);
  });
});

it('nothing is drawn after the end', async () => {
  const view = createView('linux');
  view.show(runningStatus, say);
  view.close();
  view.show(toScanStatus(1, 2), say);
  await time.advance(1_000);
  expect(fake.tray?.toolTip).toBe('Tonearm');
});

describe('a notification', () => {
  const job = (change: Partial<Job>): Job => ({
    id: 7,
    task: 'scan_local_folder',
    status: 'succeeded',
    progress: null,
    error: null,
    ...change,
  });
  it.each<[string, 'scan' | 'identify', Partial<Job>, string | undefined, string | undefined]>([
    [
      'a scan',
      'scan',
      { result: { added: 1_200, failed_count: 3 } },
      'Scan finished',
      '1,200 tracks added. Unreadable files: 3.',
    ],
    ['a scan whose result is too long to be told', 'scan', { result: null }, 'Scan finished', ''],
    [
      'a scan that failed',
      'scan',
      { status: 'failed', error: 'The music folder is not there.' },
      'Scan failed',
      'The music folder is not there.',
    ],
    ['a scan that was cancelled', 'scan', { status: 'cancelled' }, undefined, undefined],
    [
      'an identification',
      'identify',
      { task: 'enrich_library' },
      'Identification finished',
      'All new tracks have been processed.',
    ],
    [
      'an identification that failed',
      'identify',
      { task: 'enrich_library', status: 'failed', error: null },
      'Identification failed',
      '',
    ],
  ])('is shown once for %s that was requested', (_title, purpose, change, title, body) => {
    const requestedJobs = createAskedJobs();
    requestedJobs.note(job({ status: 'queued' }), purpose);
    expect(requestedJobs.noticeOfEnd(job({ status: 'running' }), say)).toBeUndefined();
    expect(requestedJobs.noticeOfEnd(job({ id: 8, ...change }), say)).toBeUndefined();
    expect(requestedJobs.noticeOfEnd(job(change), say)).toEqual(title === undefined ? undefined : { title, body });
    expect(requestedJobs.noticeOfEnd(job(change), say)).toBeUndefined();
  });
});

it.each([
  ['a.mp3', 'audio'],
  ['a.FLAC', 'audio'],
  ['list.M3U8', 'playlist'],
  ['list.xspf', 'playlist'],
  ['a.mp3.exe', undefined],
  ['mp3', undefined],
  ['.flac', undefined],
  ['cover.jpg', undefined],
])('%s is %s', (name, kind) => expect(kindOf(`/music/${name}`)).toBe(kind));
