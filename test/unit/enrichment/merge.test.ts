// A table with a row for each rule of enrichment.
import { describe, expect, it } from 'vitest';
import type { Match } from '../../../server/enrichment/match.ts';
import { mergeMetadata } from '../../../server/enrichment/merge.ts';
import type { TrackIdentity } from '../../../server/library/tracks/track-values.ts';

const TRUST_SCORE = 0.85;
const TRUSTED_SCORE = 0.86;
const UNTRUSTED_SCORE = 0.6;

const tags: TrackIdentity = {
  title: 'Tag title',
  artists: ['Tag Artist'],
  album: 'Tag Album',
  albumArtist: 'Tag Artist',
  genres: ['Tag genre'],
  year: 2001,
  trackNumber: 1,
  discNumber: 1,
};
const acousticMatch: Match = {
  score: TRUSTED_SCORE,
  acoustidId: 'a-1',
  recordingMbid: 'r-1',
  title: 'Heard title',
  artists: ['Heard Artist'],
  album: 'Heard Album',
  albumArtist: 'Heard Artist',
  releaseGroupMbid: 'g-1',
  year: 1999,
  trackNumber: 9,
  discNumber: 2,
  genres: ['heard genre'],
};
/** The identity that a scan gives to a file without tags. */
const pathIdentity: TrackIdentity = { title: '01 file', artists: [], genres: [], provenance: { title: 'path' } };

interface Row {
  rule: string;
  tags?: TrackIdentity | undefined;
  match?: Match | undefined;
  storedIdentity?: TrackIdentity;
  gives: Partial<TrackIdentity>;
  identified?: boolean;
}

const rows: Row[] = [
  // Rows for embedded tags, which are read first; the acoustic identification fills gaps.
  {
    rule: 'tags alone are enough',
    tags,
    gives: {
      title: 'Tag title',
      artists: ['Tag Artist'],
      album: 'Tag Album',
      year: 2001,
      genres: ['Tag genre'],
      provenance: undefined,
    },
  },
  {
    rule: 'an uncertain match fills a gap in the tags',
    tags: { ...tags, year: undefined, album: undefined },
    match: { ...acousticMatch, score: UNTRUSTED_SCORE },
    gives: { title: 'Tag title', year: 1999, album: 'Heard Album', provenance: { album: 'fpid', year: 'fpid' } },
  },
  {
    rule: 'a match alone is enough',
    tags: pathIdentity,
    match: acousticMatch,
    storedIdentity: pathIdentity,
    gives: {
      title: 'Heard title',
      artists: ['Heard Artist'],
      album: 'Heard Album',
      provenance: {
        title: 'fpid',
        artist: 'fpid',
        album: 'fpid',
        year: 'fpid',
        genre: 'fpid',
        trackNumber: 'fpid',
        discNumber: 'fpid',
      },
    },
  },
  {
    rule: 'an uncertain match alone is enough, too',
    tags: pathIdentity,
    match: { ...acousticMatch, score: UNTRUSTED_SCORE },
    storedIdentity: pathIdentity,
    gives: { title: 'Heard title', artists: ['Heard Artist'] },
  },
  {
    rule: 'unreadable tags keep the earlier values',
    tags: undefined,
    storedIdentity: tags,
    gives: { title: 'Tag title', artists: ['Tag Artist'], year: 2001 },
  },

  // Rows for enrichments, which fill gaps and never erase existing values.
  {
    rule: 'a value that neither tags nor match have stays',
    tags: { ...pathIdentity, provenance: undefined, title: 'T', artists: ['A'] },
    storedIdentity: { ...tags, year: 1980 },
    gives: { year: 1980, album: 'Tag Album', genres: ['Tag genre'] },
  },
  {
    rule: 'a match without an album does not remove it',
    tags,
    match: { ...acousticMatch, album: undefined, releaseGroupMbid: undefined },
    gives: { title: 'Heard title', album: 'Tag Album' },
  },
  {
    rule: 'values of a match stay when there is no match this time',
    tags,
    match: undefined,
    storedIdentity: { ...tags, title: 'Heard before', provenance: { title: 'fpid' } },
    gives: { title: 'Heard before', provenance: { title: 'fpid' } },
  },
  {
    rule: 'values of a match are replaced by another match',
    tags,
    match: acousticMatch,
    storedIdentity: { ...tags, title: 'Heard before', provenance: { title: 'fpid' } },
    gives: { title: 'Heard title' },
  },
  {
    rule: 'lyrics and mbids stay',
    tags,
    storedIdentity: { ...tags, recordingMbid: 'r-0', lyrics: { synced: false, lines: [{ text: 'la' }] } },
    gives: { recordingMbid: 'r-0', lyrics: { synced: false, lines: [{ text: 'la' }] } },
  },

  // Rows for matches above the trust score: the acoustic identity wins for title, artist, album and year, and tags are
  // the fallback.
  {
    rule: 'above the threshold the match wins',
    tags,
    match: acousticMatch,
    gives: {
      title: 'Heard title',
      artists: ['Heard Artist'],
      album: 'Heard Album',
      year: 1999,
      provenance: {
        title: 'fpid',
        artist: 'fpid',
        album: 'fpid',
        year: 'fpid',
        trackNumber: 'fpid',
        discNumber: 'fpid',
      },
    },
  },
  {
    rule: 'above the threshold tags are the fallback',
    tags,
    match: { ...acousticMatch, artists: [], year: undefined },
    gives: { title: 'Heard title', artists: ['Tag Artist'], year: 2001 },
  },
  { rule: 'genres are the tags’ own whatever the score', tags, match: acousticMatch, gives: { genres: ['Tag genre'] } },
  {
    rule: 'genres of the match fill a gap',
    tags: { ...tags, genres: [] },
    match: acousticMatch,
    gives: { genres: ['heard genre'] },
  },
  {
    rule: 'on the album of the tags the track keeps its number',
    tags: { ...tags, album: 'heard album' },
    match: acousticMatch,
    gives: { album: 'Heard Album', trackNumber: 1, discNumber: 1 },
  },
  {
    rule: 'on another album it has the number of that album',
    tags,
    match: acousticMatch,
    gives: { album: 'Heard Album', trackNumber: 9, discNumber: 2 },
  },
  {
    rule: 'on another album without a number it keeps its own',
    tags,
    match: { ...acousticMatch, trackNumber: undefined, discNumber: undefined },
    gives: { trackNumber: 1, discNumber: 1 },
  },

  // Rows for matches at or below the trust score: tags win, and the acoustic identity fills gaps.
  {
    rule: 'at the threshold tags win',
    tags,
    match: { ...acousticMatch, score: TRUST_SCORE },
    gives: { title: 'Tag title', artists: ['Tag Artist'], album: 'Tag Album', year: 2001, provenance: undefined },
  },
  {
    rule: 'below the threshold tags win',
    tags,
    match: { ...acousticMatch, score: UNTRUSTED_SCORE },
    gives: { title: 'Tag title', artists: ['Tag Artist'], album: 'Tag Album', year: 2001 },
  },
  {
    rule: 'what the mbids of the tags lead to only fills gaps',
    tags: { ...tags, year: undefined },
    match: { ...acousticMatch, score: null },
    gives: { title: 'Tag title', year: 1999 },
  },

  // Rows for titles and artists from file names.
  {
    rule: 'a title from the file name is only used without another',
    tags: { ...tags, title: 'file', provenance: { title: 'path' } },
    match: { ...acousticMatch, score: UNTRUSTED_SCORE },
    gives: { title: 'Heard title', provenance: { title: 'fpid' } },
  },
  {
    rule: 'without anything else it stays',
    tags: { ...tags, title: 'file', provenance: { title: 'path' } },
    gives: { title: 'file', provenance: { title: 'path' } },
    identified: false,
  },
  {
    rule: 'a number from the file name is replaced by that of a match',
    tags: { ...tags, trackNumber: 4, provenance: { trackNumber: 'path' } },
    match: { ...acousticMatch, score: UNTRUSTED_SCORE },
    gives: { trackNumber: 9 },
  },
  {
    rule: 'a number from the file name stays without a better one',
    tags: { ...tags, trackNumber: 4, provenance: { trackNumber: 'path' } },
    gives: { trackNumber: 4, provenance: { trackNumber: 'path' } },
  },

  // Rows for manual edits.
  {
    rule: 'a manually edited field wins over tags and a certain match',
    tags,
    match: acousticMatch,
    storedIdentity: {
      ...tags,
      title: 'Typed',
      year: 1950,
      genres: ['Typed'],
      trackNumber: 33,
      provenance: { title: 'manual', year: 'manual', genre: 'manual', trackNumber: 'manual' },
    },
    gives: { title: 'Typed', year: 1950, genres: ['Typed'], trackNumber: 33, artists: ['Heard Artist'] },
  },

  // Rows for identifiers.
  {
    rule: 'mbids are from a match with the track’s names',
    tags,
    match: acousticMatch,
    gives: { recordingMbid: 'r-1', acoustidId: 'a-1', releaseGroupMbid: 'g-1' },
  },
  {
    rule: 'mbids are not from a match with other names',
    tags,
    match: { ...acousticMatch, score: UNTRUSTED_SCORE },
    gives: { recordingMbid: undefined, acoustidId: undefined, releaseGroupMbid: undefined },
  },
  {
    rule: 'an uncertain match that agrees with the tags gives its mbids',
    tags,
    match: {
      ...acousticMatch,
      score: UNTRUSTED_SCORE,
      title: 'TAG TITLE',
      artists: ['tag artist'],
      album: 'tag album',
    },
    gives: { title: 'Tag title', recordingMbid: 'r-1', releaseGroupMbid: 'g-1' },
  },
  {
    rule: 'mbids in the tags win over an uncertain match',
    tags: { ...tags, recordingMbid: 'r-tag', releaseGroupMbid: 'g-tag' },
    match: {
      ...acousticMatch,
      score: UNTRUSTED_SCORE,
      title: 'Tag title',
      artists: ['Tag Artist'],
      album: 'Tag Album',
    },
    gives: { recordingMbid: 'r-tag', releaseGroupMbid: 'g-tag' },
  },

  // Rows for albums.
  {
    rule: 'an album has its artist from the same origin',
    tags,
    match: { ...acousticMatch, albumArtist: 'Various Artists', compilation: true },
    gives: { albumArtist: 'Various Artists', compilation: true },
  },
  {
    rule: 'an album without an artist takes that of another origin for the same album',
    tags,
    match: { ...acousticMatch, album: 'Tag Album', albumArtist: undefined, albumArtists: [] },
    gives: { album: 'Tag Album', albumArtist: 'Tag Artist' },
  },
  {
    rule: 'a compilation in the tags stays one',
    tags: { ...tags, compilation: true },
    match: { ...acousticMatch, album: 'Tag Album' },
    gives: { compilation: true },
  },

  // Rows for success, which needs at least a title and an artist.
  {
    rule: 'without title and artist a track is not identified',
    tags: pathIdentity,
    storedIdentity: pathIdentity,
    gives: { title: '01 file', artists: [] },
    identified: false,
  },
  {
    rule: 'with only a title a track is not identified',
    tags: { ...pathIdentity, title: 'T', provenance: undefined },
    storedIdentity: pathIdentity,
    gives: { title: 'T' },
    identified: false,
  },
  {
    rule: 'with an artist from tags and a title from a match it is',
    tags: { ...pathIdentity, artists: ['A'] },
    match: { ...acousticMatch, score: UNTRUSTED_SCORE, artists: [] },
    storedIdentity: pathIdentity,
    gives: { title: 'Heard title', artists: ['A'] },
  },
];

describe('merging', () => {
  it.each(rows)(
    '$rule',
    ({
      tags: givenTags,
      match,
      storedIdentity: current = givenTags ?? tags,
      gives,
      identified: isExpectedIdentified = true,
    }) => {
      const mergeResult = mergeMetadata({ tags: givenTags, match, currentIdentity: current, threshold: TRUST_SCORE });
      for (const [field, value] of Object.entries(gives))
        expect(mergeResult.identity[field as keyof TrackIdentity], field).toEqual(value);
      expect(mergeResult.isIdentified).toBe(isExpectedIdentified);
    },
  );

  it('has the same result when it is run on its own result', () => {
    for (const { tags: givenTags, match, storedIdentity: current = givenTags ?? tags } of rows) {
      const firstResult = mergeMetadata({ tags: givenTags, match, currentIdentity: current, threshold: TRUST_SCORE });
      const secondResult = mergeMetadata({
        tags: givenTags,
        match,
        currentIdentity: firstResult.identity,
        threshold: TRUST_SCORE,
      });
      expect(secondResult.identity).toEqual(firstResult.identity);
    }
  });
});
