import { expect, test } from 'vitest';
import type { QueueTrack } from '../../../renderer/player/player.ts';
import { isOneRun, transition, type Side, type SoundFacts } from '../../../renderer/player/crossfade-plan.ts';

const MINUTE = 60_000;
/** A beat every 60,000 / bpm ms, from `first` on. */
const beats = (bpm: number, first = 0, to = 4 * MINUTE): number[] =>
  Array.from({ length: Math.floor((to - first) / (MINUTE / bpm)) + 1 }, (_, i) => first + (i * MINUTE) / bpm);
const facts = (known: Partial<SoundFacts>): SoundFacts => ({
  leadingSilenceMs: 0,
  trailingSilenceMs: 0,
  beatsMs: [],
  bar: null,
  ...known,
});
const side = (known: Partial<SoundFacts> | null, durationMs = 4 * MINUTE): Side => ({
  durationMs,
  facts: known && facts(known),
});

test.each([
  {
    name: 'nothing is known: at the end',
    leaving: side(null),
    coming: side(null),
    from: 232_000,
    start: 0,
    fade: 8_000,
  },
  {
    name: 'silence at both ends is left out',
    leaving: side({ trailingSilenceMs: 3_000 }),
    coming: side({ leadingSilenceMs: 1_500 }),
    from: 229_000,
    start: 1_500,
    fade: 8_000,
  },
  {
    name: 'half of a short one that comes',
    leaving: side(null),
    coming: side({ leadingSilenceMs: 1_000, trailingSilenceMs: 1_000 }, 12_000),
    from: 235_000,
    start: 1_000,
    fade: 5_000,
  },
  {
    name: 'half of a short one that ends',
    leaving: side({ trailingSilenceMs: 2_000 }, 10_000),
    coming: side(null),
    from: 4_000,
    start: 0,
    fade: 4_000,
  },
  { name: 'nothing but silence', leaving: side(null), coming: side(null, 0), from: 240_000, start: 0, fade: 0 },
])('a fade without beats: $name', ({ leaving, coming, from, start, fade }) => {
  expect(transition(leaving, coming, 8_000)).toEqual({ fromMs: from, startMs: start, fadeMs: fade, rate: 1 });
});

test.each([
  { name: 'nearly the same tempo', bpm: 124, next: 120, rate: 120 / 124 },
  { name: 'twice the tempo', bpm: 61, next: 120, rate: 120 / 122 },
  { name: 'half the tempo', bpm: 122, next: 60, rate: 120 / 122 },
])('beats fall on beats: $name', ({ bpm, next, rate: slower }) => {
  const [first, upbeat] = [700, 200];
  const leaving = facts({ beatsMs: beats(bpm, 130) });
  const coming = facts({ leadingSilenceMs: first - upbeat, beatsMs: beats(next, first) });
  const found = transition(
    { durationMs: 4 * MINUTE, facts: leaving },
    { durationMs: 4 * MINUTE, facts: coming },
    8_000,
  );
  expect(found.rate).toBeCloseTo(1 / slower ** -1, 6);
  expect(found.startMs).toBe(first - upbeat);
  expect(found.fadeMs).toBeGreaterThanOrEqual(8_000);
  expect(found.fadeMs).toBeLessThan(12_000);
  expect(found.fromMs + found.fadeMs * found.rate).toBeCloseTo(4 * MINUTE, 3);
  // when each beat of either is heard, from the start of the fade
  const heardLeaving = leaving.beatsMs.map((at) => (at - found.fromMs) / found.rate).filter((at) => at >= 0);
  const heardComing = coming.beatsMs.map((at) => at - found.startMs).filter((at) => at <= found.fadeMs);
  const [fewer, more] = next > bpm ? [heardLeaving, heardComing] : [heardComing, heardLeaving];
  const within = fewer.filter((at) => at <= Math.min(heardLeaving.at(-1)!, heardComing.at(-1)!) + 1);
  expect(within.length).toBeGreaterThan(6);
  for (const at of within) expect(Math.min(...more.map((other) => Math.abs(other - at)))).toBeLessThan(1);
});

test.each([
  { name: 'tempos too far apart', leaving: { beatsMs: beats(120) }, coming: { beatsMs: beats(135) } },
  {
    name: 'an uneven beat',
    leaving: { beatsMs: beats(120).map((at, i) => at + (i % 3) * 60) },
    coming: { beatsMs: beats(122) },
  },
])('the speed stays, and the next track still begins on a beat: $name', ({ leaving, coming }) => {
  const found = transition(side(leaving), side(coming), 8_000);
  expect(found.rate).toBe(1);
  expect(leaving.beatsMs).toContain(found.fromMs);
});

test('the first bar of one falls on a bar of the other', () => {
  const leaving = { beatsMs: beats(124, 300), bar: { beats: 4, first: 2 } };
  const coming = { beatsMs: beats(121), bar: { beats: 4, first: 0 } };
  const { fromMs, rate } = transition(side(leaving), side(coming), 8_000);
  expect(rate).not.toBe(1);
  expect((leaving.beatsMs.indexOf(fromMs) - 2) % 4).toBe(0);
});

test('a long beginning without a beat is not waited for', () => {
  const found = transition(side({ beatsMs: beats(120, 40) }), side({ beatsMs: beats(120, 20_000) }), 8_000);
  expect(found).toEqual({ fromMs: 232_000, startMs: 0, fadeMs: 8_000, rate: 1 });
});

const track = (album_id: number | null, disc_number: number | null = 1, track_number: number | null = 1) =>
  ({ album_id, album_title: album_id === null ? null : 'Low Water', disc_number, track_number }) as QueueTrack;
const loose = { ...track(9), album_title: null };
test.each([
  { name: 'neighbours of one album', before: track(1), after: track(1, 1, 2), shuffled: false, is: true },
  { name: 'others of one album', before: track(1), after: track(1, 1, 7), shuffled: false, is: true },
  { name: 'the same by chance', before: track(1), after: track(1, 1, 7), shuffled: true, is: false },
  { name: 'neighbours by chance', before: track(1), after: track(1, 1, 2), shuffled: true, is: true },
  { name: 'from disc to disc', before: track(1, 1, 12), after: track(1, 2, 1), shuffled: true, is: true },
  { name: 'no numbers', before: track(1, null, null), after: track(1, null, null), shuffled: true, is: false },
  { name: 'different albums', before: track(1), after: track(2, 1, 2), shuffled: false, is: false },
  { name: 'no albums', before: track(null), after: track(null), shuffled: false, is: false },
  { name: 'an album without a name', before: loose, after: loose, shuffled: false, is: false },
])('tracks that are never faded: $name', ({ before, after, shuffled, is }) => {
  expect(isOneRun(before, after, shuffled)).toBe(is);
});
