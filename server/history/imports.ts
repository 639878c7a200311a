// Imports plays from files of other services. The file is stored and read in a background task, so that a large one
// survives a restart. Importing it twice changes nothing.
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';
import { and, count, desc, eq, inArray } from 'drizzle-orm';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { HistoryImportId, UserId } from '../db/ids.ts';
import { historyImports, plays } from '../db/schema.ts';
import { AppError, badRequest, conflict, notFound } from '../errors.ts';
import { readForm } from '../http/multipart.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Jobs } from '../jobs/service.ts';
import { permanent, type Handler } from '../jobs/tasks.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import type { ArrivingFile, ReserveSpace } from '../storage/arriving-space.ts';
import type { Listen } from './listen-shapes.ts';
import { readListens } from './listens-file.ts';
import { createTrackMatcher } from './matcher.ts';
import { createHistoryQueries } from './queries.ts';
import type { HistoryService } from './service.ts';
import { songKey } from './song-names.ts';
import type { UnmatchedSong } from './wire.ts';
import { IMPORT_HISTORY } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import { bindContext } from '../runtime/bind-context.ts';

type HistoryImportRow = typeof historyImports.$inferSelect;

interface HistoryImportDeps {
  db: MainDb;
  now: () => Date;
  history: Pick<HistoryService, 'insertOrFind' | 'announceChange'>;
  jobs: Pick<Jobs, 'enqueue'>;
  /** Folder for the files that are not imported yet. */
  dir: string;
  maxBytes: () => number;
  /** Reserves space on the disk. Throws `storage_full`. */
  reserve: ReserveSpace<UserId>;
  /** Throws `storage_full` when so many bytes would exceed the account's quota. */
  assertQuota: (userId: UserId, bytes: number) => void;
}

const FILE_FIELD = 'file';
const PLAYS_PER_TRANSACTION = 100;
const MAX_SONGS = 50_000;
const { unmatchedChars: MAX_SONG_CHARS } = TEXT_LIMITS.history;
const MAX_SONGS_SHOWN = 200;
/** Maximum number of unfinished imports per account, because each keeps its file on disk. */
const MAX_UNFINISHED = 3;
/** Maximum number of plays per account: 130 a day for 40 years. */
const MAX_PLAYS = 2_000_000;

export type HistoryImports = ReturnType<typeof createHistoryImports>;

export function createHistoryImports(deps: HistoryImportDeps) {
  const shared = createContext(deps);

  return {
    ...bindContext(shared, { receive, list, putAside }),
    get: (userId: UserId, id: HistoryImportId) => getImport(shared, userId, id),
    /** Handler of `import_history`. An interrupted import starts again from the beginning of the file. */
    task: (async ({ importId }, context) => {
      const row = findImport(shared, importId as HistoryImportId);
      const isFinished = row?.status === 'done' || (row?.status === 'failed' && !existsSync(pathOf(shared, row.id)));
      if (!row || isFinished) {
        // the file is also deleted when the account was deleted
        await rm(pathOf(shared, importId as HistoryImportId), { force: true });
        return null;
      }
      update(shared, row.id, { status: 'running', error: null, finishedAt: null });
      try {
        await importFile(shared, row, context);
      } catch (error) {
        if (context.signal.aborted) throw error;
        update(shared, row.id, {
          status: 'failed',
          error: error instanceof AppError ? error.message : 'The file could not be read.',
          finishedAt: shared.now(),
        });
        await rm(pathOf(shared, row.id), { force: true });
        throw permanent(error);
      }
      await rm(pathOf(shared, row.id), { force: true });
      shared.history.announceChange(row.userId);
      const { added, known, unmatched, unreadable } = getImport(shared, row.userId, row.id);
      return { added, known, unmatched, unreadable };
    }) satisfies Handler<typeof IMPORT_HISTORY>,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, now, history, jobs, dir, maxBytes, reserve, assertQuota }: HistoryImportDeps) {
  const client = db.$client;
  const queries = createHistoryQueries({ db });
  const matcher = createTrackMatcher({ db });
  const addSlice = client.transaction(
    (userId: UserId, listens: readonly Listen[], file: string, tally: Tally): void => {
      for (const listen of listens) {
        const trackId = matcher.find(listen) ?? null;
        const song = trackId === null ? undefined : queries.findSong(trackId);
        const { status } = history.insertOrFind(userId, {
          ...listen,
          trackId: song?.trackId ?? null,
          durationMs: listen.durationMs ?? song?.durationMs ?? null,
          recordingMbid: listen.recordingMbid ?? song?.recordingMbid ?? null,
          playedMs: null,
          songKey: songKey(listen.artistName, listen.title),
          client: file,
          restTime: null,
          playId: null,
        });
        tally.count(status === 'recorded' ? 'added' : 'known');
        if (status === 'recorded' && !song) tally.unmatched(listen);
      }
    },
  ).immediate;
  return { db, now, history, jobs, dir, maxBytes, reserve, assertQuota, matcher, addSlice };
}

const pathOf = ({ dir }: Context, id: HistoryImportId): string => join(dir, `${id}`);

const findImport = ({ db }: Context, id: HistoryImportId): HistoryImportRow | undefined =>
  db.select().from(historyImports).where(eq(historyImports.id, id)).get();

const update = ({ db }: Context, id: HistoryImportId, values: Partial<HistoryImportRow>): void =>
  void db.update(historyImports).set(values).where(eq(historyImports.id, id)).run();

function getImport(shared: Context, userId: UserId, id: HistoryImportId): HistoryImportRow {
  const row = shared.db
    .select()
    .from(historyImports)
    .where(and(eq(historyImports.id, id), eq(historyImports.userId, userId)))
    .get();
  if (!row) throw notFound('import', id);
  return row;
}

const countUnfinished = ({ db }: Context, userId: UserId): number =>
  db
    .select({ n: count() })
    .from(historyImports)
    .where(and(eq(historyImports.userId, userId), inArray(historyImports.status, ['queued', 'running'])))
    .get()?.n ?? 0;

/** Throws `too_large` when the account has too many plays: even a file of the allowed size may contain millions. */
function assertPlayLimit(shared: Context, userId: UserId): void {
  const { n } = shared.db.select({ n: count() }).from(plays).where(eq(plays.userId, userId)).get() ?? { n: 0 };
  if (n > MAX_PLAYS)
    throw new AppError('too_large', `The history of an account may have ${MAX_PLAYS} plays, and has ${n}.`);
}

/** Yields the chunks of an upload. Throws `storage_full` when the disk or the quota has no space left. */
async function* takeSpace(
  shared: Context,
  chunks: AsyncIterable<Buffer>,
  userId: UserId,
  space: ArrivingFile,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (!(await space.take(chunk.length))) shared.assertQuota(userId, Infinity);
    yield chunk;
  }
}

async function importFile(
  shared: Context,
  row: HistoryImportRow,
  { signal, progress }: Pick<Parameters<Handler<typeof IMPORT_HISTORY>>[1], 'signal' | 'progress'>,
): Promise<void> {
  const tally = createTally();
  let bytesDone = 0;
  let slice: Listen[] = [];
  const flush = async (): Promise<void> => {
    shared.matcher.forget();
    shared.addSlice(row.userId, slice, row.filename, tally);
    slice = [];
    progress(bytesDone, row.bytesTotal);
    await yieldIfDue();
    signal.throwIfAborted();
  };
  assertPlayLimit(shared, row.userId);
  const latestPlayMs = shared.now().getTime() + 86_400_000;
  let reportedBytes = 0;
  for await (const listen of readListens(pathOf(shared, row.id), (done) => {
    bytesDone = done;
  })) {
    if (listen && listen.playedAt <= latestPlayMs) slice.push(listen);
    else tally.count('unreadable');
    await yieldIfDue();
    if (slice.length === PLAYS_PER_TRANSACTION) await flush();
    if (bytesDone - reportedBytes > row.bytesTotal / 50) {
      update(shared, row.id, { ...tally.result(), bytesDone: (reportedBytes = bytesDone) });
      assertPlayLimit(shared, row.userId);
    }
  }
  await flush();
  const result = tally.result();
  if (result.added + result.known === 0)
    throw new AppError(
      'unsupported_type',
      'The file has no plays. It should be an export of ListenBrainz (JSON, JSONL) or Last.fm (JSON, CSV).',
    );
  update(shared, row.id, {
    ...result,
    bytesDone: row.bytesTotal,
    status: 'done',
    error: null,
    finishedAt: shared.now(),
  });
}

async function remove(shared: Context, id: HistoryImportId): Promise<void> {
  await rm(pathOf(shared, id), { force: true });
  shared.db.delete(historyImports).where(eq(historyImports.id, id)).run();
}

/** Stores the file of a multipart form and enqueues its import. Throws `bad_request`, `too_large`. */
async function receive(shared: Context, userId: UserId, req: Request, signal: AbortSignal): Promise<HistoryImportRow> {
  const fileBytes = shared.maxBytes();
  let storedRow: HistoryImportRow | undefined;
  await mkdir(shared.dir, { recursive: true });
  await readForm(
    req,
    {
      files: 1,
      fileBytes,
      tooLarge: `The file is larger than ${fileBytes} bytes, the limit of this server (MAX_UPLOAD_BYTES).`,
    },
    async ({ field, filename, announcedBytes, chunks }) => {
      if (field !== FILE_FIELD)
        throw badRequest(`The file is in another field; send it as multipart field "${FILE_FIELD}".`);
      if (countUnfinished(shared, userId) >= MAX_UNFINISHED)
        throw conflict(`${MAX_UNFINISHED} of your imports are not finished. Wait for one of them.`);
      const row = writtenRow(
        shared.db
          .insert(historyImports)
          .values({ userId, filename, status: 'queued', bytesTotal: 0, unmatchedSongs: [], createdAt: shared.now() })
          .returning(),
      );
      let space: ArrivingFile | undefined;
      try {
        space = await shared.reserve(userId, announcedBytes);
        await pipeline(
          takeSpace(shared, chunks, userId, space),
          createWriteStream(pathOf(shared, row.id), { mode: 0o600 }),
          {
            signal,
          },
        );
        update(shared, row.id, { bytesTotal: (await stat(pathOf(shared, row.id))).size });
        storedRow = row;
      } catch (error) {
        await remove(shared, row.id);
        throw error;
      } finally {
        space?.release();
      }
    },
  );
  if (!storedRow) throw badRequest(`No file was sent; send it as multipart field "${FILE_FIELD}".`);
  try {
    await shared.jobs.enqueue(IMPORT_HISTORY, { importId: storedRow.id });
  } catch (error) {
    await remove(shared, storedRow.id);
    throw error;
  }
  return getImport(shared, userId, storedRow.id);
}

const list = ({ db }: Context, userId: UserId, { limit, offset }: Page): Paged<HistoryImportRow> => ({
  items: db
    .select()
    .from(historyImports)
    .where(eq(historyImports.userId, userId))
    .orderBy(desc(historyImports.id))
    .limit(limit)
    .offset(offset)
    .all(),
  total: db.select({ n: count() }).from(historyImports).where(eq(historyImports.userId, userId)).get()?.n ?? 0,
});

/** Marks an import as failed after two crashes. The file stays, so that an administrator can try again. */
const putAside = (shared: Context, { importId }: { importId: number }): void =>
  update(shared, importId as HistoryImportId, {
    status: 'failed',
    error: 'The server stopped twice while it read the file. An administrator can try again, under Activity.',
    finishedAt: shared.now(),
  });

type Tally = ReturnType<typeof createTally>;

function createTally() {
  const counts = { added: 0, known: 0, unmatched: 0, unreadable: 0 };
  const songs = new Map<string, UnmatchedSong>();
  let songChars = 0;
  return {
    count: (counter: 'added' | 'known' | 'unreadable'): void => void counts[counter]++,
    unmatched({ title, artistName }: Listen): void {
      counts.unmatched++;
      const key = `${artistName}\n${title}`;
      const song = songs.get(key);
      if (song) song.plays++;
      else if (songs.size < MAX_SONGS && songChars < MAX_SONG_CHARS) {
        songChars += key.length;
        songs.set(key, { title, artist_name: artistName, plays: 1 });
      }
    },
    result: () => ({
      ...counts,
      unmatchedSongs: [...songs.values()].sort((a, b) => b.plays - a.plays).slice(0, MAX_SONGS_SHOWN),
    }),
  };
}
