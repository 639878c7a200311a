// A range of days in the URL: a part of the calendar, the last days, all time, or from one day to another.
// range-days.ts says which days they are. Pure.

export const RANGES = [
  'this-week',
  'this-month',
  'this-year',
  'last-week',
  'last-month',
  'last-year',
  'week',
  'month',
  'year',
  'all',
  'custom',
] as const;
export type RangeName = (typeof RANGES)[number];

export interface RangeSearch {
  range?: RangeName;
  from?: string;
  to?: string;
}

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
