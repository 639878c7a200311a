// Creates tracks from the stored audio and its tags when the database is lost. Continues after an interruption: an
// object that already has a track is not read again.
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
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { hashInKey } from '../storage/local-paths.ts';
import type { Storage, StoredObject } from '../storage/storage.ts';
import { toUri } from '../storage/uri.ts';

/** Rebuilt tracks belong to the music folder; a scan that finds the file of a track gives the track its path. */
const SOURCE = 'local_folder';
/** Source ids of rebuilt tracks begin with a hidden folder, which no scan reads, so that no file has the same id. */
const REBUILT_FOLDER = '.rebuilt';
const OBJECTS_PER_GROUP = 64;
const MAX_CONCURRENT_GROUPS = 2;
const MAX_LISTED_PROBLEMS = 20;
const AUDIO_KEY = /^audio\/[0-9a-f]{2}\/[0-9a-f]{64}\.[a-z0-9]+$/;

interface RebuildDeps {
  db: MainDb;
  storage: Storage;
  reader: Pick<ReaderPool, 'read'>;
  tmpDir: string;
  signal: AbortSignal;
  onProgress: (doneCount: number, message: string) => void;
}

export interface RebuildResult {
  /** The number of stored files that were read. */
  objects: number;
  /** The number of tracks in the new database. */
  tracks: number;
  unreadable: number;
  problems: string[];
}

/** Creates the tracks. Throws the error of a storage that cannot be listed or read, and the reason of the signal. */
export async function rebuildTracks({
  db,
  storage,
  reader,
  tmpDir,
  signal,
  onProgress,
}: RebuildDeps): Promise<RebuildResult> {
  const client = db.$client;
  let storedAt = new Date();
  const tracks = createTrackWriter({ db, now: () => storedAt }); // the time keeps the order of “recently added”
  const findTrack = client.prepare<[string, string]>('SELECT 1 FROM tracks WHERE content_hash = ? AND storage_uri = ?');
  const countTracks = client.prepare<[], number>('SELECT count(*) FROM tracks').pluck();
  const result: RebuildResult = { objects: 0, tracks: 0, unreadable: 0, problems: [] };

  function addProblem({ key }: StoredObject, reason: string): void {
    result.unreadable++;
    if (result.problems.length < MAX_LISTED_PROBLEMS) result.problems.push(`${key}: ${reason}`);
  }

  const writeGroup = client.transaction((group: StoredObject[], results: ReadResult[]): void =>
    tracks.batch(() => {
      for (const [i, object] of group.entries()) {
        const readResult = results[i] as ReadResult;
        if (!readResult.ok) addProblem(object, readResult.reason);
        else {
          storedAt = object.modifiedAt;
          insertTrack(object, readResult);
        }
      }
    }),
  ).immediate;

  function insertTrack({ key, size }: StoredObject, { content, audioHash }: Extract<ReadResult, { ok: true }>): void {
    const hash = hashInKey(key);
    const audio = { storageUri: toUri(storage, key), contentHash: hash, audioHash, sizeBytes: size };
    tracks.insert({
      source: SOURCE,
      sourceId: `${REBUILT_FOLDER}/${basename(key)}`,
      // the title is used if the tags have none
      identity: toIdentity(content, `Recovered ${hash.slice(0, 8)}${extname(key)}`),
      audio: toAudio(content, audio),
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
        const isMissingObject = error instanceof AppError && error.code === 'not_found';
        if (!isMissingObject) throw error;
        results.push({ ok: false, reason: messageOf(error) });
      } finally {
        await rm(path, { force: true });
      }
    }
    return results;
  }

  await mkdir(tmpDir, { recursive: true });
  await forEachConcurrently(groupObjects(storage.list('audio/')), MAX_CONCURRENT_GROUPS, async (objects) => {
    signal.throwIfAborted();
    const group = objects.filter(({ key }) => findTrack.get(hashInKey(key), toUri(storage, key)) === undefined);
    const results = await readGroup(group);
    if (results.some((readResult) => !readResult.ok && readResult.fatal)) throw new AppError('storage_full', DISK_FULL);
    writeGroup(group, results);
    result.objects += objects.length;
    onProgress(result.objects, `${result.unreadable} unreadable`);
  });
  return { ...result, tracks: countTracks.get() ?? 0 };
}

async function* groupObjects(objects: AsyncIterable<StoredObject>): AsyncGenerator<StoredObject[]> {
  let group: StoredObject[] = [];
  for await (const object of objects) {
    if (!AUDIO_KEY.test(object.key)) continue;
    group.push(object);
    if (group.length < OBJECTS_PER_GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
