// First stage of a scan: lists the import folder and compares it with what the last scan saw. Runs in a worker thread
// on synchronous calls (limits.md: 227k files/s against 15–25k with awaits). Opens no audio file; an unchanged file
// costs one stat.
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { sep } from 'node:path';
import { textToName } from '../storage/file-names.ts';
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { LYRICS_EXTENSIONS, lyricsMark, lyricsOf } from '../files/lyrics-files.ts';
import { IGNORE_MARKS, PICTURE_EXTENSIONS } from '../files/music-names.ts';
import type { TrackId } from '../db/ids.ts';
import { mtimeUsOf } from '../files/file-stamp.ts';
import { absoluteOf, isBelow, join, textOf } from '../files/relative-path.ts';

/** What the database knows of a file. */
export interface KnownFile {
  name: string;
  sizeBytes: number;
  mtimeUs: number;
  state: 'track' | 'failed' | 'deleted' | 'gone';
  reason: string | null;
  lyricsMark: string | null;
  trackId: TrackId | null;
}

/** Reads what the last scan saw; over the worker's own read-only connection. */
export interface KnownFiles {
  folder(path: string): { id: number; imageName: string | null; signature: string | null } | undefined;
  files(folderId: number): KnownFile[];
  /** Paths of known folders at or below `path`. */
  foldersBelow(path: string): { id: number; path: string }[];
  /** Files of a folder that are not marked gone or deleted. */
  present(folderId: number): KnownFile[];
}

/** A file that has to be read: new, or different from what is known. */
export interface Candidate {
  name: string;
  sizeBytes: number;
  mtimeUs: number;
  dev: number;
  ino: number;
  /** Of the lyrics beside it. */
  lyricsMark: string | null;
  known: KnownFile | null;
}

export interface FolderBatch {
  /** Relative to the import path, as spelled on disk; '' is the import path itself. */
  path: string;
  imageName: string | null;
  imageChanged: boolean;
  /**
   * Of the listing; what is to be stored once every file of the folder is a track. Null when that is stored already, or
   * cannot be.
   */
  signature: string | null;
  candidates: Candidate[];
  /** Known files that are back with the same size and time. */
  returned: KnownFile[];
  /** Known files whose name is not in the listing of their folder any more. */
  gone: KnownFile[];
  /** Files that failed before and are unchanged since, or cannot be looked at; without a name, the folder itself. */
  stillFailed: { name: string; reason: string }[];
  skipped: { name: string; reason: string }[];
  unchanged: number;
  /** Of them, those that a person deleted. */
  deleted: number;
}

export interface WalkOptions {
  /** Absolute path of the import folder. */
  root: string;
  /** Folders to walk with all below them, relative, none of them inside another; [''] walks all. */
  folders: string[];
  known: KnownFiles;
  /** Deleted tracks come back. */
  restore: boolean;
}

/** Names of cover pictures beside the audio, best first. */
const COVER_NAMES = ['cover', 'folder', 'front', 'album', 'albumart', 'albumartsmall'];
const MAX_DEPTH = 128;
/** Unchanged files between two reports of a walk that finds nothing. */
const COUNT_EVERY = 2_000;
const DOT = 0x2e;

/**
 * Gives one batch per folder that has anything to say, and at the end one that only counts. Folders that cannot be
 * listed shield what is known below them.
 */
export function* walk(options: WalkOptions): Generator<FolderBatch> {
  const visited = new Set<string>();
  const shielded: string[] = [];
  const [first = ''] = options.folders;
  const pending = options.folders.toReversed();
  let quiet = emptyBatch(first);
  while (pending.length > 0) {
    const path = pending.pop() as string;
    const batch = emptyBatch(path);
    const listing = list(options.root, path, batch);
    if (listing === undefined || listing.isIgnored) {
      shielded.push(path);
      if (listing === undefined) yield batch;
      continue;
    }
    visited.add(path);
    compare(options, listing, batch);
    for (let i = listing.folders.length - 1; i >= 0; i--) {
      const folder = listing.folders[i] as string;
      if (listing.depth < MAX_DEPTH) pending.push(join(path, folder));
      else batch.skipped.push({ name: folder, reason: `the folder is more than ${MAX_DEPTH} levels deep` });
    }
    if (hasNews(batch)) yield batch;
    else quiet.unchanged += batch.unchanged;
    if (quiet.unchanged > COUNT_EVERY) {
      yield { ...quiet, path };
      quiet = emptyBatch(first);
    }
  }
  yield* goneFolders(options, visited, shielded);
  if (quiet.unchanged > 0) yield quiet;
}

interface Listing {
  /** Absolute path with a slash at its end, or bytes where the folder's name is no UTF-8. */
  prefix: string | Buffer;
  path: string;
  depth: number;
  /** Marked by an `.ignore` or `.nomedia` file. */
  isIgnored: boolean;
  folders: string[];
  audio: string[];
  images: { name: string; extension: string }[];
  /** Lyrics, perhaps: those that lie beside audio of the same name. */
  texts: string[];
}

/** Undefined when the folder cannot be listed; the batch then says why. */
function list(root: string, path: string, batch: FolderBatch): Listing | undefined {
  const absolute = absoluteOf(root, path);
  const listing: Listing = {
    prefix: typeof absolute === 'string' ? `${absolute}/` : Buffer.concat([absolute, Buffer.from('/')]),
    path,
    depth: path.split('/').length,
    isIgnored: false,
    folders: [],
    audio: [],
    images: [],
    texts: [],
  };
  let dirents: fs.Dirent<string | Buffer>[];
  try {
    dirents = fs.readdirSync(absolute, { withFileTypes: true });
    // A name that is no UTF-8 arrives with replacement characters and could not be opened again: list once more as
    // bytes.
    if (dirents.some((d) => (d.name as string).includes('\ufffd')))
      dirents = fs.readdirSync(absolute, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    batch.stillFailed.push({
      name: '',
      reason: `the folder cannot be listed (${isDenied(error) ? 'permission denied' : codeOf(error)}); its tracks stay as they are`,
    });
    return undefined;
  }
  for (const dirent of dirents) sort(listing, batch, root, textOf(dirent.name), dirent);
  return listing;
}

function sort(
  listing: Listing,
  batch: FolderBatch,
  root: string,
  name: string,
  dirent: fs.Dirent<string | Buffer>,
): void {
  const skip = (reason: string): void => {
    batch.skipped.push({ name, reason });
  };
  if (name.charCodeAt(0) === DOT) {
    if (IGNORE_MARKS.includes(name)) listing.isIgnored = true;
    else skip('hidden, because its name begins with a dot');
    return;
  }
  if (dirent.isDirectory()) return void listing.folders.push(name);
  if (!dirent.isFile()) {
    const problem = dirent.isSymbolicLink()
      ? linkProblem(root, join(listing.path, name))
      : 'not a file (a pipe, socket or device)';
    if (problem) return skip(problem);
  }
  const extension = extensionOf(name);
  if (AUDIO_EXTENSIONS.has(extension)) listing.audio.push(name);
  else if (PICTURE_EXTENSIONS.has(extension)) listing.images.push({ name, extension });
  else if (LYRICS_EXTENSIONS.includes(extension)) listing.texts.push(name);
  else skip('not audio');
}

/** A link is followed only to a file inside the import path: links to folders could loop, others could lead out. */
function linkProblem(root: string, path: string): string | undefined {
  try {
    const real = fs.realpathSync(absoluteOf(root, path));
    const stat = fs.statSync(real);
    if (stat.isDirectory()) return 'a link to a folder is not followed';
    if (!stat.isFile()) return 'a link to something that is no file';
    return real.startsWith(fs.realpathSync(root) + sep) ? undefined : 'a link that leads out of the music folder';
  } catch (error) {
    return codeOf(error) === 'ELOOP' ? 'a link that leads to itself' : 'a link to something that is not there';
  }
}

function compare(
  { known, restore }: WalkOptions,
  { prefix, path, audio, images, texts }: Listing,
  batch: FolderBatch,
): void {
  const folder = known.folder(path);
  batch.imageName = bestImage(images);
  batch.imageChanged = batch.imageName !== (folder?.imageName ?? null);
  const stats = audio.map((name) => statOf(batch, prefix, name));
  const marks = texts.length === 0 ? [] : lyricsMarks(batch, prefix, audio, texts);
  const signature = signatureOf(audio, stats, marks);
  if (folder?.signature === signature && !restore) {
    batch.unchanged = audio.length; // every file was a track and is the same: no row needs to be read
    return;
  }
  const before = new Map<string, KnownFile>();
  if (folder) for (const file of known.files(folder.id)) before.set(file.name, file);
  audio.forEach((name, i) => {
    const stat = stats[i];
    const file = before.get(name) ?? null;
    before.delete(name);
    if (stat) classify(batch, name, stat, marks[i] ?? null, file, restore);
  });
  // a deleted one is waited for: it may have been renamed
  for (const file of before.values()) if (file.state !== 'gone' && file.state !== 'deleted') batch.gone.push(file);
  batch.signature = canSettle(batch, before) && folder?.signature !== signature ? signature : null;
}

function statOf(batch: FolderBatch, prefix: string | Buffer, name: string): fs.Stats | undefined {
  try {
    return fs.statSync(pathIn(prefix, name));
  } catch (error) {
    batch.stillFailed.push({ name, reason: `the file cannot be looked at (${codeOf(error)})` });
    return undefined;
  }
}

/** Of each audio file, where lyrics lie beside it. A folder without any costs nothing. */
function lyricsMarks(batch: FolderBatch, prefix: string | Buffer, audio: string[], texts: string[]): (string | null)[] {
  const found = lyricsOf(audio, texts);
  for (const name of texts) if (!found.includes(name)) batch.skipped.push({ name, reason: 'not audio' });
  return found.map((name) => {
    const stat = name === undefined ? undefined : fs.statSync(pathIn(prefix, name), { throwIfNoEntry: false });
    return name === undefined || !stat ? null : lyricsMark(name, { size: stat.size, mtimeUs: mtimeUsOf(stat) });
  });
}

/** Names, sizes and times of a folder's audio, and of lyrics beside it, in one hash. */
function signatureOf(audio: string[], stats: (fs.Stats | undefined)[], marks: (string | null)[]): string {
  let text = '';
  for (let i = 0; i < audio.length; i++) {
    const stat = stats[i];
    text += `${audio[i]}/${stat ? stat.size : ''}/${stat ? mtimeUsOf(stat) : ''}\n`;
    if (marks[i]) text += `${marks[i]}\n`;
  }
  return hash('sha1', text, 'base64');
}

/**
 * A folder's signature says that all its files are tracks; one that failed, was deleted or is gone has to be looked at
 * each time.
 */
const canSettle = (batch: FolderBatch, left: Map<string, KnownFile>): boolean =>
  batch.stillFailed.length + left.size + batch.deleted === 0;

function classify(
  batch: FolderBatch,
  name: string,
  stat: fs.Stats,
  mark: string | null,
  known: KnownFile | null,
  restore: boolean,
): void {
  const mtimeUs = mtimeUsOf(stat);
  // different, not newer: a restored backup is older
  const isSame = known !== null && known.sizeBytes === stat.size && known.mtimeUs === mtimeUs;
  const hasOtherLyrics = known?.state === 'track' && known.lyricsMark !== mark;
  if (!isSame || hasOtherLyrics || (known.state === 'deleted' && restore)) {
    batch.candidates.push({
      name,
      sizeBytes: stat.size,
      mtimeUs,
      dev: stat.dev,
      ino: stat.ino,
      lyricsMark: mark,
      known,
    });
  } else if (known.state === 'gone') batch.returned.push(known);
  else {
    batch.unchanged++;
    if (known.state === 'deleted') batch.deleted++;
    if (known.state === 'failed') batch.stillFailed.push({ name, reason: known.reason ?? 'it could not be read' });
  }
}

function pathIn(prefix: string | Buffer, name: string): string | Buffer {
  const bytes = name.includes('\\x') ? textToName(name) : name;
  return typeof prefix === 'string' && typeof bytes === 'string'
    ? prefix + bytes
    : Buffer.concat([Buffer.from(prefix), Buffer.from(bytes)]);
}

const hasNews = (batch: FolderBatch): boolean =>
  batch.imageChanged ||
  batch.signature !== null ||
  batch.candidates.length +
    batch.returned.length +
    batch.gone.length +
    batch.stillFailed.length +
    batch.skipped.length >
    0;

/**
 * Known folders that this walk did not meet. One below a listed folder is proved gone; one below a folder that could
 * not be listed is not.
 */
function* goneFolders(
  { folders, known }: WalkOptions,
  visited: Set<string>,
  shielded: string[],
): Generator<FolderBatch> {
  for (const { id, path } of folders.flatMap((folder) => known.foldersBelow(folder))) {
    if (visited.has(path) || shielded.some((shield) => isBelow(path, shield))) continue;
    const gone = known.present(id);
    if (gone.length > 0) yield { ...emptyBatch(path), gone };
  }
}

function bestImage(images: { name: string; extension: string }[]): string | null {
  let best: string | null = null;
  let rank = COVER_NAMES.length;
  for (const { name, extension } of images) {
    const at = COVER_NAMES.indexOf(name.slice(0, -extension.length - 1).toLowerCase());
    if (at >= 0 && at < rank) [best, rank] = [name, at];
  }
  return best;
}

const emptyBatch = (path: string): FolderBatch => ({
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

const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(codeOf(error));
