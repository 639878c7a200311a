import { expect, test } from 'vitest';
import { FADE_IN, FADE_OUT, replayGain, volumeFactor } from '../../../renderer/player/gain.ts';

const measuredGains = { track_gain_db: -6, track_peak: 0.9, album_gain_db: -3, album_peak: 0.95, is_measured: false };
const noGains = { track_gain_db: null, track_peak: null, album_gain_db: null, album_peak: null, is_measured: false };
const db = (value: number) => 10 ** (value / 20);

test.each([
  { name: 'off', values: measuredGains, mode: 'off', preamp: 6, factor: 1 },
  { name: 'track', values: measuredGains, mode: 'track', preamp: 0, factor: db(-6) },
  { name: 'album', values: measuredGains, mode: 'album', preamp: 0, factor: db(-3) },
  { name: 'the pre-amplification is added', values: measuredGains, mode: 'track', preamp: 4, factor: db(-2) },
  {
    name: 'album without its own value takes the track’s',
    values: { ...measuredGains, album_gain_db: null },
    mode: 'album',
    preamp: 0,
    factor: db(-6),
  },
  {
    name: 'track without its own value takes the album’s',
    values: { ...measuredGains, track_gain_db: null },
    mode: 'track',
    preamp: 0,
    factor: db(-3),
  },
  {
    name: 'a peak is never cut off',
    values: { ...measuredGains, track_gain_db: 9, track_peak: 0.8 },
    mode: 'track',
    preamp: 0,
    factor: 1 / 0.8,
  },
  {
    name: 'a track that clips already is made quieter',
    values: { ...measuredGains, track_gain_db: 0, track_peak: 1.25 },
    mode: 'track',
    preamp: 0,
    factor: 0.8,
  },
  {
    name: 'without a peak never louder than the file',
    values: { ...measuredGains, track_gain_db: 9, track_peak: null },
    mode: 'track',
    preamp: 0,
    factor: 1,
  },
  { name: 'no values', values: noGains, mode: 'track', preamp: 6, factor: 1 },
  { name: 'nothing known', values: null, mode: 'album', preamp: 6, factor: 1 },
] as const)('volume normalization: $name', ({ values, mode, preamp, factor }) => {
  expect(replayGain(values, { mode, preampDb: preamp, hasLimiter: false })).toBeCloseTo(factor, 6);
});

test('with a limiter no peak holds a track down', () => {
  const values = { ...measuredGains, track_gain_db: 9, track_peak: 0.8 };
  expect(replayGain(values, { mode: 'track', preampDb: 2, hasLimiter: true })).toBeCloseTo(db(11), 6);
});

test('a crossfade has constant power', () => {
  FADE_IN.forEach((value, i) => expect(value ** 2 + FADE_OUT[i]! ** 2).toBeCloseTo(1, 5));
  expect([FADE_IN[0], FADE_IN.at(-1), FADE_OUT[0]]).toEqual([0, 1, 1]);
});

test('volume', () => {
  expect([volumeFactor(0, false), volumeFactor(0.5, false), volumeFactor(1, false), volumeFactor(1, true)]).toEqual([
    0, 0.125, 1, 0,
  ]);
});
