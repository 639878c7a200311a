/** Returns a unique id. Browsers have randomUUID over HTTPS only. */
export const randomId = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-');
