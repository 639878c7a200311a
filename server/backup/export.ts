// Exports the library in open formats: audio and covers with readable file names, playlists as M3U8, everything else as
// JSON, CSV and an SQLite database, from which `tonearm import` makes the same library. An interrupted export can be
// resumed; nothing else in the folder is ever deleted.
import { createHash, randomBytes, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { MainDb, Sqlite } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { playlists as playlistsTable } from '../db/schema.ts';
import { AppError, invalid } from '../errors.ts';
import type { EnqueuedJob, Jobs } from '../jobs/service.ts';
import { permanent, type Handler, type JobContext } from '../jobs/tasks.ts';
import { m3uEntry, m3uHead } from '../playlists/m3u.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Leases } from '../storage/leases.ts';
import { audioKey, hashInKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { toFileUri, toUri } from '../storage/uri.ts';
import { contentsOf, countContents } from './contents.ts';
import { asCsv, asJson, dataFiles } from './export-data.ts';
import { isWritten, writeWhole } from './export-files.ts';
import { numbered, safeName } from '../media/readable-names.ts';
import { createExportPaths, refOf, type ExportPaths, type FileRef } from './export-paths.ts';
import { DATABASE, EXPORT, EXPORT_FILES, readListed, type ExportLine, type ExportManifest } from './export-source.ts';
import { assertFit } from './fit-folders.ts';
import { toSnapshotId } from './manifest.ts';
import { hashOfFile } from './referenced-files.ts';
import { cleanForExport, copyDatabase } from './snapshot-thread.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { makeFolder, type FolderDescription } from '../runtime/folders.ts';
import type { ExportResult } from './wire.ts';
import { EXPORT_TASK } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const AT_ONCE = 4;
const SHOWN = 20;
const EXPORT_FOLDER: FolderDescription = { name: 'The folder', remedy: 'Choose another one.' };

interface ExportDeps {
  db: MainDb;
  storage: Storage;
  leases: Pick<Leases, 'leaseAll'>;
  audioStore: AudioStore;
  playlists: Pick<PlaylistService, 'get' | 'allEntries'>;
  jobs: Pick<Jobs, 'enqueue'>;
  tmpDir: string;
  databasePath: string;
  workerUrl: URL;
  version: string;
  now: () => Date;
  /** Folders that the server uses; scans and backups would include an export into them. */
  ownFolders: () => string[];
}

type Run = Pick<JobContext, 'signal' | 'progress'>;
/** One export: `library` is the copy of the database, of which `paths` are. */
interface Work {
  folder: string;
  library: Sqlite;
  paths: ExportPaths;
  result: ExportResult;
  run: Run;
}
export type ExportService = ReturnType<typeof createExportService>;

export function createExportService(deps: ExportDeps) {
  const {
    db,
    storage,
    leases,
    audioStore,
    playlists,
    jobs,
    tmpDir,
    databasePath,
    workerUrl,
    version,
    now,
    ownFolders,
  } = deps;

  async function assertUsable(path: string): Promise<void> {
    if (!(await isFolder(path)))
      throw new AppError('unavailable', `The folder ${path} does not exist. Create it, or connect its disk.`);
    assertFit(path, ownFolders());
  }

  /** Makes the folder if only that is missing. A folder above that is missing too may be a disk's, or misspelt. */
  async function prepareFolder(folder: string): Promise<string> {
    if (!isAbsolute(folder)) throw invalid([{ field: 'folder', message: 'must be an absolute path' }]);
    const path = resolve(folder);
    assertFit(path, ownFolders());
    if (await isFolder(dirname(path))) makeFolder(path, EXPORT_FOLDER);
    await assertUsable(path);
    return path;
  }

  /**
   * Copies a file unless it is there; returns the bytes written. What it is stored as is noted if its bytes are right.
   * `listed`: hashes of the export before, for files of music folders.
   */
  async function copyFile(
    { folder, paths, result, run: { signal } }: Work,
    { ref, uri, path, hash }: { ref: FileRef; uri: string; path: string; hash: string | undefined },
    listed: ReadonlyMap<string, string>,
  ): Promise<number> {
    const file = await audioStore.resolve(uri);
    const { size, modifiedAt } = await file.stat();
    const place = join(folder, ...path.split('/'));
    const note = (found: string): void => {
      const key = ref.startsWith('own:') ? audioKey(found, extname(path)) : ref.slice('stored:'.length);
      paths.note(ref, { key, path, hash: found, size });
    };
    if (await isWritten(place, size, modifiedAt)) {
      note(hash ?? listed.get(`${size} ${path}`) ?? (await hashOfFile(place, signal)));
      return 0;
    }
    const { stream } = await file.open();
    const sum = createHash('sha256');
    try {
      const chunks = yielding(stream as AsyncIterable<Buffer>, signal);
      const written = await writeWhole(place, summed(chunks, sum), modifiedAt);
      const found = sum.digest('hex');
      if (hash === undefined || found.startsWith(hash)) note(hash ?? found);
      else {
        await utimes(place, now(), now()); // so that it is written again when the original is mended
        problem(result, `${path}: its bytes do not match their checksum`);
      }
      return written;
    } finally {
      stream.destroy();
    }
  }

  async function copyAudio(work: Work, listed: ReadonlyMap<string, string>): Promise<void> {
    const { paths, result, run } = work;
    const total = paths.count();
    await forEachConcurrently(paths.all(), AT_ONCE, async ({ uri, path }) => {
      run.signal.throwIfAborted();
      const ref = refOf(uri);
      const hash = ref.startsWith('own:') ? undefined : hashInKey(ref);
      const bytes = await orGone(work, path, () => copyFile(work, { ref, uri, path: `Music/${path}`, hash }, listed));
      if (bytes === undefined) result.without_audio++;
      else {
        result.tracks++;
        if (bytes > 0) result.written++;
        result.bytes_written += bytes;
      }
      run.progress(result.tracks + result.without_audio, total, 'Copying audio');
    });
  }

  /** Covers, beside the audio, pictures of artists, in their folders, and what is in the trash. */
  async function copyRest(work: Work, copy: string, listed: ReadonlyMap<string, string>): Promise<void> {
    const { library, paths, result, run } = work;
    const albumOf = library.prepare<[string], number>('SELECT album_id FROM album_covers WHERE key = ?').pluck();
    const artistOf = library
      .prepare<[string], string>(
        `SELECT x.name FROM artist_pictures p JOIN artists x ON x.name_key = p.artist_key
          WHERE p.key = ? AND p.is_current = 1`,
      )
      .pluck();
    for await (const content of contentsOf(copy)) {
      run.signal.throwIfAborted();
      const isStored = content.kind === 'stored';
      const ref: FileRef = isStored ? `stored:${content.key}` : `own:${content.path}`;
      if (paths.file(ref)) continue;
      const isPicture = isStored && content.what === 'cover';
      const album = isPicture ? paths.ofAlbum(albumOf.get(content.key) ?? 0) : undefined;
      const artist = isPicture ? artistOf.get(content.key) : undefined;
      const folder = album ?? (artist === undefined ? undefined : safeName(artist, 'Unknown Artist'));
      const name = album === undefined ? 'artist' : 'cover';
      const inTrash = isStored ? content.key : `files/${safeNames(content.path)}`;
      const path =
        folder === undefined
          ? `data/trash/${inTrash}`
          : paths.free((n) => `Music/${folder}/${numbered(name, n)}${isStored ? extname(content.key) : ''}`);
      const uri = isStored ? toUri(storage, content.key) : toFileUri(content.path);
      const hash = isStored ? content.hash : undefined;
      const bytes = await orGone(work, path, () => copyFile(work, { ref, uri, path, hash }, listed));
      if (bytes === undefined || bytes === 0) continue;
      result.written++;
      result.bytes_written += bytes;
    }
  }

  /** Undefined for a file that is gone, which is named. */
  async function orGone({ result }: Work, path: string, copy: () => Promise<number>): Promise<number | undefined> {
    try {
      return await copy();
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'gone')) throw error;
      problem(result, `${path}: ${error.message}`);
      return undefined;
    }
  }

  async function writePlaylists(folder: string, paths: ExportPaths, signal: AbortSignal): Promise<number> {
    const lists = db.$client
      .prepare<[], RowAs<typeof playlistsTable, 'id' | 'ownerId'> & { owner: string }>(
        'SELECT p.id, p.owner_id AS ownerId, u.username AS owner FROM playlists p ' +
          'JOIN users u ON u.id = p.owner_id WHERE p.deleted_at IS NULL ORDER BY p.id',
      )
      .all();
    for (const { id, ownerId, owner } of lists) {
      signal.throwIfAborted();
      const playlist = await playlists.get(ownerId, id);
      const place = paths.free(
        (n) => `Playlists/${safeName(owner, 'Somebody')}/${numbered(safeName(playlist.name, 'Playlist'), n)}.m3u8`,
      );
      await writeWhole(join(folder, ...place.split('/')), lines(ownerId, playlist));
    }
    return lists.length;

    async function* lines(
      ownerId: UserId,
      playlist: Awaited<ReturnType<PlaylistService['get']>>,
    ): AsyncGenerator<string> {
      yield m3uHead(playlist.name);
      for await (const entries of playlists.allEntries(ownerId, playlist)) {
        for (const { track } of entries) {
          const path = paths.of(track.id);
          if (path !== undefined) yield m3uEntry({ ...track, path: `../../Music/${path}` });
        }
      }
    }
  }

  async function exportTo(folder: string, copy: string, scratch: string, run: Run): Promise<ExportResult> {
    const { signal, progress } = run;
    progress(0, null, 'Copying the database');
    const onProgress = (done: number, total: number): void => progress(done, total, 'Copying the database');
    await copyDatabase({ workerUrl, from: databasePath, to: copy, signal, onProgress });
    const library = new Database(copy, { readonly: true });
    const paths = createExportPaths(library, scratch);
    const result: ExportResult = {
      folder,
      tracks: 0,
      written: 0,
      bytes_written: 0,
      playlists: 0,
      without_audio: 0,
      problems: [],
    };
    const work: Work = { folder, library, paths, result, run };
    try {
      progress(0, null, 'Choosing file names');
      await paths.plan(signal);
      const listed = await readListed(folder);
      await copyAudio(work, listed);
      progress(paths.count(), paths.count(), 'Copying covers');
      await copyRest(work, copy, listed);
      progress(paths.count(), paths.count(), 'Writing playlists and data');
      await rm(join(folder, EXPORT), { force: true }); // until everything fits together again
      result.playlists = await writePlaylists(folder, paths, signal);
      for (const [name, data] of Object.entries(dataFiles(library, paths))) {
        await writeWhole(join(folder, 'data', `${name}.json`), asJson(data.rows(), signal));
        for (const [table, rows] of asCsv(name, data))
          await writeWhole(join(folder, 'data', `${table}.csv`), rows(signal));
      }
      await writeImport(work, copy, scratch);
      return result;
    } finally {
      library.close();
      paths.close();
    }
  }

  /** What `tonearm import` reads. */
  async function writeImport({ folder, paths, run: { signal } }: Work, copy: string, scratch: string): Promise<void> {
    const counts: ExportManifest['counts'] = {
      tracks: countContents(copy).tracks,
      files: 0,
      covers: 0,
      referenced: 0,
      absent: 0,
      mended: 0,
      bytes: 0,
    };
    const files = createHash('sha256');
    let lines = 0;
    await writeWhole(join(folder, EXPORT_FILES), summed(asJson(fileLines(), signal), files));
    await cleanForExport(workerUrl, copy, scratch);
    const database = createHash('sha256');
    const size = await writeWhole(
      join(folder, DATABASE),
      summed(createReadStream(copy) as AsyncIterable<Buffer>, database),
    );
    const manifest: ExportManifest = {
      tonearm_export: 1,
      format: 2,
      id: toSnapshotId(now()),
      app_version: version,
      database: { size, sha256: database.digest('hex') },
      lists: [{ sha256: files.digest('hex'), lines }],
      settings: {},
      keys: null,
      counts,
    };
    await writeWhole(join(folder, EXPORT), asText(`${JSON.stringify(manifest, null, 2)}\n`));

    async function* fileLines(): AsyncGenerator<ExportLine> {
      for await (const content of contentsOf(copy)) {
        const isStored = content.kind === 'stored';
        const found = paths.file(isStored ? `stored:${content.key}` : `own:${content.path}`);
        if (!found && !isStored) continue; // missing in the database
        lines++;
        counts[isStored && content.what === 'cover' ? 'covers' : 'files']++;
        counts.bytes += found?.size ?? 0;
        if (found) yield { kind: 'stored', ...found };
        else if (isStored) {
          counts.absent++;
          yield { kind: 'stored', key: content.key, hash: content.hash, size: content.size, isAbsent: true };
        }
      }
    }
  }

  const task: Handler<typeof EXPORT_TASK> = async ({ folder }, { signal, progress }) => {
    await mkdir(tmpDir, { recursive: true });
    const base = join(tmpDir, `export-${randomBytes(6).toString('hex')}`);
    const [copy, scratch] = [`${base}.db`, `${base}-paths.db`];
    await assertUsable(folder).catch((error: unknown) => {
      throw permanent(error);
    });
    try {
      // no object is deleted meanwhile
      return await leases.leaseAll(() => exportTo(folder, copy, scratch, { signal, progress }));
    } finally {
      for (const path of [scratch, ...['', '-journal', '-wal', '-shm'].map((ending) => copy + ending)])
        await rm(path, { force: true });
    }
  };

  return {
    task,
    /** Throws `unavailable` when the folder cannot be made, `conflict` when the server uses it. */
    async start(folder: string): Promise<EnqueuedJob> {
      return jobs.enqueue(EXPORT_TASK, { folder: await prepareFolder(folder) });
    },
  };
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

async function* yielding(source: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    signal.throwIfAborted();
    yield chunk;
    await yieldIfDue();
  }
}

async function* summed<T extends Buffer | string>(source: AsyncIterable<T>, sum: Hash): AsyncGenerator<T> {
  for await (const chunk of source) {
    sum.update(chunk);
    yield chunk;
  }
}

const safeNames = (path: string): string =>
  path
    .split('/')
    .map((name) => safeName(name, '_'))
    .join('/');

async function* asText(text: string): AsyncGenerator<string> {
  yield text;
}

function problem(result: ExportResult, text: string): void {
  if (result.problems.length < SHOWN) result.problems.push(text);
}
