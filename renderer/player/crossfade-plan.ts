// Plans the transition from one track to the next while crossfade is on: without the silence at their ends, on a beat,
// and at one tempo if their tempos are nearly the same. Pure.
import type { QueueTrack } from './player.ts';

/** Measured properties of a track's sound; all times in milliseconds. */
export interface SoundFacts {
  leadingSilenceMs: number;
  trailingSilenceMs: number;
  /** Empty if no beat was found with certainty. */
  beatsMs: readonly number[];
  /** The beats that begin a bar: every `beats`th beat from index `first` on; null if this is uncertain. */
  bar: { beats: number; first: number } | null;
}

export interface Side {
  durationMs: number;
  facts: SoundFacts | null;
}

export interface Transition {
  /** Position in the leaving track at which the next track begins. */
  fromMs: number;
  /** Position in the next track at which it begins. */
  startMs: number;
  /** Audible length of the fade. */
  fadeMs: number;
  /** Speed of the leaving track during the fade; at this speed its beats fall on those of the next track. */
  rate: number;
}

/** A larger change of speed is noticed by listeners. */
const MAX_STRETCH = 0.06;
/** If a beat is further than this from an even grid, the beats do not count as a grid. */
const MAX_UNEVENNESS_MS = 40;
const MIN_BEATS = 4;
/** Shorter fades are omitted. */
const MIN_FADE_MS = 200;

/**
 * Returns whether two tracks belong together: neighbours on a disc always do, other tracks of one album unless the
 * queue is shuffled.
 */
export function isOneRun(earlierTrack: QueueTrack, laterTrack: QueueTrack, shuffled: boolean): boolean {
  // tracks without an album never belong together
  if (earlierTrack.album_title === null || earlierTrack.album_id !== laterTrack.album_id) return false;
  if (!shuffled) return true;
  const isNextOnDisc =
    laterTrack.disc_number === earlierTrack.disc_number &&
    laterTrack.track_number === (earlierTrack.track_number ?? NaN) + 1;
  const isNextDisc = laterTrack.disc_number === (earlierTrack.disc_number ?? NaN) + 1 && laterTrack.track_number === 1;
  return isNextOnDisc || isNextDisc;
}

/**
 * Returns where two tracks are faded into each other; a fade takes at most half of the audible part of either track.
 */
export function transition(leaving: Side, coming: Side, wishedMs: number): Transition {
  const endMs = leaving.durationMs - (leaving.facts?.trailingSilenceMs ?? 0);
  const startMs = coming.facts?.leadingSilenceMs ?? 0;
  const comingMs = coming.durationMs - startMs - (coming.facts?.trailingSilenceMs ?? 0);
  const mostMs = Math.max(0, Math.min((endMs - (leaving.facts?.leadingSilenceMs ?? 0)) / 2, comingMs / 2));
  const fadeMs = Math.min(wishedMs, mostMs);
  const plainTransition = { fromMs: endMs - fadeMs, startMs, fadeMs, rate: 1 };
  if (fadeMs < MIN_FADE_MS || !leaving.facts || !coming.facts) return plainTransition;
  return onBeat(leaving.facts, coming.facts, { endMs, startMs, fadeMs, mostMs }) ?? plainTransition;
}

interface Room {
  endMs: number;
  startMs: number;
  fadeMs: number;
  mostMs: number;
}

function onBeat(leaving: SoundFacts, coming: SoundFacts, { endMs, startMs, fadeMs, mostMs }: Room): Transition | null {
  // the beats during the fade, and as many more as a change of speed may need
  const lastBeats = leaving.beatsMs.filter((beatMs) => beatMs >= endMs - 2 * fadeMs && beatMs <= endMs);
  const firstBeats = coming.beatsMs.filter((beatMs) => beatMs >= startMs && beatMs <= startMs + 2 * fadeMs);
  const upbeatMs = (firstBeats[0] ?? Infinity) - startMs;
  if (lastBeats.length === 0 || upbeatMs > fadeMs / 2) return null;
  const rate = rateBetween(periodOf(lastBeats), periodOf(firstBeats)) ?? 1;
  const bars = barsOf(leaving, coming);
  const findTransition = (isCandidate: (beat: number) => boolean): Transition | null => {
    const fadeStart = (beatMs: number) => beatMs - rate * upbeatMs;
    const beat = lastBeats.findLast((beatMs) => isCandidate(beatMs) && fadeStart(beatMs) + rate * fadeMs <= endMs);
    if (beat === undefined) return null;
    const fromMs = fadeStart(beat);
    const lengthMs = (endMs - fromMs) / rate;
    return lengthMs > Math.min(mostMs, 1.5 * fadeMs) ? null : { fromMs, startMs, fadeMs: lengthMs, rate };
  };
  return (bars && rate !== 1 ? findTransition(bars) : null) ?? findTransition(() => true);
}

/** Returns which beats of the leaving track begin a bar, if the next track begins with a whole bar too. */
function barsOf(leaving: SoundFacts, coming: SoundFacts): ((beat: number) => boolean) | null {
  const { bar } = leaving;
  if (!bar || !coming.bar || bar.beats !== coming.bar.beats) return null;
  const startsWithBar =
    coming.beatsMs.findIndex((beatMs) => beatMs >= coming.leadingSilenceMs) % bar.beats === coming.bar.first;
  if (!startsWithBar) return null;
  const bars = new Set(leaving.beatsMs.filter((_, i) => i >= bar.first && (i - bar.first) % bar.beats === 0));
  return (beat) => bars.has(beat);
}

/** Returns the milliseconds from beat to beat; null if the beats are too few or uneven. */
function periodOf(beats: readonly number[]): number | null {
  const steps = beats.length - 1;
  if (steps < MIN_BEATS) return null;
  const [firstBeat, lastBeat] = [beats[0]!, beats[steps]!];
  const period = (lastBeat - firstBeat) / steps;
  return beats.every((beatMs, i) => Math.abs(beatMs - firstBeat - i * period) <= MAX_UNEVENNESS_MS) ? period : null;
}

/**
 * Returns the speed that brings one period to the other, its half or its double; null if the change would be noticed.
 */
function rateBetween(leavingMs: number | null, comingMs: number | null): number | null {
  if (leavingMs === null || comingMs === null) return null;
  const ratio = leavingMs / comingMs;
  const octave = Math.round(Math.log2(ratio));
  const rate = ratio / 2 ** octave;
  return Math.abs(octave) <= 1 && Math.abs(rate - 1) <= MAX_STRETCH ? rate : null;
}
