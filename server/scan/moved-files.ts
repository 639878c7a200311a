// Recognizes moved files: a file at a new path may be a track whose old file is missing. Tests, best first: same file
// (device, inode, size, time), same name in another Unicode form, same payload, same recording on the same album. The
// first test that finds exactly one track without any old file decides; between two tracks there is no guess.
import { lstat } from 'node:fs/promises';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs, RowOf } from '../db/rows.ts';
import type { sourceFiles, sourceFolders, tracks } from '../db/schema.ts';
import { fileKey } from '../files/file-stamp.ts';
import { NO_HASH } from '../files/read-file.ts';
import { absoluteOf, join, namesIn, parentOf, sourceIdOf } from '../files/relative-path.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';
import type { ListedFile } from './compare-folder.ts';
import type { ReadOk } from './decide.ts';

/** A known place of a file. */
type Place = RowOf<typeof sourceFolders, 'path'> &
  RowAs<typeof sourceFiles, 'name' | 'dev' | 'ino' | 'trackId' | 'state'>;

/** What a file is, told by the file itself: a track that moved, or one that was deleted. */
export type SameFile = { trackId: TrackId } | { deletedFrom: Place };

/** A file in a place that was not known, and what was read from it. */
export interface NewFile extends ListedFile {
  read: ReadOk;
}

export interface MovedFilesDeps {
  db: MainDb;
  root: string;
  source: string;
  /** Tracks that lost their place to another one in this scan, by the `fileKey` of the file they had there. */
  displaced: ReadonlyMap<string, TrackId>;
}

const KEEP_LISTINGS = 2_000;
/** More tracks that look like one file are not looked at. */
const MOST_ALIKE = 20;
const PLACE = 'd.path, f.name, f.dev, f.ino, f.track_id AS trackId, f.state';

export type MovedFiles = ReturnType<typeof createMovedFiles>;

export function createMovedFiles({ db, root, source, displaced }: MovedFilesDeps) {
  const client = db.$client;
  const byIno = client.prepare<[number, number, number, number, string], Place>(
    `SELECT ${PLACE} FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.ino = ? AND f.dev = ? AND f.size_bytes = ? AND f.mtime_us = ? AND d.source = ?`,
  );
  const placesOf = client.prepare<[TrackId], Place>(
    `SELECT ${PLACE} FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE f.track_id = ?`,
  );
  const bySourceId = client.prepare<[string, string], RowOf<typeof tracks, 'id'>>(
    'SELECT id FROM tracks WHERE source = ? AND source_id = ?',
  );
  // A group at a time: a query per file would cost more than what it finds. `i` is the index in the list.
  const byAudio = client.prepare<[string, string], RowOf<typeof tracks, 'id'> & { i: number }>(
    `SELECT j.key AS i, t.id FROM json_each(?) j
      CROSS JOIN tracks t ON t.id IN
        (SELECT id FROM tracks WHERE audio_hash = j.value AND source = ? LIMIT ${MOST_ALIKE})`,
  );
  const byRecording = client.prepare<
    [string, string],
    RowOf<typeof tracks, 'id'> & { i: number; album: string | null }
  >(
    `SELECT j.key AS i, t.id, a.title AS album FROM json_each(?) j
      CROSS JOIN tracks t ON t.id IN
        (SELECT id FROM tracks WHERE recording_mbid = j.value AND source = ? LIMIT ${MOST_ALIKE})
      LEFT JOIN albums a ON a.id = t.album_id`,
  );
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

  /** True when its folder, or the nearest one above that exists, was listed without it. */
  async function isAbsent(path: string, name: string): Promise<boolean> {
    const names = await listing(path);
    if (names === 'unknown') return false;
    if (names !== 'absent') return !names.has(name);
    if (path === '') return false; // the music folder itself: a disk that is not connected
    return isAbsent(parentOf(path), path.slice(path.lastIndexOf('/') + 1));
  }

  /** The file is gone: nothing has its name, or another file has it. */
  async function isAway({ path, name, dev, ino }: Place): Promise<boolean> {
    if (await isAbsent(path, name)) return true;
    try {
      const stat = await lstat(absoluteOf(root, join(path, name)));
      return stat.ino !== ino || stat.dev !== dev;
    } catch {
      return false; // without a stat nothing is proved
    }
  }

  async function areAllAway(id: TrackId, here: ListedFile): Promise<boolean> {
    for (const place of placesOf.all(id))
      if (!isAt(place, here) && place.state !== 'gone' && !(await isAway(place))) return false;
    return true;
  }

  /** The one of these tracks whose files are all gone. */
  async function onlyOneAway(ids: TrackId[], here: ListedFile): Promise<TrackId | undefined> {
    let only: TrackId | undefined;
    for (const id of new Set(ids)) {
      if (!(await areAllAway(id, here))) continue;
      if (only !== undefined) return undefined;
      only = id;
    }
    return only;
  }

  // one read transaction for a whole group
  const oneRead = <A extends unknown[], R>(read: (...args: A) => R) => client.transaction(read).deferred;

  /** In a first scan no file can have been anywhere else. */
  const hadFiles =
    client
      .prepare<[string]>(
        'SELECT 1 FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE d.source = ? LIMIT 1',
      )
      .get(source) !== undefined;

  /** For each file, the other places where this very file was. */
  const otherPlaces = oneRead((files: ListedFile[]): Place[][] =>
    files.map((file) => {
      const { ino, dev, sizeBytes, mtimeUs } = file.candidate;
      if (!hadFiles || ino === 0) return [];
      return byIno.all(ino, dev, sizeBytes, mtimeUs, source).filter((place) => !isAt(place, file));
    }),
  );

  /** For each file, the tracks that it may be: a list per sign, best first. Nearly always there are none. */
  const lookAlikes = oneRead((files: NewFile[]): TrackId[][][] => {
    const audio = JSON.stringify(files.map(({ read }) => (read.audioHash === NO_HASH ? null : read.audioHash)));
    const recordings = JSON.stringify(
      files.map(({ read: { read } }) => (read.tags.album === undefined ? null : (read.tags.recordingMbid ?? null))),
    );
    const withAudio = Map.groupBy(byAudio.all(audio, source), ({ i }) => i);
    const ofRecording = Map.groupBy(byRecording.all(recordings, source), ({ i }) => i);
    return files.map(({ path, candidate, read: { read } }, i) => {
      const spelled = bySourceId.get(source, sourceIdOf(path, candidate.name));
      if (spelled) return [[spelled.id]];
      const album = identityKey(read.tags.album ?? '');
      const sameAlbum = (ofRecording.get(i) ?? []).filter(
        (row) => row.album !== null && identityKey(row.album) === album,
      );
      return [withAudio.get(i) ?? [], sameAlbum]
        .map((rows) => rows.map(({ id }) => id))
        .filter((ids) => ids.length > 0);
    });
  });

  async function sameFile({ candidate }: ListedFile, places: Place[]): Promise<SameFile | undefined> {
    const moved = displaced.get(fileKey(candidate));
    if (moved !== undefined) return { trackId: moved };
    const [place] = places;
    if (places.length !== 1 || !place || !(await isAway(place))) return undefined;
    if (place.state === 'deleted') return candidate.known ? undefined : { deletedFrom: place };
    return place.trackId !== null && place.state !== 'failed' ? { trackId: place.trackId } : undefined;
  }

  async function firstMatch(file: NewFile, ranks: TrackId[][]): Promise<TrackId | undefined> {
    for (const ids of ranks) {
      const id = await onlyOneAway(ids, file);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  return {
    /** By the file alone, so that a file that only moved is not read again. One answer per file. */
    async byFile(files: ListedFile[]): Promise<(SameFile | undefined)[]> {
      const places = otherPlaces(files);
      return Promise.all(files.map((file, i) => sameFile(file, places[i] as Place[])));
    },

    /** By what was read. One answer per file. */
    async byContent(files: NewFile[]): Promise<(TrackId | undefined)[]> {
      const ranks = lookAlikes(files);
      return Promise.all(files.map((file, i) => firstMatch(file, ranks[i] as TrackId[][])));
    },
  };
}

const isAt = (place: Place, { path, candidate }: ListedFile): boolean =>
  place.path === path && place.name === candidate.name;
