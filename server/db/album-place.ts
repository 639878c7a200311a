// SQL for the place of a track in its album: by disc, then by number. A track without a number is the last of its disc;
// a track without both is the last of the album. A number without a disc belongs to the first disc. An index of tracks
// has the same text. The text has no commas, because drizzle-kit would cut it there.

/** Returns the SQL for the tracks `alias`, or for the only table of a query. */
export function albumPlace(alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  const [discNumber, trackNumber] = [`${prefix}disc_number`, `${prefix}track_number`];
  const disc = `CASE WHEN ${discNumber} IS NOT NULL THEN ${discNumber} WHEN ${trackNumber} IS NULL THEN 10000
    ELSE 1 END`;
  return `${disc} * 10000 + CASE WHEN ${trackNumber} IS NULL THEN 9999 ELSE ${trackNumber} END`;
}
