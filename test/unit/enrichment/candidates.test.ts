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

/** Parsed like a response of the service. */
const results = (...all: unknown[]): AcoustIdResult[] => LookupAnswer.parse({ status: 'ok', results: all }).results;
const recording = (n: number, more: object = {}) => ({
  id: id(n),
  title: `Song ${n}`,
  artists: [{ id: id(900 + n), name: `Artist ${n}` }],
  ...more,
});
const heard = (score: number, ...recordings: object[]) => ({ id: id(500), score, recordings });
const titles = (hint: FileHint, ...all: unknown[]) => rankCandidates(results(...all), hint).map((match) => match.title);
const best = (hint: Partial<FileHint>, ...recordings: object[]) =>
  rankCandidates(results(heard(0.9, ...recordings)), { ...file, ...hint })[0];

describe('the best recording', () => {
  it('has the best score, whatever its sources', () => {
    expect(titles(file, heard(0.7, recording(1, { sources: 500 })), heard(0.9, recording(2, { sources: 1 })))).toEqual([
      'Song 2',
      'Song 1',
    ]);
  });
  it('of the same score has the most sources', () => {
    expect(titles(file, heard(0.9, recording(1, { sources: 2 }), recording(2, { sources: 57 }), recording(3)))).toEqual(
      ['Song 2', 'Song 1', 'Song 3'],
    );
  });
  it('with as many sources is closest in duration', () => {
    expect(
      titles(
        file,
        heard(0.9, recording(1, { duration: 219, sources: 3 }), recording(2, { duration: 214.3, sources: 3 })),
      ),
    ).toEqual(['Song 2', 'Song 1']);
  });
  it('of the same duration agrees with the tags', () => {
    const same = { duration: 214, sources: 3 };
    expect(titles({ ...file, artists: ['ARTIST 2'] }, heard(0.9, recording(1, same), recording(2, same)))).toEqual([
      'Song 2',
      'Song 1',
    ]);
  });
  it('is not more than 7 s longer or shorter, if any is not', () => {
    expect(
      titles(
        file,
        heard(0.9, recording(1, { duration: 222 }), recording(2, { duration: 206 }), recording(3, { duration: 221 })),
      ),
    ).toEqual(['Song 3']);
  });
  it('may be of another length when its result has no other', () => {
    expect(titles(file, heard(0.9, recording(1, { duration: 300 })))).toEqual(['Song 1']);
  });
  it('has a title if any does', () => {
    expect(titles(file, heard(0.9, { id: id(1), sources: 99 }, recording(2)))).toEqual(['Song 2', undefined]);
  });
  it('is listed once, and no more than five are', () => {
    expect(titles(file, heard(0.9, recording(1)), heard(0.8, recording(1)))).toEqual(['Song 1']);
    expect(titles(file, heard(0.9, ...Array.from({ length: 9 }, (_, i) => recording(i))))).toHaveLength(5);
  });
  it('is absent when the service knows none', () => {
    expect(titles(file)).toEqual([]);
    expect(titles(file, { id: id(1), score: 0.9 })).toEqual([]);
  });
});

const group = (n: number, title: string, more: object = {}) => ({ id: id(100 + n), title, type: 'Album', ...more });
const release = (n: number, more: object = {}) => ({ id: id(200 + n), ...more });
const onDisc = (disc: number, track: number) => ({
  mediums: [{ position: disc, tracks: [{ id: id(999), position: track }] }],
});

describe('the release', () => {
  const groups = [
    group(1, 'Hits of 2010', { secondarytypes: ['Compilation'], releases: [release(1, { date: { year: 2010 } })] }),
    group(2, 'Harbour Lights', { type: 'Single', releases: [release(2, { date: { year: 2008 } })] }),
    group(3, 'Low Water Live', { secondarytypes: ['Live'], releases: [release(3, { date: { year: 2007 } })] }),
    group(4, 'Low Water', {
      releases: [release(4, { date: { year: 2011 } }), release(5, { date: { year: 2009 }, ...onDisc(1, 3) })],
    }),
    group(5, 'Other thing', { type: 'Other', releases: [release(6)] }),
    group(6, 'Four Songs', { type: 'EP', releases: [release(7)] }),
  ];
  const song = recording(1, { releasegroups: groups });

  it('is on an album rather than a compilation, a single or a live album, whatever was first', () => {
    expect(best({}, song)).toMatchObject({
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
    expect(best({ album }, song)).toMatchObject({ releaseGroupMbid });
  });
  it.each([
    ['an EP before a single', [groups[1], groups[5]], 'Four Songs'],
    ['a single before anything else', [groups[4], groups[1]], 'Harbour Lights'],
    ['anything before a compilation', [groups[0], groups[2], groups[4]], 'Other thing'],
    ['a compilation when there is nothing else', [groups[0]], 'Hits of 2010'],
  ])('%s', (_rule, releasegroups, album) => {
    expect(best({}, recording(1, { releasegroups }))?.album).toBe(album);
  });
  it('is the earliest of its group, or the one with the track number in the tags', () => {
    const editions = [
      group(1, 'Low Water', {
        releases: [
          release(1, { date: { year: 2005 }, ...onDisc(1, 3) }),
          release(2, { date: { year: 2015 }, ...onDisc(2, 8) }),
        ],
      }),
    ];
    expect(best({}, recording(1, { releasegroups: editions }))).toMatchObject({
      trackNumber: 3,
      discNumber: 1,
      year: 2005,
    });
    expect(best({ trackNumber: 8, discNumber: 2 }, recording(1, { releasegroups: editions }))).toMatchObject({
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
    expect(best({}, recording(1, { artists: [quays, ida] }))).toMatchObject({
      artists: ['The Quays', 'Ida Lund'],
      artist: 'The Quays feat. Ida Lund',
      artistMbids: [id(1), id(2)],
    });
  });
  it('inherits missing fields from the level above', () => {
    const bare = {
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
    expect(best({}, bare)).toMatchObject({
      title: 'Ebb',
      artists: ['Ida Lund'],
      album: 'Low Water',
      albumArtist: 'The Quays',
    });
  });
  it('recognizes a compilation by its artist', () => {
    const various = group(1, 'Hits', {
      artists: [{ id: id(3), name: 'Various Artists' }],
      secondarytypes: ['Compilation'],
      releases: [release(1)],
    });
    expect(best({}, recording(1, { releasegroups: [various] }))).toMatchObject({
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
  ])('may have %s', (_what, odd) => {
    expect(best({}, odd)).toMatchObject({ recordingMbid: id(1), artists: [], genres: [] });
  });
  it('are truncated where they are too long', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => group(i, `Album ${i}`, { releases: [] }));
    expect(best({}, recording(1, { releasegroups: many }))?.album).toBe('Album 0');
  });
  it('have mbids in lower case', () => {
    expect(best({}, { id: 'ABCDEF00-0000-4000-8000-000000000001', title: 'x' })?.recordingMbid).toBe(
      'abcdef00-0000-4000-8000-000000000001',
    );
  });
});
