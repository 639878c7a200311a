// What has no name: tracks without an album are in the `[Unknown Album]` of their artist, and those without an artist
// in that of `[Unknown Artist]`. These are rows like others, shown in the language of the person. Such a track has an
// empty `album_sort`. Each function gives SQL; `alias` is that of the row.
export const UNKNOWN_ARTIST = '[Unknown Artist]';
export const UNKNOWN_ALBUM = '[Unknown Album]';

/** Both as they are compared and sorted. */
export const UNNAMED_KEYS = { artist: UNKNOWN_ARTIST.toLowerCase(), album: UNKNOWN_ALBUM.toLowerCase() };

/** The album has a name. */
export const isNamed = (alias: string): string => `${alias}.title_sort <> '${UNNAMED_KEYS.album}'`;
/** The artist has a name. */
export const isNamedArtist = (alias: string): string => `${alias}.name_key <> '${UNNAMED_KEYS.artist}'`;
/** The album of the track has a name. */
export const inNamedAlbum = (alias: string): string => `${alias}.album_sort <> ''`;
/** The id of the track's album, if that has a name. */
export const namedAlbumOf = (alias: string): string => `iif(${alias}.album_sort = '', NULL, ${alias}.album_id)`;
