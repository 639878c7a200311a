// Which of the candidates a radio plays next. Pure. No artist twice in five tracks, at most two tracks of an album in
// twenty; where the library has nothing that fits, what comes nearest to it.
import type { Facts } from './facts.ts';
import { isForgotten } from './reasons.ts';

const ARTIST_APART = 5;
const ALBUM_WINDOW = 20;
const MAX_OF_ALBUM = 2;
/** Every fifth track is one that the listener loves, and every seventh one that was forgotten, where there are some. */
const LOVED_EVERY = 5;
const FORGOTTEN_EVERY = 7;
/** They need not be as alike as the others. */
const FAMILIAR_BONUS = 0.4;
const MAX_CHANCE = 0.08;

interface Candidate {
  facts: Facts;
  /** Higher is better, about 0 to 1. */
  score: number;
}

interface PickOptions {
  count: number;
  /** Played before, first to last. */
  before: readonly Facts[];
  /** Tracks that the radio gave so far. */
  given: number;
  nowMs: number;
  random: () => number;
}

export function pickNext<C extends Candidate>(candidates: readonly C[], options: PickOptions): C[] {
  const { count, before, given, nowMs, random } = options;
  const recent = before.slice(-ALBUM_WINDOW);
  const remaining = new Set(
    candidates.map((candidate) => ({ candidate, score: candidate.score + MAX_CHANCE * random() })),
  );
  const picked: C[] = [];
  // one that does not fit yet comes as soon as it does
  let [sinceLoved, sinceForgotten] = [given % LOVED_EVERY, given % FORGOTTEN_EVERY];
  while (picked.length < count && remaining.size > 0) {
    const wantsLoved = ++sinceLoved >= LOVED_EVERY;
    const wantsForgotten = ++sinceForgotten >= FORGOTTEN_EVERY;
    let best: { entry: { candidate: C; score: number }; breaks: number; score: number } | undefined;
    for (const entry of remaining) {
      const { facts } = entry.candidate;
      const breaks = rulesBroken(facts, recent);
      const isWanted = (wantsLoved && facts.isLoved) || (wantsForgotten && isForgotten(facts, nowMs));
      const score = entry.score + (isWanted ? FAMILIAR_BONUS : 0);
      if (!best || breaks < best.breaks || (breaks === best.breaks && score > best.score))
        best = { entry, breaks, score };
    }
    if (!best) break;
    remaining.delete(best.entry);
    picked.push(best.entry.candidate);
    recent.push(best.entry.candidate.facts);
    if (best.entry.candidate.facts.isLoved) sinceLoved = 0;
    if (isForgotten(best.entry.candidate.facts, nowMs)) sinceForgotten = 0;
  }
  return picked;
}

/** 0: fits. Otherwise how badly it does not: an artist that just played is worse than an album's third track. */
export function rulesBroken(track: Facts, recent: readonly Facts[]): number {
  let broken = 0;
  recent.slice(1 - ARTIST_APART).forEach((other, i, last) => {
    if (sharesArtist(track, other)) broken += 10 * (1 + i + ARTIST_APART - 1 - last.length);
  });
  const ofAlbum = track.albumId === null ? 0 : countOf(recent.slice(1 - ALBUM_WINDOW), track.albumId);
  return broken + Math.max(0, ofAlbum + 1 - MAX_OF_ALBUM);
}

const sharesArtist = (a: Facts, b: Facts): boolean =>
  a.artists.some(({ id }) => b.artists.some((artist) => artist.id === id));
const countOf = (tracks: readonly Facts[], albumId: number): number =>
  tracks.filter((track) => track.albumId === albumId).length;
