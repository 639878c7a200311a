// Moves a library from one storage to another. Objects are copied first, each proved by its hash on the way; then all
// rows change their addresses in one transaction. Until that moment the library lives where it did, after it where it
// will, and a kill at any time leaves one of the two: the next call goes on. The old objects stay, so that the way back
// is short.
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

export interface MigrateDeps {
  db: MainDb;
  from: Storage;
  to: Storage;
  signal: AbortSignal;
  onProgress: (done: number, total: number, bytes: number) => void;
}

export interface Migration {
  /** Audio objects and covers that were sent, and those that were there already. */
  copied: number;
  present: number;
  bytes: number;
  /** Tracks that now have their audio in the new storage. */
  tracks: number;
  /** What could not be copied: its tracks keep their old address. */
  problems: { key: string; reason: string }[];
}

interface Wanted {
  key: string;
  hash: string;
  sizeBytes: number;
}

/**
 * Throws `unavailable` or `storage_full` when one of the storages is; nothing has changed then, and the next call goes
 * on.
 */
export async function migrateStorage({ db, from, to, signal, onProgress }: MigrateDeps): Promise<Migration> {
  const result: Migration = { copied: 0, present: 0, bytes: 0, tracks: 0, problems: [] };
  const stuck = new Set<string>();
  const scheme = toUri(from, '');
  // By the hash, which is indexed; without a range it would look through all tracks for each part.
  const listPart = db.$client.prepare<[string, string, string], { uri: string; hash: string; sizeBytes: number }>(`
    SELECT DISTINCT storage_uri AS uri, content_hash AS hash, coalesce(size_bytes, 0) AS sizeBytes FROM tracks
    WHERE content_hash >= ? AND content_hash < ? AND storage_uri LIKE ? || '%'`);
  const listCovers = db.$client
    .prepare<[], string>('SELECT key FROM album_covers WHERE key IS NOT NULL ORDER BY album_id')
    .pluck();
  const covers = listCovers.all();
  const total =
    (db.$client
      .prepare<[string], number>("SELECT count(DISTINCT content_hash) FROM tracks WHERE storage_uri LIKE ? || '%'")
      .pluck()
      .get(scheme) ?? 0) + covers.length;
  let done = 0;

  const step = (): void => onProgress(++done, total, result.bytes);
  const fail = (key: string, error: unknown): void => {
    stuck.add(key);
    if (result.problems.length < LISTED) result.problems.push({ key, reason: messageOf(error) });
  };

  async function copyAudio({ key, hash, sizeBytes }: Wanted, there: number | undefined): Promise<void> {
    if (there === sizeBytes) result.present++;
    else {
      const { stream, size } = await from.open(key);
      const stored = await to.putAudio(stream, key.slice(key.lastIndexOf('.') + 1), {
        signal,
        known: { sha256: hash, size },
      });
      if (stored.key !== key) throw new AppError('conflict', 'It has another name than its content.');
      result.copied++;
      result.bytes += size;
    }
  }

  async function copyCover(key: string): Promise<void> {
    const [old, there] = await Promise.all([from.stat(key), to.stat(key)]);
    if (!old) throw new AppError('not_found', 'It is not there.');
    if (isSameCover(old, there)) return void result.present++;
    const bytes = await buffer((await from.open(key)).stream);
    await to.put(key, bytes, { signal });
    if (digest(await buffer((await to.open(key)).stream)) !== digest(bytes))
      throw new AppError('unavailable', 'A cover came out other than it was sent.');
    result.copied++;
    result.bytes += bytes.length;
  }

  /** Errors of one object are noted; those of a storage end it. */
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
          `The new storage does not list ${key}, which was sent to it. Nothing was changed; try again.`,
        );
  }
  await eachOf(covers, OBJECTS_AT_ONCE, (key) => attempt(key, () => copyCover(key)));

  signal.throwIfAborted();
  result.tracks = moveRows(db, scheme, toUri(to, ''), stuck);
  return result;
}

/** All at once: nobody ever sees a library that is half here and half there. */
function moveRows(db: MainDb, from: string, to: string, stuck: ReadonlySet<string>): number {
  const client = db.$client;
  return client
    .transaction((): number => {
      client.exec('CREATE TEMP TABLE stuck_objects (uri TEXT PRIMARY KEY)');
      const add = client.prepare('INSERT INTO stuck_objects VALUES (?)');
      for (const key of stuck) add.run(from + key);
      const moved = client
        .prepare(`UPDATE tracks SET storage_uri = ? || substr(storage_uri, ?) WHERE storage_uri LIKE ? || '%'
          AND content_hash IS NOT NULL
      AND storage_uri NOT IN (SELECT uri FROM stuck_objects)`)
        .run(to, from.length + 1, from).changes;
      client.exec('DROP TABLE stuck_objects');
      return moved;
    })
    .immediate();
}

/** A picture may take the place of another under the same name: then it is younger than the copy. */
const isSameCover = (old: ObjectStat, there: ObjectStat | undefined): boolean =>
  there?.size === old.size && there.modifiedAt >= old.modifiedAt;

async function sizesIn(storage: Storage, folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, size } of storage.list(folder)) sizes.set(key, size);
  return sizes;
}

/** The first error ends it once the others at work have ended. */
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
