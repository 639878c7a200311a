// Formats numbers, sizes, durations and dates in the language of the interface.
import i18next from 'i18next';

const locale = () => i18next.language;

export const formatNumber = (value: number) => new Intl.NumberFormat(locale()).format(value);

/** Returns a duration such as 3:07 or 1:02:45. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const tail = `${h > 0 ? String(m).padStart(2, '0') : m}:${String(s).padStart(2, '0')}`;
  return h > 0 ? `${h}:${tail}` : tail;
}

const unit = (value: number, name: string, digits = 0) =>
  new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: name,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  }).format(value);

/**
 * Returns a rounded duration such as 43 min, 1 hr 12 min or 20 sec, for whole albums and the remaining time of a scan.
 */
export function formatLength(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms === 0) return unit(0, 'minute');
  if (minutes < 1) return unit(Math.max(1, Math.round(ms / 1000)), 'second');
  if (minutes < 60) return unit(minutes, 'minute');
  const rest = minutes % 60;
  return rest === 0 ? unit(minutes / 60, 'hour') : `${unit(Math.floor(minutes / 60), 'hour')} ${unit(rest, 'minute')}`;
}

/** Formats a fraction from 0 to 1 such as 85 %. */
export const formatPercent = (fraction: number) =>
  new Intl.NumberFormat(locale(), { style: 'percent' }).format(fraction);

export function formatBytes(bytes: number): string {
  const names = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const power = Math.min(names.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return unit(value, names[power]!, power > 1 && value < 100 ? 1 : 0);
}

export const formatDate = (iso: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** Returns only the day, for places where the time does not matter. */
export const formatDateOnly = (iso: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(iso));

export const formatTime = (time: string | number) =>
  new Intl.DateTimeFormat(locale(), { hour: 'numeric', minute: '2-digit' }).format(new Date(time));

/** Formats an hour of the day such as 9 am or 09 Uhr. */
export const formatHour = (hour: number) =>
  new Intl.DateTimeFormat(locale(), { hour: 'numeric', timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, 1, hour)));

/** Formats parts of a calendar day such as 2026-03-01. */
export const formatDay = (day: string, parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...parts, timeZone: 'UTC' }).format(new Date(day));

/** Returns a relative time such as “2 minutes ago”. */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ];
  const [name, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.round(seconds / size), name);
}

/** Returns the common short name of an audio format, such as FLAC or MP3. */
export const formatFormat = (format: string) => format.toUpperCase();
