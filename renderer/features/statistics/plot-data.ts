// Data of the plots, from the API's responses. Pure.
import { addDays } from '../../ui/range-days.ts';

interface ListeningAmount {
  plays: number;
  minutes: number;
}
interface HeardDay extends ListeningAmount {
  day: string;
}
/** `start` is the first day of the bucket. */
interface Bucket extends ListeningAmount {
  start: string;
}
export type Step = 'day' | 'week' | 'month';

const DAY_MS = 86_400_000;
const MAX_DAYS = 45;
const MAX_WEEKS = 60;

const span = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Returns the finest step for which the plot has enough room. */
export function stepFor(from: string, to: string): Step {
  const days = span(from, to);
  return days <= MAX_DAYS ? 'day' : days <= MAX_WEEKS * 7 ? 'week' : 'month';
}

/** Returns the Monday of the day's week, or the first day of its month. */
function startOf(day: string, step: Step): string {
  if (step === 'day') return day;
  if (step === 'month') return `${day.slice(0, 7)}-01`;
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
}

function nextStart(start: string, step: Step): string {
  if (step === 'month') {
    const date = new Date(start);
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
  }
  return addDays(start, step === 'day' ? 1 : 7);
}

/** Returns a bucket for every day, week or month from `from` to `to`, including those without plays. */
export function bucketDays(days: readonly HeardDay[], from: string, to: string): { step: Step; buckets: Bucket[] } {
  const step = stepFor(from, to);
  const sums = new Map<string, Bucket>();
  for (let start = startOf(from, step); start <= to; start = nextStart(start, step))
    sums.set(start, { start, plays: 0, minutes: 0 });
  for (const { day, plays, minutes } of days) {
    const sum = sums.get(startOf(day, step));
    if (!sum) continue;
    sum.plays += plays;
    sum.minutes += minutes;
  }
  return { step, buckets: [...sums.values()] };
}

/** Returns every year from the first to the last, including those without albums. */
export function fillYears(years: readonly { year: number; albums: number }[]): { year: number; albums: number }[] {
  const [firstYear, lastYear] = [years[0]?.year, years.at(-1)?.year];
  if (firstYear === undefined || lastYear === undefined) return [];
  const albumsByYear = new Map(years.map(({ year, albums }) => [year, albums]));
  return Array.from({ length: lastYear - firstYear + 1 }, (_, i) => ({
    year: firstYear + i,
    albums: albumsByYear.get(firstYear + i) ?? 0,
  }));
}

type Cell = string | number;
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/**
 * Formats a table according to RFC 4180. A leading `=`, `+`, `-` or `@` gets an apostrophe, because titles come from
 * files and spreadsheets would run them as formulas.
 */
export function toCsv({ columns, rows }: Table): string {
  const text = (cell: Cell): string => {
    if (typeof cell === 'number') return String(cell);
    const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns, ...rows].map((row) => `${row.map(text).join(',')}\r\n`).join('');
}
