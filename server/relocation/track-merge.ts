// Returns the file to a track that lost it in a merge, when the merge is undone. Runs in the caller's transaction.
import type { SourceFiles } from '../files/source-files.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

export const createFileMerge = ({
  sourceFiles,
}: {
  sourceFiles: Pick<SourceFiles, 'handOver' | 'readTagsAgain' | 'readReturnedAgain'>;
}): TrackMergePart => ({
  bringBack(from, to, { tookFile }) {
    if (!tookFile) return sourceFiles.readReturnedAgain(from);
    sourceFiles.handOver(to, from);
    sourceFiles.readTagsAgain(from);
  },
});
