// Writes what the analysis measured into the rows of tracks. Tags win: tempo, key and energy are filled in only where
// there are none, ReplayGain has columns of its own.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, TrackId } from '../../db/ids.ts';
import { foldedText } from './sort-and-identity-keys.ts';

export interface Measured {
  gainDb: number | null;
  peak: number | null;
  bpm: number | null;
  key: string | null;
  energy: number | null;
}

export type MeasuredWriter = ReturnType<typeof createMeasuredWriter>;

/** Returns SQL that sets a column if it is empty or was measured before, and was not cleared by hand. */
const setIfFillable = (column: string, field: string, value: string): string =>
  `${column} = iif(${isFillable(column, field)}, @${value}, ${column})`;
const isFillable = (column: string, field: string): string =>
  `(${column} IS NULL AND provenance ->> '$.${field}' IS NOT 'manual' OR provenance ->> '$.${field}' IS 'measured')`;
const FIELDS = [
  { column: 'bpm', field: 'bpm', value: 'bpm' },
  { column: 'initial_key', field: 'initialKey', value: 'key' },
  { column: 'energy', field: 'energy', value: 'energy' },
];
/** SQL for the new origins: `json_patch` removes fields that are null, and keeps the rest. */
const NEW_PROVENANCE = `nullif(json_patch(coalesce(provenance, '{}'), json_object(${FIELDS.map(
  ({ column, field, value }) =>
    `'${field}', iif(${isFillable(column, field)}, iif(@${value} IS NULL, NULL, 'measured'),
      provenance ->> '$.${field}')`,
).join(', ')})), '{}')`;

export function createMeasuredWriter(client: Sqlite) {
  const setMeasured = client.prepare<Measured & { id: TrackId; keySort: string | null }>(
    `UPDATE tracks SET measured_gain_db = @gainDb, measured_peak = @peak,
      ${FIELDS.map(({ column, field, value }) => setIfFillable(column, field, value)).join(', ')},
      initial_key_sort = iif(${isFillable('initial_key', 'initialKey')}, @keySort, initial_key_sort),
      provenance = ${NEW_PROVENANCE} WHERE id = @id`,
  );
  const setAlbum = client.prepare(
    'UPDATE tracks SET measured_album_gain_db = ?, measured_album_peak = ? WHERE album_id = ?',
  );
  const listMeasured = client
    .prepare<{ above: number; upTo: number }, TrackId>(
      `SELECT id FROM tracks WHERE id > @above AND id <= @upTo AND (measured_peak IS NOT NULL
        OR measured_album_peak IS NOT NULL OR provenance LIKE '%"measured"%')`,
    )
    .pluck();
  const forgetAlbum = client.prepare(
    'UPDATE tracks SET measured_album_gain_db = NULL, measured_album_peak = NULL WHERE id = ?',
  );

  return {
    set: (id: TrackId, values: Measured): void =>
      void setMeasured.run({ ...values, id, keySort: foldedText(values.key ?? undefined) }),
    setAlbum: (id: AlbumId, gainDb: number | null, peak: number | null): void => void setAlbum.run(gainDb, peak, id),
    /** Removes all measured values from the tracks with ids in this range. */
    forget(afterId: number, lastId: number): void {
      for (const id of listMeasured.all({ above: afterId, upTo: lastId })) {
        setMeasured.run({ id, gainDb: null, peak: null, bpm: null, key: null, energy: null, keySort: null });
        forgetAlbum.run(id);
      }
    },
  };
}
