// Records the album of tones, which a test checks and a script draws.
import { measureJoin, soundingPart, type Join } from '../support/joins.ts';
import { ALBUM, HALF, TONES, type Tone } from '../support/sine-album.ts';
import { until } from '../support/until.ts';
import { holdClockForNextTrack, longestHoldUp, recordOutput, takeRecording, watchHoldUps } from './recorder.ts';
import { DESK_WINDOW, type Stage } from './stage.ts';

export interface SineRecording {
  samples: Float32Array;
  rate: number;
  joins: (Join & Tone & { middleFrame: number })[];
  /** Milliseconds by which a recording is longer than its tracks together. */
  surplusMs: number;
}

/**
 * If the page is delayed longer than this, the next track cannot be loaded before a track of three seconds ends, and
 * the recording shows the machine's delay and not the player.
 */
const LONGEST_HOLD_UP_MS = 1_000;

/**
 * A recording that is longer than its tracks by more than this has a pause: the player left one, which is then in every
 * recording, or a busy machine did not decode in time, which is in one.
 */
const LONGEST_PAUSE_MS = 3;

/** Records until neither the page was delayed nor the sound paused, at most three times. */
export async function recordSineAlbum(stage: Stage): Promise<SineRecording> {
  for (let attempt = 1; ; attempt += 1) {
    const { holdUpMs, ...recording } = await recordOnce(stage);
    const isUndisturbed = holdUpMs < LONGEST_HOLD_UP_MS && Math.abs(recording.surplusMs) < LONGEST_PAUSE_MS;
    if (isUndisturbed || attempt === 3) return recording;
  }
}

async function recordOnce(stage: Stage): Promise<SineRecording & { holdUpMs: number }> {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, bypassCSP: true });
  await recordOutput(page);
  await holdClockForNextTrack(page);
  const { items } = await stage.api<{ items: { id: number; title: string }[] }>('/albums?limit=200');
  await page.goto(`/albums/${items.find(({ title }) => title === ALBUM)!.id}`);
  await watchHoldUps(page);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  const player = page.getByRole('region', { name: 'Player' });
  await until(
    () => player.getByRole('link').first().textContent(),
    (title) => title === `${TONES.at(-1)!.format} 2`,
  );
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const recording = await takeRecording(page);
  const holdUpMs = await longestHoldUp(page);
  await page.context().close();

  const { first, end } = soundingPart(recording.samples);
  const joins = TONES.map((tone, i) => {
    const middle = first + (2 * i + 1) * HALF;
    return { ...tone, middleFrame: middle, ...measureJoin(recording, middle, tone.hz) };
  });
  return {
    ...recording,
    holdUpMs,
    joins,
    surplusMs: ((end - first - 2 * TONES.length * HALF) / recording.rate) * 1000,
  };
}
