// Tracks saved from the remote catalogue: placeholders without audio, found by the catalogue's id. The id stays with
// the music when tracks are renamed or merged, so that a search always knows which hits are in the library.
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { removeTrackRow } from '../library/tracks/row-removal.ts';
import type { Trash } from '../library/trash/trash.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import { toOneLine } from '../media/text.ts';
import type { CatalogueHit } from '../sources/catalogue.ts';
import { STREAMSRC, type RemoteCatalogue } from '../sources/remote-catalogue.ts';
import { findLatest } from './queries.ts';

export interface SavedTrack {
  trackId: TrackId;
  isNew: boolean;
  /** Whether the track was restored from the trash. */
  isRestored?: boolean;
}

/** The texts of a hit as the caller has them. They are used when this server does not remember the hit. */
export type HitTexts = Pick<CatalogueHit, 'title' | 'artist' | 'album' | 'durationMs' | 'year'>;

interface RemoteTracksDeps {
  db: MainDb;
  tracks: TrackWriter;
  trash: Pick<Trash, 'findPlace' | 'restore' | 'put'>;
  catalogue: Pick<RemoteCatalogue, 'recall'>;
  onSaved: (id: TrackId) => void;
  onSaveUndone: () => void;
}

/** The values of the audio columns of a track without audio. */
export const NO_AUDIO = {
  sizeBytes: null,
  format: null,
  codec: null,
  bitrateKbps: null,
  sampleRateHz: null,
  bitDepth: null,
  channels: null,
  encoderDelay: null,
  encoderPadding: null,
  trackGainDb: null,
  trackPeak: null,
  albumGainDb: null,
  albumPeak: null,
  hasPicture: false,
  storageUri: null,
  contentHash: null,
  audioHash: null,
  availability: 'remote',
  sectionStart: null,
  sectionEnd: null,
} as const;
const MAX_NAME_CHARS = 300;

export type RemoteTracks = ReturnType<typeof createRemoteTracks>;

export function createRemoteTracks({ db, tracks, trash, catalogue, onSaved, onSaveUndone }: RemoteTracksDeps) {
  const client = db.$client;
  const findByRemoteId = client.prepare<[string, string], { trackId: TrackId }>(
    'SELECT track_id AS trackId FROM remote_ids WHERE source = ? AND source_id = ?',
  );
  const insertId = client.prepare('INSERT INTO remote_ids (source, source_id, track_id, page_url) VALUES (?, ?, ?, ?)');
  const setCoverUrl = client.prepare('UPDATE tracks SET cover_url = ? WHERE id = ?');

  /**
   * Inserts the placeholder in a transaction: when many users save the same hit at the same time, the unique id ensures
   * that only one row is inserted.
   */
  const insertOnce = client.transaction(
    (userId: UserId, sourceId: string, hit: HitTexts & Partial<CatalogueHit>): SavedTrack => {
      const existingTrack = findByRemoteId.get(STREAMSRC, sourceId);
      if (existingTrack) return { trackId: existingTrack.trackId, isNew: false };
      const trashedId = trash.findPlace(STREAMSRC, sourceId)?.id;
      if (trashedId !== undefined) {
        trash.restore(db, trashedId);
        return { trackId: trashedId, isNew: true, isRestored: true };
      }
      const trackId = tracks.insert({
        source: STREAMSRC,
        sourceId,
        uploadedBy: userId,
        identity: toIdentity(hit),
        audio: { ...NO_AUDIO, durationMs: hit.durationMs ?? null },
      });
      insertId.run(STREAMSRC, sourceId, trackId, hit.pageUrl ?? null);
      if (hit.coverUrl !== undefined) setCoverUrl.run(hit.coverUrl, trackId);
      const withProvider = (id: string | undefined): string | undefined =>
        id === undefined ? undefined : `${sourceId.slice(0, sourceId.indexOf(':'))}:${id}`;
      tracks.setRemoteIds(trackId, STREAMSRC, { album: withProvider(hit.albumId), artist: withProvider(hit.artistId) });
      tracks.applyUsualSpellings();
      return { trackId, isNew: true };
    },
  );

  return {
    find: (sourceId: string): TrackId | undefined => findByRemoteId.get(STREAMSRC, sourceId)?.trackId,

    /**
     * Inserts the placeholder, or returns the existing track. For an id that the catalogue does not know, and for any
     * id while the catalogue is off, a placeholder is inserted, too, but its audio cannot be fetched.
     */
    save(userId: UserId, sourceId: string, names: HitTexts): SavedTrack {
      const existingTrack = findByRemoteId.get(STREAMSRC, sourceId);
      if (existingTrack) return { trackId: existingTrack.trackId, isNew: false };
      const savedTrack = insertOnce.immediate(userId, sourceId, catalogue.recall(sourceId) ?? names);
      if (savedTrack.isNew) onSaved(savedTrack.trackId);
      return savedTrack;
    },

    /** Undoes `save`: removes the placeholder, or puts a restored track into the trash. */
    undoSave(userId: UserId, { trackId, isNew, isRestored }: SavedTrack): void {
      if (!isNew) return;
      db.transaction(
        (tx) => {
          if (findLatest(tx, trackId)) return; // another request for this track was accepted after the save
          if (isRestored === true) trash.put(tx, userId, trackId);
          else removeTrackRow(tx, tracks, trackId);
        },
        { behavior: 'immediate' },
      );
      onSaveUndone();
    },
  };
}

/** Moves ids of the catalogue and downloads to the remaining track when tracks are merged. */
export function createRemoteMerge({ db }: { db: MainDb }): TrackMergePart {
  const moveIds = db.$client.prepare('UPDATE remote_ids SET track_id = ? WHERE track_id = ?');
  const moveDownloads = db.$client.prepare('UPDATE OR IGNORE downloads SET track_id = ? WHERE track_id = ?');
  return {
    move(fromId, toId) {
      moveIds.run(toId, fromId);
      moveDownloads.run(toId, fromId);
    },
    rows: [
      { table: 'remote_ids', column: 'track_id' },
      { table: 'downloads', column: 'track_id' },
    ],
  };
}

const toIdentity = ({ title, artist, album, year, trackNumber }: HitTexts & Partial<CatalogueHit>): TrackIdentity => ({
  title: toOneLine(title, MAX_NAME_CHARS) || 'Untitled',
  artists: artist === undefined ? [] : [toOneLine(artist, MAX_NAME_CHARS)],
  album: album === undefined ? undefined : toOneLine(album, MAX_NAME_CHARS),
  genres: [],
  year,
  trackNumber,
});
