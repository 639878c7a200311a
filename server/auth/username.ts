// User names are compared regardless of case, width and Unicode form: `Ann`, `ANN` and `ａｎｎ` are one account.

/**
 * Upper case before lower case, so that letters with two lower-case forms (ς σ, ß ss) become equal. Phone keyboards add
 * spaces around a name.
 */
export const usernameKey = (username: string): string => username.normalize('NFKC').trim().toUpperCase().toLowerCase();
