// Decides whether a person should review a match: its score is low, or it contradicts the tags.
import type { ReviewReason } from '../db/schema.ts';
import { searchFold } from '../library/tracks/sort-and-identity-keys.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { Match } from './match.ts';
import { isTrusted } from './merge.ts';

type ReviewField = 'title' | 'artist' | 'album' | 'year' | 'track_number';
interface Difference {
  field: ReviewField;
  tag: string | null;
  match: string;
}
export interface Review {
  reason: ReviewReason;
  match: Match;
  differences: Difference[];
}

/** The fields in which a difference needs a review; years and numbers differ between releases. */
const DECISIVE_FIELDS: readonly ReviewField[] = ['title', 'artist', 'album'];

/** Returns the review that a match needs; undefined for a match that agrees with the tags, trusted or not. */
export function reviewOf({
  tags,
  match,
  threshold,
}: {
  tags: TrackIdentity | undefined;
  match: Match | undefined;
  threshold: number;
}): Review | undefined {
  if (match?.score == null) return undefined;
  const differences = differencesOf(tags, match);
  const decisive = differences.filter(({ field }) => DECISIVE_FIELDS.includes(field));
  if (!isTrusted(match, threshold))
    return decisive.length > 0 ? { reason: 'low_score', match, differences } : undefined;
  return decisive.some(({ tag }) => tag !== null) ? { reason: 'tags_disagree', match, differences } : undefined;
}

function differencesOf(tags: TrackIdentity | undefined, match: Match): Difference[] {
  const unlessFromPath = (
    field: 'title' | 'trackNumber',
    value: string | number | undefined,
  ): string | number | undefined => (tags?.provenance?.[field] === 'path' ? undefined : value);
  const pairs: [ReviewField, string | number | undefined, string | number | undefined][] = [
    ['title', unlessFromPath('title', tags?.title), match.title],
    [
      'artist',
      tags?.artist ?? (tags?.artists.join(', ') || undefined),
      match.artist ?? (match.artists.join(', ') || undefined),
    ],
    ['album', tags?.album, match.album],
    ['year', tags?.year, match.year],
    ['track_number', unlessFromPath('trackNumber', tags?.trackNumber), match.trackNumber],
  ];
  return pairs.flatMap(([field, tag, matchValue]): Difference[] =>
    matchValue === undefined || (tag !== undefined && looseKey(String(tag)) === looseKey(String(matchValue)))
      ? []
      : [{ field, tag: tag === undefined ? null : String(tag), match: String(matchValue) }],
  );
}

/** Returns a key without guest artists, punctuation and spaces, which are written in many ways. */
const looseKey = (text: string): string => {
  const folded = searchFold(text);
  const bareText = folded.replace(GUESTS, '').replace(/[^\p{L}\p{N}]+/gu, '');
  return bareText === '' ? folded : bareText;
};
const GUESTS = /[([]?\b(?:feat|ft|featuring)\b\.?\s.*/su;
