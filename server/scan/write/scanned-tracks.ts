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

export type ScannedTracks = ReturnType<typeof createScannedTracks>;

export function createScannedTracks({ db, tracks, trash, storage, source, now }: ScannedTracksDeps) {
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

  const hasAudioHash = (id: TrackId, audioHash: string | null): boolean =>
    hashOf(audioHash) !== null && hashOf(findAudioHash.get(id) ?? null) === audioHash;

  const toStoredAudio = (filePath: string, { stored, sizeBytes, audioHash }: ReadSuccess): StoredAudio => ({
    storageUri: stored ? toUri(storage, stored.key) : toFileUri(filePath),
    contentHash: stored?.sha256 ?? null,
    audioHash,
    sizeBytes,
  });

  /**
   * Replaces the audio, and the tags except for what a person edited. Returns the URI of the audio that was replaced.
   */
  function replaceAudioAndTags(
    id: TrackId,
    { identity, audio }: TrackDraft,
    folder: number,
    keepsIdentity = false,
  ): string | undefined {
    const formerUri = findUri.get(id);
    // a stored copy stays if the same audio turns up in a folder that is only indexed
    const doesCopyStay =
      formerUri != null &&
      !isInFolder(formerUri) &&
      isInFolder(audio.storageUri ?? '') &&
      hasAudioHash(id, audio.audioHash);
    if (doesCopyStay) setAvailability.run('available', id);
    else tracks.setAudio(id, audio);
    const hadOtherMusic = deleteFormerAudio.run(id).changes > 0;
    tracks.setLyrics(id, identity.lyrics ?? null);
    tracks.setChapters(id, identity.chapters ?? null);
    tracks.setMore(id, identity.more ?? null);
    if (!keepsIdentity) replaceTagsUnderEdits(db, id, identity);
    if (tracks.statusOf(id) !== 'manual' && !keepsIdentity) {
      const track = findTrack(id);
      tracks.setIdentity(id, track ? withEditsOf(track.identity, identity) : identity, folder, hadOtherMusic);
      setPending.run(id); // a track with other tags has to be identified again
    }
    return !doesCopyStay && formerUri != null && formerUri !== audio.storageUri ? formerUri : undefined;
  }

  /** Returns whether the tags are the same as when they were last read. */
  function hasSameTags({ id, identity: currentIdentity }: TrackWithIdentity, tags: TrackIdentity): boolean {
    const lastReadIdentity = withoutMeasured(findUndo(db, id)?.identity ?? currentIdentity);
    return isSameIdentity(
      { ...lastReadIdentity, lyrics: undefined },
      { ...withEditsOf(lastReadIdentity, tags), lyrics: undefined },
    );
  }

  function hasFacts(id: TrackId, { durationMs, format, codec, sampleRateHz, channels }: TrackAudio): boolean {
    const facts = findFacts.get(id);
    return facts !== undefined && isSameAudio(facts, { durationMs, format, codec, sampleRateHz, channels });
  }

  /**
   * Moves the current music of this track to a new track, whose file is missing, before other music takes over this
   * track. The edits stay with this track.
   */
  function insertDisplacedMusic(id: TrackId): TrackId | undefined {
    const [track, audio] = [findTrack(id), findAudio.get(id)];
    if (!track || !audio) return undefined;
    const { folder } = track;
    const sourceId = formerPlace(track.sourceId) ?? track.sourceId;
    const identity = identityUnderEdits(db, id) ?? track.identity;
    const displacedId = tracks.insert({
      source,
      sourceId: overwrittenPlace(NO_TRACK_ID, sourceId),
      folder,
      identity,
      audio,
    });
    setSourceId.run(overwrittenPlace(displacedId, sourceId), now().getTime(), displacedId);
    if (isInFolder(audio.storageUri ?? '')) setAvailability.run('missing', displacedId);
    copyFingerprint.run(displacedId, id);
    copyPieces.run(displacedId, id);
    return displacedId;
  }

  /** Gives a track another source id, because another file has its place. */
  const displace = (id: TrackId, sourceId: string): void =>
    void setSourceId.run(overwrittenPlace(id, sourceId), now().getTime(), id);

  return {
    findBySourceId: (sourceId: string): TrackId | undefined => findBySourceId.get(source, sourceId),
    isInPlace: (id: TrackId): boolean => findAvailableInFolder.get(id) !== undefined,
    isMissing: (id: TrackId): boolean => hasAvailability.get(id, 'missing') !== undefined,
    setMissing: (id: TrackId): void => void setAvailability.run('missing', id),
    setAvailable: (id: TrackId): void => void setAvailability.run('available', id),

    displace,
    insertAside: insertDisplacedMusic,
    /** Removes a track that nobody has used. */
    removeTrack: (id: TrackId): void => void removeTrackRow(db, tracks, id),
    storedAs: toStoredAudio,
    audioHashOf: (id: TrackId): string | null => findAudioHash.get(id) ?? null,
    /** Returns another track with the same audio. */
    findOtherWithAudio: (audioHash: string | null, id: TrackId): TrackId | undefined =>
      hashOf(audioHash) === null ? undefined : findOtherWithAudio.get(audioHash as string, source, id),
    setAudioHash: (id: TrackId, audioHash: string): void => void setAudioHash.run(audioHash, id),

    toDraft({ path, candidate }: ListedFile, readResult: ReadSuccess): TrackDraft {
      const sourceId = sourceIdOf(path, candidate.name);
      const audio = toAudio(readResult.content, toStoredAudio(join(path, candidate.name), readResult));
      return { sourceId, identity: toIdentity(readResult.content, sourceId), audio };
    },

    move(id: TrackId, path: string, name: string): void {
      const sourceId = sourceIdOf(path, name);
      const time = now().getTime();
      const holder = findBySourceId.get(source, sourceId);
      if (holder !== undefined && holder !== id) displace(holder, sourceId);
      setSourceId.run(sourceId, time, id);
      setLocation.run(toFileUri(join(path, name)), time, id);
      tracks.noteAlbumOf(id);
    },

    /**
     * Inserts a track. A deleted track whose file changed, or is requested again, is restored under its id, and so is a
     * hidden one. If there is other audio in its place, a new track is inserted.
     */
    insert(draft: TrackDraft, folder: number): { trackId: TrackId; replacedUri?: string | undefined } {
      const { sourceId, identity, audio } = draft;
      const audioHash = hashOf(audio.audioHash);
      const deletedTrack = trash.findPlace(source, sourceId);
      const hasOtherAudio =
        deletedTrack && audioHash !== null && (hashOf(deletedTrack.audioHash) ?? audioHash) !== audioHash;
      const trackId = (hasOtherAudio ? undefined : deletedTrack?.id) ?? trash.findHidden(source, sourceId, audioHash);
      if (trackId !== undefined) {
        trash.restore(db, trackId, sourceId);
        return { trackId, replacedUri: replaceAudioAndTags(trackId, draft, folder) };
      }
      return { trackId: tracks.insert({ source, sourceId, folder, identity, audio }) };
    },

    /** Gives the track this place, with the audio and tags in it. */
    takeSourceId(
      id: TrackId,
      draft: TrackDraft,
      folder: number,
    ): { trackId: TrackId; replacedUri: string | undefined } {
      setSourceId.run(draft.sourceId, now().getTime(), id);
      return { trackId: id, replacedUri: replaceAudioAndTags(id, draft, folder) };
    },

    moveDeleted(ids: readonly TrackId[], { path, name, folder }: NewLocation): void {
      const location = { sourceId: sourceIdOf(path, name), uri: toFileUri(join(path, name)), folder, name };
      trash.setPlace(source, ids, location);
    },

    /** Returns the deleted track at that place. */
    findDeleted: (sourceId: string) => trash.findPlace(source, sourceId),
    setDeletedSourceId: trash.moveTo,

    /**
     * Remembers the current audio before other music takes its place, because the audio may come back. If the track has
     * former audio already, only that counts, and the time is returned since when the track has the current one.
     */
    rememberFormerAudio(id: TrackId): Date | undefined {
      const time = now().getTime();
      if (insertFormerAudio.run(time, id, NO_HASH).changes > 0) return undefined;
      const audioEnd = findFirstAudioEnd.get(id);
      setAudioEnd.run(time, id);
      return audioEnd == null ? undefined : new Date(audioEnd);
    },
    /** Returns the time since when the track has other audio than this former audio. */
    findReplacementDate(id: TrackId, audioHash: string | null): Date | undefined {
      const audioEnd = audioHash === null ? undefined : findAudioEnd.get(id, audioHash);
      return audioEnd == null ? undefined : new Date(audioEnd);
    },

    setLyrics: (id: TrackId, { content }: ReadSuccess): void => tracks.setLyrics(id, content.tags.lyrics ?? null),

    refill: replaceAudioAndTags,

    /**
     * Replaces the tags of audio that was not hashed. If the tags are the same as when they were last read, what was
     * identified since is kept.
     */
    retag(id: TrackId, { identity, audio, ...draft }: TrackDraft, folder: number): string | undefined {
      const track = findTrack(id);
      const hash = audio.audioHash ?? (hasFacts(id, audio) ? findAudioHash.get(id) : null) ?? null;
      const hashedDraft = { ...draft, identity, audio: { ...audio, audioHash: hash } };
      return replaceAudioAndTags(id, hashedDraft, folder, track !== undefined && hasSameTags(track, identity));
    },
  };
}

/** Placeholder in a place until the track has an id. */
const NO_TRACK_ID = 0 as TrackId;
const isInFolder = (uri: string): boolean => uri.startsWith(`${FILE_SCHEME}:`);

/** Returns the hash if it can be compared, else null. */
const hashOf = (audioHash: string | null): string | null => (audioHash === NO_HASH ? null : audioHash);
