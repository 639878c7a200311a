// Tracks whose rows still have the tags of their files: they were scanned or uploaded, and have not been changed since.
// Their files need not be read again. If no service can be asked, one statement sets the status of thousands of such
// tracks.
import { type MainDb, withRelaxedCommit } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import type { TrackWithIdentity } from '../library/tracks/track-identity.ts';
import { whyNotIdentified } from './reasons.ts';
import { skipped } from './steps.ts';

/**
 * Sources whose tracks start with the tags of their files. Tracks of other sources start with metadata from the source.
 */
const FILE_SOURCES = ['local_folder', 'upload'];

/**
 * Returns whether the row of a track still has the tags of its file. If the file has changed since, the next scan will
 * read it.
 */
export const isAsScanned = ({
  status,
  source,
  identity: { provenance = {} },
}: Pick<TrackWithIdentity, 'status' | 'source' | 'identity'>): boolean =>
  status === 'pending' &&
  FILE_SOURCES.includes(source) &&
  Object.values(provenance).every((origin) => origin === 'path' || origin === 'charset' || origin === 'measured');

const FILE_SOURCES_SQL = FILE_SOURCES.map((source) => `'${source}'`).join(', ');
/** The condition of `isAsScanned` in SQL, for tracks with audio. */
const IS_AS_SCANNED_SQL = `metadata_status = 'pending' AND source IN (${FILE_SOURCES_SQL})
  AND availability = 'available' AND storage_uri IS NOT NULL
  AND (provenance IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(provenance)
    WHERE value NOT IN ('path', 'charset', 'measured')))`;
const HAS_TITLE_SQL = "(provenance IS NULL OR json_extract(provenance, '$.title') IS NOT 'path')";

export type Settled = RowAs<typeof tracks, 'id'> & { error: string | null };

export function prepareSettling(db: MainDb) {
  const client = db.$client;
  const settle = client.prepare<unknown[], Settled>(`UPDATE tracks SET
      metadata_status = CASE WHEN ${HAS_TITLE_SQL} AND artist_id IS NOT NULL THEN 'enriched' ELSE 'failed' END,
      metadata_error = CASE WHEN ${HAS_TITLE_SQL} THEN CASE WHEN artist_id IS NOT NULL THEN NULL ELSE @noArtist END
      WHEN artist_id IS NOT NULL THEN @noTitle ELSE @nothing END,
      enriched_at = @at, updated_at = @at
    WHERE id > @afterId AND id <= @upToId AND (@isDetailed = 0 OR recording_mbid IS NULL) AND ${IS_AS_SCANNED_SQL}
    RETURNING id, metadata_error AS error`);
  const deleteUnanswered = client.prepare(
    'DELETE FROM enrichment_unanswered WHERE track_id IN (SELECT value FROM json_each(?))',
  );

  const settleWindow = client.transaction((params: Record<string, unknown>): Settled[] => {
    const settledTracks = settle.all(params);
    deleteUnanswered.run(JSON.stringify(settledTracks.map(({ id }) => id)));
    return settledTracks;
  }).immediate;

  /**
   * Sets the status of tracks by their tags alone, for ids above `afterId` up to `upToId`. `whyOff` says why
   * fingerprint lookups are off. If MusicBrainz can be asked (`isDetailed`), tracks with a recording mbid are left out.
   */
  return ({
    afterId,
    upToId,
    whyOff,
    isDetailed,
    at,
  }: {
    afterId: number;
    upToId: number;
    whyOff: string;
    isDetailed: boolean;
    at: Date;
  }): Settled[] => {
    const reasonFor = (namedFields: { title: boolean; artist: boolean }): string =>
      whyNotIdentified(
        { tags: { outcome: 'done', value: undefined }, fingerprint: skipped(whyOff), lookup: skipped(whyOff) },
        namedFields,
      );
    return withRelaxedCommit(client, () =>
      settleWindow({
        afterId,
        upToId,
        at: at.getTime(),
        isDetailed: isDetailed ? 1 : 0,
        noArtist: reasonFor({ title: true, artist: false }),
        noTitle: reasonFor({ title: false, artist: true }),
        nothing: reasonFor({ title: false, artist: false }),
      }),
    );
  };
}
