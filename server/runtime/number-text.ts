// Parses numbers as people write them: on the command line, in the environment, in settings.json and in the settings.

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const BYTES = /^(\d+(?:\.\d+)?) ?(?:([kmgtp])(i)?b?|b|bytes?)?$/i;
const PREFIXES = 'kmgtp';

/** Describes what `bytesFromText` accepts, for messages and help. */
export const BYTES_SYNTAX = 'a number of bytes, or one with a unit such as 500MB, 1.5g (powers of 1000) or 2GiB (1024)';

/** Parses `12` or `0.5`; returns undefined for anything else, including `1e9`, `0x10` and `1,5`. */
export function numberFromText(text: string): number | undefined {
  const trimmedText = text.trim();
  return NUMBER.test(trimmedText) ? Number(trimmedText) : undefined;
}

/** Parses a whole number; returns undefined for a fraction, and for a number above the safe integers. */
export function wholeNumberFromText(text: string): number | undefined {
  const value = numberFromText(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Parses `5` and `5%`, which mean the same. */
export const percentFromText = (text: string): number | undefined => numberFromText(text.trim().replace(/ ?%$/, ''));

/** Parses `192`, `192k` and `192 kbps`; returns kbit/s. */
export const bitrateFromText = (text: string): number | undefined =>
  wholeNumberFromText(text.trim().replace(/ ?k(?:bps|bit\/s)?$/i, ''));

/**
 * Parses `5GB`, `5 gb`, `1.5g` and `500000000`. k, M, G, T and P are powers of 1000, as disks are sold; Ki, Mi, Gi, Ti
 * and Pi are powers of 1024. Fractions of a byte are rounded if there is a prefix, and refused without one.
 */
export function bytesFromText(text: string): number | undefined {
  const [, amount, prefix, binary] = BYTES.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  if (prefix === undefined) return wholeNumberFromText(amount);
  const bytes = Math.round(Number(amount) * (binary ? 1024 : 1000) ** (PREFIXES.indexOf(prefix.toLowerCase()) + 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
