// The reading thread: reads (and copies) groups of files. Copies are flushed to disk together while the next group is
// read, then renamed to their final names, so that rows are written only for files that are safely on disk.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { END_MESSAGE } from '../runtime/stop-worker.ts';
import { isDiskFull } from '../errors.ts';
import { createCloner } from '../storage/clone.ts';
import { audioKey, keyToPath, tempPath, threadPrefix } from '../storage/local-paths.ts';
import { setCustomTags } from '../media/field-names.ts';
import { separateValues, type Separators } from '../media/tag-separators.ts';
import { UnreadableAudio, type AudioRead } from '../media/types.ts';
import { readFile, FileChangingError, type ListedFile, type ReadFile } from './read-file.ts';
import { preferLyrics, readLyricsFile } from './lyrics-files.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import { absoluteOf, parentOf } from './relative-path.ts';
import { splitFile, type SplitFile } from './sections.ts';

export interface ReaderWorkerData {
  /** An Int32Array of [group being read, index of the file in the group, 1 while parsing]. */
  progress: SharedArrayBuffer;
}

interface RequestedFile extends ListedFile {
  path: string;
  /** Name of the lyrics file beside the audio file. */
  lyrics?: string | null;
  /**
   * Where to look for a CUE sheet that splits the file into tracks: only in the file (`inside`), or also in its folder
   * (`beside`).
   */
  sheets?: 'inside' | 'beside';
}

export interface ReadRequest {
  group: number;
  /** The folders to which the paths are relative. */
  root: MusicRoots;
  /** Paths of files. If a file is given with size and time, it must still have both after it was read. */
  paths: (string | RequestedFile)[];
  /** Root of the local storage into which the files are copied; null if they are not copied. */
  copyTo: string | null;
  /** What separates several values in one. */
  separators: Separators;
  /** Names of the tags that a person named, besides those that are always read. */
  customTags: readonly string[];
  /** Whether to hash the payload of large files, too. */
  hashLarge: boolean;
  /** Whether to hash the whole file; the hash is the name of its object when it is stored later. */
  hashWholeFile?: boolean;
}

export type ReadResult =
  | {
      ok: true;
      content: AudioRead;
      sizeBytes: number;
      audioHash: string | null;
      /** The tracks in the file, if they were looked for. */
      split?: SplitFile;
      /** The object of the copy in storage, or the object that a copy would become. */
      stored: { key: string; sha256: string } | null;
    }
  | {
      ok: false;
      reason: string;
      /** Set if the disk is full, so that the other files would fail, too. */
      fatal?: boolean;
      /** Set if the file is still being written. */
      changing?: boolean;
      /** Set if the system caused the error (rights, disk), not the content: the next scan reads the file again. */
      isPassing?: boolean;
    };

export interface ReadResponse {
  group: number;
  results: ReadResult[];
}

const port = parentPort;
if (!port) throw new Error('reader-worker runs as a worker thread');
const progress = new Int32Array((workerData as ReaderWorkerData).progress);
let tempFileCount = 0;
const createdFolders = new Set<string>();
const cloner = createCloner();
let pendingFlush: Promise<void> = Promise.resolve();
let queue: Promise<void> = Promise.resolve();

let isEnding = false;
port.on('message', (request: ReadRequest | typeof END_MESSAGE) => {
  if (request !== END_MESSAGE) return void (queue = queue.then(() => readGroup(request)));
  isEnding = true;
  port.close(); // the thread ends as soon as the pending copies are finished
});

type Outcome = (ReadFile & { split?: SplitFile }) | Extract<ReadResult, { ok: false }>;

async function readGroup(request: ReadRequest): Promise<void> {
  const outcomes: Outcome[] = [];
  progress[0] = request.group;
  setCustomTags(request.customTags);
  for (const [index, path] of request.paths.entries()) {
    if (isEnding) return; // nobody waits for the result when the thread is ending
    progress[1] = index;
    outcomes.push(await readRequestedFile(request, path));
  }
  progress[2] = 0;
  await pendingFlush; // only one group is flushed at a time, while the next group is read
  pendingFlush = storeGroup(request, outcomes).then((results) =>
    port?.postMessage({ group: request.group, results } satisfies ReadResponse),
  );
}

async function readRequestedFile(
  { root, copyTo, hashLarge, hashWholeFile = false, separators }: ReadRequest,
  requestedFile: ReadRequest['paths'][number],
): Promise<Outcome> {
  try {
    const copyTarget =
      copyTo === null
        ? undefined
        : {
            openTemp: () => openTemp(copyTo),
            cloneTemp: (path: string | Buffer, device: number) => cloneTemp(copyTo, path, device),
          };
    const [path, listedFile] =
      typeof requestedFile === 'string' ? [requestedFile] : [requestedFile.path, requestedFile];
    const file = await readFile(absoluteOf(root, path), {
      copyTarget,
      listedFile,
      hashLarge,
      hashWholeFile,
      onStage: (stage) => {
        progress[2] = stage === 'parsing' ? 1 : 0;
      },
    });
    const lyrics =
      typeof requestedFile !== 'string' && requestedFile.lyrics
        ? preferLyrics(file.content.tags.lyrics, readLyricsFile(absoluteOf(root, requestedFile.lyrics)))
        : undefined;
    if (lyrics) file.content.tags.lyrics = lyrics;
    const split = listedFile?.sheets && splitFile(nameOf(listedFile.path), file.content, folderOf(root, listedFile));
    separateValues(file.content, separators);
    for (const section of split?.sections ?? []) separateValues(section, separators);
    delete file.content.tags.cueSheet;
    return split ? { ...file, split } : file;
  } catch (error) {
    if (error instanceof FileChangingError) return { ok: false, reason: 'it is still being written', changing: true };
    return toFailure(error);
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (root: MusicRoots, { path, sheets }: RequestedFile): string | Buffer | undefined =>
  sheets === 'beside' ? absoluteOf(root, parentOf(path)) : undefined;

function openTemp(root: string): { fd: number; path: string } {
  const path = newTempPath(root);
  return { fd: fs.openSync(path, 'wx', 0o600), path };
}

function cloneTemp(root: string, source: string | Buffer, device: number): { fd: number; path: string } | undefined {
  const path = newTempPath(root);
  if (!cloner.clone(source, device, path)) return undefined;
  fs.chmodSync(path, 0o600); // a clone has the rights of its source, which are not those of the storage
  return { fd: fs.openSync(path, 'r'), path };
}

function newTempPath(root: string): string {
  const path = tempPath(root, process.pid, `${threadPrefix(threadId)}${(++tempFileCount).toString(16)}`);
  createFolder(dirname(path));
  return path;
}

async function storeGroup({ copyTo }: ReadRequest, outcomes: Outcome[]): Promise<ReadResult[]> {
  const folders = new Set<string>();
  const results = await Promise.all(
    outcomes.map(async (outcome): Promise<ReadResult> => {
      if ('ok' in outcome) return outcome;
      const { content, sizeBytes, audioHash, split, copy, sha256 } = outcome;
      const result = { ok: true, content, sizeBytes, audioHash, ...(split && { split }) } as const;
      if (!copy || copyTo === null)
        return {
          ...result,
          stored: sha256 === undefined ? null : { key: audioKey(sha256, content.facts.format), sha256 },
        };
      try {
        const key = audioKey(copy.sha256, content.facts.format);
        folders.add(await publishCopy(copy, keyToPath(copyTo, key), sizeBytes));
        return { ...result, stored: { key, sha256: copy.sha256 } };
      } catch (error) {
        fs.rmSync(copy.tempPath, { force: true });
        return toFailure(error);
      }
    }),
  );
  if (copyTo === null) return results;
  try {
    await flushNames(copyTo, [...folders]);
    return results;
  } catch (error) {
    // after a power cut the new names may be lost, so no row may use them; the next scan copies the files again
    return results.map((result) => (result.ok ? toFailure(error) : result));
  }
}

/** Flushes a copy and renames it to its final name, replacing an equal file. Returns the folder of the file. */
async function publishCopy(
  { fd, tempPath }: NonNullable<ReadFile['copy']>,
  path: string,
  sizeBytes: number,
): Promise<string> {
  const folder = dirname(path);
  try {
    await new Promise<void>((resolve, reject) => fs.fdatasync(fd, (error) => (error ? reject(error) : resolve())));
  } finally {
    fs.closeSync(fd);
  }
  createFolder(folder);
  try {
    fs.renameSync(tempPath, path);
  } catch (error) {
    // Windows cannot replace a file that is being played, but a file of this name and size has the same content
    if (fs.statSync(path, { throwIfNoEntry: false })?.size !== sizeBytes) throw error;
    fs.rmSync(tempPath);
  }
  return folder;
}

function createFolder(folder: string): void {
  if (createdFolders.has(folder)) return;
  fs.mkdirSync(folder, { recursive: true });
  createdFolders.add(folder);
}

/** File systems with one ordered journal: flushing one folder also saves every earlier rename. */
const ORDERED_JOURNALS = new Set([0xef53 /* ext3, ext4 */, 0x58465342 /* xfs */]);

/** Flushes folders, because a new file name survives a power cut only when its folder is flushed, too. */
async function flushNames(root: string, folders: string[]): Promise<void> {
  // Windows cannot open folders; it flushes names with the files
  if (process.platform === 'win32' || folders.length === 0) return;
  const { type } = await fs.promises.statfs(root);
  await Promise.all((ORDERED_JOURNALS.has(type) ? folders.slice(0, 1) : folders).map(flushFolder));
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await fs.promises.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const SYSTEM_REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'the file was removed while it was read',
  EISDIR: 'it is a folder',
  EIO: 'the disk reported a read error',
  ELOOP: 'it is a link to itself',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
};

const toFailure = (error: unknown): Extract<ReadResult, { ok: false }> => ({
  ok: false,
  reason: reasonOf(error),
  ...(isDiskFull(error) && { fatal: true }),
  ...(error instanceof Error && 'syscall' in error && { isPassing: true }),
});

function reasonOf(error: unknown): string {
  if (error instanceof UnreadableAudio) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return SYSTEM_REASONS[code] ?? `it could not be read${code ? ` (${code})` : ''}`;
}
