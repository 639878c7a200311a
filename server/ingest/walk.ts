// First stage of a scan: lists the import folder and compares it with what the last scan saw. Runs in a worker thread on synchronous
// calls (limits.md: 227k files/s against 15–25k with awaits). Opens no audio file; an unchanged file costs one stat.
import fs from 'node:fs';
import { nameToText, textToName } from '../storage/file-names.ts';
import { AUDIO_EXTENSIONS } from '../media/sniff.ts';
import type { TrackId } from '../db/ids.ts';

/** What the database knows of a file. */
export interface KnownFile {
  name: string;
  sizeBytes: number;
  mtimeUs: number;
  state: 'track' | 'failed' | 'deleted' | 'gone';
  reason: string | null;
  trackId: TrackId | null;
}

/** Reads what the last scan saw; over the worker's own read-only connection. */
export interface KnownFiles {
  folder(path: string): { id: number; imageName: string | null; files: KnownFile[] } | undefined;
  /** Paths of known folders at or below `path`. */
  foldersBelow(path: string): { id: number; path: string }[];
  /** Files of a folder that are not marked gone yet. */
  present(folderId: number): KnownFile[];
}

/** A file that has to be read: new, or different from what is known. */
export interface Candidate {
  name: string;
  sizeBytes: number;
  mtimeUs: number;
  dev: number;
  ino: number;
  known: KnownFile | null;
}

export interface FolderBatch {
  /** Relative to the import path, as spelled on disk; '' is the import path itself. */
  path: string;
  imageName: string | null;
  imageChanged: boolean;
  candidates: Candidate[];
  /** Known files that are back with the same size and time. */
  returned: KnownFile[];
  /** Known files whose name is not in the listing of their folder any more. */
  gone: KnownFile[];
  /** Files that failed before and are unchanged since. */
  stillFailed: { name: string; reason: string }[];
  skipped: { name: string; reason: string }[];
  unchanged: number;
}

export interface WalkOptions {
  /** Absolute path of the import folder. */
  root: string;
  /** Sub-folder to walk, relative; '' walks all. */
  below: string;
  known: KnownFiles;
  /** Deleted tracks come back. */
  restore: boolean;
}

const IGNORE_MARKS = new Set(['.ignore', '.nomedia']);
/** Names of cover pictures beside the audio, best first. */
const COVER_NAMES = ['cover', 'folder', 'front', 'album', 'albumart', 'albumartsmall'];
const IMAGE_EXTENSIONS = new Set(['jpg', 'jpeg', 'png', 'webp', 'gif']);
const MAX_DEPTH = 128;

/** Gives one batch per folder that has anything to say, deepest last. Folders that cannot be listed shield what is known below them. */
export function* walk(options: WalkOptions): Generator<FolderBatch> {
  const visited = new Set<string>();
  const shielded: string[] = [];
  const pending = [options.below];
  while (pending.length > 0) {
    const path = pending.pop() as string;
    const listing = list(options.root, path);
    if ('problem' in listing) {
      shielded.push(path);
      yield { ...emptyBatch(path), skipped: [{ name: '', reason: listing.problem }] };
      continue;
    }
    visited.add(path);
    if (listing.names.some((name) => IGNORE_MARKS.has(name))) {
      shielded.push(path);
      continue;
    }
    const batch = compare(options, path, listing.entries);
    for (const folder of listing.folders.reverse()) {
      if (path.split('/').length < MAX_DEPTH) pending.push(join(path, folder));
      else batch.skipped.push({ name: folder, reason: `the folder is more than ${MAX_DEPTH} levels deep` });
    }
    batch.skipped.push(...listing.skipped);
    yield batch;
  }
  yield* goneFolders(options, visited, shielded);
}

interface Listing {
  names: string[];
  folders: string[];
  entries: { name: string; extension: string }[];
  skipped: { name: string; reason: string }[];
}

function list(root: string, path: string): Listing | { problem: string } {
  let dirents: fs.Dirent<string | Buffer>[];
  const absolute = absoluteOf(root, path);
  try {
    dirents = fs.readdirSync(absolute, { withFileTypes: true });
    // A name that is no UTF-8 arrives with replacement characters and could not be opened again: list once more as bytes.
    if (dirents.some((d) => (d.name as string).includes('\ufffd'))) dirents = fs.readdirSync(absolute, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    return { problem: `the folder cannot be listed (${codeOf(error)})` };
  }
  const listing: Listing = { names: [], folders: [], entries: [], skipped: [] };
  for (const dirent of dirents) {
    const name = textOf(dirent.name);
    listing.names.push(name);
    sort(listing, root, path, name, dirent);
  }
  return listing;
}

/** Nearly every name is its own text; one that is no UTF-8, or looks like an escape, is written with escapes. */
const textOf = (name: string | Buffer): string =>
  typeof name !== 'string' ? nameToText(name) : name.includes('\\x') ? nameToText(Buffer.from(name)) : name;

function sort(listing: Listing, root: string, path: string, name: string, dirent: fs.Dirent<string | Buffer>): void {
  const extension = extensionOf(name);
  const isAudio = AUDIO_EXTENSIONS.has(extension);
  if (name.startsWith('.')) {
    if (!IGNORE_MARKS.has(name)) listing.skipped.push({ name, reason: 'hidden, because its name begins with a dot' });
  } else if (dirent.isDirectory()) listing.folders.push(name);
  else if (dirent.isSymbolicLink()) {
    const problem = linkProblem(root, join(path, name));
    if (problem) listing.skipped.push({ name, reason: problem });
    else if (isAudio || IMAGE_EXTENSIONS.has(extension)) listing.entries.push({ name, extension });
    else listing.skipped.push({ name, reason: 'not audio' });
  } else if (!dirent.isFile()) listing.skipped.push({ name, reason: 'not a file (a pipe, socket or device)' });
  else if (isAudio || IMAGE_EXTENSIONS.has(extension)) listing.entries.push({ name, extension });
  else listing.skipped.push({ name, reason: 'not audio' });
}

/** A link is followed only to a file inside the import path: links to folders could loop, others could lead out. */
function linkProblem(root: string, path: string): string | undefined {
  try {
    const real = fs.realpathSync(absoluteOf(root, path));
    const stat = fs.statSync(real);
    if (stat.isDirectory()) return 'a link to a folder is not followed';
    if (!stat.isFile()) return 'a link to something that is no file';
    const inside = fs.realpathSync(root);
    return real.startsWith(inside.endsWith('/') ? inside : `${inside}${pathSeparator}`) ? undefined : 'a link that leads out of the music folder';
  } catch (error) {
    return codeOf(error) === 'ELOOP' ? 'a link that leads to itself' : 'a link to something that is not there';
  }
}

const pathSeparator = process.platform === 'win32' ? '\\' : '/';

function compare({ root, known, restore }: WalkOptions, path: string, entries: { name: string; extension: string }[]): FolderBatch {
  const batch = emptyBatch(path);
  const folder = known.folder(path);
  const before = new Map(folder?.files.map((file) => [file.name, file]));
  batch.imageName = bestImage(entries);
  batch.imageChanged = batch.imageName !== (folder?.imageName ?? null);
  for (const { name, extension } of entries) {
    if (!AUDIO_EXTENSIONS.has(extension)) continue;
    const file = before.get(name) ?? null;
    before.delete(name);
    classify(batch, root, path, name, file, restore);
  }
  for (const file of before.values()) if (file.state !== 'gone') batch.gone.push(file);
  return batch;
}

function classify(batch: FolderBatch, root: string, path: string, name: string, known: KnownFile | null, restore: boolean): void {
  let stat: fs.Stats;
  try {
    stat = fs.statSync(absoluteOf(root, join(path, name)));
  } catch (error) {
    batch.stillFailed.push({ name, reason: `the file cannot be looked at (${codeOf(error)})` });
    return;
  }
  const mtimeUs = Math.round(stat.mtimeMs * 1000);
  const isSame = known !== null && known.sizeBytes === stat.size && known.mtimeUs === mtimeUs; // different, not newer: a restored backup is older
  if (!isSame || (known.state === 'deleted' && restore)) {
    batch.candidates.push({ name, sizeBytes: stat.size, mtimeUs, dev: stat.dev, ino: stat.ino, known });
  } else if (known.state === 'gone') batch.returned.push(known);
  else {
    batch.unchanged++;
    if (known.state === 'failed') batch.stillFailed.push({ name, reason: known.reason ?? 'it could not be read' });
  }
}

/** Known folders that this walk did not meet. One below a listed folder is proved gone; one below a folder that could not be listed is not. */
function* goneFolders({ below, known }: WalkOptions, visited: Set<string>, shielded: string[]): Generator<FolderBatch> {
  for (const { id, path } of known.foldersBelow(below)) {
    if (visited.has(path) || shielded.some((shield) => isBelow(path, shield))) continue;
    const gone = known.present(id);
    if (gone.length > 0) yield { ...emptyBatch(path), gone };
  }
}

export const isBelow = (path: string, folder: string): boolean => folder === '' || path === folder || path.startsWith(`${folder}/`);

function bestImage(entries: { name: string; extension: string }[]): string | null {
  let best: string | null = null;
  let rank = COVER_NAMES.length;
  for (const { name, extension } of entries) {
    if (!IMAGE_EXTENSIONS.has(extension)) continue;
    const at = COVER_NAMES.indexOf(name.slice(0, -extension.length - 1).toLowerCase());
    if (at >= 0 && at < rank) [best, rank] = [name, at];
  }
  return best;
}

const emptyBatch = (path: string): FolderBatch => ({
  path, imageName: null, imageChanged: false, candidates: [], returned: [], gone: [], stillFailed: [], skipped: [], unchanged: 0,
});

export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Absolute path of a relative one, as bytes where its name is no UTF-8. */
export function absoluteOf(root: string, path: string): string | Buffer {
  const name = textToName(path);
  if (typeof name === 'string') return path === '' ? root : `${root}/${name}`;
  return Buffer.concat([Buffer.from(`${root}/`), name]);
}

const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : String(error));
