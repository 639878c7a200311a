import { describe, expect, it } from 'vitest';
import { LookupAnswer, type AcoustIdResult } from '../../../server/enrichment/acoustid-wire.ts';
import { rankCandidates, type FileHint } from '../../../server/enrichment/candidates.ts';

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const file: FileHint = {
  title: undefined,
  artists: [],
  album: undefined,
  trackNumber: undefined,
  discNumber: undefined,
  durationMs: 214_000,
};

/** Parses the items like a response of AcoustID. */
const results = (...items: unknown[]): AcoustIdResult[] => LookupAnswer.parse({ status: 'ok', results: items }).results;
const recording = (n: number, fields: object = {}) => ({
  id: id(n),
  title: `Song ${n}`,
  artists: [{ id: id(900 + n), name: `Artist ${n}` }],
  ...fields,
});
const toResult = (score: number, ...recordings: object[]) => ({ id: id(500), score, recordings });
const rankTitles = (hint: FileHint, ...items: unknown[]) =>
  rankCandidates(results(...items), hint).map((match) => match.title);
const findBest = (hint: Partial<FileHint>, ...recordings: object[]) =>
  rankCandidates(results(toResult(0.9, ...recordings)), { ...file, ...hint })[0];

describe('the best recording', () => {
  it('has the best score, however few its sources', () => {
    expect(
      rankTitles(file, toResult(0.7, recording(1, { sources: 500 })), toResult(0.9, recording(2, { sources: 1 }))),
    ).toEqual(['Song 2', 'Song 1']);
  });
  it('among equal scores has the most sources', () => {
    expect(
      rankTitles(file, toResult(0.9, recording(1, { sources: 2 }), recording(2, { sources: 57 }), recording(3))),
    ).toEqual(['Song 2', 'Song 1', 'Song 3']);
  });
  it('among equal sources is closest in duration', () => {
    expect(
      rankTitles(
        file,
        toResult(0.9, recording(1, { duration: 219, sources: 3 }), recording(2, { duration: 214.3, sources: 3 })),
      ),
    ).toEqual(['Song 2', 'Song 1']);
  });
  it('among equal durations agrees with the tags', () => {
    const sameFacts = { duration: 214, sources: 3 };
    expect(
      rankTitles({ ...file, artists: ['ARTIST 2'] }, toResult(0.9, recording(1, sameFacts), recording(2, sameFacts))),
    ).toEqual(['Song 2', 'Song 1']);
  });
  it('differs by 7 s at most, if there is such a recording', () => {
    expect(
      rankTitles(
        file,
        toResult(
          0.9,
          recording(1, { duration: 222 }),
          recording(2, { duration: 206 }),
          recording(3, { duration: 221 }),
        ),
      ),
    ).toEqual(['Song 3']);
  });
  it('may be of another length when its result has no other recording', () => {
    expect(rankTitles(file, toResult(0.9, recording(1, { duration: 300 })))).toEqual(['Song 1']);
  });
  it('has a title if any recording has a title', () => {
    expect(rankTitles(file, toResult(0.9, { id: id(1), sources: 99 }, recording(2)))).toEqual(['Song 2', undefined]);
  });
  it('is listed once, in a list of five at most', () => {
    expect(rankTitles(file, toResult(0.9, recording(1)), toResult(0.8, recording(1)))).toEqual(['Song 1']);
    expect(rankTitles(file, toResult(0.9, ...Array.from({ length: 9 }, (_, i) => recording(i))))).toHaveLength(5);
  });
  it('is absent when the service knows none', () => {
    expect(rankTitles(file)).toEqual([]);
    expect(rankTitles(file, { id: id(1), score: 0.9 })).toEqual([]);
  });
});

const toReleaseGroup = (n: number, title: string, fields: object = {}) => ({
  id: id(100 + n),
  title,
  type: 'Album',
  ...fields,
});
const toRelease = (n: number, fields: object = {}) => ({ id: id(200 + n), ...fields });
const onDisc = (disc: number, track: number) => ({
  mediums: [{ position: disc, tracks: [{ id: id(999), position: track }] }],
});

describe('the release', () => {
  const groups = [
    toReleaseGroup(1, 'Hits of 2010', {
      secondarytypes: ['Compilation'],
      releases: [toRelease(1, { date: { year: 2010 } })],
    }),
    toReleaseGroup(2, 'Harbour Lights', { type: 'Single', releases: [toRelease(2, { date: { year: 2008 } })] }),
    toReleaseGroup(3, 'Low Water Live', {
      secondarytypes: ['Live'],
      releases: [toRelease(3, { date: { year: 2007 } })],
    }),
    toReleaseGroup(4, 'Low Water', {
      releases: [toRelease(4, { date: { year: 2011 } }), toRelease(5, { date: { year: 2009 }, ...onDisc(1, 3) })],
    }),
    toReleaseGroup(5, 'Other thing', { type: 'Other', releases: [toRelease(6)] }),
    toReleaseGroup(6, 'Four Songs', { type: 'EP', releases: [toRelease(7)] }),
  ];
  const song = recording(1, { releasegroups: groups });

  it('is on an album rather than a compilation, a single or a live album, in any order', () => {
    expect(findBest({}, song)).toMatchObject({
      album: 'Low Water',
      year: 2009,
      releaseGroupMbid: id(104),
      trackNumber: 3,
      discNumber: 1,
    });
  });
  it.each([
    ['Hits of 2010', id(101)],
    ['LOW WATER LIVE', id(103)],
    ['harbour  lights', id(102)],
    ['Löw Water', id(104)],
  ])('is on the album in the tags: %s', (album, releaseGroupMbid) => {
    expect(findBest({ album }, song)).toMatchObject({ releaseGroupMbid });
  });
  it.each([
    ['an EP before a single', [groups[1], groups[5]], 'Four Songs'],
    ['a single before anything else', [groups[4], groups[1]], 'Harbour Lights'],
    ['anything before a compilation', [groups[0], groups[2], groups[4]], 'Other thing'],
    ['a compilation when there is nothing else', [groups[0]], 'Hits of 2010'],
  ])('%s', (_rule, releasegroups, album) => {
    expect(findBest({}, recording(1, { releasegroups }))?.album).toBe(album);
  });
  it('is the earliest of its group, or the one with the track number in the tags', () => {
    const editions = [
      toReleaseGroup(1, 'Low Water', {
        releases: [
          toRelease(1, { date: { year: 2005 }, ...onDisc(1, 3) }),
          toRelease(2, { date: { year: 2015 }, ...onDisc(2, 8) }),
        ],
      }),
    ];
    expect(findBest({}, recording(1, { releasegroups: editions }))).toMatchObject({
      trackNumber: 3,
      discNumber: 1,
      year: 2005,
    });
    expect(findBest({ trackNumber: 8, discNumber: 2 }, recording(1, { releasegroups: editions }))).toMatchObject({
      trackNumber: 8,
      discNumber: 2,
      year: 2005,
    });
  });
});

describe('names', () => {
  const quays = { id: id(1), name: 'The Quays', joinphrase: ' feat. ' };
  const ida = { id: id(2), name: 'Ida Lund' };

  it('joins artists as the service does', () => {
    expect(findBest({}, recording(1, { artists: [quays, ida] }))).toMatchObject({
      artists: ['The Quays', 'Ida Lund'],
      artist: 'The Quays feat. Ida Lund',
      artistMbids: [id(1), id(2)],
    });
  });
  it('inherits missing fields from the level above', () => {
    const sparseRecording = {
      id: id(1),
      artists: [ida],
      releasegroups: [
        {
          id: id(101),
          type: 'Album',
          artists: [{ id: id(1), name: 'The Quays' }],
          releases: [
            { id: id(201), title: 'Low Water', mediums: [{ position: 1, tracks: [{ position: 2, title: 'Ebb' }] }] },
          ],
        },
      ],
    };
    expect(findBest({}, sparseRecording)).toMatchObject({
      title: 'Ebb',
      artists: ['Ida Lund'],
      album: 'Low Water',
      albumArtist: 'The Quays',
    });
  });
  it('recognizes a compilation by its artist', () => {
    const variousGroup = toReleaseGroup(1, 'Hits', {
      artists: [{ id: id(3), name: 'Various Artists' }],
      secondarytypes: ['Compilation'],
      releases: [toRelease(1)],
    });
    expect(findBest({}, recording(1, { releasegroups: [variousGroup] }))).toMatchObject({
      artists: ['Artist 1'],
      albumArtist: 'Various Artists',
      compilation: true,
    });
  });
});

describe('responses of the service', () => {
  it.each([
    ['null everywhere', { id: id(1), title: null, duration: null, sources: null, artists: null, releasegroups: null }],
    [
      'values of the wrong kind',
      { id: id(1), title: 7, duration: 'long', sources: 'many', artists: {}, releasegroups: 'x' },
    ],
    [
      'lists with invalid entries',
      {
        id: id(1),
        artists: [null, 1, { name: 3 }],
        releasegroups: [null, { id: 'x', releases: [{ date: { year: 'now' }, mediums: [{}] }] }],
      },
    ],
  ])('may have %s', (_title, oddRecording) => {
    expect(findBest({}, oddRecording)).toMatchObject({ recordingMbid: id(1), artists: [], genres: [] });
  });
  it('are truncated where they are too long', () => {
    const manyGroups = Array.from({ length: 5_000 }, (_, i) => toReleaseGroup(i, `Album ${i}`, { releases: [] }));
    expect(findBest({}, recording(1, { releasegroups: manyGroups }))?.album).toBe('Album 0');
  });
  it('have mbids in lower case', () => {
    expect(findBest({}, { id: 'ABCDEF00-0000-4000-8000-000000000001', title: 'x' })?.recordingMbid).toBe(
      'abcdef00-0000-4000-8000-000000000001',
    );
  });
});
