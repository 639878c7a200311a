// A range of days in the URL: the last week, month or year, all time, or from one day to another. Pure.

export const RANGES = ['week', 'month', 'year', 'all', 'custom'] as const;
export type RangeName = (typeof RANGES)[number];

export interface RangeSearch {
  range?: RangeName;
  from?: string;
  to?: string;
}
/** Local days such as 2026-03-01, inclusive. */
interface Days {
  from?: string;
  to?: string;
}

const DAY_MS = 86_400_000;
const LENGTHS: Partial<Record<RangeName, number>> = { week: 7, month: 30, year: 365 };

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));

export function parseRangeSearch(input: Record<string, unknown>): RangeSearch {
  const range = RANGES.find((candidate) => candidate === input['range']);
  return {
    ...(range && { range }),
    ...(range === 'custom' && isDay(input['from']) && { from: input['from'] }),
    ...(range === 'custom' && isDay(input['to']) && { to: input['to'] }),
  };
}

/** Returns the local day of a point in time. */
export const dayOf = (date: Date): string =>
  [
    String(date.getFullYear()).padStart(4, '0'),
    String(date.getMonth() + 1).padStart(2, '0'),
    String(date.getDate()).padStart(2, '0'),
  ].join('-');

/** Adds calendar days, across changes of daylight saving time. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);

export function daysOf({ range = 'month', from, to }: RangeSearch, today: string): Days {
  const length = LENGTHS[range];
  if (length !== undefined) return { from: addDays(today, 1 - length), to: today };
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
