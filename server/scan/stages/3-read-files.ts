// Read and store stages: reads tags, and in copy mode copies or hashes the files that fit.
import { AppError } from '../../errors.ts';
import { nameInLyricsStamp } from '../../files/lyrics-names.ts';
import type { ReadResult } from '../../files/reader-worker.ts';
import { join } from '../../files/relative-path.ts';
import { NEEDS_FFMPEG_REASON } from '../../files/section-names.ts';
import type { Candidate, ListedFile } from '../walk/compare-folder.ts';
import { hasOnlyOtherLyrics } from '../write/decide.ts';
import type { NewFile } from '../identity/moved-files.ts';
import type { Scan } from '../scan-context.ts';
import { recordRefused } from '../scan-record.ts';
import type { ReadFile } from '../copies/store-copies.ts';

/**
 * Reads tags, and in copy mode copies or hashes the files. For a damaged file the result is the reason, a file that
 * does not fit is left out, and a full disk ends the scan.
 */
export async function readFiles(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  // A file that is copied is hashed while it is copied. A large file that is only indexed is hashed later, unless its
  // audio may differ.
  const readModeOf = ({ path, candidate }: ListedFile): ReadMode =>
    scan.scope.modeAt(path) === 'copy'
      ? 'copied'
      : mayHaveOtherAudio(candidate) || scan.identity.uncertainCandidates.has(candidate)
        ? 'hashed'
        : 'indexed';
  const results: ReadFile[] = [];
  for (const [mode, filesOfMode] of Map.groupBy(files, readModeOf))
    results.push(...(await (mode === 'copied' ? readCopies(scan, filesOfMode) : readGroup(scan, filesOfMode, mode))));
  const hashedResults = await hashWhereNeeded(scan, results);
  const fileByCandidate = new Map(scan.detectCharsets(hashedResults).map((file) => [file.candidate, file]));
  return files.flatMap(({ candidate }) => fileByCandidate.get(candidate) ?? []);
}

/** Copies the files that fit. If some do not fit, files whose content is already stored are found first. */
export async function readCopies(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const { quota } = scan.copies;
  let storedFiles: ReadFile[] = [];
  let reservation = await quota.reserve(files);
  if (reservation.files.length < files.length) {
    reservation.release();
    storedFiles = await readStored(scan, files);
    const storedCandidates = new Set(storedFiles.map(({ candidate }) => candidate));
    const otherFiles = files.filter(({ candidate }) => !storedCandidates.has(candidate));
    reservation = await quota.reserve(otherFiles);
    const fittingFiles = new Set(reservation.files);
    const refusedFiles = otherFiles.filter((file) => !fittingFiles.has(file));
    recordRefused(scan.record, refusedFiles.map(quota.costOf), reservation.availableBytes);
  }
  try {
    return [...storedFiles, ...(await readGroup(scan, reservation.files, 'copied'))];
  } finally {
    reservation.release();
  }
}

/** Reads files to find those that need no copy: their content is stored, or they cannot be read. */
async function readStored(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const sizes = await scan.copies.quota.storedSizeCounts();
  const possiblyStored = files.filter(({ candidate }) => sizes.has(candidate.sizeBytes));
  const results = await readGroup(scan, possiblyStored, 'named');
  const isStored = await Promise.all(
    results.map(async ({ result }) => !result.ok || scan.copies.quota.isStored(result)),
  );
  return results.filter((_, i) => isStored[i]);
}

/**
 * `copied`: copied into the storage. `named`: hashed to find the stored copy. `hashed`: hashed, also large files.
 * `indexed`: hashed, but large files later.
 */
type ReadMode = 'copied' | 'named' | 'hashed' | 'indexed';

export async function readGroup(scan: Scan, files: ListedFile[], mode: ReadMode): Promise<ReadFile[]> {
  if (files.length === 0) return [];
  const results = await scan.deps.reader.read({
    root: scan.options.roots,
    paths: files.map(({ path, candidate: { name, sizeBytes, mtimeUs, dev, lyricsMark, sheetsMark } }) => ({
      path: join(path, name),
      sizeBytes,
      mtimeUs,
      dev,
      lyrics: lyricsMark && join(path, nameInLyricsStamp(lyricsMark)),
      sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
    })),
    copyTo: mode === 'copied' ? scan.copies.targetFolder : null,
    hashWholeFile: mode === 'named' || (mode === 'copied' && scan.copies.send !== undefined),
    hashLarge: mode !== 'indexed',
  });
  scan.heap.hold(); // the heap is limited only now, when the reading thread has loaded its code
  if (results.some((result) => !result.ok && result.fatal))
    throw new AppError(
      'storage_full',
      `The disk is full. ${scan.record.addedCount} tracks were added; free some space and scan again to continue.`,
    );
  return files.map((file, i) => ({ ...file, result: withoutSplitIfNoFfmpeg(results[i] as ReadResult, scan.canSplit) }));
}

/** Returns the result without its sections if ffmpeg is missing: the tracks of such a file could not be played. */
export const withoutSplitIfNoFfmpeg = (result: ReadResult, canSplit: boolean): ReadResult =>
  result.ok && result.split?.sections && !canSplit ? { ...result, split: { fault: NEEDS_FFMPEG_REASON } } : result;

/** Reads new files again, with their hash, if they may be tracks whose files moved. */
async function hashWhereNeeded(scan: Scan, files: ReadFile[]): Promise<ReadFile[]> {
  const unhashedFiles = files
    .flatMap(toNewFile)
    .filter(({ candidate, result }) => result.audioHash === null && !hasOnlyOtherLyrics(candidate));
  if (unhashedFiles.length === 0) return files;
  const isHashNeeded = await scan.identity.movedFiles.findFilesToHash(unhashedFiles);
  // sections are recognized by the file's hash and their offset
  const isSplit = ({ result }: NewFile): boolean => result.split?.sections !== undefined;
  const mustRead = (file: NewFile, i: number): boolean =>
    (isHashNeeded[i] && !file.candidate.isReread) || isSplit(file);
  const candidatesToRead = new Set(unhashedFiles.filter(mustRead).map(({ candidate }) => candidate));
  const rereadFiles = await readGroup(
    scan,
    files.filter(({ candidate }) => candidatesToRead.has(candidate)),
    'hashed',
  );
  return [...files.filter(({ candidate }) => !candidatesToRead.has(candidate)), ...rereadFiles];
}

const mayHaveOtherAudio = (candidate: Candidate): boolean =>
  (candidate.knownFile?.trackId ?? null) !== null && !candidate.isReread && !hasOnlyOtherLyrics(candidate);

/** Returns whether the file is at the path of a deleted track, whose own file may be elsewhere. */
export const isAtPathOfDeleted = ({ knownFile }: Candidate): boolean =>
  knownFile?.state === 'deleted' && knownFile.trackId === null;

export const toNewFile = ({ path, candidate, result }: ReadFile): NewFile[] =>
  result.ok ? [{ path, candidate, result }] : [];

/** Sends the files to the storage. If the storage is a folder, the reading thread has already copied them. */
export const storeCopies = async ({ copies }: Scan, files: ReadFile[]): Promise<ReadFile[]> =>
  copies.send?.(files) ?? files;
