// Upload: streamed to disk while hashing, never held in memory; content decides what it is; the same content again is the same track.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError, badRequest, isDiskFull, messageOf } from '../errors.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Storage } from '../storage/storage.ts';
import { toAudio, toIdentity } from './draft.ts';
import type { ReaderPool } from './reader-pool.ts';

export const UPLOAD = 'upload';
const MAX_FILES = 1_000;

export interface Uploaded { trackId: TrackId; isNew: boolean }
export interface UploadOutcome { uploaded: Uploaded[]; errors: { filename: string; detail: string; tooLarge: boolean }[] }

export interface UploadDeps {
  db: MainDb;
  tracks: TrackWriter;
  storage: Storage;
  reader: ReaderPool;
  settings: LiveSettings;
  tmpDir: string;
}

interface Staged { path: string; sha256: string; sizeBytes: number }

export function createUploadService({ db, tracks, storage, reader, settings, tmpDir }: UploadDeps) {
  const findByContent = db.$client.prepare<[string], { id: TrackId }>(
    "SELECT id FROM tracks WHERE content_hash = ? AND availability = 'available' ORDER BY id LIMIT 1");
  const findBySource = db.$client.prepare<[string, string], { id: TrackId }>('SELECT id FROM tracks WHERE source = ? AND source_id = ?');

  /** Reads a multipart request; each file succeeds or fails by itself. */
  async function receive(req: Request, signal: AbortSignal): Promise<UploadOutcome> {
    const outcome: UploadOutcome = { uploaded: [], errors: [] };
    const limit = settings.get('MAX_UPLOAD_BYTES');
    await mkdir(tmpDir, { recursive: true });
    await eachFile(req, limit, async (stream, filename) => {
      try {
        outcome.uploaded.push(await take(stream, filename, limit, signal));
      } catch (error) {
        if (signal.aborted || isDiskFull(error)) throw error;
        outcome.errors.push({ filename, detail: messageOf(error), tooLarge: error instanceof AppError && error.code === 'too_large' });
      }
    });
    if (outcome.uploaded.length + outcome.errors.length === 0) throw badRequest('No file came with the upload; send them as multipart field "files".');
    return outcome;
  }

  async function take(stream: Readable, filename: string, limit: number, signal: AbortSignal): Promise<Uploaded> {
    const path = join(tmpDir, `upload-${randomUUID()}`);
    try {
      const staged = await stage(stream, path, limit, signal);
      const known = findByContent.get(staged.sha256);
      return known ? { trackId: known.id, isNew: false } : await add(staged, filename, signal);
    } finally {
      await rm(path, { force: true });
    }
  }

  async function add(staged: Staged, filename: string, signal: AbortSignal): Promise<Uploaded> {
    const [result] = await reader.read({ root: tmpDir, paths: [basename(staged.path)], copyTo: null, hashLarge: true });
    if (!result?.ok) throw new AppError('unsupported_type', `This is not audio that can be read: ${result?.reason ?? 'the reader gave nothing'}.`);
    const { key } = await storage.putAudio(createReadStream(staged.path), result.read.facts.format, { signal });
    const audio = toAudio(result.read, { storageUri: `${storage.kind}:${key}`, contentHash: staged.sha256, audioHash: result.audioHash, sizeBytes: staged.sizeBytes });
    const identity = toIdentity(result.read, basename(filename));
    return db.$client.transaction((): Uploaded => {
      const known = findByContent.get(staged.sha256); // another upload of the same content may have been faster
      if (known) return { trackId: known.id, isNew: false };
      const before = findBySource.get(UPLOAD, staged.sha256);
      if (before) {
        tracks.setAudio(before.id, audio); // it was missing, and is back
        return { trackId: before.id, isNew: false };
      }
      const trackId = tracks.insert({ source: UPLOAD, sourceId: staged.sha256, identity, audio });
      tracks.settleSpellings();
      return { trackId, isNew: true };
    }).immediate();
  }

  return { receive };
}

export type UploadService = ReturnType<typeof createUploadService>;

async function stage(stream: Readable, path: string, limit: number, signal: AbortSignal): Promise<Staged> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(stream, async function* measured(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
    if ('truncated' in stream && stream.truncated) throw new AppError('too_large', `The file is larger than ${limit} bytes, the most that may be uploaded.`);
  }, createWriteStream(path, { mode: 0o600 }), { signal });
  return { path, sha256: hash.digest('hex'), sizeBytes };
}

/** Calls `each` for one file after the other; the request waits meanwhile. */
function eachFile(req: Request, limit: number, each: (stream: Readable, filename: string) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({ headers: req.headers as BusboyHeaders, limits: { files: MAX_FILES, fileSize: limit, fields: 20, fieldSize: 10_000 } });
    } catch {
      return reject(new AppError('unsupported_type', 'Send files as multipart/form-data, field "files".'));
    }
    let work = Promise.resolve();
    const open = new Set<Readable>();
    const fail = (error: unknown): void => {
      req.unpipe(parser);
      req.resume(); // lets the answer reach a client that is still sending
      for (const stream of open) stream.destroy(badRequest('The upload was broken off.'));
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    parser.on('file', (_field: string, stream: Readable, filename: string) => {
      open.add(stream);
      stream.on('error', () => open.delete(stream)); // told to whoever reads it; without a listener it would end the process
      work = work.then(() => each(stream, cleanName(filename))).finally(() => open.delete(stream));
      work.catch(fail);
    });
    parser.on('error', () => fail(badRequest('The multipart body is malformed or ends too early.')));
    parser.on('finish', () => { work.then(resolve, fail); });
    req.on('aborted', () => fail(badRequest('The upload was broken off.')));
    req.pipe(parser);
  });
}

/** A name is only ever shown or used as a title; folders and control characters in it mean nothing. */
const cleanName = (name: string | undefined): string => basename((name ?? '').replaceAll('\\', '/')).replace(/[\u0000-\u001f]/g, '').slice(0, 255) || 'unnamed';
