// Uploads are hashed while they are streamed to disk. The content decides the format, and uploading the same content
// again gives the same track.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request } from 'express';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { tracks as trackTable } from '../db/schema.ts';
import { AppError, asKnownFault, badRequest, type ErrorCode, type FieldError } from '../errors.ts';
import { isRawFile, readForm, readRawFile, type FormFile } from '../http/multipart.ts';
import type { TrackAudio } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Trash } from '../library/trash.ts';
import type { Log } from '../log/log.ts';
import type { ArrivingFile } from '../storage/arriving-space.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { isOverQuota, type Quota } from '../files/quota.ts';
import { createUploadCharsets, type NamedRead } from './album-charsets.ts';
import type { StoreFile, WholeFile } from '../files/store-file.ts';
import { createIndexedFiles, type Comparison } from './indexed-files.ts';

const UPLOAD = 'upload';
/** Of a form with one file; the answer is its track. */
const SINGLE = 'file';
const MAX_FILES = 1_000;
/** Errors of a single file; any other aborts the upload. */
const FILE_ERRORS: readonly ErrorCode[] = ['unsupported_type', 'too_large', 'bad_request', 'storage_full'];

interface Uploaded {
  trackId: TrackId;
  isNew: boolean;
}
interface UploadOutcome {
  uploaded: Uploaded[];
  errors: { filename: string; detail: string; code: ErrorCode; fields?: FieldError[] | undefined }[];
  /** One file in the field `file`, or a body that is one. */
  isSingle: boolean;
}

interface UploadDeps {
  db: MainDb;
  log: Log;
  tracks: TrackWriter;
  storeFile: StoreFile;
  audioStore: Pick<AudioStore, 'resolve'>;
  settings: LiveSettings;
  tmpDir: string;
  quota: Pick<Quota, 'reserve' | 'assertFree' | 'assertQuota'>;
  trash: Pick<Trash, 'findPlace' | 'restore'>;
  /** Deletes stored audio that no track uses. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  onUploaded: (ids: readonly TrackId[]) => void;
}

export function createUploadService({
  db,
  log,
  tracks,
  storeFile,
  audioStore,
  settings,
  tmpDir,
  quota,
  trash,
  releaseAudio,
  onUploaded,
}: UploadDeps) {
  const findByContent = db.$client.prepare<[string], RowOf<typeof trackTable, 'id'>>(
    "SELECT id FROM tracks WHERE content_hash = ? AND availability = 'available' ORDER BY id LIMIT 1",
  );
  const findBySource = db.$client.prepare<[string, string], RowOf<typeof trackTable, 'id'>>(
    'SELECT id FROM tracks WHERE source = ? AND source_id = ?',
  );

  const charsets = createUploadCharsets(db.$client, tracks);
  const indexedFiles = createIndexedFiles({ client: db.$client, log, audioStore });

  /** What is missing or in the trash counts already. */
  const isComingBack = (sha256: string): boolean =>
    findBySource.get(UPLOAD, sha256) !== undefined || trash.findPlace(UPLOAD, sha256) !== undefined;

  /**
   * Reads a form, or a body that is one file, named `filename`. Each file succeeds or fails on its own, and is kept
   * when the request is cut off.
   */
  async function receive(
    userId: UserId,
    req: Request,
    { filename, signal }: { filename?: string | undefined; signal: AbortSignal },
  ): Promise<UploadOutcome> {
    const outcome: UploadOutcome = { uploaded: [], errors: [], isSingle: false };
    const fileBytes = settings.get('MAX_UPLOAD_BYTES');
    let fault: unknown;
    await mkdir(tmpDir, { recursive: true });
    try {
      const limits = {
        files: MAX_FILES,
        fileBytes,
        tooLarge: `The file is larger than ${fileBytes} bytes, the limit of this server (MAX_UPLOAD_BYTES).`,
      };
      const takeOne = async (file: FormFile): Promise<void> => {
        outcome.isSingle = file.field === SINGLE && outcome.uploaded.length + outcome.errors.length === 0;
        try {
          outcome.uploaded.push(await take(userId, file, signal));
        } catch (error) {
          const isOfAll = !(error instanceof AppError) && asKnownFault(error) !== undefined;
          if (signal.aborted || isOfAll) throw error;
          if (!(error instanceof AppError)) log.error({ err: error }, 'an uploaded file could not be stored');
          else if (!FILE_ERRORS.includes(error.code) || endsUpload(error, outcome)) throw error;
          fault ??= error instanceof AppError ? undefined : error;
          outcome.errors.push({ filename: file.filename, ...toLine(error) });
        }
      };
      if (isRawFile(req)) await readRawFile(req, limits, { field: SINGLE, filename }, takeOne);
      else await readForm(req, limits, takeOne);
    } finally {
      const isNew = outcome.uploaded.filter((one) => one.isNew);
      if (isNew.length > 0) onUploaded(isNew.map((one) => one.trackId));
    }
    if (outcome.uploaded.length === 0 && fault !== undefined) throw fault;
    if (outcome.uploaded.length + outcome.errors.length === 0)
      throw badRequest(`The upload contains no file. Send it in the multipart field "${SINGLE}".`);
    return outcome;
  }

  async function take(
    userId: UserId,
    { filename, announcedBytes, chunks }: FormFile,
    signal: AbortSignal,
  ): Promise<Uploaded> {
    const path = join(tmpDir, `upload-${randomUUID()}`);
    const space = await quota.reserve(userId, announcedBytes);
    try {
      const { isWhole, ...staged } = await stage(chunks, path, { signal, space });
      const known = findByContent.get(staged.sha256);
      if (known) return existing(known.id);
      if (isWhole) return await add(userId, staged, filename, signal);
      const indexed = await indexedFiles.findBySize(staged, signal);
      if (indexed !== undefined) return existing(indexed);
      quota.assertQuota(userId, Infinity);
      throw new AppError('storage_full', 'The quota of your account was changed during the upload. Try again.');
    } finally {
      await rm(path, { force: true });
      space.release();
    }
  }

  async function add(userId: UserId, staged: WholeFile, filename: string, signal: AbortSignal): Promise<Uploaded> {
    let stored = '';
    let isUnused = false;
    const comparison = indexedFiles.compareWith(staged, signal);
    try {
      return await storeFile<Uploaded>(staged, {
        signal,
        async beforeStoring({ audioHash }) {
          const indexed = await comparison.find(audioHash);
          if (indexed !== undefined) return existing(indexed);
          if (!isComingBack(staged.sha256)) quota.assertQuota(userId, staged.sizeBytes);
          await quota.assertFree(staged.sizeBytes);
          return undefined;
        },
        async write(audio, read) {
          stored = audio.storageUri ?? '';
          for (;;) {
            const added = insert(userId, staged, audio, { read, filename }, comparison);
            if (added?.isNew) charsets.remember(userId, added.trackId, { read, filename });
            if (added) return added;
            const indexed = await comparison.find(audio.audioHash);
            isUnused = indexed !== undefined;
            if (indexed !== undefined) return existing(indexed);
          }
        },
      });
    } catch (error) {
      isUnused = true;
      throw error;
    } finally {
      if (isUnused && stored !== '') await releaseAudio([stored]);
    }
  }

  /** Undefined when a scan has added tracks meanwhile that have to be compared first. */
  function insert(
    userId: UserId,
    { sha256, sizeBytes }: WholeFile,
    audio: TrackAudio,
    file: NamedRead,
    comparison: Comparison,
  ): Uploaded | undefined {
    return db.$client
      .transaction((): Uploaded | undefined => {
        const known = findByContent.get(sha256); // uploaded meanwhile by another request
        if (known) return existing(known.id);
        if (comparison.isOutdated(audio.audioHash)) return undefined;
        const before = findBySource.get(UPLOAD, sha256);
        if (before) {
          tracks.setAudio(before.id, audio); // it was missing
          return existing(before.id);
        }
        const deleted = trash.findPlace(UPLOAD, sha256)?.id;
        if (deleted !== undefined) {
          trash.restore(db, deleted);
          tracks.setAudio(deleted, audio);
          return existing(deleted);
        }
        quota.assertQuota(userId, sizeBytes); // others of the same account may have come in meanwhile
        const identity = charsets.settle(userId, file);
        const trackId = tracks.insert({ source: UPLOAD, sourceId: sha256, uploadedBy: userId, identity, audio });
        tracks.settleSpellings();
        return { trackId, isNew: true };
      })
      .immediate();
  }

  return { receive };
}

export type UploadService = ReturnType<typeof createUploadService>;

const existing = (trackId: TrackId): Uploaded => ({ trackId, isNew: false });

/** On a full disk, the rest of an upload that has brought nothing yet is not waited for. */
const endsUpload = (error: AppError, { uploaded }: UploadOutcome): boolean =>
  error.code === 'storage_full' && !isOverQuota(error) && uploaded.length === 0;

const toLine = (error: unknown): Omit<UploadOutcome['errors'][number], 'filename'> =>
  error instanceof AppError
    ? { detail: error.message, code: error.code, fields: error.fields }
    : { detail: 'The file could not be stored.', code: 'invalid' };

/**
 * Only the whole file says whether it is here already, and then it needs no quota. What the quota has no room for is
 * therefore hashed to its end, but not kept.
 */
async function stage(
  chunks: AsyncIterable<Buffer>,
  path: string,
  { signal, space }: { signal: AbortSignal; space: ArrivingFile },
): Promise<WholeFile & { isWhole: boolean }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let isWhole = true;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      hash.update(chunk);
      sizeBytes += chunk.length;
      if (!isWhole) continue;
      isWhole = await space.take(chunk.length);
      await (isWhole ? file.writeFile(chunk) : file.truncate());
    }
  } finally {
    await file.close();
  }
  return { path, sha256: hash.digest('hex'), sizeBytes, isWhole };
}
