// Zod schemas of the statistics.
import { z } from 'zod';
import { TIME_RANGE_MESSAGE, isTimeText, isoTime, toIso } from '../http/times.ts';
import type { PlayedAt } from './queries.ts';
import { ALL_TIME, type Listening, type YearReview } from './service.ts';
import type { Range, Sum } from './play-totals.ts';
import type { StorageStats } from './storage-stats.ts';
import type { TopAlbum, TopArtist, TopGenre, TopTrack } from './top-lists.ts';
import { DAY_MS, openZone, toDayText, type Zone } from './time-zones.ts';

const share = z.object({ key: z.string(), tracks: z.int(), size_bytes: z.int() });

export const StorageStatsOut = z
  .object({
    tracks: z.int(),
    artists: z.int(),
    albums: z.int(),
    size_bytes: z.int(),
    duration_ms: z.int(),
    by_format: z.array(share),
    by_source: z.array(share),
    by_metadata_status: z.array(share),
    albums_by_year: z
      .array(z.object({ year: z.int(), albums: z.int() }))
      .meta({ description: 'albums with a year, earliest first' }),
    top_genres: z.array(z.object({ genre: z.string(), tracks: z.int() })),
    disk: z
      .object({
        path: z.string().meta({ description: 'for administrators; for others the name of the volume' }),
        total_bytes: z.int(),
        free_bytes: z.int(),
        used_bytes: z.int(),
      })
      .meta({ id: 'DiskUsage' })
      .nullable()
      .meta({ description: 'null for an object store' }),
  })
  .meta({ id: 'StorageStats' });
export type StorageStatsOut = z.output<typeof StorageStatsOut>;

const zone = z
  .string()
  .max(100)
  .default('UTC')
  .transform((name, context): Zone => {
    const found = openZone(name);
    if (found) return found;
    context.addIssue({ code: 'custom', message: 'is not a time zone, such as Europe/Berlin' });
    return z.NEVER;
  })
  .meta({ description: 'time zone of days and hours, such as Europe/Berlin' });
const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: 'must be an ISO 8601 time or day' })
  .refine(isTimeText, { error: TIME_RANGE_MESSAGE })
  .meta({ description: 'an ISO 8601 time or day from 1970 to 9999' });

export const ListeningQuery = z.object({
  from: moment.optional(),
  to: moment.optional().meta({ description: 'plays before this time; a date includes the whole day' }),
  tz: zone,
});
export type ListeningQuery = z.output<typeof ListeningQuery>;

export const YearParam = z.object({
  year: z
    .string()
    .regex(/^(19|20|21)\d\d$/, 'must be a year')
    .transform(Number),
});
export const YearQuery = z.object({ tz: zone });

const played = { plays: z.int(), played_ms: z.int(), minutes: z.int() };
const day = z.iso.date();
const TopTrackOut = z.object({
  track_id: z.int().nullable(),
  title: z.string(),
  artist_name: z.string().nullable(),
  album_id: z.int().nullable(),
  has_cover: z.boolean(),
  ...played,
});
const tops = {
  top_tracks: z.array(TopTrackOut),
  top_albums: z.array(
    z.object({
      album_id: z.int().nullable(),
      title: z.string(),
      artist_name: z.string().nullable(),
      has_cover: z.boolean(),
      ...played,
    }),
  ),
  top_artists: z.array(
    z.object({
      artist_id: z.int().nullable().meta({ description: 'null when not in the library' }),
      name: z.string(),
      has_cover: z.boolean(),
      ...played,
    }),
  ),
  top_genres: z.array(z.object({ genre: z.string(), ...played })),
};

export const ListeningOut = z
  .object({
    from: isoTime.nullable(),
    to: isoTime.nullable(),
    tz: z.string(),
    ...played,
    days: z.array(z.object({ day, ...played })).meta({ description: 'days with plays' }),
    hours: z.array(z.object({ hour: z.int(), ...played })).meta({ description: 'the 24 hours of the day' }),
    week: z
      .array(z.object({ weekday: z.int().meta({ description: '1 is Monday' }), hour: z.int(), ...played }))
      .meta({ description: 'the 7 × 24 hours of the week' }),
    ...tops,
  })
  .meta({ id: 'ListeningStats' });
export type ListeningOut = z.output<typeof ListeningOut>;

const playedAt = z.object({
  track_id: z.int().nullable(),
  title: z.string(),
  artist_name: z.string().nullable(),
  played_at: isoTime,
});

export const YearOut = z
  .object({
    year: z.int(),
    tz: z.string(),
    ...played,
    active_days: z.int(),
    months: z.array(z.object({ month: z.int().meta({ description: '1 to 12' }), ...played })),
    hours: z.array(z.object({ hour: z.int(), ...played })),
    ...tops,
    longest_streak: z
      .object({ days: z.int(), from: day, to: day })
      .nullable()
      .meta({ description: 'consecutive days with plays' }),
    busiest_day: z.object({ day, ...played }).nullable(),
    first_play: playedAt.nullable(),
    last_play: playedAt.nullable(),
    new_tracks: z.int().meta({ description: 'tracks never played before this year' }),
    new_artists: z.int(),
    discoveries: z.array(TopTrackOut).meta({ description: 'the most played of the new tracks' }),
  })
  .meta({ id: 'YearReview' });
export type YearOut = z.output<typeof YearOut>;

export const toStorageStatsOut = ({ disk, ...s }: StorageStats): StorageStatsOut => {
  const shares = (entries: StorageStats['byFormat']) =>
    entries.map(({ key, tracks, sizeBytes }) => ({ key, tracks, size_bytes: sizeBytes }));
  return {
    tracks: s.tracks,
    artists: s.artists,
    albums: s.albums,
    size_bytes: s.sizeBytes,
    duration_ms: s.durationMs,
    by_format: shares(s.byFormat),
    by_source: shares(s.bySource),
    by_metadata_status: shares(s.byMetadataStatus),
    albums_by_year: s.albumsByYear,
    top_genres: s.topGenres,
    disk: disk && {
      path: disk.path,
      total_bytes: disk.totalBytes,
      free_bytes: disk.freeBytes,
      used_bytes: disk.usedBytes,
    },
  };
};

const isDay = (text: string): boolean => text.length === 10;
const dayOf = (text: string): number => Date.parse(text) / DAY_MS;

export const toRange = ({ from, to, tz }: ListeningQuery): Range => ({
  from: from === undefined ? ALL_TIME.from : isDay(from) ? tz.startOf(dayOf(from)) : Date.parse(from),
  to: to === undefined ? ALL_TIME.to : isDay(to) ? tz.startOf(dayOf(to) + 1) : Date.parse(to),
});

const MINUTE_MS = 60_000;
const toPlayed = ({ plays, playedMs }: Sum) => ({
  plays,
  played_ms: playedMs,
  minutes: Math.round(playedMs / MINUTE_MS),
});
const toTopTrack = (t: TopTrack) => ({
  track_id: t.trackId,
  title: t.title,
  artist_name: t.artistName,
  album_id: t.albumId,
  has_cover: t.hasCover,
  ...toPlayed(t),
});
const toTopAlbum = (a: TopAlbum) => ({
  album_id: a.albumId,
  title: a.title,
  artist_name: a.artistName,
  has_cover: a.hasCover,
  ...toPlayed(a),
});
const toTopArtist = (a: TopArtist) => ({
  artist_id: a.artistId,
  name: a.name,
  has_cover: a.hasCover,
  ...toPlayed(a),
});
const toTopGenre = (g: TopGenre) => ({ genre: g.genre, ...toPlayed(g) });
const toHours = (hours: readonly Sum[]) => hours.map((sum, hour) => ({ hour, ...toPlayed(sum) }));
const toTops = ({ tops: t }: Listening) => ({
  top_tracks: t.tracks.map(toTopTrack),
  top_albums: t.albums.map(toTopAlbum),
  top_artists: t.artists.map(toTopArtist),
  top_genres: t.genres.map(toTopGenre),
});

export const toListeningOut = (listening: Listening): ListeningOut => ({
  from: listening.range.from === ALL_TIME.from ? null : toIso(new Date(listening.range.from)),
  to: listening.range.to === ALL_TIME.to ? null : toIso(new Date(listening.range.to)),
  tz: listening.zone.name,
  ...toPlayed(listening.totals),
  days: [...listening.totals.days].map(([local, sum]) => ({ day: toDayText(local), ...toPlayed(sum) })),
  hours: toHours(listening.totals.hours),
  week: listening.totals.week.map((sum, i) => ({ weekday: Math.floor(i / 24) + 1, hour: i % 24, ...toPlayed(sum) })),
  ...toTops(listening),
});

const toPlayedAt = (play: PlayedAt | undefined) =>
  play
    ? {
        track_id: play.trackId,
        title: play.title,
        artist_name: play.artistName,
        played_at: toIso(new Date(play.playedAt)),
      }
    : null;

export const toYearOut = (review: YearReview): YearOut => ({
  year: review.year,
  tz: review.zone.name,
  ...toPlayed(review.totals),
  active_days: review.totals.days.size,
  months: review.months.map((sum, i) => ({ month: i + 1, ...toPlayed(sum) })),
  hours: toHours(review.totals.hours),
  ...toTops(review),
  longest_streak: review.streak
    ? { days: review.streak.days, from: toDayText(review.streak.first), to: toDayText(review.streak.last) }
    : null,
  busiest_day:
    review.busiestDay === undefined
      ? null
      : { day: toDayText(review.busiestDay), ...toPlayed(review.totals.days.get(review.busiestDay) as Sum) },
  first_play: toPlayedAt(review.firstPlay),
  last_play: toPlayedAt(review.lastPlay),
  new_tracks: review.newTracks,
  new_artists: review.newArtists,
  discoveries: review.discoveries.map(toTopTrack),
});
