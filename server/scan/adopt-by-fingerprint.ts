// The last way to recognize a file: a new one has the fingerprint of a track whose file is gone, such as a FLAC in
// place of an MP3. A fingerprint takes a tenth of a second, so this happens after all rows are written, and only for
// new tracks that may be one of the gone ones. Ambiguous matches are left out, since a wrong one would mix up two
// tracks.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import { absoluteOf, join, sourceIdOf } from '../files/relative-path.ts';
import { toIdentity } from '../files/track-draft.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { soundSimilarity } from '../media/fingerprint-match.ts';
import { NoFingerprint, type Fingerprinter } from '../media/fingerprint.ts';
import type { Relocation } from '../relocation/service.ts';
import { byLengthAndAlbum, onlyCertain, type Match, type Recording } from './fingerprint-matches.ts';

/** Higher than for duplicates, since nobody is asked. Encodings of one recording reach 0.99. */
const SAME_RECORDING = 0.9;
/** New tracks that are compared together. */
const GROUP = 500;

interface Arrived extends Recording {
  format: string;
  folder: number;
  path: string;
  name: string;
}

interface Fingerprint {
  raw: Uint32Array;
  durationMs: number;
}

export interface AdoptByFingerprintDeps {
  db: MainDb;
  fingerprinter: Pick<Fingerprinter, 'fingerprint'>;
  findFingerprint: (id: TrackId) => Fingerprint | undefined;
  storeFingerprint: (id: TrackId, fingerprint: Fingerprint) => void;
  relocation: Pick<Relocation, 'takeOverFile'>;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'statusOf'>;
  reader: Pick<ReaderPool, 'read'>;
}

export interface Arrivals {
  root: string;
  source: string;
  /** Tracks with a higher id are new. */
  after: TrackId;
  signal: AbortSignal;
}

/** Gives the gone tracks that took over the file of a new one. */
export type AdoptByFingerprint = (arrivals: Arrivals) => Promise<TrackId[]>;

export function createAdoptByFingerprint({
  db,
  fingerprinter,
  findFingerprint,
  storeFingerprint,
  relocation,
  tracks,
  reader,
}: AdoptByFingerprintDeps): AdoptByFingerprint {
  const client = db.$client;
  const listGone = client.prepare<[string], Recording>(
    `SELECT DISTINCT t.id, p.duration_ms AS durationMs, a.title AS album FROM source_files f
      JOIN track_fingerprints p ON p.track_id = f.track_id
      JOIN tracks t ON t.id = f.track_id
      LEFT JOIN albums a ON a.id = t.album_id
      WHERE f.state = 'gone' AND t.source = ?
        AND NOT EXISTS (SELECT 1 FROM source_files o WHERE o.track_id = f.track_id AND o.state <> 'gone')`,
  );
  const listArrived = client.prepare<[TrackId, string, number], Arrived>(
    `SELECT t.id, t.duration_ms AS durationMs, t.format, a.title AS album, f.folder_id AS folder, d.path, f.name
      FROM tracks t
      JOIN source_files f ON f.track_id = t.id AND f.state = 'track'
      JOIN source_folders d ON d.id = f.folder_id
      LEFT JOIN albums a ON a.id = t.album_id
      WHERE t.id > ? AND t.source = ? AND t.duration_ms IS NOT NULL ORDER BY t.id LIMIT ?`,
  );

  async function matchesAmong(
    { root, source, after, signal }: Arrivals,
    findPossible: (arrived: Recording) => TrackId[],
  ): Promise<Match<Arrived>[]> {
    const matches: Match<Arrived>[] = [];
    for (let last = after; ;) {
      const arrived = listArrived.all(last, source, GROUP);
      if (arrived.length === 0) return matches;
      last = (arrived.at(-1) as Arrived).id;
      signal.throwIfAborted();
      const found = await Promise.all(arrived.map((one) => matchesOf(root, one, findPossible(one), signal)));
      matches.push(...found.flat());
    }
  }

  async function matchesOf(
    root: string,
    arrived: Arrived,
    possible: TrackId[],
    signal: AbortSignal,
  ): Promise<Match<Arrived>[]> {
    const fingerprint = possible.length === 0 ? undefined : await tryFingerprint(root, arrived, signal);
    if (!fingerprint) return [];
    storeFingerprint(arrived.id, fingerprint);
    return possible
      .filter((id) => soundSimilarity(fingerprint.raw, findFingerprint(id)?.raw ?? new Uint32Array()) >= SAME_RECORDING)
      .map((gone) => ({ gone, arrived }));
  }

  async function tryFingerprint(
    root: string,
    { path, name, format, durationMs }: Arrived,
    signal: AbortSignal,
  ): Promise<Fingerprint | undefined> {
    const file = absoluteOf(root, join(path, name));
    if (typeof file !== 'string') return undefined;
    try {
      return await fingerprinter.fingerprint({ path: file, format, durationMs }, signal);
    } catch (error) {
      if (error instanceof NoFingerprint) return undefined;
      throw error;
    }
  }

  /** The gone track takes over the file, with its tags unless a person edited its own; the new track goes. */
  async function adopt(root: string, { gone, arrived }: Match<Arrived>): Promise<void> {
    const fingerprint = findFingerprint(arrived.id);
    const paths = [join(arrived.path, arrived.name)];
    const [result] = await reader.read({ root, paths, copyTo: null, hashLarge: false });
    await relocation.takeOverFile(gone, arrived.id);
    if (result?.ok && tracks.statusOf(gone) !== 'manual') {
      const identity = toIdentity(result.read, sourceIdOf(arrived.path, arrived.name));
      client.transaction(() => tracks.batch(() => tracks.setIdentity(gone, identity, arrived.folder))).immediate();
    }
    if (fingerprint) storeFingerprint(gone, fingerprint);
  }

  /** False when one of the two was deleted meanwhile. */
  async function tryAdopt(root: string, match: Match<Arrived>): Promise<boolean> {
    try {
      await adopt(root, match);
      return true;
    } catch (error) {
      if (error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict')) return false;
      throw error;
    }
  }

  return async (arrivals) => {
    const findPossible = byLengthAndAlbum(listGone.all(arrivals.source));
    if (!findPossible) return [];
    const adopted: TrackId[] = [];
    for (const match of onlyCertain(await matchesAmong(arrivals, findPossible))) {
      arrivals.signal.throwIfAborted();
      if (await tryAdopt(arrivals.root, match)) adopted.push(match.gone);
    }
    return adopted;
  };
}
