// Receives uploads, which are hashed while they are streamed to disk. The content decides the format, and uploading the
// same content again returns the same track.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request } from 'express';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { AppError, asKnownFault, badRequest, type ErrorCode, type FieldError } from '../errors.ts';
import { isRawFile, readForm, readRawFile, type FormFile } from '../http/multipart.ts';
import type { TrackAudio } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { Trash } from '../library/trash/trash.ts';
import type { Log } from '../log/log.ts';
import type { ArrivingFile } from '../storage/arriving-space.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { isOverQuota, type Quota } from '../files/quota.ts';
import { createUploadCharsets, type TaggedUpload } from './album-charsets.ts';
import type { StoreFile, WholeFile } from '../files/store-file.ts';
import { prepareFindUploaded } from './queries.ts';
import type { UploadLimitsOut } from './wire.ts';
import { createIndexedFiles, type Comparison } from './indexed-files.ts';
import { bindContext } from '../runtime/bind-context.ts';

const UPLOAD_SOURCE = 'upload';
/** Field of a form with one file; the answer is then the file's track. */
const SINGLE_FILE_FIELD = 'file';
const MAX_FILES = 1_000;
/** Errors that concern a single file; any other error aborts the upload. */
const FILE_ERRORS: readonly ErrorCode[] = ['unsupported_type', 'too_large', 'bad_request', 'storage_full'];

interface UploadedFile {
  trackId: TrackId;
  isNew: boolean;
}
interface UploadOutcome {
  uploaded: UploadedFile[];
  errors: { filename: string; detail: string; code: ErrorCode; fields?: FieldError[] | undefined }[];
  /** True if the upload is one file, in the field `file` or as the body. */
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
  quota: Pick<Quota, 'reserve' | 'assertFree' | 'assertQuota' | 'quotaOf'>;
  trash: Pick<Trash, 'findPlace' | 'restore'>;
  /** Deletes stored audio that no track uses. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  onUploaded: (ids: readonly TrackId[]) => void;
}

export function createUploadService(deps: UploadDeps) {
  const context = createContext(deps);

  return bindContext(context, { receive, limitsOf });
}

type Context = ReturnType<typeof createContext>;

function createContext({
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
  const { findByContent, findBySource } = prepareFindUploaded(db.$client);
  const charsets = createUploadCharsets(db.$client, tracks);
  const indexedFiles = createIndexedFiles({ client: db.$client, log, audioStore });
  return {
    db,
    log,
    tracks,
    storeFile,
    settings,
    tmpDir,
    quota,
    trash,
    releaseAudio,
    onUploaded,
    findByContent,
    findBySource,
    charsets,
    indexedFiles,
  };
}

function limitsOf({ settings, quota }: Context, userId: UserId): UploadLimitsOut {
  const accountQuota = quota.quotaOf(userId);
  return {
    max_file_bytes: settings.get('MAX_UPLOAD_BYTES'),
    quota: accountQuota && { bytes: accountQuota.bytes, remaining_bytes: accountQuota.remainingBytes },
  };
}

/** Returns whether the file is that of a missing or trashed track, which already counts for the quota. */
const isReturning = ({ findBySource, trash }: Context, sha256: string): boolean =>
  findBySource.get(UPLOAD_SOURCE, sha256) !== undefined || trash.findPlace(UPLOAD_SOURCE, sha256) !== undefined;

/**
 * Reads a form, or a body that is one file, named `filename`. Each file succeeds or fails on its own; finished files
 * are kept when the request is interrupted.
 */
async function receive(
  context: Context,
  userId: UserId,
  req: Request,
  { filename, signal }: { filename?: string | undefined; signal: AbortSignal },
): Promise<UploadOutcome> {
  const outcome: UploadOutcome = { uploaded: [], errors: [], isSingle: false };
  const fileBytes = context.settings.get('MAX_UPLOAD_BYTES');
  let unexpectedError: unknown;
  await mkdir(context.tmpDir, { recursive: true });
  try {
    const limits = {
      files: MAX_FILES,
      fileBytes,
      tooLarge: `The file is larger than ${fileBytes} bytes, the limit of this server (MAX_UPLOAD_BYTES).`,
    };
    const receiveFile = async (file: FormFile): Promise<void> => {
      outcome.isSingle = file.field === SINGLE_FILE_FIELD && outcome.uploaded.length + outcome.errors.length === 0;
      try {
        outcome.uploaded.push(await storeUpload(context, userId, file, signal));
      } catch (error) {
        const affectsAll = !(error instanceof AppError) && asKnownFault(error) !== undefined;
        if (signal.aborted || affectsAll) throw error;
        if (!(error instanceof AppError)) context.log.error({ err: error }, 'cannot store an uploaded file');
        else if (!FILE_ERRORS.includes(error.code) || endsUpload(error, outcome)) throw error;
        unexpectedError ??= error instanceof AppError ? undefined : error;
        outcome.errors.push({ filename: file.filename, ...toErrorEntry(error) });
      }
    };
    if (isRawFile(req)) await readRawFile(req, limits, { field: SINGLE_FILE_FIELD, filename }, receiveFile);
    else await readForm(req, limits, receiveFile);
  } finally {
    const newFiles = outcome.uploaded.filter((file) => file.isNew);
    if (newFiles.length > 0) context.onUploaded(newFiles.map((file) => file.trackId));
  }
  if (outcome.uploaded.length === 0 && unexpectedError !== undefined) throw unexpectedError;
  if (outcome.uploaded.length + outcome.errors.length === 0)
    throw badRequest(`The upload contains no file. Send it in the multipart field "${SINGLE_FILE_FIELD}".`);
  return outcome;
}

async function storeUpload(
  context: Context,
  userId: UserId,
  { filename, announcedBytes, chunks }: FormFile,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const path = join(context.tmpDir, `upload-${randomUUID()}`);
  const space = await context.quota.reserve(userId, announcedBytes);
  try {
    const { isStored, ...stagedFile } = await stageFile(chunks, path, { signal, space });
    const existingTrack = context.findByContent.get(stagedFile.sha256);
    if (existingTrack) return toExistingFile(existingTrack.id);
    if (isStored) return await add(context, userId, stagedFile, filename, signal);
    const indexedId = await context.indexedFiles.findBySize(stagedFile, signal);
    if (indexedId !== undefined) return toExistingFile(indexedId);
    context.quota.assertQuota(userId, Infinity);
    throw new AppError('storage_full', 'The quota of your account was changed during the upload. Try again.');
  } finally {
    await rm(path, { force: true });
    space.release();
  }
}

async function add(
  context: Context,
  userId: UserId,
  stagedFile: WholeFile,
  filename: string,
  signal: AbortSignal,
): Promise<UploadedFile> {
  let storedUri = '';
  let isObjectUnused = false;
  const comparison = context.indexedFiles.compareWith(stagedFile, signal);
  try {
    return await context.storeFile<UploadedFile>(stagedFile, {
      signal,
      async beforeStoring({ audioHash }) {
        const indexedId = await comparison.findTrack(audioHash);
        if (indexedId !== undefined) return toExistingFile(indexedId);
        if (!isReturning(context, stagedFile.sha256)) context.quota.assertQuota(userId, stagedFile.sizeBytes);
        await context.quota.assertFree(stagedFile.sizeBytes);
        return undefined;
      },
      async write(audio, content) {
        storedUri = audio.storageUri ?? '';
        for (;;) {
          const uploadedFile = insert(context, userId, stagedFile, audio, { content, filename }, comparison);
          if (uploadedFile?.isNew) context.charsets.remember(userId, uploadedFile.trackId, { content, filename });
          if (uploadedFile) return uploadedFile;
          const indexedId = await comparison.findTrack(audio.audioHash);
          isObjectUnused = indexedId !== undefined;
          if (indexedId !== undefined) return toExistingFile(indexedId);
        }
      },
    });
  } catch (error) {
    isObjectUnused = true;
    throw error;
  } finally {
    if (isObjectUnused && storedUri !== '') await context.releaseAudio([storedUri]);
  }
}

/** Inserts a track; returns undefined when a scan has added tracks meanwhile that must be compared first. */
function insert(
  context: Context,
  userId: UserId,
  { sha256, sizeBytes }: WholeFile,
  audio: TrackAudio,
  file: TaggedUpload,
  comparison: Comparison,
): UploadedFile | undefined {
  return context.db.$client
    .transaction((): UploadedFile | undefined => {
      const existingTrack = context.findByContent.get(sha256); // another request may have uploaded the same file
      if (existingTrack) return toExistingFile(existingTrack.id);
      if (comparison.isOutdated(audio.audioHash)) return undefined;
      const missingTrack = context.findBySource.get(UPLOAD_SOURCE, sha256);
      if (missingTrack) {
        context.tracks.setAudio(missingTrack.id, audio);
        return toExistingFile(missingTrack.id);
      }
      const trashedId = context.trash.findPlace(UPLOAD_SOURCE, sha256)?.id;
      if (trashedId !== undefined) {
        context.trash.restore(context.db, trashedId);
        context.tracks.setAudio(trashedId, audio);
        return toExistingFile(trashedId);
      }
      context.quota.assertQuota(userId, sizeBytes); // the account may have uploaded other files meanwhile
      const identity = context.charsets.decodeTexts(userId, file);
      const trackId = context.tracks.insert({
        source: UPLOAD_SOURCE,
        sourceId: sha256,
        uploadedBy: userId,
        identity,
        audio,
      });
      context.tracks.applyUsualSpellings();
      return { trackId, isNew: true };
    })
    .immediate();
}

export type UploadService = ReturnType<typeof createUploadService>;

const toExistingFile = (trackId: TrackId): UploadedFile => ({ trackId, isNew: false });

/**
 * Returns whether an error ends the upload: when the disk is full and no file was stored, its other files are not read.
 */
const endsUpload = (error: AppError, { uploaded }: UploadOutcome): boolean =>
  error.code === 'storage_full' && !isOverQuota(error) && uploaded.length === 0;

const toErrorEntry = (error: unknown): Omit<UploadOutcome['errors'][number], 'filename'> =>
  error instanceof AppError
    ? { detail: error.message, code: error.code, fields: error.fields }
    : { detail: 'The file could not be stored.', code: 'invalid' };

/**
 * Reads a file into the storage. Only all of its bytes tell whether the library has the file already, and then it needs
 * no quota. A file that exceeds the quota is therefore hashed to its end, but not stored.
 */
async function stageFile(
  chunks: AsyncIterable<Buffer>,
  path: string,
  { signal, space }: { signal: AbortSignal; space: ArrivingFile },
): Promise<WholeFile & { isStored: boolean }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let isStored = true;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      hash.update(chunk);
      sizeBytes += chunk.length;
      if (!isStored) continue;
      isStored = await space.take(chunk.length);
      await (isStored ? file.writeFile(chunk) : file.truncate());
    }
  } finally {
    await file.close();
  }
  return { path, sha256: hash.digest('hex'), sizeBytes, isStored };
}
