// One person with several windows: the music moves from one to another with its queue and place, is controlled from
// afar, and never sounds twice or starts by itself.
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { DeviceOut } from '../../../server/devices/wire.ts';
import type { AlbumPage } from '../../../server/library/wire.ts';
import { until } from '../../support/until.ts';
import { currentTime, DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from '../stage.ts';

let stage: Stage;
let album: AlbumPage['items'][number];
const openPages: Page[] = [];

beforeAll(async () => {
  stage = await openStage({ tracks: 24, messy: 0, seconds: '40', formats: ['mp3'] });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  const { items } = await stage.api<AlbumPage>('/albums?limit=200');
  album = items.toSorted((a, b) => b.track_count - a.track_count)[0]!;
});
afterAll(() => stage?.close());
afterEach(async () => {
  for (const page of openPages.splice(0)) await page.context().close();
  stage.problems.splice(0);
});

const listDevices = async (): Promise<DeviceOut[]> => (await stage.api<{ items: DeviceOut[] }>('/devices')).items;

/** Opens a window with a name of its own. */
async function openWindow(name: string, options: Parameters<Stage['openAsOwner']>[0] = DESK_WINDOW): Promise<Page> {
  const page = await stage.openAsOwner(options);
  openPages.push(page);
  await page.addInitScript((text) => {
    if (localStorage.getItem('tonearm.device') === null) localStorage.setItem('tonearm.device', text);
  }, name);
  await page.goto('/');
  await until(listDevices, (devices) => devices.some((device) => device.name === name));
  return page;
}

/** Runs before the page: its browser allows no sound until `allowSound` is called. */
function refuseSound(): void {
  const { resume } = AudioContext.prototype;
  const state = Object.getOwnPropertyDescriptor(BaseAudioContext.prototype, 'state')!;
  let isAllowed = false;
  Object.assign(globalThis, { allowSound: () => (isAllowed = true) });
  AudioContext.prototype.resume = function () {
    return isAllowed ? resume.call(this) : new Promise<void>(() => {});
  };
  Object.defineProperty(BaseAudioContext.prototype, 'state', {
    configurable: true,
    get(this: AudioContext) {
      return isAllowed ? (state.get!.call(this) as AudioContextState) : 'suspended';
    },
  });
}

const player = (page: Page): Locator => page.getByRole('region', { name: 'Player' });
const isPlaying = (page: Page): Promise<boolean> =>
  player(page).getByRole('button', { name: 'Pause', exact: true }).isVisible();
const titleIn = (page: Page): Promise<string | null> => player(page).getByRole('link').first().textContent();
const positionIn = (page: Page): Promise<number> =>
  player(page)
    .getByRole('slider', { name: 'Position' })
    .evaluate((slider) => (slider as HTMLInputElement).valueAsNumber);
const settings = (page: Page): Locator => page.getByRole('dialog', { name: 'Playback settings' });
async function openDevices(page: Page): Promise<Locator> {
  await player(page).getByRole('button', { name: 'Playback settings' }).click();
  await settings(page).waitFor();
  return settings(page);
}
const rowOf = (page: Page, name: string): Locator => settings(page).getByRole('listitem', { name });

/** Plays the album from a position in its second track, shuffled or not. */
async function playAlbum(page: Page): Promise<string> {
  await page.goto(`/albums/${album.id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.1);
  await player(page).getByRole('button', { name: 'Next' }).click();
  await player(page).getByRole('slider', { name: 'Position' }).fill('12000');
  await player(page).getByRole('button', { name: 'Repeat: off' }).click();
  await expect.poll(() => isPlaying(page)).toBe(true);
  await expect.poll(() => positionIn(page)).toBeGreaterThan(12_000);
  return (await titleIn(page)) ?? '';
}

test('music moves to the window in which “Play here” is chosen, and only that window sounds', async () => {
  const desk = await openWindow('Desk');
  const kitchen = await openWindow('Kitchen tablet');
  const title = await playAlbum(desk);
  await openDevices(kitchen);
  const row = rowOf(kitchen, 'Desk');
  await row.getByText(`Playing: ${title}`).waitFor();
  expect(await settings(kitchen).getByRole('listitem').first().getAttribute('aria-label')).toBe('This window');
  await row.getByRole('button', { name: 'Play here' }).click();
  await expect.poll(() => currentTime(kitchen)).toBeGreaterThan(0.1);
  await expect.poll(() => isPlaying(desk)).toBe(false);
  await kitchen.keyboard.press('Escape');
  expect(await titleIn(kitchen)).toBe(title);
  expect(await isPlaying(kitchen)).toBe(true);
  expect(await positionIn(kitchen)).toBeGreaterThan(12_000);
  expect(await player(kitchen).getByRole('button', { name: 'Repeat: all' }).getAttribute('aria-pressed')).toBe('true');
  await expect
    .poll(async () => (await listDevices()).filter(({ playing }) => playing).map(({ name }) => name))
    .toEqual(['Kitchen tablet']);
  expect(stage.problems).toEqual([]);
});

test('music is handed over, paused, made quieter and taken back from afar', async () => {
  const desk = await openWindow('Desk');
  const kitchen = await openWindow('Kitchen tablet');
  const title = await playAlbum(desk);
  await openDevices(desk);
  const row = rowOf(desk, 'Kitchen tablet');
  await row.getByText('Nothing playing').waitFor();
  await row.getByRole('button', { name: 'Play on Kitchen tablet' }).click();
  await expect.poll(() => currentTime(kitchen)).toBeGreaterThan(0.1);
  await row.getByText(`Playing: ${title}`).waitFor();
  await expect.poll(() => isPlaying(desk)).toBe(false);
  await row.getByRole('slider', { name: 'Volume of Kitchen tablet' }).fill('0.25');
  await expect
    .poll(() =>
      player(kitchen)
        .getByRole('slider', { name: 'Volume' })
        .evaluate((slider) => (slider as HTMLInputElement).valueAsNumber),
    )
    .toBe(0.25);
  await row.getByRole('button', { name: 'Pause on Kitchen tablet' }).click();
  await expect.poll(() => isPlaying(kitchen)).toBe(false);
  await row.getByRole('button', { name: 'Resume on Kitchen tablet' }).click();
  await expect.poll(() => isPlaying(kitchen)).toBe(true);
  await row.getByRole('button', { name: 'Play here' }).click();
  await expect.poll(() => isPlaying(desk)).toBe(true);
  await expect.poll(() => isPlaying(kitchen)).toBe(false);
  expect(stage.problems).toEqual([]);
});

test('a device is renamed from another one, and keeps its name', async () => {
  const desk = await openWindow('Desk');
  const kitchen = await openWindow('Chrome on Linux');
  await playAlbum(desk);
  await openDevices(desk);
  await rowOf(desk, 'Chrome on Linux').getByRole('button', { name: 'Rename Chrome on Linux' }).click();
  await desk.keyboard.type('Bathroom');
  await desk.keyboard.press('Enter');
  await rowOf(desk, 'Bathroom').waitFor();
  await kitchen.reload();
  await until(listDevices, (devices) => devices.some(({ name }) => name === 'Bathroom'));
  await rowOf(desk, 'Bathroom').waitFor();
});

test('a window whose browser allows no sound asks for a tap, and the music goes on until then', async () => {
  const desk = await openWindow('Desk');
  const kitchen = await stage.openAsOwner({ ...PHONE_WINDOW, locale: 'de-DE' });
  openPages.push(kitchen);
  await kitchen.addInitScript(refuseSound);
  await kitchen.addInitScript(() => localStorage.setItem('tonearm.device', 'Küche'));
  await kitchen.goto('/');
  await until(listDevices, (devices) => devices.some(({ name }) => name === 'Küche'));
  const title = await playAlbum(desk);
  await openDevices(desk);
  await rowOf(desk, 'Küche').getByRole('button', { name: 'Play on Küche' }).click();
  await kitchen.getByText('Die Musik von Desk kann auf dieses Gerät umziehen.').waitFor();
  await rowOf(desk, 'Küche').getByText('Waiting for a tap there').waitFor();
  expect(await isPlaying(desk)).toBe(true);
  await kitchen.evaluate(() => (globalThis as unknown as { allowSound: () => void }).allowSound());
  await kitchen.getByRole('button', { name: 'Zum Abspielen tippen' }).tap();
  await expect.poll(() => currentTime(kitchen)).toBeGreaterThan(0.1);
  await expect.poll(() => isPlaying(desk)).toBe(false);
  await kitchen.getByRole('region', { name: 'Player' }).getByText(title).first().waitFor();
});

test('a window with the music that is closed leaves its place to the others, which stay silent until asked', async () => {
  const desk = await openWindow('Desk');
  const kitchen = await openWindow('Kitchen tablet');
  const title = await playAlbum(desk);
  await openDevices(desk);
  await rowOf(desk, 'Kitchen tablet').getByRole('button', { name: 'Play on Kitchen tablet' }).click();
  await expect.poll(() => isPlaying(desk)).toBe(false);
  await desk.keyboard.press('Escape');
  await kitchen.context().close();
  const notice = desk.getByRole('status').filter({ hasText: 'Kitchen tablet is no longer connected.' });
  await notice.waitFor();
  expect(await isPlaying(desk)).toBe(false);
  await notice.getByRole('button', { name: 'Play here' }).click();
  await expect.poll(() => isPlaying(desk)).toBe(true);
  expect(await titleIn(desk)).toBe(title);
  expect(await positionIn(desk)).toBeGreaterThan(11_000);
});

test('two tabs of one browser move the music, too', async () => {
  const desk = await openWindow('Desk');
  const title = await playAlbum(desk);
  const tab = await desk.context().newPage();
  await tab.goto('/');
  await until(listDevices, (devices) => devices.length === 2);
  await openDevices(tab);
  const row = rowOf(tab, 'Desk');
  await row.getByText(`Playing: ${title}`).waitFor();
  await row.getByRole('button', { name: 'Play here' }).click();
  await until(listDevices, (devices) => devices.filter(({ playing }) => playing)[0]?.name === 'Desk');
  await until(listDevices, ([first, second]) => first?.playing === false && second?.playing === true);
  expect(await titleIn(tab)).toBe(title);
});

test('a track that moves while it plays counts once', async () => {
  const desk = await openWindow('Desk');
  const kitchen = await openWindow('Kitchen tablet');
  await playAlbum(desk);
  await player(desk).getByRole('slider', { name: 'Position' }).fill('0');
  const countPlays = async () => (await stage.api<{ items: { title: string }[] }>('/history?limit=200')).items.length;
  const playsAtStart = await countPlays();
  // half of 40 s is a play
  await expect.poll(() => positionIn(desk)).toBeGreaterThan(12_000);
  await openDevices(kitchen);
  await rowOf(kitchen, 'Desk').getByRole('button', { name: 'Play here' }).click();
  await expect.poll(() => isPlaying(desk)).toBe(false);
  await until(countPlays, (plays) => plays === playsAtStart + 1);
  await rowOf(kitchen, 'Desk').getByRole('button', { name: 'Play on Desk' }).click();
  await expect.poll(() => isPlaying(desk)).toBe(true);
  await expect.poll(() => positionIn(desk)).toBeGreaterThan(30_000);
  expect(await countPlays()).toBe(playsAtStart + 1);
});

test('every part of the popover is two clicks away, also by keyboard', async () => {
  const desk = await openWindow('Desk');
  await playAlbum(desk);
  const button = player(desk).getByRole('button', { name: 'Playback settings' });
  await button.focus();
  await desk.keyboard.press('Enter');
  await settings(desk).waitFor();
  for (const [name, control] of [
    ['Equalizer', settings(desk).getByRole('switch', { name: 'Equalizer' })],
    ['Output', settings(desk).getByRole('combobox', { name: 'Output device' })],
    ['Speed', settings(desk).getByRole('slider', { name: 'Speed' })],
    ['Sleep timer', settings(desk).getByRole('radiogroup', { name: 'Sleep timer' })],
    ['Crossfade and loudness', settings(desk).getByRole('slider', { name: 'Crossfade' })],
  ] as const) {
    const row = settings(desk).getByRole('button', { name: new RegExp(`^${name}`) });
    await row.focus();
    await desk.keyboard.press('Enter');
    await control.waitFor();
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  await desk.keyboard.press('Escape');
  await settings(desk).waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('the palette finds the devices under the name of the jukebox', async () => {
  const desk = await openWindow('Desk');
  await desk.keyboard.press('Control+k');
  await desk.keyboard.type('jukebox');
  await desk.getByRole('option', { name: /^Devices/ }).click();
  await settings(desk).getByRole('switch', { name: 'Let phones play here' }).waitFor();
});
