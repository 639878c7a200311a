// Where a track stands in its album, as SQL: by disc, then by number. A track without a number is the last of its disc;
// one without both is the last of the album. A number without a disc is of the first one. An index of tracks has the
// same text. It has no commas, at which drizzle-kit would
// cut it.

/** Of the tracks `alias`; of the only table of a query without one. */
export function albumPlace(alias?: string): string {
  const of = alias === undefined ? '' : `${alias}.`;
  const disc = `CASE WHEN ${of}disc_number IS NOT NULL THEN ${of}disc_number WHEN ${of}track_number IS NULL THEN 10000
    ELSE 1 END`;
  return `${disc} * 10000 + CASE WHEN ${of}track_number IS NULL THEN 9999 ELSE ${of}track_number END`;
}
