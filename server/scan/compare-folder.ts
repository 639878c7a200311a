// Compares a listed folder with what the last scan saw of it. Opens no audio file; an unchanged file costs one stat.
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { bestArtistImage, bestImage } from '../covers/nearby-cover-order.ts';
import {
  ctimeUsOf,
  isSameStamp,
  mtimeUsOf,
  stampOf,
  wasTouched,
  type FileIdentity,
  type FileNumbers,
} from '../files/file-stamp.ts';
import { lyricsMark, lyricsOf } from '../files/lyrics-files.ts';
import { fileOfSection, NEEDS_FFMPEG } from '../files/section-names.ts';
import type { KnownFile, KnownFiles } from './known-files.ts';
import { codeOf, pathIn, type Listing, type NameReason } from './list-folder.ts';

/** A file that has to be read: new, or different from what is known. */
export interface Candidate extends FileIdentity, FileNumbers {
  name: string;
  /** Of the lyrics beside it. */
  lyricsMark: string | null;
  /** Of the cue sheets in its folder. */
  sheetsMark: string | null;
  known: KnownFile | null;
  /** It looks as it did, and its tags are read all the same: somebody asked for it, or it was touched. */
  isAgain?: true;
}

/** A candidate with its folder. */
export interface ListedFile {
  path: string;
  candidate: Candidate;
}

/** What a scan finds in one folder. */
export interface FolderBatch {
  /** As spelled on disk. */
  path: string;
  imageName: string | null;
  artistImage: string | null;
  /** One of the two. */
  imageChanged: boolean;
  /** Of the listing, to be stored once every file of the folder is a track; null when there is nothing to store. */
  signature: string | null;
  candidates: Candidate[];
  /** Known files that are back with the same size and time. */
  returned: KnownFile[];
  /** Unchanged files that another mount, or another disk, numbers otherwise. */
  renumbered: (FileNumbers & { name: string })[];
  /** Known files that are not in the folder any more. */
  gone: KnownFile[];
  /** Files that failed before and did not change, or have no stat; without a name, the folder itself. */
  stillFailed: NameReason[];
  skipped: NameReason[];
  unchanged: number;
  /** Audio files that could not be looked at. */
  unreadable: number;
  /** Of the unchanged ones, those whose track was deleted, and those whose cue sheet is not used. */
  deleted: number;
  unsplit: number;
}

export const emptyBatch = (path: string): FolderBatch => ({
  path,
  imageName: null,
  artistImage: null,
  imageChanged: false,
  signature: null,
  candidates: [],
  returned: [],
  renumbered: [],
  gone: [],
  stillFailed: [],
  skipped: [],
  unchanged: 0,
  unreadable: 0,
  deleted: 0,
  unsplit: 0,
});

export interface CompareOptions {
  /** Files whose tracks were deleted are read again. */
  restore: boolean;
  /** All files are read again. */
  reread?: boolean;
  /** A file can be split into tracks: there is ffmpeg. */
  canSplit: boolean;
}

export function compareFolder(listing: Listing, known: KnownFiles, options: CompareOptions): FolderBatch {
  const { prefix, path, audio, images, texts, sheets, skipped } = listing;
  const batch = { ...emptyBatch(path), skipped };
  const folder = known.folder(path);
  batch.imageName = bestImage(images);
  batch.artistImage = bestArtistImage(images);
  batch.imageChanged =
    batch.imageName !== (folder?.imageName ?? null) || batch.artistImage !== (folder?.artistImage ?? null);
  const stats = audio.map((name) => statOf(batch, prefix, name));
  const marks = texts.length === 0 ? [] : lyricsMarks(batch, prefix, audio, texts);
  const sheetsMark = audio.length === 0 ? null : markOfSheets(prefix, sheets);
  if (audio.length === 0) for (const name of sheets) skipped.push({ name, reason: 'a cue sheet without audio' });
  const signature = signatureOf(audio, stats, marks, sheetsMark);
  if (folder?.signature === signature && !options.restore && !options.reread) {
    batch.unchanged = audio.length; // every file was a track and is the same: no row needs to be read
    return batch;
  }
  const rows = folder ? known.files(folder.id) : [];
  const before = new Map(rows.map((file) => [file.name, file]));
  const sections = Map.groupBy(rows, ({ name }) => fileOfSection(name));
  audio.forEach((name, i) => {
    const stat = stats[i];
    const file = before.get(name) ?? null;
    const tracks = sections.get(name) ?? [];
    for (const one of [name, ...tracks.map((track) => track.name)]) before.delete(one);
    if (stat) classify(batch, name, stat, { lyricsMark: marks[i] ?? null, sheetsMark }, file, tracks, options);
  });
  // a file whose track was deleted may have been renamed, so it is not gone yet
  for (const file of before.values())
    if (file.state !== 'gone' && (file.state !== 'deleted' || isRestored(file))) batch.gone.push(file);
  // files that failed, were deleted or are gone have to be looked at by each scan
  const isSettled = batch.stillFailed.length + before.size + batch.deleted + batch.unsplit === 0;
  batch.signature = isSettled && folder?.signature !== signature ? signature : null;
  return batch;
}

function classify(
  batch: FolderBatch,
  name: string,
  stat: fs.Stats,
  marks: Pick<Candidate, 'lyricsMark' | 'sheetsMark'>,
  known: KnownFile | null,
  sections: KnownFile[],
  { restore, reread = false, canSplit }: CompareOptions,
): void {
  const stamp = stampOf(stat);
  const numbers = numbersOf(stat);
  const isSame = known !== null && isSameStamp(known, stamp);
  const isTrack = known?.state === 'track' || known?.state === 'split';
  const hasOtherTexts = isTrack && (known.lyricsMark !== marks.lyricsMark || known.sheetsMark !== marks.sheetsMark);
  const isWanted = restore && [known, ...sections].some((row) => row?.state === 'deleted');
  const isBack = known?.state === 'gone' && known.trackId === null;
  const mayBeSplit = canSplit && known?.reason === NEEDS_FFMPEG;
  const isAgain = isTrack && isSame && (reread || wasTouched(known, numbers));
  if (!isSame || hasOtherTexts || isWanted || isBack || mayBeSplit || isAgain) {
    batch.candidates.push({
      name,
      ...stamp,
      ...numbers,
      ...marks,
      known,
      ...(isAgain && { isAgain }),
    });
  } else if (known.state === 'gone' || isRestored(known)) batch.returned.push(known);
  else {
    batch.unchanged++;
    if (known.dev !== numbers.dev || known.ino !== numbers.ino || known.ctimeUs !== numbers.ctimeUs)
      batch.renumbered.push({ name, ...numbers });
    batch.returned.push(...sections.filter(({ state }) => state === 'gone'));
    if (known.state === 'track' && known.reason !== null) {
      batch.unsplit++;
      batch.skipped.push({ name, reason: known.reason });
    }
    if (known.state === 'deleted') batch.deleted++;
    if (known.state === 'failed') batch.stillFailed.push({ name, reason: known.reason ?? 'it could not be read' });
  }
}

const numbersOf = (stat: fs.Stats): FileNumbers => ({ dev: stat.dev, ino: stat.ino, ctimeUs: ctimeUsOf(stat) });

/** Its track was deleted and has come back from the trash since. */
const isRestored = ({ state, trackId }: KnownFile): boolean => state === 'deleted' && trackId !== null;

function statOf(batch: FolderBatch, prefix: string | Buffer, name: string): fs.Stats | undefined {
  try {
    return fs.statSync(pathIn(prefix, name));
  } catch (error) {
    batch.unreadable++;
    batch.stillFailed.push({ name, reason: `the file cannot be looked at (${codeOf(error)})` });
    return undefined;
  }
}

/** For each audio file, the mark of its lyrics file. */
function lyricsMarks(batch: FolderBatch, prefix: string | Buffer, audio: string[], texts: string[]): (string | null)[] {
  const found = lyricsOf(audio, texts);
  for (const name of texts) if (!found.includes(name)) batch.skipped.push({ name, reason: 'not audio' });
  return found.map((name) => {
    const stat = name === undefined ? undefined : fs.statSync(pathIn(prefix, name), { throwIfNoEntry: false });
    return name === undefined || !stat ? null : lyricsMark(name, { size: stat.size, mtimeUs: mtimeUsOf(stat) });
  });
}

/** One hash of the names, sizes and times of the cue sheets; null when there are none. */
function markOfSheets(prefix: string | Buffer, sheets: string[]): string | null {
  if (sheets.length === 0) return null;
  const lines = sheets.toSorted().map((name) => {
    const stat = fs.statSync(pathIn(prefix, name), { throwIfNoEntry: false });
    return `${name}/${stat ? `${stat.size}/${Math.round(stat.mtimeMs)}` : ''}`;
  });
  return hash('sha1', lines.join('\n'), 'base64');
}

/**
 * One hash of the names, sizes, times and numbers of a folder's audio, and of the lyrics and cue sheets beside it.
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

export const hasNews = (batch: FolderBatch): boolean => changesRows(batch) || batch.skipped.length > 0;

/** False for a folder that is only counted. */
export const changesRows = (batch: FolderBatch): boolean =>
  batch.imageChanged ||
  batch.signature !== null ||
  batch.candidates.length + batch.returned.length + batch.renumbered.length > 0 ||
  batch.gone.length + batch.stillFailed.length > 0;
