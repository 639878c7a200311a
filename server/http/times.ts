// Times in the API: ISO 8601 UTC with milliseconds.
import { z } from 'zod';

export const isoTime = z.iso.datetime({ precision: 3 });
/** The limits of valid times in milliseconds. Within them, every time has a year of four digits in every time zone. */
export const [EARLIEST_MS, LATEST_MS] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 11, 30)] as const;
/** Returns whether a time is valid; false for NaN, too. */
export const isTime = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;
/**
 * Numbers from this one on are milliseconds since 1970: smaller ones would be in 1973 or earlier, and larger numbers of
 * seconds in the year 5138 or later.
 */
const MIN_MS = 1e11;
/** Converts seconds or milliseconds since 1970 to milliseconds. */
export const toUnixMs = (secondsOrMs: number): number =>
  Math.round(secondsOrMs < MIN_MS ? secondsOrMs * 1000 : secondsOrMs);
export const isTimeText = (text: string): boolean => isTime(Date.parse(text));
export const TIME_RANGE_MESSAGE = 'must lie between the years 1970 and 9999';
export const isoTimeIn = z.iso
  .datetime({ offset: true })
  .refine(isTimeText, TIME_RANGE_MESSAGE)
  .transform((text) => new Date(text))
  .meta({ description: 'ISO 8601, from 1970 to 9999' });

export const toIso = (time: Date): string => time.toISOString();
export const toIsoOrNull = (time: Date | null): string | null => time?.toISOString() ?? null;
