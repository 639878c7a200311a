// The equalizer's filters, their headroom, and the files that it reads.
import { expect, test } from 'vitest';
import {
  fitGraphic,
  flatBands,
  headroomDb,
  preampOf,
  responseDb,
  type Band,
} from '../../../renderer/player/equalizer.ts';
import { parseEqualizerFile } from '../../../renderer/player/equalizer-file.ts';
import { seededRandom } from '../../support/test-random.ts';

const peakBand = (frequency: number, gainDb: number, q = 1): Band => ({ type: 'peaking', frequency, gainDb, q });

test.each([44_100, 48_000, 96_000])('bands do what they say at %i Hz', (rate) => {
  expect(responseDb([peakBand(1_000, 6)], 1_000, rate)).toBeCloseTo(6, 6);
  expect(responseDb([peakBand(1_000, 6), peakBand(1_000, -6)], 300, rate)).toBeCloseTo(0, 6);
  expect(responseDb([{ ...peakBand(100, 5, 0.7), type: 'lowshelf' }], 1, rate)).toBeCloseTo(5, 2);
  expect(responseDb([{ ...peakBand(100, 5, 0.7), type: 'lowshelf' }], 100, rate)).toBeCloseTo(2.5, 1);
  expect(responseDb([{ ...peakBand(100, 5, 0.7), type: 'lowshelf' }], rate / 2.1, rate)).toBeCloseTo(0, 2);
  expect(responseDb([{ ...peakBand(8_000, -7, 0.7), type: 'highshelf' }], 20, rate)).toBeCloseTo(0, 2);
  expect(responseDb([{ ...peakBand(8_000, -7, 0.7), type: 'highshelf' }], rate / 2.001, rate)).toBeCloseTo(-7, 2);
});

test('the preamp is as low as the bands need it, or as was chosen', () => {
  expect(headroomDb(flatBands(true), 48_000)).toBe(0);
  expect(headroomDb([peakBand(1_000, 6)], 48_000)).toBeLessThanOrEqual(-6);
  expect(headroomDb([peakBand(1_000, 6)], 48_000)).toBeGreaterThan(-9);
  expect(preampOf({ isOn: true, preampDb: -20, bands: [peakBand(1_000, 6)], isGraphic: false }, 48_000)).toBe(-20);
});

test('a hundred files of the form that AutoEQ writes are read as they are', () => {
  const random = seededRandom(24);
  for (let n = 0; n < 100; n++) {
    const bands = Array.from({ length: 5 + Math.floor(random() * 6) }, (_, index) => {
      const type = index === 0 ? 'LSC' : index === 1 ? 'HSC' : 'PK';
      return {
        type,
        frequency: Math.round(20 + random() * 9_980),
        gain: Math.round((random() * 24 - 12) * 10) / 10,
        q: Math.round((0.2 + random() * 5) * 100) / 100,
      };
    });
    const preamp = -Math.round(random() * 120) / 10;
    const text = [
      `Preamp: ${preamp.toFixed(n % 2 === 0 ? 1 : 2)} dB`,
      ...bands.map(
        ({ type, frequency, gain, q }, index) =>
          `Filter ${index + 1}: ON ${type} Fc ${frequency} Hz Gain ${gain.toFixed(1)} dB Q ${q.toFixed(2)}`,
      ),
      '',
    ].join(n % 3 === 0 ? '\r\n' : '\n');
    const parsedFile = parseEqualizerFile(text);
    expect(parsedFile).toMatchObject({ isGraphic: false, ignored: [] });
    expect(parsedFile?.preampDb).toBeCloseTo(preamp);
    expect(parsedFile?.bands).toEqual(
      bands.map(({ type, frequency, gain, q }) => ({
        type: { LSC: 'lowshelf', HSC: 'highshelf', PK: 'peaking' }[type],
        frequency,
        gainDb: gain,
        q,
      })),
    );
  }
});

test('Equalizer APO’s other forms are read, and what is not supported is named', () => {
  const text = `# Headphones\nPreamp: -3 dB\nFilter: ON PK Fc 100,5 Hz Gain -2.0 dB BW Oct 1
Filter 2: OFF PK Fc 200 Hz Gain 5 dB Q 1\nFilter 3: ON None\nFilter 4: ON LP Fc 80 Hz\nInclude: other.txt`;
  expect(parseEqualizerFile(text)).toEqual({
    preampDb: -3,
    bands: [{ type: 'peaking', frequency: 100.5, gainDb: -2, q: Math.SQRT2 }],
    isGraphic: false,
    ignored: ['Filter 4: ON LP Fc 80 Hz', 'Include: other.txt'],
  });
  expect(parseEqualizerFile('Some text')).toBeUndefined();
  expect(parseEqualizerFile('GraphicEQ: 20')).toBeUndefined();
});

test('a graphic curve becomes ten bands that follow it', () => {
  const parsedFile = parseEqualizerFile('GraphicEQ: 20 4.0; 100 4.0; 1000 0.0; 20000 -3.0');
  expect(parsedFile?.isGraphic).toBe(true);
  const bands = parsedFile?.bands ?? [];
  expect(responseDb(bands, 62.5, 48_000)).toBeCloseTo(4, 0);
  expect(Math.abs(responseDb(bands, 1_000, 48_000))).toBeLessThan(0.5);
  expect(fitGraphic(() => 0)).toEqual(flatBands(true));
});
