// Read and store stages: reads tags, and in copy mode copies or hashes the files that fit.
import { AppError } from '../errors.ts';
import { nameInLyricsStamp } from '../files/lyrics-files.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { join } from '../files/relative-path.ts';
import { NEEDS_FFMPEG_REASON } from '../files/section-names.ts';
import type { Candidate, ListedFile } from './compare-folder.ts';
import { hasOnlyOtherLyrics } from './decide.ts';
import type { NewFile } from './moved-files.ts';
import type { Scan } from './scan-context.ts';
import { recordRefused } from './scan-record.ts';
import type { ReadFile } from './store-copies.ts';

/**
 * Reads tags, and in copy mode copies or hashes the file. A bad file is a result, one that does not fit is left out; a
 * full disk ends the scan.
 */
export async function readFiles(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  // large files are hashed in one go with the copy; elsewhere later, unless their audio may be another than before
  const readModeOf = ({ path, candidate }: ListedFile): ReadMode =>
    scan.modeAt(path) === 'copy'
      ? 'copied'
      : mayHaveOtherAudio(candidate) || scan.uncertainCandidates.has(candidate)
        ? 'hashed'
        : 'indexed';
  const results: ReadFile[] = [];
  for (const [mode, filesOfMode] of Map.groupBy(files, readModeOf))
    results.push(...(await (mode === 'copied' ? readCopies(scan, filesOfMode) : readGroup(scan, filesOfMode, mode))));
  const hashedResults = await hashWhereNeeded(scan, results);
  const fileByCandidate = new Map(scan.detectCharsets(hashedResults).map((file) => [file.candidate, file]));
  return files.flatMap(({ candidate }) => fileByCandidate.get(candidate) ?? []);
}

/** Copies the files that fit. If some do not, files whose content is stored already are looked for first. */
export async function readCopies(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const { copyQuota, record } = scan;
  let storedFiles: ReadFile[] = [];
  let reservation = await copyQuota.reserve(files);
  if (reservation.files.length < files.length) {
    reservation.release();
    storedFiles = await readStored(scan, files);
    const storedCandidates = new Set(storedFiles.map(({ candidate }) => candidate));
    const otherFiles = files.filter(({ candidate }) => !storedCandidates.has(candidate));
    reservation = await copyQuota.reserve(otherFiles);
    const fittingFiles = new Set(reservation.files);
    const refusedFiles = otherFiles.filter((file) => !fittingFiles.has(file));
    recordRefused(record, refusedFiles.map(copyQuota.costOf), reservation.availableBytes);
  }
  try {
    return [...storedFiles, ...(await readGroup(scan, reservation.files, 'copied'))];
  } finally {
    reservation.release();
  }
}

/** Reads the files that need no copy: their content is stored, or cannot be read. */
async function readStored(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const sizes = await scan.copyQuota.storedSizeCounts();
  const possiblyStored = files.filter(({ candidate }) => sizes.has(candidate.sizeBytes));
  const results = await readGroup(scan, possiblyStored, 'named');
  const isStored = await Promise.all(results.map(async ({ result }) => !result.ok || scan.copyQuota.isStored(result)));
  return results.filter((_, i) => isStored[i]);
}

/** `copied`: into the storage · `named`: hashed for that · `hashed`: also large files · `indexed`: these later */
type ReadMode = 'copied' | 'named' | 'hashed' | 'indexed';

export async function readGroup(scan: Scan, files: ListedFile[], mode: ReadMode): Promise<ReadFile[]> {
  if (files.length === 0) return [];
  const results = await scan.reader.read({
    root: scan.root,
    paths: files.map(({ path, candidate: { name, sizeBytes, mtimeUs, dev, lyricsMark, sheetsMark } }) => ({
      path: join(path, name),
      sizeBytes,
      mtimeUs,
      dev,
      lyrics: lyricsMark && join(path, nameInLyricsStamp(lyricsMark)),
      sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
    })),
    copyTo: mode === 'copied' ? scan.copyTo : null,
    hashWholeFile: mode === 'named' || (mode === 'copied' && scan.sendCopies !== undefined),
    hashLarge: mode !== 'indexed',
  });
  scan.heap.hold(); // only now, when the reading thread has loaded its code
  if (results.some((result) => !result.ok && result.fatal))
    throw new AppError(
      'storage_full',
      `The disk is full. ${scan.record.addedCount} tracks were added; free some space and scan again to continue.`,
    );
  return files.map((file, i) => ({ ...file, result: withoutSplitIfNoFfmpeg(results[i] as ReadResult, scan.canSplit) }));
}

/** Without ffmpeg, the tracks of a file could not be played. */
export const withoutSplitIfNoFfmpeg = (result: ReadResult, canSplit: boolean): ReadResult =>
  result.ok && result.split?.sections && !canSplit ? { ...result, split: { fault: NEEDS_FFMPEG_REASON } } : result;

/** Reads new files again, with their hash, if they may be tracks whose files moved. */
async function hashWhereNeeded(scan: Scan, files: ReadFile[]): Promise<ReadFile[]> {
  const unhashedFiles = files
    .flatMap(toNewFile)
    .filter(({ candidate, result }) => result.audioHash === null && !hasOnlyOtherLyrics(candidate));
  if (unhashedFiles.length === 0) return files;
  const isHashNeeded = await scan.movedFiles.findFilesToHash(unhashedFiles);
  const isSplit = ({ result }: NewFile): boolean => result.split?.sections !== undefined; // known by hash and offset
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

/** Whether the file is in the place of a deleted track, whose own file may be elsewhere. */
export const isAtPathOfDeleted = ({ knownFile }: Candidate): boolean =>
  knownFile?.state === 'deleted' && knownFile.trackId === null;

export const toNewFile = ({ path, candidate, result }: ReadFile): NewFile[] =>
  result.ok ? [{ path, candidate, result }] : [];

/** Sends the files to the storage. Where it is a folder, the reading thread has copied them already. */
export const storeCopies = async ({ sendCopies }: Scan, files: ReadFile[]): Promise<ReadFile[]> =>
  sendCopies?.(files) ?? files;
