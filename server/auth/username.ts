// User names are compared regardless of case, width and Unicode form: `Ann`, `ANN` and `ａｎｎ` are one account.
import skeleton from 'unhomoglyph';

/**
 * Upper case before lower case, so that letters with two lower-case forms (ς σ, ß ss) become equal. Phone keyboards add
 * spaces around a name.
 */
export const usernameKey = (username: string): string => username.normalize('NFKC').trim().toUpperCase().toLowerCase();

/**
 * The same for names that look alike (Unicode TR39): `аdmin` with a Cyrillic а is no second `admin`. To compare, not to
 * show.
 */
export const lookOf = (username: string): string =>
  skeleton(usernameKey(username).normalize('NFD')).normalize('NFD').toLowerCase();
