// Ratings as players write them, converted to 0.5 to 5 stars. Pure functions. Text that is no rating, and a rating of
// 0, which means unrated, give undefined.
import { trimmed } from './text.ts';

type Point = readonly [written: number, stars: number];

/**
 * The bytes of ID3's POPM frame that players write. Windows Media Player, Winamp and MusicBee write 1, 64, 128, 196 and
 * 255; MusicBee and MediaMonkey write the halves as 13, 54, 118, 186 and 242. Strawberry, Banshee and JRiver write 192
 * for four stars. Earlier versions of MediaMonkey and JRiver wrote multiples of 51, with halves between.
 */
const POPM_BYTES: readonly Point[] = [
  [1, 1],
  [13, 0.5],
  [26, 0.5],
  [51, 1],
  [54, 1.5],
  [64, 2],
  [77, 1.5],
  [102, 2],
  [118, 2.5],
  [128, 3],
  [153, 3],
  [178, 3.5],
  [186, 3.5],
  [196, 4],
  [204, 4],
  [230, 4.5],
  [242, 4.5],
  [255, 5],
];
/** WM/SharedUserRating as Windows writes it; other programs write multiples of 20. */
const SHARED_RATINGS: readonly Point[] = [
  [1, 1],
  [25, 2],
  [50, 3],
  [75, 4],
  [99, 5],
];

/** Owners of POPM frames who divide the byte evenly: Traktor, Quod Libet, Kodi. */
const EVEN_OWNERS = /^(?:traktor@|quodlibet@|ratings@xbmc)/i;
/** Windows Media Player and Explorer know whole stars only, so a rating by any other player is more exact. */
const WINDOWS_OWNER = /^windows media player/i;
/** Players that write half stars. */
const EXACT_OWNERS = [/^musicbee$/i, /^no@email$/i];

function nearestStars(points: readonly Point[], written: number): number | undefined {
  if (!(written >= 1)) return undefined;
  let [nearest] = points;
  for (const point of points)
    if (nearest === undefined || Math.abs(point[0] - written) < Math.abs(nearest[0] - written)) nearest = point;
  return nearest?.[1];
}

/** Returns a part of five stars in halves, at least half a star. */
const evenStars = (part: number): number | undefined =>
  part > 0 && part <= 1 ? Math.max(0.5, Math.round(part * 10) / 2) : undefined;

/** Converts the byte of a POPM frame; the frame's owner says which player wrote it. */
export const starsOfPopm = (owner: string, byte: number): number | undefined =>
  EVEN_OWNERS.test(owner) ? evenStars(byte / 255) : nearestStars(POPM_BYTES, byte);

/**
 * Returns the rank of a POPM frame among several: MusicBee, MediaMonkey, other players in the order of the file, and
 * last Windows.
 */
export function rankOfPopm(owner: string): number {
  const exactRank = EXACT_OWNERS.findIndex((pattern) => pattern.test(owner));
  if (exactRank >= 0) return exactRank;
  return EXACT_OWNERS.length + Number(WINDOWS_OWNER.test(owner));
}

const DECIMAL = /^\d{1,3}(?:[.,]\d{1,20})?$/;
const STAR_SIGNS = /^[★⭐*]{1,5}[½☆]{0,5}$/u;

const parseNumber = (text: string): number | undefined =>
  DECIMAL.test(text) ? Number(text.replace(',', '.')) : undefined;

/**
 * Parses `RATING`, which has no fixed scale. A number up to 1 with a decimal point is a part of five stars. Other
 * numbers up to 5 are stars, 6 to 9 half stars, 10 to 100 percent, and larger ones bytes of POPM. Also `★★★½`, and
 * `owner|byte|plays` as Traktor writes it into FLAC.
 */
export function parseRating(text: string): number | undefined {
  const ratingText = trimmed(text);
  if (STAR_SIGNS.test(ratingText)) {
    const starCount = ratingText.replaceAll(/[½☆]/gu, '').replaceAll('\ufe0f', '').length;
    return Math.min(5, starCount + (ratingText.includes('½') ? 0.5 : 0));
  }
  const [owner = '', byte, ...rest] = ratingText.split('|', 4);
  if (byte !== undefined && rest.length < 2 && /^\d{1,3}$/.test(byte)) return starsOfPopm(owner, Number(byte));
  const value = parseNumber(ratingText);
  if (value === undefined || value <= 0 || value > 255) return undefined;
  if (value <= 1 && /[.,]/.test(ratingText)) return evenStars(value);
  if (value <= 5) return evenStars(value / 5);
  if (value < 10) return evenStars(value / 10);
  return value <= 100 ? evenStars(value / 100) : nearestStars(POPM_BYTES, value);
}

/** Parses a part of five stars from 0 to 1, as FMPS and Quod Libet write it. */
export function parseRatingPart(text: string): number | undefined {
  const part = parseNumber(trimmed(text));
  return part === undefined ? undefined : evenStars(part);
}

/** Parses `RATING WMP`, the byte of a POPM frame as text. */
export function parseRatingByte(text: string): number | undefined {
  const byte = parseNumber(trimmed(text));
  return byte === undefined || byte > 255 ? undefined : nearestStars(POPM_BYTES, byte);
}

/** Parses `WM/SharedUserRating`, 0 to 99. */
export function parseSharedRating(text: string): number | undefined {
  const value = parseNumber(trimmed(text));
  return value === undefined || value > 100 ? undefined : nearestStars(SHARED_RATINGS, value);
}

/** Returns the first value of a list as FMPS writes it: `Anna::0.8;;Ben::0.4`. */
export const firstOfFmpsList = (text: string): string => text.split(';;', 1)[0]?.split('::').at(-1) ?? '';

/** More plays than this are no count of plays: six years of a song of three minutes. */
const MAX_PLAYS = 1_000_000;

/** Returns a count of plays, 1 to 1,000,000. */
export const checkPlays = (count: number): number | undefined =>
  Number.isInteger(count) && count >= 1 && count <= MAX_PLAYS ? count : undefined;

/** Parses a count of plays; FMPS writes it with decimals. */
export function parsePlays(text: string): number | undefined {
  const [, digits] = /^(\d{1,7})(?:[.,]0{0,10})?$/.exec(trimmed(text)) ?? [];
  return digits === undefined ? undefined : checkPlays(Number(digits));
}

/** Milliseconds from 1601, where Windows counts from, to 1970. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000;
const FIRST_YEAR_MS = Date.UTC(1980, 0);
const LAST_YEAR_MS = Date.UTC(2200, 0);

/**
 * Parses the time of the last play to milliseconds: seconds or milliseconds since 1970, foobar2000's steps of 100 ns
 * since 1601, or a date with a time, taken as UTC unless it says otherwise.
 */
export function parsePlayedAt(text: string): number | undefined {
  const timeText = trimmed(text);
  const ms = /^\d{9,18}$/.test(timeText) ? msOfCount(timeText) : msOfDate(timeText);
  return ms !== undefined && ms >= FIRST_YEAR_MS && ms < LAST_YEAR_MS ? ms : undefined;
}

function msOfCount(digits: string): number {
  if (digits.length >= 16) return Math.round(Number(digits) / 10_000) - WINDOWS_EPOCH_MS;
  return digits.length >= 12 ? Number(digits) : Number(digits) * 1_000;
}

function msOfDate(text: string): number | undefined {
  const [, date, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const ms = Date.parse(`${date}T${time ?? '00:00'}${zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}
