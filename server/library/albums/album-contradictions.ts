// Finds the files of an album whose tags name another release, edition or year than most of its files do. The majority
// decides what the album is: contradicting tags do not divide a folder.
import type { AlbumId, TrackId } from '../../db/ids.ts';
import { mostFrequent } from './releases.ts';
import type { Statements } from '../lists/statement-cache.ts';
import { HAS_OWN_EDITION, IS_RELEASE_OF_FILE } from '../lists/track-rows.ts';

export const RELEASE_FIELDS = ['release_mbid', 'edition', 'year'] as const;
type ReleaseField = (typeof RELEASE_FIELDS)[number];

interface Row extends Record<ReleaseField, string | number | null> {
  id: TrackId;
  title: string;
  sourceId: string;
}

export interface Contradiction {
  id: TrackId;
  title: string;
  sourceId: string;
  field: ReleaseField;
  value: string | number;
  /** The value that most files of the album have. */
  usual: string | number;
}

const LIST = `SELECT t.id, t.title, t.source_id AS sourceId, iif(a.is_compilation, NULL, t.year) AS year,
    iif(${IS_RELEASE_OF_FILE}, m.tags ->> '$.releaseMbid', NULL) AS release_mbid,
    iif(${HAS_OWN_EDITION}, m.tags ->> '$.edition[0]', NULL) AS edition
  FROM albums a CROSS JOIN tracks t ON t.album_id = a.id AND t.album_sort <> ''
    LEFT JOIN more_tags m ON m.track_id = t.id
  WHERE a.id = +@id ORDER BY t.source_id`;

const rowsOf = (statements: Statements, id: AlbumId): Row[] => statements.rows<Row>(LIST, { id });

const usualOf = (rows: readonly Row[], field: ReleaseField): string | number | undefined =>
  mostFrequent(rows.map((row) => row[field] ?? undefined));

/** Returns the release mbid that most files of the album name. */
export const findUsualRelease = (statements: Statements, id: AlbumId): string | null =>
  (usualOf(rowsOf(statements, id), 'release_mbid') as string | undefined) ?? null;

export function contradictionsIn(statements: Statements, id: AlbumId): Contradiction[] {
  const rows = rowsOf(statements, id);
  return RELEASE_FIELDS.flatMap((field) => {
    const usualValue = usualOf(rows, field);
    return usualValue === undefined
      ? []
      : rows.flatMap((row) => {
          const value = row[field];
          if (value === null || value === usualValue) return [];
          return [{ id: row.id, title: row.title, sourceId: row.sourceId, field, value, usual: usualValue }];
        });
  });
}
