// The end of the identify stage, when the walk is over: assigns tracks to files that may be another track than the one
// at their path.
import { nameInLyricsStamp } from '../../files/lyrics-names.ts';
import { join } from '../../files/relative-path.ts';
import { partsOf, yieldIfDue } from '../../runtime/time-slices.ts';
import { toUri } from '../../storage/uri.ts';
import type { PostponedFile } from '../identity/moved-files.ts';
import { readCopies, readGroup, storeCopies, toNewFile, withoutSplitIfNoFfmpeg } from './3-read-files.ts';
import type { Scan } from '../scan-context.ts';
import { assignPostponedFiles } from '../identity/postponed-files.ts';

/** The number of files for which the tracks that they belonged to are looked up at once. */
const GROUP_FILES = 64;

export async function identifyPostponedFiles(scan: Scan): Promise<void> {
  const { deps, options, rows } = scan;
  const { postponedFiles, movedFiles, mergedFiles } = scan.identity;
  const { roots: root, dryRun, restore, signal } = options;
  if (postponedFiles.size === 0) return;
  for (const files of partsOf([...postponedFiles.values()], GROUP_FILES)) {
    await yieldIfDue();
    if (!dryRun) deps.separatedTracks.separateByFormerAudio(files.map(({ traits }) => traits.audioHash));
    for (const formerOwnersFile of movedFiles.listFilesOfFormerOwners(files, postponedFiles)) {
      const readResults = await (scan.scope.modeAt(formerOwnersFile.path) === 'copy'
        ? readCopies(scan, [formerOwnersFile])
        : readGroup(scan, [formerOwnersFile], 'hashed'));
      for (const file of (await storeCopies(scan, readResults)).flatMap(toNewFile))
        postponedFiles.set(join(file.path, file.candidate.name), movedFiles.postpone(file));
    }
  }
  await assignPostponedFiles(postponedFiles, {
    ...deps,
    root,
    dryRun,
    restore,
    signal,
    movedFiles,
    mergedFiles,
    lastOldId: scan.unfinishedScans.lastOldId(),
    onUnusedCopy: (key) => scan.record.replacedUris.push(toUri(deps.storage, key)),
    async readTags(files) {
      const paths = files.map(({ path, candidate: { name, sizeBytes, mtimeUs, lyricsMark, sheetsMark } }) => ({
        path: join(path, name),
        sizeBytes,
        mtimeUs,
        lyrics: lyricsMark && join(path, nameInLyricsStamp(lyricsMark)),
        sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
      }));
      const results = await deps.reader.read({ root, paths, copyTo: null, hashLarge: false });
      const readFiles = results.map((result, i) => {
        const { path, candidate } = files[i] as PostponedFile;
        return { path, candidate, result };
      });
      return scan
        .detectCharsets(readFiles)
        .map(({ result }, i) =>
          result.ok ? withoutSplitIfNoFfmpeg({ ...result, ...files[i]?.audio }, scan.canSplit) : result,
        );
    },
    async push(ops) {
      await rows.hasRoom();
      rows.push(ops);
    },
  });
}
