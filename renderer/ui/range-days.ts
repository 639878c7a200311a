// The days of a range. Weeks begin on Monday. Pure.
import type { RangeName, RangeSearch } from './day-range.ts';

/** Local days such as 2026-03-01, inclusive. */
interface Days {
  from?: string;
  to?: string;
}

const DAY_MS = 86_400_000;
const LENGTHS: Partial<Record<RangeName, number>> = { week: 7, month: 30, year: 365 };

/** Adds calendar days, across changes of daylight saving time. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);

/** Returns the first day of the week, month or year of a day. */
const START_OF = {
  week: (day: string): string => addDays(day, -((new Date(day).getUTCDay() + 6) % 7)),
  month: (day: string): string => `${day.slice(0, 7)}-01`,
  year: (day: string): string => `${day.slice(0, 4)}-01-01`,
};

export function daysOf({ range = 'month', from, to }: RangeSearch, today: string): Days {
  const length = LENGTHS[range];
  if (length !== undefined) return { from: addDays(today, 1 - length), to: today };
  const [, which, part] = /^(this|last)-(week|month|year)$/.exec(range) ?? [];
  if (part !== undefined) {
    const startOf = START_OF[part as keyof typeof START_OF];
    const start = startOf(today);
    if (which === 'this') return { from: start, to: today };
    const lastDay = addDays(start, -1);
    return { from: startOf(lastDay), to: lastDay };
  }
  return range === 'custom' ? { ...(from && { from }), ...(to && { to }) } : {};
}

/** Returns the start of a local day. */
function startOfDay(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
}

/** Returns the range as an API filter with ISO 8601 times; `to` is exclusive. */
export const momentsOf = ({ from, to }: Days): { from?: string; to?: string } => ({
  ...(from && { from: startOfDay(from).toISOString() }),
  ...(to && { to: startOfDay(addDays(to, 1)).toISOString() }),
});
