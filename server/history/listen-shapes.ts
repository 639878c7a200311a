// Parses plays in the formats of various exporters of ListenBrainz and Last.fm. An entry without a title, an artist or
// a plausible time is not a play.
import { z } from 'zod';
import { isTime } from '../http/times.ts';

export interface Listen {
  title: string;
  artistName: string;
  albumTitle: string | null;
  recordingMbid: string | null;
  /** Milliseconds since 1970. */
  playedAt: number;
  durationMs: number | null;
}

const EARLIEST_PLAY_MS = Date.UTC(1990, 0, 1); // exporters write 1970 for plays without a time
const MAX_NAME_CHARS = 1_000;
const MAX_TRACK_MS = 86_400_000;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_SECONDS = 1e11; // larger numbers are milliseconds: this one would be in 1973

const optionalText = z.string().nullish().catch(undefined);
const ListenBrainzListen = z.object({
  listened_at: z.number(),
  track_metadata: z.object({
    artist_name: z.string(),
    track_name: z.string(),
    release_name: optionalText,
    additional_info: z
      .object({
        recording_mbid: optionalText,
        duration_ms: z.number().nullish().catch(undefined),
        duration: z.number().nullish().catch(undefined),
      })
      .nullish()
      .catch(undefined),
    mbid_mapping: z.object({ recording_mbid: optionalText }).nullish().catch(undefined),
  }),
});

const NameShape = z.union([z.string(), z.object({ '#text': z.string() }), z.object({ name: z.string() })]);
/** A play in the format of Last.fm's API, or in one of the flat formats of other exporters. */
const LastFmTrack = z.object({
  name: z.string().optional(),
  track: z.string().optional(),
  title: z.string().optional(),
  artist: NameShape,
  album: NameShape.nullish().catch(undefined),
  mbid: optionalText,
  date: z.union([z.number(), z.string(), z.object({ uts: z.union([z.string(), z.number()]) })]).optional(),
  uts: z.union([z.string(), z.number()]).optional(),
  timestamp: z.union([z.string(), z.number()]).optional(),
});

export function toListen(entry: unknown): Listen | undefined {
  const listen = ListenBrainzListen.safeParse(entry);
  if (listen.success) {
    const {
      listened_at,
      track_metadata: { artist_name, track_name, release_name, additional_info, mbid_mapping },
    } = listen.data;
    const seconds = additional_info?.duration;
    return toValidListen(
      track_name,
      artist_name,
      release_name,
      additional_info?.recording_mbid || mbid_mapping?.recording_mbid,
      listened_at,
      additional_info?.duration_ms ?? (seconds && seconds * 1_000),
    );
  }
  const track = LastFmTrack.safeParse(entry);
  if (!track.success) return undefined;
  const { date, uts, timestamp, ...names } = track.data;
  return toValidListen(
    names.name ?? names.track ?? names.title,
    toText(names.artist),
    names.album && toText(names.album),
    names.mbid,
    uts ?? timestamp ?? (typeof date === 'object' ? date.uts : date),
  );
}

const toText = (name: z.output<typeof NameShape>): string =>
  typeof name === 'string' ? name : '#text' in name ? name['#text'] : name.name;

type Column = 'title' | 'artist' | 'album' | 'mbid' | 'at' | 'time';
const COLUMNS: Record<string, Column> = {
  track: 'title',
  title: 'title',
  name: 'title',
  song: 'title',
  track_name: 'title',
  'track name': 'title',
  trackname: 'title',
  artist: 'artist',
  artist_name: 'artist',
  'artist name': 'artist',
  artistname: 'artist',
  album: 'album',
  release: 'album',
  release_name: 'album',
  'album name': 'album',
  albumname: 'album',
  track_mbid: 'mbid',
  recording_mbid: 'mbid',
  trackmbid: 'mbid',
  uts: 'at',
  timestamp: 'at',
  date: 'at',
  utc_time: 'at',
  played_at: 'at',
  listened_at: 'at',
  datetime: 'at',
  time: 'time',
};

export type CsvColumns = Partial<Record<Column, number>>;
/** The columns of a CSV file without a header. */
const DEFAULT_COLUMNS: CsvColumns = { artist: 0, album: 1, title: 2, at: 3 };

/** Returns the columns that the first row names; undefined if the row is not a header. */
export function csvHeader(row: readonly string[]): CsvColumns | undefined {
  const columns: CsvColumns = {};
  row.forEach((cell, i) => {
    // a header may contain the user's name: `Date#somebody`
    const name = cell.trim().toLowerCase().split('#', 1)[0] ?? '';
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
    if (column !== undefined) columns[column] ??= i;
  });
  if (columns.at === undefined && columns.time !== undefined) columns.at = columns.time;
  return columns.title !== undefined && columns.artist !== undefined && columns.at !== undefined ? columns : undefined;
}

export function csvListen(row: readonly string[], columns: CsvColumns = DEFAULT_COLUMNS): Listen | undefined {
  const cell = (column: Column): string | undefined =>
    columns[column] === undefined ? undefined : row[columns[column]];
  return toValidListen(cell('title'), cell('artist'), cell('album'), cell('mbid'), cell('at'));
}

function toValidListen(
  title: string | undefined,
  artist: string | undefined,
  album: string | null | undefined,
  mbid: string | null | undefined,
  at: string | number | undefined,
  durationMs?: number | null,
): Listen | undefined {
  const [cleanTitle, cleanArtist, cleanAlbum] = [clean(title), clean(artist), clean(album)];
  const playedAt = at === undefined ? undefined : toTime(at);
  if (cleanTitle === undefined || cleanArtist === undefined || playedAt === undefined || playedAt < EARLIEST_PLAY_MS)
    return undefined;
  const recording = mbid?.trim().toLowerCase() ?? '';
  const isLength = typeof durationMs === 'number' && durationMs >= 1 && durationMs <= MAX_TRACK_MS;
  return {
    title: cleanTitle,
    artistName: cleanArtist,
    albumTitle: cleanAlbum ?? null,
    recordingMbid: MBID.test(recording) ? recording : null,
    playedAt,
    durationMs: isLength ? Math.round(durationMs) : null,
  };
}

function clean(name: string | null | undefined): string | undefined {
  const text = name?.toWellFormed().replaceAll('\0', '').trim() ?? '';
  return text === '' || text.length > MAX_NAME_CHARS ? undefined : text;
}

/**
 * Parses a time: seconds or milliseconds since 1970, or a date, which is in UTC unless it has a zone, as for both
 * services.
 */
function toTime(value: string | number): number | undefined {
  const text = String(value).trim();
  const time = /^\d+(\.\d+)?$/.test(text)
    ? Math.round(Number(text) * (Number(text) < MAX_SECONDS ? 1_000 : 1))
    : parseDate(text);
  return isTime(time) ? time : undefined;
}

/** Parses `2023-11-14 22:13:20`, `14 Nov 2023, 22:13`, and other formats of Date with a year of four digits. */
function parseDate(text: string): number {
  if (text.length > 40 || !/(?:^|\D)(?:19|20)\d\d(?:\D|$)/.test(text)) return Number.NaN;
  const isZoned = /(?:z|gmt|utc|[+-]\d\d:?\d\d)$/i.test(text) && !/^\d{4}-\d\d-\d\d$/.test(text);
  const iso = /^(\d{4}-\d\d-\d\d)[ t]+(\d\d:\d\d.*)$/i.exec(text);
  if (iso) return Date.parse(`${iso[1]}T${iso[2]}${isZoned ? '' : 'Z'}`);
  return Date.parse(isZoned ? text : `${text.replace(/,(?=\s*\d\d:)/, '')} UTC`);
}
