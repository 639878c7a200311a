// What a scan changes of tracks: where the file is, whether it is there, and what is in it.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { tracks as trackRows } from '../db/schema.ts';
import { findUndo } from '../enrichment/queries.ts';
import { NO_HASH } from '../files/read-file.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { toAudio, toIdentity, type StoredAudio } from '../files/track-draft.ts';
import { identityUnderEdits, tagsUnderEdits } from '../library/edit-history.ts';
import { withEditsOf } from '../library/identity-changes.ts';
import { overwrittenPlace, placeBefore } from '../library/overwritten-place.ts';
import { isSameIdentity, prepareKnownTracks, withoutMeasured, type KnownTrack } from '../library/track-identity.ts';
import { removeTrackRow } from '../library/row-removal.ts';
import { AUDIO_COLUMNS, type TrackAudio, type TrackIdentity } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Trash } from '../library/trash.ts';
import type { Storage } from '../storage/storage.ts';
import { FILE_SCHEME, toFileUri, toUri } from '../storage/uri.ts';
import type { ListedFile } from './compare-folder.ts';
import type { ReadOk } from './decide.ts';
import { isSameAudio } from './same-music.ts';

export interface ScannedTracksDeps {
  db: MainDb;
  tracks: TrackWriter;
  trash: Pick<Trash, 'findPlace' | 'findHidden' | 'restore' | 'setPlace' | 'moveTo'>;
  storage: Pick<Storage, 'backend'>;
  source: string;
  now: () => Date;
}

/** `folder`: source_folders.id */
interface PlaceOfFile {
  path: string;
  name: string;
  folder: number;
}

/** What a file, or a section of one, says of its track. */
export interface Draft {
  sourceId: string;
  identity: TrackIdentity;
  audio: TrackAudio;
}

export type ScannedTracks = ReturnType<typeof createScannedTracks>;

export function createScannedTracks({ db, tracks, trash, storage, source, now }: ScannedTracksDeps) {
  const client = db.$client;
  const findKnown = prepareKnownTracks(client);
  const findNamed = client
    .prepare<[string, string], TrackId>('SELECT id FROM tracks WHERE source = ? AND source_id = ?')
    .pluck();
  const findUri = client.prepare<[TrackId], string | null>('SELECT storage_uri FROM tracks WHERE id = ?').pluck();
  const hasAvailability = client.prepare<[TrackId, string]>('SELECT 1 FROM tracks WHERE id = ? AND availability = ?');
  const findInPlace = client.prepare<[TrackId]>(
    `SELECT 1 FROM tracks WHERE id = ? AND availability = 'available' AND storage_uri LIKE '${FILE_SCHEME}:%'`,
  );
  const setAvailability = client.prepare<[string, TrackId]>('UPDATE tracks SET availability = ? WHERE id = ?');
  const setSourceId = client.prepare<[string, number, TrackId]>(
    'UPDATE tracks SET source_id = ?, updated_at = ? WHERE id = ?',
  );
  const setPlace = client.prepare<[string, number, TrackId]>(
    `UPDATE tracks SET storage_uri = CASE WHEN storage_uri LIKE '${FILE_SCHEME}:%' THEN ? ELSE storage_uri END,
      availability = 'available', updated_at = ? WHERE id = ?`,
  );
  const keepHash = client.prepare<[number, TrackId, string]>(
    `INSERT OR IGNORE INTO former_audio (track_id, audio_hash, until)
      SELECT id, audio_hash, ? FROM tracks WHERE id = ? AND audio_hash <> ?`,
  );
  const findUntil = client
    .prepare<[TrackId, string], number | null>('SELECT until FROM former_audio WHERE track_id = ? AND audio_hash = ?')
    .pluck();
  const findFirstUntil = client
    .prepare<[TrackId], number | null>('SELECT until FROM former_audio WHERE track_id = ?')
    .pluck();
  const setUntil = client.prepare<[number, TrackId]>('UPDATE former_audio SET until = ? WHERE track_id = ?');
  const forgetHash = client.prepare<[TrackId]>(
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
  const findOtherWith = client
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

  const storedAs = (place: string, { stored, sizeBytes, audioHash }: ReadOk): StoredAudio => ({
    storageUri: stored ? toUri(storage, stored.key) : toFileUri(place),
    contentHash: stored?.sha256 ?? null,
    audioHash,
    sizeBytes,
  });

  /** Another audio, and other tags but for what a person edited. Gives the URI of the audio that it replaced. */
  function refill(id: TrackId, { identity, audio }: Draft, folder: number, keepsIdentity = false): string | undefined {
    const formerUri = findUri.get(id);
    // a copy of our own stays when the same audio turns up in a folder that is only indexed
    const isKept =
      formerUri != null &&
      !isInFolder(formerUri) &&
      isInFolder(audio.storageUri ?? '') &&
      hasAudioHash(id, audio.audioHash);
    if (isKept) setAvailability.run('available', id);
    else tracks.setAudio(id, audio);
    const hadOtherMusic = forgetHash.run(id).changes > 0;
    tracks.setLyrics(id, identity.lyrics ?? null);
    tracks.setChapters(id, identity.chapters ?? null);
    tracks.setMore(id, identity.more ?? null);
    if (!keepsIdentity) tagsUnderEdits(db, id, identity);
    if (tracks.statusOf(id) !== 'manual' && !keepsIdentity) {
      const track = findKnown(id);
      tracks.setIdentity(id, track ? withEditsOf(track.identity, identity) : identity, folder, hadOtherMusic);
      setPending.run(id); // with other tags it is to be identified again
    }
    return !isKept && formerUri != null && formerUri !== audio.storageUri ? formerUri : undefined;
  }

  /** The tags say what they said when they were read last. */
  function saidBefore({ id, identity: now }: KnownTrack, tags: TrackIdentity): boolean {
    const lastRead = withoutMeasured(findUndo(db, id)?.identity ?? now);
    return isSameIdentity({ ...lastRead, lyrics: undefined }, { ...withEditsOf(lastRead, tags), lyrics: undefined });
  }

  function hasFacts(id: TrackId, { durationMs, format, codec, sampleRateHz, channels }: TrackAudio): boolean {
    const facts = findFacts.get(id);
    return facts !== undefined && isSameAudio(facts, { durationMs, format, codec, sampleRateHz, channels });
  }

  /**
   * The music that this track has now becomes a track of its own, whose file is not there, before other music becomes
   * this track. Without the edits, which stay.
   */
  function insertAside(id: TrackId): TrackId | undefined {
    const [known, audio] = [findKnown(id), findAudio.get(id)];
    if (!known || !audio) return undefined;
    const { folder } = known;
    const sourceId = placeBefore(known.sourceId) ?? known.sourceId;
    const identity = identityUnderEdits(db, id) ?? known.identity;
    const aside = tracks.insert({ source, sourceId: overwrittenPlace(NO_TRACK, sourceId), folder, identity, audio });
    setSourceId.run(overwrittenPlace(aside, sourceId), now().getTime(), aside);
    if (isInFolder(audio.storageUri ?? '')) setAvailability.run('missing', aside);
    copyFingerprint.run(aside, id);
    copyPieces.run(aside, id);
    return aside;
  }

  /** Another file has its place. */
  const displace = (id: TrackId, sourceId: string): void =>
    void setSourceId.run(overwrittenPlace(id, sourceId), now().getTime(), id);

  return {
    findNamed: (sourceId: string): TrackId | undefined => findNamed.get(source, sourceId),
    isInPlace: (id: TrackId): boolean => findInPlace.get(id) !== undefined,
    isMissing: (id: TrackId): boolean => hasAvailability.get(id, 'missing') !== undefined,
    lose: (id: TrackId): void => void setAvailability.run('missing', id),
    restore: (id: TrackId): void => void setAvailability.run('available', id),

    displace,
    insertAside,
    /** A track of which nobody did anything. */
    drop: (id: TrackId): void => void removeTrackRow(db, tracks, id),
    storedAs,
    audioHashOf: (id: TrackId): string | null => findAudioHash.get(id) ?? null,
    /** A track with the same audio. */
    findOtherWith: (audioHash: string | null, id: TrackId): TrackId | undefined =>
      hashOf(audioHash) === null ? undefined : findOtherWith.get(audioHash as string, source, id),
    setAudioHash: (id: TrackId, audioHash: string): void => void setAudioHash.run(audioHash, id),

    draftOf({ path, candidate }: ListedFile, read: ReadOk): Draft {
      const sourceId = sourceIdOf(path, candidate.name);
      const audio = toAudio(read.read, storedAs(join(path, candidate.name), read));
      return { sourceId, identity: toIdentity(read.read, sourceId), audio };
    },

    move(id: TrackId, path: string, name: string): void {
      const sourceId = sourceIdOf(path, name);
      const time = now().getTime();
      const holder = findNamed.get(source, sourceId);
      if (holder !== undefined && holder !== id) displace(holder, sourceId);
      setSourceId.run(sourceId, time, id);
      setPlace.run(toFileUri(join(path, name)), time, id);
      tracks.noteAlbumOf(id);
    },

    /**
     * A deleted track whose file changed, or is asked for again, comes back as itself, and so does a hidden one. Other
     * audio in its place is another track.
     */
    insert(draft: Draft, folder: number): { trackId: TrackId; replaced?: string | undefined } {
      const { sourceId, identity, audio } = draft;
      const audioHash = hashOf(audio.audioHash);
      const deleted = trash.findPlace(source, sourceId);
      const isOther = deleted && audioHash !== null && (hashOf(deleted.audioHash) ?? audioHash) !== audioHash;
      const trackId = (isOther ? undefined : deleted?.id) ?? trash.findHidden(source, sourceId, audioHash);
      if (trackId !== undefined) {
        trash.restore(db, trackId, sourceId);
        return { trackId, replaced: refill(trackId, draft, folder) };
      }
      return { trackId: tracks.insert({ source, sourceId, folder, identity, audio }) };
    },

    /** The track has this place now, and what is in it. */
    rename(id: TrackId, draft: Draft, folder: number): { trackId: TrackId; replaced: string | undefined } {
      setSourceId.run(draft.sourceId, now().getTime(), id);
      return { trackId: id, replaced: refill(id, draft, folder) };
    },

    moveDeleted(ids: readonly TrackId[], { path, name, folder }: PlaceOfFile): void {
      const place = { sourceId: sourceIdOf(path, name), uri: toFileUri(join(path, name)), folder, name };
      trash.setPlace(source, ids, place);
    },

    /** The deleted track of that place. */
    findDeleted: (sourceId: string) => trash.findPlace(source, sourceId),
    placeDeleted: trash.moveTo,

    /**
     * Before other music takes its place: its own may come back. Of several, the first counts: gives since when the
     * track has the next one.
     */
    rememberAudio(id: TrackId): Date | undefined {
      const time = now().getTime();
      if (keepHash.run(time, id, NO_HASH).changes > 0) return undefined;
      const until = findFirstUntil.get(id);
      setUntil.run(time, id);
      return until == null ? undefined : new Date(until);
    },
    /** Since when it has another audio than this one that it had before. */
    hasOtherAudioSince(id: TrackId, audioHash: string | null): Date | undefined {
      const until = audioHash === null ? undefined : findUntil.get(id, audioHash);
      return until == null ? undefined : new Date(until);
    },

    setLyrics: (id: TrackId, { read }: ReadOk): void => tracks.setLyrics(id, read.tags.lyrics ?? null),

    refill,

    /**
     * Other tags of audio that was not hashed. What was identified since the tags were read stays if they say the same
     * as then.
     */
    retag(id: TrackId, { identity, audio, ...draft }: Draft, folder: number): string | undefined {
      const track = findKnown(id);
      const hash = audio.audioHash ?? (hasFacts(id, audio) ? findAudioHash.get(id) : null) ?? null;
      const tagged = { ...draft, identity, audio: { ...audio, audioHash: hash } };
      return refill(id, tagged, folder, track !== undefined && saidBefore(track, identity));
    },
  };
}

/** Of no track: a place until the track has an id. */
const NO_TRACK = 0 as TrackId;
const isInFolder = (uri: string): boolean => uri.startsWith(`${FILE_SCHEME}:`);

/** A hash that can be compared. */
const hashOf = (audioHash: string | null): string | null => (audioHash === NO_HASH ? null : audioHash);
