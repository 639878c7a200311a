// The files that waited for the end of the walk, with the track that each of them is: by their audio (assign.ts), then,
// where other audio lies in a track's place and neither is known from elsewhere, by what they sound like
// (replaced-files.ts). The path decides last, and never where that would cost the only copy of other music.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { TrackId } from '../db/ids.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { absoluteOf, join } from '../files/relative-path.ts';
import { assign, inOrder, type Assigned, type PossibleTrack, type StoredCopy } from './assign.ts';
import type { DeletedOp, FileOp, ScanOp } from './decide.ts';
import type { MergedFiles } from './merged-files.ts';
import type { MovedFiles, Waiting } from './moved-files.ts';
import { relatedFiles } from './related-files.ts';
import { settleReplaced, type ReplacedDeps } from './replaced-files.ts';
import type { SeparatedTracks } from './separated-tracks.ts';

const GROUP_FILES = 64;

interface SettleDeps extends ReplacedDeps {
  /** Nothing is heard, because fingerprints are stored: what has other names in a track's place is other music. */
  dryRun: boolean;
  moved: Pick<MovedFiles, 'possible' | 'ofDeleted' | 'lookAgain'>;
  separated: Pick<SeparatedTracks, 'ofCurrent'>;
  mergedFiles: MergedFiles;
  onUnused: (key: string) => void;
  /** Files of deleted and merged tracks are asked for again. */
  restore: boolean;
  /** Reads tags again; audio and hashes are known. */
  readTags: (files: Waiting[]) => Promise<ReadResult[]>;
  push: (ops: ScanOp[]) => Promise<void>;
}

/** Hands on the files in an order in which every track has left its place before another one comes there. */
export async function settle(waiting: ReadonlyMap<string, Waiting>, deps: SettleDeps): Promise<void> {
  const { later, assigned, elsewhere, copies } = await byAudio(waiting, deps);
  const known = [...waiting.values()].filter(({ unsettled }) => assigned.has(unsettled.place));
  const now = deps.restore ? known : await deps.mergedFiles.settle(known, assigned, deps);
  const otherMusic = deps.dryRun
    ? new Set(now.filter(({ unsettled }) => assigned.get(unsettled.place) === 'replaced'))
    : await settleReplaced(now, assigned, elsewhere, deps);
  await keepCopies(otherMusic, assigned, copies, deps);
  await deps.push(
    later.map((file) => toOp(file, 'replaced', { ok: false, reason: 'it is still being written', changing: true })),
  );
  const moves = now.map((file): SettledFile => {
    const { place, known } = file.unsettled;
    const decided = assigned.get(place) as Assigned;
    const { deletedFrom: from } = file;
    return {
      file,
      assigned: decided,
      is: from ? nameOfDeleted(join(from.path, from.name)) : decided,
      known: known ?? nameOfDeleted(place),
      isOtherMusic: otherMusic.has(file),
    };
  });
  let group: (typeof moves)[] = [];
  let files = 0;
  for (const circle of inOrder(moves)) {
    group.push(circle);
    files += circle.length;
    if (files < GROUP_FILES) continue;
    await write(group, deps);
    group = [];
    files = 0;
  }
  await write(group, deps);
}

/**
 * Music that the folder has no more, taken out or written over, lives on in our copy. Other music in its place is a new
 * track, unless it has the same names, or the copy was made while the file was still being written.
 */
async function keepCopies(
  otherMusic: Set<Waiting>,
  assigned: Map<string, Assigned>,
  copies: ReadonlyMap<TrackId, CopyOfTrack>,
  deps: Pick<SettleDeps, 'root' | 'signal'>,
): Promise<void> {
  for (const file of otherMusic) {
    const { place, known, called } = file.unsettled;
    const copied = known === null ? undefined : copies.get(known);
    if (!copied || copied.called === called || (await beginsWith(file, copied.copy, deps))) continue;
    assigned.set(place, 'new');
    otherMusic.delete(file);
  }
}

/** The file is longer than the copy, and begins with its bytes. */
async function beginsWith(
  { path, candidate }: Waiting,
  { sha256, sizeBytes }: StoredCopy,
  { root, signal }: Pick<SettleDeps, 'root' | 'signal'>,
): Promise<boolean> {
  if (sizeBytes === 0 || candidate.sizeBytes <= sizeBytes) return false;
  const hash = createHash('sha256');
  const begin = createReadStream(absoluteOf(root, join(path, candidate.name)), { end: sizeBytes - 1 });
  try {
    await pipeline(begin, hash, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false; // it cannot be read now; the next scan will tell
  }
  return hash.digest('hex') === sha256;
}

/** The name of a deleted track in the order of the moves: its place tells it from others. */
const nameOfDeleted = (place: string): string => `deleted from ${place}`;

interface SettledFile {
  file: Waiting;
  assigned: Assigned;
  /** `inOrder` goes by these two: the track that comes to the place, and the one that leaves it. */
  is: TrackId | string;
  known: TrackId | string;
  isOtherMusic: boolean;
}

interface ByAudio {
  /** Files that cannot be settled yet. */
  later: Waiting[];
  /** All others, by place. */
  assigned: Map<string, Assigned>;
  /** Tracks in whose place other audio lies, and whose own another file has. */
  elsewhere: Set<TrackId>;
  copies: Map<TrackId, CopyOfTrack>;
}

/** A track that has a copy of our own. */
interface CopyOfTrack {
  copy: StoredCopy;
  called: string;
}

async function byAudio(waiting: ReadonlyMap<string, Waiting>, deps: SettleDeps): Promise<ByAudio> {
  const { moved, after, dryRun, signal } = deps;
  const found: ByAudio = { later: [], assigned: new Map(), elsewhere: new Set(), copies: new Map() };
  moved.lookAgain();
  for await (const { files, tracks } of relatedFiles(waiting, moved.possible)) {
    signal.throwIfAborted();
    const isChanging = stillChanging(tracks);
    const now: Waiting[] = [];
    for (const file of files) (isChanging(file) ? found.later : now).push(file);
    const assigned = assign(
      now.map(({ unsettled }) => unsettled),
      tracks,
      after,
      moved.ofDeleted(now),
    );
    if (!dryRun) giveBack(now, tracks, assigned, deps);
    const audioThere = new Set(now.map(({ unsettled }) => unsettled.audioHash));
    const tracksThere = Map.groupBy(tracks.filter(isThere), ({ audioHash }) => audioHash);
    for (const { id, audioHash, copy, called } of tracks) {
      if (copy) found.copies.set(id, { copy, called });
      const others = tracksThere.get(audioHash) ?? [];
      if (audioHash !== null && (audioThere.has(audioHash) || others.some((other) => other.id !== id)))
        found.elsewhere.add(id);
    }
    for (const [place, is] of assigned) found.assigned.set(place, is);
  }
  return found;
}

const isThere = ({ places }: PossibleTrack): boolean => places.some(({ state }) => state === 'here');

/**
 * Tracks that get back the audio that they had before other music lay at their paths leave that music to the tracks
 * that had joined them for it.
 */
function giveBack(
  files: readonly Waiting[],
  tracks: readonly PossibleTrack[],
  assigned: Map<string, Assigned>,
  { separated }: SettleDeps,
): void {
  const former = new Map(tracks.filter(({ formerHash }) => formerHash !== null).map((track) => [track.id, track]));
  if (former.size === 0) return;
  for (const { unsettled } of files) {
    const track = former.get(assigned.get(unsettled.place) as TrackId);
    if (!track || track.formerHash !== unsettled.audioHash) continue;
    const [first] = separated.ofCurrent(track.id);
    const left = files.find(
      (file) => file.unsettled.known === track.id && file.unsettled.audioHash === track.audioHash,
    );
    if (first !== undefined && left && assigned.get(left.unsettled.place) === 'new')
      assigned.set(left.unsettled.place, first);
  }
}

/** Its audio is that of a track whose file is being written: that file says which of them is the copy. */
function stillChanging(tracks: readonly PossibleTrack[]): (file: Waiting) => boolean {
  const changing = tracks.filter(({ places }) => places.some(({ state }) => state === 'changed'));
  const hashes = new Set(changing.map(({ audioHash }) => audioHash));
  return ({ unsettled: { audioHash } }) => audioHash !== null && hashes.has(audioHash);
}

async function write(circles: SettledFile[][], { readTags, push, signal }: SettleDeps) {
  signal.throwIfAborted();
  const withAudioRead = circles.flat().filter(({ file }) => file.read !== undefined);
  const results = await readTags(withAudioRead.map(({ file }) => file));
  const resultOf = new Map(withAudioRead.map((move, i) => [move, results[i] as ReadResult]));
  const opsOf = (move: SettledFile): (FileOp | DeletedOp)[] => {
    const { path, candidate, deletedFrom } = move.file;
    const result = resultOf.get(move);
    const op = result && toOp(move.file, move.assigned, result);
    return [
      ...(deletedFrom ? [{ kind: 'deleted' as const, path, candidate, from: deletedFrom, isWanted: !!result }] : []),
      ...(op ? [move.isOtherMusic ? { ...op, isOtherMusic: true } : op] : []),
    ];
  };
  await push(
    circles.map((circle): ScanOp => {
      const [first, ...others] = circle.flatMap(opsOf) as [FileOp, ...FileOp[]];
      return others.length === 0 ? first : { kind: 'rotation', ops: [first, ...others] };
    }),
  );
}

function toOp({ path, candidate, unsettled }: Waiting, assigned: Assigned, result: ReadResult): FileOp {
  // of a deleted track that is asked for again: its place was given to it before
  const isOfPlace = assigned === 'replaced' || assigned === 'deleted';
  const is = isOfPlace || (assigned === 'new' && unsettled.known === null) ? 'place' : assigned;
  const { known } = unsettled;
  const was = known === null || isOfPlace || assigned === known ? undefined : known;
  return { kind: 'file', path, candidate, result, is, ...(was !== undefined && { was }) };
}
