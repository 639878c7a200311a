// Picks which of the candidates a radio plays next. Pure functions. No artist twice in five tracks, at most two tracks
// of an album in twenty; if no candidate fits these rules, the one that comes nearest.
import type { Facts } from './track-facts.ts';
import { isForgotten } from './reasons.ts';

const MIN_ARTIST_DISTANCE = 5;
const ALBUM_WINDOW = 20;
const MAX_OF_ALBUM = 2;
/**
 * Every fifth track is one that the listener loves, and every seventh one that the listener has not played for long, if
 * there are any.
 */
const LOVED_EVERY = 5;
const FORGOTTEN_EVERY = 7;
/** Added to the score of loved and forgotten tracks, which need not be as similar as the others. */
const FAMILIAR_BONUS = 0.4;
const MAX_CHANCE = 0.08;

interface Candidate {
  facts: Facts;
  /** How well the track fits, about 0 to 1; higher is better. */
  score: number;
}

interface PickOptions {
  count: number;
  /** Tracks played before, oldest first. */
  previousTracks: readonly Facts[];
  /** The number of tracks that the radio has played so far. */
  givenCount: number;
  nowMs: number;
  random: () => number;
}

export function pickNext<C extends Candidate>(candidates: readonly C[], options: PickOptions): C[] {
  const { count, previousTracks, givenCount, nowMs, random } = options;
  const recent = previousTracks.slice(-ALBUM_WINDOW);
  const remaining = new Set(
    candidates.map((candidate) => ({ candidate, score: candidate.score + MAX_CHANCE * random() })),
  );
  const pickedTracks: C[] = [];
  // counts on from the tracks given so far; a loved or forgotten track that breaks a rule when it is due comes as soon
  // as it fits
  let [sinceLoved, sinceForgotten] = [givenCount % LOVED_EVERY, givenCount % FORGOTTEN_EVERY];
  while (pickedTracks.length < count && remaining.size > 0) {
    const wantsLoved = ++sinceLoved >= LOVED_EVERY;
    const wantsForgotten = ++sinceForgotten >= FORGOTTEN_EVERY;
    let bestChoice: { entry: { candidate: C; score: number }; ruleBreaks: number; score: number } | undefined;
    for (const entry of remaining) {
      const { facts } = entry.candidate;
      const ruleBreaks = rulesBroken(facts, recent);
      const isDue = (wantsLoved && facts.isLoved) || (wantsForgotten && isForgotten(facts, nowMs));
      const score = entry.score + (isDue ? FAMILIAR_BONUS : 0);
      if (
        !bestChoice ||
        ruleBreaks < bestChoice.ruleBreaks ||
        (ruleBreaks === bestChoice.ruleBreaks && score > bestChoice.score)
      )
        bestChoice = { entry, ruleBreaks, score };
    }
    if (!bestChoice) break;
    remaining.delete(bestChoice.entry);
    pickedTracks.push(bestChoice.entry.candidate);
    recent.push(bestChoice.entry.candidate.facts);
    if (bestChoice.entry.candidate.facts.isLoved) sinceLoved = 0;
    if (isForgotten(bestChoice.entry.candidate.facts, nowMs)) sinceForgotten = 0;
  }
  return pickedTracks;
}

/**
 * Returns how badly a track breaks the rules; 0 if it fits. An artist that just played is worse than an album's third
 * track.
 */
export function rulesBroken(track: Facts, recent: readonly Facts[]): number {
  let penalty = 0;
  recent.slice(1 - MIN_ARTIST_DISTANCE).forEach((recentTrack, i, lastTracks) => {
    if (sharesArtist(track, recentTrack)) penalty += 10 * (1 + i + MIN_ARTIST_DISTANCE - 1 - lastTracks.length);
  });
  const albumCount = track.albumId === null ? 0 : countOf(recent.slice(1 - ALBUM_WINDOW), track.albumId);
  return penalty + Math.max(0, albumCount + 1 - MAX_OF_ALBUM);
}

const sharesArtist = (a: Facts, b: Facts): boolean =>
  a.artists.some(({ id }) => b.artists.some((artist) => artist.id === id));
const countOf = (tracks: readonly Facts[], albumId: number): number =>
  tracks.filter((track) => track.albumId === albumId).length;
