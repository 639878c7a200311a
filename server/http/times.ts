// Times in the API: ISO 8601 UTC with milliseconds.
import { z } from 'zod';

export const isoTime = z.iso.datetime({ precision: 3 });
export const toIso = (time: Date): string => time.toISOString();
export const toIsoOrNull = (time: Date | null): string | null => time?.toISOString() ?? null;
