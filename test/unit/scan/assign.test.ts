// Which track each of several uncertain files is.
import { describe, expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { assign, inOrder, type PossibleTrack, type UnsettledFile } from '../../../server/scan/assign.ts';

const [A, B, C, ADDED] = [1, 2, 3, 4] as TrackId[] as [TrackId, TrackId, TrackId, TrackId];

/** `place: audio`, or with the track that had the place, `place: audio < track`. */
const file = (text: string, called = ''): UnsettledFile => {
  const [, place = '', audio = '', known] = /^(\S+): (\S+)(?: < (\d))?$/.exec(text) ?? [];
  return {
    place,
    known: known === undefined ? null : (Number(known) as TrackId),
    key: `key of ${place}`,
    audioHash: audio === '-' ? null : audio,
    called,
  };
};
/** A track with this audio, whose file was at a place. */
const track = (
  id: TrackId,
  audioHash: string,
  place: string,
  state: PossibleTrack['places'][number]['state'],
  { called = '', formerHash = null }: { called?: string; formerHash?: string | null } = {},
): PossibleTrack => ({
  id,
  audioHash,
  formerHash,
  called,
  isBare: false,
  copy: undefined,
  places: [{ place, key: `old key of ${place}`, state }],
});

const assigned = (files: UnsettledFile[], tracks: PossibleTrack[]): Record<string, unknown> =>
  Object.fromEntries(assign(files, tracks, C));

describe('a file', () => {
  it.each<{ what: string; files: UnsettledFile[]; tracks: PossibleTrack[]; is: Record<string, unknown> }>([
    {
      what: 'with the audio of another is that one, also in a swap',
      files: [file('a: beta < 1'), file('b: alpha < 2')],
      tracks: [track(A, 'alpha', 'a', 'unsettled'), track(B, 'beta', 'b', 'unsettled')],
      is: { a: B, b: A },
    },
    {
      what: 'with the audio of a track that is still there is new, and the track of its place is not it',
      files: [file('a: beta < 1')],
      tracks: [track(A, 'alpha', 'a', 'unsettled'), track(B, 'beta', 'b', 'here')],
      is: { a: 'new' },
    },
    {
      what: 'with the audio of a track that the same scan added replaces that of the track of its place',
      files: [file('a: beta < 1')],
      tracks: [track(A, 'alpha', 'a', 'unsettled'), track(ADDED, 'beta', 'b', 'here')],
      is: { a: 'replaced' },
    },
    {
      what: 'in the place of a track that is elsewhere is new',
      files: [file('a: other < 1'), file('b: alpha')],
      tracks: [track(A, 'alpha', 'a', 'unsettled')],
      is: { a: 'new', b: A },
    },
    {
      what: 'with audio that nothing knows replaces that of the track of its place',
      files: [file('a: other < 1')],
      tracks: [track(A, 'alpha', 'a', 'unsettled')],
      is: { a: 'replaced' },
    },
    {
      what: 'is not a track whose place cannot be looked at',
      files: [file('b: alpha')],
      tracks: [track(A, 'alpha', 'a', 'unknown')],
      is: { b: 'new' },
    },
    {
      what: 'stays where it is, and its copy is new',
      files: [file('b: alpha'), file('a: alpha < 1')],
      tracks: [track(A, 'alpha', 'a', 'unsettled')],
      is: { a: A, b: 'new' },
    },
    {
      what: 'is the one that is called the same of several with its audio',
      files: [file('x: alpha', 'second'), file('y: alpha', 'first')],
      tracks: [
        track(A, 'alpha', 'a', 'away', { called: 'first' }),
        track(B, 'alpha', 'b', 'away', { called: 'second' }),
      ],
      is: { x: B, y: A },
    },
    {
      what: 'with the audio that a track had before other music took its place is that track again',
      files: [file('b: alpha'), file('a: foreign < 1')],
      tracks: [track(A, 'foreign', 'a', 'unsettled', { formerHash: 'alpha' })],
      is: { b: A, a: 'new' },
    },
    {
      what: 'with the former audio of a track is not it while another track has that audio',
      files: [file('a: foreign < 1'), file('b: alpha < 2')],
      tracks: [track(A, 'foreign', 'a', 'unsettled', { formerHash: 'alpha' }), track(B, 'alpha', 'b', 'unsettled')],
      is: { a: A, b: B },
    },
    {
      what: 'without a hash stays the track of its place',
      files: [file('a: - < 1'), file('b: - < 2')],
      tracks: [track(A, 'alpha', 'a', 'unsettled'), track(B, 'beta', 'b', 'unsettled')],
      is: { a: 'replaced', b: 'replaced' },
    },
  ])('$what', ({ files, tracks, is }) => {
    expect(assigned(files, tracks)).toEqual(is);
  });

  it('is known by the file itself before its audio is looked at', () => {
    const moved = { ...file('a: - < 1'), key: 'the file of B' };
    const b = {
      ...track(B, 'beta', 'b', 'away'),
      places: [{ place: 'b', key: 'the file of B', state: 'away' as const }],
    };
    expect(assigned([moved], [track(A, 'alpha', 'a', 'unsettled'), b])).toEqual({ a: B });
  });
});

describe('a file of a deleted track', () => {
  it('is that one when it is the very file, and a track of its own when only its audio says so', () => {
    const tracks = [track(B, 'beta', 'b', 'unsettled')];
    const moved = { ...file('b: - < 2'), isDeleted: true };
    expect(Object.fromEntries(assign([moved], tracks, C))).toEqual({ b: 'deleted' });
    expect(Object.fromEntries(assign([file('b: alpha < 2')], tracks, C, new Set(['alpha'])))).toEqual({ b: 'new' });
    expect(Object.fromEntries(assign([file('b: alpha < 2')], tracks, C))).toEqual({ b: 'replaced' });
  });
});

describe('the order', () => {
  const move = (is: TrackId | 'new', known: TrackId | null) => ({ is, known });
  it('lets every track leave before another one comes', () => {
    const [first, second, third] = [move(A, B), move(B, C), move(C, null)];
    expect([...inOrder([first, second, third])]).toEqual([[third], [second], [first]]);
  });
  it('keeps those together that go round in a circle', () => {
    const circle = [move(A, B), move(B, C), move(C, A)];
    const [group, ...others] = inOrder(circle);
    expect(others).toEqual([]);
    expect(new Set(group)).toEqual(new Set(circle));
  });
  it('keeps a deleted track together with those that change places with it', () => {
    const [deleted, other] = [
      { is: 'deleted from a', known: B },
      { is: B, known: 'deleted from a' },
    ];
    expect([...inOrder([deleted, other])]).toEqual([[other, deleted]]);
    const new1 = { is: 'new', known: 'deleted from a' };
    const away = { is: 'deleted from a', known: null };
    expect([...inOrder([new1, away])]).toEqual([[away], [new1]]);
  });
  it('lets a new track come last', () => {
    const [fresh, leaves] = [move('new', A), move(A, null)];
    expect([...inOrder([fresh, leaves])]).toEqual([[leaves], [fresh]]);
  });
});
