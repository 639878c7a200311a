import { expect, test } from 'vitest';
import { PlayCounter, type Play } from '../../../renderer/player/play-counter.ts';
import type { QueueTrack } from '../../../renderer/player/player.ts';

const track = { id: 7 } as QueueTrack;
const startTime = new Date('2026-05-01T20:00:00Z');

function listener() {
  const plays: Play[] = [];
  const counter = new PlayCounter(
    (play) => plays.push(play),
    () => startTime,
  );
  /** Plays from one position to another position in steps of a quarter of a second. */
  const playRange = (fromMs: number, toMs: number, durationMs: number) => {
    for (let positionMs = fromMs + 250; positionMs <= toMs; positionMs += 250) counter.hear(positionMs, durationMs);
  };
  return { plays, counter, playRange, playedTimes: () => plays.map(({ playedMs }) => playedMs) };
}

test.each([
  { name: 'half of a short track', durationMs: 60_000, enough: 30_000 },
  { name: 'four minutes of a long one', durationMs: 3_600_000, enough: 240_000 },
])('$name is a play, and less is not', ({ durationMs, enough: requiredMs }) => {
  const { counter, playRange, plays } = listener();
  counter.start(track, 0);
  playRange(0, requiredMs - 250, durationMs);
  expect(plays).toEqual([]);
  playRange(requiredMs - 250, requiredMs, durationMs);
  expect(plays).toEqual([{ id: expect.stringMatching(/^[\d-]+$/), track, playedAt: startTime, playedMs: requiredMs }]);
});

test('it is reported again at the end, with the total duration', () => {
  const { counter, playRange, playedTimes } = listener();
  counter.start(track, 0);
  playRange(0, 60_000, 60_000);
  expect(playedTimes()).toEqual([30_000]);
  counter.stop();
  expect(playedTimes()).toEqual([30_000, 60_000]);
  counter.stop();
  expect(playedTimes()).toEqual([30_000, 60_000]);
});

test('all reports of one listening have one id, and another listening of the track has another', () => {
  const { counter, playRange, plays } = listener();
  for (let round = 0; round < 2; round++) {
    counter.start(track, 0);
    playRange(0, 60_000, 60_000);
    counter.stop();
  }
  const [firstId, repeatedId, secondId] = plays.map(({ id }) => id);
  expect([plays.length, repeatedId === firstId, secondId === firstId]).toEqual([4, true, false]);
});

test('a listening goes on in another window or on another device, and is one play', () => {
  const [firstListener, secondListener] = [listener(), listener()];
  firstListener.counter.start(track, 0);
  firstListener.playRange(0, 21_000, 60_000);
  const { listening } = firstListener.counter;
  secondListener.counter.start(track, 21_000, listening);
  secondListener.playRange(21_000, 43_000, 60_000);
  expect(firstListener.plays).toEqual([]);
  expect(secondListener.plays).toEqual([{ id: listening?.id, track, playedAt: startTime, playedMs: 30_000 }]);
});

test('a listening of another track does not continue', () => {
  const { counter, playRange, plays } = listener();
  counter.start({ id: 8 } as QueueTrack, 0);
  playRange(0, 21_000, 60_000);
  const { listening } = counter;
  counter.start(track, 0, listening);
  playRange(0, 21_000, 60_000);
  expect(plays).toEqual([]);
  expect(counter.listening).toMatchObject({ trackId: 7, heardMs: 21_000 });
});

test('seeking ahead does not count', () => {
  const { counter, playRange, plays } = listener();
  counter.start(track, 0);
  playRange(0, 10_000, 60_000);
  counter.jump(50_000);
  playRange(50_000, 60_000, 60_000);
  counter.stop();
  expect(plays).toEqual([]);
});

test('an unexpected jump does not count', () => {
  const { counter, plays } = listener();
  counter.start(track, 0);
  counter.hear(59_000, 60_000);
  expect(plays).toEqual([]);
});

test('playing the same part again counts', () => {
  const { counter, playRange, plays } = listener();
  counter.start(track, 0);
  playRange(0, 20_000, 60_000);
  counter.jump(0);
  playRange(0, 10_000, 60_000);
  expect(plays).toHaveLength(1);
});

test('a track that repeats is a play each time', () => {
  const { counter, playRange, plays } = listener();
  for (let time = 0; time < 3; time += 1) {
    counter.start(track, 0);
    playRange(0, 4_000, 8_000);
  }
  expect(plays).toHaveLength(3);
});

test('a window in the background reports rarely, and counts', () => {
  const { counter, plays } = listener();
  counter.start(track, 0);
  for (let positionMs = 2_000; positionMs <= 30_000; positionMs += 2_000) counter.hear(positionMs, 60_000);
  expect(plays).toHaveLength(1);
});
