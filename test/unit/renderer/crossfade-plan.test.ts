import { expect, test } from 'vitest';
import type { QueueTrack } from '../../../renderer/player/player.ts';
import { isOneRun, transition, type Side, type SoundFacts } from '../../../renderer/player/crossfade-plan.ts';

const MINUTE_MS = 60_000;
/** Returns a beat every 60,000 / bpm ms, from the first beat on. */
const listBeats = (bpm: number, firstMs = 0, endMs = 4 * MINUTE_MS): number[] =>
  Array.from(
    { length: Math.floor((endMs - firstMs) / (MINUTE_MS / bpm)) + 1 },
    (_, i) => firstMs + (i * MINUTE_MS) / bpm,
  );
const toFacts = (knownFacts: Partial<SoundFacts>): SoundFacts => ({
  leadingSilenceMs: 0,
  trailingSilenceMs: 0,
  beatsMs: [],
  bar: null,
  ...knownFacts,
});
const toSide = (knownFacts: Partial<SoundFacts> | null, durationMs = 4 * MINUTE_MS): Side => ({
  durationMs,
  facts: knownFacts && toFacts(knownFacts),
});

test.each([
  {
    name: 'nothing is known: at the end',
    leaving: toSide(null),
    coming: toSide(null),
    from: 232_000,
    start: 0,
    fade: 8_000,
  },
  {
    name: 'silence at both ends is left out',
    leaving: toSide({ trailingSilenceMs: 3_000 }),
    coming: toSide({ leadingSilenceMs: 1_500 }),
    from: 229_000,
    start: 1_500,
    fade: 8_000,
  },
  {
    name: 'half of a short one that comes',
    leaving: toSide(null),
    coming: toSide({ leadingSilenceMs: 1_000, trailingSilenceMs: 1_000 }, 12_000),
    from: 235_000,
    start: 1_000,
    fade: 5_000,
  },
  {
    name: 'half of a short one that ends',
    leaving: toSide({ trailingSilenceMs: 2_000 }, 10_000),
    coming: toSide(null),
    from: 4_000,
    start: 0,
    fade: 4_000,
  },
  { name: 'nothing but silence', leaving: toSide(null), coming: toSide(null, 0), from: 240_000, start: 0, fade: 0 },
])('a fade without beats: $name', ({ leaving, coming, from, start, fade }) => {
  expect(transition(leaving, coming, 8_000)).toEqual({ fromMs: from, startMs: start, fadeMs: fade, rate: 1 });
});

test.each([
  { name: 'nearly the same tempo', bpm: 124, next: 120, rate: 120 / 124 },
  { name: 'twice the tempo', bpm: 61, next: 120, rate: 120 / 122 },
  { name: 'half the tempo', bpm: 122, next: 60, rate: 120 / 122 },
])('beats fall on beats: $name', ({ bpm, next, rate: expectedRate }) => {
  const [firstBeatMs, upbeatMs] = [700, 200];
  const leaving = toFacts({ beatsMs: listBeats(bpm, 130) });
  const coming = toFacts({ leadingSilenceMs: firstBeatMs - upbeatMs, beatsMs: listBeats(next, firstBeatMs) });
  const plan = transition(
    { durationMs: 4 * MINUTE_MS, facts: leaving },
    { durationMs: 4 * MINUTE_MS, facts: coming },
    8_000,
  );
  expect(plan.rate).toBeCloseTo(1 / expectedRate ** -1, 6);
  expect(plan.startMs).toBe(firstBeatMs - upbeatMs);
  expect(plan.fadeMs).toBeGreaterThanOrEqual(8_000);
  expect(plan.fadeMs).toBeLessThan(12_000);
  expect(plan.fromMs + plan.fadeMs * plan.rate).toBeCloseTo(4 * MINUTE_MS, 3);
  // times at which the beats of both tracks are heard, from the start of the fade
  const leavingBeats = leaving.beatsMs.map((beatMs) => (beatMs - plan.fromMs) / plan.rate).filter((at) => at >= 0);
  const comingBeats = coming.beatsMs.map((beatMs) => beatMs - plan.startMs).filter((at) => at <= plan.fadeMs);
  const [slowerBeats, fasterBeats] = next > bpm ? [leavingBeats, comingBeats] : [comingBeats, leavingBeats];
  const sharedBeats = slowerBeats.filter((beatMs) => beatMs <= Math.min(leavingBeats.at(-1)!, comingBeats.at(-1)!) + 1);
  expect(sharedBeats.length).toBeGreaterThan(6);
  for (const beatMs of sharedBeats)
    expect(Math.min(...fasterBeats.map((otherBeat) => Math.abs(otherBeat - beatMs)))).toBeLessThan(1);
});

test.each([
  { name: 'tempos too far apart', leaving: { beatsMs: listBeats(120) }, coming: { beatsMs: listBeats(135) } },
  {
    name: 'an uneven beat',
    leaving: { beatsMs: listBeats(120).map((beatMs, i) => beatMs + (i % 3) * 60) },
    coming: { beatsMs: listBeats(122) },
  },
])('the speed stays, and the next track still begins on a beat: $name', ({ leaving, coming }) => {
  const plan = transition(toSide(leaving), toSide(coming), 8_000);
  expect(plan.rate).toBe(1);
  expect(leaving.beatsMs).toContain(plan.fromMs);
});

test('the first bar of one falls on a bar of the other', () => {
  const leaving = { beatsMs: listBeats(124, 300), bar: { beats: 4, first: 2 } };
  const coming = { beatsMs: listBeats(121), bar: { beats: 4, first: 0 } };
  const { fromMs, rate } = transition(toSide(leaving), toSide(coming), 8_000);
  expect(rate).not.toBe(1);
  expect((leaving.beatsMs.indexOf(fromMs) - 2) % 4).toBe(0);
});

test('a long beginning without a beat is not waited for', () => {
  const plan = transition(toSide({ beatsMs: listBeats(120, 40) }), toSide({ beatsMs: listBeats(120, 20_000) }), 8_000);
  expect(plan).toEqual({ fromMs: 232_000, startMs: 0, fadeMs: 8_000, rate: 1 });
});

const track = (album_id: number | null, disc_number: number | null = 1, track_number: number | null = 1) =>
  ({ album_id, album_title: album_id === null ? null : 'Low Water', disc_number, track_number }) as QueueTrack;
const untitledTrack = { ...track(9), album_title: null };
test.each([
  { name: 'neighbours of one album', before: track(1), after: track(1, 1, 2), shuffled: false, is: true },
  { name: 'others of one album', before: track(1), after: track(1, 1, 7), shuffled: false, is: true },
  { name: 'the same by chance', before: track(1), after: track(1, 1, 7), shuffled: true, is: false },
  { name: 'neighbours by chance', before: track(1), after: track(1, 1, 2), shuffled: true, is: true },
  { name: 'from disc to disc', before: track(1, 1, 12), after: track(1, 2, 1), shuffled: true, is: true },
  { name: 'no numbers', before: track(1, null, null), after: track(1, null, null), shuffled: true, is: false },
  { name: 'different albums', before: track(1), after: track(2, 1, 2), shuffled: false, is: false },
  { name: 'no albums', before: track(null), after: track(null), shuffled: false, is: false },
  { name: 'an album without a name', before: untitledTrack, after: untitledTrack, shuffled: false, is: false },
])('tracks that are never faded: $name', ({ before, after, shuffled, is: isExpected }) => {
  expect(isOneRun(before, after, shuffled)).toBe(isExpected);
});
