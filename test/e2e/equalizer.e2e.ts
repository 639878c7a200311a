// The equalizer is measured in the browser's own audio graph, rendered offline, and used on its page.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  flatBands,
  limitBand,
  preampOf,
  responseDb,
  type Band,
  type Equalizer,
} from '../../renderer/player/equalizer.ts';
import { seededRandom } from '../support/test-random.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage({ tracks: 4, seconds: '20', messy: 0, formats: ['flac'] });
  page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto(`${stage.url}/settings#playback`);
});
afterAll(() => stage?.close());

const random = seededRandom(24);
const randomBetween = (min: number, max: number): number => min + random() * (max - min);
/** Returns a set of ten random bands, from slight to extreme. */
const randomBands = (): Band[] =>
  flatBands(false).map((band) =>
    limitBand({
      ...band,
      frequency: band.frequency * randomBetween(0.6, 1.4),
      gainDb: randomBetween(-15, 15),
      q: randomBetween(0.4, 6),
    }),
  );

interface Rendered {
  /** Response in dB at each frequency. */
  response: number[];
  /** Highest peak of any full-scale signal. */
  peak: number;
  isUnchanged: boolean;
}

/** Runs in the page: renders an impulse through the equalizer. */
async function render(equalizer: Equalizer, rate: number, frequencies: number[]): Promise<Rendered> {
  type Create = (context: BaseAudioContext, settings: Equalizer) => { input: AudioNode; output: AudioNode };
  const { createFilters } = (globalThis as unknown as { equalizer: { createFilters: Create } }).equalizer;
  const renderSignal = async (signal: Float32Array<ArrayBuffer>): Promise<Float32Array> => {
    const context = new OfflineAudioContext(1, signal.length, rate);
    const buffer = new AudioBuffer({ length: signal.length, sampleRate: rate });
    buffer.copyToChannel(signal, 0);
    const source = new AudioBufferSourceNode(context, { buffer });
    const filters = createFilters(context, equalizer);
    source.connect(filters.input);
    filters.output.connect(context.destination);
    source.start();
    return (await context.startRendering()).getChannelData(0);
  };
  const impulse = new Float32Array(rate);
  impulse[0] = 1;
  const answer = await renderSignal(impulse);
  const response = frequencies.map((frequency) => {
    // computes the response at one frequency with Goertzel's algorithm
    const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / rate);
    let [previousValue, lastValue] = [0, 0];
    for (const value of answer)
      [previousValue, lastValue] = [lastValue, value + coefficient * lastValue - previousValue];
    return (
      10 * Math.log10(previousValue * previousValue + lastValue * lastValue - coefficient * previousValue * lastValue)
    );
  });
  let seed = 1;
  const noise = (): number => ((seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) < 2 ** 30 ? 1 : -1);
  const time = (n: number): number => n / rate;
  const signals: ((n: number) => number)[] = [
    noise,
    (n) => (Math.sin(2 * Math.PI * 20 * 1_000 ** (time(n) / 1) * time(n)) >= 0 ? 1 : -1),
    (n) => (Math.floor(time(n) * 160) % 2 === 0 ? 1 : -1),
    // the worst signal consists of the signs of the impulse response, reversed
    (n) => ((answer[rate - 1 - n] ?? 0) >= 0 ? 1 : -1),
  ];
  let peak = 0;
  for (const signal of signals)
    for (const value of await renderSignal(Float32Array.from({ length: rate }, (_, n) => signal(n))))
      peak = Math.max(peak, Math.abs(value));
  return { response, peak, isUnchanged: answer.every((value, n) => value === impulse[n]) };
}

test('rendered offline, the equalizer is within 0.1 dB of theory from 20 Hz to 20 kHz, and no signal clips', async () => {
  const source = stripTypeScriptTypes(
    readFileSync(join(import.meta.dirname, '../../renderer/player/equalizer.ts'), 'utf8'),
  );
  const bench = await stage.openPage({});
  await bench.goto('about:blank');
  await bench.addScriptTag({ type: 'module', content: `${source}\nglobalThis.equalizer = { createFilters };` });
  await bench.waitForFunction('globalThis.equalizer !== undefined');
  const frequencies = Array.from({ length: 61 }, (_, n) => 20 * 1_000 ** (n / 60));
  for (const rate of [44_100, 48_000, 96_000]) {
    const equalizer: Equalizer = { isOn: true, preampDb: 0, bands: randomBands(), isGraphic: false };
    const { response, peak } = await bench.evaluate<Rendered>(
      `(${render.toString()})(${JSON.stringify(equalizer)}, ${rate}, ${JSON.stringify(frequencies)})`,
    );
    const preamp = preampOf(equalizer, rate);
    const errors = frequencies.map((frequency, n) =>
      Math.abs((response[n] ?? 0) - preamp - responseDb(equalizer.bands, frequency, rate)),
    );
    expect(Math.max(...errors)).toBeLessThan(0.1);
    expect(peak).toBeLessThanOrEqual(1);
    expect(peak).toBeGreaterThan(0.9); // the preamp lowers the sound no more than necessary
  }
  const flat: Equalizer = { isOn: true, preampDb: 0, bands: flatBands(false), isGraphic: false };
  const { isUnchanged } = await bench.evaluate<Rendered>(
    `(${render.toString()})(${JSON.stringify(flat)}, 48000, ${JSON.stringify([1_000])})`,
  );
  expect(isUnchanged).toBe(true);
  await bench.close();
});

test('without the equalizer there is no filter node; with it there is one for each band that changes something', async () => {
  await page.addInitScript(() => {
    const counters = Object.assign(globalThis, { filters: 0 });
    const Original = IIRFilterNode;
    globalThis.IIRFilterNode = class extends Original {
      constructor(context: BaseAudioContext, options: IIRFilterOptions) {
        super(context, options);
        counters.filters++;
      }
    };
  });
  await page.goto(`${stage.url}/tracks`);
  const filters = (): Promise<number> => page.evaluate('globalThis.filters');
  await page.locator('[data-index="1"][data-track]').dblclick(); // the double click waits until the row is loaded
  await page.getByRole('button', { name: 'Pause' }).first().waitFor();
  expect(await filters()).toBe(0);
  const settings = await page.context().newPage();
  await settings.goto(`${stage.url}/settings#playback`);
  await settings.getByRole('switch', { name: 'Equalizer' }).click({ force: true });
  const handle = settings.getByRole('slider', { name: /^Band 3 at/ });
  await handle.focus();
  await handle.press('ArrowUp');
  await handle.press('ArrowUp');
  expect(await handle.getAttribute('aria-valuetext')).toBe('1 dB');
  await expect.poll(filters).toBeGreaterThan(0);
  await settings.getByLabel('Import from a file…').setInputFiles({
    name: 'Headphones ParametricEQ.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(
      'Preamp: -6.2 dB\nFilter 1: ON LSC Fc 105 Hz Gain 6.4 dB Q 0.70\nFilter 2: ON PK Fc 3000 Hz Gain -2 dB Q 2',
    ),
  });
  await settings.getByText('2 bands imported from “Headphones ParametricEQ.txt”').waitFor();
  expect(await settings.getByRole('slider', { name: /^Band/ }).count()).toBe(2);
  const frequency = settings.getByRole('textbox', { name: 'Frequency of band 2' });
  await frequency.selectText();
  await frequency.pressSequentially('1250'); // the first digit alone is below the minimum
  await frequency.blur();
  await expect.poll(() => frequency.inputValue()).toBe('1250 Hz');
  await settings.getByText('Graphic', { exact: true }).click();
  const lowest = settings.getByRole('slider', { name: 'Band 1 at 31 Hz' });
  // the slider has the gain of the low shelf
  expect(parseFloat((await lowest.getAttribute('aria-valuetext')) ?? '')).toBeGreaterThan(4);
  await settings.close();
  expect(stage.problems).toEqual([]);
});

test('sound settings survive a reload and stay when another setting is changed', async () => {
  const settingsPage = await stage.openAsOwner(DESK_WINDOW);
  const settings = `${stage.url}/settings#playback`;
  await settingsPage.goto(settings);
  await settingsPage.getByRole('switch', { name: 'Equalizer' }).click({ force: true });
  await settingsPage.getByRole('slider', { name: /^Band 3 at/ }).press('ArrowUp');
  await settingsPage.getByLabel('Quality on Wi-Fi').selectOption('192');
  await settingsPage.goto(`${stage.url}/tracks`);
  const openRow = (row: string) => settingsPage.getByRole('dialog').getByRole('button', { name: row }).click();
  const open = async () => {
    await settingsPage.getByRole('button', { name: 'Playback settings' }).first().click();
    await openRow('Speed');
  };
  const speedSlider = settingsPage.getByRole('slider', { name: 'Speed' });
  await open();
  await speedSlider.fill('1.5');
  await openRow('Sleep timer');
  await settingsPage.getByRole('radiogroup', { name: 'Sleep timer' }).getByText('End of track').click();

  await settingsPage.reload();
  await open();
  await expect.poll(() => speedSlider.inputValue()).toBe('1.5');
  await openRow('Sleep timer');
  expect(await settingsPage.getByRole('radio', { name: 'End of track' }).isChecked()).toBe(true);
  for (let round = 0; round < 2; round++) {
    await settingsPage.goto(settings);
    await settingsPage.reload();
    expect(await settingsPage.getByRole('switch', { name: 'Equalizer' }).isChecked()).toBe(true);
    const band = settingsPage.getByRole('slider', { name: /^Band 3 at/ });
    await expect.poll(() => band.getAttribute('aria-valuetext')).toBe('0.5 dB');
    expect(await settingsPage.getByLabel('Quality on Wi-Fi').inputValue()).toBe('192');
    await settingsPage.getByLabel('Quality on mobile data').selectOption('128');
  }
  await settingsPage.evaluate(() => localStorage.setItem('tonearm.output', '{"deviceId":'));
  await settingsPage.reload();
  await settingsPage.getByText(/were reset: output device, equalizer/).waitFor();
  await settingsPage.close();
  expect(stage.problems).toEqual([]);
});
