// Names of people are one name whatever their case, width or form: `Ann`, `ANN` and `ａｎｎ` cannot be three accounts.

/**
 * Upper before lower case, so that letters with two small forms (ς σ, ß ss) meet. Blanks around a name come from phone
 * keyboards.
 */
export const usernameKey = (username: string): string => username.normalize('NFKC').trim().toUpperCase().toLowerCase();
