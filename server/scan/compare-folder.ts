// Compares a listed folder with what the last scan saw of it. Opens no audio file; an unchanged file costs one stat.
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { bestImage } from '../covers/cover-order.ts';
import { isSameStamp, mtimeUsOf, stampOf, type FileIdentity } from '../files/file-stamp.ts';
import { lyricsMark, lyricsOf } from '../files/lyrics-files.ts';
import type { KnownFile, KnownFiles } from './known-files.ts';
import { codeOf, pathIn, type Listing, type NameReason } from './list-folder.ts';

/** A file that has to be read: new, or different from what is known. */
export interface Candidate extends FileIdentity {
  name: string;
  /** Of the lyrics beside it. */
  lyricsMark: string | null;
  known: KnownFile | null;
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
  imageChanged: boolean;
  /** Of the listing, to be stored once every file of the folder is a track; null when there is nothing to store. */
  signature: string | null;
  candidates: Candidate[];
  /** Known files that are back with the same size and time. */
  returned: KnownFile[];
  /** Known files that are not in the folder any more. */
  gone: KnownFile[];
  /** Files that failed before and did not change, or have no stat; without a name, the folder itself. */
  stillFailed: NameReason[];
  skipped: NameReason[];
  unchanged: number;
  /** Of the unchanged ones, those whose track was deleted. */
  deleted: number;
}

export const emptyBatch = (path: string): FolderBatch => ({
  path,
  imageName: null,
  imageChanged: false,
  signature: null,
  candidates: [],
  returned: [],
  gone: [],
  stillFailed: [],
  skipped: [],
  unchanged: 0,
  deleted: 0,
});

/** With `restore`, files whose tracks were deleted are read again. */
export function compareFolder(listing: Listing, known: KnownFiles, restore: boolean): FolderBatch {
  const { prefix, path, audio, images, texts, skipped } = listing;
  const batch = { ...emptyBatch(path), skipped };
  const folder = known.folder(path);
  batch.imageName = bestImage(images);
  batch.imageChanged = batch.imageName !== (folder?.imageName ?? null);
  const stats = audio.map((name) => statOf(batch, prefix, name));
  const marks = texts.length === 0 ? [] : lyricsMarks(batch, prefix, audio, texts);
  const signature = signatureOf(audio, stats, marks);
  if (folder?.signature === signature && !restore) {
    batch.unchanged = audio.length; // every file was a track and is the same: no row needs to be read
    return batch;
  }
  const before = new Map<string, KnownFile>();
  if (folder) for (const file of known.files(folder.id)) before.set(file.name, file);
  audio.forEach((name, i) => {
    const stat = stats[i];
    const file = before.get(name) ?? null;
    before.delete(name);
    if (stat) classify(batch, name, stat, marks[i] ?? null, file, restore);
  });
  // a file whose track was deleted may have been renamed, so it is not gone yet
  for (const file of before.values()) if (file.state !== 'gone' && file.state !== 'deleted') batch.gone.push(file);
  // files that failed, were deleted or are gone have to be looked at by each scan
  const isSettled = batch.stillFailed.length + before.size + batch.deleted === 0;
  batch.signature = isSettled && folder?.signature !== signature ? signature : null;
  return batch;
}

function classify(
  batch: FolderBatch,
  name: string,
  stat: fs.Stats,
  mark: string | null,
  known: KnownFile | null,
  restore: boolean,
): void {
  const stamp = stampOf(stat);
  const isSame = known !== null && isSameStamp(known, stamp);
  const hasOtherLyrics = known?.state === 'track' && known.lyricsMark !== mark;
  if (!isSame || hasOtherLyrics || (known.state === 'deleted' && restore)) {
    batch.candidates.push({ name, ...stamp, dev: stat.dev, ino: stat.ino, lyricsMark: mark, known });
  } else if (known.state === 'gone') batch.returned.push(known);
  else {
    batch.unchanged++;
    if (known.state === 'deleted') batch.deleted++;
    if (known.state === 'failed') batch.stillFailed.push({ name, reason: known.reason ?? 'it could not be read' });
  }
}

function statOf(batch: FolderBatch, prefix: string | Buffer, name: string): fs.Stats | undefined {
  try {
    return fs.statSync(pathIn(prefix, name));
  } catch (error) {
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

/** One hash of the names, sizes and times of a folder's audio and of the lyrics beside it. */
function signatureOf(audio: string[], stats: (fs.Stats | undefined)[], marks: (string | null)[]): string {
  let text = '';
  for (let i = 0; i < audio.length; i++) {
    const stat = stats[i];
    text += `${audio[i]}/${stat ? stat.size : ''}/${stat ? mtimeUsOf(stat) : ''}\n`;
    if (marks[i]) text += `${marks[i]}\n`;
  }
  return hash('sha1', text, 'base64');
}

export const hasNews = (batch: FolderBatch): boolean => changesRows(batch) || batch.skipped.length > 0;

/** False for a folder that is only counted. */
export const changesRows = (batch: FolderBatch): boolean =>
  batch.imageChanged ||
  batch.signature !== null ||
  batch.candidates.length + batch.returned.length + batch.gone.length + batch.stillFailed.length > 0;
