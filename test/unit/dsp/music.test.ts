// Tempo, beats and key of synthetic music, and the compiled kernels.
import { expect, test } from 'vitest';
import { findBeats } from '../../../server/dsp/beats.ts';
import { createPowerSpectra, hann, LANES } from '../../../server/dsp/fft.ts';
import { KERNELS } from '../../../server/dsp/kernels-wasm.ts';
import { camelotOf, findKey } from '../../../server/dsp/key.ts';
import { findOnsets } from '../../../server/dsp/onsets.ts';
import { createResampler } from '../../../server/dsp/resample.ts';
import { createSpectrograph, PITCH_BINS, type Spectrogram } from '../../../server/dsp/spectrogram.ts';
import { findTempo } from '../../../server/dsp/tempo.ts';
import { compiledKernels } from '../../../scripts/kernels.ts';
import { seededRandom } from '../../support/test-random.ts';
import { playScore } from '../../support/score.ts';

test('the compiled loops are those of kernels.wat', async () => {
  expect((await compiledKernels()).join('')).toBe(KERNELS);
});

function computeSpectrogram(samples: Float32Array, rateHz: number): Spectrogram {
  const spectrograph = createSpectrograph(rateHz);
  spectrograph.push([samples], samples.length);
  return spectrograph.finish();
}

test.each([8, 16, 128])('the spectra of four frames of %i samples are those of the definition', (size) => {
  const hop = size / 4;
  const { line, power, sums, transform } = createPowerSpectra({ size, hop, lineCapacity: 2 * size }, hann(size), [
    { firstBin: 1, weights: [1, 2] },
  ]);
  const random = seededRandom(size);
  for (let i = 0; i < line.length; i++) line[i] = random() - 0.5;
  transform(1);
  for (let lane = 0; lane < LANES; lane++) {
    const expected = Array.from({ length: size / 2 + 1 }, (_, bin) => {
      let [re, im] = [0, 0];
      hann(size).forEach((weight, i) => {
        const value = weight * (line[1 + lane * hop + i] as number);
        re += value * Math.cos((2 * Math.PI * bin * i) / size);
        im += value * Math.sin((2 * Math.PI * bin * i) / size);
      });
      return re * re + im * im;
    });
    expected.forEach((value, bin) => expect(power[bin * LANES + lane]).toBeCloseTo(value, 4));
    expect(sums[lane]).toBeCloseTo((expected[1] as number) + 2 * (expected[2] as number), 4);
  }
});

test.each([44_100, 48_000, 8_000])('a tone of 440 Hz stays one when it comes from %i Hz', (rateHz) => {
  const resampler = createResampler(rateHz, 22_050, 1_000);
  const levels: number[] = [];
  for (let offset = 0; offset < rateHz; offset += 100)
    levels.push(
      ...resampler.push(
        Float32Array.from({ length: 100 }, (_, i) => Math.sin((2 * Math.PI * 440 * (offset + i)) / rateHz)),
        100,
      ),
    );
  expect(Math.abs(levels.length - 22_050)).toBeLessThan(60);
  for (let i = 200; i < levels.length - 200; i++)
    expect(Math.abs((levels[i] as number) - Math.sin((2 * Math.PI * 440 * i) / 22_050))).toBeLessThan(0.01);
});

test.each([
  { bpm: 96, beatsOfBar: 4, key: 'G', isMinor: false, name: 'G' },
  { bpm: 132, beatsOfBar: 3, key: 'Eb', isMinor: false, name: 'Eb' },
  { bpm: 112, beatsOfBar: 4, key: 'E', isMinor: true, name: 'Em' },
] as const)('tempo, beats and key of $name at $bpm are found', ({ bpm, beatsOfBar, key, isMinor, name }) => {
  const { samples, rateHz, beats } = playScore({ bpm, beatsOfBar, key, isMinor, seconds: 20, seed: 3 });
  const spectrogram = computeSpectrogram(samples, rateHz);
  const onsets = findOnsets(spectrogram);
  const tempo = findTempo(onsets);
  expect(Math.abs((tempo?.bpm ?? 0) / bpm - 1)).toBeLessThan(0.04);
  const foundBeats = findBeats(onsets, bpm);
  expect(Math.abs((foundBeats?.bpm ?? 0) - bpm)).toBeLessThan(0.3);
  const distances = beats
    .slice(2, -2)
    .map((beat) => Math.min(...Array.from(foundBeats?.times ?? [], (time) => Math.abs(time - beat))));
  expect(distances.filter((distance) => distance > 0.04)).toEqual([]);
  expect(findKey(spectrogram)?.name).toBe(name);
});

test.each([
  {
    name: 'Am',
    chords: [
      [9, 0, 4],
      [2, 5, 9],
      [4, 8, 11],
      [9, 0, 4],
    ],
  },
  {
    name: 'C',
    chords: [
      [0, 4, 7],
      [9, 0, 4],
      [5, 9, 0],
      [7, 11, 2],
    ],
  },
  {
    name: 'F#m',
    chords: [
      [6, 9, 1],
      [11, 2, 6],
      [1, 4, 8],
      [6, 9, 1],
    ],
  },
])('the key of chords in $name is found, also a third of a semitone too high', ({ name, chords }) => {
  for (const sharp of [0, 1]) {
    const pitches = new Float32Array(chords.length * PITCH_BINS);
    chords.forEach((chord, frame) => {
      for (const pitch of chord) pitches[frame * PITCH_BINS + (pitch * PITCH_BINS) / 12 + sharp] = 0.1;
    });
    const emptySpectrogram = { mel: new Float32Array(), loudest: 0, melPower: new Float64Array(), frames: 0 };
    const spectrogram: Spectrogram = { ...emptySpectrogram, pitches, pitchFrames: chords.length };
    expect(findKey(spectrogram)?.name).toBe(name);
  }
});

test('nothing repeats in silence, and it has no key', () => {
  const spectrogram = computeSpectrogram(new Float32Array(22_050 * 8), 22_050);
  expect([findTempo(findOnsets(spectrogram)), findKey(spectrogram)]).toEqual([undefined, undefined]);
});

test.each([
  ['C', '8B'],
  ['Am', '8A'],
  ['F#m', '11A'],
  ['Gbm', '11A'],
  ['Db', '3B'],
  ['B', '1B'],
  ['Abm', '1A'],
  ['A minor', '8A'],
  ['8A', undefined],
])('%s is %s on the Camelot wheel', (key, code) => {
  expect(camelotOf(key)).toBe(code);
});
