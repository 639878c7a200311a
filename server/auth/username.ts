// User names are compared regardless of case, width and Unicode form: `Ann`, `ANN` and `ａｎｎ` are one account.

/**
 * Returns the form of a name by which names are compared. It converts to upper case before lower case, so that letters
 * with two lower-case forms (ς σ, ß ss) become equal. Phone keyboards add spaces around a name, and pages show several
 * spaces in it as one.
 */
export const usernameKey = (username: string): string =>
  username.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toUpperCase().toLowerCase();
