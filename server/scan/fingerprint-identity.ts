// The last sign of identity (decisions 6): a new file that sounds as a track whose file is gone, such as a FLAC in the
// place of an MP3. To hear it takes a tenth of a second a file, so it is done when everything is in the library, for
// files that can be one of the gone tracks by their length and album; where nothing is gone there is nothing to do. Two
// candidates are never guessed between.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { identityKey } from '../library/fold.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { soundSimilarity } from '../media/fingerprint-match.ts';
import { NoFingerprint, type Fingerprinter } from '../media/fingerprint.ts';
import { toIdentity } from '../files/track-draft.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { Relocation } from '../relocation/service.ts';
import { sourceIdOf } from './writer.ts';
import { absoluteOf, join } from '../files/relative-path.ts';

/** Two encodings of one recording differ by their padding. */
const SAME_LENGTH_MS = 2_000;
/** More than what is shown as a duplicate: here nobody is asked. Encodings of one recording reach 0.99. */
const SAME_RECORDING = 0.9;

interface Row {
  id: TrackId;
  durationMs: number;
  album: string | null;
}
interface ArrivedRow extends Row {
  format: string;
  folder: number;
  path: string;
  name: string;
}
interface Match {
  gone: TrackId;
  arrived: ArrivedRow;
}

/** New tracks that are looked at together. */
const GROUP = 500;

interface Sound {
  raw: Uint32Array;
  durationMs: number;
}

export interface FingerprintIdentityDeps {
  db: MainDb;
  fingerprinter: Pick<Fingerprinter, 'fingerprint'>;
  findFingerprint: (id: TrackId) => Sound | undefined;
  storeFingerprint: (id: TrackId, sound: Sound) => void;
  relocation: Pick<Relocation, 'takeOverFile'>;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'statusOf'>;
  reader: Pick<ReaderPool, 'read'>;
}

export type AdoptByFingerprint = ReturnType<typeof createFingerprintIdentity>;

export function createFingerprintIdentity({
  db,
  fingerprinter,
  findFingerprint,
  storeFingerprint,
  relocation,
  tracks,
  reader,
}: FingerprintIdentityDeps) {
  const client = db.$client;
  const listGone = client.prepare<
    [string],
    Row
  >(`SELECT DISTINCT t.id, p.duration_ms AS durationMs, a.title AS album FROM source_files f
    JOIN track_fingerprints p ON p.track_id = f.track_id JOIN tracks t ON t.id = f.track_id LEFT JOIN albums a ON a.id = t.album_id
    WHERE f.state = 'gone' AND t.source = ? AND NOT EXISTS (SELECT 1 FROM source_files o WHERE o.track_id = f.track_id AND o.state <> 'gone')`);
  const listArrived = client.prepare<
    [TrackId, string, number],
    ArrivedRow
  >(`SELECT t.id, t.duration_ms AS durationMs, t.format, a.title AS album, f.folder_id AS folder, d.path, f.name
    FROM tracks t JOIN source_files f ON f.track_id = t.id AND f.state = 'track' JOIN source_folders d ON d.id = f.folder_id LEFT JOIN albums a ON a.id = t.album_id
    WHERE t.id > ? AND t.source = ? AND t.duration_ms IS NOT NULL ORDER BY t.id LIMIT ?`);

  async function tryHear(
    root: string,
    { path, name, format, durationMs }: ArrivedRow,
    signal: AbortSignal,
  ): Promise<Sound | undefined> {
    const file = absoluteOf(root, join(path, name));
    if (typeof file !== 'string') return undefined;
    try {
      return await fingerprinter.fingerprint({ path: file, format, durationMs }, signal);
    } catch (error) {
      if (error instanceof NoFingerprint) return undefined;
      throw error;
    }
  }

  async function matchesOf(root: string, arrived: ArrivedRow, gone: TrackId[], signal: AbortSignal): Promise<Match[]> {
    const fingerprint = await tryHear(root, arrived, signal);
    if (!fingerprint) return [];
    storeFingerprint(arrived.id, fingerprint);
    return gone
      .filter((id) => soundSimilarity(fingerprint.raw, findFingerprint(id)?.raw ?? new Uint32Array()) >= SAME_RECORDING)
      .map((id) => ({ gone: id, arrived }));
  }

  /**
   * The gone track has the new file from now on, with its tags unless a person typed others, and the new track is gone
   * in its place.
   */
  async function adopt(root: string, { gone, arrived }: Match): Promise<void> {
    const sound = findFingerprint(arrived.id);
    const [result] = await reader.read({
      root,
      paths: [join(arrived.path, arrived.name)],
      copyTo: null,
      hashLarge: false,
    });
    await relocation.takeOverFile(gone, arrived.id);
    if (result?.ok && tracks.statusOf(gone) !== 'manual') {
      const identity = toIdentity(result.read, sourceIdOf(arrived.path, arrived.name));
      client.transaction(() => tracks.batch(() => tracks.setIdentity(gone, identity, arrived.folder))).immediate();
    }
    if (sound) storeFingerprint(gone, sound);
  }

  /** Somebody may have deleted one of the two meanwhile. */
  async function tryAdopt(root: string, match: Match): Promise<boolean> {
    try {
      await adopt(root, match);
      return true;
    } catch (error) {
      if (error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict')) return false;
      throw error;
    }
  }

  /** Looks at tracks of the source that are newer than `after`; gives the gone ones that they were. */
  return async function adoptByFingerprint({
    root,
    source,
    after,
    signal,
  }: {
    root: string;
    source: string;
    after: TrackId;
    signal: AbortSignal;
  }): Promise<TrackId[]> {
    const findPossible = byLengthAndAlbum(listGone.all(source));
    if (!findPossible) return [];
    const matches: Match[] = [];
    for (
      let arrived = listArrived.all(after, source, GROUP);
      arrived.length > 0;
      arrived = listArrived.all((arrived.at(-1) as ArrivedRow).id, source, GROUP)
    ) {
      signal.throwIfAborted();
      const heard = await Promise.all(
        arrived.map(async (one) => {
          const possible = findPossible(one);
          return possible.length === 0 ? [] : matchesOf(root, one, possible, signal);
        }),
      );
      matches.push(...heard.flat());
    }
    const adopted: TrackId[] = [];
    for (const match of onlyCertain(matches)) {
      signal.throwIfAborted();
      if (await tryAdopt(root, match)) adopted.push(match.gone);
    }
    return adopted;
  };
}

/**
 * Which of the gone tracks a new one may be; undefined when none is gone. A song on another album is another track,
 * also where it is the same recording.
 */
function byLengthAndAlbum(gone: readonly Row[]): ((arrived: Row) => TrackId[]) | undefined {
  if (gone.length === 0) return undefined;
  const albumOf = ({ album }: Row): string | null => (album === null ? null : identityKey(album));
  const slotOf = (durationMs: number): number => Math.floor(durationMs / SAME_LENGTH_MS);
  const slots = Map.groupBy(
    gone.map((row) => ({ ...row, album: albumOf(row) })),
    ({ durationMs }) => slotOf(durationMs),
  );
  return (arrived) => {
    const album = albumOf(arrived);
    return [-1, 0, 1]
      .flatMap((near) => slots.get(slotOf(arrived.durationMs) + near) ?? [])
      .filter(
        (row) =>
          Math.abs(row.durationMs - arrived.durationMs) <= SAME_LENGTH_MS &&
          (row.album === null || album === null || row.album === album),
      )
      .map(({ id }) => id);
  };
}

/** Matches whose two tracks match no other. */
function onlyCertain(matches: readonly Match[]): Match[] {
  const gone = Map.groupBy(matches, (match) => match.gone);
  const arrived = Map.groupBy(matches, (match) => match.arrived.id);
  return matches.filter((match) => gone.get(match.gone)?.length === 1 && arrived.get(match.arrived.id)?.length === 1);
}
