// Numbers as people write them: on the command line, in the environment, in settings.json and in the settings window.

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const BYTES = /^(\d+(?:\.\d+)?) ?(?:([kmgtp])(i)?b?|b|bytes?)?$/i;
const PREFIXES = 'kmgtp';

/** What `bytesFromText` reads, for messages and help. */
export const BYTES_AS_TEXT =
  'a number of bytes, or one with a unit such as 500MB, 1.5g (powers of 1000) or 2GiB (1024)';

/** `12`, `0.5`; undefined for anything else, also for `1e9`, `0x10` and `1,5`. */
export function numberFromText(text: string): number | undefined {
  const trimmed = text.trim();
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined;
}

/** Undefined for a fraction, and for more than a double counts in steps of one. */
export function wholeNumberFromText(text: string): number | undefined {
  const value = numberFromText(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `5` and `5%` are the same. */
export const percentFromText = (text: string): number | undefined => numberFromText(text.trim().replace(/ ?%$/, ''));

/** `192`, `192k` and `192 kbps`: kbit/s. */
export const bitrateFromText = (text: string): number | undefined =>
  wholeNumberFromText(text.trim().replace(/ ?k(?:bps|bit\/s)?$/i, ''));

/**
 * `5GB`, `5 gb`, `1.5g` and `500000000`: k, M, G, T and P are powers of 1000, as disks are sold; Ki, Mi, Gi, Ti and Pi
 * are powers of 1024. A part of a byte is rounded off where there is a prefix, and refused where there is none.
 */
export function bytesFromText(text: string): number | undefined {
  const [, amount, prefix, binary] = BYTES.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  if (prefix === undefined) return wholeNumberFromText(amount);
  const bytes = Math.round(Number(amount) * (binary ? 1024 : 1000) ** (PREFIXES.indexOf(prefix.toLowerCase()) + 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
