// Changed files of tracks that a person merged into others. A file with other tags, or encoded again, is still part of
// that merge, and no new track. This holds as long as the merge can be undone.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { sourceIdOf } from '../files/relative-path.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import type { Assignment } from './assign.ts';
import type { PostponedFile } from './moved-files.ts';
import { createFingerprinter, isSameMusic, type ReplacedFilesDeps } from './replaced-files.ts';

interface MergedTrack {
  keptId: TrackId;
  audioHash: string | null;
}

interface MergedFilesDeps extends Pick<ReplacedFilesDeps, 'root' | 'hearing' | 'signal' | 'goneTrackFinder'> {
  /** Nothing is listened to. */
  dryRun: boolean;
  /** Told the key of a copy of a file that no track uses. */
  onUnusedCopy: (key: string) => void;
}

export type MergedFiles = ReturnType<typeof createMergedFiles>;

export function createMergedFiles({ $client: client }: Pick<MainDb, '$client'>, source: string) {
  const find = client.prepare<[string, string], MergedTrack>(
    `SELECT merged_into AS keptId, audio_hash AS audioHash FROM trashed_tracks
      WHERE source = ? AND source_id = ? AND merged_into IS NOT NULL AND merge_reason = 'duplicate'`,
  );

  /** The track that a person merged, and whose file was at this place when nobody has the place now. */
  const findMerged = ({ path, candidate, traits }: PostponedFile): MergedTrack | undefined =>
    traits.holderId === null && candidate.knownFile?.state === 'deleted'
      ? find.get(source, sourceIdOf(path, candidate.name))
      : undefined;

  return {
    /** Gives the files; those that stay merged are settled as files of deleted tracks. */
    async keepMerged(
      files: readonly PostponedFile[],
      assignments: Map<string, Assignment>,
      deps: MergedFilesDeps,
    ): Promise<PostponedFile[]> {
      const makeFingerprint = deps.dryRun ? undefined : createFingerprinter(deps);
      const result: PostponedFile[] = [];
      for (const file of files) {
        const merged = assignments.get(file.traits.filePath) === 'new' ? findMerged(file) : undefined;
        if (!merged) {
          result.push(file);
          continue;
        }
        await yieldIfDue();
        const { audioHash } = file.traits;
        const keptTrack = deps.goneTrackFinder.goneTracks.find(merged.keptId);
        const isMerged =
          keptTrack !== undefined &&
          ((audioHash !== null && audioHash === merged.audioHash) ||
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

/** Its own place is where it was before, and no track of the trash goes with it. */
const toDeletedFile = (file: PostponedFile): PostponedFile => ({
  ...file,
  audio: undefined,
  deletedLocation: { path: file.path, name: file.candidate.name, trackIds: [] },
});
