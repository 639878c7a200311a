// Collects rating, number of plays and last play from the tags of one file, where players store them in many ways.
import type { LISTENING_NAMES } from '../db/tag-names.ts';
import {
  checkPlays,
  firstOfFmpsList,
  parsePlayedAt,
  parsePlays,
  parseRating,
  parseRatingByte,
  parseRatingPart,
  parseSharedRating,
  rankOfPopm,
  starsOfPopm,
} from './rating-values.ts';
import type { Listening } from './types.ts';

export type ListeningField = keyof typeof LISTENING_NAMES;

/**
 * How sure the scale of a rating is: FMPS says its scale, POPM says its player, and RATING says nothing. Smaller ranks
 * count first.
 */
const RANKS = { ratingPart: 0, popm: 1, rating: 10, ratingByte: 11, sharedRating: 11 } as const;
const PARSERS = {
  rating: parseRating,
  ratingPart: (text: string) => parseRatingPart(firstOfFmpsList(text)),
  ratingByte: parseRatingByte,
  sharedRating: parseSharedRating,
};

export class ListeningBuilder {
  #rating: number | undefined;
  #rank = Infinity;
  #plays = 0;
  #lastPlayedMs = 0;

  add(field: ListeningField, text: string): void {
    if (field === 'plays') this.#addPlays(parsePlays(firstOfFmpsList(text)));
    else if (field === 'lastPlayed')
      this.#lastPlayedMs = Math.max(this.#lastPlayedMs, parsePlayedAt(firstOfFmpsList(text)) ?? 0);
    else this.#addRating(PARSERS[field](text), RANKS[field]);
  }

  /** Adds a POPM frame, or the same data from another format. */
  addPopularity(owner: string, byte: number, plays: number): void {
    this.#addRating(starsOfPopm(owner, byte), RANKS.popm + rankOfPopm(owner));
    this.addPlayCount(plays);
  }

  addPlayCount(plays: number): void {
    this.#addPlays(checkPlays(plays));
  }

  /** Returns what the tags say; undefined if they say nothing. */
  result(): Listening | undefined {
    const listening: Listening = {
      ...(this.#rating !== undefined && { rating: this.#rating }),
      ...(this.#plays > 0 && { plays: this.#plays }),
      ...(this.#lastPlayedMs > 0 && { lastPlayedMs: this.#lastPlayedMs }),
    };
    return Object.keys(listening).length > 0 ? listening : undefined;
  }

  #addRating(rating: number | undefined, rank: number): void {
    if (rating === undefined || rank >= this.#rank) return;
    this.#rating = rating;
    this.#rank = rank;
  }

  /** Adds a count. Players count separately, but copy each other's counts, so the highest counts. */
  #addPlays(plays: number | undefined): void {
    this.#plays = Math.max(this.#plays, plays ?? 0);
  }
}
