// Accepts other forms of a reported play, and of the times by which a list is filtered, and converts them to the
// documented forms.
import type { Accepts, Fields, QueryText } from '../http/accepts.ts';
import { toUnixMs } from '../http/times.ts';

/** A time in ISO 8601 without a zone, also with a blank instead of the `T`. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Converts a time to text. Times without a zone are in UTC; numbers are seconds or milliseconds since 1970. */
function timeText(value: unknown): unknown {
  const number = typeof value === 'string' && /^\d{9,13}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && number > 0 && number < 1e14) return new Date(toUnixMs(number)).toISOString();
  if (typeof value !== 'string') return value;
  if (DAY.test(value)) return `${value}T00:00:00Z`;
  const [, day, time] = WITHOUT_ZONE.exec(value) ?? [];
  return day === undefined ? value.replace(/^(\d{4}-\d\d-\d\d) /, '$1T').replace(/\+00$/, 'Z') : `${day}T${time}Z`;
}

export const RANGE_FORMS: Accepts = {
  query: { since: 'from', until: 'to', after: 'from', before: 'to' },
  extraForms: ['days, and times as in a report'],
  queryAs: ({ from, to, ...query }: QueryText): QueryText => ({
    ...query,
    ...(from !== undefined && { from: timeText(from) as string }),
    ...(to !== undefined && { to: timeText(to) as string }),
  }),
};

function playAsDocumented(report: Fields): Fields {
  const { duration_ms, duration_played, duration_seconds, played_seconds, ...otherFields } = report;
  const { timestamp, listened_at, started_at, ...play } = otherFields;
  const secondsGiven = duration_played ?? duration_seconds ?? played_seconds;
  const seconds = typeof secondsGiven === 'string' ? Number(secondsGiven) : secondsGiven;
  const playedMs = duration_ms ?? (typeof seconds === 'number' ? Math.round(seconds * 1000) : undefined);
  const playedAt = play['played_at'] ?? timestamp ?? listened_at ?? started_at;
  return {
    ...(playedMs !== undefined && { played_ms: playedMs }),
    ...play,
    ...(playedAt !== undefined && { played_at: timeText(playedAt) }),
  };
}

export const PLAY_FORMS: Accepts = {
  extraForms: [
    'played_at without a zone (UTC) or as seconds or milliseconds since 1970',
    'timestamp, listened_at and started_at for played_at',
    'duration_ms, or duration_played, duration_seconds and played_seconds in seconds, for played_ms',
  ],
  bodyAs: (body) =>
    Array.isArray(body['items'])
      ? {
          ...body,
          items: (body['items'] as unknown[]).map((item) =>
            typeof item === 'object' && item !== null && !Array.isArray(item) ? playAsDocumented(item as Fields) : item,
          ),
        }
      : playAsDocumented(body),
};
