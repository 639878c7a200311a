// Seeking in a long MP3 of variable bit rate: the sound matches the displayed position. The tone of the file rises
// steadily, so its frequency shows the position.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { toolOrWarn } from '../support/tools.ts';
import { recordOutput, takeRecording } from './recorder.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

const FILE_SECONDS = 1_200;
const START_HZ = 300;
const HZ_PER_SECOND = 2;
const ALLOWED_SECONDS = 0.6;

const ffmpeg = toolOrWarn('ffmpeg', 'seeking in long MP3 files is');
let stage: Stage | undefined;
afterAll(() => stage?.close());

/** Noise in changing parts of the file lets the bit rate vary. */
function writeRisingTone(dir: string): void {
  const tone = `0.4*sin(2*PI*(${START_HZ}*t+${HZ_PER_SECOND / 2}*t*t))`;
  const noise = '0.15*(random(0)-0.5)*gt(sin(t*t/9000),0.3)';
  const source = ['-f', 'lavfi', '-i', `aevalsrc='${tone}+${noise}':d=${FILE_SECONDS}:s=44100`];
  const tags = ['-metadata', 'title=Rising', '-metadata', 'album=Tones', '-metadata', 'artist=Tone'];
  execFileSync(ffmpeg!, [
    '-v',
    'error',
    ...source,
    '-c:a',
    'libmp3lame',
    '-q:a',
    '5',
    ...tags,
    join(dir, 'Rising.mp3'),
  ]);
}

/** Returns the position in the file at which a recording ends, by the pitch of its last half second. */
function timeOf(samples: Float32Array, rate: number): number {
  const lastSamples = samples.slice(-Math.round(rate / 2));
  const clearly = 0.2 * Math.max(...lastSamples);
  const crossings: number[] = [];
  let wasLow = false;
  for (let i = 1; i < lastSamples.length; i++) {
    const [a, b] = [lastSamples[i - 1]!, lastSamples[i]!];
    wasLow ||= a < -clearly;
    if (!wasLow || b < 0) continue;
    crossings.push(i - 1 + a / (a - b));
    wasLow = false;
  }
  const hz = ((crossings.length - 1) * rate) / (crossings.at(-1)! - crossings[0]!);
  return (hz - START_HZ) / HZ_PER_SECOND + lastSamples.length / 2 / rate;
}

test.runIf(ffmpeg !== undefined)('after a seek the display shows what is heard', async () => {
  stage = await openStage({ tracks: 1, seconds: '3', messy: 0, formats: ['flac'], addMusic: writeRisingTone });
  const page = await stage.openAsOwner({ ...DESK_WINDOW, bypassCSP: true });
  await recordOutput(page);
  const { items } = await stage.api<{ items: TrackOut[] }>('/tracks?q=Rising');
  await page.goto(`${stage.url}/albums/${items[0]!.album_id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(2);
  const slider = page.getByRole('region', { name: 'Player' }).getByRole('slider', { name: 'Position' });
  /**
   * Returns how far the sound lags behind the displayed position, because some audio waits in buffers: the median of
   * three readings.
   */
  const delayAfterSeek = async (seconds: number): Promise<number> => {
    await slider.fill(String(seconds * 1_000));
    const delays: number[] = [];
    for (const laterSeconds of [1.5, 2, 2.5]) {
      await expect
        .poll(async () => Number(await slider.inputValue()))
        .toBeGreaterThan((seconds + laterSeconds) * 1_000);
      const shownSeconds = Number(await slider.inputValue()) / 1_000;
      const { samples, rate } = await takeRecording(page);
      delays.push(shownSeconds - timeOf(samples, rate));
    }
    return delays.toSorted((a, b) => a - b)[1]!;
  };
  const usualDelay = await delayAfterSeek(5); // near the start every seek is accurate
  for (const seconds of [433, 1_111, 200, 777])
    expect
      .soft(Math.abs((await delayAfterSeek(seconds)) - usualDelay), `at ${seconds} s`)
      .toBeLessThan(ALLOWED_SECONDS);
  expect(stage.problems).toEqual([]);
});
