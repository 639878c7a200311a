import { describe, expect, it } from 'vitest';
import type { Match } from '../../../server/enrichment/match.ts';
import { whyNotIdentified } from '../../../server/enrichment/reasons.ts';
import { reviewOf } from '../../../server/enrichment/review.ts';
import type { StepOutcome } from '../../../server/enrichment/steps.ts';
import type { TrackIdentity } from '../../../server/library/tracks/track-values.ts';

const tags: TrackIdentity = {
  title: 'Harbour Lights',
  artists: ['The Quays'],
  album: 'Low Water',
  genres: [],
  year: 2009,
  trackNumber: 3,
};
const match: Match = {
  score: 0.95,
  title: 'Harbour Lights',
  artists: ['The Quays'],
  album: 'Low Water',
  year: 2009,
  trackNumber: 3,
  genres: [],
};
const reviewMatch = (m: Match | undefined, t: TrackIdentity | undefined = tags) =>
  reviewOf({ tags: t, match: m, threshold: 0.85 });

describe('a review', () => {
  it.each<[string, Match | undefined]>([
    ['there was no match', undefined],
    ['the tags’ own identifiers were followed', { ...match, score: null, title: 'Another' }],
    ['a sure match agrees', match],
    ['a sure match differs in the year alone', { ...match, year: 2015, trackNumber: 9 }],
    [
      'names are only written differently',
      { ...match, title: 'HARBOUR LIGHTS (feat. Ida Lund)', artists: ['The  Quays!'], album: 'Low—Water' },
    ],
    ['an unsure match says just what the tags say', { ...match, score: 0.5 }],
  ])('is not needed when %s', (_title, m) => {
    expect(reviewMatch(m)).toBeUndefined();
  });

  it('is needed when tags contradict a certain match, and contains both values', () => {
    expect(reviewMatch({ ...match, title: 'Ebb', year: 2008 })).toEqual({
      reason: 'tags_disagree',
      match: { ...match, title: 'Ebb', year: 2008 },
      differences: [
        { field: 'title', tag: 'Harbour Lights', match: 'Ebb' },
        { field: 'year', tag: '2009', match: '2008' },
      ],
    });
  });

  it('is needed when the best match is at or below the threshold', () => {
    for (const score of [0.85, 0.5])
      expect(reviewMatch({ ...match, score, album: 'High Water' })).toMatchObject({
        reason: 'low_score',
        differences: [{ field: 'album', tag: 'Low Water', match: 'High Water' }],
      });
  });

  it('is needed when an uncertain match fills missing tags, but not when a certain one does', () => {
    const pathIdentity: TrackIdentity = { title: '01', artists: [], genres: [], provenance: { title: 'path' } };
    expect(reviewMatch({ ...match, score: 0.5 }, pathIdentity)).toMatchObject({
      reason: 'low_score',
      differences: expect.arrayContaining([{ field: 'title', tag: null, match: 'Harbour Lights' }]),
    });
    expect(reviewMatch(match, pathIdentity)).toBeUndefined();
  });
});

describe('why a track is not identified', () => {
  const toDone = <T>(value: T): StepOutcome<T> => ({ outcome: 'done', value });
  const toSkipped = (reason: string) => ({ outcome: 'skipped', reason }) as const;
  const toFailed = (reason: string, isPassing = false) => ({ outcome: 'failed', reason, isPassing }) as const;

  it.each([
    [
      'no match',
      { tags: toDone(1), fingerprint: toDone(1), lookup: toDone([]) },
      { title: false, artist: false },
      'Its tags name neither title nor artist. Its fingerprint has no match.',
    ],
    [
      'no key',
      {
        tags: toDone(1),
        fingerprint: toDone(1),
        lookup: toSkipped('identification by fingerprint needs an API key'),
      },
      { title: true, artist: false },
      'Its tags name no artist. It was not looked up: identification by fingerprint needs an API key.',
    ],
    [
      'too short',
      { tags: toDone(1), fingerprint: toFailed('It is shorter than 3 s.'), lookup: toSkipped('it has no fingerprint') },
      { title: false, artist: true },
      'Its tags name no title. Its fingerprint could not be computed: it is shorter than 3 s.',
    ],
    [
      'the service is down',
      {
        tags: toDone(1),
        fingerprint: toDone(1),
        lookup: toFailed('The identification service cannot be reached.', true),
      },
      { title: false, artist: false },
      'Its tags name neither title nor artist. It could not be looked up: the identification service cannot be reached. It will be retried later.',
    ],
    [
      'the file is damaged',
      { tags: toFailed('no audio frame'), fingerprint: toDone(1), lookup: toDone([{}]) },
      { title: false, artist: false },
      'Its tags could not be read (no audio frame). The match of its fingerprint has no title.',
    ],
  ])('%s', (_title, outcomes, knownIds, words) => {
    expect(whyNotIdentified(outcomes, knownIds)).toBe(words);
  });
});
