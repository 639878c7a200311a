// Albums and artists without a name: tracks without an album are in the `[Unknown Album]` of their artist, and tracks
// without an artist are in that of `[Unknown Artist]`. These are ordinary rows, shown in the user's language. A track
// without an album has an empty `album_sort`. Each function returns SQL for the row with an alias.
export const UNKNOWN_ARTIST = '[Unknown Artist]';
export const UNKNOWN_ALBUM = '[Unknown Album]';

/** Keys of the unknown names for comparing and sorting. */
export const UNNAMED_KEYS = { artist: UNKNOWN_ARTIST.toLowerCase(), album: UNKNOWN_ALBUM.toLowerCase() };

/** SQL: whether the album has a name. */
export const isNamed = (alias: string): string => `${alias}.title_sort <> '${UNNAMED_KEYS.album}'`;
/** SQL: whether the artist has a name. */
export const isNamedArtist = (alias: string): string => `${alias}.name_key <> '${UNNAMED_KEYS.artist}'`;
/** SQL: whether the album of the track has a name. */
export const inNamedAlbum = (alias: string): string => `${alias}.album_sort <> ''`;
/** SQL: the id of the track's album if it has a name, else NULL. */
export const namedAlbumOf = (alias: string): string => `iif(${alias}.album_sort = '', NULL, ${alias}.album_id)`;
