// Separates tracks that a scan joined because they had the same audio, although they are different: one of them had
// other audio before other music took its path, and that audio is back. They become two tracks again, each with the
// likes, plays and edits that belong to it.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import { tryOnTracks } from './gone-track-finder.ts';
import { OVERWRITTEN } from '../../library/tracks/overwritten-place.ts';
import type { Relocation } from '../../relocation/service.ts';
import { FILE_SCHEME } from '../../storage/uri.ts';

interface SeparatedTracksDeps {
  db: MainDb;
  source: string;
  relocation: Pick<Relocation, 'separate' | 'leaveMergedFile'>;
}

interface MergedPair {
  id: TrackId;
  keptId: TrackId;
}

/** Merges by scans, latest first: a track that took over one file after another gives them back in this order. */
const MERGED_BY_SCANS = `m.merged_into IS NOT NULL AND m.merge_reason IN ('same_audio', 'same_music')
  AND +m.deleted_by IS NULL ORDER BY m.deleted_at DESC, m.id DESC`;

export type SeparatedTracks = ReturnType<typeof createSeparatedTracks>;

export function createSeparatedTracks({ db, source, relocation }: SeparatedTracksDeps) {
  const client = db.$client;
  const listByFormerAudio = client.prepare<[string, string], MergedPair>(
    `SELECT m.id, m.merged_into AS keptId FROM json_each(?) j
      CROSS JOIN trashed_tracks m ON m.former_audio_hash = j.value
      WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE t.audio_hash = j.value) AND +m.source = ? AND ${MERGED_BY_SCANS}`,
  );
  const listByCurrentAudio = client.prepare<[TrackId, string], MergedPair>(
    `SELECT m.id, m.merged_into AS keptId FROM tracks t
      CROSS JOIN trashed_tracks m ON m.merged_into = t.id AND +m.audio_hash = t.audio_hash
      WHERE t.id = ? AND +m.source = ? AND ${MERGED_BY_SCANS}`,
  );
  const listMergedByFormerAudio = client.prepare<[string, string], MergedPair>(
    `SELECT m.id, m.merged_into AS keptId FROM json_each(?) j
      CROSS JOIN trashed_tracks m ON m.former_audio_hash = j.value
      WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE t.audio_hash = j.value) AND +m.source = ?
        AND m.merged_into IS NOT NULL AND m.merge_reason = 'duplicate'`,
  );
  // without its path, the track is matched like any track whose file is gone
  const setGone = client.prepare<[TrackId, string]>(
    `UPDATE tracks SET source_id = '${OVERWRITTEN}/' || id || '/' || source_id,
        availability = iif(storage_uri LIKE '${FILE_SCHEME}:%', 'missing', availability)
      WHERE id = ? AND source = ? AND NOT source_id GLOB '${OVERWRITTEN}/*'
        AND NOT EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = tracks.id)`,
  );

  const separate = (pairs: MergedPair[]): TrackId[] =>
    pairs
      .filter((pair) =>
        tryOnTracks(
          client.transaction(() => {
            relocation.separate(pair.id);
            for (const id of [pair.id, pair.keptId]) setGone.run(id, source);
          }).immediate,
        ),
      )
      .map(({ id }) => id);

  /** Lets tracks give up the files of tracks that a person merged into them, since their own audio is back. */
  function leaveMergedFiles(pairs: MergedPair[]): void {
    for (const { id, keptId } of pairs)
      tryOnTracks(
        client.transaction(() => {
          relocation.leaveMergedFile(keptId, id);
          setGone.run(keptId, source);
        }).immediate,
      );
  }

  return {
    /**
     * For audio that came back in a file, and that no track has now: undoes the merges of tracks that had this audio
     * before they were merged into another track. A track that only gave the audio up for the file of a merged track
     * gets the audio back, and its merge stands.
     */
    separateByFormerAudio(audioHashes: readonly (string | null)[]): TrackId[] {
      const hashes = JSON.stringify(audioHashes);
      leaveMergedFiles(listMergedByFormerAudio.all(hashes, source));
      return separate(listByFormerAudio.all(hashes, source));
    },
    /** Separates the tracks that were merged into this track because of its current audio. */
    separateByCurrentAudio: (id: TrackId): TrackId[] => separate(listByCurrentAudio.all(id, source)),
  };
}
