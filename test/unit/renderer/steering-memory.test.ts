// Tests that a radio that is started again keeps its steering.
import { beforeEach, expect, test, vi } from 'vitest';
import { steeringOf, firstRadio, noteSteering } from '../../../renderer/music/steering-memory.ts';

const TRACK_SEED = { kind: 'track', id: 5 } as const;
const CALM_SEED = { kind: 'mood', mood: 'calm' } as const;

beforeEach(() => {
  const storedValues = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storedValues.get(key) ?? null,
    setItem: (key: string, text: string) => storedValues.set(key, text),
    removeItem: (key: string) => storedValues.delete(key),
  });
});

test('each radio has a course of its own, and the last word about a track counts', () => {
  noteSteering(TRACK_SEED, { more: 7 });
  noteSteering(TRACK_SEED, { less: 8 });
  noteSteering(CALM_SEED, { less: 7 });
  expect(steeringOf(TRACK_SEED)).toEqual({ more: [7], less: [8] });
  noteSteering(TRACK_SEED, { less: 7 });
  expect(steeringOf(TRACK_SEED)).toEqual({ more: [], less: [8, 7] });
  expect(steeringOf(CALM_SEED)).toEqual({ more: [], less: [7] });
});

test('steering that is taken back is forgotten', () => {
  noteSteering(TRACK_SEED, { more: 7 });
  noteSteering(TRACK_SEED, { forget: 7 });
  expect(steeringOf(TRACK_SEED)).toEqual({ more: [], less: [] });
});

test('the radios that were steered last are kept', () => {
  for (let id = 1; id <= 150; id++) noteSteering({ kind: 'album', id }, { more: id });
  expect(steeringOf({ kind: 'album', id: 50 })).toEqual({ more: [], less: [] });
  expect([51, 150].map((id) => steeringOf({ kind: 'album', id }).more)).toEqual([[51], [150]]);
});

test('a radio starts as it was steered, beside the tracks that it was started from', () => {
  noteSteering(TRACK_SEED, { more: 7 });
  noteSteering(TRACK_SEED, { less: 8 });
  expect(firstRadio(TRACK_SEED, { played: [5], more: [6] })).toEqual({
    seed: TRACK_SEED,
    by: 'sound',
    played: [5],
    more: [6, 7],
    less: [8],
  });
});
