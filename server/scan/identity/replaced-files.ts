// Identifies files whose audio differs from that of the track at their path, if no track has that audio. Their sound
// decides whether such a file is another track, a new track, or the track at the path, encoded again or edited. Files
// of tracks that a person merged stay merged.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { Hearing } from '../../enrichment/hearing.ts';
import { absoluteOf, join, sourceIdOf } from '../../files/relative-path.ts';
import { SAME_RECORDING, soundSimilarity } from '../../media/fingerprint-match.ts';
import { yieldIfDue } from '../../runtime/time-slices.ts';
import type { MusicRoots } from '../../storage/music-roots.ts';
import type { Assignment } from './assign-tracks.ts';
import { prepareComparison } from '../gone-tracks/comparable-tracks.ts';
import type { GoneTrackFinder } from '../gone-tracks/gone-track-finder.ts';
import type { GoneTrack } from '../gone-tracks/gone-candidates.ts';
import type { PostponedFile } from './moved-files.ts';
import { haveSameLength, filterCertain, seemsSame, type Match } from '../gone-tracks/same-music.ts';

/** The number of cached fingerprints, 4 KB each; others are made again when they are needed. */
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
  /** The track that was at the file's path. */
  track: GoneTrack;
}

/**
 * Changes the assignment of `replaced` files whose sound shows that they are another track, or a new one. Returns the
 * files that only the path identifies. `idsWithAudioElsewhere` are tracks whose audio another file has.
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
    await findMatches(doubtfulFiles, unassignedGoneTracks, { ...deps, makeFingerprint }),
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

  /**
   * Returns whether the file sounds like another track, deleted ones included, or has the names of another track if
   * there is no fingerprint.
   */
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

/**
 * Compares fingerprints, or length and names if a fingerprint is missing. Without `makeFingerprint`, no fingerprint is
 * made.
 */
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

/**
 * Pairs doubtful files with the tracks they may be: tracks at the path of another file, and tracks whose file is gone.
 */
async function findMatches(
  doubtfulFiles: readonly DoubtfulFile[],
  goneTracks: readonly GoneTrack[],
  {
    makeFingerprint,
    hearing,
    signal,
  }: ReplacedFilesDeps & { makeFingerprint: (file: PostponedFile) => Promise<FileFingerprint> },
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

/** Creates a function that makes the fingerprint of a file, and caches a limited number of them. */
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

// Changed files of tracks that a person merged into others: a file with other tags, or encoded again, is still part of
// that merge, and no new track. This applies as long as the merge can be undone.

interface MergedTrack {
  keptId: TrackId;
  audioHash: string | null;
}

interface MergedFilesDeps extends Pick<ReplacedFilesDeps, 'root' | 'hearing' | 'signal' | 'goneTrackFinder'> {
  /** True to make no fingerprints. */
  dryRun: boolean;
  /** Called with the key of a stored copy that no track uses. */
  onUnusedCopy: (key: string) => void;
}

export type MergedFiles = ReturnType<typeof createMergedFiles>;

export function createMergedFiles({ $client: client }: Pick<MainDb, '$client'>, source: string) {
  const findMergedAt = client.prepare<[string, string], MergedTrack>(
    `SELECT merged_into AS keptId, audio_hash AS audioHash FROM trashed_tracks
      WHERE source = ? AND source_id = ? AND merged_into IS NOT NULL AND merge_reason = 'duplicate'`,
  );

  /** Returns the merged track whose file was at this place, if no track has the place now. */
  const findMerged = ({ path, candidate, traits }: PostponedFile): MergedTrack | undefined =>
    traits.holderId === null && candidate.knownFile?.state === 'deleted'
      ? findMergedAt.get(source, sourceIdOf(path, candidate.name))
      : undefined;

  return {
    /** Returns the files. Those that stay merged are assigned as files of deleted tracks. */
    async keepMerged(
      files: readonly PostponedFile[],
      assignments: Map<string, Assignment>,
      deps: MergedFilesDeps,
    ): Promise<PostponedFile[]> {
      const makeFingerprint = deps.dryRun ? undefined : createFingerprinter(deps);
      const result: PostponedFile[] = [];
      for (const file of files) {
        const mergedTrack = assignments.get(file.traits.filePath) === 'new' ? findMerged(file) : undefined;
        if (!mergedTrack) {
          result.push(file);
          continue;
        }
        await yieldIfDue();
        const { audioHash } = file.traits;
        const keptTrack = deps.goneTrackFinder.goneTracks.find(mergedTrack.keptId);
        const isMerged =
          keptTrack !== undefined &&
          ((audioHash !== null && audioHash === mergedTrack.audioHash) ||
            (await isSameMusic(file, keptTrack, deps, makeFingerprint)));
        result.push(isMerged ? toDeletedFile(file) : file);
        if (!isMerged) continue;
        assignments.set(file.traits.filePath, 'deleted');
        if (file.audio?.stored) deps.onUnusedCopy(file.audio.stored.key);
      }
      return result;
    },
  };
}

/**
 * Converts a file to one of a deleted track: its previous location is its own place, and no track of the trash belongs
 * to it.
 */
const toDeletedFile = (file: PostponedFile): PostponedFile => ({
  ...file,
  audio: undefined,
  deletedLocation: { path: file.path, name: file.candidate.name, trackIds: [] },
});
