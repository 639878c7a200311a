// Converts times to local days and hours of a time zone. The offset is computed once per day, and on days when clocks
// change once per quarter of an hour, because they change on quarters only.
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export interface Zone {
  name: string;
  /** Returns the local day, counted from 1970-01-01, and the hour, 0 to 23. */
  dayAndHourAt(time: number): { day: number; hour: number };
  /** Returns the start of a local day: midnight, or the end of the gap if clocks skip midnight. */
  startOf(day: number): number;
}

/** Opens a time zone; undefined for an unknown name. */
export function openZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  /** Offset by UTC day; undefined when it changes on that day. */
  const offsetByDay = new Map<number, number | undefined>();
  const offsetByQuarter = new Map<number, number>();

  function offsetAt(time: number): number {
    const dateParts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(
      dateParts['year'] as number,
      (dateParts['month'] as number) - 1,
      dateParts['day'],
      dateParts['hour'],
      dateParts['minute'],
      dateParts['second'],
    );
    return local - Math.floor(time / 1_000) * 1_000;
  }

  function offset(time: number): number {
    const day = Math.floor(time / DAY_MS);
    if (!offsetByDay.has(day)) {
      const [offsetAtStart, offsetAtEnd] = [offsetAt(day * DAY_MS), offsetAt((day + 1) * DAY_MS - 1)];
      offsetByDay.set(day, offsetAtStart === offsetAtEnd ? offsetAtStart : undefined);
    }
    const dayOffset = offsetByDay.get(day);
    if (dayOffset !== undefined) return dayOffset;
    const quarterHour = Math.floor(time / QUARTER_MS);
    const quarterOffset = offsetByQuarter.get(quarterHour) ?? offsetAt(quarterHour * QUARTER_MS);
    offsetByQuarter.set(quarterHour, quarterOffset);
    return quarterOffset;
  }

  return {
    name,
    dayAndHourAt(time) {
      const local = time + offset(time);
      const day = Math.floor(local / DAY_MS);
      return { day, hour: Math.floor((local - day * DAY_MS) / HOUR_MS) };
    },
    startOf(day) {
      const midnight = day * DAY_MS;
      let time = midnight - offset(midnight);
      time = midnight - offset(time); // uses the offset at that time, not at midnight UTC
      while (Math.floor((time + offset(time)) / DAY_MS) < day) time += QUARTER_MS;
      return time;
    },
  };
}

export const toDayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
export const toDay = (year: number, month = 0, day = 1): number => Date.UTC(year, month, day) / DAY_MS;
