// Makes tracks out of the stored audio and its tags, when the database that knew them is lost. Continues after a kill:
// an object whose track is there is not read again.
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MainDb } from '../db/client.ts';
import { AppError, DISK_FULL, messageOf } from '../errors.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { toAudio, toIdentity } from '../files/track-draft.ts';
import { createTrackWriter } from '../library/tracks/track-writer.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { hashInKey } from '../storage/local-paths.ts';
import type { Storage, StoredObject } from '../storage/storage.ts';
import { toUri } from '../storage/uri.ts';

/** Of tracks from the music folder; a scan that finds the file of one gives the track its place. */
const SOURCE = 'local_folder';
/** First part of their source ids until then: no file has it, because hidden folders are not scanned. */
const REBUILT = '.rebuilt';
const GROUP = 64;
const GROUPS_AT_ONCE = 2;
const LISTED = 20;
const AUDIO = /^audio\/[0-9a-f]{2}\/[0-9a-f]{64}\.[a-z0-9]+$/;

interface RebuildDeps {
  db: MainDb;
  storage: Storage;
  reader: Pick<ReaderPool, 'read'>;
  tmpDir: string;
  signal: AbortSignal;
  onProgress: (done: number, message: string) => void;
}

export interface Rebuilt {
  /** Stored files that were looked at. */
  objects: number;
  /** Tracks in the new database. */
  tracks: number;
  unreadable: number;
  problems: string[];
}

/** Throws what the storage throws when it cannot be listed or read, and the reason of the signal. */
export async function rebuildTracks({
  db,
  storage,
  reader,
  tmpDir,
  signal,
  onProgress,
}: RebuildDeps): Promise<Rebuilt> {
  const client = db.$client;
  let storedAt = new Date();
  const tracks = createTrackWriter({ db, now: () => storedAt }); // "recently added" keeps its order
  const isKnown = client.prepare<[string, string]>('SELECT 1 FROM tracks WHERE content_hash = ? AND storage_uri = ?');
  const count = client.prepare<[], number>('SELECT count(*) FROM tracks').pluck();
  const found: Rebuilt = { objects: 0, tracks: 0, unreadable: 0, problems: [] };

  function fail({ key }: StoredObject, reason: string): void {
    found.unreadable++;
    if (found.problems.length < LISTED) found.problems.push(`${key}: ${reason}`);
  }

  const write = client.transaction((group: StoredObject[], results: ReadResult[]): void =>
    tracks.batch(() => {
      for (const [i, object] of group.entries()) {
        const result = results[i] as ReadResult;
        if (!result.ok) fail(object, result.reason);
        else {
          storedAt = object.modifiedAt;
          insert(object, result);
        }
      }
    }),
  ).immediate;

  function insert({ key, size }: StoredObject, { read, audioHash }: Extract<ReadResult, { ok: true }>): void {
    const hash = hashInKey(key);
    const audio = { storageUri: toUri(storage, key), contentHash: hash, audioHash, sizeBytes: size };
    tracks.insert({
      source: SOURCE,
      sourceId: `${REBUILT}/${basename(key)}`,
      identity: toIdentity(read, `Recovered ${hash.slice(0, 8)}${extname(key)}`), // where tags have no title
      audio: toAudio(read, audio),
    });
  }

  async function readGroup(group: StoredObject[]): Promise<ReadResult[]> {
    const request = { copyTo: null, hashLarge: true };
    if (storage.folder !== null)
      return reader.read({ ...request, root: storage.folder, paths: group.map(({ key }) => key) });
    const results: ReadResult[] = [];
    for (const { key } of group) {
      const path = join(tmpDir, basename(key));
      try {
        await pipeline((await storage.open(key)).stream, createWriteStream(path), { signal });
        results.push(...(await reader.read({ ...request, root: tmpDir, paths: [basename(key)] })));
      } catch (error) {
        const isOfObject = error instanceof AppError && error.code === 'not_found';
        if (!isOfObject) throw error;
        results.push({ ok: false, reason: messageOf(error) });
      } finally {
        await rm(path, { force: true });
      }
    }
    return results;
  }

  await mkdir(tmpDir, { recursive: true });
  await eachAtOnce(groupsOf(storage.list('audio/')), GROUPS_AT_ONCE, async (listed) => {
    signal.throwIfAborted();
    const group = listed.filter(({ key }) => isKnown.get(hashInKey(key), toUri(storage, key)) === undefined);
    const results = await readGroup(group);
    if (results.some((result) => !result.ok && result.fatal)) throw new AppError('storage_full', DISK_FULL);
    write(group, results);
    found.objects += listed.length;
    onProgress(found.objects, `${found.unreadable} unreadable`);
  });
  return { ...found, tracks: count.get() ?? 0 };
}

async function* groupsOf(objects: AsyncIterable<StoredObject>): AsyncGenerator<StoredObject[]> {
  let group: StoredObject[] = [];
  for await (const object of objects) {
    if (!AUDIO.test(object.key)) continue;
    group.push(object);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
