// The files that waited for the end of the walk, with the track that each of them is: by their audio (assign.ts), then,
// where other audio lies in a track's place and neither is known from elsewhere, by what they sound like. The path
// decides last.
import type { TrackId } from '../db/ids.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { absoluteOf, join } from '../files/relative-path.ts';
import { SAME_RECORDING, soundSimilarity } from '../media/fingerprint-match.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import { assign, inOrder, type Assigned, type PossibleTrack } from './assign.ts';
import type { FileOp, ScanOp } from './decide.ts';
import type { FindGone } from './find-gone.ts';
import type { GoneTrack } from './gone-candidates.ts';
import type { MovedFiles, Waiting } from './moved-files.ts';
import type { SeparatedTracks } from './separated-tracks.ts';
import { isAsLong, onlyCertain, seemsSame, type Match } from './same-music.ts';

const GROUP_FILES = 64;

interface SettleDeps {
  root: MusicRoots;
  after: TrackId;
  signal: AbortSignal;
  /** Nothing is heard, because fingerprints are stored. */
  dryRun: boolean;
  moved: Pick<MovedFiles, 'possible'>;
  hearing: Pick<Hearing, 'ofFile' | 'ofKept' | 'like'>;
  findGone: Pick<FindGone, 'amongNew' | 'goneTracks'>;
  separated: Pick<SeparatedTracks, 'ofCurrent'>;
  /** Reads tags again; audio and hashes are known. */
  readTags: (files: Waiting[]) => Promise<ReadResult[]>;
  push: (ops: ScanOp[]) => Promise<void>;
}

/** Hands on the files in an order in which every track has left its place before another one comes there. */
export async function settle(waiting: ReadonlyMap<string, Waiting>, deps: SettleDeps): Promise<void> {
  const possible = await deps.moved.possible(waiting);
  const files = [...waiting.values()];
  const later = files.filter((file) => isStillChanging(file, possible));
  const now = files.filter((file) => !later.includes(file));
  const assigned = assign(
    now.map(({ unsettled }) => unsettled),
    possible,
    deps.after,
  );
  if (!deps.dryRun) giveBack(now, possible, assigned, deps);
  const otherMusic = deps.dryRun ? new Set<Waiting>() : await bySound(now, possible, assigned, deps);
  await deps.push(
    later.map((file) => toOp(file, 'replaced', { ok: false, reason: 'it is still being written', changing: true })),
  );
  const moves = now.map((file) => ({
    file,
    is: assigned.get(file.unsettled.place) as Assigned,
    known: file.unsettled.known,
    isOtherMusic: otherMusic.has(file),
  }));
  let group: (typeof moves)[] = [];
  for (const circle of inOrder(moves)) {
    group.push(circle);
    if (group.flat().length < GROUP_FILES) continue;
    await write(group, deps);
    group = [];
  }
  await write(group, deps);
}

/**
 * Tracks that get back the audio that they had before other music lay at their paths leave that music to the tracks
 * that had joined them for it.
 */
function giveBack(
  files: readonly Waiting[],
  possible: readonly PossibleTrack[],
  assigned: Map<string, Assigned>,
  { separated }: SettleDeps,
): void {
  for (const { unsettled } of files) {
    const track = possible.find(({ id }) => id === assigned.get(unsettled.place));
    if (!track || track.formerHash === null || track.formerHash !== unsettled.audioHash) continue;
    const [first] = separated.ofCurrent(track.id);
    const left = files.find(
      (file) => file.unsettled.known === track.id && file.unsettled.audioHash === track.audioHash,
    );
    if (first !== undefined && left && assigned.get(left.unsettled.place) === 'new')
      assigned.set(left.unsettled.place, first);
  }
}

/** Its audio is that of a track whose file is being written: that file says which of them is the copy. */
const isStillChanging = ({ unsettled: { audioHash } }: Waiting, possible: readonly PossibleTrack[]): boolean =>
  audioHash !== null &&
  possible.some((track) => track.audioHash === audioHash && track.places.some(({ state }) => state === 'changed'));

async function write(
  circles: { file: Waiting; is: Assigned; isOtherMusic: boolean }[][],
  { readTags, push, signal }: SettleDeps,
) {
  signal.throwIfAborted();
  const all = circles.flat();
  const results = await readTags(all.map(({ file }) => file));
  const ops = new Map(
    all.map((move, i) => {
      const op = toOp(move.file, move.is, results[i] as ReadResult);
      return [move, move.isOtherMusic ? { ...op, isOtherMusic: true } : op];
    }),
  );
  const opsOf = (circle: typeof all): FileOp[] => circle.map((move) => ops.get(move) as FileOp);
  await push(
    circles.map((circle): ScanOp => {
      const [first, ...others] = opsOf(circle) as [FileOp, ...FileOp[]];
      return others.length === 0 ? first : { kind: 'rotation', ops: [first, ...others] };
    }),
  );
}

function toOp({ path, candidate, unsettled }: Waiting, assigned: Assigned, result: ReadResult): FileOp {
  const is = assigned === 'replaced' || (assigned === 'new' && unsettled.known === null) ? 'place' : assigned;
  return { kind: 'file', path, candidate, result, is };
}

/**
 * Settles files that are `replaced`, where the sound says that they are another track, or a new one. Gives those of
 * which only the path tells which track they are.
 */
async function bySound(
  files: readonly Waiting[],
  possible: readonly PossibleTrack[],
  assigned: Map<string, Assigned>,
  deps: SettleDeps,
): Promise<Set<Waiting>> {
  const { signal, hearing, root } = deps;
  const { goneTracks } = deps.findGone;
  const replaced = files.filter(({ unsettled }) => assigned.get(unsettled.place) === 'replaced');
  if (replaced.length === 0) return new Set();
  const sounds = new Map<Waiting, ReturnType<Hearing['ofFile']>>();
  const given = new Set(assigned.values());
  const elsewhere = goneTracks.list().filter(({ id }) => !given.has(id));
  const doubtful: { file: Waiting; track: GoneTrack }[] = [];
  for (const file of replaced) {
    const track = goneTracks.find(file.unsettled.known as TrackId);
    if (track && !(await isSame(file, track))) doubtful.push({ file, track });
  }
  if (doubtful.length === 0) return new Set();

  const rows = [...doubtful.map(({ track }) => track), ...elsewhere];
  const matches: Match<Waiting>[] = [];
  for (const { file } of doubtful)
    for (const track of rows)
      if (isAsLong(track, file.music) && track.id !== file.unsettled.known && (await isSame(file, track)))
        matches.push({ gone: track.id, now: file });
  const certain = onlyCertain(matches);
  for (const { gone, now } of certain) assigned.set(now.unsettled.place, gone);
  const found = new Set(certain.map(({ gone }) => gone));
  const lost = doubtful.filter(({ track }) => !found.has(track.id)).map(({ track }) => track);
  const amongNew = await deps.findGone.amongNew(lost, deps);
  const left = doubtful.filter(({ file }) => assigned.get(file.unsettled.place) === 'replaced');
  for (const { file, track } of left)
    if (found.has(track.id) || amongNew.has(track.id) || isElsewhere(track) || (await isOther(file, track.id)))
      assigned.set(file.unsettled.place, 'new');
  return new Set(left.filter(({ file }) => assigned.get(file.unsettled.place) === 'replaced').map(({ file }) => file));

  /** It sounds like another track, or is called like one where nothing is heard. */
  async function isOther(file: Waiting, known: TrackId): Promise<boolean> {
    const sound = await heard(file);
    return sound === undefined
      ? goneTracks.isNamedAs(file.music, known)
      : hearing.like(sound).some(({ id, similarity }) => id !== known && similarity >= SAME_RECORDING);
  }

  /** Another file has the audio that the track had. */
  function isElsewhere({ id, audioHash }: GoneTrack): boolean {
    return (
      audioHash !== null &&
      (files.some(({ unsettled }) => unsettled.audioHash === audioHash) ||
        possible.some(
          (other) =>
            other.id !== id && other.audioHash === audioHash && other.places.some(({ state }) => state === 'here'),
        ))
    );
  }

  async function isSame(file: Waiting, track: GoneTrack): Promise<boolean> {
    const before = isAsLong(track, file.music) ? await hearing.ofKept(track.id, signal) : undefined;
    const now = before && (await heard(file));
    return before && now ? soundSimilarity(before.raw, now.raw) >= SAME_RECORDING : seemsSame(track, file.music);
  }

  function heard(file: Waiting): ReturnType<Hearing['ofFile']> {
    const { path, candidate, music } = file;
    const place = absoluteOf(root, join(path, candidate.name));
    if (typeof place !== 'string' || music.format === null || music.durationMs === null)
      return Promise.resolve(undefined);
    const made =
      sounds.get(file) ?? hearing.ofFile({ path: place, format: music.format, durationMs: music.durationMs }, signal);
    sounds.set(file, made);
    return made;
  }
}
