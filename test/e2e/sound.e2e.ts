// Volume normalization, crossfade, speed, the sleep timer, and the system's media controls.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
/** Two tracks of different albums; the file of the first has a ReplayGain tag. */
let pair: [TrackOut, TrackOut];
let playlist: number;
beforeAll(async () => {
  stage = await openStage({ tracks: 24, seconds: '30', messy: 0, formats: ['mp3'] });
  page = await stage.openAsOwner(DESK_WINDOW);
  await page.addInitScript(noteControls);
  const tracks = (await stage.api<{ items: TrackOut[] }>('/tracks?limit=200')).items;
  const gainTrack = tracks.find(({ replay_gain }) => replay_gain?.track_gain_db);
  pair = [gainTrack!, tracks.find(({ album_id }) => album_id !== gainTrack!.album_id)!];
  playlist = (
    await stage.api<{ id: number }>('/playlists', {
      method: 'POST',
      body: { name: 'Pairs', track_ids: [...pair, ...pair, ...pair].map(({ id }) => id) },
    })
  ).id;
});
afterAll(() => stage?.close());

interface Noted {
  gains: GainNode[];
  audioElements: HTMLAudioElement[];
  startedSounds: { node: AudioBufferSourceNode; from: number; offset: number; endsAt: number }[];
  controls: Record<string, MediaSessionActionHandler>;
}

/** Runs in the page: records volumes, and what the page reports to the system. */
function noteControls(): void {
  const observations: Pick<Noted, 'gains' | 'controls'> = Object.assign(globalThis, { gains: [], controls: {} });
  const Original = GainNode;
  globalThis.GainNode = class extends Original {
    constructor(context: BaseAudioContext, options?: GainOptions) {
      super(context, options);
      observations.gains.push(this);
    }
  };
  const { createGain } = BaseAudioContext.prototype;
  BaseAudioContext.prototype.createGain = function () {
    const node = createGain.call(this);
    observations.gains.push(node);
    return node;
  };
  const setHandler = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession);
  navigator.mediaSession.setActionHandler = (action, handler) => {
    if (handler) observations.controls[action] = handler;
    setHandler(action, handler);
  };
}

const inPage = <T, A>(readValue: (observations: Noted, value: A) => T, value: A): Promise<T> =>
  page.evaluate(`(${readValue.toString()})(globalThis, ${JSON.stringify(value)})`);
const player = () => page.getByRole('region', { name: 'Player' });
const nowPlaying = () => player().getByRole('link').first().textContent();
const settings = () => page.getByRole('dialog', { name: 'Playback settings' });

/** Plays the pair of tracks three times, from the start. */
async function play(): Promise<void> {
  await page.goto(`/playlists/${playlist}`);
  // with a track of the list in the queue, the button would continue with that track
  await page.evaluate((key) => {
    const storedPlayer = JSON.parse(localStorage.getItem(key) ?? 'null') as object | null;
    if (storedPlayer) localStorage.setItem(key, JSON.stringify({ ...storedPlayer, queue: [], index: -1 }));
  }, 'tonearm.player');
  await page.reload();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(nowPlaying).toBe(pair[0].title);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.1);
}

/** Opens a row of the popover, changes something there, and closes the popover. */
async function change(row: string, action: () => Promise<void>): Promise<void> {
  await player().getByRole('button', { name: 'Playback settings' }).click();
  await settings().getByRole('button', { name: row }).click();
  await action();
  await page.keyboard.press('Escape');
  await settings().waitFor({ state: 'detached' });
}

test('volume normalization turns a track down by the gain in its file', async () => {
  await play();
  const factor = 10 ** (pair[0].replay_gain!.track_gain_db! / 20);
  const isTurned = () => inPage(({ gains }, to) => gains.some(({ gain }) => Math.abs(gain.value - to) < 0.001), factor);
  expect(await isTurned()).toBe(false);
  await change('Crossfade and loudness', () =>
    settings()
      .getByRole('radiogroup', { name: 'Volume normalization (ReplayGain)' })
      .getByText('Track', { exact: true })
      .click(),
  );
  await expect.poll(isTurned).toBe(true);
  await change('Crossfade and loudness', () =>
    settings()
      .getByRole('radiogroup', { name: 'Volume normalization (ReplayGain)' })
      .getByText('Off', { exact: true })
      .click(),
  );
  await expect.poll(isTurned).toBe(false);
});

/** Plays the end of the first track; returns how long both tracks sound, or -Infinity if only one was recorded. */
async function secondsTogether(): Promise<number> {
  await play();
  await player().getByRole('slider', { name: 'Position' }).fill('24000');
  await expect.poll(nowPlaying).toBe(pair[1].title);
  return inPage(({ startedSounds }) => {
    const lastSound = startedSounds.at(-1)!;
    return (
      Math.max(...startedSounds.filter(({ from }) => from < lastSound.from).map(({ endsAt }) => endsAt)) -
      lastSound.from
    );
  }, null);
}

test('with a crossfade the next track starts while the last one fades', async () => {
  await change('Crossfade and loudness', () => settings().getByRole('slider', { name: 'Crossfade' }).fill('2'));
  let together = -Infinity;
  // on a busy machine a media element, which is not recorded, plays the first track: it is played again
  while (together === -Infinity) together = await secondsTogether();
  expect(together).toBeGreaterThan(1.5);
  expect(together).toBeLessThan(2.5);
  await change('Crossfade and loudness', () => settings().getByRole('slider', { name: 'Crossfade' }).fill('0'));
});

test('a crossfade leaves out silence, begins on a beat and brings tempos together at their own pitch', async () => {
  const [silence, period, nextPeriod] = [3_000, 500, 490];
  const analysisWith = (leadingMs: number, beatMs: number) => ({
    failure: null,
    loudness: {
      integrated_lufs: -14,
      range_lu: 5,
      true_peak_dbtp: -1,
      album_integrated_lufs: null,
      album_range_lu: null,
      leading_silence_ms: leadingMs,
      trailing_silence_ms: silence,
    },
    rhythm: {
      bpm: 60_000 / beatMs,
      bpm_confidence: 0.9,
      beats_ms: Array.from({ length: 50 }, (_, i) => leadingMs + i * beatMs),
      bar_beats: null,
      first_downbeat: null,
      key: null,
      camelot: null,
      key_confidence: null,
      energy: null,
    },
    is_comparable: false,
  });
  await page.route(/\/tracks\/\d+\/analysis$/, (route) =>
    route.fulfill({
      json: route.request().url().includes(`/${pair[0].id}/`)
        ? analysisWith(0, period)
        : analysisWith(1_000, nextPeriod),
    }),
  );
  await change('Crossfade and loudness', () => settings().getByRole('slider', { name: 'Crossfade' }).fill('3'));
  await play();
  await player().getByRole('slider', { name: 'Position' }).fill('20000');
  await expect.poll(nowPlaying).toBe(pair[1].title);
  const { first, tail, second } = await inPage(({ startedSounds }) => {
    const [previousSound, lastSound, nextSound] = startedSounds.slice(-3).map(({ from, offset, endsAt, node }) => {
      return { from, offset, until: endsAt, seconds: node.buffer!.duration };
    });
    return { first: previousSound!, tail: lastSound!, second: nextSound! };
  }, null);
  // the position in the leaving track at which the fade begins
  const fadeStart = first.offset + (tail.from - first.from);
  expect((fadeStart * 1_000) % period, 'on a beat').toBeCloseTo(0, 0);
  expect(second.offset).toBeCloseTo(1, 3);
  expect(second.from).toBeCloseTo(tail.from, 4);
  // the rest of the first track is shorter at the tempo of the second
  expect(tail.seconds).toBeCloseTo(((pair[0].duration_ms! - silence) / 1_000 - fadeStart) * (nextPeriod / period), 1);
  expect(tail.seconds).toBeGreaterThan(2.9);
  await page.unroute(/\/tracks\/\d+\/analysis$/);
  await change('Crossfade and loudness', () => settings().getByRole('slider', { name: 'Crossfade' }).fill('0'));
});

test('changing the speed keeps the position', async () => {
  await play();
  await change('Speed', () => settings().getByRole('slider', { name: 'Speed' }).fill('1.5'));
  await expect
    .poll(() =>
      inPage(
        ({ audioElements }) =>
          audioElements.some((audio) => !audio.paused && audio.playbackRate === 1.5 && audio.preservesPitch),
        null,
      ),
    )
    .toBe(true);
  expect(await nowPlaying()).toBe(pair[0].title);
  await change('Speed', () => settings().getByRole('slider', { name: 'Speed' }).fill('1'));
});

test('the sleep timer stops playback after a track, or at a time', async () => {
  await play();
  await change('Sleep timer', () =>
    settings().getByRole('radiogroup', { name: 'Sleep timer' }).getByText('End of track').click(),
  );
  await player().getByRole('slider', { name: 'Position' }).fill('29000');
  await player().getByRole('button', { name: 'Play', exact: true }).waitFor();
  await expect.poll(nowPlaying).toBe(pair[1].title);
  await expect.poll(() => currentTime(page)).toBe(0);

  await page.clock.install();
  await play();
  await change('Sleep timer', () =>
    settings().getByRole('radiogroup', { name: 'Sleep timer' }).getByText('15 min').click(),
  );
  await page.clock.fastForward('15:01');
  await player().getByRole('button', { name: 'Play', exact: true }).waitFor();
  await expect.poll(() => currentTime(page)).toBe(0);
  await page.clock.resume();
});

test('the system shows what plays, and its keys control the player; the queue survives a reload', async () => {
  await play();
  const readShownTime = () =>
    page.evaluate(() => ({
      title: navigator.mediaSession.metadata?.title,
      artwork: navigator.mediaSession.metadata?.artwork.length,
      state: navigator.mediaSession.playbackState,
    }));
  const press = (action: string, details: object = {}) =>
    inPage(({ controls }, [name, more]) => controls[name]!({ action: name as MediaSessionAction, ...more }), [
      action,
      details,
    ] as const);
  await expect
    .poll(readShownTime)
    .toEqual({ title: pair[0].title, artwork: pair[0].has_cover ? 3 : 0, state: 'playing' });
  await press('nexttrack');
  await expect.poll(readShownTime).toMatchObject({ title: pair[1].title });
  await press('pause');
  await expect.poll(readShownTime).toMatchObject({ state: 'paused' });
  await press('seekto', { seekTime: 4 });
  await press('previoustrack'); // after three seconds the key returns to the start of the track
  await expect.poll(async () => Number(await player().getByRole('slider', { name: 'Position' }).inputValue())).toBe(0);
  await press('seekto', { seekTime: 2 });
  await expect
    .poll(async () => Number(await player().getByRole('slider', { name: 'Position' }).inputValue()))
    .toBe(2_000);

  await page.reload();
  await expect.poll(nowPlaying).toBe(pair[1].title);
  await expect
    .poll(async () => Number(await player().getByRole('slider', { name: 'Position' }).inputValue()))
    .toBe(2_000);
  await page.keyboard.press('q');
  const rows = page.getByRole('complementary', { name: 'Queue' }).locator('[aria-setsize]');
  await expect.poll(() => rows.count()).toBe(6);
  await rows.nth(1).getByText(pair[1].title).waitFor();
  expect(stage.problems).toEqual([]);
});
