// Brings back stored audio that is lost or damaged: from the music folder, the backup, or the cache of what was played,
// and only with bytes whose SHA-256 is that of the object.
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

/** Implemented by the backup module. */
export type Heal = (
  key: string,
  hash: string,
  signal: AbortSignal,
) => Promise<'healed' | 'not_in_backup' | 'damaged_in_backup'>;

interface MendDeps {
  db: MainDb;
  musicRoots: () => MusicRoots;
  storage: Pick<Storage, 'put'>;
  /** Absent without a backup. */
  heal?: Heal;
  /** A copy of audio with that hash. */
  cachedCopy: (hash: string) => string | undefined;
}

type Place = RowAs<typeof sourceFolders, 'path'> & RowAs<typeof sourceFiles, 'name'>;

export type Mend = ReturnType<typeof createMend>;

export function createMend({ db, musicRoots, storage, heal, cachedCopy }: MendDeps) {
  const places = db.$client.prepare<[string], Place>(
    `SELECT DISTINCT d.path, f.name FROM tracks t JOIN source_files f ON f.track_id = t.id
       JOIN source_folders d ON d.id = f.folder_id WHERE t.content_hash = ? AND f.state IN ('track', 'split')`,
  );

  /** Reads twice: nothing is written before all of it is known to be right. */
  async function putFrom(path: string | Buffer, key: string, hash: string, signal: AbortSignal): Promise<boolean> {
    try {
      for await (const _ of rightBytes(path, hash, signal));
    } catch {
      signal.throwIfAborted();
      return false; // not there, or something else by now
    }
    await storage.put(key, Readable.from(rightBytes(path, hash, signal), { objectMode: false }), { signal });
    return true;
  }

  async function fromBackup(key: string, hash: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const outcome = await heal?.(key, hash, signal);
      return outcome === 'not_in_backup'
        ? 'the backup does not have it'
        : outcome === 'damaged_in_backup'
          ? 'it is damaged in the backup too'
          : outcome;
    } catch (error) {
      signal.throwIfAborted();
      return `the backup cannot be read (${messageOf(error)})`;
    }
  }

  return {
    fromBackup,

    /** `healed`, the reason why not, or undefined if there is no backup. */
    async audio(key: string, hash: string, signal: AbortSignal): Promise<string | undefined> {
      for (const { path, name } of places.all(hash))
        if (await putFrom(absoluteOf(musicRoots(), join(path, fileOfSection(name) ?? name)), key, hash, signal))
          return 'healed';
      const outcome = await fromBackup(key, hash, signal);
      if (outcome === 'healed') return outcome;
      const cached = cachedCopy(hash);
      return cached !== undefined && (await putFrom(cached, key, hash, signal)) ? 'healed' : outcome;
    },
  };
}

async function* rightBytes(path: string | Buffer, hash: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  const { handle } = await openPlainFile(path);
  for await (const piece of handle.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    sum.update(piece);
    yield piece;
  }
  if (sum.digest('hex') !== hash) throw fileChangedError();
}
