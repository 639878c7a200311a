// Identify stage: decides which track each file is, if its content or its path leaves no doubt. All other files are
// postponed.
import { join } from '../../files/relative-path.ts';
import { hasOnlyOtherLyrics, type ScanOp } from '../write/decide.ts';
import { toNewFile } from './3-read-files.ts';
import type { Scan } from '../scan-context.ts';
import type { ReadFile } from '../copies/store-copies.ts';

/** Returns the files whose track is certain, and postpones the others. */
export async function identifyFiles(
  { identity: { movedFiles, postponedFiles, uncertainCandidates, locationsToRestore } }: Scan,
  files: ReadFile[],
): Promise<ScanOp[]> {
  const readableFiles = files
    .filter(({ result, candidate }) => result.ok && !hasOnlyOtherLyrics(candidate))
    .flatMap(toNewFile);
  const targets = await movedFiles.identifyByContent(readableFiles);
  const targetByCandidate = new Map(readableFiles.map((file, i) => [file.candidate, { file, is: targets[i] }]));
  return files.flatMap((readFile): ScanOp[] => {
    const { file, is = 'place' } = targetByCandidate.get(readFile.candidate) ?? {};
    const deletedFrom = locationsToRestore.get(readFile.candidate);
    if (file && (is === 'unsure' || uncertainCandidates.has(readFile.candidate) || deletedFrom)) {
      postponedFiles.set(join(readFile.path, readFile.candidate.name), movedFiles.postpone(file, deletedFrom));
      return [];
    }
    return [{ kind: 'file', ...readFile, target: is === 'unsure' ? 'place' : is }];
  });
}
