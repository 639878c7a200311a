// A radio that is started again goes on as it was steered.
import { beforeEach, expect, test, vi } from 'vitest';
import { steeringOf, firstRadio, noteSteering } from '../../../renderer/music/steering-memory.ts';

const TRACK = { kind: 'track', id: 5 } as const;
const CALM = { kind: 'mood', mood: 'calm' } as const;

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
});

test('each radio has a course of its own, and the last word about a track counts', () => {
  noteSteering(TRACK, { more: 7 });
  noteSteering(TRACK, { less: 8 });
  noteSteering(CALM, { less: 7 });
  expect(steeringOf(TRACK)).toEqual({ more: [7], less: [8] });
  noteSteering(TRACK, { less: 7 });
  expect(steeringOf(TRACK)).toEqual({ more: [], less: [8, 7] });
  expect(steeringOf(CALM)).toEqual({ more: [], less: [7] });
});

test('what is taken back is forgotten', () => {
  noteSteering(TRACK, { more: 7 });
  noteSteering(TRACK, { forget: 7 });
  expect(steeringOf(TRACK)).toEqual({ more: [], less: [] });
});

test('the radios that were steered last are kept', () => {
  for (let id = 1; id <= 150; id++) noteSteering({ kind: 'album', id }, { more: id });
  expect(steeringOf({ kind: 'album', id: 50 })).toEqual({ more: [], less: [] });
  expect([51, 150].map((id) => steeringOf({ kind: 'album', id }).more)).toEqual([[51], [150]]);
});

test('a radio starts as it was steered, beside the tracks that it was started from', () => {
  noteSteering(TRACK, { more: 7 });
  noteSteering(TRACK, { less: 8 });
  expect(firstRadio(TRACK, { played: [5], more: [6] })).toEqual({
    seed: TRACK,
    by: 'sound',
    played: [5],
    more: [6, 7],
    less: [8],
  });
});
