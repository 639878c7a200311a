// Explains why a track was chosen, by facts that are true of the track.
import { camelotOf } from '../dsp/key.ts';
import type { Facts } from './track-facts.ts';
import type { ReasonOut } from './wire.ts';

const MAX_TEMPO_DIFFERENCE = 0.03;
const MAX_YEARS_APART = 2;
/** A track counts as forgotten if it was played at least this often, but not within `LONG_AGO_MS`. */
export const MIN_FORGOTTEN_PLAYS = 3;
export const LONG_AGO_MS = 180 * 86_400_000;

export interface Anchor {
  facts: Facts;
  /** Undefined if sounds were not compared. */
  likeness?: number | undefined;
  rank?: number | undefined;
}

const roundLikeness = (value: number): number => Math.round(value * 1_000) / 1_000;

const shareOf = (rank: number): number => Math.max(0.0001, Math.round(rank * 10_000) / 10_000);

/** Returns what a track has in common with the track for which it was chosen. */
export function reasonsLike(track: Facts, { facts: anchorFacts, likeness, rank }: Anchor): ReasonOut[] {
  const [track_id, title] = [anchorFacts.id, anchorFacts.title];
  const anchorTrack = { track_id, title };
  const reasons: ReasonOut[] = [];
  if (likeness !== undefined)
    reasons.push({ kind: 'sounds_like', ...anchorTrack, likeness: roundLikeness(likeness), rank: shareOf(rank ?? 1) });
  if (
    track.bpm !== null &&
    anchorFacts.bpm !== null &&
    Math.abs(track.bpm / anchorFacts.bpm - 1) <= MAX_TEMPO_DIFFERENCE
  )
    reasons.push({ kind: 'same_tempo', bpm: track.bpm, ...anchorTrack });
  if (
    track.initialKey !== null &&
    anchorFacts.initialKey !== null &&
    areMatching(track.initialKey, anchorFacts.initialKey)
  )
    reasons.push({ kind: 'matching_key', key: track.initialKey, ...anchorTrack });
  const artist = track.artists.find(({ id }) => anchorFacts.artists.some((otherArtist) => otherArtist.id === id));
  if (artist) reasons.push({ kind: 'same_artist', artist_id: artist.id, name: artist.name });
  const genre = track.genres.find((name) => anchorFacts.genres.includes(name));
  if (genre !== undefined) reasons.push({ kind: 'same_genre', genre });
  if (
    likeness === undefined &&
    track.year !== null &&
    anchorFacts.year !== null &&
    Math.abs(track.year - anchorFacts.year) <= MAX_YEARS_APART
  )
    reasons.push({ kind: 'same_years', year: track.year });
  return reasons;
}

export const isForgotten = ({ plays, lastPlayedAt }: Facts, nowMs: number): boolean =>
  plays >= MIN_FORGOTTEN_PLAYS && lastPlayedAt !== null && lastPlayedAt <= nowMs - LONG_AGO_MS;

/** Returns reasons from what the listener likes and plays. */
export function reasonsOfListener(track: Facts, nowMs: number): ReasonOut[] {
  const reasons: ReasonOut[] = [];
  if (track.isLoved) reasons.push({ kind: 'loved' });
  if (isForgotten(track, nowMs))
    reasons.push({
      kind: 'forgotten',
      plays: track.plays,
      last_played_at: new Date(track.lastPlayedAt as number).toISOString(),
    });
  return reasons;
}

/** Returns whether two keys are the same, relative, or a fifth apart: neighbours on the Camelot wheel. */
function areMatching(key: string, otherKey: string): boolean {
  const [a, b] = [wheelOf(key), wheelOf(otherKey)];
  if (!a || !b) return false;
  const hoursApart = Math.abs(a.hour - b.hour);
  return a.letter === b.letter ? [0, 1, 11].includes(hoursApart) : hoursApart === 0;
}

function wheelOf(key: string): { hour: number; letter: string } | undefined {
  const code = /^\d{1,2}[AB]$/.test(key) ? key : camelotOf(key);
  return code === undefined ? undefined : { hour: Number(code.slice(0, -1)), letter: code.slice(-1) };
}
