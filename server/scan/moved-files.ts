// Identity outlives the path: a file in a new place may be a track whose old file is gone, and a file in a known place
// may be another track. What is certain when a file is read is settled at once: the very same file (device, inode,
// size, time), or the audio of one track, in a new place, when the old place is proved to be empty. All other files
// whose audio is not that of the track at their path wait for the end of the walk (settle.ts).
import { stat } from 'node:fs/promises';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { sourceFiles, tracks } from '../db/schema.ts';
import { fileKey, isSameStamp, stampOf, type FileIdentity } from '../files/file-stamp.ts';
import { NO_HASH } from '../files/read-file.ts';
import { absoluteOf, join, namesIn, parentOf, sourceIdOf } from '../files/relative-path.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import { keyOfPath, keysOf, rootPathOf, type MusicRoots } from '../storage/music-roots.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';
import type { AudioFacts } from '../media/types.ts';
import type { PossibleTrack, UnsettledFile } from './assign.ts';
import type { ListedFile } from './compare-folder.ts';
import type { DeletedFrom, ReadOk } from './decide.ts';
import type { KnownFile } from './known-files.ts';
import { IS_BARE } from './bare-tracks.ts';
import { isSameAudio, type ComparedMusic } from './same-music.ts';
import { inNamedAlbum } from '../db/unnamed.ts';

/** A known place of a file. */
interface Place extends RowAs<
  typeof sourceFiles,
  'name' | 'dev' | 'ino' | 'sizeBytes' | 'mtimeUs' | 'trackId' | 'state'
> {
  path: string;
}

/** What a file is, told by the file itself: a track that moved, or one that was deleted. */
type SameFile = { trackId: TrackId; from: string } | { deletedFrom: DeletedFrom };

/** A file and what was read from it. */
export interface NewFile extends ListedFile {
  read: ReadOk;
}

/** A file whose track is decided when all others are known. What it takes to decide, and no more. */
export interface Waiting extends ListedFile {
  unsettled: UnsettledFile;
  music: ComparedMusic;
  /** Of the audio, which is not read again; undefined for a file that was not read. */
  read: Pick<ReadOk, 'stored' | 'audioHash'> | undefined;
  deletedFrom?: DeletedFrom | undefined;
}

interface LookAlikes {
  /** The track that had its place. */
  holder: TrackId | undefined;
  /** Tracks with its audio. */
  alike: TrackId[];
  /** A track had this audio before other music lay at its path. */
  isFormer: boolean;
}

/** What tells one audio from another where there is no hash of it. */
type AudioRow = Pick<ComparedMusic, 'audioHash' | 'durationMs' | 'format' | 'codec' | 'sampleRateHz' | 'channels'>;

interface MovedFilesDeps {
  db: MainDb;
  root: MusicRoots;
  /** Keys of music folders that are not there: nothing is proved of their files. */
  offline: readonly string[];
  source: string;
}

const KEEP_LISTINGS = 2_000;
/** More tracks that look like one file are not looked at. */
const MOST_ALIKE = 20;
const PLACE =
  'd.path, f.name, f.dev, f.ino, f.size_bytes AS sizeBytes, f.mtime_us AS mtimeUs, f.track_id AS trackId, f.state';
const AUDIO =
  'audio_hash AS audioHash, duration_ms AS durationMs, format, codec, sample_rate_hz AS sampleRateHz, channels';

export type MovedFiles = ReturnType<typeof createMovedFiles>;

export function createMovedFiles({ db, root, offline, source }: MovedFilesDeps) {
  const client = db.$client;
  const keys = keysOf(root);
  const roots = new Set(keys.map(rootPathOf));
  const byIno = client.prepare<[number, number, number, number, string], Place>(
    `SELECT ${PLACE} FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.ino = ? AND f.dev = ? AND f.size_bytes = ? AND f.mtime_us = ? AND d.source = ?`,
  );
  const placesOf = client.prepare<[TrackId], Place>(
    `SELECT ${PLACE} FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE f.track_id = ?`,
  );
  const bySourceId = client
    .prepare<[string, string], TrackId>('SELECT id FROM tracks WHERE source = ? AND source_id = ?')
    .pluck();
  const findAudio = client.prepare<[TrackId], AudioRow>(`SELECT ${AUDIO} FROM tracks WHERE id = ?`);
  // A group at a time: a query per file would cost more than what it finds. `i` is the index in the list.
  const byAudio = client.prepare<[string, string], { i: number; id: TrackId }>(
    `SELECT j.key AS i, t.id FROM json_each(?) j
      CROSS JOIN tracks t ON t.id IN
        (SELECT id FROM tracks WHERE audio_hash = j.value AND source = ? LIMIT ${MOST_ALIKE})`,
  );
  const byLength = client
    .prepare<[number, string, string], TrackId>(
      `SELECT id FROM tracks WHERE duration_ms = ? AND format = ? AND source = ? AND audio_hash IS NOT NULL
        LIMIT ${MOST_ALIKE}`,
    )
    .pluck();
  const findPossible = client.prepare<
    [TrackId],
    RowAs<typeof tracks, 'id' | 'audioHash' | 'title'> & {
      formerHash: string | null;
      album: string;
      isBare: number;
      copiedHash: string | null;
      copiedBytes: number;
    }
  >(
    `SELECT t.id, t.audio_hash AS audioHash, h.audio_hash AS formerHash, t.title, coalesce(a.title, '') AS album,
        ${IS_BARE} AS isBare, coalesce(t.size_bytes, 0) AS copiedBytes,
        iif(t.availability = 'available' AND t.storage_uri NOT LIKE '${FILE_SCHEME}:%', t.content_hash, NULL)
          AS copiedHash
      FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN former_audio h ON h.track_id = t.id
      WHERE t.id = ?`,
  );
  const hadAudio = client
    .prepare<[string, string], TrackId>(
      `SELECT h.track_id FROM json_each(?) j CROSS JOIN former_audio h ON h.audio_hash = j.value
        CROSS JOIN tracks t ON t.id = h.track_id WHERE +t.source = ?`,
    )
    .pluck();
  const listDeleted = client
    .prepare<[string, string], TrackId>(
      'SELECT id FROM trashed_tracks WHERE source = ? AND source_id = ? AND merged_into IS NULL AND is_hidden = 0',
    )
    .pluck();
  const listDeletedAudio = client
    .prepare<[string], string>(
      `SELECT j.value FROM json_each(?) j
        WHERE EXISTS (SELECT 1 FROM trashed_tracks m INDEXED BY trashed_tracks_audio_hash
          WHERE m.audio_hash = j.value AND m.merged_into IS NULL AND m.is_hidden = 0)`,
    )
    .pluck();
  const hadAudioOnce = client.prepare<[string | null, string | null]>(
    `SELECT 1 FROM former_audio WHERE audio_hash = ?
      UNION ALL SELECT 1 FROM trashed_tracks WHERE former_audio_hash = ? AND merged_into IS NOT NULL LIMIT 1`,
  );
  const anyFormer =
    client
      .prepare(
        `SELECT 1 FROM former_audio
          UNION ALL SELECT 1 FROM trashed_tracks WHERE former_audio_hash IS NOT NULL LIMIT 1`,
      )
      .get() !== undefined;
  const hasFormer = client.prepare<[TrackId]>('SELECT 1 FROM former_audio WHERE track_id = ?');
  const listHeld = client.prepare<[TrackId], FileIdentity & KnownFile & { path: string }>(
    `SELECT d.path, f.name, f.dev, f.ino, f.size_bytes AS sizeBytes, f.mtime_us AS mtimeUs,
        f.ctime_us AS ctimeUs, f.state, f.reason,
        f.lyrics_mark AS lyricsMark, f.sheets_mark AS sheetsMark, f.track_id AS trackId
      FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.track_id = ? AND f.state IN ('track', 'deleted')`, // deleted: it came back from the trash since
  );
  const listings = new Map<string, Promise<Set<string> | 'absent' | 'unknown'>>();

  function listing(folder: string): Promise<Set<string> | 'absent' | 'unknown'> {
    if (offline.includes(keyOfPath(keys, folder))) return Promise.resolve('unknown');
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
    if (roots.has(path)) return false; // a music folder itself: a disk that is not connected
    return isAbsent(parentOf(path), path.slice(path.lastIndexOf('/') + 1));
  }

  /** `here`: the file as it was seen last, on whichever disk · `away`: proved · `changed`: or another file. */
  async function stateOf(place: Place): Promise<'here' | 'away' | 'changed' | 'unknown'> {
    if (place.state === 'gone' || place.state === 'failed') return 'away';
    if (await isAbsent(place.path, place.name)) return 'away';
    try {
      const now = await stat(absoluteOf(root, join(place.path, place.name)));
      return isSameStamp(stampOf(now), place) ? 'here' : 'changed';
    } catch {
      return 'unknown'; // without a stat nothing is proved
    }
  }

  const statesOf = (id: TrackId): Promise<Awaited<ReturnType<typeof stateOf>>[]> =>
    Promise.all(placesOf.all(id).map(stateOf));

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
  const otherPlaces = oneRead((files: readonly ListedFile[]): Place[][] =>
    files.map((file) => {
      const { ino, dev, sizeBytes, mtimeUs } = file.candidate;
      if (!hadFiles || ino === 0) return [];
      return byIno.all(ino, dev, sizeBytes, mtimeUs, source).filter((place) => !isAt(place, file));
    }),
  );

  /** For each file, the track that had its place, and the tracks with its audio. */
  const lookAlikes = oneRead((files: NewFile[]): LookAlikes[] => {
    const hashes = files.map(({ read }) => hashOf(read.audioHash));
    const found = Map.groupBy(byAudio.all(JSON.stringify(hashes), source), ({ i }) => i);
    return files.map((file, i) => ({
      holder: holderOf(file),
      alike: (found.get(i) ?? []).map(({ id }) => id),
      isFormer: anyFormer && hadAudioOnce.get(hashes[i] ?? null, hashes[i] ?? null) !== undefined,
    }));
  });

  const holderOf = ({ path, candidate }: ListedFile): TrackId | undefined =>
    candidate.known?.trackId ?? bySourceId.get(source, sourceIdOf(path, candidate.name));

  async function sameFile({ candidate }: ListedFile, places: Place[]): Promise<SameFile | 'unsure' | undefined> {
    const [place] = places;
    if (!place) return undefined;
    const state = await stateOf(place);
    if (
      places.length === 1 &&
      place.state === 'deleted' &&
      place.trackId === null && // else it came back from the trash since
      (state === 'away' || state === 'changed')
    ) {
      const { path, name } = place;
      return { deletedFrom: { path, name, trackIds: listDeleted.all(source, sourceIdOf(path, name)) } };
    }
    if (places.length !== 1 || state !== 'away' || candidate.known || place.trackId === null) return 'unsure';
    if (hasFormer.get(place.trackId)) return 'unsure';
    return place.state === 'failed' ? undefined : { trackId: place.trackId, from: place.path };
  }

  function hasAudioOf(id: TrackId, { audioHash, read: { facts } }: ReadOk): boolean {
    const row = findAudio.get(id);
    if (!row) return false;
    const [before, now] = [hashOf(row.audioHash), hashOf(audioHash)];
    return before !== null && now !== null ? before === now : isSameAudio(row, audioRowOf(facts));
  }

  async function settled(
    { read, candidate }: NewFile,
    { holder, alike, isFormer }: LookAlikes,
  ): Promise<TrackId | 'place' | 'unsure'> {
    if (holder !== undefined) {
      const isSame = hasAudioOf(holder, read);
      if (isSame && candidate.known?.trackId === holder) return 'place';
      // the same name in another Unicode spelling
      const places = await statesOf(holder);
      if (places.includes('here')) return 'place';
      return isSame && places.every((state) => state === 'away') ? holder : 'unsure';
    }
    if (isFormer) return 'unsure';
    const states = await Promise.all(alike.map(statesOf));
    if (states.every((places) => places.length > 0 && places.every((state) => state === 'here'))) return 'place';
    const [only] = alike;
    return only !== undefined && alike.length === 1 && states[0]?.every((state) => state === 'away') ? only : 'unsure';
  }

  async function possibleTrack(id: TrackId, waiting: ReadonlyMap<string, Waiting>): Promise<PossibleTrack | undefined> {
    const row = findPossible.get(id);
    if (!row) return undefined;
    const places = placesOf.all(id).map(async (place) => {
      const at = join(place.path, place.name);
      const state = waiting.has(at) ? 'unsettled' : await stateOf(place);
      return { place: at, key: fileKey(place), state } as const;
    });
    const { title, album, audioHash, formerHash, isBare, copiedHash, copiedBytes } = row;
    return {
      id,
      audioHash: hashOf(audioHash),
      formerHash,
      called: called(title, album),
      isBare: isBare === 1,
      copy: copiedHash === null ? undefined : { sha256: copiedHash, sizeBytes: copiedBytes },
      places: await Promise.all(places),
    };
  }

  const called = (title: string | undefined, album: string | undefined): string =>
    `${identityKey(title ?? '')}\n${identityKey(album ?? '')}`;

  const unsettledOf = (file: ListedFile): UnsettledFile => ({
    place: join(file.path, file.candidate.name),
    known: holderOf(file) ?? null,
    key: fileKey(file.candidate),
    audioHash: null,
    called: called(undefined, undefined),
  });

  return {
    /** By the file alone, so that a file that only moved is not read again. One answer per file. */
    async byFile(files: ListedFile[]): Promise<(SameFile | 'unsure' | undefined)[]> {
      const places = otherPlaces(files);
      return Promise.all(files.map((file, i) => sameFile(file, places[i] as Place[])));
    },

    /**
     * Files whose audio was not hashed, and that by their length may be tracks whose files moved. In a first scan there
     * are none.
     */
    async toHash(files: NewFile[]): Promise<boolean[]> {
      if (!hadFiles) return files.map(() => false);
      return Promise.all(
        files.map(async ({ read: { audioHash, read } }) => {
          if (audioHash !== null) return false;
          if (anyFormer) return true;
          const ids = byLength.all(Math.round(read.facts.durationMs), read.facts.format, source);
          const states = await Promise.all(ids.map(statesOf));
          return states.some((places) => places.some((state) => state !== 'here') || places.length === 0);
        }),
      );
    },

    /** By what was read. `place`: the track of its place, or a new one. One answer per file. */
    async byContent(files: NewFile[]): Promise<(TrackId | 'place' | 'unsure')[]> {
      const alike = lookAlikes(files);
      return Promise.all(files.map((file, i) => settled(file, alike[i] as LookAlikes)));
    },

    /** Those of these hashes that deleted tracks have. */
    ofDeleted: (files: readonly Waiting[]): Set<string> =>
      new Set(listDeletedAudio.all(JSON.stringify(files.map(({ unsettled }) => unsettled.audioHash)))),

    wait(file: NewFile, deletedFrom?: DeletedFrom): Waiting {
      const { path, candidate, read } = file;
      const { tags, facts } = read.read;
      const { stored, audioHash } = read;
      const unsettled = {
        ...unsettledOf(file),
        isDeleted: deletedFrom !== undefined,
        audioHash: hashOf(read.audioHash),
        called: called(tags.title, tags.album),
      };
      const music = {
        ...audioRowOf(facts),
        audioHash: unsettled.audioHash,
        title: tags.title ?? null,
        artist: tags.artist ?? (tags.artists.join(', ') || null),
        album: tags.album ?? null,
        recordingMbid: tags.recordingMbid ?? null,
      };
      return { path, candidate, unsettled, music, read: { stored, audioHash }, deletedFrom };
    },
    /** A file of a deleted track, which needs no reading: only the track that had its place is still to be found. */
    waitUnread: (file: ListedFile, deletedFrom: DeletedFrom): Waiting => ({
      ...file,
      unsettled: { ...unsettledOf(file), isDeleted: true },
      music: UNKNOWN_MUSIC,
      read: undefined,
      deletedFrom,
    }),

    /** Files of tracks whose former audio is among these files: they may be tracks of their own. */
    heldByOthers(files: readonly Waiting[], waiting: ReadonlyMap<string, Waiting>): ListedFile[] {
      const hashes = files.map(({ unsettled }) => unsettled.audioHash);
      const held = [...new Set(hadAudio.all(JSON.stringify(hashes), source))].flatMap((id) => listHeld.all(id));
      return held
        .filter(({ path, name }) => !waiting.has(join(path, name)))
        .map(({ path, ...known }) => {
          const { name, sizeBytes, mtimeUs, dev, ino, ctimeUs, lyricsMark, sheetsMark } = known;
          const candidate = { name, sizeBytes, mtimeUs, dev, ino, ctimeUs, lyricsMark, sheetsMark, known };
          return { path, candidate };
        });
    },

    /**
     * All tracks that one of these files may be, that had its place, or that have the audio of one that had it; without
     * those that are known already. `waiting` are all files that wait.
     */
    async possible(
      files: readonly Waiting[],
      waiting: ReadonlyMap<string, Waiting>,
      isKnown: (id: TrackId) => boolean,
    ): Promise<PossibleTrack[]> {
      const holders = files.flatMap(({ unsettled }) => unsettled.known ?? []);
      const hashes = JSON.stringify([
        ...files.map(({ unsettled }) => unsettled.audioHash),
        ...holders.map((id) => hashOf(findAudio.get(id)?.audioHash ?? null)),
      ]);
      const ids = new Set([...holders, ...hadAudio.all(hashes, source)]);
      for (const { id } of byAudio.all(hashes, source)) ids.add(id);
      for (const { trackId } of otherPlaces(files).flat()) if (trackId !== null) ids.add(trackId);
      const found = [...ids].filter((id) => !isKnown(id)).map((id) => possibleTrack(id, waiting));
      return (await Promise.all(found)).filter((track) => track !== undefined);
    },

    /** The walk is over: what was not there then may be there now. */
    lookAgain: (): void => listings.clear(),
  };
}

const UNKNOWN_MUSIC: ComparedMusic = {
  audioHash: null,
  durationMs: null,
  format: null,
  codec: null,
  sampleRateHz: null,
  channels: null,
  title: null,
  artist: null,
  album: null,
  recordingMbid: null,
};

const audioRowOf = ({
  durationMs,
  format,
  codec,
  sampleRateHz,
  channels,
}: AudioFacts): Omit<AudioRow, 'audioHash'> => ({
  durationMs: Math.round(durationMs),
  format,
  codec,
  sampleRateHz,
  channels,
});

/** A hash that can be compared. */
const hashOf = (audioHash: string | null): string | null => (audioHash === NO_HASH ? null : audioHash);

const isAt = (place: Place, { path, candidate }: ListedFile): boolean =>
  place.path === path && place.name === candidate.name;
