// Files in a track's place with other audio, of which the audio says no more: by what they sound like, they are another
// track, a new one, or the track that was there, encoded again or edited.
import type { TrackId } from '../db/ids.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import { absoluteOf, join } from '../files/relative-path.ts';
import { SAME_RECORDING, soundSimilarity } from '../media/fingerprint-match.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import type { Assignment } from './assign.ts';
import { prepareComparison } from './comparable-tracks.ts';
import type { GoneTrackFinder } from './find-gone.ts';
import type { GoneTrack } from './gone-candidates.ts';
import type { PostponedFile } from './moved-files.ts';
import { haveSameLength, filterCertain, seemsSame, type Match } from './same-music.ts';

/** Fingerprints of files that are kept, of 4 KB each; more are made again when they are needed. */
const MAX_CACHED_FINGERPRINTS = 2_000;

export interface ReplacedFilesDeps {
  root: MusicRoots;
  lastOldId: TrackId;
  signal: AbortSignal;
  hearing: Pick<Hearing, 'ofFile' | 'ofStoredAudio' | 'findSimilarTo' | 'soundsLikeDeleted'>;
  goneTrackFinder: Pick<GoneTrackFinder, 'findAmongNew' | 'findUpgraded' | 'goneTracks'>;
  now: () => Date;
}

type FileFingerprint = Awaited<ReturnType<Hearing['ofFile']>>;
export type MakeFingerprint = (file: PostponedFile) => Promise<FileFingerprint>;
interface DoubtfulFile {
  file: PostponedFile;
  /** The one that had its place. */
  track: GoneTrack;
}

/**
 * Settles the files that are `replaced` in `assigned`, where the sound says that they are another track, or a new one.
 * Returns those of which only the path tells which track they are. `idsWithAudioElsewhere`:
 * tracks whose audio another file has.
 */
export async function identifyReplacedFiles(
  files: readonly PostponedFile[],
  assignments: Map<string, Assignment>,
  idsWithAudioElsewhere: ReadonlySet<TrackId>,
  deps: ReplacedFilesDeps,
): Promise<Set<PostponedFile>> {
  const { signal, hearing } = deps;
  const { goneTracks } = deps.goneTrackFinder;
  const isReplaced = ({ traits: { filePath } }: PostponedFile): boolean => assignments.get(filePath) === 'replaced';
  const makeFingerprint = createFingerprinter(deps);
  const doubtfulFiles: DoubtfulFile[] = [];
  for (const file of files.filter(isReplaced)) {
    await yieldIfDue();
    const track = goneTracks.find(file.traits.holderId as TrackId);
    if (track && !(await isSameMusic(file, track, deps, makeFingerprint))) doubtfulFiles.push({ file, track });
  }
  if (doubtfulFiles.length === 0) return new Set();

  const assignedTracks = new Set(assignments.values());
  const unassignedGoneTracks = (await goneTracks.listGone()).filter(({ id }) => !assignedTracks.has(id));
  const certainMatches = filterCertain(
    await findMatches(doubtfulFiles, unassignedGoneTracks, { ...deps, heard: makeFingerprint }),
  );
  for (const match of certainMatches) assignments.set(match.successor.traits.filePath, match.goneId);
  const matchedIds = new Set(certainMatches.map((match) => match.goneId));
  const displacedTracks = doubtfulFiles.filter(({ track }) => !matchedIds.has(track.id)).map(({ track }) => track);
  const idsAmongNew = await deps.goneTrackFinder.findAmongNew(displacedTracks, deps);
  const upgradedIds = await deps.goneTrackFinder.findUpgraded(
    displacedTracks.map(({ id }) => id),
    { signal, now: deps.now() },
  );
  const unmatchedFiles = doubtfulFiles.filter(({ file }) => isReplaced(file));
  for (const { file, track } of unmatchedFiles) {
    await yieldIfDue();
    const isElsewhere = [matchedIds, idsAmongNew, upgradedIds, idsWithAudioElsewhere].some((ids) => ids.has(track.id));
    if (isElsewhere || (await isOtherTrack(file, track.id))) assignments.set(file.traits.filePath, 'new');
  }
  return new Set(unmatchedFiles.filter(({ file }) => isReplaced(file)).map(({ file }) => file));

  /** It sounds like another track, deleted ones included, or is called like one where nothing is heard. */
  async function isOtherTrack(file: PostponedFile, trackId: TrackId): Promise<boolean> {
    const fingerprint = await makeFingerprint(file);
    return fingerprint === undefined
      ? goneTracks.hasNamesOfOther(file.music, trackId)
      : hearing
          .findSimilarTo(fingerprint)
          .some(({ id, similarity }) => id !== trackId && similarity >= SAME_RECORDING) ||
          hearing.soundsLikeDeleted(fingerprint);
  }
}

/** By the sound of both; by length and names where one was not heard. Nothing is listened to without `heard`. */
export async function isSameMusic(
  file: PostponedFile,
  track: GoneTrack,
  { hearing, signal }: Pick<ReplacedFilesDeps, 'hearing' | 'signal'>,
  makeFingerprint: MakeFingerprint | undefined,
): Promise<boolean> {
  const trackFingerprint =
    makeFingerprint && haveSameLength(track, file.music) ? await hearing.ofStoredAudio(track.id, signal) : undefined;
  const fileFingerprint = trackFingerprint && (await makeFingerprint?.(file));
  return trackFingerprint && fileFingerprint
    ? soundSimilarity(trackFingerprint.raw, fileFingerprint.raw) >= SAME_RECORDING
    : seemsSame(track, file.music);
}

/** Doubtful files that may be the track that had the place of another one, or one whose file is gone. */
async function findMatches(
  doubtfulFiles: readonly DoubtfulFile[],
  goneTracks: readonly GoneTrack[],
  {
    heard: makeFingerprint,
    hearing,
    signal,
  }: ReplacedFilesDeps & { heard: (file: PostponedFile) => Promise<FileFingerprint> },
): Promise<Match<PostponedFile>[]> {
  const tracks = new Map([...doubtfulFiles.map(({ track }) => track), ...goneTracks].map((track) => [track.id, track]));
  const comparison = await prepareComparison(
    [...tracks.values()],
    doubtfulFiles.map(({ file }) => file.music),
    (id) => hearing.ofStoredAudio(id, signal),
  );
  const matches: Match<PostponedFile>[] = [];
  for (const { file } of doubtfulFiles) {
    await yieldIfDue();
    const { holderId } = file.traits;
    const fingerprint = comparison.hasFingerprintOfLength(file.music, holderId)
      ? await makeFingerprint(file)
      : undefined;
    for (const id of comparison.findSameMusic(file.music, fingerprint && hearing.findSimilarTo(fingerprint)))
      if (id !== holderId) matches.push({ goneId: id, successor: file });
  }
  return matches;
}

/** Makes the fingerprint of a file, once where there are not too many. */
export function createFingerprinter({
  root,
  hearing,
  signal,
}: Pick<ReplacedFilesDeps, 'root' | 'hearing' | 'signal'>): MakeFingerprint {
  const fingerprints = new Map<PostponedFile, Promise<FileFingerprint>>();
  return (file) => {
    const { path, candidate, music } = file;
    const filePath = absoluteOf(root, join(path, candidate.name));
    if (typeof filePath !== 'string' || music.format === null || music.durationMs === null)
      return Promise.resolve(undefined);
    const { format, durationMs } = music;
    const fingerprint = fingerprints.get(file) ?? hearing.ofFile({ path: filePath, format, durationMs }, signal);
    if (fingerprints.size < MAX_CACHED_FINGERPRINTS) fingerprints.set(file, fingerprint);
    return fingerprint;
  };
}
