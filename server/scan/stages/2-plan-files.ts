// Plan stage: decides which files of a group have to be read.
import { fileKey } from '../../files/file-stamp.ts';
import { join } from '../../files/relative-path.ts';
import type { ListedFile } from '../walk/compare-folder.ts';
import type { ScanOp } from '../write/decide.ts';
import { isAtPathOfDeleted } from './3-read-files.ts';
import type { Scan } from '../scan-context.ts';

/** Returns the files that have to be read: all except files that only moved, and files that were already postponed. */
export async function planFiles(
  { options: { restore }, scope: { modeAt }, identity }: Scan,
  listedFiles: ListedFile[],
): Promise<{ ops: ScanOp[]; toRead: ListedFile[] }> {
  const { movedFiles, postponedFiles, uncertainCandidates, locationsToRestore } = identity;
  const group = listedFiles.filter(({ path, candidate }) => {
    const postponedFile = postponedFiles.get(join(path, candidate.name));
    return !postponedFile || fileKey(postponedFile.candidate) !== fileKey(candidate);
  });
  const matches = await movedFiles.identifyByFile(group);
  const ops: ScanOp[] = [];
  const toRead = group.filter((file, i) => {
    const match = matches[i];
    // a sheet may split the file that was not beside it before
    const mayBeSplit = match !== undefined && file.candidate.sheetsMark !== null;
    if (match === 'unsure' || mayBeSplit || isAtPathOfDeleted(file.candidate)) uncertainCandidates.add(file.candidate);
    if (!match || match === 'unsure' || mayBeSplit) return true;
    if ('deletedLocation' in match) {
      if (restore) locationsToRestore.set(file.candidate, match.deletedLocation);
      else
        postponedFiles.set(
          join(file.path, file.candidate.name),
          movedFiles.postponeUnread(file, match.deletedLocation),
        );
      return restore;
    }
    // the file moved from a folder that is only indexed into one whose files are copied
    if (modeAt(file.path) === 'copy' && modeAt(match.from) !== 'copy') return true;
    ops.push({ kind: 'moved', ...file, trackId: match.trackId });
    return false;
  });
  return { ops, toRead };
}
