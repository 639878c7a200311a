// Gives a track that had lost its file in a merge the file back when that is undone. Inside the caller's transaction.
import type { SourceFiles } from '../files/source-files.ts';
import type { TrackMergePart } from '../library/track-merge.ts';

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
