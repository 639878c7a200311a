// One attempt to download an episode, into a file of its own. An incomplete download is kept until the next attempt,
// which resumes it if the server still has the same file.
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MainDb } from '../db/client.ts';
import type { EpisodeId } from '../db/ids.ts';
import { AppError, DISK_FULL, isDiskFull } from '../errors.ts';
import type { Quota } from '../files/quota.ts';
import { isPermanent, permanent, type Handler } from '../jobs/tasks.ts';
import { sniff, SNIFF_BYTES } from '../media/sniff.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { PodcastWeb } from './outbound.ts';
import { findEpisode, listWithStatus, updateEpisode, type EpisodeRow } from './queries.ts';
import { DOWNLOAD_EPISODE } from './tasks.ts';

interface DownloadDeps {
  db: MainDb;
  now: () => Date;
  dir: string;
  web: Pick<PodcastWeb, 'audio'>;
  quota: Pick<Quota, 'assertFree'>;
  /** Size limit of one episode. */
  maxBytes: () => number;
  /** Size limit of all episodes together. */
  capBytes: () => number;
  onChange: () => void;
}

export const fileOf = (dir: string, { id, format }: Pick<EpisodeRow, 'id' | 'format'>): string =>
  join(dir, `${id}.${format ?? 'part'}`);
const partOf = (dir: string, id: EpisodeId): string => join(dir, `${id}.part`);

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** The number of bytes between two checks of the free space. */
const FREE_SPACE_CHECK_BYTES = 64 << 20;

const tooLarge = (): Error =>
  permanent(new AppError('too_large', 'The episode is larger than MAX_UPLOAD_BYTES or PODCAST_MAX_BYTES.'));

/** Removes the files of an episode. */
export async function removeFiles(dir: string, episode: Pick<EpisodeRow, 'id' | 'format'>): Promise<void> {
  await rm(partOf(dir, episode.id), { force: true });
  if (episode.format !== null) await rm(fileOf(dir, episode), { force: true });
}

/** Errors of a lost connection or a server that is down; other errors would occur again. */
const PASSING_ERRORS = new Set<OutboundError['kind']>(['timeout', 'network', 'refused']);

export function downloadEpisodeTask(deps: DownloadDeps): Handler<typeof DOWNLOAD_EPISODE> {
  const { db, now, dir, web, quota, maxBytes, capBytes, onChange } = deps;

  async function fetch(
    episode: EpisodeRow,
    signal: AbortSignal,
    progress: (receivedBytes: number, totalBytes: number | null) => void,
  ) {
    const path = partOf(dir, episode.id);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const maxEpisodeBytes = Math.min(maxBytes(), capBytes());
    const existingBytes = episode.validator === null ? 0 : await sizeOf(path);
    const resume = existingBytes > 0 && episode.validator !== null;
    const answer = await web.audio(new URL(episode.audioUrl), {
      headers: resume ? { range: `bytes=${existingBytes}-`, 'if-range': episode.validator as string } : {},
      maxBytes: maxEpisodeBytes,
      signal,
    });
    const { status, headers, body } = answer;
    if (status !== 200 && status !== 206) {
      body.destroy();
      if (status === 416) await rm(path, { force: true }); // the server has another file now
      const statusError = new AppError('unavailable', `The server of the episode answered with status ${status}.`);
      throw [404, 410, 401, 403].includes(status) ? permanent(statusError) : statusError;
    }
    const resumeAt = status === 206 ? Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1]) : 0;
    // the length of compressed content is not that of the file, so the download can be neither continued nor checked
    const isPacked = (headers.get('content-encoding') ?? 'identity') !== 'identity';
    const validator = isPacked ? null : validatorOf(headers);
    // servers that ignore If-Range may send a part of another file
    const isOtherFile = validator !== null && validator !== episode.validator;
    if (status === 206 && (resumeAt !== existingBytes || isOtherFile || isPacked)) {
      body.destroy();
      await rm(path, { force: true });
      throw new AppError('unavailable', 'The server of the episode sent another part than it was asked for.');
    }
    const total = resumeAt + Number(headers.get('content-length') ?? Number.NaN);
    const expectedBytes = Number.isSafeInteger(total) && !isPacked ? total : null;
    if (expectedBytes !== null && expectedBytes > maxEpisodeBytes) {
      body.destroy();
      throw tooLarge();
    }
    // removed before anything is stored: an attempt that ends here must not leave an old part that looks like the new
    // file
    if (status === 200) await rm(path, { force: true });
    updateEpisode(db, episode.id, { validator: validator ?? (status === 206 ? episode.validator : null) });
    await quota.assertFree(expectedBytes === null ? 0 : expectedBytes - resumeAt);
    let [receivedBytes, checkedBytes] = [resumeAt, resumeAt];
    body.on('data', (chunk: Buffer) => {
      progress((receivedBytes += chunk.length), expectedBytes);
      if (receivedBytes > maxEpisodeBytes) body.destroy(tooLarge());
      if (receivedBytes - checkedBytes < FREE_SPACE_CHECK_BYTES) return;
      checkedBytes = receivedBytes;
      quota.assertFree(0).catch((error: unknown) => body.destroy(error as Error));
    });
    await pipeline(body, createWriteStream(path, { flags: resumeAt > 0 ? 'r+' : 'w', start: resumeAt, mode: 0o600 }), {
      signal,
    });
    if (expectedBytes !== null && receivedBytes < expectedBytes)
      throw new AppError('unavailable', 'The connection was lost.');
  }

  /** Stores the download if it is audio. */
  async function storeDownload(id: EpisodeId): Promise<void> {
    const path = partOf(dir, id);
    const handle = await open(path, 'r+');
    let format: string | undefined;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
      const sniffedFormat = sniff(buffer.subarray(0, bytesRead));
      format = sniffedFormat === 'id3' ? 'mp3' : sniffedFormat;
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (format === undefined) throw permanent(new AppError('unsupported_type', 'The feed does not link to audio.'));
    const sizeBytes = await sizeOf(path);
    if (findEpisode(db, id)?.status !== 'downloading') return void (await rm(path, { force: true }));
    await rename(path, fileOf(dir, { id, format }));
    const row = { status: 'completed' as const, format, sizeBytes, error: null, validator: null, downloadedAt: now() };
    updateEpisode(db, id, row);
  }

  /**
   * Deletes the oldest downloads until the others fit into the limit; never the episode that was just downloaded, which
   * fits by itself.
   */
  async function deleteOldest(keptId: EpisodeId): Promise<void> {
    const completedEpisodes = listWithStatus(db, 'completed');
    let bytes = completedEpisodes.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    for (const episode of completedEpisodes) {
      if (bytes <= capBytes()) return;
      if (episode.id === keptId) continue;
      updateEpisode(db, episode.id, { status: 'deleted', format: null, downloadedAt: null });
      await removeFiles(dir, episode);
      bytes -= episode.sizeBytes ?? 0;
    }
  }

  function toJobError(error: unknown): Error {
    if (error instanceof OutboundError)
      return PASSING_ERRORS.has(error.kind)
        ? new AppError('unavailable', error.message, { cause: error })
        : permanent(error);
    if (isDiskFull(error)) return new AppError('storage_full', DISK_FULL, { cause: error });
    if (error instanceof Error && 'syscall' in error)
      // the message of the system's error contains a path
      return new AppError('unavailable', 'The episode could not be stored.', { cause: error });
    return error instanceof Error ? error : new Error(String(error));
  }

  return async ({ episodeId: id }, { signal, progress, attempt }) => {
    const episode = findEpisode(db, id);
    if (episode?.status !== 'downloading') return { outcome: 'not wanted any more' };
    try {
      await fetch(episode, signal, progress);
      await storeDownload(id);
      await deleteOldest(id);
      return { outcome: 'downloaded' };
    } catch (error) {
      if (signal.aborted) throw error;
      if ((findEpisode(db, id)?.status ?? 'deleted') === 'deleted') {
        await removeFiles(dir, episode);
        return { outcome: 'not wanted any more' };
      }
      const failure = toJobError(error);
      const isFinal = isPermanent(failure) || attempt >= DOWNLOAD_EPISODE.attempts;
      updateEpisode(db, id, { error: failure.message, ...(isFinal && { status: 'error' as const }) });
      // no other code would count or remove the incomplete file
      if (isFinal) await removeFiles(dir, episode);
      throw failure;
    } finally {
      onChange();
    }
  };
}

/** Returns a validator for resuming; a weak ETag does not guarantee that two parts belong together. */
function validatorOf(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag !== null && !etag.startsWith('W/') && etag.length < 500 ? etag : headers.get('last-modified');
}
