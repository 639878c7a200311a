// Tracks saved from the remote catalogue: placeholders without audio, found by the catalogue's id. The id stays with
// the music when tracks are renamed or merged, so that a search always knows what is here.
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

export interface Saved {
  trackId: TrackId;
  isNew: boolean;
  /** The track was restored from the trash. */
  isRestored?: boolean;
}

/** A hit as the caller describes it; used when this server does not remember the hit. */
export type HitNames = Pick<CatalogueHit, 'title' | 'artist' | 'album' | 'durationMs' | 'year'>;

interface RemoteTracksDeps {
  db: MainDb;
  tracks: TrackWriter;
  trash: Pick<Trash, 'findPlace' | 'restore' | 'put'>;
  catalogue: Pick<RemoteCatalogue, 'recall'>;
  onSaved: (id: TrackId) => void;
  onTakenBack: () => void;
}

/** A track whose audio is not here. */
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
const LONGEST_NAME = 300;

export type RemoteTracks = ReturnType<typeof createRemoteTracks>;

export function createRemoteTracks({ db, tracks, trash, catalogue, onSaved, onTakenBack }: RemoteTracksDeps) {
  const client = db.$client;
  const find = client.prepare<[string, string], { trackId: TrackId }>(
    'SELECT track_id AS trackId FROM remote_ids WHERE source = ? AND source_id = ?',
  );
  const insertId = client.prepare('INSERT INTO remote_ids (source, source_id, track_id, page_url) VALUES (?, ?, ?, ?)');
  const setCoverUrl = client.prepare('UPDATE tracks SET cover_url = ? WHERE id = ?');

  /** In a transaction: when many save the same hit at once, the unique id lets one insert the row. */
  const insertOnce = client.transaction(
    (userId: UserId, sourceId: string, hit: HitNames & Partial<CatalogueHit>): Saved => {
      const known = find.get(STREAMSRC, sourceId);
      if (known) return { trackId: known.trackId, isNew: false };
      const deleted = trash.findPlace(STREAMSRC, sourceId)?.id;
      if (deleted !== undefined) {
        trash.restore(db, deleted);
        return { trackId: deleted, isNew: true, isRestored: true };
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
    find: (sourceId: string): TrackId | undefined => find.get(STREAMSRC, sourceId)?.trackId,

    /**
     * Inserts the placeholder, or gives the track that is there. An id that the catalogue does not know makes one too,
     * which cannot be fetched; and so does any while the catalogue is off.
     */
    save(userId: UserId, sourceId: string, names: HitNames): Saved {
      const known = find.get(STREAMSRC, sourceId);
      if (known) return { trackId: known.trackId, isNew: false };
      const saved = insertOnce.immediate(userId, sourceId, catalogue.recall(sourceId) ?? names);
      if (saved.isNew) onSaved(saved.trackId);
      return saved;
    },

    /** Undoes `save`: removes the placeholder, or puts a restored track into the trash. */
    takeBack(userId: UserId, { trackId, isNew, isRestored }: Saved): void {
      if (!isNew) return;
      db.transaction(
        (tx) => {
          if (findLatest(tx, trackId)) return; // somebody else's request for this track was accepted meanwhile
          if (isRestored === true) trash.put(tx, userId, trackId);
          else removeTrackRow(tx, tracks, trackId);
        },
        { behavior: 'immediate' },
      );
      onTakenBack();
    },
  };
}

/** Ids of the catalogue, and downloads, move with the music. */
export function createRemoteMerge({ db }: { db: MainDb }): TrackMergePart {
  const moveIds = db.$client.prepare('UPDATE remote_ids SET track_id = ? WHERE track_id = ?');
  const moveDownloads = db.$client.prepare('UPDATE OR IGNORE downloads SET track_id = ? WHERE track_id = ?');
  return {
    move(from, to) {
      moveIds.run(to, from);
      moveDownloads.run(to, from);
    },
    rows: [
      { table: 'remote_ids', column: 'track_id' },
      { table: 'downloads', column: 'track_id' },
    ],
  };
}

const toIdentity = ({ title, artist, album, year, trackNumber }: HitNames & Partial<CatalogueHit>): TrackIdentity => ({
  title: toOneLine(title, LONGEST_NAME) || 'Untitled',
  artists: artist === undefined ? [] : [toOneLine(artist, LONGEST_NAME)],
  album: album === undefined ? undefined : toOneLine(album, LONGEST_NAME),
  genres: [],
  year,
  trackNumber,
});
