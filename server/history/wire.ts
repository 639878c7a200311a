// Shapes of the history and imports in the API.
import { z } from 'zod';
import { HistoryImportIdIn, PlayIdIn, TrackIdIn } from '../db/ids.ts';
import type { historyImports } from '../db/schema.ts';
import { idParam, pageQuery, pagedOf, queryInt } from '../http/paging.ts';
import { isoTime, isoTimeIn, toIso, toIsoOrNull } from '../http/times.ts';
import { TrackOut } from '../library/wire.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { NowPlaying } from './now-playing.ts';
import type { PlayReport, PlaySummary, RecordResult } from './service.ts';

const MAX_PLAY_MS = 7 * 86_400_000;
const MAX_REPORTS = 5_000;
const client = z.string().trim().max(100);
const milliseconds = z.int().min(0).max(MAX_PLAY_MS);

export const playId = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters');

export const HistoryIn = z
  .strictObject({
    track_id: TrackIdIn,
    played_at: isoTimeIn
      .optional()
      .meta({ description: 'start of the play, by default now; not in the future, which counts as now in a list' }),
    played_ms: milliseconds.optional().meta({ description: 'how long it was played' }),
    client: client.optional(),
    play_id: playId
      .optional()
      .meta({ description: 'chosen by the client, one for each listening: reporting it again is no second play' }),
  })
  .meta({ id: 'HistoryIn' });
export type HistoryIn = z.output<typeof HistoryIn>;

const HistoryBatchIn = z
  .strictObject({ items: z.array(HistoryIn).min(1).max(MAX_REPORTS) })
  .meta({ id: 'HistoryBatchIn' });
export const HistoryBody = z.union([HistoryIn, HistoryBatchIn]);

export const HistoryOut = z
  .object({
    id: z.int(),
    track_id: z.int().nullable().meta({ description: 'null when it is not in the library' }),
    track: TrackOut.nullable(),
    title: z.string(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    played_at: isoTime,
    played_ms: z.int().nullable(),
    client: z.string().nullable(),
  })
  .meta({ id: 'HistoryOut' });
export type HistoryOut = z.output<typeof HistoryOut>;
export const HistoryPage = pagedOf(HistoryOut).meta({ id: 'PagedHistory' });

const HistoryBatchOut = z
  .object({
    recorded: z.int(),
    items: z
      .array(
        z.object({
          status: z
            .enum(['recorded', 'known', 'withdrawn', 'unknown_track'])
            .meta({ description: 'known: recorded before; withdrawn: recorded before and then withdrawn' }),
          id: z.int().nullable(),
        }),
      )
      .meta({ description: 'in the order of the request' }),
  })
  .meta({ id: 'HistoryBatchOut' });
export const HistoryReply = z.union([HistoryOut, HistoryBatchOut]);

export const HistoryQuery = z.object({
  track_id: queryInt.pipe(TrackIdIn as unknown as z.ZodType<z.output<typeof TrackIdIn>, number>).optional(),
  from: isoTimeIn.optional(),
  to: isoTimeIn.optional().meta({ description: 'plays before this time' }),
  ...pageQuery,
});
export const ImportQuery = z.object(pageQuery);
export const PlayParam = idParam(PlayIdIn);

export const NowPlayingIn = z
  .strictObject({
    track_id: TrackIdIn.nullable().meta({ description: 'null when playback has stopped' }),
    position_ms: milliseconds.default(0),
    client: client.optional(),
  })
  .meta({ id: 'NowPlayingIn' });
export const NowPlayingOut = z
  .object({
    playing: z
      .object({
        track: TrackOut,
        position_ms: z.int(),
        since: isoTime.meta({ description: 'when the position was reported' }),
        client: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'NowPlayingOut' });

export const UnmatchedSong = z.object({ title: z.string(), artist_name: z.string(), plays: z.int() });
export type UnmatchedSong = z.output<typeof UnmatchedSong>;

export const HistoryImportOut = z
  .object({
    id: z.int(),
    filename: z.string(),
    status: z.enum(['queued', 'running', 'done', 'failed']),
    bytes_done: z.int(),
    bytes_total: z.int(),
    added: z.int(),
    known: z.int().meta({ description: 'plays that were recorded before' }),
    unmatched: z.int().meta({ description: 'added plays without a track in the library; matched when it is added' }),
    unreadable: z.int(),
    unmatched_songs: z.array(UnmatchedSong).meta({ description: 'by plays, at most 200' }),
    error: z.string().nullable(),
    created_at: isoTime,
    finished_at: isoTime.nullable(),
  })
  .meta({ id: 'HistoryImportOut' });
export type HistoryImportOut = z.output<typeof HistoryImportOut>;
export const HistoryImportPage = pagedOf(HistoryImportOut).meta({ id: 'PagedHistoryImports' });
export const HistoryImportParam = idParam(HistoryImportIdIn);

export const toPlayReport = ({ track_id, played_at, played_ms, client: by, play_id }: HistoryIn): PlayReport => ({
  trackId: track_id,
  playedAt: played_at,
  playedMs: played_ms,
  client: by,
  playId: play_id,
  isRest: true,
});

export const toHistoryOut = ({
  id,
  track,
  title,
  artistName,
  albumTitle,
  playedAt,
  playedMs,
  client: by,
}: PlaySummary): HistoryOut => ({
  id,
  track_id: track?.id ?? null,
  track: track && toTrackOut(track),
  title,
  artist_name: artistName,
  album_title: albumTitle,
  played_at: toIso(playedAt),
  played_ms: playedMs,
  client: by,
});

export const toHistoryBatchOut = (items: RecordResult[]): z.input<typeof HistoryBatchOut> => ({
  recorded: items.filter(({ status }) => status === 'recorded').length,
  items,
});

export const toNowPlayingOut = (playing: NowPlaying | undefined): z.input<typeof NowPlayingOut> => ({
  playing: playing
    ? {
        track: toTrackOut(playing.track),
        position_ms: playing.positionMs,
        since: toIso(playing.since),
        client: playing.player.client,
      }
    : null,
});

export const toHistoryImportOut = (row: typeof historyImports.$inferSelect): HistoryImportOut => ({
  id: row.id,
  filename: row.filename,
  status: row.status,
  bytes_done: row.bytesDone,
  bytes_total: row.bytesTotal,
  added: row.added,
  known: row.known,
  unmatched: row.unmatched,
  unreadable: row.unreadable,
  unmatched_songs: z.array(UnmatchedSong).catch([]).parse(row.unmatchedSongs),
  error: row.error,
  created_at: toIso(row.createdAt),
  finished_at: toIsoOrNull(row.finishedAt),
});
