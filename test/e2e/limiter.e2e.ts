// Volume normalization in the browser: a quiet track with loud moments gets its whole gain, and the output stays within
// full scale.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { ascii, id3, id3Frame, u16le, u32le, utf8Text, wavChunk } from '../support/audio-bytes.ts';
import { recordedSeconds, recordOutput, takeRecording } from './recorder.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

const SAMPLE_RATE = 44_100;
const QUIET_AMPLITUDE = 0.05;
const TEST_GAIN = 4;
/** Longer than SUSPEND_AFTER_MS of mixer.ts. */
const SUSPENDED_AFTER_MS = 4_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 2, seconds: '3', messy: 0, formats: ['flac'], addMusic: writeDrums });
});
afterAll(() => stage?.close());

/** Writes twelve seconds of a quiet tone with a drum at full scale in every second, and ReplayGain tags. */
function writeDrums(dir: string): void {
  const samples = Int16Array.from({ length: 12 * SAMPLE_RATE }, (_, i) => {
    const level = i % SAMPLE_RATE < 300 ? 1 : QUIET_AMPLITUDE;
    return 32_767 * level * Math.sin((2 * Math.PI * 441 * i) / SAMPLE_RATE);
  });
  const format = Buffer.concat([u16le(1), u16le(1), u32le(SAMPLE_RATE), u32le(SAMPLE_RATE * 2), u16le(2), u16le(16)]);
  const userText = (name: string, value: string) => id3Frame('TXXX', Buffer.from(`\x03${name}\0${value}`));
  const tags = id3([
    id3Frame('TIT2', utf8Text('Drums')),
    userText('replaygain_track_gain', `${(20 * Math.log10(TEST_GAIN)).toFixed(2)} dB`),
    userText('replaygain_track_peak', '1.0'),
  ]);
  const data = Buffer.from(samples.buffer);
  const chunks = [wavChunk('fmt ', format), wavChunk('data', data), wavChunk('id3 ', tags)];
  const body = Buffer.concat([ascii('WAVE'), ...chunks]);
  writeFileSync(join(dir, 'Drums.wav'), Buffer.concat([ascii('RIFF'), u32le(body.length), body]));
}

/** Opens a window with volume normalization that plays the drums, and records its output. */
async function playDrums(): Promise<Page> {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, bypassCSP: true });
  await recordOutput(page);
  await page.goto(stage.url);
  const { items } = await stage.api<{ items: TrackOut[] }>('/tracks?q=Drums');
  expect(items[0]?.replay_gain).toMatchObject({ track_gain_db: 12.04, track_peak: 1 });
  await page.evaluate(() => {
    const key = 'tonearm.player';
    const storedPlayer = JSON.parse(localStorage.getItem(key) ?? '{"version":2,"queue":[],"index":-1}') as object;
    localStorage.setItem(key, JSON.stringify({ ...storedPlayer, volume: 1, replayGain: 'track' }));
  });
  const { id } = await stage.api<{ id: number }>('/playlists', {
    method: 'POST',
    body: { name: 'Drums', track_ids: [items[0]!.id] },
  });
  await page.goto(`${stage.url}/playlists/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  return page;
}

test('a quiet track with loud drums plays at its gain, and nothing is cut off', async () => {
  const page = await playDrums();
  await expect.poll(() => recordedSeconds(page)).toBeGreaterThan(3);
  const { samples, rate } = await takeRecording(page);
  await page.context().close();

  const peak = samples.reduce((maximum, sample) => Math.max(maximum, Math.abs(sample)), 0);
  expect(peak).toBeGreaterThan(0.9);
  expect(peak).toBeLessThanOrEqual(1);
  // for half of the time, only the tone plays
  const peaks = Array.from({ length: Math.floor(samples.length / rate / 0.05) }, (_, n) =>
    samples
      .slice(n * 0.05 * rate, (n + 1) * 0.05 * rate)
      .reduce((maximum, sample) => Math.max(maximum, Math.abs(sample)), 0),
  ).toSorted((a, b) => a - b);
  expect(peaks[Math.floor(peaks.length / 2)]! / QUIET_AMPLITUDE).toBeCloseTo(TEST_GAIN, 0);
});

test('after a pause, the limiter lets the sound through again', async () => {
  const page = await playDrums();
  await expect.poll(() => recordedSeconds(page)).toBeGreaterThan(1);
  const playPause = (name: string) =>
    page.getByRole('region', { name: 'Player' }).getByRole('button', { name, exact: true });
  await playPause('Pause').click();
  // this is long enough for the delayed sound to pass, and for the audio thread to be suspended
  await page.waitForTimeout(SUSPENDED_AFTER_MS);
  const beforePause = await recordedSeconds(page);
  await playPause('Play').click();
  await expect.poll(() => recordedSeconds(page)).toBeGreaterThan(beforePause + 1);
  await page.context().close();
});
