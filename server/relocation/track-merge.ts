// Returns the file to a track that lost it in a merge, when the merge is undone. Runs in the caller's transaction.
import type { SourceFiles } from '../files/source-files.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

export const createFileMerge = ({
  sourceFiles,
}: {
  sourceFiles: Pick<SourceFiles, 'moveFiles' | 'rereadTagsAtNextScan' | 'rereadFileAtNextScan'>;
}): TrackMergePart => ({
  bringBack(from, to, { tookFile }) {
    if (!tookFile) return sourceFiles.rereadFileAtNextScan(from);
    sourceFiles.moveFiles(to, from);
    sourceFiles.rereadTagsAtNextScan(from);
  },
});
