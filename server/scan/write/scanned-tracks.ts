// Writes what a scan changes of tracks: where their file is, whether it exists, and what it contains.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import { tracks as trackRows } from '../../db/schema.ts';
import { findUndo } from '../../enrichment/queries.ts';
import { NO_HASH } from '../../files/read-file.ts';
import { join, sourceIdOf } from '../../files/relative-path.ts';
import { toAudio, toIdentity, type StoredAudio } from '../../files/track-draft.ts';
import { identityUnderEdits, replaceTagsUnderEdits } from '../../library/edits/edit-history.ts';
import { withEditsOf } from '../../library/edits/identity-changes.ts';
import { overwrittenPlace, formerPlace } from '../../library/tracks/overwritten-place.ts';
import {
  isSameIdentity,
  prepareFindTrack,
  withoutMeasured,
  type TrackWithIdentity,
} from '../../library/tracks/track-identity.ts';
import { removeTrackRow } from '../../library/tracks/row-removal.ts';
import { AUDIO_COLUMNS, type TrackAudio, type TrackIdentity } from '../../library/tracks/track-values.ts';
import type { TrackWriter } from '../../library/tracks/track-writer.ts';
import type { Trash } from '../../library/trash/trash.ts';
import type { Storage } from '../../storage/storage.ts';
import { FILE_SCHEME, toFileUri, toUri } from '../../storage/uri.ts';
import type { ListedFile } from '../walk/compare-folder.ts';
import type { ReadSuccess } from './decide.ts';
import { isSameAudio } from '../gone-tracks/same-music.ts';
import { bindContext } from '../../runtime/bind-context.ts';

export interface ScannedTracksDeps {
  db: MainDb;
  tracks: TrackWriter;
  trash: Pick<Trash, 'findPlace' | 'findHidden' | 'restore' | 'setPlace' | 'moveTo'>;
  storage: Pick<Storage, 'backend'>;
  source: string;
  now: () => Date;
}

/** The new place of a file; `folder` is source_folders.id. */
interface NewLocation {
  path: string;
  name: string;
  folder: number;
}

/** The metadata and audio of a track, as its file, or a section of it, has them. */
export interface TrackDraft {
  sourceId: string;
  identity: TrackIdentity;
  audio: TrackAudio;
}

export type ScannedTracks = ReturnType<typeof createScannedTrackWriter>;

export function createScannedTrackWriter(deps: ScannedTracksDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      isInPlace,
      isMissing,
      setMissing,
      setAvailable,
      removeTrack,
      audioHashOf,
      toDraft,
      move,
      insert,
      takeSourceId,
      moveDeleted,
      findDeleted,
      rememberFormerAudio,
      findReplacementDate,
      setLyrics,
      retag,
      displace,
    }),
    findBySourceId: (sourceId: string): TrackId | undefined => context.findBySourceId.get(context.source, sourceId),
    insertAside: (id: TrackId) => insertDisplacedMusic(context, id),
    storedAs: (filePath: string, readSuccess: ReadSuccess) => toStoredAudio(context, filePath, readSuccess),
    /** Returns another track with the same audio. */
    findOtherWithAudio: (audioHash: string | null, id: TrackId): TrackId | undefined =>
      hashOf(audioHash) === null ? undefined : context.findOtherWithAudio.get(audioHash as string, context.source, id),
    setAudioHash: (id: TrackId, audioHash: string): void => void context.setAudioHash.run(audioHash, id),
    setDeletedSourceId: context.trash.moveTo,
    refill: (id: TrackId, trackDraft: TrackDraft, folder: number, keepsIdentity?: boolean) =>
      replaceAudioAndTags(context, id, trackDraft, folder, keepsIdentity),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, tracks, trash, storage, source, now }: ScannedTracksDeps) {
  const client = db.$client;
  const findTrack = prepareFindTrack(client);
  const findBySourceId = client
    .prepare<[string, string], TrackId>('SELECT id FROM tracks WHERE source = ? AND source_id = ?')
    .pluck();
  const findUri = client.prepare<[TrackId], string | null>('SELECT storage_uri FROM tracks WHERE id = ?').pluck();
  const hasAvailability = client.prepare<[TrackId, string]>('SELECT 1 FROM tracks WHERE id = ? AND availability = ?');
  const findAvailableInFolder = client.prepare<[TrackId]>(
    `SELECT 1 FROM tracks WHERE id = ? AND availability = 'available' AND storage_uri LIKE '${FILE_SCHEME}:%'`,
  );
  const setAvailability = client.prepare<[string, TrackId]>('UPDATE tracks SET availability = ? WHERE id = ?');
  const setSourceId = client.prepare<[string, number, TrackId]>(
    'UPDATE tracks SET source_id = ?, updated_at = ? WHERE id = ?',
  );
  const setLocation = client.prepare<[string, number, TrackId]>(
    `UPDATE tracks SET storage_uri = CASE WHEN storage_uri LIKE '${FILE_SCHEME}:%' THEN ? ELSE storage_uri END,
      availability = 'available', updated_at = ? WHERE id = ?`,
  );
  const insertFormerAudio = client.prepare<[number, TrackId, string]>(
    `INSERT OR IGNORE INTO former_audio (track_id, audio_hash, until)
      SELECT id, audio_hash, ? FROM tracks WHERE id = ? AND audio_hash <> ?`,
  );
  const findAudioEnd = client
    .prepare<[TrackId, string], number | null>('SELECT until FROM former_audio WHERE track_id = ? AND audio_hash = ?')
    .pluck();
  const findFirstAudioEnd = client
    .prepare<[TrackId], number | null>('SELECT until FROM former_audio WHERE track_id = ?')
    .pluck();
  const setAudioEnd = client.prepare<[number, TrackId]>('UPDATE former_audio SET until = ? WHERE track_id = ?');
  const deleteFormerAudio = client.prepare<[TrackId]>(
    `DELETE FROM former_audio WHERE track_id = ?
      AND audio_hash = (SELECT audio_hash FROM tracks WHERE id = former_audio.track_id)`,
  );
  const setPending = client.prepare<[TrackId]>(
    "UPDATE tracks SET metadata_status = 'pending', metadata_error = NULL WHERE id = ?",
  );
  const findAudio = client.prepare<[TrackId], TrackAudio>(
    `SELECT ${AUDIO_COLUMNS.map((column) => `${trackRows[column].name} AS ${column}`).join(', ')}
      FROM tracks WHERE id = ?`,
  );
  const copyFingerprint = client.prepare<[TrackId, TrackId]>(
    `INSERT INTO track_fingerprints (track_id, version, duration_ms, raw, created_at)
      SELECT ?, version, duration_ms, raw, created_at FROM track_fingerprints WHERE track_id = ?`,
  );
  const copyPieces = client.prepare<[TrackId, TrackId]>(
    `INSERT INTO fingerprint_pieces (piece, duration_ms, track_id)
      SELECT piece, duration_ms, ? FROM fingerprint_pieces WHERE track_id = ?`,
  );
  const findAudioHash = client.prepare<[TrackId], string | null>('SELECT audio_hash FROM tracks WHERE id = ?').pluck();
  const findOtherWithAudio = client
    .prepare<[string, string, TrackId], TrackId>(
      `SELECT id FROM tracks WHERE audio_hash = ? AND +source = ? AND id <> ?
        ORDER BY availability = 'missing', id LIMIT 1`,
    )
    .pluck();
  const findFacts = client.prepare<
    [TrackId],
    RowAs<typeof trackRows, 'durationMs' | 'format' | 'codec' | 'sampleRateHz' | 'channels'>
  >(
    `SELECT duration_ms AS durationMs, format, codec, sample_rate_hz AS sampleRateHz, channels FROM tracks
      WHERE id = ?`,
  );
  const setAudioHash = client.prepare<[string, TrackId]>('UPDATE tracks SET audio_hash = ? WHERE id = ?');
  return {
    db,
    tracks,
    trash,
    storage,
    source,
    now,
    findTrack,
    findBySourceId,
    findUri,
    hasAvailability,
    findAvailableInFolder,
    setAvailability,
    setSourceId,
    setLocation,
    insertFormerAudio,
    findAudioEnd,
    findFirstAudioEnd,
    setAudioEnd,
    deleteFormerAudio,
    setPending,
    findAudio,
    copyFingerprint,
    copyPieces,
    findAudioHash,
    findOtherWithAudio,
    findFacts,
    setAudioHash,
  };
}

const hasAudioHash = ({ findAudioHash }: Context, id: TrackId, audioHash: string | null): boolean =>
  hashOf(audioHash) !== null && hashOf(findAudioHash.get(id) ?? null) === audioHash;

const toStoredAudio = (
  { storage }: Context,
  filePath: string,
  { stored, sizeBytes, audioHash }: ReadSuccess,
): StoredAudio => ({
  storageUri: stored ? toUri(storage, stored.key) : toFileUri(filePath),
  contentHash: stored?.sha256 ?? null,
  audioHash,
  sizeBytes,
});

/**
 * Replaces the audio, and the tags except for what a person edited. Returns the URI of the audio that was replaced.
 */
function replaceAudioAndTags(
  context: Context,
  id: TrackId,
  { identity, audio }: TrackDraft,
  folder: number,
  keepsIdentity = false,
): string | undefined {
  const formerUri = context.findUri.get(id);
  // a stored copy stays if the same audio turns up in a folder that is only indexed
  const doesCopyStay =
    formerUri != null &&
    !isInFolder(formerUri) &&
    isInFolder(audio.storageUri ?? '') &&
    hasAudioHash(context, id, audio.audioHash);
  if (doesCopyStay) context.setAvailability.run('available', id);
  else context.tracks.setAudio(id, audio);
  const hadOtherMusic = context.deleteFormerAudio.run(id).changes > 0;
  context.tracks.setLyrics(id, identity.lyrics ?? null);
  context.tracks.setChapters(id, identity.chapters ?? null);
  context.tracks.setMore(id, identity.more ?? null);
  context.tracks.setListening(id, identity.listening ?? null);
  if (!keepsIdentity) replaceTagsUnderEdits(context.db, id, identity);
  if (context.tracks.statusOf(id) !== 'manual' && !keepsIdentity) {
    const track = context.findTrack(id);
    context.tracks.setIdentity(id, track ? withEditsOf(track.identity, identity) : identity, folder, hadOtherMusic);
    context.setPending.run(id); // a track with other tags has to be identified again
  }
  return !doesCopyStay && formerUri != null && formerUri !== audio.storageUri ? formerUri : undefined;
}

/** Returns whether the tags are the same as when they were last read. */
function hasSameTags(
  context: Context,
  { id, identity: currentIdentity }: TrackWithIdentity,
  tags: TrackIdentity,
): boolean {
  const lastReadIdentity = withoutMeasured(findUndo(context.db, id)?.identity ?? currentIdentity);
  return isSameIdentity(
    { ...lastReadIdentity, lyrics: undefined },
    { ...withEditsOf(lastReadIdentity, tags), lyrics: undefined },
  );
}

function hasFacts(
  context: Context,
  id: TrackId,
  { durationMs, format, codec, sampleRateHz, channels }: TrackAudio,
): boolean {
  const facts = context.findFacts.get(id);
  return facts !== undefined && isSameAudio(facts, { durationMs, format, codec, sampleRateHz, channels });
}

/**
 * Moves the current music of this track to a new track, whose file is missing, before other music takes over this
 * track. The edits stay with this track.
 */
function insertDisplacedMusic(context: Context, id: TrackId): TrackId | undefined {
  const [track, audio] = [context.findTrack(id), context.findAudio.get(id)];
  if (!track || !audio) return undefined;
  const { folder } = track;
  const sourceId = formerPlace(track.sourceId) ?? track.sourceId;
  const identity = identityUnderEdits(context.db, id) ?? track.identity;
  const displacedId = context.tracks.insert({
    source: context.source,
    sourceId: overwrittenPlace(NO_TRACK_ID, sourceId),
    folder,
    identity,
    audio,
  });
  context.setSourceId.run(overwrittenPlace(displacedId, sourceId), context.now().getTime(), displacedId);
  if (isInFolder(audio.storageUri ?? '')) context.setAvailability.run('missing', displacedId);
  context.copyFingerprint.run(displacedId, id);
  context.copyPieces.run(displacedId, id);
  return displacedId;
}

/** Gives a track another source id, because another file has its place. */
const displace = ({ setSourceId, now }: Context, id: TrackId, sourceId: string): void =>
  void setSourceId.run(overwrittenPlace(id, sourceId), now().getTime(), id);

const isInPlace = ({ findAvailableInFolder }: Context, id: TrackId): boolean =>
  findAvailableInFolder.get(id) !== undefined;

const isMissing = ({ hasAvailability }: Context, id: TrackId): boolean =>
  hasAvailability.get(id, 'missing') !== undefined;

const setMissing = ({ setAvailability }: Context, id: TrackId): void => void setAvailability.run('missing', id);

const setAvailable = ({ setAvailability }: Context, id: TrackId): void => void setAvailability.run('available', id);

/** Removes a track that nobody has used. */
const removeTrack = ({ db, tracks }: Context, id: TrackId): void => void removeTrackRow(db, tracks, id);

const audioHashOf = ({ findAudioHash }: Context, id: TrackId): string | null => findAudioHash.get(id) ?? null;

function toDraft(context: Context, { path, candidate }: ListedFile, readResult: ReadSuccess): TrackDraft {
  const sourceId = sourceIdOf(path, candidate.name);
  const audio = toAudio(readResult.content, toStoredAudio(context, join(path, candidate.name), readResult));
  return { sourceId, identity: toIdentity(readResult.content, sourceId), audio };
}

function move(context: Context, id: TrackId, path: string, name: string): void {
  const sourceId = sourceIdOf(path, name);
  const time = context.now().getTime();
  const holder = context.findBySourceId.get(context.source, sourceId);
  if (holder !== undefined && holder !== id) displace(context, holder, sourceId);
  context.setSourceId.run(sourceId, time, id);
  context.setLocation.run(toFileUri(join(path, name)), time, id);
  context.tracks.noteAlbumOf(id);
}

/**
 * Inserts a track. A deleted track whose file changed, or is requested again, is restored under its id, and so is a
 * hidden one. If there is other audio in its place, a new track is inserted.
 */
function insert(
  context: Context,
  draft: TrackDraft,
  folder: number,
): { trackId: TrackId; replacedUri?: string | undefined } {
  const { sourceId, identity, audio } = draft;
  const audioHash = hashOf(audio.audioHash);
  const deletedTrack = context.trash.findPlace(context.source, sourceId);
  const hasOtherAudio =
    deletedTrack && audioHash !== null && (hashOf(deletedTrack.audioHash) ?? audioHash) !== audioHash;
  const trackId =
    (hasOtherAudio ? undefined : deletedTrack?.id) ?? context.trash.findHidden(context.source, sourceId, audioHash);
  if (trackId !== undefined) {
    context.trash.restore(context.db, trackId, sourceId);
    return { trackId, replacedUri: replaceAudioAndTags(context, trackId, draft, folder) };
  }
  return { trackId: context.tracks.insert({ source: context.source, sourceId, folder, identity, audio }) };
}

/** Moves the track to the source id of the draft, and replaces its audio and tags by those of the file there. */
function takeSourceId(
  context: Context,
  id: TrackId,
  draft: TrackDraft,
  folder: number,
): { trackId: TrackId; replacedUri: string | undefined } {
  context.setSourceId.run(draft.sourceId, context.now().getTime(), id);
  return { trackId: id, replacedUri: replaceAudioAndTags(context, id, draft, folder) };
}

function moveDeleted({ trash, source }: Context, ids: readonly TrackId[], { path, name, folder }: NewLocation): void {
  const location = { sourceId: sourceIdOf(path, name), uri: toFileUri(join(path, name)), folder, name };
  trash.setPlace(source, ids, location);
}

/** Returns the deleted track at that place. */
const findDeleted = ({ trash, source }: Context, sourceId: string) => trash.findPlace(source, sourceId);

/**
 * Remembers the current audio before other music takes its place, because the audio may come back. If the track has
 * former audio already, only that counts, and the function returns when the current audio replaced it.
 */
function rememberFormerAudio(
  { now, insertFormerAudio, findFirstAudioEnd, setAudioEnd }: Context,
  id: TrackId,
): Date | undefined {
  const time = now().getTime();
  if (insertFormerAudio.run(time, id, NO_HASH).changes > 0) return undefined;
  const audioEnd = findFirstAudioEnd.get(id);
  setAudioEnd.run(time, id);
  return audioEnd == null ? undefined : new Date(audioEnd);
}

/** Returns when other audio replaced this former audio of the track. */
function findReplacementDate({ findAudioEnd }: Context, id: TrackId, audioHash: string | null): Date | undefined {
  const audioEnd = audioHash === null ? undefined : findAudioEnd.get(id, audioHash);
  return audioEnd == null ? undefined : new Date(audioEnd);
}

const setLyrics = ({ tracks }: Context, id: TrackId, { content }: ReadSuccess): void =>
  tracks.setLyrics(id, content.tags.lyrics ?? null);

/**
 * Replaces the tags of audio that was not hashed. If the tags are the same as when they were last read, what was
 * identified since is kept.
 */
function retag(
  context: Context,
  id: TrackId,
  { identity, audio, ...draft }: TrackDraft,
  folder: number,
): string | undefined {
  const track = context.findTrack(id);
  const hash = audio.audioHash ?? (hasFacts(context, id, audio) ? context.findAudioHash.get(id) : null) ?? null;
  const hashedDraft = { ...draft, identity, audio: { ...audio, audioHash: hash } };
  return replaceAudioAndTags(
    context,
    id,
    hashedDraft,
    folder,
    track !== undefined && hasSameTags(context, track, identity),
  );
}

/** Placeholder in a place until the track has an id. */
const NO_TRACK_ID = 0 as TrackId;
const isInFolder = (uri: string): boolean => uri.startsWith(`${FILE_SCHEME}:`);

/** Returns the hash if it can be compared, else null. */
const hashOf = (audioHash: string | null): string | null => (audioHash === NO_HASH ? null : audioHash);
