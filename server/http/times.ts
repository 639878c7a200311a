// Times in the API: ISO 8601 UTC with milliseconds.
import { z } from 'zod';

export const isoTime = z.iso.datetime({ precision: 3 });
/** Those that people may ask for: what is answered still has a year of four digits then, in every time zone. */
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 11, 30)];
export const isAskable = (text: string): boolean => Date.parse(text) >= EARLIEST && Date.parse(text) <= LATEST;
export const ASKABLE = 'must lie between the years 1970 and 9999';

export const toIso = (time: Date): string => time.toISOString();
export const toIsoOrNull = (time: Date | null): string | null => time?.toISOString() ?? null;
