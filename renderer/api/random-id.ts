/** An id that nobody else chooses. Not randomUUID, which browsers have over HTTPS only. */
export const randomId = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-');
