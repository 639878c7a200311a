// Uploads are hashed while they are streamed to disk. The content decides the format, and uploading the same content
// again gives the same track.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { tracks as trackTable } from '../db/schema.ts';
import { AppError, badRequest, isDiskFull, type ErrorCode } from '../errors.ts';
import { readForm, type FormFile } from '../http/multipart.ts';
import type { TrackAudio, TrackIdentity, TrackWriter } from '../library/track-writer.ts';
import type { Log } from '../log/log.ts';
import { toIdentity } from '../files/track-draft.ts';
import type { StoreFile, WholeFile } from '../files/store-file.ts';

export const UPLOAD = 'upload';
const FIELD = 'files';
const MAX_FILES = 1_000;
/** Errors of a single file; any other aborts the upload. */
const FILE_ERRORS: readonly ErrorCode[] = ['unsupported_type', 'too_large', 'bad_request'];

export interface Uploaded {
  trackId: TrackId;
  isNew: boolean;
}
export interface UploadOutcome {
  uploaded: Uploaded[];
  errors: { filename: string; detail: string; tooLarge: boolean }[];
}

export interface UploadDeps {
  db: MainDb;
  log: Log;
  tracks: TrackWriter;
  storeFile: StoreFile;
  settings: LiveSettings;
  tmpDir: string;
  onUploaded: (ids: readonly TrackId[]) => void;
}

export function createUploadService({ db, log, tracks, storeFile, settings, tmpDir, onUploaded }: UploadDeps) {
  const findByContent = db.$client.prepare<[string], RowOf<typeof trackTable, 'id'>>(
    "SELECT id FROM tracks WHERE content_hash = ? AND availability = 'available' ORDER BY id LIMIT 1",
  );
  const findBySource = db.$client.prepare<[string, string], RowOf<typeof trackTable, 'id'>>(
    'SELECT id FROM tracks WHERE source = ? AND source_id = ?',
  );

  /** Reads a multipart request. Each file succeeds or fails on its own, and is kept when the request is cut off. */
  async function receive(req: Request, signal: AbortSignal): Promise<UploadOutcome> {
    const outcome: UploadOutcome = { uploaded: [], errors: [] };
    const fileBytes = settings.get('MAX_UPLOAD_BYTES');
    let fault: unknown;
    await mkdir(tmpDir, { recursive: true });
    try {
      await readForm(
        req,
        {
          files: MAX_FILES,
          fileBytes,
          tooLarge: `The file is larger than the limit of ${fileBytes} bytes.`,
        },
        async (file) => {
          try {
            outcome.uploaded.push(await take(file, signal));
          } catch (error) {
            if (signal.aborted || isDiskFull(error)) throw error;
            if (!(error instanceof AppError)) log.error({ err: error }, 'an uploaded file could not be stored');
            else if (!FILE_ERRORS.includes(error.code)) throw error;
            fault ??= error instanceof AppError ? undefined : error;
            outcome.errors.push({ filename: file.filename, ...toLine(error) });
          }
        },
      );
    } finally {
      const isNew = outcome.uploaded.filter((one) => one.isNew);
      if (isNew.length > 0) onUploaded(isNew.map((one) => one.trackId));
    }
    if (outcome.uploaded.length === 0 && fault !== undefined) throw fault;
    if (outcome.uploaded.length + outcome.errors.length === 0)
      throw badRequest(`The upload contains no file. Send files in the multipart field "${FIELD}".`);
    return outcome;
  }

  async function take({ field, filename, chunks }: FormFile, signal: AbortSignal): Promise<Uploaded> {
    if (field !== FIELD) throw badRequest(`Wrong field name. Send files in the multipart field "${FIELD}".`);
    const path = join(tmpDir, `upload-${randomUUID()}`);
    try {
      const staged = await stage(chunks, path, signal);
      const known = findByContent.get(staged.sha256);
      return known ? { trackId: known.id, isNew: false } : await add(staged, filename, signal);
    } finally {
      await rm(path, { force: true });
    }
  }

  const add = (staged: WholeFile, filename: string, signal: AbortSignal): Promise<Uploaded> =>
    storeFile(staged, signal, (audio, read) => insert(staged.sha256, audio, toIdentity(read, filename)));

  function insert(sha256: string, audio: TrackAudio, identity: TrackIdentity): Uploaded {
    return db.$client
      .transaction((): Uploaded => {
        const known = findByContent.get(sha256); // uploaded meanwhile by another request
        if (known) return { trackId: known.id, isNew: false };
        const before = findBySource.get(UPLOAD, sha256);
        if (before) {
          tracks.setAudio(before.id, audio); // it was missing
          return { trackId: before.id, isNew: false };
        }
        const trackId = tracks.insert({ source: UPLOAD, sourceId: sha256, identity, audio });
        tracks.settleSpellings();
        return { trackId, isNew: true };
      })
      .immediate();
  }

  return { receive };
}

export type UploadService = ReturnType<typeof createUploadService>;

const toLine = (error: unknown): { detail: string; tooLarge: boolean } =>
  error instanceof AppError
    ? { detail: error.message, tooLarge: error.code === 'too_large' }
    : { detail: 'The file could not be stored.', tooLarge: false };

async function stage(chunks: AsyncIterable<Buffer>, path: string, signal: AbortSignal): Promise<WholeFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(
    chunks,
    async function* measured(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
    { signal },
  );
  return { path, sha256: hash.digest('hex'), sizeBytes };
}
