// The recorded album of tones, which the test checks and the script draws.
import { measureJoin, soundingPart, type Join } from '../support/joins.ts';
import { ALBUM, HALF, TONES, type Tone } from '../support/sine-album.ts';
import { until } from '../support/until.ts';
import { holdClockForNextTrack, recordOutput, takeRecording } from './recorder.ts';
import { DESK, type Stage } from './stage.ts';

export interface SineRecording {
  samples: Float32Array;
  rate: number;
  joins: (Join & Tone & { at: number })[];
  /** How much longer than the tracks together. */
  surplusMs: number;
}

export async function recordSineAlbum(stage: Stage): Promise<SineRecording> {
  const page = await stage.openAsOwner({ ...DESK, bypassCSP: true });
  await recordOutput(page);
  await holdClockForNextTrack(page);
  const { items } = await stage.api<{ items: { id: number; title: string }[] }>('/albums?limit=200');
  await page.goto(`/albums/${items.find(({ title }) => title === ALBUM)!.id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  const player = page.getByRole('region', { name: 'Player' });
  await until(
    () => player.getByRole('link').first().textContent(),
    (title) => title === `${TONES.at(-1)!.format} 2`,
  );
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const recording = await takeRecording(page);
  await page.context().close();

  const { first, end } = soundingPart(recording.samples);
  const joins = TONES.map((tone, i) => {
    const at = first + (2 * i + 1) * HALF;
    return { ...tone, at, ...measureJoin(recording, at, tone.hz) };
  });
  return { ...recording, joins, surplusMs: ((end - first - 2 * TONES.length * HALF) / recording.rate) * 1000 };
}
