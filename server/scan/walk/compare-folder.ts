// Compares a listed folder with what the last scan saw of it. Opens no audio file; an unchanged file costs one stat.
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { bestArtistImage, bestImage } from '../../covers/nearby-cover-order.ts';
import {
  ctimeUsOf,
  isSameStamp,
  mtimeUsOf,
  stampOf,
  wasTouched,
  type FileIdentity,
  type InodeStamp,
} from '../../files/file-stamp.ts';
import { lyricsStamp, findLyricsFiles } from '../../files/lyrics-names.ts';
import { fileOfSection, NEEDS_FFMPEG_REASON } from '../../files/section-names.ts';
import type { PlaylistFileChange } from '../../playlist-files/queries.ts';
import type { KnownFile, KnownFileLookup } from './known-files.ts';
import { codeOf, pathIn, type Listing, type NameReason } from './list-folder.ts';

/** A file that has to be read, because it is new or differs from its row. */
export interface Candidate extends FileIdentity, InodeStamp {
  name: string;
  /** Changes when the lyrics file beside the audio file changes. */
  lyricsMark: string | null;
  /** Changes when a cue sheet in the file's folder changes. */
  sheetsMark: string | null;
  knownFile: KnownFile | null;
  /**
   * True if the file looks unchanged, but its tags are read again: a person asked for that, or the file was touched.
   */
  isReread?: true;
}

/** A candidate with its folder. */
export interface ListedFile {
  path: string;
  candidate: Candidate;
}

/** What a scan finds in one folder. */
export interface FolderBatch {
  /** The folder's path as spelled on disk. */
  path: string;
  imageName: string | null;
  artistImage: string | null;
  /** True if one of the two pictures changed. */
  imageChanged: boolean;
  /** The absolute path of the folder, if a link leads to it. */
  linkTarget: string | null;
  linkChanged: boolean;
  /**
   * The signature of the listing, to be stored once every file of the folder is a track; null when there is nothing to
   * store.
   */
  signature: string | null;
  candidates: Candidate[];
  /** Known files that have reappeared with the same size and time. */
  returnedFiles: KnownFile[];
  /** Unchanged files whose device or inode number changed, as on another mount or disk. */
  renumberedFiles: (InodeStamp & { name: string })[];
  /** Known files that are not in the folder any more. */
  goneFiles: KnownFile[];
  /**
   * Unchanged files that failed before, and files without a stat; an entry without a name stands for the folder itself.
   */
  repeatedFailures: NameReason[];
  skippedFiles: NameReason[];
  /** Playlist files that are new, changed or gone. */
  playlistChanges: PlaylistFileChange[];
  unchangedCount: number;
  /** The number of audio files that could not be examined. */
  unreadableCount: number;
  /**
   * The number of unchanged files whose track was deleted; `unsplitCount` counts unchanged files whose cue sheet is not
   * used.
   */
  deletedCount: number;
  unsplitCount: number;
}

export const emptyBatch = (path: string): FolderBatch => ({
  path,
  imageName: null,
  artistImage: null,
  imageChanged: false,
  linkTarget: null,
  linkChanged: false,
  signature: null,
  candidates: [],
  returnedFiles: [],
  renumberedFiles: [],
  goneFiles: [],
  repeatedFailures: [],
  skippedFiles: [],
  playlistChanges: [],
  unchangedCount: 0,
  unreadableCount: 0,
  deletedCount: 0,
  unsplitCount: 0,
});

export interface CompareOptions {
  /** True to read files again whose tracks were deleted. */
  restore: boolean;
  /** True to read all files again. */
  reread?: boolean;
  /** True if files can be split into tracks, because ffmpeg is installed. */
  canSplit: boolean;
}

export function compareFolder(
  listing: Listing,
  knownFiles: KnownFileLookup,
  options: CompareOptions & { linkTarget: string | null },
): FolderBatch {
  const { prefix, path, audioNames, images, lyricsNames, sheetNames, skippedFiles } = listing;
  const batch: FolderBatch = { ...emptyBatch(path), skippedFiles };
  const folder = knownFiles.findFolder(path);
  batch.imageName = bestImage(images);
  batch.artistImage = bestArtistImage(images);
  batch.imageChanged =
    batch.imageName !== (folder?.imageName ?? null) || batch.artistImage !== (folder?.artistImage ?? null);
  batch.linkTarget = options.linkTarget;
  batch.linkChanged = batch.linkTarget !== (folder?.linkTarget ?? null);
  const stats = audioNames.map((name) => statOf(batch, prefix, name));
  const lyricsMarkOfFile = lyricsNames.length === 0 ? [] : lyricsMarks(batch, prefix, audioNames, lyricsNames);
  const sheetsMark = audioNames.length === 0 ? null : sheetsMarkOf(prefix, sheetNames);
  if (audioNames.length === 0)
    for (const name of sheetNames) skippedFiles.push({ name, reason: 'a cue sheet without audio' });
  const signature = signatureOf(audioNames, stats, lyricsMarkOfFile, sheetsMark);
  if (folder?.signature === signature && !options.restore && !options.reread) {
    // the listing is the same and every file is a track, so no row needs to be read
    batch.unchangedCount = audioNames.length;
    return batch;
  }
  const rows = folder ? knownFiles.listFiles(folder.id) : [];
  const unmatchedRows = new Map(rows.map((file) => [file.name, file]));
  const sectionsByFile = Map.groupBy(rows, ({ name }) => fileOfSection(name));
  audioNames.forEach((name, i) => {
    const stat = stats[i];
    const file = unmatchedRows.get(name) ?? null;
    const tracks = sectionsByFile.get(name) ?? [];
    for (const rowName of [name, ...tracks.map((track) => track.name)]) unmatchedRows.delete(rowName);
    if (stat)
      classify(batch, name, stat, { lyricsMark: lyricsMarkOfFile[i] ?? null, sheetsMark }, file, tracks, options);
  });
  // a file whose track was deleted may have been renamed, so it is not gone yet
  for (const file of unmatchedRows.values())
    if (file.state !== 'gone' && (file.state !== 'deleted' || isRestored(file))) batch.goneFiles.push(file);
  // each scan has to examine files that failed, were deleted or are gone
  const isSettled = batch.repeatedFailures.length + unmatchedRows.size + batch.deletedCount + batch.unsplitCount === 0;
  batch.signature = isSettled && folder?.signature !== signature ? signature : null;
  return batch;
}

function classify(
  batch: FolderBatch,
  name: string,
  stat: fs.Stats,
  marks: Pick<Candidate, 'lyricsMark' | 'sheetsMark'>,
  knownFile: KnownFile | null,
  sections: KnownFile[],
  { restore, reread = false, canSplit }: CompareOptions,
): void {
  const stamp = stampOf(stat);
  const numbers = fileNumbersOf(stat);
  const isUnchanged = knownFile !== null && isSameStamp(knownFile, stamp);
  const isTrack = knownFile?.state === 'track' || knownFile?.state === 'split';
  const hasOtherTexts =
    isTrack && (knownFile.lyricsMark !== marks.lyricsMark || knownFile.sheetsMark !== marks.sheetsMark);
  const isRestoreRequested = restore && [knownFile, ...sections].some((row) => row?.state === 'deleted');
  const isGoneWithoutTrack = knownFile?.state === 'gone' && knownFile.trackId === null;
  const mayBeSplit = canSplit && knownFile?.reason === NEEDS_FFMPEG_REASON;
  const isReread = isTrack && isUnchanged && (reread || wasTouched(knownFile, numbers));
  if (!isUnchanged || hasOtherTexts || isRestoreRequested || isGoneWithoutTrack || mayBeSplit || isReread) {
    batch.candidates.push({
      name,
      ...stamp,
      ...numbers,
      ...marks,
      knownFile,
      ...(isReread && { isReread }),
    });
  } else if (knownFile.state === 'gone' || isRestored(knownFile)) batch.returnedFiles.push(knownFile);
  else {
    batch.unchangedCount++;
    if (knownFile.dev !== numbers.dev || knownFile.ino !== numbers.ino || knownFile.ctimeUs !== numbers.ctimeUs)
      batch.renumberedFiles.push({ name, ...numbers });
    batch.returnedFiles.push(...sections.filter(({ state }) => state === 'gone'));
    if (knownFile.state === 'track' && knownFile.reason !== null) {
      batch.unsplitCount++;
      batch.skippedFiles.push({ name, reason: knownFile.reason });
    }
    if (knownFile.state === 'deleted') batch.deletedCount++;
    if (knownFile.state === 'failed')
      batch.repeatedFailures.push({ name, reason: knownFile.reason ?? 'it could not be read' });
  }
}

const fileNumbersOf = (stat: fs.Stats): InodeStamp => ({ dev: stat.dev, ino: stat.ino, ctimeUs: ctimeUsOf(stat) });

/** Returns whether the file's track was deleted and has been restored from the trash since. */
const isRestored = ({ state, trackId }: KnownFile): boolean => state === 'deleted' && trackId !== null;

function statOf(batch: FolderBatch, prefix: string | Buffer, name: string): fs.Stats | undefined {
  try {
    return fs.statSync(pathIn(prefix, name));
  } catch (error) {
    batch.unreadableCount++;
    batch.repeatedFailures.push({ name, reason: `the file cannot be looked at (${codeOf(error)})` });
    return undefined;
  }
}

/**
 * Returns, for each audio file, a text with name, size and time of its lyrics file, which changes with that file; null
 * without one.
 */
function lyricsMarks(batch: FolderBatch, prefix: string | Buffer, audio: string[], texts: string[]): (string | null)[] {
  const lyricsNames = findLyricsFiles(audio, texts);
  for (const name of texts) if (!lyricsNames.includes(name)) batch.skippedFiles.push({ name, reason: 'not audio' });
  return lyricsNames.map((name) => {
    const stat = name === undefined ? undefined : fs.statSync(pathIn(prefix, name), { throwIfNoEntry: false });
    return name === undefined || !stat ? null : lyricsStamp(name, { size: stat.size, mtimeUs: mtimeUsOf(stat) });
  });
}

/** Returns one hash of the names, sizes and times of the cue sheets; null when there are none. */
function sheetsMarkOf(prefix: string | Buffer, sheets: string[]): string | null {
  if (sheets.length === 0) return null;
  const lines = sheets.toSorted().map((name) => {
    const stat = fs.statSync(pathIn(prefix, name), { throwIfNoEntry: false });
    return `${name}/${stat ? `${stat.size}/${Math.round(stat.mtimeMs)}` : ''}`;
  });
  return hash('sha1', lines.join('\n'), 'base64');
}

/**
 * Returns one hash of the names, sizes, times and inodes of a folder's audio, and of the lyrics and cue sheets beside
 * it.
 */
function signatureOf(
  audio: string[],
  stats: (fs.Stats | undefined)[],
  marks: (string | null)[],
  sheetsMark: string | null,
): string {
  let text = sheetsMark === null ? '' : `${sheetsMark}\n`;
  for (let i = 0; i < audio.length; i++) {
    const stat = stats[i];
    text += stat
      ? `${audio[i]}/${stat.size}/${mtimeUsOf(stat)}/${stat.dev}/${stat.ino}/${ctimeUsOf(stat)}\n`
      : `${audio[i]}//\n`;
    if (marks[i]) text += `${marks[i]}\n`;
  }
  return hash('sha1', text, 'base64');
}

export const hasContent = (batch: FolderBatch): boolean =>
  changesRows(batch) || batch.skippedFiles.length + batch.playlistChanges.length > 0;

/** Returns false for a folder that is only counted. */
export const changesRows = (batch: FolderBatch): boolean =>
  batch.imageChanged ||
  batch.linkChanged ||
  batch.signature !== null ||
  batch.candidates.length + batch.returnedFiles.length + batch.renumberedFiles.length > 0 ||
  batch.goneFiles.length + batch.repeatedFailures.length > 0;
