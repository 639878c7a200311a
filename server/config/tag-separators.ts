// Separators of several values in one tag, as they are by default. Blanks belong to them: ` / ` splits `A / B`, but not
// `AC/DC`.

export const GENRE_SEPARATORS = [';', ' / ', '\\\\'];
export const MOOD_SEPARATORS = [...GENRE_SEPARATORS, ','];
/** For artists: separators that names of bands do not contain. */
export const ARTIST_SEPARATORS = [';', ' / ', '\\\\'];
/** For composers, conductors and other people who are no artists. */
export const CREDIT_SEPARATORS = GENRE_SEPARATORS;
/** For tags that a person named; slashes and commas belong to their values. */
export const CUSTOM_TAG_SEPARATORS = [';', '\\\\'];
