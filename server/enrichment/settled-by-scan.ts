// Tracks whose rows say what their files say: those that were scanned or uploaded, and touched by nobody since. Of them
// nothing is to be read again, and where no service may be asked nothing is to be done but to say so, for thousands at
// once.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { withRelaxedCommit } from '../db/relaxed-commit.ts';
import type { KnownTrack } from '../library/track-identity.ts';
import { whyNotIdentified } from './reasons.ts';
import { skipped } from './steps.ts';

/** Others begin with what somebody else called them. */
const READ_FROM_FILES = ['local_folder', 'upload'];

/** A file that changed is the next scan's to notice. */
export const isAsScanned = ({
  status,
  source,
  identity: { provenance = {} },
}: Pick<KnownTrack, 'status' | 'source' | 'identity'>): boolean =>
  status === 'pending' &&
  READ_FROM_FILES.includes(source) &&
  Object.values(provenance).every((origin) => origin === 'path');

const SOURCES = READ_FROM_FILES.map((source) => `'${source}'`).join(', ');
/** What `isAsScanned` is true of, with audio that is here. */
const AS_SCANNED = `metadata_status = 'pending' AND source IN (${SOURCES})
  AND availability = 'available' AND storage_uri IS NOT NULL
  AND (provenance IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(provenance) WHERE value <> 'path'))`;
const IS_NAMED = "(provenance IS NULL OR json_extract(provenance, '$.title') IS NULL)";

export interface Settled {
  id: TrackId;
  error: string | null;
}

export function prepareSettling(db: MainDb) {
  const client = db.$client;
  const settle = client.prepare<unknown[], Settled>(`UPDATE tracks SET
      metadata_status = CASE WHEN ${IS_NAMED} AND artist_id IS NOT NULL THEN 'enriched' ELSE 'failed' END,
      metadata_error = CASE WHEN ${IS_NAMED} THEN CASE WHEN artist_id IS NOT NULL THEN NULL ELSE @noArtist END
      WHEN artist_id IS NOT NULL THEN @noTitle ELSE @nothing END,
      enriched_at = @at, updated_at = @at
    WHERE id > @above AND id <= @upTo AND (@isDetailed = 0 OR recording_mbid IS NULL) AND ${AS_SCANNED}
    RETURNING id, metadata_error AS error`);
  const answer = client.prepare('DELETE FROM enrichment_unanswered WHERE track_id IN (SELECT value FROM json_each(?))');

  const settleWindow = client.transaction((given: Record<string, unknown>): Settled[] => {
    const settled = settle.all(given);
    answer.run(JSON.stringify(settled.map(({ id }) => id)));
    return settled;
  }).immediate;

  /**
   * Gives those with ids in (above, upTo] their status, by their tags alone: `whyOff` says why nothing is heard. What
   * the tags name by an identifier is left out while somebody can be asked about it (`isDetailed`).
   */
  return ({
    above,
    upTo,
    whyOff,
    isDetailed,
    at,
  }: {
    above: number;
    upTo: number;
    whyOff: string;
    isDetailed: boolean;
    at: Date;
  }): Settled[] => {
    const why = (has: { title: boolean; artist: boolean }): string =>
      whyNotIdentified(
        { tags: { outcome: 'done', value: undefined }, fingerprint: skipped(whyOff), lookup: skipped(whyOff) },
        has,
      );
    return withRelaxedCommit(client, () =>
      settleWindow({
        above,
        upTo,
        at: at.getTime(),
        isDetailed: isDetailed ? 1 : 0,
        noArtist: why({ title: true, artist: false }),
        noTitle: why({ title: false, artist: true }),
        nothing: why({ title: false, artist: false }),
      }),
    );
  };
}
