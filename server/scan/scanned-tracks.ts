// What a scan changes of tracks: where the file is, whether it is there, and what is in it.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { NO_HASH } from '../files/read-file.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { toAudio, toIdentity, type StoredAudio } from '../files/track-draft.ts';
import { withEditsOf } from '../library/identity-changes.ts';
import { prepareKnownTracks } from '../library/track-identity.ts';
import type { TrackAudio, TrackIdentity } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Trash } from '../library/trash.ts';
import type { Storage } from '../storage/storage.ts';
import { FILE_SCHEME, toFileUri, toUri } from '../storage/uri.ts';
import type { ListedFile } from './compare-folder.ts';
import type { ReadOk } from './decide.ts';

/** First part of the source ids of tracks whose files were overwritten. */
export const OVERWRITTEN = '.overwritten';

export interface ScannedTracksDeps {
  db: MainDb;
  tracks: TrackWriter;
  trash: Pick<Trash, 'findPlace' | 'findHidden' | 'restore' | 'setPlace' | 'moveTo'>;
  storage: Pick<Storage, 'backend'>;
  source: string;
  now: () => Date;
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
  const keepHash = client.prepare<[TrackId, string]>(
    `INSERT OR IGNORE INTO former_audio (track_id, audio_hash)
      SELECT id, audio_hash FROM tracks WHERE id = ? AND audio_hash <> ?`,
  );
  const forgetHash = client.prepare<[TrackId]>(
    `DELETE FROM former_audio WHERE track_id = ?
      AND audio_hash = (SELECT audio_hash FROM tracks WHERE id = former_audio.track_id)`,
  );
  const setPending = client.prepare<[TrackId]>(
    "UPDATE tracks SET metadata_status = 'pending', metadata_error = NULL WHERE id = ?",
  );

  const findAudioHash = client.prepare<[TrackId], string | null>('SELECT audio_hash FROM tracks WHERE id = ?').pluck();
  const setAudioHash = client.prepare<[string, TrackId]>('UPDATE tracks SET audio_hash = ? WHERE id = ?');

  const storedAs = (place: string, { stored, sizeBytes, audioHash }: ReadOk): StoredAudio => ({
    storageUri: stored ? toUri(storage, stored.key) : toFileUri(place),
    contentHash: stored?.sha256 ?? null,
    audioHash,
    sizeBytes,
  });

  /**
   * Another file has its place. The name below a hidden folder is that of no file, since such folders are not scanned,
   * and tells what was overwritten.
   */
  const displace = (id: TrackId, sourceId: string): void =>
    void setSourceId.run(`${OVERWRITTEN}/${id}/${sourceId}`, now().getTime(), id);

  return {
    findNamed: (sourceId: string): TrackId | undefined => findNamed.get(source, sourceId),
    isInPlace: (id: TrackId): boolean => findInPlace.get(id) !== undefined,
    isMissing: (id: TrackId): boolean => hasAvailability.get(id, 'missing') !== undefined,
    lose: (id: TrackId): void => void setAvailability.run('missing', id),
    restore: (id: TrackId): void => void setAvailability.run('available', id),

    displace,
    storedAs,
    audioHashOf: (id: TrackId): string | null => findAudioHash.get(id) ?? null,
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
    },

    /** A deleted track whose file changed, or is asked for again, comes back as itself, and so does a hidden one. */
    insert(draft: Draft, folder: number): { trackId: TrackId; replaced?: string | undefined } {
      const { sourceId, identity, audio } = draft;
      const audioHash = audio.audioHash === NO_HASH ? null : audio.audioHash;
      const before = trash.findPlace(source, sourceId)?.id ?? trash.findHidden(source, sourceId, audioHash);
      if (before !== undefined) {
        trash.restore(db, before, sourceId);
        return { trackId: before, replaced: this.refill(before, draft, folder) };
      }
      return { trackId: tracks.insert({ source, sourceId, folder, identity, audio }) };
    },

    /** The track has this place now, and what is in it. */
    rename(id: TrackId, draft: Draft, folder: number): { trackId: TrackId; replaced: string | undefined } {
      setSourceId.run(draft.sourceId, now().getTime(), id);
      return { trackId: id, replaced: this.refill(id, draft, folder) };
    },

    moveDeleted: (from: { path: string; name: string }, path: string, name: string): void =>
      trash.setPlace(source, sourceIdOf(from.path, from.name), sourceIdOf(path, name)),

    /** The deleted track of that place. */
    findDeleted: (sourceId: string) => trash.findPlace(source, sourceId),
    placeDeleted: trash.moveTo,

    /** Before other music takes its place: its own may come back. Of several, the first counts. */
    rememberAudio: (id: TrackId): void => void keepHash.run(id, NO_HASH),

    setLyrics: (id: TrackId, { read }: ReadOk): void => tracks.setLyrics(id, read.tags.lyrics ?? null),

    /** Another audio, and other tags but for what a person edited. Gives the URI of the audio that it replaced. */
    refill(id: TrackId, { identity, audio }: Draft, folder: number): string | undefined {
      const before = findUri.get(id);
      tracks.setAudio(id, audio);
      forgetHash.run(id);
      tracks.setLyrics(id, identity.lyrics ?? null);
      tracks.setChapters(id, identity.chapters ?? null);
      tracks.setMore(id, identity.more ?? null);
      if (tracks.statusOf(id) !== 'manual') {
        const known = findKnown(id);
        tracks.setIdentity(id, known ? withEditsOf(known.identity, identity) : identity, folder);
        setPending.run(id); // with other tags it is to be identified again
      }
      return before != null && before !== audio.storageUri ? before : undefined;
    },
  };
}
