// Tests the decisions of a scan with known rows in memory.
import { describe, expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import type { ReadResult } from '../../../server/files/reader-worker.ts';
import type { Candidate } from '../../../server/scan/walk/compare-folder.ts';
import { emptyBatch } from '../../../server/scan/walk/compare-folder.ts';
import { decide, type Decision, type FileOp, type CurrentRows } from '../../../server/scan/write/decide.ts';
import type { KnownFile } from '../../../server/scan/walk/known-files.ts';

const FIRST_ID = 1 as TrackId;
const SECOND_ID = 2 as TrackId;
const stamp = { sizeBytes: 10, mtimeUs: 20, dev: 1, ino: 2, ctimeUs: 1 };
const result = { ok: true } as Extract<ReadResult, { ok: true }>;

interface Rows {
  adoptedIds?: TrackId[];
  files?: Record<string, TrackId | null>;
  names?: Record<string, TrackId>;
  otherFileIds?: TrackId[];
  inPlaceIds?: TrackId[];
  missingIds?: TrackId[];
}

const fileFacts = ({
  adoptedIds = [],
  files = {},
  names = {},
  otherFileIds = [],
  inPlaceIds = [],
  missingIds = [],
}: Rows): CurrentRows => ({
  isAdopted: (id) => adoptedIds.includes(id),
  findFile(path, name) {
    const trackId = files[`${path}/${name}`];
    return trackId === undefined ? undefined : { trackId, state: 'track' };
  },
  findTrackBySourceId: (sourceId) => names[sourceId],
  hasOtherFile: (id) => otherFileIds.includes(id),
  isInPlace: (id) => inPlaceIds.includes(id),
  isMissing: (id) => missingIds.includes(id),
});

const candidate = (knownRow: Partial<KnownFile> | null = null): Candidate => ({
  name: 'a.mp3',
  ...stamp,
  lyricsMark: null,
  sheetsMark: null,
  knownFile: knownRow && {
    name: 'a.mp3',
    ...stamp,
    state: 'track',
    reason: null,
    lyricsMark: null,
    sheetsMark: null,
    trackId: FIRST_ID,
    ...knownRow,
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
const decideWithRows = (op: Parameters<typeof decide>[0], rows: Rows = {}) => withoutOp(decide(op, fileFacts(rows)));

describe('a file that was read', () => {
  it.each<{ what: string; op?: Partial<FileOp>; rows?: Rows; decision: object }>([
    { what: 'in a new place is a new track', decision: { kind: 'added', result, displacedId: undefined, lostIds: [] } },
    {
      what: 'that is still being written is left alone',
      op: { result: { ok: false, reason: '', changing: true } },
      rows: { files: { 'x/a.mp3': FIRST_ID }, inPlaceIds: [FIRST_ID] },
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
      rows: { files: { 'x/a.mp3': FIRST_ID }, inPlaceIds: [FIRST_ID] },
      decision: { kind: 'failed', reason: 'no audio', trackId: FIRST_ID, lostIds: [FIRST_ID] },
    },
    {
      what: 'that cannot be read any more leaves a track with a copy',
      op: { result: { ok: false, reason: 'no audio' } },
      rows: { files: { 'x/a.mp3': FIRST_ID } },
      decision: { kind: 'failed', reason: 'no audio', trackId: FIRST_ID, lostIds: [] },
    },
    {
      what: 'in a known place updates its track',
      op: { candidate: candidate({ sizeBytes: 9 }) },
      rows: { files: { 'x/a.mp3': FIRST_ID } },
      decision: { kind: 'updated', result, trackId: FIRST_ID, hasOnlyLyricsChanged: false },
    },
    {
      what: 'with the same size and time has other lyrics beside it',
      op: { candidate: candidate({ lyricsMark: 'a.lrc/1/2' }) },
      rows: { files: { 'x/a.mp3': FIRST_ID } },
      decision: { kind: 'updated', result, trackId: FIRST_ID, hasOnlyLyricsChanged: true },
    },
    {
      what: 'that failed before is read whole',
      op: { candidate: candidate({ state: 'failed' }) },
      rows: { files: { 'x/a.mp3': FIRST_ID } },
      decision: { kind: 'updated', result, trackId: FIRST_ID, hasOnlyLyricsChanged: false },
    },
    {
      what: 'under the name of a track is that track',
      rows: { names: { 'x/a.mp3': SECOND_ID } },
      decision: { kind: 'updated', result, trackId: SECOND_ID, hasOnlyLyricsChanged: false },
    },
    {
      what: 'under the name of a track that has another file fails',
      rows: { names: { 'x/a.mp3': SECOND_ID }, otherFileIds: [SECOND_ID] },
      decision: {
        kind: 'failed',
        reason: 'another file has the same name but for its Unicode spelling',
        trackId: null,
        lostIds: [],
      },
    },
    {
      what: 'that is a track found again moves it',
      op: { target: FIRST_ID },
      decision: { kind: 'moved', trackId: FIRST_ID, result, displacedId: undefined, lostIds: [] },
    },
    {
      what: 'that is a track found again takes the place of another',
      op: { target: FIRST_ID },
      rows: { files: { 'x/a.mp3': SECOND_ID }, inPlaceIds: [SECOND_ID] },
      decision: { kind: 'moved', trackId: FIRST_ID, result, displacedId: SECOND_ID, lostIds: [SECOND_ID] },
    },
    {
      what: 'that is a new track takes the place of another',
      op: { target: 'new' },
      rows: { files: { 'x/a.mp3': SECOND_ID }, inPlaceIds: [SECOND_ID] },
      decision: { kind: 'added', result, displacedId: SECOND_ID, lostIds: [SECOND_ID] },
    },
    {
      what: 'that is the track of its place updates it',
      op: { target: FIRST_ID },
      rows: { files: { 'x/a.mp3': FIRST_ID } },
      decision: { kind: 'updated', result, trackId: FIRST_ID, hasOnlyLyricsChanged: false },
    },
    {
      what: 'that is a track found twice is a track of its own',
      op: { target: FIRST_ID },
      rows: { adoptedIds: [FIRST_ID] },
      decision: { kind: 'added', result, displacedId: undefined, lostIds: [] },
    },
  ])('$what', ({ op, rows, decision }) => {
    expect(decideWithRows(file(op), rows)).toEqual(decision);
  });
});

describe('a file that only moved', () => {
  const op = { kind: 'moved', path: 'x', candidate: candidate(), trackId: FIRST_ID } as const;
  it('keeps its track', () => {
    expect(decideWithRows(op)).toEqual({
      kind: 'moved',
      trackId: FIRST_ID,
      result: undefined,
      displacedId: undefined,
      lostIds: [],
    });
  });
  it('with a second name waits for the next scan', () => {
    expect(decideWithRows(op, { adoptedIds: [FIRST_ID] })).toEqual({ kind: 'second' });
  });
});

describe('a folder', () => {
  const [firstFile, secondFile] = ['a.mp3', 'b.mp3'].map((name) => ({ ...candidate({}).knownFile, name }) as KnownFile);
  const folder = (goneFiles: KnownFile[], returnedFiles: KnownFile[]) =>
    ({ kind: 'folder', files: 0, batch: { ...emptyBatch('x'), goneFiles, returnedFiles } }) as const;

  it('loses the tracks of missing files', () => {
    const rows = { files: { 'x/a.mp3': FIRST_ID, 'x/b.mp3': SECOND_ID }, inPlaceIds: [FIRST_ID] };
    expect(decideWithRows(folder([firstFile as KnownFile, secondFile as KnownFile], []), rows)).toEqual({
      kind: 'folder',
      lostIds: [FIRST_ID],
      restoredIds: [],
    });
  });
  it('loses nothing with a file that has since been found at another path', () => {
    expect(decideWithRows(folder([firstFile as KnownFile], []), { inPlaceIds: [FIRST_ID] })).toEqual({
      kind: 'folder',
      lostIds: [],
      restoredIds: [],
    });
  });
  it('restores missing tracks whose files returned', () => {
    const rows = { files: { 'x/a.mp3': FIRST_ID, 'x/b.mp3': SECOND_ID }, missingIds: [SECOND_ID] };
    expect(decideWithRows(folder([], [firstFile as KnownFile, secondFile as KnownFile]), rows)).toEqual({
      kind: 'folder',
      lostIds: [],
      restoredIds: [SECOND_ID],
    });
  });
  it('keeps a track with one missing and one returned file', () => {
    const rows = { files: { 'x/a.mp3': FIRST_ID, 'x/b.mp3': FIRST_ID }, inPlaceIds: [FIRST_ID] };
    expect(decideWithRows(folder([firstFile as KnownFile], [secondFile as KnownFile]), rows)).toEqual({
      kind: 'folder',
      lostIds: [FIRST_ID],
      restoredIds: [FIRST_ID],
    });
  });
});
