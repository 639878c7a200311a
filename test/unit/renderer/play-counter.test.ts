import { expect, test } from 'vitest';
import { PlayCounter, type Play } from '../../../renderer/player/play-counter.ts';
import type { QueueTrack } from '../../../renderer/player/player.ts';

const track = { id: 7 } as QueueTrack;
const began = new Date('2026-05-01T20:00:00Z');

function listener() {
  const plays: Play[] = [];
  const counter = new PlayCounter(
    (play) => plays.push(play),
    () => began,
  );
  /** Plays from one position to another in steps of a quarter of a second. */
  const hear = (fromMs: number, toMs: number, durationMs: number) => {
    for (let positionMs = fromMs + 250; positionMs <= toMs; positionMs += 250) counter.hear(positionMs, durationMs);
  };
  return { plays, counter, hear, told: () => plays.map(({ playedMs }) => playedMs) };
}

test.each([
  { name: 'half of a short track', durationMs: 60_000, enough: 30_000 },
  { name: 'four minutes of a long one', durationMs: 3_600_000, enough: 240_000 },
])('$name is a play, and less is not', ({ durationMs, enough }) => {
  const { counter, hear, plays } = listener();
  counter.start(track, 0);
  hear(0, enough - 250, durationMs);
  expect(plays).toEqual([]);
  hear(enough - 250, enough, durationMs);
  expect(plays).toEqual([{ id: expect.stringMatching(/^[\d-]+$/), track, playedAt: began, playedMs: enough }]);
});

test('it is reported again at the end, with the total duration', () => {
  const { counter, hear, told } = listener();
  counter.start(track, 0);
  hear(0, 60_000, 60_000);
  expect(told()).toEqual([30_000]);
  counter.stop();
  expect(told()).toEqual([30_000, 60_000]);
  counter.stop();
  expect(told()).toEqual([30_000, 60_000]);
});

test('all reports of one listening have one id, and another listening of the track has another', () => {
  const { counter, hear, plays } = listener();
  for (let listening = 0; listening < 2; listening++) {
    counter.start(track, 0);
    hear(0, 60_000, 60_000);
    counter.stop();
  }
  const [first, again, second] = plays.map(({ id }) => id);
  expect([plays.length, again === first, second === first]).toEqual([4, true, false]);
});

test('a listening goes on in another window or on another device, and is one play', () => {
  const [first, second] = [listener(), listener()];
  first.counter.start(track, 0);
  first.hear(0, 21_000, 60_000);
  const { listening } = first.counter;
  second.counter.start(track, 21_000, listening);
  second.hear(21_000, 43_000, 60_000);
  expect(first.plays).toEqual([]);
  expect(second.plays).toEqual([{ id: listening?.id, track, playedAt: began, playedMs: 30_000 }]);
});

test('that of another track does not go on', () => {
  const { counter, hear, plays } = listener();
  counter.start({ id: 8 } as QueueTrack, 0);
  hear(0, 21_000, 60_000);
  const { listening } = counter;
  counter.start(track, 0, listening);
  hear(0, 21_000, 60_000);
  expect(plays).toEqual([]);
  expect(counter.listening).toMatchObject({ trackId: 7, heardMs: 21_000 });
});

test('seeking ahead does not count', () => {
  const { counter, hear, plays } = listener();
  counter.start(track, 0);
  hear(0, 10_000, 60_000);
  counter.jump(50_000);
  hear(50_000, 60_000, 60_000);
  counter.stop();
  expect(plays).toEqual([]);
});

test('nor does an unexpected jump', () => {
  const { counter, plays } = listener();
  counter.start(track, 0);
  counter.hear(59_000, 60_000);
  expect(plays).toEqual([]);
});

test('playing the same part again counts', () => {
  const { counter, hear, plays } = listener();
  counter.start(track, 0);
  hear(0, 20_000, 60_000);
  counter.jump(0);
  hear(0, 10_000, 60_000);
  expect(plays).toHaveLength(1);
});

test('a track that repeats is a play each time', () => {
  const { counter, hear, plays } = listener();
  for (let time = 0; time < 3; time += 1) {
    counter.start(track, 0);
    hear(0, 4_000, 8_000);
  }
  expect(plays).toHaveLength(3);
});

test('a window in the background reports rarely, and counts', () => {
  const { counter, plays } = listener();
  counter.start(track, 0);
  for (let positionMs = 2_000; positionMs <= 30_000; positionMs += 2_000) counter.hear(positionMs, 60_000);
  expect(plays).toHaveLength(1);
});
