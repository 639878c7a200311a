// Which octave of a tempo is found, how certain it is, and that noise, drones and speech have none.
import { describe, expect, test } from 'vitest';
import { LEAST_TEMPO_CONFIDENCE } from '../../../server/analysis/steps.ts';
import { findOnsets } from '../../../server/dsp/onsets.ts';
import { createSpectrograph } from '../../../server/dsp/spectrogram.ts';
import { findTempo, type Tempo } from '../../../server/dsp/tempo.ts';
import { playArrangement, STYLES } from '../../support/arrangement.ts';
import { BEATLESS, playBeatless } from '../../support/beatless.ts';

function tempoOf({ samples, rateHz }: { samples: Float32Array; rateHz: number }): Tempo | undefined {
  const spectrograph = createSpectrograph(rateHz);
  spectrograph.push([samples], samples.length);
  return findTempo(findOnsets(spectrograph.finish()));
}

describe('an arrangement', () => {
  test.each([
    { number: 3, style: 'bossa nova', bpm: 114.8 },
    { number: 59, style: 'ballad', bpm: 77.9 },
    { number: 110, style: 'house', bpm: 124.6 },
    { number: 111, style: 'swing', bpm: 158.1 },
    { number: 224, style: 'drum and bass', bpm: 166.9 },
  ])('of $style has its tempo, not its half or double', ({ number, style, bpm }) => {
    const music = playArrangement(number, number >= 150);
    expect([music.style, music.bpm]).toEqual([style, bpm]);
    const tempo = tempoOf(music);
    expect(Math.abs((tempo?.bpm ?? 0) / bpm - 1)).toBeLessThan(0.04);
    expect(tempo?.confidence).toBeGreaterThanOrEqual(LEAST_TEMPO_CONFIDENCE);
  });

  test('is never of a held-out style in the choosing half', () => {
    const heldOut = STYLES.filter(({ isHeldOut }) => isHeldOut).map(({ name }) => name);
    for (const number of [150, 151, 152]) expect(heldOut).not.toContain(playArrangement(number, false).style);
  });
});

test.each(BEATLESS.map((kind, number) => ({ kind, number })))('$kind has no certain tempo', ({ number }) => {
  expect(tempoOf(playBeatless(number))?.confidence ?? 0).toBeLessThan(LEAST_TEMPO_CONFIDENCE);
});

test.each(['white noise', 'drone', 'speech'] as const)('%s has no tempo at all', (kind) => {
  expect(tempoOf(playBeatless(BEATLESS.indexOf(kind)))).toBeUndefined();
});
