// Exports the library in open formats: audio and covers with readable file names, playlists as M3U8, everything else as
// JSON, CSV and an SQLite database, from which `tonearm import` makes the same library. An interrupted export can be
// resumed; other files in the folder are never deleted.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { playlists as playlistsTable } from '../db/schema.ts';
import { AppError, invalid } from '../errors.ts';
import type { EnqueuedJob } from '../jobs/service.ts';
import { permanent, type Handler } from '../jobs/tasks.ts';
import { m3uEntry, m3uHead } from '../playlists/m3u.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { listLibraryFiles, countLibraryFiles } from './library-files.ts';
import { toCsvFiles, toJson, dataFiles } from './export-data.ts';
import { writeWhole } from './export-files.ts';
import { numbered, safeName } from '../media/readable-names.ts';
import { createExportPaths, type ExportPaths } from './export-paths.ts';
import {
  DATABASE_PATH,
  MANIFEST_PATH,
  FILES_PATH,
  readListedHashes,
  type ExportLine,
  type ExportManifest,
} from './export-source.ts';
import { assertAllowedFolder } from './allowed-folders.ts';
import { toSnapshotId } from './manifest.ts';
import { cleanForExport, copyDatabase } from './snapshot-thread.ts';
import { makeFolder, type FolderDescription } from '../runtime/folders.ts';
import type { ExportResult } from './wire.ts';
import { EXPORT_TASK } from './tasks.ts';
import { bindContext } from '../runtime/bind-context.ts';
import {
  type ExportRun,
  type Run,
  copyOtherFiles,
  hashWhileReading,
  type Context,
  createContext,
  type ExportDeps,
  copyAudio,
} from './export-copies.ts';

const EXPORT_FOLDER: FolderDescription = { name: 'The folder', remedy: 'Choose another one.' };

export type ExportService = ReturnType<typeof createExportService>;

export function createExportService(deps: ExportDeps) {
  const context = createContext(deps);
  const task: Handler<typeof EXPORT_TASK> = async ({ folder }, { signal, progress }) => {
    await mkdir(context.tmpDir, { recursive: true });
    const base = join(context.tmpDir, `export-${randomBytes(6).toString('hex')}`);
    const [copy, pathsDatabase] = [`${base}.db`, `${base}-paths.db`];
    await assertUsable(context, folder).catch((error: unknown) => {
      throw permanent(error);
    });
    try {
      // no object is deleted during the export
      return await context.leases.leaseAll(() => exportTo(context, folder, copy, pathsDatabase, { signal, progress }));
    } finally {
      for (const path of [pathsDatabase, ...['', '-journal', '-wal', '-shm'].map((suffix) => copy + suffix)])
        await rm(path, { force: true });
    }
  };
  return {
    ...bindContext(context, { start }),
    task,
  };
}

async function assertUsable(context: Context, path: string): Promise<void> {
  if (!(await isFolder(path)))
    throw new AppError('unavailable', `The folder ${path} does not exist. Create it, or connect its disk.`);
  assertAllowedFolder(path, context.ownFolders());
}

/** Creates the folder of the export, but not its parent: a missing parent may be on another disk, or misspelt. */
async function prepareFolder(context: Context, folder: string): Promise<string> {
  if (!isAbsolute(folder)) throw invalid([{ field: 'folder', message: 'must be an absolute path' }]);
  const path = resolve(folder);
  assertAllowedFolder(path, context.ownFolders());
  if (await isFolder(dirname(path))) makeFolder(path, EXPORT_FOLDER);
  await assertUsable(context, path);
  return path;
}

async function writePlaylists(
  context: Context,
  folder: string,
  paths: ExportPaths,
  signal: AbortSignal,
): Promise<number> {
  const lists = context.db.$client
    .prepare<[], RowAs<typeof playlistsTable, 'id' | 'ownerId'> & { owner: string }>(
      'SELECT p.id, p.owner_id AS ownerId, u.username AS owner FROM playlists p ' +
        'JOIN users u ON u.id = p.owner_id WHERE p.deleted_at IS NULL ORDER BY p.id',
    )
    .all();
  for (const { id, ownerId, owner } of lists) {
    signal.throwIfAborted();
    const playlist = await context.playlists.get(ownerId, id);
    const path = paths.reserveFreePath(
      (n) => `Playlists/${safeName(owner, 'Somebody')}/${numbered(safeName(playlist.name, 'Playlist'), n)}.m3u8`,
    );
    await writeWhole(join(folder, ...path.split('/')), lines(ownerId, playlist));
  }
  return lists.length;

  async function* lines(
    ownerId: UserId,
    playlist: Awaited<ReturnType<PlaylistService['get']>>,
  ): AsyncGenerator<string> {
    yield m3uHead(playlist.name);
    for await (const entries of context.playlists.allEntries(ownerId, playlist)) {
      for (const { track } of entries) {
        const path = paths.pathOfTrack(track.id);
        if (path !== undefined) yield m3uEntry({ ...track, path: `../../Music/${path}` });
      }
    }
  }
}

async function exportTo(
  context: Context,
  folder: string,
  copy: string,
  pathsDatabase: string,
  run: Run,
): Promise<ExportResult> {
  const { signal, progress } = run;
  progress(0, null, 'Copying the database');
  const onProgress = (done: number, total: number): void => progress(done, total, 'Copying the database');
  await copyDatabase({ workerUrl: context.workerUrl, from: context.databasePath, to: copy, signal, onProgress });
  const library = new Database(copy, { readonly: true });
  const paths = createExportPaths(library, pathsDatabase);
  const result: ExportResult = {
    folder,
    tracks: 0,
    written: 0,
    bytes_written: 0,
    playlists: 0,
    without_audio: 0,
    problems: [],
  };
  const work: ExportRun = { folder, library, paths, result, run };
  try {
    progress(0, null, 'Choosing file names');
    await paths.plan(signal);
    const listedHashes = await readListedHashes(folder);
    await copyAudio(context, work, listedHashes);
    progress(paths.count(), paths.count(), 'Copying covers');
    await copyOtherFiles(context, work, copy, listedHashes);
    progress(paths.count(), paths.count(), 'Writing playlists and data');
    // without the manifest the export counts as incomplete; writeImport writes it at the end
    await rm(join(folder, MANIFEST_PATH), { force: true });
    result.playlists = await writePlaylists(context, folder, paths, signal);
    for (const [name, data] of Object.entries(dataFiles(library, paths))) {
      await writeWhole(join(folder, 'data', `${name}.json`), toJson(data.rows(), signal));
      for (const [table, rows] of toCsvFiles(name, data))
        await writeWhole(join(folder, 'data', `${table}.csv`), rows(signal));
    }
    await writeImport(context, work, copy, pathsDatabase);
    return result;
  } finally {
    library.close();
    paths.close();
  }
}

/** Writes the database, the list of files and the manifest, which `tonearm import` reads. */
async function writeImport(
  context: Context,
  { folder, paths, run: { signal } }: ExportRun,
  copy: string,
  pathsDatabase: string,
): Promise<void> {
  const counts: ExportManifest['counts'] = {
    tracks: countLibraryFiles(copy).tracks,
    files: 0,
    covers: 0,
    referenced: 0,
    absent: 0,
    mended: 0,
    bytes: 0,
  };
  const filesHash = createHash('sha256');
  let lines = 0;
  await writeWhole(join(folder, FILES_PATH), hashWhileReading(toJson(fileLines(), signal), filesHash));
  await cleanForExport(context.workerUrl, copy, pathsDatabase);
  const databaseHash = createHash('sha256');
  const size = await writeWhole(
    join(folder, DATABASE_PATH),
    hashWhileReading(createReadStream(copy) as AsyncIterable<Buffer>, databaseHash),
  );
  const manifest: ExportManifest = {
    tonearm_export: 1,
    format: 2,
    id: toSnapshotId(context.now()),
    app_version: context.version,
    database: { size, sha256: databaseHash.digest('hex') },
    lists: [{ sha256: filesHash.digest('hex'), lines }],
    settings: {},
    keys: null,
    counts,
  };
  await writeWhole(join(folder, MANIFEST_PATH), asText(`${JSON.stringify(manifest, null, 2)}\n`));

  async function* fileLines(): AsyncGenerator<ExportLine> {
    for await (const file of listLibraryFiles(copy)) {
      const isStored = file.kind === 'stored';
      const exportedFile = paths.findFile(isStored ? `stored:${file.key}` : `own:${file.path}`);
      // a file of a music folder that could not be exported; the exported database marks its tracks as missing
      if (!exportedFile && !isStored) continue;
      lines++;
      counts[isStored && file.fileType === 'cover' ? 'covers' : 'files']++;
      counts.bytes += exportedFile?.size ?? 0;
      if (exportedFile) yield { kind: 'stored', ...exportedFile };
      else if (isStored) {
        counts.absent++;
        yield { kind: 'stored', key: file.key, hash: file.hash, size: file.size, isAbsent: true };
      }
    }
  }
}

/**
 * Starts an export. Throws `unavailable` when the folder cannot be created, `conflict` when the server uses the
 * folder.
 */
async function start(context: Context, folder: string): Promise<EnqueuedJob> {
  return context.jobs.enqueue(EXPORT_TASK, { folder: await prepareFolder(context, folder) });
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

async function* asText(text: string): AsyncGenerator<string> {
  yield text;
}
