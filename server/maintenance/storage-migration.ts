// Migrates a library from one storage to another. First copies all objects, verifying their hashes, then changes all
// storage URIs in one transaction. If it is interrupted, the library is in either of the two, and the next call
// continues. The old objects are kept, which makes going back easy.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { MainDb } from '../db/client.ts';
import { AppError, messageOf } from '../errors.ts';
import type { ObjectStat, Storage } from '../storage/storage.ts';
import { toUri } from '../storage/uri.ts';

const OBJECTS_AT_ONCE = 4;
const LISTED = 100;
const HEX = '0123456789abcdef';
const PARTS = [...HEX].flatMap((a) => [...HEX].map((b) => a + b));

interface MigrateDeps {
  db: MainDb;
  from: Storage;
  to: Storage;
  signal: AbortSignal;
  onProgress: (done: number, total: number, bytes: number) => void;
}

export interface Migration {
  /** Number of audio objects and covers that were copied, and that were there already. */
  copied: number;
  present: number;
  bytes: number;
  /** Number of tracks whose audio is now in the new storage. */
  tracks: number;
  /** Objects that could not be copied; their tracks keep the old URI. */
  problems: { key: string; reason: string }[];
}

interface Wanted {
  key: string;
  hash: string;
  /** Null: it is several tracks. */
  sizeBytes: number | null;
}
type StoredAudio = Omit<Wanted, 'key'> & { uri: string };

/** Throws `unavailable` or `storage_full` for either storage; then nothing has changed, and the next call continues. */
export async function migrateStorage({ db, from, to, signal, onProgress }: MigrateDeps): Promise<Migration> {
  const result: Migration = { copied: 0, present: 0, bytes: 0, tracks: 0, problems: [] };
  const stuck = new Set<string>();
  const scheme = toUri(from, '');
  // by ranges of the content hash, which is indexed
  const listPart = db.$client.prepare<[string, string, string], StoredAudio>(`
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
  let done = 0;

  const step = (): void => onProgress(++done, total, result.bytes);
  const fail = (key: string, error: unknown): void => {
    stuck.add(key);
    if (result.problems.length < LISTED) result.problems.push({ key, reason: messageOf(error) });
  };

  async function copyAudio({ key, hash, sizeBytes }: Wanted, there: number | undefined): Promise<void> {
    if (there !== undefined && there === (sizeBytes ?? (await from.stat(key))?.size)) result.present++;
    else {
      const { stream, size } = await from.open(key);
      const stored = await to.putAudio(stream, key.slice(key.lastIndexOf('.') + 1), {
        signal,
        expected: { sha256: hash, size },
      });
      if (stored.key !== key) throw new AppError('conflict', 'Its content does not match its name.');
      result.copied++;
      result.bytes += size;
    }
  }

  async function copyCover(key: string): Promise<void> {
    const [old, there] = await Promise.all([from.stat(key), to.stat(key)]);
    if (!old) throw new AppError('not_found', 'It does not exist.');
    if (isSameCover(old, there)) return void result.present++;
    const bytes = await buffer((await from.open(key)).stream);
    await to.put(key, bytes, { signal });
    if (digest(await buffer((await to.open(key)).stream)) !== digest(bytes))
      throw new AppError('unavailable', 'A cover was changed in transit.');
    result.copied++;
    result.bytes += bytes.length;
  }

  /** Records errors of single objects; those of a storage end the migration. */
  async function attempt(key: string, work: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      const isOfObject = error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict');
      if (!isOfObject) throw error;
      fail(key, error);
    }
    step();
  }

  for (const part of PARTS) {
    const wanted = listPart
      .all(part, `${part}g`, scheme)
      .map(({ uri, hash, sizeBytes }): Wanted => ({ key: uri.slice(scheme.length), hash, sizeBytes }));
    if (wanted.length === 0) continue;
    const there = await sizesIn(to, `audio/${part}/`);
    await eachOf(wanted, OBJECTS_AT_ONCE, (one) => attempt(one.key, () => copyAudio(one, there.get(one.key))));
    const proved = await sizesIn(to, `audio/${part}/`);
    for (const { key } of wanted)
      if (!proved.has(key) && !stuck.has(key))
        throw new AppError(
          'unavailable',
          `The new storage does not list ${key}, which was copied to it. Nothing was changed; try again.`,
        );
  }
  await eachOf(covers, OBJECTS_AT_ONCE, (key) => attempt(key, () => copyCover(key)));

  signal.throwIfAborted();
  result.tracks = moveRows(db, scheme, toUri(to, ''), stuck);
  return result;
}

/** In one transaction, so that the library is never spread over both storages. */
function moveRows(db: MainDb, from: string, to: string, stuck: ReadonlySet<string>): number {
  const client = db.$client;
  return client
    .transaction((): number => {
      client.exec('CREATE TEMP TABLE stuck_objects (uri TEXT PRIMARY KEY)');
      const add = client.prepare('INSERT INTO stuck_objects VALUES (?)');
      for (const key of stuck) add.run(from + key);
      const move = (table: string): number =>
        client
          .prepare(`UPDATE ${table} SET storage_uri = ? || substr(storage_uri, ?) WHERE storage_uri LIKE ? || '%'
          AND content_hash IS NOT NULL
      AND storage_uri NOT IN (SELECT uri FROM stuck_objects)`)
          .run(to, from.length + 1, from).changes;
      const moved = move('tracks');
      move('trashed_tracks');
      client.exec('DROP TABLE stuck_objects');
      return moved;
    })
    .immediate();
}

/** A cover may be replaced under the same key; then it is newer than the copy. */
const isSameCover = (old: ObjectStat, there: ObjectStat | undefined): boolean =>
  there?.size === old.size && there.modifiedAt >= old.modifiedAt;

async function sizesIn(storage: Storage, folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, size } of storage.list(folder)) sizes.set(key, size);
  return sizes;
}

/** Rejects with the first error, after the running ones have ended. */
async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  const run = async (): Promise<void> => {
    while (next < items.length && !failed) {
      try {
        await work(items[next++] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, run));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
