// Parses tag text: numbers, dates, gains, identifiers. Pure functions. Invalid text (`A1`, `0/0`, `19xx`, 20 digits)
// gives undefined.
import { trimmed } from './text.ts';

/** Highest valid track number, disc number or total. */
const MAX_POSITION = 9999;

/** Parses an integer from 1 to 9999. */
export function parsePosition(text: string): number | undefined {
  const digits = trimmed(text);
  if (digits.length === 0 || digits.length > 8) return undefined;
  let value = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value >= 1 && value <= MAX_POSITION ? value : undefined;
}

const POSITION_IN_WORDS =
  /^(?:dis[ck]|cd|track|no\.?|nr\.?|#)?\s{0,3}(\d{1,4})(?:\s{0,3}(?:of|von|de|di|av)\s{1,3}(\d{1,4}))?$/i;

/** Parses `3/12`, `3`, `03 / 12`, `/12`, `disc 1 of 2`. */
export function parsePositionOf(text: string): { number: number | undefined; total: number | undefined } {
  const slash = text.indexOf('/');
  if (slash >= 0) return { number: parsePosition(text.slice(0, slash)), total: parsePosition(text.slice(slash + 1)) };
  const [, number = '', total = ''] = POSITION_IN_WORDS.exec(trimmed(text)) ?? [];
  return { number: parsePosition(number), total: parsePosition(total) };
}

/** Parses side and number of a record's track: `A1`, `b 2`; `C` is the only track of its side, `I` a Roman number. */
export function parseVinylPosition(text: string): { side: string; number: number } | undefined {
  const [, sideLetter, digits = '1', loneSide] = /^(?:([a-z])[ .-]?(\d{1,2})|([a-h]))$/i.exec(trimmed(text)) ?? [];
  const side = sideLetter ?? loneSide;
  const number = parsePosition(digits);
  return side === undefined || number === undefined ? undefined : { side: side.toUpperCase(), number };
}

/** Converts `01:02:03.456` to ms. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes, seconds, fraction = ''] =
    /^(\d{1,3}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?$/.exec(trimmed(text)) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const wholeSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return wholeSeconds * 1_000 + Math.round(Number(`0.${fraction || 0}`) * 1_000);
}

interface TagDate {
  year: number;
  date?: string;
}

const DATE = /^(\d{4})(?:[-/.:_ ](\d{1,2})(?:[-/.:_ ](\d{1,2}))?)?(?![\d])/;
/** Matches Chinese, Japanese and Korean dates: `1995年10月3日`, `1995년 10월`. */
const CJK_DATE = /^(\d{4}) ?[年년](?: ?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日일])?)?/;
const COMPACT_DATE = /^(\d{4})(\d\d)(\d\d)$/;
/** Matches a year that is uncertain or marked: `c. 1985`, `[1985?]`, `℗ 1985`, `(P)1985`. */
const MARKED_YEAR = /^(?:\(?[pc]\)|[^\w\d]{0,3}(?:ca?|circa|around|about|um|vers|approx)?\.?)\s?(\d{4})\W{0,3}$/iu;
const DATE_WITH_LAST_YEAR = /^(?:\d{1,2}[-/.])?\d{1,2}[-/.](\d{4})$/;

/**
 * Parses `2003`, `2003-05`, `2003-05-12`, `2003-05-12T10:00:00Z`, `2003/05/12`, `20030512`, and dates in words. For
 * `12.05.2003` and `05/2003` only the year is read, since day and month are ambiguous. `date` is present only if month
 * and day are valid.
 */
export function parseDate(text: string): TagDate | undefined {
  const dateText = trimmed(text);
  if (dateText.length > 40) return undefined;
  if (dateText.length === 4) return yearOnly(dateText);
  const cjkMatch = CJK_DATE.exec(dateText);
  const match = cjkMatch ?? COMPACT_DATE.exec(dateText) ?? DATE.exec(dateText);
  if (!match) {
    const yearMatch = DATE_WITH_LAST_YEAR.exec(dateText) ?? MARKED_YEAR.exec(dateText);
    return yearMatch ? yearOnly(yearMatch[1] as string) : parseDateInWords(dateText);
  }
  const base = yearOnly(match[1] as string);
  if (!base || match[2] === undefined) return base;
  if (!cjkMatch && !/^(?:$|[^\w]|T)/.test(dateText.slice(match[0].length))) return base;
  return withDay(base.year, Number(match[2]), match[3] === undefined ? undefined : Number(match[3]));
}

const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const SEPARATE_YEAR = /(?<![\d.,:-])[12]\d{3}(?![\d.,:-]\d|\d)/g;
const SEPARATE_DAY = /(?<![\d:])\d{1,2}(?![\d:])/;

/**
 * Parses `Oct 3, 1995`, `3. Oktober 1995`, `Tue Oct 03 12:00:00 1995`, which need the name of a month and a single
 * year.
 */
function parseDateInWords(text: string): TagDate | undefined {
  const words = text.toLowerCase().match(WORD);
  const years = text.match(SEPARATE_YEAR);
  if (!words || years?.length !== 1) return undefined;
  const year = Number(years[0]);
  const month = words.map((word) => monthOf(word)).find((monthNumber) => monthNumber !== undefined);
  if (month === undefined) return undefined;
  const day = SEPARATE_DAY.exec(text.replace(String(year), ' '))?.[0];
  return withDay(year, month, day === undefined ? undefined : Number(day));
}

const LANGUAGES = 'en de fr es pt it nl sv da nb fi pl cs hu ro tr ru uk el id'.split(' ');
let months: Map<string, number> | undefined;

/** Returns the number of a month by its name, or by the first three or four letters of the name. */
function monthOf(word: string): number | undefined {
  months ??= new Map(
    LANGUAGES.flatMap((language) =>
      Array.from({ length: 12 }, (_, month) => month).flatMap((month) =>
        monthNames(language, month).map((name): [string, number] => [name, month + 1]),
      ),
    ),
  );
  return months.get(word);
}

/** Returns the month's name alone and within a date, because some languages decline it. */
function monthNames(language: string, month: number): string[] {
  const date = new Date(Date.UTC(2000, month, 15));
  return [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }, { month: 'short', day: 'numeric' }]
    .map((options) => new Intl.DateTimeFormat(language, { ...(options as object), timeZone: 'UTC' }).format(date))
    .flatMap((text) => text.toLowerCase().match(WORD) ?? [])
    .filter((name) => name.length > 2);
}

function yearOnly(text: string): TagDate | undefined {
  const year = parsePosition(text);
  return year === undefined ? undefined : { year };
}

/** Returns the year, with month and day if they are valid. */
export function withDay(year: number, month: number, day: number | undefined): TagDate {
  if (!(month >= 1 && month <= 12)) return { year };
  const date = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
  if (day === undefined || !(day >= 1 && day <= daysIn(year, month))) return { year, date };
  return { year, date: `${date}-${String(day).padStart(2, '0')}` };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const DECIMAL = /^[+-]?\d{1,6}(?:[.,]\d{1,20})?(?=$|[^\d.,])/;

function parseDecimal(text: string): number | undefined {
  const match = DECIMAL.exec(trimmed(text));
  return match ? Number(match[0].replace(',', '.')) : undefined;
}

/** Parses `-6.30 dB`, within ±100 dB. */
export function parseGainDb(text: string): number | undefined {
  const value = parseDecimal(text);
  return value !== undefined && Math.abs(value) <= 100 ? value : undefined;
}

/** Parses a linear peak, where 1.0 is full scale. */
export function parsePeak(text: string): number | undefined {
  const value = parseDecimal(text);
  return value !== undefined && value >= 0 && value <= 100 ? value : undefined;
}

/**
 * Parses `R128_*_GAIN`, which is Q7.8 relative to -23 LUFS. Returns it relative to ReplayGain's -18 LUFS (RFC 7845,
 * 5.2.1).
 */
export function parseR128Db(text: string): number | undefined {
  const gainText = trimmed(text);
  if (!/^[+-]?\d{1,5}$/.test(gainText)) return undefined;
  const value = Number(gainText);
  return value >= -32768 && value <= 32767 ? value / 256 + 5 : undefined;
}

export function parseBpm(text: string): number | undefined {
  const value = parseDecimal(text);
  return value !== undefined && value >= 1 && value <= 999 ? value : undefined;
}

/** Parses an energy level as Mixed In Key writes it. */
export function parseLevel(text: string): number | undefined {
  const value = parseDecimal(text);
  return value !== undefined && value >= 1 && value <= 10 ? Math.round(value) : undefined;
}

export function parseFlag(text: string): boolean | undefined {
  const flagText = trimmed(text).toLowerCase();
  if (flagText === '1' || flagText === 'true' || flagText === 'yes') return true;
  return flagText === '0' || flagText === 'false' || flagText === 'no' ? false : undefined;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const EXACT_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns all UUIDs of a text in lower case. */
export function parseUuids(text: string): string[] {
  if (EXACT_UUID.test(text)) return [text]; // a text is nearly always a single UUID; this check takes half the time
  return text.match(UUID)?.map((id) => id.toLowerCase()) ?? [];
}
