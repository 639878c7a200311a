// Changed files of tracks that a person merged into others. A file with other tags, or encoded again, is still part of
// that merge, and no new track. This holds as long as the merge can be undone.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { sourceIdOf } from '../files/relative-path.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import type { Assigned } from './assign.ts';
import type { Waiting } from './moved-files.ts';
import { createEar, isSameMusic, type ReplacedDeps } from './replaced-files.ts';

interface MergedTrack {
  kept: TrackId;
  audioHash: string | null;
}

interface MergedFilesDeps extends Pick<ReplacedDeps, 'root' | 'hearing' | 'signal' | 'findGone'> {
  /** Nothing is listened to. */
  dryRun: boolean;
  /** Told the key of a copy of a file that no track uses. */
  onUnused: (key: string) => void;
}

export type MergedFiles = ReturnType<typeof createMergedFiles>;

export function createMergedFiles({ $client: client }: Pick<MainDb, '$client'>, source: string) {
  const find = client.prepare<[string, string], MergedTrack>(
    `SELECT merged_into AS kept, audio_hash AS audioHash FROM trashed_tracks
      WHERE source = ? AND source_id = ? AND merged_into IS NOT NULL AND merge_reason = 'duplicate'`,
  );

  /** The track that a person merged, and whose file was at this place when nobody has the place now. */
  const findMerged = ({ path, candidate, unsettled }: Waiting): MergedTrack | undefined =>
    unsettled.known === null && candidate.known?.state === 'deleted'
      ? find.get(source, sourceIdOf(path, candidate.name))
      : undefined;

  return {
    /** Gives the files; those that stay merged are settled as files of deleted tracks. */
    async settle(
      files: readonly Waiting[],
      assigned: Map<string, Assigned>,
      deps: MergedFilesDeps,
    ): Promise<Waiting[]> {
      const ear = deps.dryRun ? undefined : createEar(deps);
      const settled: Waiting[] = [];
      for (const file of files) {
        const merged = assigned.get(file.unsettled.place) === 'new' ? findMerged(file) : undefined;
        if (!merged) {
          settled.push(file);
          continue;
        }
        await yieldIfDue();
        const { audioHash } = file.unsettled;
        const keptTrack = deps.findGone.goneTracks.find(merged.kept);
        const isMerged =
          keptTrack !== undefined &&
          ((audioHash !== null && audioHash === merged.audioHash) || (await isSameMusic(file, keptTrack, deps, ear)));
        settled.push(isMerged ? stayingMerged(file) : file);
        if (!isMerged) continue;
        assigned.set(file.unsettled.place, 'deleted');
        if (file.read?.stored) deps.onUnused(file.read.stored.key);
      }
      return settled;
    },
  };
}

/** Its own place is where it was before, and no track of the trash goes with it. */
const stayingMerged = (file: Waiting): Waiting => ({
  ...file,
  read: undefined,
  deletedFrom: { path: file.path, name: file.candidate.name, trackIds: [] },
});
