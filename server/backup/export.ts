// Exports the library in open formats: audio with readable file names, playlists as M3U8, everything else as JSON. An
// interrupted export can be resumed; nothing in the folder is ever deleted.
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { playlists as playlistsTable } from '../db/schema.ts';
import { AppError, invalid } from '../errors.ts';
import type { YieldToRequests } from '../jobs/yield-to-requests.ts';
import type { EnqueuedJob, Jobs } from '../jobs/service.ts';
import { permanent, type Handler, type JobContext } from '../jobs/tasks.ts';
import { m3uEntry, m3uHead } from '../playlists/m3u.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { dataFiles } from './export-data.ts';
import { isWritten, writeWhole } from './export-files.ts';
import { numbered, safeName } from '../media/readable-names.ts';
import { createExportPaths, type ExportPaths, type PlacedTrack } from './export-paths.ts';
import { assertFit } from './fit-folders.ts';
import { eachAtOnce } from '../runtime/at-once.ts';
import type { ExportResult } from './wire.ts';
import { EXPORT_TASK } from './tasks.ts';

const AT_ONCE = 4;
const SHOWN = 20;

export interface ExportDeps {
  db: MainDb;
  audioStore: AudioStore;
  playlists: Pick<PlaylistService, 'get' | 'allEntries'>;
  jobs: Pick<Jobs, 'enqueue'>;
  tmpDir: string;
  /** Folders that the server uses; scans and backups would include an export into them. */
  ownFolders: () => string[];
}

type Run = Pick<JobContext, 'signal' | 'progress' | 'yieldToRequests'>;
export type ExportService = ReturnType<typeof createExportService>;

export function createExportService({ db, audioStore, playlists, jobs, tmpDir, ownFolders }: ExportDeps) {
  async function assertUsable(folder: string): Promise<string> {
    if (!isAbsolute(folder)) throw invalid([{ field: 'folder', message: 'must be an absolute path' }]);
    const path = resolve(folder);
    if (!(await stat(path).catch(() => undefined))?.isDirectory())
      throw new AppError('unavailable', `The folder ${path} does not exist. Create it, or connect its disk.`);
    assertFit(path, ownFolders());
    return path;
  }

  async function copyTrack(
    folder: string,
    { uri, path }: PlacedTrack,
    { signal, yieldToRequests }: Run,
  ): Promise<number> {
    const file = await audioStore.resolve(uri);
    const { size, modifiedAt } = await file.stat();
    const place = join(folder, 'Music', ...path.split('/'));
    if (await isWritten(place, size, modifiedAt)) return 0;
    const { stream } = await file.open();
    try {
      return await writeWhole(place, yielding(stream as AsyncIterable<Buffer>, signal, yieldToRequests), modifiedAt);
    } finally {
      stream.destroy();
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

  async function exportTo(folder: string, paths: ExportPaths, run: Run): Promise<ExportResult> {
    const { signal, progress } = run;
    const result: ExportResult = {
      folder,
      tracks: 0,
      written: 0,
      bytes_written: 0,
      playlists: 0,
      without_audio: 0,
      problems: [],
    };
    progress(0, null, 'Choosing file names');
    await paths.plan(signal);
    const total = paths.count();
    await eachAtOnce(paths.all(), AT_ONCE, async (track) => {
      signal.throwIfAborted();
      try {
        const bytes = await copyTrack(folder, track, run);
        result.tracks++;
        if (bytes > 0) result.written++;
        result.bytes_written += bytes;
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'gone')) throw error;
        result.without_audio++;
        if (result.problems.length < SHOWN) result.problems.push(`${track.path}: ${error.message}`);
      }
      progress(result.tracks + result.without_audio, total, 'Copying audio');
    });
    progress(total, total, 'Writing playlists and data');
    result.playlists = await writePlaylists(folder, paths, signal);
    for (const [name, rows] of Object.entries(dataFiles(db.$client, paths)))
      await writeWhole(join(folder, 'data', name), asJson(rows(), signal));
    return result;
  }

  const task: Handler<typeof EXPORT_TASK> = async ({ folder }, { signal, progress, yieldToRequests }) => {
    await mkdir(tmpDir, { recursive: true });
    const scratch = join(tmpDir, `export-${randomBytes(6).toString('hex')}.db`);
    const usable = await assertUsable(folder).catch((error: unknown) => {
      throw permanent(error);
    });
    const paths = createExportPaths(db.$client, scratch);
    try {
      return await exportTo(usable, paths, { signal, progress, yieldToRequests });
    } finally {
      paths.close();
      await rm(scratch, { force: true });
    }
  };

  return {
    task,
    /** Throws `unavailable` when the folder does not exist, `conflict` when the server uses it. */
    async start(folder: string): Promise<EnqueuedJob> {
      return jobs.enqueue(EXPORT_TASK, { folder: await assertUsable(folder) });
    },
  };
}

async function* yielding(
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
  yieldToRequests: YieldToRequests,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    signal.throwIfAborted();
    yield chunk;
    await yieldToRequests();
  }
}

/** One array, a row on each line. */
async function* asJson(rows: AsyncIterable<object>, signal: AbortSignal): AsyncGenerator<string> {
  let text = '[';
  let isFirst = true;
  for await (const row of rows) {
    signal.throwIfAborted();
    text += `${isFirst ? '' : ','}\n${JSON.stringify(row)}`;
    isFirst = false;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield `${text}\n]\n`;
}
