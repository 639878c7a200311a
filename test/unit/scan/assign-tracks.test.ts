// Tests which of several possible tracks each uncertain file gets.
import { describe, expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import {
  assignTracks,
  orderMoves,
  type PossibleTrack,
  type FileTraits,
} from '../../../server/scan/identity/assign-tracks.ts';

const [TRACK_A, TRACK_B, TRACK_C, ADDED_TRACK] = [1, 2, 3, 4] as TrackId[] as [TrackId, TrackId, TrackId, TrackId];

/** Parses `place: audio`, or `place: audio < track` with the track that had the place. */
const file = (text: string, nameKey = ''): FileTraits => {
  const [, filePath = '', audio = '', holder] = /^(\S+): (\S+)(?: < (\d))?$/.exec(text) ?? [];
  return {
    filePath,
    holderId: holder === undefined ? null : (Number(holder) as TrackId),
    key: `key of ${filePath}`,
    audioHash: audio === '-' ? null : audio,
    nameKey,
  };
};
/** Returns a track with this audio, whose file was at a place. */
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

const assignAll = (files: FileTraits[], tracks: PossibleTrack[]): Record<string, unknown> =>
  Object.fromEntries(assignTracks(files, tracks, TRACK_C));

describe('a file', () => {
  it.each<{ what: string; files: FileTraits[]; tracks: PossibleTrack[]; is: Record<string, unknown> }>([
    {
      what: 'with the audio of another track is that track, also in a swap',
      files: [file('a: beta < 1'), file('b: alpha < 2')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed'), track(TRACK_B, 'beta', 'b', 'postponed')],
      is: { a: TRACK_B, b: TRACK_A },
    },
    {
      what: 'with the audio of a track that is still there is new, and the track of its place is not it',
      files: [file('a: beta < 1')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed'), track(TRACK_B, 'beta', 'b', 'present')],
      is: { a: 'new' },
    },
    {
      what: 'with the audio of a track that the same scan added replaces that of the track of its place',
      files: [file('a: beta < 1')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed'), track(ADDED_TRACK, 'beta', 'b', 'present')],
      is: { a: 'replaced' },
    },
    {
      what: 'in the place of a track that is elsewhere is new',
      files: [file('a: other < 1'), file('b: alpha')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed')],
      is: { a: 'new', b: TRACK_A },
    },
    {
      what: 'with audio that nothing knows replaces that of the track of its place',
      files: [file('a: other < 1')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed')],
      is: { a: 'replaced' },
    },
    {
      what: 'is not a track whose place cannot be looked at',
      files: [file('b: alpha')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'unknown')],
      is: { b: 'new' },
    },
    {
      what: 'stays where it is, and its copy is new',
      files: [file('b: alpha'), file('a: alpha < 1')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed')],
      is: { a: TRACK_A, b: 'new' },
    },
    {
      what: 'is the one that is called the same of several with its audio',
      files: [file('x: alpha', 'second'), file('y: alpha', 'first')],
      tracks: [
        track(TRACK_A, 'alpha', 'a', 'absent', { called: 'first' }),
        track(TRACK_B, 'alpha', 'b', 'absent', { called: 'second' }),
      ],
      is: { x: TRACK_B, y: TRACK_A },
    },
    {
      what: 'with the audio that a track had before other music took its place is that track again',
      files: [file('b: alpha'), file('a: foreign < 1')],
      tracks: [track(TRACK_A, 'foreign', 'a', 'postponed', { formerHash: 'alpha' })],
      is: { b: TRACK_A, a: 'new' },
    },
    {
      what: 'with the former audio of a track is not it while another track has that audio',
      files: [file('a: foreign < 1'), file('b: alpha < 2')],
      tracks: [
        track(TRACK_A, 'foreign', 'a', 'postponed', { formerHash: 'alpha' }),
        track(TRACK_B, 'alpha', 'b', 'postponed'),
      ],
      is: { a: TRACK_A, b: TRACK_B },
    },
    {
      what: 'without a hash stays the track of its place',
      files: [file('a: - < 1'), file('b: - < 2')],
      tracks: [track(TRACK_A, 'alpha', 'a', 'postponed'), track(TRACK_B, 'beta', 'b', 'postponed')],
      is: { a: 'replaced', b: 'replaced' },
    },
  ])('$what', ({ files, tracks, is: expected }) => {
    expect(assignAll(files, tracks)).toEqual(expected);
  });

  it('is known by the file itself before its audio is looked at', () => {
    const movedFile = { ...file('a: - < 1'), key: 'the file of B' };
    const trackB = {
      ...track(TRACK_B, 'beta', 'b', 'absent'),
      locations: [{ filePath: 'b', key: 'the file of B', state: 'absent' as const }],
    };
    expect(assignAll([movedFile], [track(TRACK_A, 'alpha', 'a', 'postponed'), trackB])).toEqual({ a: TRACK_B });
  });
});

describe('a file of a deleted track', () => {
  it('is the deleted track if it is the same file, and a new track if only its audio is the same', () => {
    const tracks = [track(TRACK_B, 'beta', 'b', 'postponed')];
    const movedFile = { ...file('b: - < 2'), isDeleted: true };
    expect(Object.fromEntries(assignTracks([movedFile], tracks, TRACK_C))).toEqual({ b: 'deleted' });
    expect(Object.fromEntries(assignTracks([file('b: alpha < 2')], tracks, TRACK_C, new Set(['alpha'])))).toEqual({
      b: 'new',
    });
    expect(Object.fromEntries(assignTracks([file('b: alpha < 2')], tracks, TRACK_C))).toEqual({ b: 'replaced' });
  });
});

describe('the order', () => {
  const toMove = (incomingTrack: TrackId | 'new', outgoingTrack: TrackId | null) => ({ incomingTrack, outgoingTrack });
  it('lets every track leave its file before another track takes it', () => {
    const [firstMove, secondMove, thirdMove] = [
      toMove(TRACK_A, TRACK_B),
      toMove(TRACK_B, TRACK_C),
      toMove(TRACK_C, null),
    ];
    expect([...orderMoves([firstMove, secondMove, thirdMove])]).toEqual([[thirdMove], [secondMove], [firstMove]]);
  });
  it('keeps moves that form a circle together', () => {
    const circularMoves = [toMove(TRACK_A, TRACK_B), toMove(TRACK_B, TRACK_C), toMove(TRACK_C, TRACK_A)];
    const [group, ...otherGroups] = orderMoves(circularMoves);
    expect(otherGroups).toEqual([]);
    expect(new Set(group)).toEqual(new Set(circularMoves));
  });
  it('keeps a deleted track together with those that change places with it', () => {
    const [deletedMove, otherMove] = [
      { incomingTrack: 'deleted from a', outgoingTrack: TRACK_B },
      { incomingTrack: TRACK_B, outgoingTrack: 'deleted from a' },
    ];
    expect([...orderMoves([deletedMove, otherMove])]).toEqual([[otherMove, deletedMove]]);
    const new1 = { incomingTrack: 'new', outgoingTrack: 'deleted from a' };
    const deletedAway = { incomingTrack: 'deleted from a', outgoingTrack: null };
    expect([...orderMoves([new1, deletedAway])]).toEqual([[deletedAway], [new1]]);
  });
  it('lets a new track come last', () => {
    const [newMove, leavingMove] = [toMove('new', TRACK_A), toMove(TRACK_A, null)];
    expect([...orderMoves([newMove, leavingMove])]).toEqual([[leavingMove], [newMove]]);
  });
});
