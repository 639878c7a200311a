// A row for every enrichment rule.
import { describe, expect, it } from 'vitest';
import type { Match } from '../../../server/enrichment/match.ts';
import { mergeMetadata } from '../../../server/enrichment/merge.ts';
import type { TrackIdentity } from '../../../server/library/tracks/track-values.ts';

const THRESHOLD = 0.85;
const SURE = 0.86;
const UNSURE = 0.6;

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
const heard: Match = {
  score: SURE,
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
/** From a scan of a file without tags. */
const bare: TrackIdentity = { title: '01 file', artists: [], genres: [], provenance: { title: 'path' } };

interface Row {
  rule: string;
  tags?: TrackIdentity | undefined;
  match?: Match | undefined;
  current?: TrackIdentity;
  gives: Partial<TrackIdentity>;
  identified?: boolean;
}

const rows: Row[] = [
  // 1. Embedded tags are read first. The acoustic identification fills gaps.
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
    match: { ...heard, score: UNSURE },
    gives: { title: 'Tag title', year: 1999, album: 'Heard Album', provenance: { album: 'fpid', year: 'fpid' } },
  },
  {
    rule: 'a match alone is enough',
    tags: bare,
    match: heard,
    current: bare,
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
    tags: bare,
    match: { ...heard, score: UNSURE },
    current: bare,
    gives: { title: 'Heard title', artists: ['Heard Artist'] },
  },
  {
    rule: 'unreadable tags keep the earlier values',
    tags: undefined,
    current: tags,
    gives: { title: 'Tag title', artists: ['Tag Artist'], year: 2001 },
  },

  // Applying an enrichment fills gaps and never erases existing values.
  {
    rule: 'a value that neither tags nor match have stays',
    tags: { ...bare, provenance: undefined, title: 'T', artists: ['A'] },
    current: { ...tags, year: 1980 },
    gives: { year: 1980, album: 'Tag Album', genres: ['Tag genre'] },
  },
  {
    rule: 'a match without an album does not remove it',
    tags,
    match: { ...heard, album: undefined, releaseGroupMbid: undefined },
    gives: { title: 'Heard title', album: 'Tag Album' },
  },
  {
    rule: 'values of a match stay when there is no match this time',
    tags,
    match: undefined,
    current: { ...tags, title: 'Heard before', provenance: { title: 'fpid' } },
    gives: { title: 'Heard before', provenance: { title: 'fpid' } },
  },
  {
    rule: 'values of a match are replaced by another match',
    tags,
    match: heard,
    current: { ...tags, title: 'Heard before', provenance: { title: 'fpid' } },
    gives: { title: 'Heard title' },
  },
  {
    rule: 'lyrics and mbids stay',
    tags,
    current: { ...tags, recordingMbid: 'r-0', lyrics: { synced: false, lines: [{ text: 'la' }] } },
    gives: { recordingMbid: 'r-0', lyrics: { synced: false, lines: [{ text: 'la' }] } },
  },

  // 2. Above the threshold the acoustic identity wins for title, artist, album and year, and tags act as fallback.
  {
    rule: 'above the threshold the match wins',
    tags,
    match: heard,
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
    match: { ...heard, artists: [], year: undefined },
    gives: { title: 'Heard title', artists: ['Tag Artist'], year: 2001 },
  },
  { rule: 'genres are the tags’ own whatever the score', tags, match: heard, gives: { genres: ['Tag genre'] } },
  {
    rule: 'genres of the match fill a gap',
    tags: { ...tags, genres: [] },
    match: heard,
    gives: { genres: ['heard genre'] },
  },
  {
    rule: 'on the album of the tags the track keeps its number',
    tags: { ...tags, album: 'heard album' },
    match: heard,
    gives: { album: 'Heard Album', trackNumber: 1, discNumber: 1 },
  },
  {
    rule: 'on another album it has the number of that album',
    tags,
    match: heard,
    gives: { album: 'Heard Album', trackNumber: 9, discNumber: 2 },
  },
  {
    rule: 'on another album without a number it keeps its own',
    tags,
    match: { ...heard, trackNumber: undefined, discNumber: undefined },
    gives: { trackNumber: 1, discNumber: 1 },
  },

  // At or below the threshold tags win, and the acoustic identity fills gaps.
  {
    rule: 'at the threshold tags win',
    tags,
    match: { ...heard, score: THRESHOLD },
    gives: { title: 'Tag title', artists: ['Tag Artist'], album: 'Tag Album', year: 2001, provenance: undefined },
  },
  {
    rule: 'below the threshold tags win',
    tags,
    match: { ...heard, score: UNSURE },
    gives: { title: 'Tag title', artists: ['Tag Artist'], album: 'Tag Album', year: 2001 },
  },
  {
    rule: 'what the mbids of the tags lead to only fills gaps',
    tags: { ...tags, year: undefined },
    match: { ...heard, score: null },
    gives: { title: 'Tag title', year: 1999 },
  },

  // Names from the file's name.
  {
    rule: 'a title from the file name is only used without another',
    tags: { ...tags, title: 'file', provenance: { title: 'path' } },
    match: { ...heard, score: UNSURE },
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
    match: { ...heard, score: UNSURE },
    gives: { trackNumber: 9 },
  },
  {
    rule: 'a number from the file name stays without a better one',
    tags: { ...tags, trackNumber: 4, provenance: { trackNumber: 'path' } },
    gives: { trackNumber: 4, provenance: { trackNumber: 'path' } },
  },

  // Manual edits.
  {
    rule: 'a manually edited field wins over tags and a certain match',
    tags,
    match: heard,
    current: {
      ...tags,
      title: 'Typed',
      year: 1950,
      genres: ['Typed'],
      trackNumber: 33,
      provenance: { title: 'manual', year: 'manual', genre: 'manual', trackNumber: 'manual' },
    },
    gives: { title: 'Typed', year: 1950, genres: ['Typed'], trackNumber: 33, artists: ['Heard Artist'] },
  },

  // Identifiers.
  {
    rule: 'mbids are from a match with the track’s names',
    tags,
    match: heard,
    gives: { recordingMbid: 'r-1', acoustidId: 'a-1', releaseGroupMbid: 'g-1' },
  },
  {
    rule: 'mbids are not from a match with other names',
    tags,
    match: { ...heard, score: UNSURE },
    gives: { recordingMbid: undefined, acoustidId: undefined, releaseGroupMbid: undefined },
  },
  {
    rule: 'an uncertain match that agrees with the tags gives its mbids',
    tags,
    match: { ...heard, score: UNSURE, title: 'TAG TITLE', artists: ['tag artist'], album: 'tag album' },
    gives: { title: 'Tag title', recordingMbid: 'r-1', releaseGroupMbid: 'g-1' },
  },
  {
    rule: 'mbids in the tags win over an uncertain match',
    tags: { ...tags, recordingMbid: 'r-tag', releaseGroupMbid: 'g-tag' },
    match: { ...heard, score: UNSURE, title: 'Tag title', artists: ['Tag Artist'], album: 'Tag Album' },
    gives: { recordingMbid: 'r-tag', releaseGroupMbid: 'g-tag' },
  },

  // Albums.
  {
    rule: 'an album has its artist from the same origin',
    tags,
    match: { ...heard, albumArtist: 'Various Artists', compilation: true },
    gives: { albumArtist: 'Various Artists', compilation: true },
  },
  {
    rule: 'an album without an artist takes that of another origin for the same album',
    tags,
    match: { ...heard, album: 'Tag Album', albumArtist: undefined, albumArtists: [] },
    gives: { album: 'Tag Album', albumArtist: 'Tag Artist' },
  },
  {
    rule: 'a compilation in the tags stays one',
    tags: { ...tags, compilation: true },
    match: { ...heard, album: 'Tag Album' },
    gives: { compilation: true },
  },

  // Succeeds: at least a title and an artist.
  {
    rule: 'without title and artist a track is not identified',
    tags: bare,
    current: bare,
    gives: { title: '01 file', artists: [] },
    identified: false,
  },
  {
    rule: 'with only a title a track is not identified',
    tags: { ...bare, title: 'T', provenance: undefined },
    current: bare,
    gives: { title: 'T' },
    identified: false,
  },
  {
    rule: 'with an artist from tags and a title from a match it is',
    tags: { ...bare, artists: ['A'] },
    match: { ...heard, score: UNSURE, artists: [] },
    current: bare,
    gives: { title: 'Heard title', artists: ['A'] },
  },
];

describe('merging', () => {
  it.each(rows)('$rule', ({ tags: read, match, current = read ?? tags, gives, identified: isIdentified = true }) => {
    const merged = mergeMetadata({ tags: read, match, current, threshold: THRESHOLD });
    for (const [field, value] of Object.entries(gives))
      expect(merged.identity[field as keyof TrackIdentity], field).toEqual(value);
    expect(merged.isIdentified).toBe(isIdentified);
  });

  it('has the same result when it is run on its own result', () => {
    for (const { tags: read, match, current = read ?? tags } of rows) {
      const once = mergeMetadata({ tags: read, match, current, threshold: THRESHOLD });
      const twice = mergeMetadata({ tags: read, match, current: once.identity, threshold: THRESHOLD });
      expect(twice.identity).toEqual(once.identity);
    }
  });
});
