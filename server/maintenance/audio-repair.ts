// Repairs stored audio that is lost or damaged, with bytes from the music folder, the backup, or the cache of played
// audio. Their SHA-256 has to be that of the object.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { MainDb } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { sourceFiles, sourceFolders } from '../db/schema.ts';
import { messageOf } from '../errors.ts';
import { absoluteOf, join } from '../files/relative-path.ts';
import { fileOfSection } from '../files/section-names.ts';
import { openPlainFile } from '../runtime/plain-files.ts';
import { fileChangedError } from '../storage/file-errors.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import type { Storage } from '../storage/storage.ts';

/** Restores an object from the backup; implemented by the backup module. */
export type Heal = (
  key: string,
  hash: string,
  signal: AbortSignal,
) => Promise<'healed' | 'not_in_backup' | 'damaged_in_backup'>;

interface AudioRepairDeps {
  db: MainDb;
  musicRoots: () => MusicRoots;
  storage: Pick<Storage, 'put'>;
  /** Absent without a backup. */
  heal?: Heal;
  /** Returns the path of a cached copy of the audio with that hash. */
  cachedCopy: (hash: string) => string | undefined;
}

type MusicFile = RowAs<typeof sourceFolders, 'path'> & RowAs<typeof sourceFiles, 'name'>;

export type AudioRepair = ReturnType<typeof createAudioRepair>;

export function createAudioRepair({ db, musicRoots, storage, heal, cachedCopy }: AudioRepairDeps) {
  const listFiles = db.$client.prepare<[string], MusicFile>(
    `SELECT DISTINCT d.path, f.name FROM tracks t JOIN source_files f ON f.track_id = t.id
       JOIN source_folders d ON d.id = f.folder_id WHERE t.content_hash = ? AND f.state IN ('track', 'split')`,
  );

  /**
   * Restores an object from a file. Reads the file twice: no byte is written before the hash of the whole file is
   * verified.
   */
  async function restoreFrom(path: string | Buffer, key: string, hash: string, signal: AbortSignal): Promise<boolean> {
    try {
      for await (const _ of verifiedBytes(path, hash, signal));
    } catch {
      signal.throwIfAborted();
      return false; // the file does not exist, or has changed
    }
    await storage.put(key, Readable.from(verifiedBytes(path, hash, signal), { objectMode: false }), { signal });
    return true;
  }

  async function healFromBackup(key: string, hash: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const outcome = await heal?.(key, hash, signal);
      return outcome === 'not_in_backup'
        ? 'the backup does not have it'
        : outcome === 'damaged_in_backup'
          ? 'it is damaged in the backup, too'
          : outcome;
    } catch (error) {
      signal.throwIfAborted();
      return `the backup cannot be read (${messageOf(error)})`;
    }
  }

  return {
    healFromBackup,

    /** Returns `healed`, the reason why the audio was not healed, or undefined without a backup. */
    async healAudio(key: string, hash: string, signal: AbortSignal): Promise<string | undefined> {
      for (const { path, name } of listFiles.all(hash))
        if (await restoreFrom(absoluteOf(musicRoots(), join(path, fileOfSection(name) ?? name)), key, hash, signal))
          return 'healed';
      const outcome = await healFromBackup(key, hash, signal);
      if (outcome === 'healed') return outcome;
      const cachedPath = cachedCopy(hash);
      return cachedPath !== undefined && (await restoreFrom(cachedPath, key, hash, signal)) ? 'healed' : outcome;
    },
  };
}

async function* verifiedBytes(path: string | Buffer, hash: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  const { handle } = await openPlainFile(path);
  for await (const chunk of handle.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest('hex') !== hash) throw fileChangedError();
}
