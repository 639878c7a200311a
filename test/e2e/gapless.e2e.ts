// The window plays a continuous tone that is split into two tracks, for every format, while its output is recorded.
import { afterAll, expect, test } from 'vitest';
import { RATE, TONES, writeSineAlbum } from '../support/sine-album.ts';
import { toolOrWarn } from '../support/tools.ts';
import { recordSineAlbum } from './sine-recording.ts';
import { openStage, type Stage } from './stage.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'gapless playing of every format is');
const ALLOWED_MS: Record<string, number> = { mp3: 3, m4a: 3 };

let stage: Stage | undefined;
afterAll(() => stage?.close());

test.runIf(ffmpeg !== undefined)('two halves of a tone are played as one, in every format', async () => {
  stage ??= await openStage({ tracks: 2, messy: 0, addMusic: (dir) => writeSineAlbum(ffmpeg!, dir, TONES) });
  const { joins, rate, surplusMs } = await recordSineAlbum(stage);
  expect(stage.problems).toEqual([]);
  expect(rate).toBe(RATE);
  for (const { format, shiftMs, holeMs } of joins) {
    expect
      .soft(Math.abs(shiftMs) + holeMs, `${format}: ${shiftMs.toFixed(3)} ms late, ${holeMs.toFixed(3)} ms are no tone`)
      .toBeLessThan(ALLOWED_MS[format] ?? 1);
  }
  expect(Math.abs(surplusMs)).toBeLessThan(3);
});
