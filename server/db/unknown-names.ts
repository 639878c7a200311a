// Albums and artists without a name. Tracks without an album are in the album `[Unknown Album]` of their artist, and
// tracks without an artist in that of `[Unknown Artist]`. These are ordinary rows, which pages show in the user's
// language. A track without an album has an empty `album_sort`. Each function returns SQL for the row with an alias.
export const UNKNOWN_ARTIST = '[Unknown Artist]';
export const UNKNOWN_ALBUM = '[Unknown Album]';

/** The unknown names as keys for comparing and sorting. */
export const UNNAMED_KEYS = { artist: UNKNOWN_ARTIST.toLowerCase(), album: UNKNOWN_ALBUM.toLowerCase() };

/** Returns SQL for whether the album has a name. */
export const isNamed = (alias: string): string => `${alias}.title_sort <> '${UNNAMED_KEYS.album}'`;
/** Returns SQL for whether the artist has a name. */
export const isNamedArtist = (alias: string): string => `${alias}.name_key <> '${UNNAMED_KEYS.artist}'`;
/** Returns SQL for whether the track's album has a name. */
export const inNamedAlbum = (alias: string): string => `${alias}.album_sort <> ''`;
/** Returns SQL for the id of the track's album if the album has a name, else NULL. */
export const namedAlbumOf = (alias: string): string => `iif(${alias}.album_sort = '', NULL, ${alias}.album_id)`;
