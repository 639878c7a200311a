// Migrates a library from one storage to another. First copies all objects and verifies their hashes, then changes all
// storage URIs in one transaction. After an interruption the library is still entirely in one of the storages, and the
// next call continues. The old objects are not deleted, so a migration back is quick.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { MainDb } from '../db/client.ts';
import { AppError, messageOf } from '../errors.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { ObjectStat, Storage } from '../storage/storage.ts';
import { toUri } from '../storage/uri.ts';

const MAX_CONCURRENT_OBJECTS = 4;
const MAX_LISTED_PROBLEMS = 100;
const HEX = '0123456789abcdef';
const HASH_PREFIXES = [...HEX].flatMap((a) => [...HEX].map((b) => a + b));

interface MigrateDeps {
  db: MainDb;
  from: Storage;
  to: Storage;
  signal: AbortSignal;
  onProgress: (doneCount: number, total: number, bytes: number) => void;
}

export interface Migration {
  /**
   * The number of audio objects and covers that were copied; `present` counts those that the new storage already had.
   */
  copied: number;
  present: number;
  bytes: number;
  /** The number of tracks whose audio is now in the new storage. */
  tracks: number;
  /** Objects that could not be copied; their tracks keep the old URI. */
  problems: { key: string; reason: string }[];
}

interface AudioObject {
  key: string;
  hash: string;
  /** Null when several tracks are in the file. */
  sizeBytes: number | null;
}
type StoredAudio = Omit<AudioObject, 'key'> & { uri: string };

/**
 * Migrates the library. Throws `unavailable` or `storage_full` for either storage; then nothing has changed, and the
 * next call continues.
 */
export async function migrateStorage({ db, from, to, signal, onProgress }: MigrateDeps): Promise<Migration> {
  const result: Migration = { copied: 0, present: 0, bytes: 0, tracks: 0, problems: [] };
  const failedKeys = new Set<string>();
  const scheme = toUri(from, '');
  // lists ranges of the content hash, which has an index
  const listByPrefix = db.$client.prepare<[string, string, string], StoredAudio>(`
    SELECT storage_uri AS uri, content_hash AS hash, max(size_bytes) AS sizeBytes FROM stored_audio
    WHERE content_hash >= ? AND content_hash < ? AND storage_uri LIKE ? || '%' GROUP BY storage_uri, content_hash`);
  const listCovers = db.$client
    .prepare<[], string>(
      `SELECT key FROM album_covers WHERE key IS NOT NULL
      UNION SELECT cover_key FROM trashed_tracks WHERE cover_key IS NOT NULL
      UNION SELECT key FROM former_covers WHERE key IS NOT NULL
      UNION SELECT key FROM artist_pictures WHERE key IS NOT NULL`,
    )
    .pluck();
  const covers = listCovers.all();
  const total =
    (db.$client
      .prepare<[string], number>(
        "SELECT count(DISTINCT content_hash) FROM stored_audio WHERE storage_uri LIKE ? || '%'",
      )
      .pluck()
      .get(scheme) ?? 0) + covers.length;
  let doneCount = 0;

  const reportObject = (): void => onProgress(++doneCount, total, result.bytes);
  const addProblem = (key: string, error: unknown): void => {
    failedKeys.add(key);
    if (result.problems.length < MAX_LISTED_PROBLEMS) result.problems.push({ key, reason: messageOf(error) });
  };

  async function copyAudio({ key, hash, sizeBytes }: AudioObject, targetSize: number | undefined): Promise<void> {
    if (targetSize !== undefined && targetSize === (sizeBytes ?? (await from.stat(key))?.size)) result.present++;
    else {
      const { stream, size } = await from.open(key);
      const storedObject = await to.putAudio(stream, key.slice(key.lastIndexOf('.') + 1), {
        signal,
        expected: { sha256: hash, size },
      });
      if (storedObject.key !== key) throw new AppError('conflict', 'Its content does not match its name.');
      result.copied++;
      result.bytes += size;
    }
  }

  async function copyCover(key: string): Promise<void> {
    const [sourceStat, targetStat] = await Promise.all([from.stat(key), to.stat(key)]);
    if (!sourceStat) throw new AppError('not_found', 'It does not exist.');
    if (isSameCover(sourceStat, targetStat)) return void result.present++;
    const bytes = await buffer((await from.open(key)).stream);
    await to.put(key, bytes, { signal });
    if (digest(await buffer((await to.open(key)).stream)) !== digest(bytes))
      throw new AppError('unavailable', 'A cover was changed in transit.');
    result.copied++;
    result.bytes += bytes.length;
  }

  /** Runs the work and records errors of single objects; errors of a storage end the migration. */
  async function attempt(key: string, work: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      const isObjectError = error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict');
      if (!isObjectError) throw error;
      addProblem(key, error);
    }
    reportObject();
  }

  for (const prefix of HASH_PREFIXES) {
    const objects = listByPrefix
      .all(prefix, `${prefix}g`, scheme)
      .map(({ uri, hash, sizeBytes }): AudioObject => ({ key: uri.slice(scheme.length), hash, sizeBytes }));
    if (objects.length === 0) continue;
    const targetSizes = await listSizes(to, `audio/${prefix}/`);
    await forEachConcurrently(objects, MAX_CONCURRENT_OBJECTS, (object) =>
      attempt(object.key, () => copyAudio(object, targetSizes.get(object.key))),
    );
    const copiedSizes = await listSizes(to, `audio/${prefix}/`);
    for (const { key } of objects)
      if (!copiedSizes.has(key) && !failedKeys.has(key))
        throw new AppError(
          'unavailable',
          `The new storage does not list ${key}, which was copied to it. Nothing was changed; try again.`,
        );
  }
  await forEachConcurrently(covers, MAX_CONCURRENT_OBJECTS, (key) => attempt(key, () => copyCover(key)));

  signal.throwIfAborted();
  result.tracks = moveRows(db, scheme, toUri(to, ''), failedKeys);
  return result;
}

/** Changes all storage URIs in one transaction, so that the library is never spread over both storages. */
function moveRows(db: MainDb, from: string, to: string, failedKeys: ReadonlySet<string>): number {
  const client = db.$client;
  return client
    .transaction((): number => {
      client.exec('CREATE TEMP TABLE stuck_objects (uri TEXT PRIMARY KEY)');
      const add = client.prepare('INSERT INTO stuck_objects VALUES (?)');
      for (const key of failedKeys) add.run(from + key);
      const move = (table: string): number =>
        client
          .prepare(`UPDATE ${table} SET storage_uri = ? || substr(storage_uri, ?) WHERE storage_uri LIKE ? || '%'
          AND content_hash IS NOT NULL
      AND storage_uri NOT IN (SELECT uri FROM stuck_objects)`)
          .run(to, from.length + 1, from).changes;
      const movedTracks = move('tracks');
      move('trashed_tracks');
      client.exec('DROP TABLE stuck_objects');
      return movedTracks;
    })
    .immediate();
}

/**
 * Returns whether both storages have the same cover. A cover that was replaced under the same key is newer than its
 * copy.
 */
const isSameCover = (sourceStat: ObjectStat, targetStat: ObjectStat | undefined): boolean =>
  targetStat?.size === sourceStat.size && targetStat.modifiedAt >= sourceStat.modifiedAt;

async function listSizes(storage: Storage, folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, size } of storage.list(folder)) sizes.set(key, size);
  return sizes;
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
