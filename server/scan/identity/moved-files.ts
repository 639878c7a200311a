// Recognizes tracks whose files moved: a file in a new place may be a track whose old file is gone, and a file in a
// known place may be another track. Certain cases are decided as soon as a file is read: the very same file (device,
// inode, size, time), or the audio of one track, in a new place, when the old place is proved to be empty. All other
// files whose audio is not that of the track at their path wait for the end of the walk (postponed-files.ts).
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { tracks } from '../../db/schema.ts';
import { fileKey, type FileIdentity } from '../../files/file-stamp.ts';
import { NO_HASH } from '../../files/read-file.ts';
import { join, sourceIdOf } from '../../files/relative-path.ts';
import { FILE_SCHEME } from '../../storage/uri.ts';
import { identityKey } from '../../library/tracks/sort-and-identity-keys.ts';
import type { AudioFacts } from '../../media/types.ts';
import type { PossibleTrack, FileTraits } from './assign-tracks.ts';
import { createFileLocations, type FileLocation, type FileLocationsDeps } from './file-locations.ts';
import type { ListedFile } from '../walk/compare-folder.ts';
import type { DeletedLocation, ReadSuccess } from '../write/decide.ts';
import type { KnownFile } from '../walk/known-files.ts';
import { IS_UNTOUCHED } from '../gone-tracks/untouched-tracks.ts';
import { isSameAudio, type ComparedMusic } from '../gone-tracks/same-music.ts';
import { inNamedAlbum } from '../../db/unknown-names.ts';
import { bindContext } from '../../runtime/bind-context.ts';

/** What the file's identity shows: a track that moved, or a track that was deleted. */
type FileMatch = { trackId: TrackId; from: string } | { deletedLocation: DeletedLocation };

/** A file that was read successfully. */
export interface NewFile extends ListedFile {
  result: ReadSuccess;
}

/** A file whose track is decided when all other files have been walked, with the fields that the decision needs. */
export interface PostponedFile extends ListedFile {
  traits: FileTraits;
  music: ComparedMusic;
  /** The audio, so that it is not read again; undefined for a file that was not read. */
  audio: Pick<ReadSuccess, 'stored' | 'audioHash'> | undefined;
  deletedLocation?: DeletedLocation | undefined;
}

interface AudioMatches {
  /** The track that had the file's path. */
  holderId: TrackId | undefined;
  /** Tracks with the file's audio. */
  trackIds: TrackId[];
  /** True if a track had this audio before other music took its path. */
  isFormerAudio: boolean;
}

/** The fields by which audio is compared if there is no hash of it. */
type AudioRow = Pick<ComparedMusic, 'audioHash' | 'durationMs' | 'format' | 'codec' | 'sampleRateHz' | 'channels'>;

interface MovedFilesDeps extends Omit<FileLocationsDeps, 'client'> {
  db: MainDb;
}

const MAX_TRACKS_OF_AUDIO = 20;
const AUDIO_COLUMNS =
  'audio_hash AS audioHash, duration_ms AS durationMs, format, codec, sample_rate_hz AS sampleRateHz, channels';

export type MovedFiles = ReturnType<typeof createMovedFiles>;

export function createMovedFiles(deps: MovedFilesDeps) {
  const context = createContext(deps) as Context;
  /** Returns the other paths at which each file was seen, by size, time and inode. */
  context.listOtherLocations = inReadTransaction(context, (files: readonly ListedFile[]) =>
    files.map(context.locations.listOtherLocations),
  );
  /** Returns, for each file, the track at its path and the tracks with its audio. */
  context.findAudioMatches = inReadTransaction(context, (files: NewFile[]): AudioMatches[] => {
    const hashes = files.map(({ result }) => hashOf(result.audioHash));
    const matchesByIndex = Map.groupBy(context.listByAudio.all(JSON.stringify(hashes), context.source), ({ i }) => i);
    return files.map((file, i) => ({
      holderId: findHolder(context, file),
      trackIds: (matchesByIndex.get(i) ?? []).map(({ id }) => id),
      isFormerAudio:
        context.hasFormerAudio && context.findFormerAudio.get(hashes[i] ?? null, hashes[i] ?? null) !== undefined,
    }));
  });

  return {
    ...bindContext(context, {
      identifyByFile,
      findFilesToHash,
      identifyByContent,
      listDeletedHashes,
      postpone,
      postponeUnread,
      listFilesOfFormerOwners,
      findPossibleTracks,
    }),
    forgetListings: context.locations.forgetListings,
  };
}

interface Context extends ReturnType<typeof createContext> {
  listOtherLocations: (files: readonly ListedFile[]) => FileLocation[][];
  findAudioMatches: (files: NewFile[]) => AudioMatches[];
}

function createContext({ db, root, offline, source }: MovedFilesDeps) {
  const client = db.$client;
  const locations = createFileLocations({ client, root, offline, source });
  const findBySourceId = client
    .prepare<[string, string], TrackId>('SELECT id FROM tracks WHERE source = ? AND source_id = ?')
    .pluck();
  const findAudio = client.prepare<[TrackId], AudioRow>(`SELECT ${AUDIO_COLUMNS} FROM tracks WHERE id = ?`);
  // Finds tracks for a group of files at a time: a query per file would cost more than its results save. `i` is the
  // index in the list.
  const listByAudio = client.prepare<[string, string], { i: number; id: TrackId }>(
    `SELECT j.key AS i, t.id FROM json_each(?) j
      CROSS JOIN tracks t ON t.id IN
        (SELECT id FROM tracks WHERE audio_hash = j.value AND source = ? LIMIT ${MAX_TRACKS_OF_AUDIO})`,
  );
  const listByLength = client
    .prepare<[number, string, string], TrackId>(
      `SELECT id FROM tracks WHERE duration_ms = ? AND format = ? AND source = ? AND audio_hash IS NOT NULL
        LIMIT ${MAX_TRACKS_OF_AUDIO}`,
    )
    .pluck();
  const findTrackRow = client.prepare<
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
        ${IS_UNTOUCHED} AS isBare, coalesce(t.size_bytes, 0) AS copiedBytes,
        iif(t.availability = 'available' AND t.storage_uri NOT LIKE '${FILE_SCHEME}:%', t.content_hash, NULL)
          AS copiedHash
      FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN former_audio h ON h.track_id = t.id
      WHERE t.id = ?`,
  );
  const listByFormerAudio = client
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
  const findFormerAudio = client.prepare<[string | null, string | null]>(
    `SELECT 1 FROM former_audio WHERE audio_hash = ?
      UNION ALL SELECT 1 FROM trashed_tracks WHERE former_audio_hash = ? AND merged_into IS NOT NULL LIMIT 1`,
  );
  const hasFormerAudio =
    client
      .prepare(
        `SELECT 1 FROM former_audio
          UNION ALL SELECT 1 FROM trashed_tracks WHERE former_audio_hash IS NOT NULL LIMIT 1`,
      )
      .get() !== undefined;
  const findFormerAudioOf = client.prepare<[TrackId]>('SELECT 1 FROM former_audio WHERE track_id = ?');
  const listFilesOf = client.prepare<[TrackId], FileIdentity & KnownFile & { path: string }>(
    `SELECT d.path, f.name, f.dev, f.ino, f.size_bytes AS sizeBytes, f.mtime_us AS mtimeUs,
        f.ctime_us AS ctimeUs, f.state, f.reason,
        f.lyrics_mark AS lyricsMark, f.sheets_mark AS sheetsMark, f.track_id AS trackId
      FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.track_id = ? AND f.state IN ('track', 'deleted')`, // `deleted` if the track was restored from the trash
  );
  return {
    source,
    client,
    locations,
    findBySourceId,
    findAudio,
    listByAudio,
    listByLength,
    findTrackRow,
    listByFormerAudio,
    listDeleted,
    listDeletedAudio,
    findFormerAudio,
    hasFormerAudio,
    findFormerAudioOf,
    listFilesOf,
  };
}

// runs the queries for a whole group in one read transaction
const inReadTransaction = <A extends unknown[], R>({ client }: Context, read: (...args: A) => R) =>
  client.transaction(read).deferred;

const findHolder = ({ findBySourceId, source }: Context, { path, candidate }: ListedFile): TrackId | undefined =>
  candidate.knownFile?.trackId ?? findBySourceId.get(source, sourceIdOf(path, candidate.name));

async function matchFile(
  context: Context,
  { candidate }: ListedFile,
  fileLocations: FileLocation[],
): Promise<FileMatch | 'unsure' | undefined> {
  const [location] = fileLocations;
  if (!location) return undefined;
  const state = await context.locations.stateOf(location);
  if (
    fileLocations.length === 1 &&
    location.state === 'deleted' &&
    location.trackId === null && // with a track id, the track was restored from the trash since
    (state === 'absent' || state === 'changed')
  ) {
    const { path, name } = location;
    return {
      deletedLocation: { path, name, trackIds: context.listDeleted.all(context.source, sourceIdOf(path, name)) },
    };
  }
  if (fileLocations.length !== 1 || state !== 'absent' || candidate.knownFile || location.trackId === null)
    return 'unsure';
  if (context.findFormerAudioOf.get(location.trackId)) return 'unsure';
  return location.state === 'failed' ? undefined : { trackId: location.trackId, from: location.path };
}

function hasAudioOf(context: Context, id: TrackId, { audioHash, content: { facts } }: ReadSuccess): boolean {
  const row = context.findAudio.get(id);
  if (!row) return false;
  const [trackHash, fileHash] = [hashOf(row.audioHash), hashOf(audioHash)];
  return trackHash !== null && fileHash !== null ? trackHash === fileHash : isSameAudio(row, audioRowOf(facts));
}

async function identifyByAudio(
  context: Context,
  { result, candidate }: NewFile,
  { holderId, trackIds, isFormerAudio }: AudioMatches,
): Promise<TrackId | 'place' | 'unsure'> {
  if (holderId !== undefined) {
    const hasSameAudio = hasAudioOf(context, holderId, result);
    if (hasSameAudio && candidate.knownFile?.trackId === holderId) return 'place';
    // the file may have the same name in another Unicode spelling
    const states = await context.locations.statesOf(holderId);
    if (states.includes('present')) return 'place';
    return hasSameAudio && states.every((state) => state === 'absent') ? holderId : 'unsure';
  }
  if (isFormerAudio) return 'unsure';
  const states = await Promise.all(trackIds.map(context.locations.statesOf));
  if (states.every((trackStates) => trackStates.length > 0 && trackStates.every((state) => state === 'present')))
    return 'place';
  const [onlyTrackId] = trackIds;
  return onlyTrackId !== undefined && trackIds.length === 1 && states[0]?.every((state) => state === 'absent')
    ? onlyTrackId
    : 'unsure';
}

async function toPossibleTrack(
  context: Context,
  id: TrackId,
  postponedFiles: ReadonlyMap<string, PostponedFile>,
): Promise<PossibleTrack | undefined> {
  const row = context.findTrackRow.get(id);
  if (!row) return undefined;
  const trackLocations = context.locations.listLocations(id).map(async (location) => {
    const filePath = join(location.path, location.name);
    const state = postponedFiles.has(filePath) ? 'postponed' : await context.locations.stateOf(location);
    return { filePath, key: fileKey(location), state } as const;
  });
  const { title, album, audioHash, formerHash: formerAudioHash, isBare, copiedHash, copiedBytes } = row;
  return {
    id,
    audioHash: hashOf(audioHash),
    formerAudioHash,
    nameKey: nameKeyOf(title, album),
    isUntouched: isBare === 1,
    copy: copiedHash === null ? undefined : { sha256: copiedHash, sizeBytes: copiedBytes },
    locations: await Promise.all(trackLocations),
  };
}

const nameKeyOf = (title: string | undefined, album: string | undefined): string =>
  `${identityKey(title ?? '')}\n${identityKey(album ?? '')}`;

const traitsOf = (context: Context, file: ListedFile): FileTraits => ({
  filePath: join(file.path, file.candidate.name),
  holderId: findHolder(context, file) ?? null,
  key: fileKey(file.candidate),
  audioHash: null,
  nameKey: nameKeyOf(undefined, undefined),
});

/**
 * Identifies files by size, time and inode alone, so that a file that only moved is not read again. One result per
 * file.
 */
async function identifyByFile(context: Context, files: ListedFile[]): Promise<(FileMatch | 'unsure' | undefined)[]> {
  const locationsByFile = context.listOtherLocations(files);
  return Promise.all(files.map((file, i) => matchFile(context, file, locationsByFile[i] as FileLocation[])));
}

/**
 * Returns which files have to be hashed: those without a hash whose length fits a track whose file moved. In a
 * first scan there are none.
 */
async function findFilesToHash(
  { locations, hasFormerAudio, listByLength, source }: Context,
  files: NewFile[],
): Promise<boolean[]> {
  if (!locations.hadFiles) return files.map(() => false);
  return Promise.all(
    files.map(async ({ result: { audioHash, content } }) => {
      if (audioHash !== null) return false;
      if (hasFormerAudio) return true;
      const ids = listByLength.all(Math.round(content.facts.durationMs), content.facts.format, source);
      const states = await Promise.all(ids.map(locations.statesOf));
      return states.some((trackStates) => trackStates.some((state) => state !== 'present') || trackStates.length === 0);
    }),
  );
}

/**
 * Identifies files by their audio. `place` means the track at the path, or a new track. Returns one result per
 * file.
 */
async function identifyByContent(context: Context, files: NewFile[]): Promise<(TrackId | 'place' | 'unsure')[]> {
  const matches = context.findAudioMatches(files);
  return Promise.all(files.map((file, i) => identifyByAudio(context, file, matches[i] as AudioMatches)));
}

/** Returns the audio hashes of these files that deleted tracks have too. */
const listDeletedHashes = ({ listDeletedAudio }: Context, files: readonly PostponedFile[]): Set<string> =>
  new Set(listDeletedAudio.all(JSON.stringify(files.map(({ traits }) => traits.audioHash))));

function postpone(context: Context, file: NewFile, deletedLocation?: DeletedLocation): PostponedFile {
  const { path, candidate, result } = file;
  const { tags, facts } = result.content;
  const { stored, audioHash } = result;
  const traits: FileTraits = {
    ...traitsOf(context, file),
    isDeleted: deletedLocation !== undefined,
    audioHash: hashOf(result.audioHash),
    nameKey: nameKeyOf(tags.title, tags.album),
  };
  const music: ComparedMusic = {
    ...audioRowOf(facts),
    audioHash: traits.audioHash,
    title: tags.title ?? null,
    artist: tags.artist ?? (tags.artists.join(', ') || null),
    album: tags.album ?? null,
    recordingMbid: tags.recordingMbid ?? null,
  };
  return { path, candidate, traits, music, audio: { stored, audioHash }, deletedLocation };
}

/**
 * Creates a postponed file for a deleted track, which is not read: only the track that had its place remains to be
 * found.
 */
const postponeUnread = (context: Context, file: ListedFile, deletedLocation: DeletedLocation): PostponedFile => ({
  ...file,
  traits: { ...traitsOf(context, file), isDeleted: true },
  music: UNKNOWN_MUSIC,
  audio: undefined,
  deletedLocation,
});

/** Returns the files of tracks whose former audio is among these files: they may be separate tracks. */
function listFilesOfFormerOwners(
  { listByFormerAudio, source, listFilesOf }: Context,
  files: readonly PostponedFile[],
  postponedFiles: ReadonlyMap<string, PostponedFile>,
): ListedFile[] {
  const hashes = files.map(({ traits }) => traits.audioHash);
  const filesOfFormerOwners = [...new Set(listByFormerAudio.all(JSON.stringify(hashes), source))].flatMap((id) =>
    listFilesOf.all(id),
  );
  return filesOfFormerOwners
    .filter(({ path, name }) => !postponedFiles.has(join(path, name)))
    .map(({ path, ...knownFile }) => {
      const { name, sizeBytes, mtimeUs, dev, ino, ctimeUs, lyricsMark, sheetsMark } = knownFile;
      const candidate = { name, sizeBytes, mtimeUs, dev, ino, ctimeUs, lyricsMark, sheetsMark, knownFile };
      return { path, candidate };
    });
}

/**
 * Returns all tracks that one of these files may be: the tracks at their paths, tracks with their audio, and tracks
 * with the audio of the latter. Tracks for which `isKnown` returns true are left out. `postponedFiles` are all
 * files that wait.
 */
async function findPossibleTracks(
  context: Context,
  files: readonly PostponedFile[],
  postponedFiles: ReadonlyMap<string, PostponedFile>,
  isKnownTrack: (id: TrackId) => boolean,
): Promise<PossibleTrack[]> {
  const holderIds = files.flatMap(({ traits }) => traits.holderId ?? []);
  const hashes = JSON.stringify([
    ...files.map(({ traits }) => traits.audioHash),
    ...holderIds.map((id) => hashOf(context.findAudio.get(id)?.audioHash ?? null)),
  ]);
  const ids = new Set([...holderIds, ...context.listByFormerAudio.all(hashes, context.source)]);
  for (const { id } of context.listByAudio.all(hashes, context.source)) ids.add(id);
  for (const { trackId } of context.listOtherLocations(files).flat()) if (trackId !== null) ids.add(trackId);
  const possibleTracks = [...ids]
    .filter((id) => !isKnownTrack(id))
    .map((id) => toPossibleTrack(context, id, postponedFiles));
  return (await Promise.all(possibleTracks)).filter((track) => track !== undefined);
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

/** Returns the hash if it can be compared, else null. */
const hashOf = (audioHash: string | null): string | null => (audioHash === NO_HASH ? null : audioHash);
