// The decisions of a scan, with known rows in memory.
import { describe, expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import type { ReadResult } from '../../../server/files/reader-worker.ts';
import type { Candidate } from '../../../server/scan/walk/compare-folder.ts';
import { emptyBatch } from '../../../server/scan/walk/compare-folder.ts';
import { decide, type Decision, type FileOp, type CurrentRows } from '../../../server/scan/write/decide.ts';
import type { KnownFile } from '../../../server/scan/walk/known-files.ts';

const ONE = 1 as TrackId;
const TWO = 2 as TrackId;
const stamp = { sizeBytes: 10, mtimeUs: 20, dev: 1, ino: 2, ctimeUs: 1 };
const result = { ok: true } as Extract<ReadResult, { ok: true }>;

interface Rows {
  adopted?: TrackId[];
  files?: Record<string, TrackId | null>;
  names?: Record<string, TrackId>;
  elsewhere?: TrackId[];
  inPlace?: TrackId[];
  missing?: TrackId[];
}

const fileFacts = ({
  adopted = [],
  files = {},
  names = {},
  elsewhere = [],
  inPlace = [],
  missing = [],
}: Rows): CurrentRows => ({
  isAdopted: (id) => adopted.includes(id),
  findFile(path, name) {
    const trackId = files[`${path}/${name}`];
    return trackId === undefined ? undefined : { trackId, state: 'track' };
  },
  findTrackBySourceId: (sourceId) => names[sourceId],
  hasOtherFile: (id) => elsewhere.includes(id),
  isInPlace: (id) => inPlace.includes(id),
  isMissing: (id) => missing.includes(id),
});

const candidate = (before: Partial<KnownFile> | null = null): Candidate => ({
  name: 'a.mp3',
  ...stamp,
  lyricsMark: null,
  sheetsMark: null,
  knownFile: before && {
    name: 'a.mp3',
    ...stamp,
    state: 'track',
    reason: null,
    lyricsMark: null,
    sheetsMark: null,
    trackId: ONE,
    ...before,
  },
});
const file = (op: Partial<FileOp> = {}): FileOp => ({
  kind: 'file',
  path: 'x',
  candidate: candidate(),
  result,
  target: 'place',
  ...op,
});
const withoutOp = (decision: Decision): object =>
  Object.fromEntries(Object.entries(decision).filter(([name]) => name !== 'op'));
const decided = (op: Parameters<typeof decide>[0], rows: Rows = {}) => withoutOp(decide(op, fileFacts(rows)));

describe('a file that was read', () => {
  it.each<{ what: string; op?: Partial<FileOp>; rows?: Rows; decision: object }>([
    { what: 'in a new place is a new track', decision: { kind: 'added', result, displacedId: undefined, lostIds: [] } },
    {
      what: 'that is still being written is left alone',
      op: { result: { ok: false, reason: '', changing: true } },
      rows: { files: { 'x/a.mp3': ONE }, inPlace: [ONE] },
      decision: { kind: 'changing' },
    },
    {
      what: 'that cannot be read fails',
      op: { result: { ok: false, reason: 'no audio' } },
      decision: { kind: 'failed', reason: 'no audio', trackId: null, lostIds: [] },
    },
    {
      what: 'that cannot be read any more takes its track along, when it plays from there',
      op: { result: { ok: false, reason: 'no audio' } },
      rows: { files: { 'x/a.mp3': ONE }, inPlace: [ONE] },
      decision: { kind: 'failed', reason: 'no audio', trackId: ONE, lostIds: [ONE] },
    },
    {
      what: 'that cannot be read any more leaves a track with a copy',
      op: { result: { ok: false, reason: 'no audio' } },
      rows: { files: { 'x/a.mp3': ONE } },
      decision: { kind: 'failed', reason: 'no audio', trackId: ONE, lostIds: [] },
    },
    {
      what: 'in a known place updates its track',
      op: { candidate: candidate({ sizeBytes: 9 }) },
      rows: { files: { 'x/a.mp3': ONE } },
      decision: { kind: 'updated', result, trackId: ONE, hasOnlyLyricsChanged: false },
    },
    {
      what: 'with the same size and time has other lyrics beside it',
      op: { candidate: candidate({ lyricsMark: 'a.lrc/1/2' }) },
      rows: { files: { 'x/a.mp3': ONE } },
      decision: { kind: 'updated', result, trackId: ONE, hasOnlyLyricsChanged: true },
    },
    {
      what: 'that failed before is read whole',
      op: { candidate: candidate({ state: 'failed' }) },
      rows: { files: { 'x/a.mp3': ONE } },
      decision: { kind: 'updated', result, trackId: ONE, hasOnlyLyricsChanged: false },
    },
    {
      what: 'under the name of a track is that track',
      rows: { names: { 'x/a.mp3': TWO } },
      decision: { kind: 'updated', result, trackId: TWO, hasOnlyLyricsChanged: false },
    },
    {
      what: 'under the name of a track that has another file fails',
      rows: { names: { 'x/a.mp3': TWO }, elsewhere: [TWO] },
      decision: {
        kind: 'failed',
        reason: 'another file has the same name but for its Unicode spelling',
        trackId: null,
        lostIds: [],
      },
    },
    {
      what: 'that is a track found again moves it',
      op: { target: ONE },
      decision: { kind: 'moved', trackId: ONE, result, displacedId: undefined, lostIds: [] },
    },
    {
      what: 'that is a track found again takes the place of another',
      op: { target: ONE },
      rows: { files: { 'x/a.mp3': TWO }, inPlace: [TWO] },
      decision: { kind: 'moved', trackId: ONE, result, displacedId: TWO, lostIds: [TWO] },
    },
    {
      what: 'that is a new track takes the place of another',
      op: { target: 'new' },
      rows: { files: { 'x/a.mp3': TWO }, inPlace: [TWO] },
      decision: { kind: 'added', result, displacedId: TWO, lostIds: [TWO] },
    },
    {
      what: 'that is the track of its place updates it',
      op: { target: ONE },
      rows: { files: { 'x/a.mp3': ONE } },
      decision: { kind: 'updated', result, trackId: ONE, hasOnlyLyricsChanged: false },
    },
    {
      what: 'that is a track found twice is a track of its own',
      op: { target: ONE },
      rows: { adopted: [ONE] },
      decision: { kind: 'added', result, displacedId: undefined, lostIds: [] },
    },
  ])('$what', ({ op, rows, decision }) => {
    expect(decided(file(op), rows)).toEqual(decision);
  });
});

describe('a file that only moved', () => {
  const op = { kind: 'moved', path: 'x', candidate: candidate(), trackId: ONE } as const;
  it('keeps its track', () => {
    expect(decided(op)).toEqual({
      kind: 'moved',
      trackId: ONE,
      result: undefined,
      displacedId: undefined,
      lostIds: [],
    });
  });
  it('with a second name waits for the next scan', () => {
    expect(decided(op, { adopted: [ONE] })).toEqual({ kind: 'second' });
  });
});

describe('a folder', () => {
  const [a, b] = ['a.mp3', 'b.mp3'].map((name) => ({ ...candidate({}).knownFile, name }) as KnownFile);
  const folder = (goneFiles: KnownFile[], returnedFiles: KnownFile[]) =>
    ({ kind: 'folder', files: 0, batch: { ...emptyBatch('x'), goneFiles, returnedFiles } }) as const;

  it('loses the tracks of missing files', () => {
    const rows = { files: { 'x/a.mp3': ONE, 'x/b.mp3': TWO }, inPlace: [ONE] };
    expect(decided(folder([a as KnownFile, b as KnownFile], []), rows)).toEqual({
      kind: 'folder',
      lostIds: [ONE],
      restoredIds: [],
    });
  });
  it('loses nothing with a file that was found at another path since', () => {
    expect(decided(folder([a as KnownFile], []), { inPlace: [ONE] })).toEqual({
      kind: 'folder',
      lostIds: [],
      restoredIds: [],
    });
  });
  it('restores missing tracks whose files returned', () => {
    const rows = { files: { 'x/a.mp3': ONE, 'x/b.mp3': TWO }, missing: [TWO] };
    expect(decided(folder([], [a as KnownFile, b as KnownFile]), rows)).toEqual({
      kind: 'folder',
      lostIds: [],
      restoredIds: [TWO],
    });
  });
  it('keeps a track with one missing and one returned file', () => {
    const rows = { files: { 'x/a.mp3': ONE, 'x/b.mp3': ONE }, inPlace: [ONE] };
    expect(decided(folder([a as KnownFile], [b as KnownFile]), rows)).toEqual({
      kind: 'folder',
      lostIds: [ONE],
      restoredIds: [ONE],
    });
  });
});
