// Identity outlives the path (decisions 6): a file that turns up in a new place may be a track whose old file is gone.
// The first of these tells, that matches exactly one track all of whose old files are proved gone: same file (device,
// inode, size, time) · same name in another Unicode spelling · same audio without tags · same recording on the same
// album. Two candidates are never guessed between.
import { lstat } from 'node:fs/promises';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { identityKey } from '../library/fold.ts';
import { NO_HASH } from '../files/read-file.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { absoluteOf, join, namesIn, parentOf } from '../files/relative-path.ts';
import { type Candidate } from './walk.ts';

/** A known place of a file. */
interface Place {
  path: string;
  name: string;
  dev: number;
  ino: number;
  trackId: TrackId | null;
  state: string;
}

/** What a file is, found by the file itself: a track that moved, or one that a person deleted. */
export type FoundFile = { trackId: TrackId } | { deleted: true; from: Place };

/** A file that has to be looked at. */
export interface Found {
  path: string;
  candidate: Candidate;
}
/** A file in a place that was not known, and what was read from it. */
export interface ReadNew {
  path: string;
  name: string;
  sourceId: string;
  result: Extract<ReadResult, { ok: true }>;
}

/** Tracks that lost their place in this scan to another one, by the file that they were. */
export type Displaced = ReadonlyMap<string, TrackId>;

export const fileKey = ({
  dev,
  ino,
  sizeBytes,
  mtimeUs,
}: Pick<Candidate, 'dev' | 'ino' | 'sizeBytes' | 'mtimeUs'>): string => `${dev}:${ino}:${sizeBytes}:${mtimeUs}`;

const KEEP_LISTINGS = 2_000;
/** More tracks that look like one file are not looked at. */
const MOST_ALIKE = 20;
const PLACE = 'd.path, f.name, f.dev, f.ino, f.track_id AS trackId, f.state';

export function createIdentity({
  db,
  root,
  source,
  displaced,
}: {
  db: MainDb;
  root: string;
  source: string;
  displaced: Displaced;
}) {
  const client = db.$client;
  const byIno = client.prepare<
    [number, number, number, number, string],
    Place
  >(`SELECT ${PLACE} FROM source_files f JOIN source_folders d ON d.id = f.folder_id
    WHERE f.ino = ? AND f.dev = ? AND f.size_bytes = ? AND f.mtime_us = ? AND d.source = ?`);
  const placesOf = client.prepare<[TrackId], Place>(
    `SELECT ${PLACE} FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE f.track_id = ?`,
  );
  const bySourceId = client.prepare<[string, string], { id: TrackId }>(
    'SELECT id FROM tracks WHERE source = ? AND source_id = ?',
  );
  // A group at a time: a look for each file costs more than what is looked at. `i` is the place in the list.
  const byAudio = client.prepare<
    [string, string],
    { i: number; id: TrackId }
  >(`SELECT j.key AS i, t.id FROM json_each(?) j
    CROSS JOIN tracks t ON t.id IN (SELECT id FROM tracks WHERE audio_hash = j.value AND source = ? LIMIT ${MOST_ALIKE})`);
  const byRecording = client.prepare<
    [string, string],
    { i: number; id: TrackId; album: string | null }
  >(`SELECT j.key AS i, t.id, a.title AS album FROM json_each(?) j
    CROSS JOIN tracks t ON t.id IN (SELECT id FROM tracks WHERE recording_mbid = j.value AND source = ? LIMIT ${MOST_ALIKE}) LEFT JOIN albums a ON a.id = t.album_id`);
  const listings = new Map<string, Promise<Set<string> | 'absent' | 'unknown'>>();

  function listing(folder: string): Promise<Set<string> | 'absent' | 'unknown'> {
    let known = listings.get(folder);
    if (!known) {
      if (listings.size > KEEP_LISTINGS) listings.clear();
      known = namesIn(absoluteOf(root, folder));
      listings.set(folder, known);
    }
    return known;
  }

  /**
   * True when the parent folder (or the nearest one that is there) was listed and the name is not in it. A folder that
   * cannot be listed proves nothing.
   */
  async function isAbsent(path: string, name: string): Promise<boolean> {
    const names = await listing(path);
    if (names === 'unknown') return false;
    if (names !== 'absent') return !names.has(name);
    if (path === '') return false; // the import folder itself: a disk that is not there
    return isAbsent(parentOf(path), path.slice(path.lastIndexOf('/') + 1));
  }

  /** The file is not there any more: nothing has its name, or another file has it. */
  async function isAway({ path, name, dev, ino }: Place): Promise<boolean> {
    if (await isAbsent(path, name)) return true;
    try {
      const stat = await lstat(absoluteOf(root, join(path, name)));
      return stat.ino !== ino || stat.dev !== dev;
    } catch {
      return false; // what cannot be looked at is not proved gone
    }
  }

  async function areAllAway(id: TrackId, here: { path: string; name: string }): Promise<boolean> {
    for (const place of placesOf.all(id)) {
      const isHere = place.path === here.path && place.name === here.name;
      if (!isHere && place.state !== 'gone' && !(await isAway(place))) return false;
    }
    return true;
  }

  /** The one of these tracks whose files are all gone. */
  async function onlyOneAway(ids: TrackId[], here: { path: string; name: string }): Promise<TrackId | undefined> {
    let only: TrackId | undefined;
    for (const id of new Set(ids)) {
      if (!(await areAllAway(id, here))) continue;
      if (only !== undefined) return undefined;
      only = id;
    }
    return only;
  }

  // one look at the database for a whole group
  const oneRead = <A extends unknown[], R>(read: (...args: A) => R) => client.transaction(read).deferred;

  /** At the first scan there is no place where a file could have been before. */
  const hadFiles =
    client
      .prepare<[string], { 1: 1 }>(
        'SELECT 1 FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE d.source = ? LIMIT 1',
      )
      .get(source) !== undefined;

  /** Other places where this very file was. */
  const otherPlaces = oneRead((items: Found[]): Place[][] =>
    items.map(({ path, candidate: { name, ino, dev, sizeBytes, mtimeUs } }) =>
      !hadFiles || ino === 0
        ? []
        : byIno
            .all(ino, dev, sizeBytes, mtimeUs, source)
            .filter((place) => !(place.path === path && place.name === name)),
    ),
  );

  /** Tracks that a file which was read may be, best sign first. Nearly always there are none. */
  const lookAlikes = oneRead((files: ReadNew[]): TrackId[][][] => {
    const sounds = Map.groupBy(
      byAudio.all(
        JSON.stringify(files.map(({ result: { audioHash } }) => (audioHash === NO_HASH ? null : audioHash))),
        source,
      ),
      ({ i }) => i,
    );
    const recordings = Map.groupBy(
      byRecording.all(
        JSON.stringify(
          files.map(
            ({
              result: {
                read: { tags },
              },
            }) => (tags.album === undefined ? null : (tags.recordingMbid ?? null)),
          ),
        ),
        source,
      ),
      ({ i }) => i,
    );
    return files.map(
      (
        {
          sourceId,
          result: {
            read: { tags },
          },
        },
        i,
      ) => {
        const spelled = bySourceId.get(source, sourceId);
        if (spelled) return [[spelled.id]];
        const recorded =
          recordings
            .get(i)
            ?.filter(({ album }) => album !== null && identityKey(album) === identityKey(tags.album ?? '')) ?? [];
        return [sounds.get(i) ?? [], recorded]
          .filter((rows) => rows.length > 0)
          .map((rows) => rows.map(({ id }) => id));
      },
    );
  });

  async function found({ candidate }: Found, places: Place[]): Promise<FoundFile | undefined> {
    const moved = displaced.get(fileKey(candidate));
    if (moved !== undefined) return { trackId: moved };
    const [place] = places;
    if (places.length !== 1 || !place || !(await isAway(place))) return undefined;
    if (place.state === 'deleted') return candidate.known ? undefined : { deleted: true, from: place };
    return place.trackId !== null && place.state !== 'failed' ? { trackId: place.trackId } : undefined;
  }

  async function firstMatch({ path, name }: ReadNew, ranks: TrackId[][]): Promise<TrackId | undefined> {
    for (const ids of ranks) {
      const id = await onlyOneAway(ids, { path, name });
      if (id !== undefined) return id;
    }
    return undefined;
  }

  return {
    /** By the file alone, so that a file that only moved is not read again. One answer per file. */
    async byFile(items: Found[]): Promise<(FoundFile | undefined)[]> {
      const places = otherPlaces(items);
      return Promise.all(items.map((item, i) => found(item, places[i] as Place[])));
    },

    /** By what was read, for files in places that were not known. One answer per file. */
    async byContent(files: ReadNew[]): Promise<(TrackId | undefined)[]> {
      const ranks = lookAlikes(files);
      return Promise.all(files.map((file, i) => firstMatch(file, ranks[i] as TrackId[][])));
    },
  };
}

export type Identity = ReturnType<typeof createIdentity>;
