import { expect, test } from 'vitest';
import { endFrame, heardFrame, nextPiece, soonestFrame, spliceFrame } from '../../../renderer/player/timeline.ts';

test('playback starts slightly ahead, on a whole frame', () => {
  const frame = soonestFrame(1.000_001, 44_100);
  expect(Number.isInteger(frame)).toBe(true);
  expect(frame).toBeGreaterThan(44_101);
});

test.each([
  { name: 'before its start the first frame is due', anchor: { start: 1000, offset: 0 }, at: 400, heard: 0 },
  { name: 'at its start', anchor: { start: 1000, offset: 0 }, at: 1000, heard: 0 },
  { name: 'later on', anchor: { start: 1000, offset: 0 }, at: 1500, heard: 500 },
  { name: 'after a seek', anchor: { start: 1000, offset: 44_100 }, at: 1500, heard: 44_600 },
])('the audible frame: $name', ({ anchor, at: clockTime, heard: expectedFrame }) => {
  expect(heardFrame(anchor, clockTime)).toBe(expectedFrame);
});

test('a sound ends on the frame after its last', () => {
  expect(endFrame({ start: 1000, offset: 0 }, 46_000)).toBe(47_000);
  expect(endFrame({ start: 1000, offset: 6_000 }, 46_000)).toBe(41_000);
});

test.each([
  { name: 'has time', before: { start: 1000, offset: 200 }, length: 100_000, clock: 10_000, at: 10_300 },
  {
    name: 'comes at the end of the shorter one',
    before: { start: 1000, offset: 0 },
    length: 9_150,
    clock: 10_000,
    at: 10_150,
  },
  {
    name: 'never comes too late to be scheduled',
    before: { start: 1000, offset: 0 },
    length: 9_010,
    clock: 10_000,
    at: 10_020,
  },
  { name: 'waits for the start', before: { start: 15_000, offset: 0 }, length: 90_000, clock: 10_000, at: 15_000 },
])('a switch to a longer piece $name', ({ before: previousAnchor, length, clock, at: expectedFrame }) => {
  expect(spliceFrame(previousAnchor, { length, clockSeconds: clock / 1_000, rate: 1_000 })).toBe(expectedFrame);
});

test.each([
  { kbps: 128, seconds: 9.2 },
  { kbps: 320, seconds: 6.7 },
  { kbps: 1411, seconds: 5.4 },
  { kbps: null, seconds: 6.7 },
])('the first piece at $kbps kbps is some seconds long', ({ kbps, seconds }) => {
  expect(nextPiece(0, kbps) / 125 / (kbps ?? 320)).toBeCloseTo(seconds, 0);
});

test.each([200_000, 500_000, 3_000_000, 7_000_000, 42_000_000, 60_000_000])(
  'little of %i bytes is decoded twice',
  (totalBytes) => {
    let decoded = 0;
    let decodedTotal = 0;
    while (nextPiece(decoded, 320) < totalBytes) {
      decoded = nextPiece(decoded, 320);
      decodedTotal += decoded;
    }
    expect(decodedTotal / totalBytes).toBeLessThan(4 / 3);
  },
);
