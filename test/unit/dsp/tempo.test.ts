// Which octave of a tempo is found, how certain it is, and that noise, drones and speech have none.
import { describe, expect, test } from 'vitest';
import { MIN_TEMPO_CONFIDENCE } from '../../../server/analysis/steps.ts';
import { findOnsets } from '../../../server/dsp/onsets.ts';
import { createSpectrograph } from '../../../server/dsp/spectrogram.ts';
import { findTempo, type Tempo } from '../../../server/dsp/tempo.ts';
import { playArrangement, STYLES } from '../../support/arrangement.ts';
import { BEATLESS, playBeatless } from '../../support/beatless.ts';
import { seededRandom } from '../../support/seeded-random.ts';

function measureTempo({ samples, rateHz }: { samples: Float32Array; rateHz: number }): Tempo | undefined {
  const spectrograph = createSpectrograph(rateHz);
  spectrograph.push([samples], samples.length);
  return findTempo(findOnsets(spectrograph.finish()));
}

describe('an arrangement', () => {
  test.each([
    { number: 1, style: 'bossa nova', bpm: 125.8 },
    { number: 4, style: 'ballad', bpm: 80.9 },
    { number: 43, style: 'hip hop', bpm: 80.9 },
    { number: 199, style: 'reggae', bpm: 88.7 },
    { number: 278, style: 'bossa nova', bpm: 147.4 },
  ])('of $style has its tempo, not its half or double', ({ number, style, bpm }) => {
    const music = playArrangement(number, number >= 150);
    expect([music.style, music.bpm]).toEqual([style, bpm]);
    const tempo = measureTempo(music);
    expect(Math.abs((tempo?.bpm ?? 0) / bpm - 1)).toBeLessThan(0.04);
    expect(tempo?.confidence).toBeGreaterThanOrEqual(MIN_TEMPO_CONFIDENCE);
  });

  test('is never of a held-out style in the choosing half', () => {
    const heldOutStyles = STYLES.filter(({ isHeldOut }) => isHeldOut).map(({ name }) => name);
    for (const number of [150, 151, 152]) expect(heldOutStyles).not.toContain(playArrangement(number, false).style);
  });
});

test.each(BEATLESS.map((kind, number) => ({ kind, number })))('$kind has no certain tempo', ({ number }) => {
  expect(measureTempo(playBeatless(number))?.confidence ?? 0).toBeLessThan(MIN_TEMPO_CONFIDENCE);
});

test.each(['white noise', 'drone', 'speech'] as const)('%s has no tempo at all', (kind) => {
  expect(measureTempo(playBeatless(BEATLESS.indexOf(kind)))).toBeUndefined();
});

test.each([6.62, 7.3, 8.71, 9.3])(
  'of %f notes a second that go on and on, two, three or four have a beat, not five or seven',
  (notesPerSecond) => {
    const rateHz = 22_050;
    const samples = new Float32Array(30 * rateHz);
    for (let noteSeconds = 0; noteSeconds < 30; noteSeconds += 1 / notesPerSecond)
      for (
        let i = Math.round(noteSeconds * rateHz), end = Math.min(samples.length, i + 2_000), firstSample = i;
        i < end;
        i++
      )
        samples[i] = Math.exp(-(i - firstSample) / 400) * Math.sin((i - firstSample) / 4);
    const bpm = measureTempo({ samples, rateHz })?.bpm ?? 0;
    const notesOfBeat = (notesPerSecond * 60) / bpm;
    expect(Math.min(...[2, 3, 4].map((count) => Math.abs(notesOfBeat / count - 1)))).toBeLessThan(0.04);
  },
);

test('a beat that is faint in noise is certain, since it stays the same', () => {
  const rateHz = 22_050;
  const seconds = 45;
  const bpm = 86;
  const random = seededRandom(1);
  const samples = Float32Array.from({ length: seconds * rateHz }, () => 0.3 * (random() - 0.5));
  for (let beatSeconds = 0; beatSeconds < seconds; beatSeconds += 60 / bpm) {
    const hz = 200 + 400 * random();
    const firstSample = Math.round(beatSeconds * rateHz);
    const sampleCount = Math.min(samples.length - firstSample, 0.4 * rateHz);
    for (let i = 0; i < sampleCount; i++)
      samples[firstSample + i] =
        (samples[firstSample + i] as number) + 0.045 * Math.exp(-i / 4_000) * Math.sin((2 * Math.PI * hz * i) / rateHz);
  }
  const tempo = measureTempo({ samples, rateHz });
  expect(Math.abs((tempo?.bpm ?? 0) / bpm - 1)).toBeLessThan(0.04);
  expect(tempo?.confidence).toBeGreaterThanOrEqual(MIN_TEMPO_CONFIDENCE);
});
