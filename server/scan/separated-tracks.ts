// Tracks that a scan joined because they had the same audio, and that are not the same: one of them had other audio
// before other music lay at its path, and that audio is back. They are two tracks again, each with what people did.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { isDone } from './find-gone.ts';
import { OVERWRITTEN } from '../library/overwritten-place.ts';
import type { Relocation } from '../relocation/service.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

interface SeparatedTracksDeps {
  db: MainDb;
  source: string;
  relocation: Pick<Relocation, 'separate' | 'leaveMergedFile'>;
}

interface Pair {
  id: TrackId;
  kept: TrackId;
}

/** Latest first: a track that took over one file after another gives them back in this order. */
const BY_SCANS = `m.merged_into IS NOT NULL AND m.merge_reason IN ('same_audio', 'same_music')
  AND +m.deleted_by IS NULL ORDER BY m.deleted_at DESC, m.id DESC`;

export type SeparatedTracks = ReturnType<typeof createSeparatedTracks>;

export function createSeparatedTracks({ db, source, relocation }: SeparatedTracksDeps) {
  const client = db.$client;
  const listFormer = client.prepare<[string, string], Pair>(
    `SELECT m.id, m.merged_into AS kept FROM json_each(?) j CROSS JOIN trashed_tracks m ON m.former_audio_hash = j.value
      WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE t.audio_hash = j.value) AND +m.source = ? AND ${BY_SCANS}`,
  );
  const listJoined = client.prepare<[TrackId, string], Pair>(
    `SELECT m.id, m.merged_into AS kept FROM tracks t
      CROSS JOIN trashed_tracks m ON m.merged_into = t.id AND +m.audio_hash = t.audio_hash
      WHERE t.id = ? AND +m.source = ? AND ${BY_SCANS}`,
  );
  const listTaken = client.prepare<[string, string], Pair>(
    `SELECT m.id, m.merged_into AS kept FROM json_each(?) j CROSS JOIN trashed_tracks m ON m.former_audio_hash = j.value
      WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE t.audio_hash = j.value) AND +m.source = ?
        AND m.merged_into IS NOT NULL AND m.merge_reason = 'duplicate'`,
  );
  // it is looked for like any track whose file is gone
  const noteGone = client.prepare<[TrackId, string]>(
    `UPDATE tracks SET source_id = '${OVERWRITTEN}/' || id || '/' || source_id,
        availability = iif(storage_uri LIKE '${FILE_SCHEME}:%', 'missing', availability)
      WHERE id = ? AND source = ? AND NOT source_id GLOB '${OVERWRITTEN}/*'
        AND NOT EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = tracks.id)`,
  );

  const separate = (pairs: Pair[]): TrackId[] =>
    pairs
      .filter((pair) =>
        isDone(
          client.transaction(() => {
            relocation.separate(pair.id);
            for (const id of [pair.id, pair.kept]) noteGone.run(id, source);
          }).immediate,
        ),
      )
      .map(({ id }) => id);

  /** Tracks that took over the file of one that a person merged into them, and whose own audio is back. */
  function leaveMergedFiles(pairs: Pair[]): void {
    for (const { id, kept } of pairs)
      isDone(
        client.transaction(() => {
          relocation.leaveMergedFile(kept, id);
          noteGone.run(kept, source);
        }).immediate,
      );
  }

  return {
    /**
     * Tracks that had this audio and went into another one since. No track has it now. Tracks that had it before they
     * took over the file of a merged one get it back, too, and stay one with that.
     */
    ofFormer(audioHashes: readonly (string | null)[]): TrackId[] {
      const hashes = JSON.stringify(audioHashes);
      leaveMergedFiles(listTaken.all(hashes, source));
      return separate(listFormer.all(hashes, source));
    },
    /** Tracks that went into this one because of the audio that it has. */
    ofCurrent: (id: TrackId): TrackId[] => separate(listJoined.all(id, source)),
  };
}
