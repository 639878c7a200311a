// Which track each of several uncertain files is.
import { describe, expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import {
  assignTracks,
  orderMoves,
  type PossibleTrack,
  type FileTraits,
} from '../../../server/scan/identity/assign-tracks.ts';

const [A, B, C, ADDED] = [1, 2, 3, 4] as TrackId[] as [TrackId, TrackId, TrackId, TrackId];

/** `place: audio`, or with the track that had the place, `place: audio < track`. */
const file = (text: string, nameKey = ''): FileTraits => {
  const [, filePath = '', audio = '', known] = /^(\S+): (\S+)(?: < (\d))?$/.exec(text) ?? [];
  return {
    filePath,
    holderId: known === undefined ? null : (Number(known) as TrackId),
    key: `key of ${filePath}`,
    audioHash: audio === '-' ? null : audio,
    nameKey,
  };
};
/** A track with this audio, whose file was at a place. */
const track = (
  id: TrackId,
  audioHash: string,
  filePath: string,
  state: PossibleTrack['locations'][number]['state'],
  { called: nameKey = '', formerHash: formerAudioHash = null }: { called?: string; formerHash?: string | null } = {},
): PossibleTrack => ({
  id,
  audioHash,
  formerAudioHash,
  nameKey,
  isUntouched: false,
  copy: undefined,
  locations: [{ filePath, key: `old key of ${filePath}`, state }],
});

const assigned = (files: FileTraits[], tracks: PossibleTrack[]): Record<string, unknown> =>
  Object.fromEntries(assignTracks(files, tracks, C));

describe('a file', () => {
  it.each<{ what: string; files: FileTraits[]; tracks: PossibleTrack[]; is: Record<string, unknown> }>([
    {
      what: 'with the audio of another is that one, also in a swap',
      files: [file('a: beta < 1'), file('b: alpha < 2')],
      tracks: [track(A, 'alpha', 'a', 'postponed'), track(B, 'beta', 'b', 'postponed')],
      is: { a: B, b: A },
    },
    {
      what: 'with the audio of a track that is still there is new, and the track of its place is not it',
      files: [file('a: beta < 1')],
      tracks: [track(A, 'alpha', 'a', 'postponed'), track(B, 'beta', 'b', 'present')],
      is: { a: 'new' },
    },
    {
      what: 'with the audio of a track that the same scan added replaces that of the track of its place',
      files: [file('a: beta < 1')],
      tracks: [track(A, 'alpha', 'a', 'postponed'), track(ADDED, 'beta', 'b', 'present')],
      is: { a: 'replaced' },
    },
    {
      what: 'in the place of a track that is elsewhere is new',
      files: [file('a: other < 1'), file('b: alpha')],
      tracks: [track(A, 'alpha', 'a', 'postponed')],
      is: { a: 'new', b: A },
    },
    {
      what: 'with audio that nothing knows replaces that of the track of its place',
      files: [file('a: other < 1')],
      tracks: [track(A, 'alpha', 'a', 'postponed')],
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
      tracks: [track(A, 'alpha', 'a', 'postponed')],
      is: { a: A, b: 'new' },
    },
    {
      what: 'is the one that is called the same of several with its audio',
      files: [file('x: alpha', 'second'), file('y: alpha', 'first')],
      tracks: [
        track(A, 'alpha', 'a', 'absent', { called: 'first' }),
        track(B, 'alpha', 'b', 'absent', { called: 'second' }),
      ],
      is: { x: B, y: A },
    },
    {
      what: 'with the audio that a track had before other music took its place is that track again',
      files: [file('b: alpha'), file('a: foreign < 1')],
      tracks: [track(A, 'foreign', 'a', 'postponed', { formerHash: 'alpha' })],
      is: { b: A, a: 'new' },
    },
    {
      what: 'with the former audio of a track is not it while another track has that audio',
      files: [file('a: foreign < 1'), file('b: alpha < 2')],
      tracks: [track(A, 'foreign', 'a', 'postponed', { formerHash: 'alpha' }), track(B, 'alpha', 'b', 'postponed')],
      is: { a: A, b: B },
    },
    {
      what: 'without a hash stays the track of its place',
      files: [file('a: - < 1'), file('b: - < 2')],
      tracks: [track(A, 'alpha', 'a', 'postponed'), track(B, 'beta', 'b', 'postponed')],
      is: { a: 'replaced', b: 'replaced' },
    },
  ])('$what', ({ files, tracks, is }) => {
    expect(assigned(files, tracks)).toEqual(is);
  });

  it('is known by the file itself before its audio is looked at', () => {
    const moved = { ...file('a: - < 1'), key: 'the file of B' };
    const b = {
      ...track(B, 'beta', 'b', 'absent'),
      locations: [{ filePath: 'b', key: 'the file of B', state: 'absent' as const }],
    };
    expect(assigned([moved], [track(A, 'alpha', 'a', 'postponed'), b])).toEqual({ a: B });
  });
});

describe('a file of a deleted track', () => {
  it('is that one when it is the very file, and a track of its own when only its audio says so', () => {
    const tracks = [track(B, 'beta', 'b', 'postponed')];
    const moved = { ...file('b: - < 2'), isDeleted: true };
    expect(Object.fromEntries(assignTracks([moved], tracks, C))).toEqual({ b: 'deleted' });
    expect(Object.fromEntries(assignTracks([file('b: alpha < 2')], tracks, C, new Set(['alpha'])))).toEqual({
      b: 'new',
    });
    expect(Object.fromEntries(assignTracks([file('b: alpha < 2')], tracks, C))).toEqual({ b: 'replaced' });
  });
});

describe('the order', () => {
  const move = (incoming: TrackId | 'new', outgoing: TrackId | null) => ({ incoming, outgoing });
  it('lets every track leave before another one comes', () => {
    const [first, second, third] = [move(A, B), move(B, C), move(C, null)];
    expect([...orderMoves([first, second, third])]).toEqual([[third], [second], [first]]);
  });
  it('keeps those together that go round in a circle', () => {
    const circle = [move(A, B), move(B, C), move(C, A)];
    const [group, ...others] = orderMoves(circle);
    expect(others).toEqual([]);
    expect(new Set(group)).toEqual(new Set(circle));
  });
  it('keeps a deleted track together with those that change places with it', () => {
    const [deleted, other] = [
      { incoming: 'deleted from a', outgoing: B },
      { incoming: B, outgoing: 'deleted from a' },
    ];
    expect([...orderMoves([deleted, other])]).toEqual([[other, deleted]]);
    const new1 = { incoming: 'new', outgoing: 'deleted from a' };
    const away = { incoming: 'deleted from a', outgoing: null };
    expect([...orderMoves([new1, away])]).toEqual([[away], [new1]]);
  });
  it('lets a new track come last', () => {
    const [fresh, leaves] = [move('new', A), move(A, null)];
    expect([...orderMoves([fresh, leaves])]).toEqual([[leaves], [fresh]]);
  });
});
